"""Acts whose undo was asked for, to be undone in the background."""

import sqlalchemy as sa
from alembic import op

revision = "8e3c6a1b5d94"
down_revision = "2b9d5f8e3a71"
branch_labels = None
depends_on = None

TABLE = "library_act"


def upgrade():
    op.add_column(TABLE, sa.Column("undo_asked", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_library_act_undo_asked", TABLE, ["undo_asked"], postgresql_where=sa.text("undo_asked IS NOT NULL")
    )


def downgrade():
    op.drop_column(TABLE, "undo_asked")
