"""Large files of readers are imported in the background, row by row."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2e8c5a17d9f4"
down_revision = "6d3b9f27c1a5"
branch_labels = None
depends_on = None


def upgrade():
    for column in (
        sa.Column("state", sa.String(length=10), server_default="review", nullable=False),
        sa.Column("file", sa.LargeBinary(), nullable=True),
        sa.Column("progress", sa.Integer(), server_default="0", nullable=False),
        sa.Column("total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("counted", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.Column("act_id", sa.BigInteger(), nullable=True),
    ):
        op.add_column("library_import", column)
    op.create_foreign_key(
        op.f("fk_library_import_act_id_library_act"),
        "library_import",
        "library_act",
        ["act_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.create_index(op.f("ix_library_import_act_id"), "library_import", ["act_id"], unique=False)
    op.create_table(
        "library_import_row",
        sa.Column("import_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("part", sa.String(length=20), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("list_index", sa.Integer(), nullable=True),
        sa.Column("series", sa.Text(), server_default="", nullable=False),
        sa.Column("says", sa.Text(), server_default="", nullable=False),
        sa.Column("wanted", postgresql.JSONB(), nullable=False),
        sa.Column("values", postgresql.JSONB(), nullable=False),
        sa.Column("state", sa.String(length=10), server_default="", nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.Column("candidates", postgresql.ARRAY(sa.Integer()), server_default="{}", nullable=False),
        sa.Column("reason", sa.String(length=20), server_default="", nullable=False),
        sa.Column("stored", sa.Boolean(), server_default="false", nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"],
            ["library_import.id"],
            name=op.f("fk_library_import_row_import_id_library_import"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("import_id", "index", name=op.f("pk_library_import_row")),
    )
    op.create_index("ix_library_import_row_left", "library_import_row", ["import_id", "part", "match_id"])


def downgrade():
    op.drop_table("library_import_row")
    for column in ("state", "file", "progress", "total", "counted", "act_id"):
        op.drop_column("library_import", column)
