"""Imports of library files: uploaded, matched with the catalog, reviewed by their owner, then confirmed.

Until it is confirmed, an import changes nothing in the library. Only its owner can see it. Its file is kept
until then, so that it can be read again.
"""

from collections.abc import Mapping
from datetime import date, timedelta

from sqlalchemy import ARRAY, Select, String, any_, cast, delete, func, or_, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.library import acts
from comicsdb.library.locks import find_row, lock_account
from comicsdb.library.transfer import background
from comicsdb.library.transfer.format import stored_lists
from comicsdb.library.transfer.matching import MATCHED
from comicsdb.library.transfer.reading import MEGABYTE, TOO_LARGE, unpacked_size
from comicsdb.library.transfer.review import (
    DECISIONS,
    Choices,
    apply_decisions,
    match_in_series,
    save_choices,
)
from comicsdb.library.transfer.tables import file_error
from comicsdb.models import LibraryImport, LibraryImportRow, ReadingList
from comicsdb.models.currencies import Currency
from comicsdb.security import Identity

KIND = LibraryImport.__tablename__
RETENTION = timedelta(days=1)  # how long an import can be confirmed
PENDING_MAX = 3  # imports per account; a further one deletes the oldest
FILE_NAME_MAX = 100
UPLOADED = (
    "name",
    "currency",
    "is_private",
    "mapping",
)  # members of a payload that do not come from the file

NO_FILE = _("Choose a file.")
NO_CURRENCY = _("Choose one of the currencies.")
BEING_STORED = _("This import is being added to your library. You can undo it as soon as it is done.")
NO_NAME = _("The name of a reading list may have at most ${most} characters.")


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
    """Read a file and match its rows, or let that be done soon after the commit if it is large.

    `currency` is used for prices without one, `is_private` for the lists of CBL files. The number of
    statements does not depend on the number of rows. Raises InvalidError for "file" or "currency".
    """
    if currency not in set(Currency):
        raise InvalidError({"currency": [NO_CURRENCY]})
    if not data:
        raise InvalidError({"file": [NO_FILE]})
    if unpacked_size(data) > megabytes * MEGABYTE:
        raise file_error(TOO_LARGE, most=megabytes)
    payload = {"name": _printable(name), "currency": currency, "is_private": is_private}
    row = LibraryImport(user_id=user_id, payload=payload, state=background.READING, file=data)
    session.add(row)
    background.begin(session, row, rows=rows, megabytes=megabytes)
    lock_account(session, user_id)
    _make_room(session, user_id)
    return row


def reread(session: Session, row: LibraryImport, changes: Mapping, *, rows: int, megabytes: int) -> None:
    """Read the file of an import under review again, with changes of its payload, and match its rows anew.

    The member `mapping` maps columns of a table to fields, as for `read_file`. All choices are dropped.
    Nothing happens if the import is not under review, or its file is gone.
    """
    if row.state != background.REVIEW or row.file is None:
        return
    session.execute(delete(LibraryImportRow).where(LibraryImportRow.import_id == row.id))
    row.payload = {name: row.payload[name] for name in UPLOADED if name in row.payload} | changes
    row.state, row.progress, row.total = background.READING, 0, 0
    background.begin(session, row, rows=rows, megabytes=megabytes)


def _make_room(session: Session, user_id: int) -> None:
    """Delete all imports of an account but the newest; those that are done or failed go first."""
    is_over = LibraryImport.state.in_((background.DONE, background.FAILED))
    newest = select(LibraryImport.id).where(LibraryImport.user_id == user_id)
    newest = newest.order_by(is_over, LibraryImport.id.desc()).limit(PENDING_MAX)
    old = delete(LibraryImport).where(
        LibraryImport.user_id == user_id,
        LibraryImport.id.not_in(newest),
        LibraryImport.state != background.STORING,
    )
    session.execute(old.execution_options(synchronize_session=False))


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
    rows = _pending(user_id)
    if lock:  # another request may have changed it since it was loaded
        rows = rows.with_for_update().execution_options(populate_existing=True)
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


def existing_list_names(session: Session, waiting_import: LibraryImport) -> set[str]:
    """The names of reading lists in the import that its owner already has."""
    names = [each["name"] for each in waiting_import.payload["lists"]]
    rows = select(ReadingList.name).where(
        ReadingList.user_id == waiting_import.user_id, ReadingList.name == any_(cast(names, ARRAY(String)))
    )
    return set(session.scalars(rows)) if names else set()


def save(session: Session, user_id: int, import_id: int, choices: Choices) -> None:
    """Keep the choices on a page of a review; raises like `confirm`."""
    row = pending_import(session, user_id, import_id, lock=True)
    if row.state == background.REVIEW:
        with session.begin_nested():
            _save(session, row, choices)


def choose_series(
    session: Session, user_id: int, import_id: int, name: str, series_id: int
) -> tuple[int, list[str]]:
    """Match all uncertain rows that name a series with issues of the one that their owner looked for.

    Returns how many have an issue now, and the others in words: the series does not have their numbers.
    """
    row = pending_import(session, user_id, import_id, lock=True)
    return match_in_series(session, row, name, series_id) if row.state == background.REVIEW else (0, [])


def confirm(
    session: Session, identity: Identity, official: str, import_id: int, choices: Choices, today: date
) -> LibraryImport:
    """Store an import as its owner chose, or let that be done soon after the commit if it is large.

    What has no choice is left out, but for entries of reading lists, which stay there. An import that is not
    under review is returned as it is, as its form was sent twice. Nothing changes if an exception is raised:
    NotFoundError, or InvalidError for a choice that was not offered ("__all__") or an invalid reading list.
    """
    row = pending_import(session, identity.user_id, import_id, lock=True)
    if row.state != background.REVIEW:
        return row
    with session.begin_nested(), session.no_autoflush:
        _save(session, row, choices)
        apply_decisions(session, row)
        row.payload = row.payload | {DECISIONS: {}}
        row.act_id = acts.begin_as(session, row.user_id, acts.IMPORT, about=row.payload["name"])
        row.state, row.progress, row.file = background.STORING, 0, None
        if background.is_large(row):
            rows = LibraryImportRow.import_id == row.id, LibraryImportRow.state == MATCHED
            row.total = session.scalar(select(func.count()).where(*rows))
        else:
            background.store_piece(session, row, identity, official, today)
        session.flush()
    return row


def _save(session: Session, row: LibraryImport, choices: Choices) -> None:
    save_choices(session, row, choices)
    take_file = row.payload.get("take_file", False) if choices.take_file is None else choices.take_file
    row.payload = row.payload | {"take_file": take_file, "lists": _named_lists(row, choices)}


def _named_lists(row: LibraryImport, choices: Choices) -> list[dict]:
    """The reading lists to store; the owner may have renamed the first one."""
    lists = stored_lists(row.payload)
    if lists and choices.list_values:
        name = " ".join(str(choices.list_values.get("name", "")).split())
        if not name or len(name) > 255:
            raise InvalidError({"list_name": [NO_NAME % {"most": 255}]})
        lists[0] |= {**choices.list_values, "name": name}
    return lists
