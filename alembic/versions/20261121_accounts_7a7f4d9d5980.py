"""Accounts: links by mail, outgoing mail, counts per day, notices, donations, staff actions.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "7a7f4d9d5980"
down_revision = "860b8ade6d16"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "daily_count",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("counter", sa.String(length=40), nullable=False),
        sa.Column("identity", sa.String(length=200), server_default="", nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "counter", "identity", name=op.f("pk_daily_count")),
    )
    op.create_index("ix_daily_count_counter", "daily_count", ["counter", "identity", "day"], unique=False)
    op.create_table(
        "signup_settings",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("signups_enabled", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("disabled_message", sa.String(length=255), server_default="", nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_signup_settings_single")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signup_settings")),
    )
    op.execute("INSERT INTO signup_settings (id) VALUES (1)")
    op.create_table(
        "account_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("email", sa.String(length=254), server_default="", nullable=False),
        sa.Column(
            "created", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "purpose IN ('activate', 'reset', 'email')", name=op.f("ck_account_link_purpose_choice")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_account_link_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_link")),
        sa.UniqueConstraint("digest", name=op.f("uq_account_link_digest")),
    )
    op.create_index(op.f("ix_account_link_expires"), "account_link", ["expires"], unique=False)
    op.create_index(op.f("ix_account_link_user_id"), "account_link", ["user_id"], unique=False)
    op.create_table(
        "donation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("transaction_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("email", sa.String(length=254), server_default="", nullable=False),
        sa.Column("amount", sa.Integer(), nullable=False),
        sa.Column("donated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("frequency", sa.String(length=10), server_default="", nullable=False),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "frequency IN ('', 'monthly', 'yearly', 'onetime')", name=op.f("ck_donation_frequency_choice")
        ),
        sa.CheckConstraint("amount BETWEEN 0 AND 2147483647", name=op.f("ck_donation_amount_range")),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_donation_user_id_user_account"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_donation")),
        sa.UniqueConstraint("transaction_id", name=op.f("uq_donation_transaction_id")),
    )
    op.create_index("ix_donation_order", "donation", ["donated_at", "id"], unique=False)
    op.create_index(op.f("ix_donation_user_id"), "donation", ["user_id"], unique=False)
    op.create_table(
        "outgoing_mail",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("recipient", sa.String(length=254), nullable=False),
        sa.Column("message", sa.LargeBinary(), nullable=False),
        sa.Column(
            "queued", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column(
            "next_attempt",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=True,
        ),
        sa.Column("give_up", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_outgoing_mail_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outgoing_mail")),
    )
    op.create_index(
        "ix_outgoing_mail_due",
        "outgoing_mail",
        ["next_attempt", "id"],
        unique=False,
        postgresql_where=sa.text("sent IS NULL"),
    )
    op.create_index("ix_outgoing_mail_sent", "outgoing_mail", ["sent"], unique=False)
    op.create_index(op.f("ix_outgoing_mail_user_id"), "outgoing_mail", ["user_id"], unique=False)
    op.create_table(
        "staff_action",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("actor_name", sa.String(length=150), server_default="", nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("target_id", sa.Integer(), nullable=True),
        sa.Column("target", sa.String(length=255), server_default="", nullable=False),
        sa.Column("change", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.ForeignKeyConstraint(
            ["actor_id"],
            ["user_account.id"],
            name=op.f("fk_staff_action_actor_id_user_account"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staff_action")),
    )
    op.create_index(op.f("ix_staff_action_actor_id"), "staff_action", ["actor_id"], unique=False)
    op.create_index("ix_staff_action_order", "staff_action", ["at", "id"], unique=False)
    op.create_index("ix_staff_action_target", "staff_action", ["kind", "target_id", "id"], unique=False)
    op.create_table(
        "throttle_notice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("days_throttled", sa.SmallInteger(), nullable=False),
        sa.Column("total_count", sa.Integer(), nullable=False),
        sa.Column("worst_day_count", sa.Integer(), nullable=False),
        sa.Column(
            "sent_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_throttle_notice_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_throttle_notice")),
    )
    op.create_index("ix_throttle_notice_order", "throttle_notice", ["sent_at", "id"], unique=False)
    op.create_index(op.f("ix_throttle_notice_user_id"), "throttle_notice", ["user_id"], unique=False)
    op.add_column("api_token", sa.Column("form_key", sa.String(length=64), nullable=True))
    op.create_unique_constraint(op.f("uq_api_token_form_key"), "api_token", ["form_key"])
    op.add_column("user_account", sa.Column("basic_used", sa.Date(), nullable=True))
    op.add_column("user_account", sa.Column("basic_reminded", sa.DateTime(timezone=True), nullable=True))


def downgrade():
    op.drop_column("user_account", "basic_reminded")
    op.drop_column("user_account", "basic_used")
    op.drop_constraint(op.f("uq_api_token_form_key"), "api_token", type_="unique")
    op.drop_column("api_token", "form_key")
    op.drop_index(op.f("ix_throttle_notice_user_id"), table_name="throttle_notice")
    op.drop_index("ix_throttle_notice_order", table_name="throttle_notice")
    op.drop_table("throttle_notice")
    op.drop_index("ix_staff_action_target", table_name="staff_action")
    op.drop_index("ix_staff_action_order", table_name="staff_action")
    op.drop_index(op.f("ix_staff_action_actor_id"), table_name="staff_action")
    op.drop_table("staff_action")
    op.drop_index(op.f("ix_outgoing_mail_user_id"), table_name="outgoing_mail")
    op.drop_index("ix_outgoing_mail_sent", table_name="outgoing_mail")
    op.drop_index(
        "ix_outgoing_mail_due", table_name="outgoing_mail", postgresql_where=sa.text("sent IS NULL")
    )
    op.drop_table("outgoing_mail")
    op.drop_index(op.f("ix_donation_user_id"), table_name="donation")
    op.drop_index("ix_donation_order", table_name="donation")
    op.drop_table("donation")
    op.drop_index(op.f("ix_account_link_user_id"), table_name="account_link")
    op.drop_index(op.f("ix_account_link_expires"), table_name="account_link")
    op.drop_table("account_link")
    op.drop_table("signup_settings")
    op.drop_index("ix_daily_count_counter", table_name="daily_count")
    op.drop_table("daily_count")
