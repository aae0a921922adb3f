"""The steps of an import: its file is read, its rows are matched and, after its owner's choices, stored.

A small file takes them within the request that uploads or confirms it. For any other, a thread of the
server takes them in the background, and matches and stores its rows in pieces. Each piece is one transaction
that also records the progress, under the lock of the import's row. So nothing is lost if a process is killed:
another one continues with the next piece, and no row is stored twice. Everything stored is one act, which can
be undone.

A file that makes a piece fail must not hold up the imports of others. While a file is read and matched, its
import then fails for good; once its owner has confirmed it, or if the database is unavailable, the piece is
tried again later.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import islice

import orjson
from sqlalchemy import ColumnElement, Select, and_, func, or_, select, text, update
from sqlalchemy.orm import Session, selectinload, sessionmaker

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError
from comicsdb.db import is_unavailable
from comicsdb.i18n import DEFAULT_LANGUAGE, _, localizer, translate
from comicsdb.library import acts, undo
from comicsdb.library.locks import lock_account
from comicsdb.library.transfer.format import BYTES_SETTING, ITEMS, PARTS, PULL, ROWS_SETTING, stored_lists
from comicsdb.library.transfer.mappings import remembered_mapping
from comicsdb.library.transfer.matching import AMBIGUOUS, MATCHED, UNKNOWN, MatchQuery, match_rows
from comicsdb.library.transfer.reader import ReadFile, read_in_child, read_rows
from comicsdb.library.transfer.reading import is_workbook, unpacked_size
from comicsdb.library.transfer.storing import ImportContext, ResolvedRow, pending_rows, store
from comicsdb.models import LibraryAct, LibraryImport, LibraryImportRow, User
from comicsdb.ops.worker import LONG_PAUSE, Worker, add_worker
from comicsdb.security import SESSION, Identity, make_identity

log = logging.getLogger(__name__)

READING, MATCHING, REVIEW, STORING = "reading", "matching", "review", "storing"
DONE, FAILED = "done", "failed"
IN_PROGRESS = (READING, MATCHING, STORING)
RETRY_AT = "retry_at"  # member of the payload of an import whose last piece failed, a timestamp
LARGE = 256 * 1024  # bytes; larger files are read in the background
LARGE_ROWS = 4000  # more rows are matched and stored in the background
MATCH_BATCH, STORE_BATCH = 5000, 1000  # rows per transaction
INSERT_BATCH = 5000  # rows per statement
ATTEMPTS = "attempts"  # member of the payload: how often the current piece was begun
ATTEMPTS_MAX = 3  # of a piece that ends its process each time, before it fails or has to wait
POLL_SECONDS = 1.0

OUR_ERROR = _("An error on this site stopped the import. Your library was not changed.")


# Steps.


def begin(session: Session, row: LibraryImport, *, rows: int, megabytes: int) -> None:
    """Read and match a small file at once; for any other, the thread begins soon after the commit.

    Raises InvalidError like `read_file`.
    """
    if unpacked_size(row.file) <= LARGE and not is_workbook(row.file):
        while not _read(session, row, read_rows(row.file, **_limits(row, rows, megabytes))):
            pass  # once more, as its columns are mapped
    else:
        session.flush()


def is_large(row: LibraryImport) -> bool:
    """Whether the rows of an import are matched and stored in the background."""
    return row.total > LARGE_ROWS


def _limits(row: LibraryImport, rows: int, megabytes: int) -> dict:
    chosen = {"currency": row.payload["currency"], "mapping": row.payload.get("mapping", {})}
    return {"rows": rows, "megabytes": megabytes, **chosen}


def _read(session: Session, row: LibraryImport, upload: ReadFile) -> bool:
    """Store the rows of a file, with their matches if they are few.

    False if the account remembers a mapping of its columns, with which it must be read again.
    """
    if "mapping" not in row.payload and upload.facts["headers"]:
        mapping = remembered_mapping(session, row.user_id, upload.facts["headers"])
        row.payload = row.payload | {"mapping": mapping}
        if mapping:
            return False
    row.payload = row.payload | upload.facts
    row.progress, row.total = 0, upload.total
    row.state = MATCHING if is_large(row) else REVIEW
    session.flush()
    while values := list(islice(upload.rows, INSERT_BATCH)):
        if not is_large(row):
            pairs = zip(values, _matches(session, values), strict=True)
            values = [record | match for record, match in pairs]
        session.execute(_INSERT, {"import": row.id, "rows": orjson.dumps(values).decode()})
    return True


def _matches(session: Session, rows: Sequence[Mapping]) -> list[dict]:
    """The columns of rows that tell their matches."""
    asked = [(row["part"] == PULL, MatchQuery.from_json(row["wanted"])) for row in rows]
    return [
        {"state": match.state, "match_id": match.id, "candidates": match.candidates, "reason": match.reason}
        for match in match_rows(session, asked)
    ]


def _match(session: Session, found: LibraryImport) -> None:
    """Match the next rows."""
    row = LibraryImportRow
    rows = select(row.index, row.part, row.wanted).where(row.import_id == found.id, row.state == "")
    some = session.execute(rows.order_by(row.index).limit(MATCH_BATCH)).mappings().all()
    pairs = zip(some, _matches(session, some), strict=True)
    records = [{"index": row["index"], **match} for row, match in pairs]
    session.execute(_STORE_MATCHES, {"import": found.id, "rows": orjson.dumps(records).decode()})
    found.progress += len(some)
    if len(some) < MATCH_BATCH:
        found.state = REVIEW


# Columns of rows as records of JSON.
_READ = (
    "index integer, part text, line integer, list_index integer, series text, says text, wanted jsonb,"
    ' "values" jsonb, unclear jsonb'
)
_MATCH = "state text, match_id integer, candidates integer[], reason text"
_INSERT = text(f"""
    INSERT INTO library_import_row (
        import_id, index, part, line, list_index, series, says, wanted, values, unclear,
        state, match_id, candidates, reason
    )
    SELECT :import, index, part, line, list_index, series, says, wanted, "values", unclear,
        coalesce(state, ''), match_id, coalesce(candidates, '{{}}'), coalesce(reason, '')
    FROM json_to_recordset(CAST(:rows AS json)) AS r ({_READ}, {_MATCH})
""")
_STORE_MATCHES = text(f"""
    UPDATE library_import_row r
    SET state = m.state, match_id = m.match_id, candidates = m.candidates, reason = m.reason
    FROM json_to_recordset(CAST(:rows AS json)) AS m (index integer, {_MATCH})
    WHERE r.import_id = :import AND r.index = m.index
""")


def store_piece(
    session: Session, found: LibraryImport, identity: Identity, official: str, today: date
) -> None:
    """Store the next rows of a confirmed import whose act has begun; reading lists come last."""
    statement, is_last = _next_rows(session, found)
    rows = session.execute(statement).all()
    matched = [row for row in rows if row.state == MATCHED]
    rows_are_copies = found.payload["form"] != "comicsdb"
    context = ImportContext(session, identity, official, found.payload["take_file"], rows_are_copies, today)
    resolved = [ResolvedRow(row.part, row.match_id, row.values, row.list_index, row.index) for row in matched]
    waiting = [
        entry
        for row in rows
        if row.state != MATCHED
        for entry in pending_rows(row.index, row.wanted, row.values, row.list_index)
    ]
    counted = store(context, resolved, stored_lists(found.payload) if is_last else [], waiting)
    found.progress += len(matched)
    found.counted = dict(Counter(found.counted) + counted)
    if is_last:
        found.state = DONE
        return
    stored = update(LibraryImportRow).where(
        LibraryImportRow.import_id == found.id, LibraryImportRow.index.in_([row.index for row in rows])
    )
    session.execute(stored.values(stored=True).execution_options(synchronize_session=False))


def _next_rows(session: Session, found: LibraryImport) -> tuple[Select, bool]:
    """The next rows to store, and whether they are the last: those of a small import all at once.

    Else they are those of the next issues of one part, as several rows of an issue may be several copies. All
    that is left for reading lists comes last.
    """
    row = LibraryImportRow
    rows = select(row.index, row.part, row.state, row.match_id, row.list_index, row.wanted, row.values)
    rows = rows.where(row.import_id == found.id, row.stored.is_(False)).order_by(row.index)
    matched = row.import_id == found.id, row.stored.is_(False), row.state == MATCHED
    parts: Sequence[str] = ()
    if is_large(found):
        parts = session.scalars(select(row.part).where(*matched, row.part != ITEMS).distinct()).all()
    part = next((part for part in PARTS if part in parts), None)
    if part is None:
        is_waiting = and_(row.part == ITEMS, row.state.in_((AMBIGUOUS, UNKNOWN)))
        return rows.where(or_(row.state == MATCHED, is_waiting)), True
    last = select(row.match_id).where(*matched, row.part == part).order_by(row.match_id)
    last = last.limit(STORE_BATCH).subquery()
    most = select(func.max(last.c.match_id)).scalar_subquery()
    return rows.where(row.state == MATCHED, row.part == part, row.match_id <= most), False


# Work in the background.


class Importer(Worker):
    """The thread that processes large imports and undoes large acts; each server process has one."""

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
        except InvalidError as error:
            session.rollback()
            _fail(session, import_id, state, [text for texts in error.errors.values() for text in texts])
            session.commit()
        except Exception as error:
            session.rollback()
            log.exception("Import %d failed in the state %s.", import_id, state)
            if state == STORING or is_unavailable(error):
                _postpone(session, import_id, state)
            else:
                _fail(session, import_id, state, [OUR_ERROR])
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


def _unchanged(session: Session, import_id: int, state: str) -> LibraryImport | None:
    """An import, locked, whose piece failed; None if another process has continued it."""
    same = select(LibraryImport).where(LibraryImport.id == import_id, LibraryImport.state == state)
    return session.scalar(same.with_for_update(skip_locked=True))


def _postpone(session: Session, import_id: int, state: str) -> None:
    """Let other imports go first."""
    if found := _unchanged(session, import_id, state):
        found.payload = found.payload | {RETRY_AT: clock.now().timestamp() + LONG_PAUSE}


def _fail(session: Session, import_id: int, state: str, reasons: Sequence) -> None:
    """Give up an import."""
    if found := _unchanged(session, import_id, state):
        language = session.scalar(select(User.language).where(User.id == found.user_id))
        own = localizer(language or DEFAULT_LANGUAGE)
        found.state, found.file = FAILED, None
        found.payload = found.payload | {"error": " ".join(translate(own, each) for each in reasons)}


def _read_piece(session: Session, found: LibraryImport, settings: Mapping) -> None:
    limits = _limits(found, settings[ROWS_SETTING], settings[BYTES_SETTING])
    with read_in_child(found.file, **limits) as upload:
        _read(session, found, upload)


def _match_piece(session: Session, found: LibraryImport, _settings: Mapping) -> None:
    _match(session, found)


def _store_piece(session: Session, found: LibraryImport, settings: Mapping) -> None:
    """Store the next rows, unless the import was undone.

    The account is locked before the act is read: who undoes the import meanwhile has done so, or waits.
    """
    lock_account(session, found.user_id)
    if session.get_one(LibraryAct, found.act_id, populate_existing=True).undone:
        found.state = DONE
        return
    acts.resume(session, found.user_id, found.act_id)
    owner = select(User).where(User.id == found.user_id).options(selectinload(User.groups))
    identity = make_identity(session.scalars(owner).one(), SESSION)
    store_piece(session, found, identity, settings["comicsdb.official_account"], session.info["today"])


_STEPS = {READING: _read_piece, MATCHING: _match_piece, STORING: _store_piece}


def includeme(config):
    """Start the thread, if the settings ask for one."""
    add_worker(
        config,
        "comicsdb.imports.worker",
        lambda registry: Importer(registry["comicsdb.session_factory"], registry.settings),
    )
