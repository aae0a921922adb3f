"""A reader's own tags of items of the collection."""

import sqlalchemy as sa
from alembic import op

revision = "c3f5a8017d2e"
down_revision = "2f8d6b1e90c4"
branch_labels = None
depends_on = None

COLUMN = sa.Column("tags", sa.ARRAY(sa.String(length=50)), server_default="{}", nullable=False)


def upgrade():
    op.add_column("collection_item", COLUMN)


def downgrade():
    op.drop_column("collection_item", "tags")
