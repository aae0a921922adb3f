"""Likes of reading lists, and which list another one was copied from."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "9d4e7b1c30f5"
down_revision = "c3f5a8017d2e"
branch_labels = None
depends_on = None

FUNCTIONS = Path(__file__).resolve().parent.parent / "reading_lists" / "functions.sql"
DERIVED = "'modified', 'modified_before', 'rated', 'rated_before', 'rating_count', 'rating_sum'"


def upgrade():
    op.add_column("reading_list", sa.Column("forked_from_id", sa.Integer(), nullable=True))
    op.add_column("reading_list", sa.Column("like_count", sa.Integer(), server_default="0", nullable=False))
    op.create_foreign_key(
        op.f("fk_reading_list_forked_from_id_reading_list"),
        "reading_list",
        "reading_list",
        ["forked_from_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.create_index(op.f("ix_reading_list_forked_from_id"), "reading_list", ["forked_from_id"], unique=False)
    op.create_index(
        "ix_reading_list_likes", "reading_list", [sa.text("like_count DESC"), "folded", "id"], unique=False
    )
    op.create_table(
        "reading_list_like",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("reading_list_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["reading_list_id"],
            ["reading_list.id"],
            name=op.f("fk_reading_list_like_reading_list_id_reading_list"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_reading_list_like_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reading_list_like")),
        sa.UniqueConstraint(
            "reading_list_id", "user_id", name="uq_reading_list_like_reading_list_id_user_id"
        ),
    )
    op.create_index(
        "ix_reading_list_like_user_id", "reading_list_like", ["user_id", "reading_list_id"], unique=False
    )
    statements = FUNCTIONS.read_text("utf-8")
    op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})


def downgrade():
    op.execute("DELETE FROM library_change WHERE table_name = 'reading_list_like'")
    op.drop_table("reading_list_like")
    op.execute("DROP FUNCTION reading_list_is_liked()")
    for name in ("note_insert", "note_delete", "note_update"):
        op.execute(f"DROP TRIGGER {name} ON reading_list")
    op.execute(f"SELECT watch_library_table('reading_list', {DERIVED})")
    op.drop_column("reading_list", "like_count")
    op.drop_column("reading_list", "forked_from_id")
