"""The stamps of many objects move in pieces, after the change that they tell of."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "b3e50c7f92d4"
down_revision = "4c7a90d1e2b8"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "late_stamps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("ids", postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_late_stamps")),
    )


def downgrade():
    """Move the stamps that are still to move."""
    for kind in op.get_bind().scalars(sa.text("SELECT DISTINCT kind FROM late_stamps")).all():
        op.execute(
            f"UPDATE {kind} SET modified_before = modified,"
            " modified = greatest(clock_timestamp(), modified + interval '1 microsecond')"
            f" WHERE id IN (SELECT unnest(ids) FROM late_stamps WHERE kind = '{kind}')"
        )
    op.drop_table("late_stamps")
