"""Ids of objects in other databases, and variants by SKU."""

import sqlalchemy as sa
from alembic import op

revision = "c41d7e92b8f6"
down_revision = "1d7f4b2a8c63"
branch_labels = None
depends_on = None

OWNERS = ("arc", "character", "creator", "imprint", "issue", "publisher", "series", "team", "universe")


def upgrade():
    columns = [f"{kind}_id" for kind in OWNERS]
    op.create_table(
        "external_id",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=20), nullable=False),
        sa.Column("external_id", sa.String(length=100), nullable=False),
        sa.Column("scope", sa.String(length=20), server_default="", nullable=False),
        sa.Column("said_by_id", sa.Integer(), nullable=True),
        sa.Column(
            "said_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        *(sa.Column(column, sa.Integer(), nullable=True) for column in columns),
        sa.CheckConstraint(f"num_nonnulls({', '.join(columns)}) = 1", name=op.f("ck_external_id_one_owner")),
        sa.ForeignKeyConstraint(
            ["said_by_id"],
            ["user_account.id"],
            name=op.f("fk_external_id_said_by_id_user_account"),
            ondelete="SET NULL",
        ),
        *(
            sa.ForeignKeyConstraint(
                [f"{kind}_id"],
                [f"{kind}.id"],
                name=op.f(f"fk_external_id_{kind}_id_{kind}"),
                ondelete="CASCADE",
            )
            for kind in OWNERS
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_external_id")),
    )
    for column in columns:
        op.create_index(
            f"uq_external_id_{column}",
            "external_id",
            [column, "source", "external_id", "scope"],
            unique=True,
            postgresql_where=sa.text(f"{column} IS NOT NULL"),
        )
    op.create_index("ix_external_id_external_id_source", "external_id", ["external_id", "source"])
    op.create_index("ix_external_id_said_by_id", "external_id", ["said_by_id"])
    op.create_index("ix_variant_sku_upper", "variant", [sa.literal_column("upper(sku)")])


def downgrade():
    op.drop_index("ix_variant_sku_upper", "variant")
    op.drop_table("external_id")
