"""Accounts remember to which fields they mapped the columns of imported tables.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "e2a90c41d7f6"
down_revision = "5c2f8a9e1b47"
branch_labels = None
depends_on = None


def upgrade():
    name = "fk_import_mapping_user_id_user_account"
    account = sa.ForeignKey("user_account.id", ondelete="CASCADE", name=name)
    now = sa.func.clock_timestamp()
    op.create_table(
        "import_mapping",
        sa.Column("user_id", sa.Integer, account, primary_key=True),
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("mapping", JSONB, nullable=False),
        sa.Column("modified", sa.DateTime(timezone=True), nullable=False, server_default=now),
    )


def downgrade():
    op.drop_table("import_mapping")
