"""Small imports have their rows in the table of rows, as large ones do.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

from alembic import op

revision = "a7d31f5e9c08"
down_revision = "a83f16d0c5e2"
branch_labels = None
depends_on = None


def upgrade():
    # At most three for each account, none older than a day.
    op.execute("""
        INSERT INTO library_import_row (
            import_id, index, part, line, list_index, series, says, wanted, "values", unclear,
            state, match_id, candidates, reason
        )
        SELECT i.id, r.place - 1, r.row ->> 'part', (r.row ->> 'line')::integer, (r.row ->> 'list')::integer,
            concat_ws(' ', coalesce(nullif(r.row #>> '{wanted,series}', ''), '?'),
                '(' || (r.row #>> '{wanted,year}') || ')'),
            r.row ->> 'says', r.row -> 'wanted', r.row -> 'values', r.row -> 'unclear',
            r.row #>> '{match,state}', (r.row #>> '{match,id}')::integer,
            ARRAY(SELECT c.id::integer FROM jsonb_array_elements_text(r.row #> '{match,candidates}') AS c (id)),
            r.row #>> '{match,reason}'
        FROM library_import i
        CROSS JOIN jsonb_array_elements(i.payload -> 'rows') WITH ORDINALITY AS r (row, place)
        WHERE r.row ? 'wanted'
    """)
    op.execute("""
        UPDATE library_import SET total = jsonb_array_length(payload -> 'rows'), payload = payload - 'rows'
        WHERE payload ? 'rows'
    """)


def downgrade():
    """The code of the version before reads them as large imports."""
