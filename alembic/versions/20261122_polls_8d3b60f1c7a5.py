"""Polls: questions, what can be answered, and votes.

Must not lock a table for long, and must leave the running code of the version before it working: only new
tables.
"""

import sqlalchemy as sa
from alembic import op

revision = "8d3b60f1c7a5"
down_revision = "c4d2a97e1b60"
branch_labels = None
depends_on = None

NOW = sa.text("clock_timestamp()")


def _moment(name, **options):
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, **options)


def upgrade():
    op.create_table(
        "poll",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=255), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by_id", sa.Integer(), nullable=True),
        _moment("start_date"),
        _moment("end_date"),
        _moment("created_on", server_default=NOW),
        _moment("modified", server_default=NOW),
        sa.CheckConstraint("end_date > start_date", name=op.f("ck_poll_period")),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["user_account.id"],
            name=op.f("fk_poll_created_by_id_user_account"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_poll")),
    )
    op.create_index(op.f("ix_poll_created_by_id"), "poll", ["created_by_id"], unique=False)
    op.create_index("ix_poll_start_date", "poll", ["start_date", "id"], unique=False)
    op.create_table(
        "poll_choice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("poll_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(length=255), nullable=False),
        sa.Column("order", sa.Integer(), server_default="0", nullable=False),
        sa.CheckConstraint('"order" >= 0', name=op.f("ck_poll_choice_order_range")),
        sa.ForeignKeyConstraint(
            ["poll_id"], ["poll.id"], name=op.f("fk_poll_choice_poll_id_poll"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_poll_choice")),
        sa.UniqueConstraint("poll_id", "id", name="uq_poll_choice_poll_id_id"),
    )
    op.create_table(
        "poll_vote",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("poll_id", sa.Integer(), nullable=False),
        sa.Column("choice_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        _moment("voted_on", server_default=NOW),
        sa.ForeignKeyConstraint(
            ["poll_id"], ["poll.id"], name=op.f("fk_poll_vote_poll_id_poll"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["poll_id", "choice_id"],
            ["poll_choice.poll_id", "poll_choice.id"],
            name=op.f("fk_poll_vote_poll_id_choice_id_poll_choice"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_poll_vote_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_poll_vote")),
        sa.UniqueConstraint("poll_id", "user_id", name="uq_poll_vote_poll_id_user_id"),
    )
    op.create_index("ix_poll_vote_poll_id_choice_id", "poll_vote", ["poll_id", "choice_id"], unique=False)
    op.create_index(op.f("ix_poll_vote_user_id"), "poll_vote", ["user_id"], unique=False)


def downgrade():
    for table in ("poll_vote", "poll_choice", "poll"):
        op.drop_table(table)
