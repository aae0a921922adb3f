"""The perceptual hashes of pictures, and by which row a picture is named."""

import sqlalchemy as sa
from alembic import op

revision = "9e3b5c7f1a20"
down_revision = "b3e50c7f92d4"
branch_labels = None
depends_on = None

HASHES = ("phash", "dhash", "early_dhash", "ahash")


def upgrade():
    op.create_table(
        "picture_hash",
        sa.Column("picture", sa.String(length=100), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in HASHES),
        sa.PrimaryKeyConstraint("picture", name=op.f("pk_picture_hash")),
    )
    for name in HASHES:
        for shift in (48, 32, 16, 0):
            op.execute(
                f"CREATE INDEX ix_picture_hash_{name}_{shift} ON picture_hash"
                f" (((({name} >> {shift}) & 65535)::integer))"
            )
    op.create_index(op.f("ix_issue_image"), "issue", ["image"], postgresql_using="hash")
    op.create_index(op.f("ix_variant_image"), "variant", ["image"], postgresql_using="hash")


def downgrade():
    op.drop_index(op.f("ix_variant_image"), "variant")
    op.drop_index(op.f("ix_issue_image"), "issue")
    op.drop_table("picture_hash")
