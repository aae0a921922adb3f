"""Functions that run in most writes keep their plans."""

from alembic import op

revision = "c7e04d1a96b3"
down_revision = "b51c9e7d3a42"
branch_labels = None
depends_on = None

BODIES = {
    "begin_epoch()": """
    UPDATE epoch
    SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    WHERE id = coalesce((SELECT id FROM epoch LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED), 1)
    AND NOT EXISTS (SELECT FROM epoch WHERE xmin = pg_current_xact_id()::xid);""",
    "figure_series(ids integer[])": """
    UPDATE series s SET issue_count = f.number, last_cover_date = f.latest
    FROM (
        SELECT u.id, count(i.id) AS number, coalesce(max(i.cover_date), DATE '0001-01-01') AS latest
        FROM unnest(ids) u (id) LEFT JOIN issue i ON i.series_id = u.id
        GROUP BY u.id
    ) f
    WHERE s.id = f.id AND (s.issue_count, s.last_cover_date) IS DISTINCT FROM (f.number, f.latest);""",
}


def upgrade():
    for name, body in BODIES.items():
        _replace(name, "plpgsql", f"\nBEGIN{body}\nEND\n")


def downgrade():
    for name, body in BODIES.items():
        _replace(name, "sql", f"{body}\n")


def _replace(name: str, language: str, body: str) -> None:
    op.execute(f"CREATE OR REPLACE FUNCTION {name} RETURNS void LANGUAGE {language} AS $${body}$$")
