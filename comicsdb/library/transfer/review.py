"""The review of an import: questions about series and single rows, and its owner's choices.

Rows that name the same series are one question, with the series of their candidates. If all candidates of a
row are issues of one series, it is a question of its own. Choices about rows are stored with them; those
about series are kept in the payload of the import and apply when it is confirmed, or at once to a series that
the owner looked for: the rows get its issues by their numbers.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import ceil

import orjson
from sqlalchemy import ARRAY, Integer, Row, Select, any_, cast, func, select, text
from sqlalchemy.orm import Session, joinedload

from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.library.transfer.background import is_large
from comicsdb.library.transfer.format import COLLECTION, PULL
from comicsdb.library.transfer.matching import AMBIGUOUS, ISSUES, LIKELY, MATCHED, UNKNOWN
from comicsdb.models import Issue, LibraryImport, LibraryImportRow, Series

PAGE_SIZE = 100  # questions, and rows, on a page
SHOWN_MAX = 5  # rows of a series that are named
LEFT_OUT = "left_out"  # state of a matched row that the owner does not want
CHOSEN, NONE = "chosen", "none"  # reasons of rows that the owner matched, and for which nothing fitted
ALONE = "alone"  # kind of rows that are questions of their own
DECISIONS = "decisions"  # member of the payload: the chosen series by the one that the file names

NOT_OFFERED = _("Row ${line}: choose one of the options.")
SERIES_NOT_OFFERED = _("“${name}”: choose one of the options.")


@dataclass(frozen=True)
class Choices:
    """Choices of an import's owner.

    `rows` maps the index of a row to the id of one of its candidates, or 0 for none of them. `series` maps a
    series as the file names it to the id of the one that its rows belong to, or None to leave them. Of the
    rows `shown`, those `left_out` are not imported. With `take_file`, values of the file replace existing
    ones; otherwise they only fill in blank ones. `list_values` override those of the first reading list.
    None leaves these two as they are.
    """

    rows: Mapping[int, int] = field(default_factory=dict)
    series: Mapping[str, int | None] = field(default_factory=dict)
    shown: Set[int] = frozenset()
    left_out: Set[int] = frozenset()
    take_file: bool | None = None
    list_values: Mapping | None = None


@dataclass(frozen=True)
class Group:
    """Rows of one kind that name the same series: ambiguous, unknown, or chosen by hand.

    `says` has some rows in words, `candidates` has ids of series. `is_likely`: for all rows, name and number
    match in one series only.
    """

    kind: str
    series: str
    rows: int
    reasons: Sequence[str]
    says: Sequence[str]
    is_likely: bool
    candidates: Sequence[int] = ()


@dataclass
class Page:
    """A page of a review: groups and rows, their issues and series by id, and figures of the whole import.

    `parts` are the parts of the library that have undecided rows.
    """

    counts: Counter
    parts: Set[str] = frozenset()
    unclear: int = 0
    pages: int = 1
    groups: Sequence[Group] = ()
    rows: Sequence[Row] = ()
    issues: Mapping[int, Issue] = field(default_factory=dict)
    series: Mapping[int, Series] = field(default_factory=dict)


def load_page(session: Session, row: LibraryImport, number: int = 1, *, named: str | None = None) -> Page:
    """A page of the review, from 1; with `named`, the questions about rows that name this series."""
    after = PAGE_SIZE * (number - 1)
    span = {"import": row.id, "after": after, "last": after + PAGE_SIZE}
    page = load_figures(session, row, span)
    statement = _ROWS_OF_SERIES if named is not None else _ROWS
    page.rows = session.execute(statement, span | {"user": row.user_id, "named": named}).all()
    issue_ids, series_ids = set(), {each for group in page.groups for each in group.candidates}
    for each in page.rows:
        ids = series_ids if each.part == PULL else issue_ids
        ids.update({*each.candidates, each.match_id} - {None})
    of_series = (joinedload(Series.series_type), joinedload(Series.publisher))
    of_issues = (joinedload(Issue.series).options(*of_series),)
    page.issues = _by_id(session, select(Issue).options(*of_issues), Issue.id, issue_ids)
    page.series = _by_id(session, select(Series).options(*of_series), Series.id, series_ids)
    rows_total = max((each.total for each in page.rows), default=0)
    page.pages = max(page.pages, ceil(rows_total / PAGE_SIZE))
    return page


def _by_id(session: Session, rows: Select, column, ids: Set[int]) -> dict:
    wanted = rows.where(column == any_(cast(sorted(ids), ARRAY(Integer))))
    return {each.id: each for each in session.scalars(wanted)} if ids else {}


def load_figures(session: Session, row: LibraryImport, span: dict | None = None) -> Page:
    """The figures of an import, and the groups of a page."""
    span = span or {"import": row.id, "after": 0, "last": 0}
    if is_large(row):
        session.execute(text("SET LOCAL jit = off"))  # it would take longer than the statements
    found = session.execute(_GROUPS, span).all()
    page = Page(Counter())
    for each in found:
        page.counts[each.kind] = each.kind_rows
        page.parts |= set(each.parts or ())
        page.unclear = each.unclear
        page.pages = max(page.pages, ceil(each.kind_groups / PAGE_SIZE))
    names = ("kind", "series", "rows", "reasons", "says", "is_likely")
    page.groups = [
        Group(*(getattr(each, name) for name in names), candidates=each.candidates or ())
        for each in found
        if span["after"] < each.place <= span["last"] and each.kind in (AMBIGUOUS, UNKNOWN, CHOSEN)
    ]
    return page


_KIND = f"""
    CASE WHEN reason = '{CHOSEN}' THEN '{CHOSEN}'
        WHEN state = '{AMBIGUOUS}' AND reason = '{ISSUES}' THEN '{ALONE}' ELSE state END
"""
_GROUPS = text(f"""
    WITH r AS (
        SELECT {_KIND} AS kind, CASE WHEN reason = '' THEN '' ELSE series END AS series,
            index, part, says, reason, candidates, unclear <> '[]' AS is_unclear
        FROM library_import_row WHERE import_id = :import
    ), g AS (
        SELECT kind, series, count(*) AS rows, array_agg(DISTINCT reason) AS reasons,
            (array_agg(says ORDER BY index) FILTER (WHERE reason <> ''))[1:{SHOWN_MAX}] AS says,
            bool_and(reason = '{LIKELY}') AS is_likely,
            array_agg(DISTINCT part) FILTER (WHERE reason NOT IN ('', '{CHOSEN}')) AS parts,
            row_number() OVER (PARTITION BY kind ORDER BY count(*) DESC, series) AS place,
            CAST(sum(count(*)) OVER (PARTITION BY kind) AS integer) AS kind_rows,
            count(*) OVER (PARTITION BY kind) AS kind_groups,
            CAST(sum(count(*) FILTER (WHERE is_unclear)) OVER () AS integer) AS unclear
        FROM r GROUP BY kind, series
    ), c AS (
        SELECT r.series, coalesce(i.series_id, candidate) AS candidate, count(*) AS rows
        FROM r CROSS JOIN unnest(r.candidates) AS candidate
        LEFT JOIN issue i ON r.part <> '{PULL}' AND i.id = candidate
        WHERE r.kind = '{AMBIGUOUS}' AND r.series = ANY(ARRAY(
            SELECT series FROM g WHERE kind = '{AMBIGUOUS}' AND place > :after AND place <= :last
        )) AND (i.id IS NOT NULL OR r.part = '{PULL}')
        GROUP BY 1, 2
    )
    SELECT g.kind, g.series, g.rows, g.reasons, g.says, g.parts, g.place, g.kind_rows, g.kind_groups,
        g.unclear, g.is_likely AND cardinality(o.candidates) = 1 AS is_likely, o.candidates
    FROM g LEFT JOIN (
        SELECT series, array_agg(candidate ORDER BY rows DESC, candidate) AS candidates FROM c GROUP BY series
    ) o ON g.kind = '{AMBIGUOUS}' AND o.series = g.series
    WHERE g.place = 1 OR g.place > :after AND g.place <= :last ORDER BY g.kind, g.place
""")
_ROW = "index, part, line, list_index, says, unclear, state, match_id, candidates, reason"
_PAGE_OF_ROWS = f"""
    SELECT r.*, EXISTS (
        SELECT FROM collection_item c
        WHERE r.part = '{COLLECTION}' AND c.user_id = :user AND c.issue_id = r.match_id
    ) AS is_owned
    FROM (
        SELECT {_ROW}, row_number() OVER (PARTITION BY state = '{AMBIGUOUS}' ORDER BY index) AS place,
            count(*) OVER (PARTITION BY state = '{AMBIGUOUS}') AS total
        FROM library_import_row WHERE import_id = :import AND {{}}
    ) r WHERE place > :after AND place <= :last ORDER BY index
"""
_ROWS = text(
    _PAGE_OF_ROWS.format(
        f"(state IN ('{MATCHED}', '{LEFT_OUT}') OR state = '{AMBIGUOUS}' AND reason = '{ISSUES}')"
    )
)
_ROWS_OF_SERIES = text(
    _PAGE_OF_ROWS.format("series = :named AND reason <> '' AND cardinality(candidates) > 0")
)


def unmatched_rows(session: Session, found: LibraryImport) -> list[LibraryImportRow]:
    """The rows without a match, in the order of the file; once confirmed, also those without a choice."""
    states = [UNKNOWN] if found.act_id is None else [UNKNOWN, AMBIGUOUS]
    row = LibraryImportRow
    rows = select(row).where(row.import_id == found.id, row.state.in_(states))
    return list(session.scalars(rows.order_by(row.index)))


def unclear_rows(session: Session, found: LibraryImport) -> list[LibraryImportRow]:
    """The rows with cells that could not be interpreted, in the order of the file."""
    row = LibraryImportRow
    rows = select(row).where(row.import_id == found.id, row.unclear != [])
    return list(session.scalars(rows.order_by(row.index)))


# Choices.


def decisions(row: LibraryImport, groups: Iterable[Group]) -> dict[str, int | None]:
    """The series that are chosen so far, or else likely, by the series as the file names it."""
    likely = {group.series: group.candidates[0] for group in groups if group.is_likely}
    return likely | row.payload.get(DECISIONS, {})


def save_choices(session: Session, row: LibraryImport, choices: Choices) -> None:
    """Keep choices of a review; raises InvalidError for one that was not offered."""
    if choices.rows:
        records = [{"index": index, "id": issue_id} for index, issue_id in choices.rows.items()]
        saved = set(session.scalars(_CHOOSE, {"import": row.id, "rows": orjson.dumps(records).decode()}))
        if refused := set(choices.rows) - saved:
            of_import = LibraryImportRow.import_id == row.id, LibraryImportRow.index.in_(refused)
            line = session.scalar(select(func.min(LibraryImportRow.line)).where(*of_import))
            if line is not None:
                raise InvalidError({"__all__": [NOT_OFFERED % {"line": line}]})
    if choices.series:
        names = {"import": row.id, "names": list(choices.series)}
        offered = {tuple(pair) for pair in session.execute(_OFFERED, names)}
        for name, series_id in choices.series.items():
            if series_id is not None and (name, series_id) not in offered:
                raise InvalidError({"__all__": [SERIES_NOT_OFFERED % {"name": name}]})
        saved_series = row.payload.get(DECISIONS, {}) | choices.series
        row.payload = row.payload | {DECISIONS: saved_series}
    if shown := [*choices.shown | choices.left_out]:
        session.execute(_LEAVE_OUT, {"import": row.id, "shown": shown, "left": [*choices.left_out]})


_CHOOSE = text(f"""
    UPDATE library_import_row r SET match_id = nullif(c.id, 0),
        state = CASE c.id WHEN 0 THEN '{UNKNOWN}' ELSE '{MATCHED}' END,
        reason = CASE c.id WHEN 0 THEN '{NONE}' ELSE '{CHOSEN}' END
    FROM json_to_recordset(CAST(:rows AS json)) AS c (index integer, id integer)
    WHERE r.import_id = :import AND r.index = c.index AND r.reason <> '' AND cardinality(r.candidates) > 0
        AND (c.id = 0 OR c.id = ANY(r.candidates))
    RETURNING r.index
""")
_OFFERED = text(f"""
    SELECT DISTINCT r.series, coalesce(i.series_id, candidate)
    FROM library_import_row r CROSS JOIN unnest(r.candidates) AS candidate
    LEFT JOIN issue i ON r.part <> '{PULL}' AND i.id = candidate
    WHERE r.import_id = :import AND r.series = ANY(:names) AND r.state = '{AMBIGUOUS}'
        AND r.reason <> '{ISSUES}'
""")
_LEAVE_OUT = text(f"""
    UPDATE library_import_row
    SET state = CASE WHEN index = ANY(CAST(:left AS integer[])) THEN '{LEFT_OUT}' ELSE '{MATCHED}' END
    WHERE import_id = :import AND index = ANY(:shown) AND state IN ('{MATCHED}', '{LEFT_OUT}')
""")


def apply_decisions(session: Session, row: LibraryImport) -> None:
    """Match the rows of each decided series with its issues; numbers that it does not have are left."""
    series = {name: series_id for name, series_id in row.payload.get(DECISIONS, {}).items() if series_id}
    if series:
        _update_matches(session, row, series, by_hand=False)


def match_in_series(session: Session, row: LibraryImport, name: str, series_id: int) -> tuple[int, list[str]]:
    """Match all uncertain rows that name a series with issues of the one that the owner looked for.

    Returns how many have an issue now, and the others in words: the series does not have their numbers.
    """
    changed = _update_matches(session, row, {name: series_id}, by_hand=True)
    left = {other: decided for other, decided in row.payload.get(DECISIONS, {}).items() if other != name}
    row.payload = row.payload | {DECISIONS: left}
    missing = [each.says for each in changed if each.state == UNKNOWN]
    return len(changed) - len(missing), missing


def _update_matches(
    session: Session, row: LibraryImport, series: Mapping[str, int], *, by_hand: bool
) -> Sequence[Row]:
    records = [{"named": name, "series_id": series_id} for name, series_id in series.items()]
    if is_large(row):
        session.execute(text("SET LOCAL jit = off"))  # it would take longer than the statement
    values = {"import": row.id, "by_hand": by_hand, "series": orjson.dumps(records).decode()}
    return sorted(session.execute(_MATCH_IN_SERIES, values), key=lambda changed: changed.index)


# The only candidate of the series, or else the issue with the row's number.
_IN_SERIES = f"""
    CASE WHEN r.part = '{PULL}' THEN d.series_id ELSE coalesce(
        (SELECT min(i.id) FROM issue i WHERE i.id = ANY(r.candidates) AND i.series_id = d.series_id
            HAVING count(*) = 1),
        (SELECT i.id FROM issue i
            WHERE i.series_id = d.series_id AND i.number_key = number_key(nullif(r.wanted ->> 'number', '')))
    ) END
"""
# Rows are found and changed one by one: without statistics of the new rows, PostgreSQL would join each row
# with all others.
_MATCH_IN_SERIES = text(f"""
    UPDATE library_import_row r SET (match_id, state, reason) = (
        SELECT m.id,
            CASE WHEN m.id IS NOT NULL THEN '{MATCHED}' WHEN :by_hand THEN '{UNKNOWN}' ELSE r.state END,
            CASE WHEN m.id IS NOT NULL THEN '{CHOSEN}' WHEN :by_hand THEN 'no_issue' ELSE r.reason END
        FROM (SELECT {_IN_SERIES} AS id) m
    )
    FROM json_to_recordset(CAST(:series AS json)) AS d (named text, series_id integer)
    WHERE r.import_id = :import AND r.series = d.named AND CASE WHEN :by_hand
        THEN r.state IN ('{AMBIGUOUS}', '{UNKNOWN}') OR r.reason = '{CHOSEN}'
        ELSE r.state = '{AMBIGUOUS}' AND r.reason <> '{ISSUES}' END
    RETURNING r.index, r.state, r.says
""")
