"""Rows of large imports keep the cells that could not be interpreted.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "7c41e0d95b23"
down_revision = "5d18f0c2b7e6"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column(
        "library_import_row", sa.Column("unclear", postgresql.JSONB(), server_default="[]", nullable=False)
    )


def downgrade():
    op.drop_column("library_import_row", "unclear")
