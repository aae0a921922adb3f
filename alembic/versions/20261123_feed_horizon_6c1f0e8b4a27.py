"""How much of the change feed has been removed is kept."""

import sqlalchemy as sa
from alembic import op

revision = "6c1f0e8b4a27"
down_revision = "9f4a2c6e8b15"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "feed_horizon",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("xid", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_horizon")),
    )
    op.execute("INSERT INTO feed_horizon (id) VALUES (1)")


def downgrade():
    op.drop_table("feed_horizon")
