"""Universes without a publisher, still unique by name and designation."""

from alembic import op

revision = "9f4a2c6e8b15"
down_revision = "6c2d8f1b4e73"
branch_labels = None
depends_on = None

UNIQUE = "uq_universe_publisher_id_name_designation"
COLUMNS = ["publisher_id", "name", "designation"]


def upgrade():
    op.execute("SET LOCAL lock_timeout = '2s'")
    op.alter_column("universe", "publisher_id", nullable=True)
    op.drop_index(UNIQUE, "universe")
    op.create_index(UNIQUE, "universe", COLUMNS, unique=True, postgresql_nulls_not_distinct=True)


def downgrade():
    op.drop_index(UNIQUE, "universe")
    op.create_index(UNIQUE, "universe", COLUMNS, unique=True)
    # Fails where universes have no publisher: give them one first.
    op.alter_column("universe", "publisher_id", nullable=False)
