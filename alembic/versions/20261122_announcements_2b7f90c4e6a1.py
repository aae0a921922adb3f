"""Whether the description of an issue is the publisher's announcement.

Must not lock a table for long, and must leave the running code of the version before it working: the column
is there at once, and states that history kept before get its value while everybody goes on.
"""

from alembic import op

revision = "2b7f90c4e6a1"
down_revision = "e6a07f3b5d18"
branch_labels = None
depends_on = None

COLUMN = "desc_is_solicitation"


def upgrade():
    op.execute(f"ALTER TABLE issue ADD COLUMN IF NOT EXISTS {COLUMN} BOOLEAN DEFAULT false NOT NULL")
    with op.get_context().autocommit_block():
        op.execute(
            f"UPDATE history SET snapshot = snapshot || jsonb_build_object('{COLUMN}', false)"
            f" WHERE kind = 'issue' AND NOT snapshot ? '{COLUMN}'"
        )


def downgrade():
    op.execute(f"UPDATE history SET snapshot = snapshot - '{COLUMN}' WHERE kind = 'issue'")
    op.drop_column("issue", COLUMN)
