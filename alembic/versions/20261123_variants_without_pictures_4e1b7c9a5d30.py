"""Variants without a picture."""

from alembic import op

revision = "4e1b7c9a5d30"
down_revision = "7b2f9c4e1d58"
branch_labels = None
depends_on = None


def upgrade():
    op.execute("SET LOCAL lock_timeout = '2s'")
    op.drop_constraint(op.f("ck_variant_image_required"), "variant")


def downgrade():
    # Those without a picture stay as they are.
    op.execute("ALTER TABLE variant ADD CONSTRAINT ck_variant_image_required CHECK (image <> '') NOT VALID")
