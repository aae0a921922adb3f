"""What the filters of recent changes are served by.

Must not lock a table for long, and must leave the running code of the version before it working: the indexes
are made while writers go on.
"""

from alembic import op

revision = "9c41d70b52e6"
down_revision = "5d0e7c2ab914"
branch_labels = None
depends_on = None

INDEXES = {
    "ix_change_log_kind": ["kind", "seq"],
    "ix_change_log_user": ["user_id", "seq"],
    "ix_change_log_action": ["action", "seq"],
    "ix_change_log_at": ["at", "seq"],
}
BEFORE = {"ix_change_log_user_id": ["user_id"]}


def upgrade():
    _exchange(INDEXES, BEFORE)


def downgrade():
    _exchange(BEFORE, INDEXES)


def _exchange(new: dict, old: dict) -> None:
    with op.get_context().autocommit_block():
        for name, columns in new.items():
            op.create_index(name, "change_log", columns, postgresql_concurrently=True, if_not_exists=True)
        for name in old:
            op.drop_index(name, "change_log", postgresql_concurrently=True, if_exists=True)
