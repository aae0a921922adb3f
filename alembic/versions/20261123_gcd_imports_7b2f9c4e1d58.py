"""How far imports of the Grand Comics Database have come."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "7b2f9c4e1d58"
down_revision = "1c8b5d3f7a96"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "gcd_import",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("file", sa.String(255), server_default="", nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("choices", postgresql.JSONB(), nullable=False),
        sa.Column("phase", sa.String(20), nullable=False),
        sa.Column("position", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("reported", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("counts", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.Column(
            "begun",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gcd_import")),
    )
    op.create_index("ix_gcd_import_begun", "gcd_import", ["begun", "id"])


def downgrade():
    op.drop_table("gcd_import")
