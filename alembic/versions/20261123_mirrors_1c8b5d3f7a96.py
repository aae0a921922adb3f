"""What a mirror knows of its origin and has received from it."""

import sqlalchemy as sa
from alembic import op

revision = "1c8b5d3f7a96"
down_revision = "8e3c6a1b5d94"
branch_labels = None
depends_on = None


def _now(name: str) -> sa.Column:
    return sa.Column(
        name, sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
    )


def upgrade():
    op.create_table(
        "mirror",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("origin", sa.String(500), nullable=False),
        sa.Column("public_key", sa.String(200), nullable=False),
        sa.Column("epoch", sa.String(40), nullable=False),
        sa.Column("after", sa.BigInteger(), nullable=False),
        sa.Column("touched", sa.String(100), nullable=False),
        _now("loaded"),
        _now("current"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mirror")),
    )
    op.create_table(
        "received_state",
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("object_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "object_id", name=op.f("pk_received_state")),
    )
    op.create_table(
        "received_line",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("line", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_received_line")),
    )


def downgrade():
    for table in ("received_line", "received_state", "mirror"):
        op.drop_table(table)
