"""Imports of library files: uploaded, matched with the catalogue, reviewed by their owner, then confirmed.

Until it is confirmed, an import changes nothing in the library. Only its owner can see it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta

import orjson
from sqlalchemy import ARRAY, ColumnElement, Integer, Select, String, any_, cast, delete, or_, select
from sqlalchemy.orm import Session, joinedload

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.library import acts
from comicsdb.library.locks import find_row, lock_account
from comicsdb.library.transfer import background
from comicsdb.library.transfer.format import (
    CBL,
    COLLECTION,
    ITEMS,
    PULL,
    Upload,
    resolve_currencies,
    series_label,
    stored_lists,
)
from comicsdb.library.transfer.matching import AMBIGUOUS, LIKELY, MATCHED, UNKNOWN, Match, match_rows
from comicsdb.library.transfer.reading import MEGABYTE, TOO_LARGE, is_workbook, read_file, unpacked_size
from comicsdb.library.transfer.storing import ImportContext, ResolvedRow, pending_rows, store
from comicsdb.library.transfer.tables import file_error
from comicsdb.models import CollectionItem, Issue, LibraryImport, ReadingList, Series
from comicsdb.models.currencies import Currency
from comicsdb.security import Identity

KIND = LibraryImport.__tablename__
RETENTION = timedelta(days=1)  # how long an import can be confirmed
PENDING_MAX = 3  # pending imports per account; a further one deletes the oldest
FILE_NAME_MAX = 100
KEEP_MINE, TAKE_FILE = "mine", "file"

NO_FILE = _("Choose a file.")
NO_CURRENCY = _("Choose one of the currencies.")
NOT_OFFERED = _("Row ${line}: choose one of the options.")
BEING_STORED = _("This import is being added to your library. You can undo it as soon as it is done.")
NO_NAME = _("The name of a reading list may have at most ${most} characters.")


@dataclass(frozen=True)
class ReviewRow:
    """A row under review, with its match; `known` if the issue is already in the collection.

    `series` is the series as the file names it.
    """

    index: int
    series: str
    part: str
    line: int
    says: str
    match: Match
    unclear: tuple[tuple[str, str], ...]
    values: dict
    list: int | None
    known: bool


def upload(
    session: Session,
    user_id: int,
    name: str,
    data: bytes,
    *,
    currency: str,
    rows: int,
    megabytes: int,
    is_private: bool = False,
) -> LibraryImport:
    """Read a file and match its rows; raises InvalidError for "file" or "currency".

    `currency` is used for prices without one, `is_private` for the lists of CBL files. The number of
    statements does not depend on the number of rows.
    """
    if currency not in set(Currency):
        raise InvalidError({"currency": [NO_CURRENCY]})
    if not data:
        raise InvalidError({"file": [NO_FILE]})
    size = unpacked_size(data)
    if size > megabytes * MEGABYTE:
        raise file_error(TOO_LARGE, most=megabytes)
    is_xml = data.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<")
    is_large = (size > background.LARGE and not is_xml) or is_workbook(data)
    if not is_large:
        found = read_file(data, rows=rows, megabytes=megabytes)
        is_large = len(found.rows) > background.LARGE_ROWS and found.form != CBL
    matches = [] if is_large else match_rows(session, [(row.part == PULL, row.wanted) for row in found.rows])
    lock_account(session, user_id)
    _make_room(session, user_id)
    if is_large:
        queued = background.start(session, user_id, _printable(name), data, currency)
        queued.payload = queued.payload | {"is_private": is_private}
        return queued
    payload = _payload(found, matches, name, currency) | {"is_private": is_private}
    made = LibraryImport(user_id=user_id, payload=payload)
    session.add(made)
    session.flush()
    return made


def _make_room(session: Session, user_id: int) -> None:
    newest = (
        select(LibraryImport.id)
        .where(LibraryImport.user_id == user_id)
        .order_by(LibraryImport.id.desc())
        .limit(PENDING_MAX - 1)
    )
    old = delete(LibraryImport).where(
        LibraryImport.user_id == user_id,
        LibraryImport.id.not_in(newest),
        LibraryImport.state != background.STORING,
    )
    session.execute(old.execution_options(synchronize_session=False))


def _payload(found: Upload, matches: list[Match], name: str, currency: str) -> dict:
    rows = []
    for row, match in zip(found.rows, matches, strict=True):
        resolve_currencies(row, currency)
        named = {name: getattr(row, name) for name in ("part", "line", "says", "values", "list", "unclear")}
        wanted = orjson.loads(orjson.dumps(row.wanted))
        rows.append(named | {"wanted": wanted, "match": asdict(match)})
    return {
        "name": _printable(name),
        "form": found.form,
        "skipped": found.skipped,
        "lists": found.lists,
        "rows": rows,
    }


def _printable(name: str) -> str:
    """The end of a file's name, without characters that cannot be shown or stored."""
    return "".join(each for each in name if each.isprintable() and not "\ud800" <= each <= "\udfff")[
        -FILE_NAME_MAX:
    ]


def pending_imports(session: Session, user_id: int) -> list[LibraryImport]:
    """The pending imports of an account, newest first."""
    return list(session.scalars(_pending(user_id).order_by(LibraryImport.id.desc())))


def pending_import(session: Session, user_id: int, import_id: int, *, lock: bool = False) -> LibraryImport:
    """A pending import, locked if `lock` is set; raises NotFoundError, also for imports of other accounts."""
    rows = _pending(user_id).with_for_update() if lock else _pending(user_id)
    return find_row(session, rows, LibraryImport.id, import_id, KIND)


def _pending(user_id: int) -> Select:
    return select(LibraryImport).where(
        LibraryImport.user_id == user_id, LibraryImport.created_on > _retained_since()
    )


def _retained_since():
    return clock.now() - RETENTION


def is_being_stored(found: LibraryImport) -> bool:
    """Whether a confirmed import is being stored; not if its last piece failed."""
    return found.state == background.STORING and background.RETRY_AT not in found.payload


def discard(session: Session, user_id: int, import_id: int) -> LibraryImport:
    """Delete a pending import, and return it. Raises NotFoundError, and InvalidError while it is stored."""
    found = pending_import(session, user_id, import_id, lock=True)
    if is_being_stored(found):
        raise InvalidError({"__all__": [BEING_STORED]})
    session.delete(found)
    session.flush()
    return found


def clean(session: Session) -> int:
    """Delete all expired imports that are not being stored; returns how many. Part of the daily job."""
    is_failing = LibraryImport.payload.has_key(background.RETRY_AT)
    old = delete(LibraryImport).where(
        LibraryImport.created_on <= _retained_since(),
        or_(LibraryImport.state != background.STORING, is_failing),
    )
    return session.execute(old.execution_options(synchronize_session=False)).rowcount


def review_rows(session: Session, waiting_import: LibraryImport) -> list[ReviewRow]:
    """The rows of an import, in the order of the file."""
    records = waiting_import.payload["rows"]
    matches = [_match(record) for record in records]
    in_collection = [
        match.id for record, match in zip(records, matches, strict=True) if record["part"] == COLLECTION
    ]
    of_account = select(CollectionItem.issue_id).where(CollectionItem.user_id == waiting_import.user_id)
    owned = set(session.scalars(of_account.where(_is_any(CollectionItem.issue_id, in_collection))))
    return [
        ReviewRow(
            index=index,
            series=series_label(record["wanted"]),
            match=match,
            unclear=tuple(map(tuple, record["unclear"])),
            known=record["part"] == COLLECTION and match.id in owned,
            **{name: record[name] for name in ("part", "line", "says", "values", "list")},
        )
        for index, (record, match) in enumerate(zip(records, matches, strict=True))
    ]


def proposed_choices(rows: Iterable[ReviewRow]) -> dict[int, int]:
    """The choices that a review begins with: what is likely, by the row's index."""
    return {row.index: row.match.candidates[0] for row in rows if row.match.reason == LIKELY}


def _match(record: dict) -> Match:
    return Match(**record["match"] | {"candidates": tuple(record["match"]["candidates"])})


def _is_any(column, ids: Iterable[int | None]) -> ColumnElement[bool]:
    return column == any_(cast(list({*ids} - {None}), ARRAY(Integer)))


def candidates_of(session: Session, rows: Iterable[ReviewRow]) -> tuple[dict[int, Issue], dict[int, Series]]:
    """The candidates of rows, issues and series by id, with the relations that their labels need."""
    ids_of: dict[bool, set[int]] = {True: set(), False: set()}
    for row in rows:
        ids_of[row.part == PULL].update(row.match.candidates)
    of_series = (joinedload(Series.series_type), joinedload(Series.publisher))
    of_issues = (joinedload(Issue.series).options(*of_series),)
    found = []
    for model, ids, loading in ((Issue, ids_of[False], of_issues), (Series, ids_of[True], of_series)):
        wanted = select(model).where(_is_any(model.id, ids)).options(*loading)
        found.append({each.id: each for each in session.scalars(wanted)} if ids else {})
    return found[0], found[1]


def existing_list_names(session: Session, waiting_import: LibraryImport) -> set[str]:
    """The names of reading lists in the import that its owner already has."""
    names = [each["name"] for each in waiting_import.payload["lists"]]
    rows = select(ReadingList.name).where(
        ReadingList.user_id == waiting_import.user_id, ReadingList.name == any_(cast(names, ARRAY(String)))
    )
    return set(session.scalars(rows)) if names else set()


@dataclass(frozen=True)
class Review:
    """The decisions of an import's owner.

    `choices` maps the index of an ambiguous row to the chosen id, `series_choices` a series as the file names
    it to the id of the one that its rows without a choice belong to; rows in `left_out`, and ambiguous ones
    without either, are left out. With `take_file`, values of the file replace existing ones; otherwise they
    only fill in blank ones. `list_values` override those of the first reading list.
    """

    choices: Mapping[int, int]
    left_out: Set[int]
    take_file: bool
    list_values: Mapping | None = None
    series_choices: Mapping[str, int] = field(default_factory=dict)


def confirm(
    session: Session,
    identity: Identity,
    official: str,
    import_id: int,
    review: Review,
    today: date,
) -> Counter:
    """Store an import and delete it; nothing changes if an exception is raised.

    Returns counts like `storing.store`. Raises NotFoundError, and InvalidError for a choice that was not
    offered ("__all__") or an invalid reading list.
    """
    found = pending_import(session, identity.user_id, import_id, lock=True)
    lists = stored_lists(found.payload)
    if lists and review.list_values:
        name = " ".join(str(review.list_values.get("name", "")).split())
        if not name or len(name) > 255:
            raise InvalidError({"list_name": [NO_NAME % {"most": 255}]})
        lists[0] |= {**review.list_values, "name": name}
    choices = {**_choices_by_series(session, found, review.series_choices), **review.choices}
    resolved, waiting = [], []
    for index, record in enumerate(found.payload["rows"]):
        chosen_id = _chosen_id(record, choices.get(index))
        if chosen_id is not None and index not in review.left_out:
            resolved.append(ResolvedRow(record["part"], chosen_id, record["values"], record["list"], index))
        elif record["part"] == ITEMS and index not in review.left_out:
            waiting += pending_rows(index, record["wanted"], record["values"], record["list"])
    rows_are_copies = found.payload["form"] != "comicsdb"
    with session.begin_nested():
        acts.begin_as(session, identity.user_id, acts.IMPORT, about=found.payload["name"])
        context = ImportContext(session, identity, official, review.take_file, rows_are_copies, today)
        counted = store(context, resolved, lists, waiting)
        session.delete(found)
        session.flush()
    return counted


def _choices_by_series(session: Session, found: LibraryImport, chosen: Mapping[str, int]) -> dict[int, int]:
    """The candidates of ambiguous rows that belong to the series chosen for their name, by index."""
    records = {
        index: record
        for index, record in enumerate(found.payload["rows"])
        if record["match"]["state"] == AMBIGUOUS and series_label(record["wanted"]) in chosen
    }
    ids = {
        each
        for record in records.values()
        if record["part"] != PULL
        for each in record["match"]["candidates"]
    }
    rows = session.execute(select(Issue.id, Issue.series_id).where(_is_any(Issue.id, ids))) if ids else ()
    series_of = dict(list(rows))
    choices = {}
    for index, record in records.items():
        series_id, candidates = chosen[series_label(record["wanted"])], record["match"]["candidates"]
        of_series = [each for each in candidates if series_of.get(each, each) == series_id]
        if of_series:
            choices[index] = of_series[0]
    return choices


def _chosen_id(record: dict, choice: int | None) -> int | None:
    match = _match(record)
    if choice is None or match.state == UNKNOWN:
        return match.id
    if match.state == MATCHED and choice == match.id:
        return choice
    if match.state == AMBIGUOUS and choice in match.candidates:
        return choice
    raise InvalidError({"__all__": [NOT_OFFERED % {"line": record["line"]}]})
