"""Files of reading lists that an operator imports: CBL, our own JSON, and the JSON of Metron's command."""

import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import orjson
from sqlalchemy import select
from sqlalchemy.orm import Session

from comicsdb.i18n import _
from comicsdb.library import acts
from comicsdb.library.transfer import values as read
from comicsdb.library.transfer.format import ITEMS, LIST_FIELDS, Row, Upload, parse_fields
from comicsdb.library.transfer.matching import MatchQuery, match_rows
from comicsdb.library.transfer.pending import can_wait
from comicsdb.library.transfer.reading import MEGABYTE, NO_LIST_NAME, TOO_LARGE, read_file
from comicsdb.library.transfer.storing import ImportContext, PendingRow, ResolvedRow, store
from comicsdb.library.transfer.tables import file_error
from comicsdb.models import ReadingList
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import ListSource
from comicsdb.security import Identity

SUFFIXES = (".cbl", ".json")
ARCHIVE = ".zip"
# Before the name of a list: [1963], (1963-1970), [2019–] and the like, which collections of lists sort by.
_YEARS = re.compile(r"[\[(]\s*[0-9]{4}\s*(?:[-–—]\s*(?:[0-9]{4})?\s*)?[\])]\s*(?:[-–—:]\s*)?")
NO_LIST = _("The file has no reading list.")
NO_SOURCE = _("The “source” of the list is “${source}”, not one of: ${known}.")
NO_BOOKS = _("Each of the “books” needs an “index” and an “issue_id”, both whole numbers.")
_number = read.whole_between(0, INTEGER_MAX)


@dataclass(frozen=True)
class Outcome:
    """What became of the lists of a file; `missing` has a row for each issue that was not found.

    `repeated` counts entries for an issue that their list has already. With `is_refused`, nothing was stored.
    """

    added: list[str]
    existing: list[str]
    items: int
    missing: list[Row]
    repeated: int = 0
    is_refused: bool = False


def list_files(paths: Iterable[Path], *, megabytes: int) -> Iterator[tuple[str, bytes]]:
    """The names and contents of files, of those in folders and below, and of those in ZIP archives, sorted.

    Raises OSError and BadZipFile. Of a file that is too large, a little more than `megabytes` is read.
    """
    most = megabytes * MEGABYTE + 1
    for path in paths:
        if path.is_dir():
            inside = [file for file in path.rglob("*") if file.suffix.lower() in (*SUFFIXES, ARCHIVE)]
            yield from list_files(sorted(inside), megabytes=megabytes)
        elif path.suffix.lower() == ARCHIVE:
            with zipfile.ZipFile(path) as archive:
                for name in sorted(archive.namelist()):
                    if name.lower().endswith(SUFFIXES):
                        with archive.open(name) as member:
                            yield f"{path}: {name}", member.read(most)
        else:
            with path.open("rb") as file:
                yield str(path), file.read(most)


def read_lists(data: bytes, *, rows: int, megabytes: int) -> Upload:
    """The reading lists of a file, without years before their names; raises InvalidError for "file"."""
    if len(data) > megabytes * MEGABYTE:
        raise file_error(TOO_LARGE, most=megabytes)
    upload = _read_books(data) or read_file(data, rows=rows, megabytes=megabytes)
    if not upload.lists:
        raise file_error(NO_LIST)
    for values in upload.lists:
        values["name"] = _YEARS.sub("", values["name"], count=1).strip() or values["name"]
    return upload


def _read_books(data: bytes) -> Upload | None:
    """The list of a file of Metron's form: name, source, and books with index and issue id; else None."""
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(document, dict) or not isinstance(document.get("books"), list):
        return None
    record = {"name": document.get("name"), "attribution_source": document.get("source")}
    unclear: list[tuple[str, str]] = []
    values = parse_fields(record, LIST_FIELDS, unclear)
    if "name" not in values:
        raise file_error(NO_LIST_NAME)
    if unclear:
        raise file_error(NO_SOURCE, source=unclear[0][1], known=" ".join(ListSource))
    books = []
    for book in document["books"]:
        fields = dict.fromkeys(("index", "issue_id"), _number)
        numbers = parse_fields(book, fields, []) if isinstance(book, dict) else {}
        if len(numbers) < len(fields):
            raise file_error(NO_BOOKS)
        books.append((numbers["index"], numbers["issue_id"]))
    rows = [Row(ITEMS, index, MatchQuery(id=issue_id), {}, list=0) for index, issue_id in sorted(books)]
    return Upload("metron", rows, [values])


def import_lists(
    session: Session,
    identity: Identity,
    official: str,
    upload: Upload,
    *,
    about: str,
    is_private: bool,
    skip_missing: bool,
    today: date,
) -> Outcome:
    """Store the lists of a file that the account does not have yet; does not commit.

    Issues are numbered from 1 in the order of the file, each once. Entries without a certain match stay in
    their list, or are left out with `skip_missing`. Without it, nothing is stored if one is known by an id of
    ours alone, which will never exist. Nor is a list without any entry. Raises InvalidError for an invalid
    list.
    """
    rows = [row for row in upload.rows if row.part == ITEMS]
    matches = match_rows(session, [(False, row.wanted) for row in rows])
    missing = [row for row, match in zip(rows, matches, strict=True) if match.id is None]
    if not skip_missing and any(not can_wait(row.wanted) for row in missing):
        return Outcome([], [], 0, missing, is_refused=True)
    resolved, waiting = [], []
    for index, (row, match) in enumerate(zip(rows, matches, strict=True)):
        if match.id is not None:
            resolved.append(ResolvedRow(ITEMS, match.id, row.values, row.list, index))
        elif not skip_missing:
            waiting.append(PendingRow(row.wanted, row.values, row.list, index))
    owned = select(ReadingList.name, ReadingList.attribution_source).where(
        ReadingList.user_id == identity.user_id
    )
    names = {tuple(row) for row in session.execute(owned)}
    filled = {row.list for row in (*resolved, *waiting)}
    existing, places = [], {}
    for place, values in enumerate(upload.lists):
        key = (values["name"], values.get("attribution_source", ""))
        if key in names:
            existing.append(values["name"])
        elif place in filled:
            names.add(key)
            places[place] = len(places)
    lists = [_placed(upload.lists[place], places) | {"is_private": is_private} for place in places]
    if not lists:
        return Outcome([], existing, 0, missing)
    acts.begin_as(session, identity.user_id, acts.IMPORT, about=about)
    rows_of_new = [replace(row, list=places[row.list]) for row in resolved if row.list in places]
    waiting_of_new = [replace(row, list=places[row.list]) for row in waiting if row.list in places]
    context = ImportContext(session, identity, official, take_file=False, rows_are_copies=False, today=today)
    counted = store(context, rows_of_new, lists, waiting_of_new)
    names = [values["name"] for values in lists]
    return Outcome(names, existing, counted[f"{ITEMS}_added"], missing, counted[f"{ITEMS}_repeated"])


def _placed(values: dict, places: dict[int, int]) -> dict:
    """The values of a list whose neighbours have their new places, from 1; the others are left out."""
    moved = {side: places.get(values[side] - 1) for side in ("previous", "next") if side in values}
    kept = {name: value for name, value in values.items() if name not in moved}
    return kept | {side: place + 1 for side, place in moved.items() if place is not None}
