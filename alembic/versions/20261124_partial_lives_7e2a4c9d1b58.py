"""Dates of birth and death of which only the month or year is known."""

import sqlalchemy as sa
from alembic import op

revision = "7e2a4c9d1b58"
down_revision = "3d8b6e1c9f52"
branch_labels = None
depends_on = None

COLUMNS = ("birth_precision", "death_precision")


def upgrade():
    op.execute("SET LOCAL lock_timeout = '2s'")
    for column in COLUMNS:
        op.add_column("creator", sa.Column(column, sa.String(5), server_default="day", nullable=False))
        op.execute(
            f"ALTER TABLE creator ADD CONSTRAINT ck_creator_{column}_choice"
            f" CHECK ({column} IN ('day', 'month', 'year')) NOT VALID"
        )
    with op.get_context().autocommit_block():  # reads all rows, and nobody waits for that
        for column in COLUMNS:
            op.execute(f"ALTER TABLE creator VALIDATE CONSTRAINT ck_creator_{column}_choice")


def downgrade():
    for column in COLUMNS:
        op.drop_column("creator", column)
