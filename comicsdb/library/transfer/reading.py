"""Reads uploaded files: detects their format and parses them, within limits on rows and bytes."""

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import orjson

from comicsdb.i18n import _
from comicsdb.json_text import has_more_parts
from comicsdb.library.transfer import foreign_tables
from comicsdb.library.transfer.cbl import SUFFIX, read_cbl, read_cbl_files
from comicsdb.library.transfer.format import (
    COLLECTION,
    COLUMNS,
    FORMAT,
    ITEMS,
    LIST_FIELDS,
    LISTS,
    LISTS_MAX,
    PARTS,
    PULL,
    RATINGS,
    READS,
    TOO_MANY_ROWS,
    VERSION,
    WISHES,
    Row,
    Upload,
    parse_fields,
    parse_row,
)
from comicsdb.library.transfer.tables import (
    DAMAGED,
    MEGABYTE,
    NO_ROWS,
    TOO_LARGE,
    Table,
    columns_left_out,
    decode,
    file_error,
    table,
)
from comicsdb.values import day_first_as_iso, is_day_first, plain, without_bad_characters

NO_MAPPING: Mapping[str, str] = MappingProxyType({})
PARTS_MAX = 20  # containers, members and elements of JSON, per allowed row
ARCHIVE_START = b"PK\x03\x04"
WORKBOOK = "xl/workbook.xml"  # a file that all XLSX workbooks have
ENTRIES_MAX = 50  # files per archive, besides reading lists
TABLES = {f"{part}.csv": part for part in (*PARTS, LISTS)}  # by their names in an archive

NO_JSON = _("This JSON cannot be read: it is invalid or nested too deeply.")
NOT_OURS = _("This JSON is not a comicsdb library: its “format” should be “${format}”.")
TOO_NEW = _("This file has version ${version} of the format; this site reads version ${known}.")
NO_ARCHIVE = _("The archive cannot be read: it is damaged or has a password.")
NOTHING_KNOWN = _("The archive has neither CBL files nor comicsdb's tables.")
TOO_MANY_LISTS = _("The file has more than ${most} reading lists: please split it.")
NO_LIST_NAME = _("A reading list in the file has no name, or one of more than 255 characters.")

# The columns that identify one of our own tables; the first match counts.
_MARKS = (
    (LISTS, {"list", "is_private"}),
    (ITEMS, {"list_name", "issue_id"}),
    (WISHES, {"issue_id", "priority"}),
    (COLLECTION, {"issue_id", "quantity"}),
    (RATINGS, {"issue_id", "rating"}),
    (READS, {"issue_id", "read_dates"}),
    (PULL, {"series_id"}),
)

# The columns with dates, under their plain names.
_DATED = tuple(map(plain, ("cover_date", "purchase_date", "read_dates", "added")))


def read_file(data: bytes, *, rows: int, megabytes: int, mapping: Mapping[str, str] = NO_MAPPING) -> Upload:
    """Parse a file of any known format; raises InvalidError for the field "file".

    It may have at most `rows` rows and `megabytes` MB, even when unpacked. `mapping` has the fields that its
    owner chose for columns of a table. Workbooks are only read in a child process.
    """
    if len(data) > megabytes * MEGABYTE:
        raise file_error(TOO_LARGE, most=megabytes)
    if is_workbook(data):
        from comicsdb.library.transfer.workbooks import read_workbook  # noqa: PLC0415  (in the child only)

        upload = _read_table(read_workbook(data, rows, megabytes), rows, mapping)
    elif data.startswith(ARCHIVE_START):
        upload = _read_archive(data, rows, megabytes)
    else:
        upload = _read_text(decode(data).lstrip()[:1], data, rows, mapping)
    if not upload.rows and not upload.lists:
        raise file_error(NO_ROWS)
    return upload


def is_workbook(data: bytes) -> bool:
    """Whether a file is an XLSX workbook."""
    if not data.startswith(ARCHIVE_START):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return WORKBOOK in archive.namelist()
    except DAMAGED:
        return False


def _read_text(first: str, data: bytes, rows: int, mapping: Mapping[str, str]) -> Upload:
    if first in {"{", "["}:
        return _parse_json(decode(data), rows)
    if first == "<":
        return read_cbl(data, rows=rows)
    return _read_table(table(data, rows), rows, mapping)


def _read_table(sheet: Table, rows: int, mapping: Mapping[str, str]) -> Upload:
    part = next((part for part, marks in _MARKS if set(map(plain, marks)) <= set(sheet.titles)), None)
    return _parse_tables({part: sheet}, rows) if part else foreign_tables.read_table(sheet, mapping)


# JSON.


def _parse_json(text: str, max_rows: int) -> Upload:
    if has_more_parts(text, PARTS_MAX * (max_rows + LISTS_MAX)):
        raise file_error(TOO_MANY_ROWS, most=max_rows)
    try:
        document = orjson.loads(text)
    except (orjson.JSONDecodeError, RecursionError):
        raise file_error(NO_JSON) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise file_error(NOT_OURS, format=FORMAT)
    if document.get("version") != VERSION:
        version = without_bad_characters(str(document.get("version"))[:20])
        raise file_error(TOO_NEW, version=version, known=VERSION)
    upload = Upload("comicsdb", [])
    for part in PARTS:
        for number, record in enumerate(_records(document.get(part)), 1):
            _append(upload, parse_row(part, number, record), max_rows)
    for record in _records(document.get(LISTS)):
        place = _add_list(upload, record)
        for number, item in enumerate(_records(record.get("items")), 1):
            row = parse_row(ITEMS, number, item)
            row.list = place
            _append(upload, row, max_rows)
    return upload


def _records(value) -> Iterator[dict]:
    """The objects in a list; other values are ignored."""
    yield from (each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()


def _append(upload: Upload, row: Row, max_rows: int) -> None:
    if len(upload.rows) == max_rows:
        raise file_error(TOO_MANY_ROWS, most=max_rows)
    upload.rows.append(row)


def _add_list(upload: Upload, record: dict) -> int:
    if len(upload.lists) == LISTS_MAX:
        raise file_error(TOO_MANY_LISTS, most=LISTS_MAX)
    values = parse_fields(record, LIST_FIELDS, [])
    if "name" not in values:
        raise file_error(NO_LIST_NAME)
    upload.lists.append(values)
    return len(upload.lists) - 1


# Tables.


def unpacked_size(data: bytes) -> int:
    """The bytes of a file, or those that the tables and lists of an archive declare to have: no more."""
    if not data.startswith(ARCHIVE_START):
        return len(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            sizes = [
                member.file_size
                for member in archive.infolist()
                if member.filename in TABLES or _is_list(member)
            ]
            return max(len(data), sum(sizes))
    except DAMAGED:
        return len(data)


def _is_list(member: zipfile.ZipInfo) -> bool:
    """Whether a file of an archive is a reading list, not what another system stores beside it (`._`)."""
    name = member.filename.rpartition("/")[2]
    return name.lower().endswith(SUFFIX) and not name.startswith("._")


def pack_lists(files: Sequence[tuple[str, bytes]]) -> bytes:
    """An archive of reading lists, from the names and contents of uploaded files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files:
            archive.writestr(name if name.lower().endswith(SUFFIX) else name + SUFFIX, data)
    return packed.getvalue()


def _read_archive(data: bytes, rows: int, megabytes: int) -> Upload:
    """The lists of an archive with CBL files, or else its tables."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            lists = sorted(filter(_is_list, members), key=lambda member: member.filename)
            if len(lists) > LISTS_MAX:
                raise file_error(TOO_MANY_LISTS, most=LISTS_MAX)
            if lists:
                return read_cbl_files(_contents(archive, lists, megabytes), rows=rows)
            if len(members) > ENTRIES_MAX:
                raise file_error(NO_ARCHIVE)
            named = {member.filename: member for member in members}
            tables = {
                TABLES[name]: table(content, rows)
                for name, content in _contents(
                    archive, [named[name] for name in TABLES if name in named], megabytes
                )
                if len(decode(content).splitlines()) > 1  # has more than the header
            }
    except DAMAGED:
        raise file_error(NO_ARCHIVE) from None
    if not tables:
        raise file_error(NOTHING_KNOWN)
    return _parse_tables(tables, rows)


def _contents(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], megabytes: int
) -> Iterator[tuple[str, bytes]]:
    """Names and contents; the limit applies to the unpacked data, not to the sizes that they declare."""
    left = megabytes * MEGABYTE
    for member in members:
        with archive.open(member) as file:
            content = file.read(left + 1)
        left -= len(content)
        if left < 0:
            raise file_error(TOO_LARGE, most=megabytes)
        yield member.filename, content


def _parse_tables(tables: dict[str, Table], max_rows: int) -> Upload:
    upload = Upload("comicsdb", [])
    for part, sheet in tables.items():
        upload.columns += columns_left_out(sheet, set(map(plain, COLUMNS[part])), NO_MAPPING)
        upload.sheets = sheet.sheets
    dated = [
        (record, name)
        for found in tables.values()
        for _number, record in found.records
        for name in _DATED
        if record.get(name)
    ]
    if is_day_first(record[name] for record, name in dated):  # a spreadsheet rewrote them
        for record, name in dated:
            record[name] = day_first_as_iso(record[name])
    places = {}  # the index of each list, by its number or name
    for _number, record in _named(tables.get(LISTS), LISTS):
        places[record.get("list") or record.get("name")] = _add_list(upload, record)
    for part in PARTS:
        for number, record in _named(tables.get(part), part):
            row = parse_row(part, number, record)
            if part == ITEMS:
                row.list = _place(upload, places, record)
            _append(upload, row, max_rows)
    upload.rows.sort(key=lambda row: row.part == ITEMS)  # stable: items keep the order of their table
    return upload


def _place(upload: Upload, places: dict, record: dict) -> int:
    """The index of an item's list; if the file has no table of lists, lists are added by name."""
    key = record.get("list") or record.get("list_name")
    if key not in places:
        places[key] = _add_list(upload, {"name": record.get("list_name")})
    return places[key]


def _named(sheet: Table | None, part: str) -> Iterator[tuple[int, dict]]:
    """The records of a table, with our column names."""
    names = {plain(name): name for name in COLUMNS[part]}
    for number, record in sheet.records if sheet else ():
        yield number, {names[name]: value for name, value in record.items() if name in names}
