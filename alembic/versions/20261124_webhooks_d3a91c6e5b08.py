"""Webhooks and what was sent to them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "d3a91c6e5b08"
down_revision = "6c1f0e8b4a27"
branch_labels = None
depends_on = None


def _stamp(name, *, default=False):
    moment = sa.text("clock_timestamp()") if default else None
    return sa.Column(name, sa.DateTime(timezone=True), server_default=moment, nullable=not default)


def _blank(name, kind):
    return sa.Column(name, kind, server_default="", nullable=False)


def upgrade():
    op.create_table(
        "webhook",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.String(1000), nullable=False),
        _blank("description", sa.String(100)),
        sa.Column("kinds", postgresql.ARRAY(sa.String(40)), server_default="{}", nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        _blank("old_secret", sa.Text()),
        _stamp("old_secret_until"),
        sa.Column("epoch", sa.String(32), nullable=False),
        sa.Column("after", sa.BigInteger(), nullable=False),
        _stamp("created_on", default=True),
        sa.Column("form_key", sa.String(64), nullable=False),
        sa.CheckConstraint("state IN ('active', 'paused', 'disabled')", name=op.f("ck_webhook_state_choice")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_webhook_user_id_user_account"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
        sa.UniqueConstraint("form_key", name="uq_webhook_form_key"),
    )
    op.create_index(op.f("ix_webhook_user_id"), "webhook", ["user_id"])
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.String(40), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("retries", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        _stamp("created_on", default=True),
        _stamp("next_attempt"),
        _stamp("sent"),
        sa.Column("milliseconds", sa.Integer(), nullable=True),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        _blank("problem", sa.String(20)),
        _blank("answer", sa.String(500)),
        sa.Column("delivered", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhook.id"],
            name=op.f("fk_webhook_delivery_webhook_id_webhook"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_delivery")),
    )
    op.create_index("ix_webhook_delivery_webhook_id", "webhook_delivery", ["webhook_id", "id"])
    op.create_index(
        "ix_webhook_delivery_due",
        "webhook_delivery",
        ["next_attempt", "id"],
        postgresql_where=sa.text("next_attempt IS NOT NULL"),
    )


def downgrade():
    op.drop_table("webhook_delivery")
    op.drop_table("webhook")
