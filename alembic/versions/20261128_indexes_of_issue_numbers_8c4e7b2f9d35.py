"""Indexes for the keys of numbers and the order of issues, instead of those for numbers in upper case.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

from alembic import op

revision = "8c4e7b2f9d35"
down_revision = "5a0f3c8e1d62"
branch_labels = None
depends_on = None

FORMER = ("ix_issue_series_id_number_upper", "ix_issue_number_upper", "ix_issue_alt_number_upper")
INDEXES = {
    "uq_issue_series_id_number_key": "UNIQUE INDEX {name} ON issue (series_id, number_key)",
    "ix_issue_series_id_series_order": "INDEX {name} ON issue (series_id, series_order, id)",
    "ix_issue_number_key": "INDEX {name} ON issue (number_key)",
    "ix_issue_alt_number_key": "INDEX {name} ON issue (number_key(alt_number))",
}


def upgrade():
    with op.get_context().autocommit_block():
        for name, definition in INDEXES.items():
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            op.execute(f"CREATE {definition.format(name=name).replace('INDEX', 'INDEX CONCURRENTLY', 1)}")
        for name in FORMER:
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        op.execute("SET lock_timeout = '2s'")
        op.execute("ALTER TABLE issue DROP CONSTRAINT IF EXISTS uq_issue_series_id_number")
        op.execute("RESET lock_timeout")


def downgrade():
    for name in INDEXES:
        op.drop_index(name, "issue")
    op.create_unique_constraint("uq_issue_series_id_number", "issue", ["series_id", "number"])
    op.execute(
        'CREATE INDEX ix_issue_series_id_number_upper ON issue (series_id, upper(number COLLATE "default"))'
    )
    op.execute('CREATE INDEX ix_issue_number_upper ON issue (upper(number COLLATE "default"))')
    op.execute("CREATE INDEX ix_issue_alt_number_upper ON issue (upper(alt_number))")
