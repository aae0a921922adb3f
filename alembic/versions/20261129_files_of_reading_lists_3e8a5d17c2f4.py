"""Reading lists keep the source and the first year of the files from which they were imported.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op

revision = "3e8a5d17c2f4"
down_revision = "6b1f84d0e357"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("reading_list", sa.Column("file_source", sa.String(255), nullable=False, server_default=""))
    op.add_column("reading_list", sa.Column("start_year", sa.SmallInteger()))
    op.create_check_constraint("start_year_range", "reading_list", "start_year BETWEEN 1500 AND 2100")


def downgrade():
    op.drop_column("reading_list", "start_year")
    op.drop_column("reading_list", "file_source")
