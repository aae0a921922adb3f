"""Readers' writes wait for nobody, and large merges and deletions are done in pieces.

The epoch has eight rows, and the functions that lock rows (`alembic/readers/`) lock them less strictly.
"""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "4c7a90d1e2b8"
down_revision = "8d2f6a419be0"
branch_labels = None
depends_on = None

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = (ROOT / "readers" / "functions.sql", ROOT / "rate_limits" / "functions.sql")


def upgrade():
    op.drop_constraint(op.f("ck_epoch_single"), "epoch", type_="check")
    op.execute(
        "INSERT INTO epoch SELECT n, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
        " FROM generate_series(2, 8) AS n"
    )
    op.create_table(
        "unfinished_act",
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("object_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(length=100), server_default="", nullable=False),
        sa.Column("survivor_id", sa.Integer(), nullable=True),
        sa.Column("audited", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_unfinished_act_user_id_user_account"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("kind", "object_id", name=op.f("pk_unfinished_act")),
    )
    op.create_index(op.f("ix_unfinished_act_user_id"), "unfinished_act", ["user_id"], unique=False)
    for file in FUNCTIONS:
        op.get_bind().exec_driver_sql(file.read_text("utf-8"), execution_options={"no_parameters": True})


def downgrade():
    """Remove the table and the rows; the functions, which work without them, stay."""
    op.drop_table("unfinished_act")
    op.execute("DELETE FROM epoch WHERE id > 1")
    op.create_check_constraint(op.f("ck_epoch_single"), "epoch", "id = 1")
