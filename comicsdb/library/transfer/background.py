"""Imports of large files, processed by a thread of the server in the background.

A file is read, and its rows are matched and, after its owner's decisions, stored in pieces. Each piece is one
transaction that also records the progress, under the lock of the import's row. So nothing is lost if a
process is killed: another one continues with the next piece, and no row is stored twice. Everything stored is
one act, which can be undone.

A file that makes a piece fail must not hold up the imports of others. While a file is read and matched, its
import then fails for good; once its owner has confirmed it, or if the database is unavailable, the piece is
tried again later.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice

import orjson
from sqlalchemy import ColumnElement, Select, func, insert, or_, select, text, update
from sqlalchemy.orm import Session, joinedload, selectinload, sessionmaker

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError
from comicsdb.db import is_unavailable
from comicsdb.i18n import DEFAULT_LANGUAGE, _, localizer, translate
from comicsdb.library import acts, undo
from comicsdb.library.locks import lock_account
from comicsdb.library.transfer.format import (
    BYTES_SETTING,
    ITEMS,
    PARTS,
    PULL,
    ROWS_SETTING,
    stored_lists,
)
from comicsdb.library.transfer.matching import (
    AMBIGUOUS,
    LIKELY,
    MATCHED,
    UNKNOWN,
    MatchQuery,
    match_rows,
)
from comicsdb.library.transfer.reader import read_in_child
from comicsdb.library.transfer.storing import ImportContext, PendingRow, ResolvedRow, pending_rows, store
from comicsdb.models import LibraryAct, LibraryImport, LibraryImportRow, Series, User
from comicsdb.ops.worker import LONG_PAUSE, Worker, add_worker
from comicsdb.security import SESSION, make_identity

log = logging.getLogger(__name__)

READING, MATCHING, REVIEW, STORING = "reading", "matching", "review", "storing"
DONE, FAILED = "done", "failed"
IN_PROGRESS = (READING, MATCHING, STORING)
RETRY_AT = "retry_at"  # member of the payload of an import whose last piece failed, a timestamp
LARGE = 256 * 1024  # bytes; larger files are imported in the background
LARGE_ROWS = 4000  # so are tables with more rows: the form that reviews each row has a field for it
MATCH_BATCH, STORE_BATCH = 5000, 1000  # rows per transaction
INSERT_BATCH = 1000  # rows per statement
ATTEMPTS = "attempts"  # member of the payload: how often the current piece was begun
ATTEMPTS_MAX = 3  # of a piece that ends its process each time, before it fails or has to wait
GROUPS_SHOWN = 200  # series about which the owner is asked
POLL_SECONDS = 1.0

OUR_ERROR = _("An error on this site stopped the import. Your library was not changed.")


def start(session: Session, user_id: int, name: str, data: bytes, currency: str) -> LibraryImport:
    """Queue a file; it is read and matched soon after the commit."""
    made = LibraryImport(
        user_id=user_id, payload={"name": name, "currency": currency}, state=READING, file=data
    )
    session.add(made)
    session.flush()
    return made


@dataclass(frozen=True)
class SeriesGroup:
    """The rows of a file that name the same series, and are not matched with certainty.

    `is_likely`: for all rows, name and number match in one series alone.
    """

    series: str
    rows: int
    reason: str
    is_likely: bool
    candidates: Sequence[Series]


def proposed_decisions(groups: Sequence[SeriesGroup]) -> dict[str, int]:
    """The decisions that a review begins with: what is likely, by the series as the file names it."""
    return {group.series: group.candidates[0].id for group in groups if group.is_likely}


def counts(session: Session, import_id: int) -> dict[str, int]:
    """The number of rows by the state of their match, including states without rows."""
    rows = select(LibraryImportRow.state, func.count()).where(LibraryImportRow.import_id == import_id)
    found = session.execute(rows.group_by(LibraryImportRow.state)).all()
    return dict.fromkeys((MATCHED, AMBIGUOUS, UNKNOWN), 0) | dict(found)


def groups(session: Session, import_id: int) -> list[SeriesGroup]:
    """The decisions that the owner has to make, series by series, those with most rows first; at most 200."""
    found = session.execute(_GROUPS, {"import": import_id, "most": GROUPS_SHOWN}).all()
    ids = {each for row in found for each in row.candidates}
    loading = (joinedload(Series.series_type), joinedload(Series.publisher))
    rows = session.scalars(select(Series).where(Series.id.in_(ids)).options(*loading)) if ids else ()
    series = {each.id: each for each in rows}
    return [
        SeriesGroup(
            row.series,
            row.rows,
            row.reason,
            row.is_likely,
            [series[each] for each in row.candidates if each in series],
        )
        for row in found
    ]


_GROUPS = text(f"""
    SELECT r.series, count(DISTINCT r.index) AS rows, min(r.reason) AS reason,
        bool_and(r.reason = '{LIKELY}') AND count(DISTINCT coalesce(i.series_id, candidate)) = 1 AS is_likely,
        array_agg(DISTINCT coalesce(i.series_id, candidate)) AS candidates
    FROM library_import_row r CROSS JOIN unnest(r.candidates) AS candidate
    LEFT JOIN issue i ON r.part <> '{PULL}' AND i.id = candidate
    WHERE r.import_id = :import AND r.state = '{AMBIGUOUS}' AND (i.id IS NOT NULL OR r.part = '{PULL}')
    GROUP BY r.series ORDER BY 2 DESC, 1 LIMIT :most
""")


def unmatched_rows(session: Session, found: LibraryImport) -> list[LibraryImportRow]:
    """The rows without a match, in the order of the file; after the review also those without a choice."""
    states = [UNKNOWN] if found.state == REVIEW else [UNKNOWN, AMBIGUOUS]
    row = LibraryImportRow
    rows = select(row).where(row.import_id == found.id, row.state.in_(states))
    return list(session.scalars(rows.order_by(row.index)))


def unclear_rows(import_id: int) -> Select:
    """The rows with cells that could not be interpreted, in the order of the file."""
    row = LibraryImportRow
    rows = select(row).where(row.import_id == import_id, row.unclear != [])
    return rows.order_by(row.index)


def confirm(session: Session, found: LibraryImport, decisions: Mapping[str, int], *, take_file: bool) -> None:
    """Queue the storing of an import; `decisions` maps names in the file to series, leaving out other groups.

    Rows get their candidate in that series, the first if there are several. Nothing happens if the import is
    no longer under review, as its form was sent twice.
    """
    locked = select(LibraryImport.id).where(LibraryImport.id == found.id, LibraryImport.state == REVIEW)
    if session.scalar(locked.with_for_update()) is None:
        return
    if decisions:  # JIT compilation would take longer than running the statements
        session.execute(text("SET LOCAL jit = off"))
    for named, series_id in decisions.items():
        session.execute(_APPLY_DECISION, {"import": found.id, "named": named, "series": series_id})
    found.act_id = acts.begin_as(session, found.user_id, acts.IMPORT, about=found.payload["name"])
    found.payload = found.payload | {"take_file": take_file}
    found.state, found.progress = STORING, 0
    rows = select(func.count()).where(
        LibraryImportRow.import_id == found.id, LibraryImportRow.state == MATCHED
    )
    found.total = session.scalar(rows)
    session.flush()


_MATCH_IN_SERIES = f"""
    SELECT min(candidate) FROM unnest(r.candidates) AS candidate
    LEFT JOIN issue i ON r.part <> '{PULL}' AND i.id = candidate
    WHERE coalesce(i.series_id, candidate) = :series
"""
# Rows are found and changed one by one: without statistics of the new rows, PostgreSQL would join each row
# with all others.
_APPLY_DECISION = text(f"""
    UPDATE library_import_row r SET state = '{MATCHED}', match_id = ({_MATCH_IN_SERIES})
    WHERE r.import_id = :import AND r.state = '{AMBIGUOUS}' AND r.series = :named
        AND ({_MATCH_IN_SERIES}) IS NOT NULL
""")


# Pieces.


class Importer(Worker):
    """The thread that processes imports and undoes large acts; each server process has one."""

    def __init__(self, factory: sessionmaker[Session], settings: Mapping):
        super().__init__("imports")
        self._factory = factory
        self._settings = settings

    def work(self) -> float:
        """Do one piece of an import, or undo one act."""
        done = work(self._factory, self._settings) or undo.undo_queued(self._factory, self._settings)
        return 0.01 if done else POLL_SECONDS


def work(factory: sessionmaker[Session], settings: Mapping) -> bool:
    """Do one piece of the oldest import that no other process is working on; False if there is none."""
    with factory() as session:
        session.execute(text("SET LOCAL statement_timeout = 0"))
        session.execute(text("SET LOCAL jit = off"))
        waiting = select(LibraryImport).where(LibraryImport.state.in_(IN_PROGRESS), _is_due())
        waiting = waiting.order_by(LibraryImport.id).limit(1)
        found = session.scalar(waiting.with_for_update(skip_locked=True))
        if found is None:
            return False
        found = _begin_attempt(session, found)
        if found is None:
            return True
        session.info["today"] = clock.business_day(settings["comicsdb.timezone"])
        import_id, state = found.id, found.state
        has_failed = found.payload[ATTEMPTS] > ATTEMPTS_MAX
        found.payload = {
            name: value for name, value in found.payload.items() if name not in {RETRY_AT, ATTEMPTS}
        }
        try:
            if has_failed:
                raise RuntimeError(f"{ATTEMPTS_MAX} processes have ended while they did this piece.")
            _STEPS[state](session, found, settings)
            session.commit()
        except Exception as error:
            session.rollback()
            log.exception("Import %d failed in the state %s.", import_id, state)
            _set_aside(session, import_id, state, again=state == STORING or is_unavailable(error))
            session.commit()
    return True


def _begin_attempt(session: Session, found: LibraryImport) -> LibraryImport | None:
    """Record that a piece is begun, and lock its import again; None if another process has begun it, too.

    A piece that ends its process would otherwise be tried without end, each time by another process.
    """
    import_id, attempts = found.id, found.payload.get(ATTEMPTS, 0) + 1
    found.payload = found.payload | {ATTEMPTS: attempts}
    session.commit()
    session.execute(text("SET LOCAL statement_timeout = 0"))
    session.execute(text("SET LOCAL jit = off"))
    same = select(LibraryImport).where(
        LibraryImport.id == import_id, LibraryImport.payload[ATTEMPTS].as_integer() == attempts
    )
    return session.scalar(same.with_for_update(skip_locked=True))


def _is_due() -> ColumnElement[bool]:
    now, again = clock.now().timestamp(), func.coalesce(LibraryImport.payload[RETRY_AT].as_float(), 0)
    return or_(again <= now, again > now + LONG_PAUSE)  # the latter was stored while the clock was wrong


def _set_aside(session: Session, import_id: int, state: str, *, again: bool) -> None:
    """Let other imports go first, or give up this one, unless another process has continued it."""
    same = select(LibraryImport).where(LibraryImport.id == import_id, LibraryImport.state == state)
    found = session.scalar(same.with_for_update(skip_locked=True))
    if found is None:
        return
    if again:
        found.payload = found.payload | {RETRY_AT: clock.now().timestamp() + LONG_PAUSE}
    else:
        _fail(session, found, [OUR_ERROR])


def _fail(session: Session, found: LibraryImport, reasons: Sequence) -> None:
    language = session.scalar(select(User.language).where(User.id == found.user_id))
    own = localizer(language or DEFAULT_LANGUAGE)
    found.state, found.file = FAILED, None
    found.payload = found.payload | {"error": " ".join(translate(own, each) for each in reasons)}


def _read(session: Session, found: LibraryImport, settings: Mapping) -> None:
    limits = {"rows": settings[ROWS_SETTING], "megabytes": settings[BYTES_SETTING]}
    total = 0
    try:
        with (
            session.begin_nested(),
            read_in_child(found.file, currency=found.payload["currency"], **limits) as upload,
        ):
            while rows := [{"import_id": found.id, **row} for row in islice(upload.rows, INSERT_BATCH)]:
                session.execute(insert(LibraryImportRow), rows)
                total += len(rows)
    except InvalidError as error:
        _fail(session, found, [each for some in error.errors.values() for each in some])
        return
    found.payload = found.payload | upload.facts
    found.state, found.file, found.progress, found.total = MATCHING, None, 0, total


def _match(session: Session, found: LibraryImport, _settings: Mapping) -> None:
    """Match the next rows."""
    row = LibraryImportRow
    rows = select(row.index, row.part, row.wanted).where(row.import_id == found.id, row.state == "")
    some = session.execute(rows.order_by(row.index).limit(MATCH_BATCH)).all()
    matches = match_rows(session, [(each.part == PULL, MatchQuery.from_json(each.wanted)) for each in some])
    matched = [{"index": each.index, **asdict(match)} for each, match in zip(some, matches, strict=True)]
    session.execute(_STORE_MATCHES, {"import": found.id, "rows": orjson.dumps(matched).decode()})
    found.progress += len(some)
    if len(some) < MATCH_BATCH:
        found.state = REVIEW


_STORE_MATCHES = text("""
    UPDATE library_import_row r
    SET state = m.state, match_id = m.id, candidates = m.candidates, reason = m.reason
    FROM json_to_recordset(CAST(:rows AS json))
        AS m (index integer, state text, id integer, candidates integer[], reason text)
    WHERE r.import_id = :import AND r.index = m.index
""")


def _store(session: Session, found: LibraryImport, settings: Mapping) -> None:
    """Store the next rows: all rows of an issue together, and reading lists last.

    The account is locked before the act is read: who undoes the import meanwhile has done so, or waits.
    """
    lock_account(session, found.user_id)
    part = _next_part(session, found)
    if part is None or session.get_one(LibraryAct, found.act_id, populate_existing=True).undone:
        found.state = DONE
        return
    acts.resume(session, found.user_id, found.act_id)
    rows = session.scalars(_next_rows(found, part)).all()
    owner = select(User).where(User.id == found.user_id).options(selectinload(User.groups))
    context = ImportContext(
        session,
        make_identity(session.scalars(owner).one(), SESSION),
        settings["comicsdb.official_account"],
        found.payload["take_file"],
        found.payload["form"] != "comicsdb",
        session.info["today"],
    )
    lists = stored_lists(found.payload) if part == ITEMS else []
    resolved = [
        ResolvedRow(each.part, each.match_id, each.values, each.list_index, each.index) for each in rows
    ]
    waiting = _pending_rows(session, found) if part == ITEMS else []
    counted = store(context, resolved, lists, waiting)
    stored = update(LibraryImportRow).where(
        LibraryImportRow.import_id == found.id, LibraryImportRow.index.in_([each.index for each in rows])
    )
    session.execute(stored.values(stored=True).execution_options(synchronize_session=False))
    found.progress += len(rows)
    found.counted = dict(Counter(found.counted) + counted)
    if part == ITEMS:
        found.state = DONE


def _pending_rows(session: Session, found: LibraryImport) -> list[PendingRow]:
    row = LibraryImportRow
    left = select(row).where(row.import_id == found.id, row.part == ITEMS, row.state != MATCHED)
    return [
        pending
        for each in session.scalars(left.order_by(row.index))
        for pending in pending_rows(each.index, each.wanted, each.values, each.list_index)
    ]


def _next_part(session: Session, found: LibraryImport) -> str | None:
    rows = select(LibraryImportRow.part).where(*_unstored(found)).distinct()
    left = set(session.scalars(rows))
    if found.payload["lists"]:
        left.add(ITEMS)
    return next((part for part in PARTS if part in left), None)


def _unstored(found: LibraryImport) -> tuple:
    row = LibraryImportRow
    return row.import_id == found.id, row.state == MATCHED, row.stored.is_(False)


def _next_rows(found: LibraryImport, part: str):
    """The rows of the next issues; several rows of an issue may be several copies."""
    row = LibraryImportRow
    rows = select(row).where(*_unstored(found), row.part == part)
    if part != ITEMS:
        last = select(row.match_id).where(*_unstored(found), row.part == part).order_by(row.match_id)
        last = last.limit(STORE_BATCH).subquery()
        rows = rows.where(row.match_id <= select(func.max(last.c.match_id)).scalar_subquery())
    return rows.order_by(row.index)


_STEPS = {READING: _read, MATCHING: _match, STORING: _store}


def includeme(config):
    """Start the thread, if the settings ask for one."""
    add_worker(
        config,
        "comicsdb.imports.worker",
        lambda registry: Importer(registry["comicsdb.session_factory"], registry.settings),
    )
