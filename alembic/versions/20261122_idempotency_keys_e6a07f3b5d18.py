"""Answers that are given again to whoever repeats a request with its key.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op

revision = "e6a07f3b5d18"
down_revision = "9c41d70b52e6"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "idempotency_key",
        sa.Column("user_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("request", sa.String(length=64), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column(
            "created", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_idempotency_key_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_idempotency_key")),
    )
    op.create_index("ix_idempotency_key_created", "idempotency_key", ["created"])


def downgrade():
    op.drop_table("idempotency_key")
