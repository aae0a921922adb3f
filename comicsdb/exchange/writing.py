"""Storing the rows that the database does not have yet, file by file, and the figures kept with them.

Stamps are the set's own. What rows keep of others is computed with them, not afterwards: the second stamp of
an object with an issue list is the greatest `modified` of its issues and its own, and stars are counted and
summed.
"""

from psycopg import sql

from comicsdb.exchange.fields import Field, File
from comicsdb.exchange.format import ATTRIBUTIONS, CATALOGUE, CREDITS, ISSUE_RATINGS, VARIANTS
from comicsdb.exchange.run import Run
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import SYSTEM_USER_ID

AUTHORS = ("created_by_id", "edited_by_id")
# Per file: further columns with their expressions over the staged row s, and the joins they need.
_LISTED = """LEFT JOIN (
    SELECT u.id, max(i.modified) AS latest FROM staged_issues i, unnest(i.{}) AS u (id) GROUP BY u.id
) listed ON listed.id = s.db_id"""
_OUT = "coalesce(i.store_date <= {today}, true)"
_STARS = "count(*) AS number, sum(r.rating) AS total, max(r.created_on) AS latest"
_COUNTED = f"staged_issue_ratings r JOIN staged_issues i ON i.db_id = r.issue_id WHERE {_OUT}"
_NAMED = {"name_changed": "s.modified"}
_SHOWN = {"issues_modified": "greatest(s.modified, listed.latest)"}
_RATED = {
    "rating_count": "coalesce(stars.number, 0)",
    "rating_sum": "coalesce(stars.total, 0)",
    "rated": "stars.latest",
}
DERIVED: dict[str, tuple[dict[str, str], str]] = {
    "universes": (_NAMED, ""),
    "creators": (_NAMED, ""),
    "teams": ({**_NAMED, **_SHOWN}, _LISTED.format("team_ids")),
    "characters": ({**_NAMED, **_SHOWN}, _LISTED.format("character_ids")),
    "arcs": ({**_NAMED, **_SHOWN}, _LISTED.format("arc_ids")),
    "series": (
        {**_SHOWN, **_RATED},
        f"""LEFT JOIN (SELECT series_id AS id, max(modified) AS latest FROM staged_issues GROUP BY series_id)
            listed ON listed.id = s.db_id
        LEFT JOIN (
            SELECT i.series_id AS id, {_STARS} FROM {_COUNTED} GROUP BY i.series_id
        ) stars ON stars.id = s.db_id""",
    ),
    "issues": (
        _RATED,
        f"""LEFT JOIN (SELECT r.issue_id AS id, {_STARS} FROM {_COUNTED} GROUP BY r.issue_id)
            stars ON stars.id = s.db_id""",
    ),
    "credits": ({"modified": "i.modified"}, "JOIN staged_issues i ON i.db_id = s.issue_id"),
    "issue_ratings": (
        {"modified": "s.created_on", "counted": _OUT},
        "JOIN staged_issues i ON i.db_id = s.issue_id",
    ),
}


def write_new(run: Run) -> None:
    """Insert every staged row that was not found, then its links."""
    for file in (*CATALOGUE, CREDITS, VARIANTS):
        run.progress.step(f"storing {file.name}")
        _insert(run, file)
        for field in file.links:
            _link(run, file, field)
    _insert_attributions(run)
    _insert(run, ISSUE_RATINGS)


def _insert(run: Run, file: File) -> None:
    derived, joins = DERIVED.get(file.name, ({}, ""))
    own, today = file.columns, sql.Literal(run.today)
    statement = sql.SQL(
        "INSERT INTO {} (id, {}) SELECT s.db_id, {} FROM {} s {} WHERE NOT s.found ORDER BY s.db_id"
    ).format(
        sql.Identifier(file.kind),
        sql.SQL(", ").join(sql.Identifier(name) for name in (*own, *derived)),
        sql.SQL(", ").join(
            [
                *(_value(run, name) for name in own),
                *(sql.SQL(each).format(today=today) for each in derived.values()),
            ]
        ),
        sql.Identifier(file.staged),
        sql.SQL(joins).format(today=today),
    )
    run.cursor.execute(statement)
    run.report.count(file.name, "new", run.cursor.rowcount)
    set_sequence(run, file)


def _value(run: Run, column: str) -> sql.Composable:
    """The expression for a column; without accounts everything is the system account's."""
    if column in AUTHORS and not run.accounts:
        return sql.Literal(SYSTEM_USER_ID)
    return sql.Identifier("s", column)


def _link(run: Run, file: File, field: Field) -> None:
    """Insert the links of new rows; of a symmetric link both directions."""
    link = field.link
    pairs = "SELECT s.db_id, u.id FROM {staged} s, unnest(s.{column}) AS u (id) WHERE NOT s.found"
    if link.symmetric:
        pairs += " UNION SELECT u.id, s.db_id FROM {staged} s, unnest(s.{column}) AS u (id) WHERE NOT s.found"
    run.cursor.execute(
        sql.SQL(
            "INSERT INTO {table} ({own}, {other}) " + pairs + " ORDER BY 1, 2 ON CONFLICT DO NOTHING"
        ).format(
            table=sql.Identifier(link.table.name),
            own=sql.Identifier(link.own),
            other=sql.Identifier(link.other),
            staged=sql.Identifier(file.staged),
            column=sql.Identifier(field.column),
        )
    )


def _insert_attributions(run: Run) -> None:
    owners = ", ".join(f"{kind}_id" for kind in OWNERS)
    values = ", ".join(f"CASE WHEN entity = '{kind}' THEN entity_id END" for kind in OWNERS)
    run.cursor.execute(
        f"INSERT INTO attribution (id, source, url, {owners})"
        f" SELECT db_id, source, url, {values} FROM staged_attributions WHERE NOT found ORDER BY db_id"
    )
    run.report.count(ATTRIBUTIONS.name, "new", run.cursor.rowcount)
    set_sequence(run, ATTRIBUTIONS)


def set_sequence(run: Run, file: File) -> None:
    """Let the next id follow the greatest one, if ids were given rather than taken from the sequence."""
    if run.fresh:
        run.cursor.execute(
            f"SELECT setval(pg_get_serial_sequence('{file.kind}', 'id'), max(id)) FROM {file.kind}"
            " HAVING max(id) IS NOT NULL"
        )
