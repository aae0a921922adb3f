"""What accounts do to their own lists is noted, so that it can be undone."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "6d3b9f27c1a5"
down_revision = "5e0c94d1a7b3"
branch_labels = None
depends_on = None

FUNCTIONS = Path(__file__).resolve().parent.parent / "library_acts" / "functions.sql"


def upgrade():
    op.create_table(
        "library_act",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("what", sa.String(length=20), server_default="", nullable=False),
        sa.Column("about", sa.String(length=100), server_default="", nullable=False),
        sa.Column("counts", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.Column("undone", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undoes_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_library_act_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["undoes_id"],
            ["library_act.id"],
            name=op.f("fk_library_act_undoes_id_library_act"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_library_act")),
    )
    op.create_index("ix_library_act_user_id_id", "library_act", ["user_id", "id"], unique=False)
    op.create_index("ix_library_act_at", "library_act", ["at"], unique=False)
    op.create_index(op.f("ix_library_act_undoes_id"), "library_act", ["undoes_id"], unique=False)
    op.create_table(
        "library_change",
        sa.Column("act_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("table_name", sa.String(length=30), nullable=False),
        sa.Column("row_id", sa.BigInteger(), nullable=False),
        sa.Column("before", postgresql.JSONB(), nullable=True),
        sa.Column("after", postgresql.JSONB(), nullable=True),
        sa.Column("issue_id", sa.Integer(), nullable=True),
        sa.Column("series_id", sa.Integer(), nullable=True),
        sa.Column("list_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["act_id"],
            ["library_act.id"],
            name=op.f("fk_library_change_act_id_library_act"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("act_id", "id", name=op.f("pk_library_change")),
    )
    statements = FUNCTIONS.read_text("utf-8")
    op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})


def downgrade():
    op.execute("DROP FUNCTION note_library_change() CASCADE")
    op.execute("DROP FUNCTION watch_library_table(text, text[])")
    op.execute("DROP FUNCTION add_counts(jsonb, jsonb)")
    op.drop_table("library_change")
    op.drop_table("library_act")
