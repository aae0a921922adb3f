"""Files of readers that wait for their confirmation.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "c4d2a97e1b60"
down_revision = "56eeae035b7f"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "library_import",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_library_import_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_library_import")),
    )
    op.create_index(op.f("ix_library_import_user_id"), "library_import", ["user_id"], unique=False)


def downgrade():
    op.drop_table("library_import")
