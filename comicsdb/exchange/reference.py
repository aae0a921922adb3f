"""Import of reference data.

In an empty catalogue the rows of the set replace the seeded ones, with their ids, names and order. Columns
that a set lacks (codes, role flags, notes, descriptions) are copied from the seeded row with the same name or
with an older name of it. In other catalogues rows are matched by name, and missing ones are added.
"""

from sqlalchemy import delete, func, insert, select, text

from comicsdb.exchange.format import AGE_RATINGS, REFERENCE, ROLES, SERIES_TYPES, File
from comicsdb.exchange.run import ImportRun
from comicsdb.models.base import SMALL_MAX
from comicsdb.models.choices import SERIES_TYPE_OLDER_NAMES, UNKNOWN_AGE_RATING_ID

ROLE_STEP = 10


def match(run: ImportRun) -> None:
    """Replace or match the four files of reference data, and set `db_id` of their staged rows."""
    for file in REFERENCE:
        if run.has(file):
            if run.keep_ids:
                _replace(run, file)
            else:
                _match(run, file)


def _staged(run: ImportRun, file: File) -> list[dict]:
    order = ', "order"' if file is ROLES else ""
    rows = run.session.execute(text(f"SELECT line, id, name{order} FROM {file.staged} ORDER BY id"))
    return [dict(row) for row in rows.mappings()]


def _existing(run: ImportRun, file: File) -> dict[str, dict]:
    """The existing rows by name in lower case; series types also by their older names."""
    table = file.model.__table__
    rows = {row["name"].casefold(): dict(row) for row in run.session.execute(select(table)).mappings()}
    if file is SERIES_TYPES:
        by_code = {row["code"]: row for row in rows.values() if row["code"]}
        for name, code in SERIES_TYPE_OLDER_NAMES.items():
            if code in by_code:
                rows.setdefault(name.casefold(), by_code[code])
    return rows


def _replace(run: ImportRun, file: File) -> None:
    table = file.model.__table__
    known = _existing(run, file)
    given = ("id", "name", "order") if file is ROLES else ("id", "name")
    carried = [column.key for column in table.columns if column.key not in (*given, "modified")]
    rows, claimed = [], set()
    for staged in _staged(run, file):
        row = {key: staged[key] for key in given}
        former = known.get(row["name"].casefold())
        if former and former["id"] not in claimed:
            claimed.add(former["id"])
            row |= {key: former[key] for key in carried}
        rows.append(row)
    if file is AGE_RATINGS and UNKNOWN_AGE_RATING_ID not in {row["id"] for row in rows}:
        run.problems.add(
            file.file_name, 0, "id", f"has no id {UNKNOWN_AGE_RATING_ID}, which issues without a rating need"
        )
        run.problems.stop_if_any()
    run.session.execute(delete(table))
    for row in rows:
        run.session.execute(insert(table).values(row))
    _set_sequence(run, file)
    run.report.count(file.name, "new", len(rows))
    run.unit.record_imported(file.kind, {row["id"] for row in rows})


def _match(run: ImportRun, file: File) -> None:
    table = file.model.__table__
    known = _existing(run, file)
    added = set()
    for staged in _staged(run, file):
        former = known.get(staged["name"].casefold())
        if former is None:
            values = {"name": staged["name"]}
            if file is ROLES:
                values["order"] = _free_order(run, staged["order"])
            former = dict(
                run.session.execute(insert(table).values(values).returning(*table.columns)).mappings().one()
            )
            known[staged["name"].casefold()] = former
            added.add(former["id"])
        run.session.execute(
            text(f"UPDATE {file.staged} SET db_id = :db_id, found = true WHERE id = :id"),
            {"db_id": former["id"], "id": staged["id"]},
        )
    run.report.count(file.name, "new", len(added))
    run.report.count(file.name, "unchanged", run.report.counts[file.name]["read"] - len(added))
    if added:
        run.unit.record_saved(file.kind, added, "create")


def _free_order(run: ImportRun, wanted: int) -> int:
    """The given position if it is free, or else one after all others."""
    column = ROLES.model.order
    if run.session.scalar(select(func.count()).where(column == wanted)) == 0:
        return wanted
    return min(run.session.scalar(select(func.max(column))) + ROLE_STEP, SMALL_MAX)


def _set_sequence(run: ImportRun, file: File) -> None:
    run.session.execute(
        text(
            f"SELECT setval(pg_get_serial_sequence('{file.kind}', 'id'),"
            f" (SELECT coalesce(max(id), 1) FROM {file.kind}))"
        )
    )
