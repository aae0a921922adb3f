"""Which rows of a set the database has already, in a catalogue that is not empty; ids for all others.

Afterwards `db_id` and `found` of every staged row are right, every id in a staged row is the database's, and
new rows have slugs that are free.
"""

from psycopg import sql

from comicsdb.catalog import slugs
from comicsdb.exchange.fields import File
from comicsdb.exchange.format import (
    ATTRIBUTIONS,
    BY_KIND,
    BY_NAME,
    CATALOGUE,
    CREDITS,
    ISSUE_RATINGS,
    ISSUES,
    OF_ACCOUNTS,
    VARIANTS,
)
from comicsdb.exchange.run import Run
from comicsdb.models.attribution import OWNERS

# Candidates for rows of the set that are not matched by their slug; `created_on` must be the same as well.
_BY_FORMER_SLUG = (
    "SELECT s.id, t.id AS db_id FROM {staged} s JOIN former_slug f ON f.kind = {kind} AND f.slug = s.slug"
    " JOIN {table} t ON t.id = f.object_id"
)
_BY_NUMBERED_SLUG = (
    "SELECT s.id, t.id AS db_id FROM {staged} s JOIN {table} t"
    " ON left(t.slug, length(s.slug) + 1) = s.slug || '-' AND substr(t.slug, length(s.slug) + 2) ~ '^[0-9]+$'"
)
# Attributions of the database with their owners as a set names them.
ATTRIBUTED = (
    "(SELECT id, source, url, CASE "
    + " ".join(f"WHEN {kind}_id IS NOT NULL THEN '{kind}'" for kind in OWNERS)
    + " END AS entity, coalesce("
    + ", ".join(f"{kind}_id" for kind in OWNERS)
    + ") AS entity_id FROM attribution)"
)


def match(run: Run) -> None:
    """Match all files, in the order in which they point at each other."""
    for file in CATALOGUE:
        _execute(
            run,
            file,
            "UPDATE {staged} s SET db_id = t.id, found = true FROM {table} t"
            " WHERE t.slug = s.slug AND t.created_on = s.created_on",
        )
        _execute(run, file, "ANALYZE {staged}")
        for candidates in (_BY_FORMER_SLUG, _BY_NUMBERED_SLUG):
            _match_candidates(run, file, candidates)
        _number_new(run, file)
        _translate(run, file)
        _refuse_taken(run, file)
        _free_slugs(run, file)
    run.problems.stop_if_any()
    for file in (CREDITS, ISSUE_RATINGS, VARIANTS):
        _translate(run, file)
    _translate_attributions(run)
    _match_pairs(run, CREDITS, "issue_id", "creator_id")
    _match_pairs(run, ISSUE_RATINGS, "issue_id", "user_id")
    kept = not any(_moved(run, file) for file in CATALOGUE)
    for file, source, owner, content in (
        (VARIANTS, "variant", ("issue_id",), ("name", "sku", "upc")),
        (ATTRIBUTIONS, ATTRIBUTED, ("entity", "entity_id"), ("source", "url")),
    ):
        _match_content(run, file, source, (*owner, *content))
        if kept:
            _match_ids(run, file, source, owner)
    for file in (CREDITS, ISSUE_RATINGS, VARIANTS, ATTRIBUTIONS):
        _number_new(run, file)


def translate_accounts(run: Run) -> None:
    """Where only accounts have other ids than in the set: put the database's into what names them."""
    for file in (ISSUES, ISSUE_RATINGS):
        _translate(run, file)


def _execute(run: Run, file: File, statement: str, parameters=None, **more) -> None:
    """Run a statement in which {staged}, {table} and {kind} stand for those of a file."""
    names = {
        "staged": sql.Identifier(file.staged),
        "table": sql.Identifier(file.kind),
        "kind": sql.Literal(file.kind),
    }
    run.cursor.execute(sql.SQL(statement).format(**names, **more), parameters)


def _match_candidates(run: Run, file: File, candidates: str) -> None:
    """Match rows one to one; only rows of the database that no other row of the set is are taken."""
    _execute(
        run,
        file,
        "UPDATE {staged} s SET db_id = pair.db_id, found = true FROM ("
        " SELECT DISTINCT ON (db_id) id, db_id FROM ("
        "  SELECT DISTINCT ON (id) id, db_id FROM (" + candidates + " WHERE NOT s.found"
        "   AND t.created_on = s.created_on) x"
        "  WHERE NOT EXISTS (SELECT FROM {staged} o WHERE o.found AND o.db_id = x.db_id)"
        "  ORDER BY id, db_id"
        " ) y ORDER BY db_id, id"
        ") pair WHERE s.id = pair.id",
    )


def _number_new(run: Run, file: File) -> None:
    """Take a new id for every row that was not found, in the order of the set."""
    _execute(
        run,
        file,
        "UPDATE {staged} s SET db_id = n.db_id FROM ("
        " SELECT id, nextval(pg_get_serial_sequence({kind}, 'id')) AS db_id"
        " FROM (SELECT id FROM {staged} WHERE NOT found ORDER BY id) o"
        ") n WHERE s.id = n.id",
    )
    _execute(run, file, "CREATE INDEX ON {staged} (db_id)")
    _execute(run, file, "ANALYZE {staged}")


def _moved(run: Run, file: File) -> bool:
    """Whether any row of a file has another id in the database than in the set."""
    _execute(run, file, "SELECT EXISTS (SELECT FROM {staged} WHERE db_id <> id)")
    return run.cursor.fetchone()[0]


def _translate(run: Run, file: File) -> None:
    """Replace the set's ids in a file by the database's."""
    changes = []
    for field in file.pointers:
        target = BY_NAME[field.target]
        if (target in OF_ACCOUNTS and not run.accounts) or not _moved(run, target):
            continue
        one = "(SELECT x.db_id FROM {target} x WHERE x.id = s.{column})"
        many = (
            "ARRAY(SELECT x.db_id FROM unnest(s.{column}) AS u (id) JOIN {target} x ON x.id = u.id"
            " ORDER BY x.db_id)"
        )
        changes.append(
            sql.SQL("{column} = " + (many if field.link else one)).format(
                column=sql.Identifier(field.column), target=sql.Identifier(target.staged)
            )
        )
    if changes:
        _execute(run, file, "UPDATE {staged} s SET {changes}", changes=sql.SQL(", ").join(changes))


def _translate_attributions(run: Run) -> None:
    for kind in OWNERS:
        run.cursor.execute(
            sql.SQL(
                "UPDATE staged_attributions s SET entity_id = x.db_id FROM {} x"
                " WHERE s.entity = %s AND x.id = s.entity_id AND x.db_id <> x.id"
            ).format(sql.Identifier(BY_KIND[kind].staged)),
            (kind,),
        )


def _refuse_taken(run: Run, file: File) -> None:
    """Unique values that belong to other rows of the database; two rows cannot swap theirs in one run."""
    for words, columns in file.unique:
        if words == "slug":
            continue
        same = " AND ".join(f"t.{column} = s.{column}" for column in columns)
        _execute(
            run,
            file,
            "SELECT s.line, concat_ws(', ', {values}), t.id, t.slug FROM {staged} s"
            f" JOIN {{table}} t ON {same} WHERE t.id <> s.db_id ORDER BY s.line LIMIT %s",
            (run.problems.room,),
            values=sql.SQL(", ").join(sql.Identifier("s", column) for column in columns),
        )
        for line, value, owner, slug in run.cursor.fetchall():
            run.problems.add(
                file.file_name, line, words, f"{value} belongs to the {file.kind} {owner} ({slug})"
            )


def _free_slugs(run: Run, file: File) -> None:
    """Give new rows whose slug is taken the next free one."""
    _execute(
        run,
        file,
        "SELECT s.id, s.slug FROM {staged} s WHERE NOT s.found AND ("
        " EXISTS (SELECT FROM {table} t WHERE t.slug = s.slug)"
        " OR EXISTS (SELECT FROM former_slug f WHERE f.kind = {kind} AND f.slug = s.slug)) ORDER BY s.id",
    )
    for identifier, slug in run.cursor.fetchall():
        base = slug[: slugs.LENGTH - slugs.SUFFIX_ROOM]
        for candidate in slugs.candidates(run.session, file.kind, base):
            _execute(run, file, "SELECT EXISTS (SELECT FROM {staged} WHERE slug = %s)", (candidate,))
            if candidate != slug and not run.cursor.fetchone()[0]:
                break
        _execute(run, file, "UPDATE {staged} SET slug = %s WHERE id = %s", (candidate, identifier))


def _match_pairs(run: Run, file: File, one: str, other: str) -> None:
    """Rows that a pair of ids identifies."""
    _execute(
        run,
        file,
        "UPDATE {staged} s SET db_id = t.id, found = true FROM {table} t"
        f" WHERE t.{one} = s.{one} AND t.{other} = s.{other}",
    )


def _match_content(run: Run, file: File, source: str, columns: tuple[str, ...]) -> None:
    """Parts of the same owner and content, one to one in the order of their ids."""

    def listed(alias: str) -> str:
        return ", ".join(f"{alias}.{column}" for column in columns)

    same = " AND ".join(f"b.{column} = a.{column}" for column in columns)
    _execute(
        run,
        file,
        "UPDATE {staged} s SET db_id = b.id, found = true FROM"
        f" (SELECT x.id, {listed('x')}, row_number() OVER (PARTITION BY {listed('x')} ORDER BY x.id) AS place"
        " FROM {staged} x) a"
        f" JOIN (SELECT t.id, {listed('t')}, row_number() OVER (PARTITION BY {listed('t')} ORDER BY t.id)"
        f" AS place FROM {source} t) b ON b.place = a.place AND {same} WHERE s.id = a.id",
    )


def _match_ids(run: Run, file: File, source: str, owner: tuple[str, ...]) -> None:
    """Parts of the same owner and id; only good where the catalogue has the set's own ids."""
    same = " AND ".join(f"t.{column} = s.{column}" for column in owner)
    _execute(
        run,
        file,
        f"UPDATE {{staged}} s SET found = true FROM {source} t WHERE NOT s.found AND t.id = s.id"
        f" AND {same} AND NOT EXISTS (SELECT FROM {{staged}} o WHERE o.found AND o.db_id = t.id)",
    )
