"""Import of reference data.

In an empty catalog the rows of the set replace the seeded ones. Fields that a record lacks, as in sets of
older programs, are copied from the seeded row with the same code, name or older name. In other catalogs,
rows are matched by code or name; matched ones stay as they are, and missing ones are added.
"""

from sqlalchemy import delete, func, insert, select, text

from comicsdb import clock
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
    """The staged rows without what they lack; those with a code first, as a code identifies a row."""
    columns = ", ".join(f'"{field.column}"' for field in file.staged_fields)
    result = run.session.execute(text(f"SELECT {columns} FROM {file.staged} ORDER BY id")).mappings()
    rows = [{key: value for key, value in row.items() if value is not None} for row in result]
    return sorted(rows, key=lambda row: not row.get("code"))


class _Existing:
    """The existing rows, by code and by name in lower case; series types also by their older names."""

    def __init__(self, run: ImportRun, file: File):
        rows = [dict(row) for row in run.session.execute(select(file.model.__table__)).mappings()]
        self._by_code = {row["code"]: row for row in rows if row.get("code")}
        self._by_name = {row["name"].casefold(): row for row in rows}
        if file is SERIES_TYPES:
            for name, code in SERIES_TYPE_OLDER_NAMES.items():
                if code in self._by_code:
                    self._by_name.setdefault(name.casefold(), self._by_code[code])

    def find(self, row: dict) -> dict | None:
        """The row that a staged row stands for."""
        return self._by_code.get(row.get("code")) or self._by_name.get(row["name"].casefold())

    def add(self, row: dict) -> None:
        """Add a new row."""
        self._by_name[row["name"].casefold()] = row


def _values(row: dict) -> dict:
    """The values of a staged row for its table, where no code is null."""
    return row | ({"code": row["code"] or None} if "code" in row else {})


def _replace(run: ImportRun, file: File) -> None:
    table = file.model.__table__
    existing = _Existing(run, file)
    rows, claimed = [], set()
    for row in _staged(run, file):
        former = existing.find(row)
        if former and former["id"] not in claimed:
            claimed.add(former["id"])
            rows.append(former | {"modified": clock.now()} | _values(row))
        else:
            rows.append(_values(row))
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
    existing = _Existing(run, file)
    added = set()
    for row in _staged(run, file):
        former = existing.find(row)
        if former is None:
            values = {key: value for key, value in _values(row).items() if key != "id"}
            if file is ROLES:
                values["order"] = _free_order(run, values["order"])
            former = dict(
                run.session.execute(insert(table).values(values).returning(*table.columns)).mappings().one()
            )
            existing.add(former)
            added.add(former["id"])
        run.session.execute(
            text(f"UPDATE {file.staged} SET db_id = :db_id, found = true WHERE id = :id"),
            {"db_id": former["id"], "id": row["id"]},
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
