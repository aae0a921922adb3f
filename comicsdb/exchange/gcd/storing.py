"""Stores the objects of a piece: new ones like those of data sets, existing ones through the catalog.

An existing object is changed field by field. Its history shows who wrote a field last: a value written by an
import is replaced, a user's value stays. If GCD has changed it too, the report lists both values.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb import clock, models
from comicsdb.catalog import slugs
from comicsdb.catalog.errors import CatalogError
from comicsdb.catalog.history.snapshots import snapshot_expression
from comicsdb.catalog.kinds import KINDS, PRECISIONS
from comicsdb.catalog.service import Catalog
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.exchange import staging
from comicsdb.exchange import storing as sets
from comicsdb.exchange.format import ATTRIBUTIONS, CATALOG, CREDITS, ISSUE_RATINGS, PARTS, VARIANTS, File
from comicsdb.exchange.gcd.mapping import Record
from comicsdb.exchange.gcd.report import Review
from comicsdb.exchange.matching import assign_ids
from comicsdb.exchange.run import ImportRun
from comicsdb.models.choices import EXTERNAL_SOURCES, AttributionSource
from comicsdb.values import partial_day_text

REASON = "Grand Comics Database"  # the reason of these changes in the history
STAGED = (*CATALOG, *PARTS, ISSUE_RATINGS)  # the files that `sets.write_new` stores
_ABSENT = object()


# New objects.


def insert(run: ImportRun, records: list[Record]) -> None:
    """Store new objects with their links, credits, variants and attributions."""
    for file in STAGED:
        staging.create_table(run.cursor, file)
    now = clock.now().isoformat()
    series = {record.object_id: record for record in records if record.kind == "series"}
    for file in CATALOG:
        listed = [record for record in records if record.kind == file.kind]
        words = {record.object_id: _words(run.session, record, series) for record in listed}
        made = _slugs(run.session, file.kind, words)
        if file.kind == "series":  # an issue's slug starts with its series' slug
            for record in listed:
                record.fields["slug"] = made[record.object_id]
        common = {"created_on": now, "modified": now}
        rows = (
            {**_columns(file, record.fields), **common, "id": each, "slug": made[each]}
            for each, record in zip(words, listed, strict=True)
        )
        _copy(run, file, rows)
    _copy(run, CREDITS, _credits(records))
    _copy(run, VARIANTS, _variants(records))
    _copy(run, ATTRIBUTIONS, _attributions(records))
    for file in (CREDITS, VARIANTS, ATTRIBUTIONS):
        assign_ids(run, file)
    sets.write_new(run)
    created = defaultdict(set)
    for record in records:
        created[record.kind].add(record.object_id)
    for kind, ids in created.items():
        run.unit.record_imported(kind, ids)
    _update_other_stamps(run.unit, records, created)
    staging.drop_tables(run.cursor, STAGED)


def _update_other_stamps(unit: UnitOfWork, records: list[Record], created: dict[str, set[int]]) -> None:
    """Update the stamps of existing objects that new issues belong to or link to."""
    issues = [record.fields for record in records if record.kind == "issue"]
    linked = {"series": {issue["series"] for issue in issues}}
    for kind in ("arc", "character", "team"):
        linked[kind] = {each for issue in issues for each in issue[f"{kind}s"]}
    for kind, found in linked.items():
        if others := found - created[kind]:
            unit.changes.saved[kind] |= others
            unit.changes.listing[kind] |= others


def _copy(run: ImportRun, file: File, rows: Iterable[dict]) -> None:
    """Copy rows into the staging table of a file; missing columns get their defaults."""
    columns = [name for name, _ in staging.columns(file)]
    defaults = {field.column: field.default for field in file.staged_fields}
    defaults |= {"image_path": "", "image": ""}
    names = ", ".join(f'"{name}"' for name in columns)
    with run.cursor.copy(f"COPY {file.staged} ({names}) FROM STDIN") as copy:
        for line, row in enumerate(rows, 1):
            row |= {"line": line, "db_id": row["id"]}
            copy.write_row([row.get(column, defaults.get(column)) for column in columns])
    run.cursor.execute(f"CREATE INDEX ON {file.staged} (db_id); ANALYZE {file.staged}")


def _columns(file: File, fields: dict) -> dict:
    """The columns of a staged row, from the fields of an object."""
    kind = KINDS[file.kind]
    links = {each.link.field: each.column for each in file.link_fields}
    columns = {}
    for name, value in fields.items():
        if name in kind.parents:
            columns[f"{name}_id"] = value
        elif name in links:
            columns[links[name]] = value
        elif name not in kind.parts:
            columns[name] = value
    return columns


def _credits(records: list[Record]):
    listed = [
        (record.object_id, credit)
        for record in records
        if record.kind == "issue"
        for credit in record.fields["credits"]
    ]
    for place, (issue, credit) in enumerate(listed, 1):
        yield {"id": place, "issue_id": issue, "creator_id": credit["creator"], "role_ids": credit["roles"]}


def _variants(records: list[Record]):
    listed = [
        (record.object_id, variant)
        for record in records
        if record.kind == "issue"
        for variant in record.fields["variants"]
    ]
    for place, (issue, variant) in enumerate(listed, 1):
        yield {"id": place, "issue_id": issue, **variant}


def _attributions(records: list[Record]):
    for place, record in enumerate(records, 1):
        yield {
            "id": place,
            "entity": record.kind,
            "entity_id": record.object_id,
            "source": AttributionSource.GCD.value,
            "url": EXTERNAL_SOURCES["gcd"].page(record.kind, str(record.gcd_id)),
        }


def _words(session: Session, record: Record, series: dict[int, Record]) -> str:
    """The text from which the slug of an object is made."""
    fields = record.fields
    if record.kind == "series":
        return f"{fields['name']}-{fields['year_began']}"
    if record.kind != "issue":
        return fields["name"]
    home = series.get(fields["series"])
    if home is None or "slug" not in home.fields:
        slug = session.scalar(text("SELECT slug FROM series WHERE id = :id"), {"id": fields["series"]})
        series[fields["series"]] = home = Record("series", 0, fields["series"], True, {"slug": slug})
    return f"{home.fields['slug']}-{fields['number']}"


def _slugs(session: Session, kind: str, words: dict[int, str]) -> dict[int, str]:
    """Free slugs for new objects of a kind, by their ids."""
    bases = {each: slugs.base_slug(kind, phrase, each) for each, phrase in words.items()}
    used = {*slugs.owners(session, kind, bases.values()), *slugs.reserved_words(kind)}
    made = {}
    for object_id, base in bases.items():
        slug = base
        if slug in used:
            slug = next(each for each in slugs.candidates(session, kind, base) if each not in used)
        used.add(slug)
        made[object_id] = slug
    return made


# Existing objects.


def update(
    session: Session, records: list[Record], review: Review, *, dry_run: bool = False
) -> dict[str, int]:
    """Update the fields of objects that nobody has edited; returns how many objects changed, by kind."""
    changed: dict[str, int] = defaultdict(int)
    by_kind = defaultdict(list)
    for record in records:
        by_kind[record.kind].append(record)
    for kind, listed in by_kind.items():
        present = _present(session, kind, [record.object_id for record in listed])
        differing = {}
        for record in listed:
            theirs = _state(record.fields)
            ours = _state(present[record.object_id])
            fields = [field for field in theirs if ours.get(field) != theirs[field]]
            if fields:
                differing[record.object_id] = (record, ours, theirs, fields)
        history = _history(session, kind, list(differing)) if differing else {}
        for object_id, (record, ours, theirs, fields) in differing.items():
            accepted = _accepted_fields(record, ours, theirs, fields, history[object_id], review)
            if "variants" in accepted and not _match_variants(session, record, present[object_id], review):
                accepted.remove("variants")
            if accepted and not dry_run:
                accepted = _write(session, record, accepted, review)
            changed[kind] += bool(accepted)
    return changed


def _present(session: Session, kind: str, ids: list[int]) -> dict[int, dict]:
    rows = session.execute(
        text(f"SELECT t.id, {snapshot_expression(kind)} FROM {kind} t WHERE t.id = ANY(:ids)"), {"ids": ids}
    )
    return dict(map(tuple, rows))


def _history(session: Session, kind: str, ids: list[int]) -> dict[int, list[tuple[bool, dict]]]:
    """The states of objects in order, each with a flag whether an import wrote it."""
    found = defaultdict(list)
    for object_id, ours, state in session.execute(
        text(
            "SELECT object_id, user_id IS NULL AND reason IS NOT DISTINCT FROM :reason, snapshot FROM history"
            " WHERE kind = :kind AND object_id = ANY(:ids) ORDER BY object_id, id"
        ),
        {"kind": kind, "ids": ids, "reason": REASON},
    ):
        found[object_id].append((ours, _state(state)))
    return found


def _state(fields: dict) -> dict:
    """Fields in a form that makes those of a snapshot and those of a dump comparable."""
    left_out = ("currency", *PRECISIONS, "slug", "attributions", "external_ids")
    return {name: _comparable(name, fields) for name in fields if name not in left_out}


def _comparable(name: str, fields: dict):
    value = fields[name]
    if name == "price":
        return _price(fields)
    if f"{name}_precision" in PRECISIONS:
        return partial_day_text(value, fields.get(f"{name}_precision"))
    if name == "credits":
        return sorted((credit["creator"], tuple(sorted(credit["roles"]))) for credit in value)
    if name == "variants":
        return sorted((each["name"], _price(each), each["upc"]) for each in value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list) and name not in ("name", "alias", "alt_names"):
        return sorted(value)
    return value


def _price(fields: dict) -> str:
    if fields["price"] is None:
        return ""
    return f"{Decimal(str(fields['price'])).normalize():f} {fields['currency']}"


def _accepted_fields(
    record: Record, ours: dict, theirs: dict, fields: list[str], history: list, review: Review
) -> list[str]:
    """The fields that may be changed; the others are reported if GCD has changed them as well."""
    if record.matched:
        review.add("matched", record.kind, record.gcd_id, _label(record))
        return ["gcd_id"]
    accepted = []
    for field in fields:
        imported, edited = _origin(field, history)
        if not edited:
            accepted.append(field)
        elif imported is _ABSENT or imported != theirs[field]:
            both = (ours.get(field), theirs[field])
            review.add("changed-here", record.kind, record.gcd_id, _label(record), field, *both)
    return accepted


def _origin(field: str, history: list[tuple[bool, dict]]) -> tuple[object, bool]:
    """The value that an import last wrote to a field, and whether somebody has changed it since."""
    imported, edited, before = _ABSENT, True, None
    for ours, state in history:
        if field in state and (before is None or (field in before and before[field] != state[field])):
            edited = not ours
            if ours:
                imported = state[field]
        before = state
    return imported, edited


def _label(record: Record) -> str:
    return record.fields["number"] if record.kind == "issue" else record.fields["name"]


def _write(session: Session, record: Record, accepted: list[str], review: Review) -> list[str]:
    """Write the accepted fields; a change that the catalog rejects is reported."""
    values = {field: record.fields[field] for field in accepted}
    if "price" in values:
        values["currency"] = record.fields["currency"]
    for field in KINDS[record.kind].partial_dates:
        if field in values:
            values[f"{field}_precision"] = record.fields[f"{field}_precision"]
    model = getattr(models, record.kind.capitalize())
    catalog = Catalog(session, None, REASON)
    try:
        catalog.update(catalog.get(model, record.object_id), values)
    except CatalogError as error:
        fields = ", ".join(accepted)
        review.add("failed", record.kind, record.gcd_id, _label(record), fields, there=str(error))
        return []
    return accepted


def _match_variants(session: Session, record: Record, issue: dict, review: Review) -> bool:
    """Give the variants of the dump the ids of existing ones; returns whether any variant would change.

    An existing variant that the dump lacks stays if it has anything that people have added, and is reported.
    """
    wanted, lacking = _with_known_ids(issue["variants"], record.fields["variants"])
    used = _in_libraries(session, [each["id"] for each in lacking]) if lacking else set()
    kept = [each for each in lacking if each["image"] or each["sku"] or each["id"] in used]
    for variant in kept:
        review.add(
            "variant-kept", record.kind, record.gcd_id, _label(record), "variants", here=variant["name"]
        )
    record.fields["variants"] = [*wanted, *({"id": variant["id"]} for variant in kept)]
    return _comparable("variants", {"variants": wanted + kept}) != _comparable("variants", issue)


def _with_known_ids(present: list[dict], wanted: list[dict]) -> tuple[list[dict], list[dict]]:
    """Variants of the dump with the ids, and so the pictures, of existing ones; and those that it lacks."""
    lacking, same = {each["id"]: each for each in present}, {}
    codes = [Counter(each["upc"] for each in listed) for listed in (present, wanted)]
    for key in (  # the surest first
        lambda each: (each["name"], each["upc"]),
        lambda each: each["name"],
        lambda each: each["upc"] if each["upc"] and all(found[each["upc"]] < 2 for found in codes) else None,
    ):
        ids = defaultdict(list)
        for variant in lacking.values():
            ids[key(variant)].append(variant["id"])
        for place, variant in enumerate(wanted):
            if place not in same and key(variant) is not None and ids[key(variant)]:
                same[place] = ids[key(variant)].pop(0)
                del lacking[same[place]]
    placed = [
        {**variant, "id": same[place]} if place in same else {**variant, "sku": "", "image": ""}
        for place, variant in enumerate(wanted)
    ]
    return placed, list(lacking.values())


def _in_libraries(session: Session, variants: list[int]) -> set[int]:
    """Those of the variants that are in readers' collections or on their wish lists."""
    found = " UNION ".join(
        f"SELECT variant_id FROM {table} WHERE variant_id = ANY(:ids)"
        for table in ("collection_item", "wish_list_item")
    )
    return set(session.scalars(text(found), {"ids": variants}))


# Links between issues, and between series.


def link(session: Session, kind: str, field: str, pairs: list[tuple[int, int]]) -> int:
    """Add symmetric links between objects given by their ids.

    A link that an import made and somebody removed stays removed. Returns the number of new links.
    """
    if not pairs:
        return 0
    [declared] = [each for each in KINDS[kind].links if each.field == field]
    unit = UnitOfWork.of(session)
    unit.acquire_write_lock()
    unit.reason = REASON
    rows = session.execute(
        text(
            "WITH pair AS (SELECT DISTINCT least(one, other) AS a, greatest(one, other) AS b"
            " FROM unnest(CAST(:one AS integer[]), CAST(:other AS integer[])) AS given (one, other)"
            " WHERE one <> other)"
            f" SELECT a, b FROM pair WHERE NOT EXISTS (SELECT FROM {declared.table.name} l"
            f" WHERE l.{declared.own} = a AND l.{declared.other} = b)"
            " AND NOT EXISTS (SELECT FROM history h WHERE h.kind = :kind AND h.object_id = a"
            f" AND h.snapshot -> '{field}' @> to_jsonb(b)) ORDER BY a, b"
        ),
        {"one": [a for a, _ in pairs], "other": [b for _, b in pairs], "kind": kind},
    ).all()
    if not rows:
        return 0
    session.execute(
        text(
            f"INSERT INTO {declared.table.name} ({declared.own}, {declared.other})"
            " SELECT a, b FROM unnest(CAST(:a AS integer[]), CAST(:b AS integer[])) AS x (a, b)"
            " UNION SELECT b, a FROM unnest(CAST(:a AS integer[]), CAST(:b AS integer[])) AS x (a, b)"
            " ORDER BY 1, 2"
        ),
        {"a": [row.a for row in rows], "b": [row.b for row in rows]},
    )
    ids = {row.a for row in rows} | {row.b for row in rows}
    unit.record_link_change(kind, declared, ids, set())
    unit.record_saved(kind, ids)  # their stamps change at once
    return len(rows)
