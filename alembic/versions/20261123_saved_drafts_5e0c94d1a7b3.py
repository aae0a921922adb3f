"""Drafts of forms that are being filled in, and the pictures they have."""

import sqlalchemy as sa
from alembic import op

revision = "5e0c94d1a7b3"
down_revision = "e7a4c95d2f18"
branch_labels = None
depends_on = None

KEY = "fk_picture_draft_draft_form_draft"


def upgrade():
    op.add_column("form_draft", sa.Column("form", sa.String(length=60), nullable=True))
    op.add_column("form_draft", sa.Column("object_id", sa.BigInteger(), nullable=True))
    op.add_column("picture_draft", sa.Column("draft", sa.String(length=64), nullable=True))
    op.create_foreign_key(
        op.f(KEY), "picture_draft", "form_draft", ["draft"], ["digest"], ondelete="SET NULL"
    )
    op.create_index(op.f("ix_picture_draft_draft"), "picture_draft", ["draft"])


def downgrade():
    op.drop_index(op.f("ix_picture_draft_draft"), "picture_draft")
    op.drop_constraint(op.f(KEY), "picture_draft", type_="foreignkey")
    op.drop_column("picture_draft", "draft")
    op.execute("DELETE FROM form_draft WHERE form IS NOT NULL")
    op.drop_column("form_draft", "object_id")
    op.drop_column("form_draft", "form")
