"""Indexes of names as searches compare them, instead of those of names without their articles.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

from alembic import op

revision = "6b1f84d0e357"
down_revision = "3e7a91c4d028"
branch_labels = None
depends_on = None

# The kinds, each with the column of other names and its folded form.
KINDS = {
    "publisher": ("alt_names", "alt_folded"),
    "imprint": None,
    "universe": ("designation", "designation_folded"),
    "creator": ("alias", "alias_folded"),
    "team": None,
    "character": ("alias", "alias_folded"),
    "arc": None,
    "series": ("alt_names", "alt_folded"),
}


def _indexes():
    trigrams = "INDEX {name} ON {table} USING gin (name_key({column}) gin_trgm_ops)"
    yield "ix_reading_list_folded_key_trgm", "reading_list", trigrams, {"column": "folded"}
    for table, other in KINDS.items():
        names = 'ARRAY[name COLLATE "default"]'
        if other:
            names += f" || {other[0]}"
            yield f"ix_{table}_{other[1]}_key_trgm", table, trigrams, {"column": other[1]}
        yield f"ix_{table}_folded_key_trgm", table, trigrams, {"column": "folded"}
        yield f"ix_{table}_key", table, "INDEX {name} ON {table} (name_key(folded))", {}
        yield f"ix_{table}_near", table, f"INDEX {{name}} ON {{table}} USING gin (near_keys({names}))", {}


def upgrade():
    with op.get_context().autocommit_block():
        for name, table, definition, values in _indexes():
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            statement = definition.format(name=name, table=f'"{table}"', **values)
            op.execute(f"CREATE {statement.replace('INDEX', 'INDEX CONCURRENTLY', 1)}")
        for table in KINDS:  # the function without_article stays for the version before
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS ix_{table}_search")


def downgrade():
    for name, table, *_ in _indexes():
        op.drop_index(name, table)
    for table in KINDS:
        op.execute(f'CREATE INDEX ix_{table}_search ON "{table}" (without_article(folded), name, id)')
