"""Entries of reading lists that wait for their issue keep how much of its date is known.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op

revision = "a83f16d0c5e2"
down_revision = "e2a90c41d7f6"
branch_labels = None
depends_on = None

TABLE, COLUMN = "reading_list_pending", "cover_date_precision"


def upgrade():
    op.add_column(TABLE, sa.Column(COLUMN, sa.String(5), server_default="day", nullable=False))
    op.create_check_constraint(f"{COLUMN}_choice", TABLE, f"{COLUMN} IN ('day', 'month', 'year', 'none')")


def downgrade():
    op.drop_column(TABLE, COLUMN)
