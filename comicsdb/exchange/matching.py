"""Matches the rows of a set with existing rows of the catalog; all others get new ids.

Afterwards `db_id` and `found` of all staged rows are set, their references are ids of the database, and new
rows have unused slugs.
"""

from collections.abc import Callable, Iterable
from itertools import product

from comicsdb.catalog import slugs
from comicsdb.exchange import staging
from comicsdb.exchange.format import (
    ATTRIBUTIONS,
    BY_KIND,
    BY_NAME,
    CATALOG,
    CREDITS,
    EXTERNAL_IDS,
    ISSUE_RATINGS,
    ISSUES,
    OF_ACCOUNTS,
    OWNED,
    OWNED_ROWS,
    VARIANTS,
    File,
)
from comicsdb.exchange.run import ImportRun
from comicsdb.models.attribution import OWNERS

# Candidates for rows that have no match by slug; `created_on` must be equal as well.
_BY_FORMER_SLUG = (
    "SELECT s.id, t.id AS db_id FROM {staged} s JOIN former_slug f ON f.kind = '{table}' AND f.slug = s.slug"
    " JOIN {table} t ON t.id = f.object_id"
)
_BY_NUMBERED_SLUG = (
    "SELECT s.id, t.id AS db_id FROM {staged} s JOIN {table} t"
    " ON left(t.slug, length(s.slug) + 1) = s.slug || '-' AND substr(t.slug, length(s.slug) + 2) ~ '^[0-9]+$'"
)


def match(run: ImportRun) -> None:
    """Match all files, each after those that it refers to."""
    for file in CATALOG:
        run.cursor.execute(
            f"UPDATE {file.staged} s SET db_id = t.id, found = true FROM {file.kind} t"
            " WHERE t.slug = s.slug AND t.created_on = s.created_on"
        )
        run.cursor.execute(f"ANALYZE {file.staged}")
        for candidates in (_BY_FORMER_SLUG, _BY_NUMBERED_SLUG):
            _match_candidates(run, file, candidates.format(staged=file.staged, table=file.kind))
        assign_ids(run, file)
        map_references(run, file)
        _report_taken(run, file)
        free_slugs(run, file, lambda slug, _id, kind=file.kind: _numbered_slugs(run, kind, slug))
    run.problems.stop_if_any()
    for file in (CREDITS, ISSUE_RATINGS, VARIANTS):
        map_references(run, file)
    for file, kind in product(OWNED, OWNERS):
        run.cursor.execute(
            f"UPDATE {file.staged} s SET entity_id = x.db_id FROM {BY_KIND[kind].staged} x"
            f" WHERE s.entity = '{kind}' AND x.id = s.entity_id AND x.db_id <> x.id"
        )
    for file in (CREDITS, ISSUE_RATINGS):
        match_columns(run, file)
    kept = not any(_ids_differ(run, file) for file in CATALOG)
    for file, owner, content in (
        (VARIANTS, ("issue_id",), ("name", "sku", "upc")),
        (ATTRIBUTIONS, ("entity", "entity_id"), ("source", "url")),
        (EXTERNAL_IDS, ("entity", "entity_id"), ("source", "external_id", "scope")),
    ):
        source = OWNED_ROWS.get(file, file.kind)
        _match_content(run, file, source, (*owner, *content))
        if kept:
            _match_ids(run, file, source, owner)
    for file in (CREDITS, ISSUE_RATINGS, VARIANTS, *OWNED):
        assign_ids(run, file)


def map_account_references(run: ImportRun) -> None:
    """Map references to accounts, whose ids are the only ones that can change in an empty catalog."""
    for file in (ISSUES, ISSUE_RATINGS):
        map_references(run, file)


def _match_candidates(run: ImportRun, file: File, candidates: str) -> None:
    """Match rows one to one with candidates that are not matched yet."""
    run.cursor.execute(
        f"UPDATE {file.staged} s SET db_id = pair.db_id, found = true FROM ("
        " SELECT DISTINCT ON (db_id) id, db_id FROM ("
        f"  SELECT DISTINCT ON (id) id, db_id FROM ({candidates} WHERE NOT s.found"
        "   AND t.created_on = s.created_on) x"
        f"  WHERE NOT EXISTS (SELECT FROM {file.staged} o WHERE o.found AND o.db_id = x.db_id)"
        "  ORDER BY id, db_id"
        " ) y ORDER BY db_id, id"
        ") pair WHERE s.id = pair.id"
    )


def match_columns(run: ImportRun, file: File, source: str = "") -> None:
    """Match rows by the columns that identify them (`File.match`), in the file's table or in `source`."""
    columns = file.model.__table__.columns
    nullable = [each for each in file.match if each in columns and columns[each].nullable]
    same = " AND ".join(
        f"t.{each} {'IS NOT DISTINCT FROM' if each in nullable else '='} s.{each}" for each in file.match
    )
    run.cursor.execute(
        f"UPDATE {file.staged} s SET db_id = t.id, found = true FROM {source or file.kind} t WHERE {same}"
    )


def assign_ids(run: ImportRun, file: File, condition: str = "NOT found") -> None:
    """Assign new ids to the rows that were not found, in the order of the set."""
    run.cursor.execute(
        f"UPDATE {file.staged} s SET db_id = n.db_id FROM ("
        f" SELECT place, nextval(pg_get_serial_sequence('{file.kind}', 'id')) AS db_id"
        f" FROM (SELECT ctid AS place FROM {file.staged} WHERE {condition} ORDER BY id, line, ctid) o"
        ") n WHERE s.ctid = n.place"
    )
    run.cursor.execute(f"CREATE INDEX ON {file.staged} (db_id); ANALYZE {file.staged}")


def _ids_differ(run: ImportRun, file: File) -> bool:
    """Whether any row of a file has another id in the database than in the set."""
    [(moved,)] = run.rows(f"SELECT EXISTS (SELECT FROM {file.staged} WHERE db_id <> id)")
    return moved


def map_references(run: ImportRun, file: File) -> None:
    """Replace the references of a file with ids of the database."""
    changes = []
    for field in file.reference_fields:
        target, column = BY_NAME[field.target], field.column
        if (target in OF_ACCOUNTS and not run.accounts) or not _ids_differ(run, target):
            continue
        value = f"(SELECT x.db_id FROM {target.staged} x WHERE x.id = s.{column})"
        if field.link:
            value = (
                f"ARRAY(SELECT x.db_id FROM unnest(s.{column}) AS u (id) JOIN {target.staged} x"
                " ON x.id = u.id ORDER BY x.db_id)"
            )
        changes.append(f"{column} = {value}")
    if changes:
        run.cursor.execute(f"UPDATE {file.staged} s SET {', '.join(changes)}")


def _report_taken(run: ImportRun, file: File) -> None:
    """Report unique values that belong to other existing rows; rows cannot swap values in one import."""
    for words, columns in file.unique:
        if words == "slug":
            continue
        pairs = [(f"t.{column}", f"s.{column}") for column in columns if column != "number_key(number)"]
        if len(pairs) < len(columns):
            pairs.append(("t.number_key", "number_key(s.number)"))
        same = " AND ".join(f"{there} = {here}" for there, here in pairs)
        values = ", ".join(here for _there, here in pairs)
        staging.report(
            run.problems,
            run.cursor,
            (file.file_name, words),
            f"{{1}} belongs to the {file.kind} {{2}} ({{3}})",
            f"SELECT s.line, concat_ws(', ', {values}), t.id, t.slug FROM {file.staged} s"
            f" JOIN {file.kind} t ON {same} WHERE t.id <> s.db_id",
        )


def _numbered_slugs(run: ImportRun, kind: str, slug: str) -> Iterable[str]:
    """Unused slugs: the slug with a number appended."""
    base = slug[: slugs.LENGTH - slugs.SUFFIX_ROOM]
    return (each for each in slugs.candidates(run.session, kind, base) if each != slug)


def free_slugs(run: ImportRun, file: File, candidates: Callable[[str, int], Iterable[str]]) -> None:
    """Give each new row whose slug is taken the first candidate that no row of the set has."""
    taken = run.rows(
        f"SELECT s.id, s.slug FROM {file.staged} s WHERE NOT s.found AND ("
        f" EXISTS (SELECT FROM {file.kind} t WHERE t.slug = s.slug) OR EXISTS (SELECT FROM former_slug f"
        f" WHERE f.kind = '{file.kind}' AND f.slug = s.slug)) ORDER BY s.id"
    )
    for identifier, slug in taken:
        for candidate in candidates(slug, identifier):
            if not run.rows(f"SELECT FROM {file.staged} WHERE slug = %s", candidate):
                break
        run.cursor.execute(f"UPDATE {file.staged} SET slug = %s WHERE id = %s", (candidate, identifier))


def _match_content(run: ImportRun, file: File, source: str, columns: tuple[str, ...]) -> None:
    """Match parts with the same owner and content, one to one in the order of their ids."""

    def listed(alias: str) -> str:
        return ", ".join(f"{alias}.{column}" for column in columns)

    def placed(alias: str, rows: str) -> str:
        place = f"row_number() OVER (PARTITION BY {listed(alias)} ORDER BY {alias}.id) AS place"
        return f"(SELECT {alias}.id, {listed(alias)}, {place} FROM {rows} {alias})"

    same = " AND ".join(f"b.{column} = a.{column}" for column in columns)
    run.cursor.execute(
        f"UPDATE {file.staged} s SET db_id = b.id, found = true FROM {placed('x', file.staged)} a"
        f" JOIN {placed('t', source)} b ON b.place = a.place AND {same} WHERE s.id = a.id"
    )


def _match_ids(run: ImportRun, file: File, source: str, owner: tuple[str, ...]) -> None:
    """Match parts with the same owner and id; valid only if the catalog has the ids of the set."""
    same = " AND ".join(f"t.{column} = s.{column}" for column in owner)
    run.cursor.execute(
        f"UPDATE {file.staged} s SET found = true FROM {source} t WHERE NOT s.found AND t.id = s.id"
        f" AND {same} AND NOT EXISTS (SELECT FROM {file.staged} o WHERE o.found AND o.db_id = t.id)"
    )
