"""Reading lists as CBL, the XML format of comic readers such as ComicRack."""

from collections.abc import Iterable
from functools import partial
from io import BytesIO
from itertools import count
from pathlib import PurePath
from xml.etree import ElementTree as ET
from xml.parsers import expat

from sqlalchemy import case, func, literal, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.issue_numbers import clean_number
from comicsdb.library.transfer import values as read
from comicsdb.library.transfer.format import CBL, CBL_FILES, ITEMS, TOO_MANY_ROWS, Row, Upload, parse_fields
from comicsdb.library.transfer.matching import MatchQuery
from comicsdb.library.transfer.pending import ids_of, in_order, of_list
from comicsdb.library.transfer.tables import decode, file_error
from comicsdb.models import ExternalId, Issue, PendingEntry, Publisher, ReadingList, ReadingListItem, Series
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import EXTERNAL_SOURCES, ID_COLUMNS, YEARS, ListSource, Precision
from comicsdb.values import is_web_address, plain, split_name, split_volume

CONTENT_TYPE = "application/xml"
DEPTH_MAX = 20
NAME_MAX = 255
ID_LENGTH = 100
ADDRESS_MAX = 200
TAG_MAX = 64 * 1024  # largest tag of an element with its attributes, or comment, in bytes
ELEMENTS_MAX = 20  # per book
BOOKS_MAX = 10_000  # lower than for tables, as the request waits for it
UNNAMED = "Reading list"

NO_XML = _("This XML cannot be read: it is invalid near line ${line}.")
NO_CBL = _("This XML is not a reading list: its root element should be “ReadingList”.")
NOT_READ = _("The file “${name}” cannot be read.")
FORBIDDEN = _("This XML was rejected because it defines entities or a document type.")

PROBLEMS_MAX = 5  # files that are named as unreadable
SUFFIX = ".cbl"
UNKNOWN = ("0", "-1")  # numbers that programs write for unknown ones

_number = read.whole_between(1, INTEGER_MAX)
_year = read.whole_between(*YEARS)
_ATTRIBUTES = {
    "Series": read.line,
    "Number": lambda value: read.line(value, 25),
    "Volume": _year,
    "Year": _year,
    "Publisher": read.line,
}
# The databases whose issue ids books may contain, with our sources, and by plain name or code.
_OWN = "comicsdb"
_DATABASES = {
    **{plain(name): source for source, form in EXTERNAL_SOURCES.items() for name in (source, form.label)},
    "cv": "comicvine",
    _OWN: _OWN,
}
_WRITTEN = {"comicvine": "cv"}  # the names that most programs write
_ID_FIELDS = {_OWN: "id", **ID_COLUMNS}
# The elements with facts of the list.
_FACTS = ("Name", "Summary", "Source", "StartYear")
_LIST_SOURCES = {plain(name): source.value for source in ListSource for name in (source, source.label)}


class _RefusedError(Exception):
    def __init__(self, text, **mapping):
        super().__init__()
        self.error = file_error(text, **mapping)


class _Reader:
    """Handlers of the XML parser; they collect the facts of the list and its books, and ignore all else."""

    def __init__(self, max_rows: int):
        self.max_rows = max_rows
        self.elements = 0
        self.path: list[str] = []
        self.facts: dict[str, str] = dict.fromkeys(_FACTS, "")
        self.books: list[tuple[int, dict, dict]] = []  # (line, attributes, ids by source)
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text

    def read(self, data: bytes) -> None:
        """Parse in pieces; if the parser falls behind by more than TAG_MAX, it is inside an overlong tag."""
        for start in range(0, len(data), TAG_MAX):
            self.parser.Parse(data[start : start + TAG_MAX])
            if start - self.parser.CurrentByteIndex > TAG_MAX:
                raise _RefusedError(NO_CBL)
        self.parser.Parse(b"", True)

    def refuse(self, *_what):
        """Reject document types, which could define entities that expand endlessly or read files."""
        raise _RefusedError(FORBIDDEN)

    def start(self, tag, attributes):
        if not self.path and tag != "ReadingList":
            raise _RefusedError(NO_CBL)
        self.elements += 1
        if len(self.path) == DEPTH_MAX or self.elements > ELEMENTS_MAX * (self.max_rows + 1):
            raise _RefusedError(NO_CBL)
        self.path.append(tag)
        if self.path[1:] == ["Books", "Book"]:
            if len(self.books) == self.max_rows:
                raise _RefusedError(TOO_MANY_ROWS, most=self.max_rows)
            self.books.append((self.parser.CurrentLineNumber, attributes, {}))
        elif tag == "Database" and self.path[1:3] == ["Books", "Book"]:
            source = _DATABASES.get(plain(attributes.get("Name", "")))
            if source:
                self.books[-1][2].setdefault(source, attributes.get("Issue"))

    def end(self, _tag):
        self.path.pop()

    def text(self, text):
        tag = self.path[1] if len(self.path) == 2 else ""
        if tag in self.facts and len(self.facts[tag]) < read.NOTES_MAX:
            self.facts[tag] += text[: read.NOTES_MAX]


def read_cbl(data: bytes, *, rows: int) -> Upload:
    """The reading list of a CBL file of at most `rows` or BOOKS_MAX books; raises InvalidError for "file"."""
    reader = _Reader(min(rows, BOOKS_MAX))
    try:
        reader.read(decode(data).encode())
    except expat.ExpatError as error:
        raise file_error(NO_XML, line=error.lineno) from None
    except _RefusedError as refusal:
        raise refusal.error from None
    return Upload(CBL, [_row(*book) for book in reader.books], [_list_values(reader.facts)])


def read_cbl_files(files: Iterable[tuple[str, bytes]], *, rows: int) -> Upload:
    """The reading lists of CBL files, by name and content, of at most `rows` books in all.

    Lists without a name get that of their file; of lists with the same name, later ones get a number. Raises
    InvalidError for "file", which names the files that cannot be read.
    """
    upload, problems, names = Upload(CBL_FILES, []), [], set()
    for file_name, data in files:
        try:
            one = read_cbl(data, rows=rows)
        except InvalidError as error:
            problems.append((file_name, error))
            if len(problems) == PROBLEMS_MAX:
                break
            continue
        [values] = one.lists
        if values["name"] == UNNAMED:
            values["name"] = read.clean(PurePath(file_name).stem)[:NAME_MAX] or UNNAMED
        values["name"] = _free_name(values["name"], names)
        names.add(values["name"])
        for row in one.rows:
            row.list = len(upload.lists)
        upload.lists.append(values)
        upload.rows += one.rows
        if len(upload.rows) > rows:
            raise file_error(TOO_MANY_ROWS, most=rows)
    if problems:
        texts = [
            text for name, error in problems for text in (NOT_READ % {"name": name}, *error.errors["file"])
        ]
        raise InvalidError({"file": texts})
    return upload


def _free_name(name: str, names: set[str]) -> str:
    """The name, with a number if it is taken."""
    numbered = (f"{name[: NAME_MAX - 8]} ({number})" for number in count(2))
    return name if name not in names else next(free for free in numbered if free not in names)


def _list_values(facts: dict[str, str]) -> dict:
    """The values of the list; those that cannot be read are left out."""
    name, source = (" ".join(read.clean(facts[field]).split())[:NAME_MAX] for field in ("Name", "Source"))
    year = parse_fields(_without_unknown(facts), {"StartYear": _year}, []).get("StartYear")
    values = {
        "name": name or UNNAMED,
        "desc": read.clean(facts["Summary"], read.NOTES_MAX),
        "file_source": source,
        "start_year": year,
        "attribution_source": _LIST_SOURCES.get(plain(source)),
        "attribution_url": source if len(source) <= ADDRESS_MAX and is_web_address(source) else None,
    }
    return {field: value for field, value in values.items() if value}


def _row(line: int, attributes: dict, ids: dict) -> Row:
    unclear = []
    values = parse_fields(_without_unknown(attributes), _ATTRIBUTES, unclear)
    name, year, volume = split_name(values.get("Series", ""))
    if "Volume" in values:  # most programs write the series' first year
        number, began = split_volume(values["Volume"])
        year, volume = (began, volume) if began else (year, number)
    query = MatchQuery(
        series=name,
        number=clean_number(values.get("Number", "")),
        volume=volume,
        year=year,
        publisher=values.get("Publisher", ""),
        published=values.get("Year"),
        **read_ids(ids, unclear),
    )
    return Row(ITEMS, line, query, {}, unclear, list=0)


def _without_unknown(attributes: dict[str, str]) -> dict[str, str]:
    """The attributes without years and volumes such as 0."""
    numbers = ("Volume", "Year", "StartYear")
    return {
        name: value
        for name, value in attributes.items()
        if name not in numbers or value.strip() not in UNKNOWN
    }


def read_ids(ids: dict[str, str | None], unclear: list[tuple[str, str]]) -> dict:
    """The fields of a MatchQuery for ids by source; unreadable ones are added to `unclear`."""
    ids = {source: value for source, value in ids.items() if value and value.strip() not in UNKNOWN}
    found = parse_fields(ids, {source: partial(_issue_id, source) for source in ids}, unclear)
    fields = {field: found.pop(source) for source, field in _ID_FIELDS.items() if source in found}
    if found:
        fields["ids"] = " ".join(f"{source} {number}" for source, number in found.items())
    return fields


def _issue_id(source: str, text: str) -> str | int:
    number = text if source == _OWN else EXTERNAL_SOURCES[source].read(text[:ID_LENGTH])
    if number is None:
        raise read.UnclearError
    return _number(number) if source in _ID_FIELDS else number


def _source_label(reading_list: ReadingList) -> str:
    source = reading_list.attribution_source
    return str(ListSource(source).label) if source else ""


def write_cbl(session: Session, reading_list: ReadingList) -> bytes:
    """A reading list as CBL; callers check that the account may see it."""
    is_dated = Issue.cover_date_precision != Precision.NONE
    by_source = aggregate_order_by(literal(" "), ExternalId.source, ExternalId.id)
    other_ids = select(func.string_agg(ExternalId.source + " " + ExternalId.external_id, by_source)).where(
        ExternalId.issue_id == Issue.id, ExternalId.scope == ""
    )
    books = session.execute(
        select(
            Series.name.label("series"),
            Issue.number,
            Series.year_began,
            case((is_dated, Issue.cover_date), else_=Issue.store_date).label("day"),
            Issue.id,
            Issue.cv_id,
            Issue.gcd_id,
            Series.id.label("series_id"),
            Series.cv_id.label("series_cv"),
            Series.gcd_id.label("series_gcd"),
            Publisher.name.label("publisher"),
            func.coalesce(other_ids.scalar_subquery(), "").label("ids"),
        )
        .select_from(ReadingListItem)
        .join(Issue, Issue.id == ReadingListItem.issue_id)
        .join(Series, Series.id == Issue.series_id)
        .join(Publisher, Publisher.id == Series.publisher_id)
        .where(ReadingListItem.reading_list_id == reading_list.id)
        .order_by(ReadingListItem.order)
    ).all()
    entries = list(in_order(books, session.scalars(of_list(reading_list.id))))
    root = ET.Element("ReadingList")
    ET.SubElement(root, "Name").text = read.clean(reading_list.name)
    ET.SubElement(root, "NumIssues").text = str(len(entries))
    for tag, text in (
        ("Summary", reading_list.desc),
        ("Source", reading_list.file_source or reading_list.attribution_url or _source_label(reading_list)),
        ("StartYear", str(reading_list.start_year or "")),
    ):
        if text:
            ET.SubElement(root, tag).text = read.clean(text)
    shelf = ET.SubElement(root, "Books")
    for entry in entries:
        _write_entry(shelf, entry) if isinstance(entry, PendingEntry) else _write_issue(shelf, entry)
    ET.SubElement(root, "Matchers")
    ET.indent(root)
    written = BytesIO()
    ET.ElementTree(root).write(written, encoding="utf-8", xml_declaration=True)
    return written.getvalue()


def _write_issue(shelf, row):
    ids = (
        ("cv", row.series_cv, row.cv_id),
        ("gcd", row.series_gcd, row.gcd_id),
        (_OWN, row.series_id, row.id),
        *((source, None, number) for source, number in ids_of(row).items()),
    )
    _write_book(shelf, row, row.day.year if row.day else None, ids)


def _write_entry(shelf, entry: PendingEntry):
    """An entry that has no issue, as its file had it."""
    ids = [(_WRITTEN.get(source, source), None, number) for source, number in ids_of(entry).items()]
    _write_book(shelf, entry, entry.cover_date.year if entry.cover_date else entry.year, ids)


def _write_book(shelf, entry, year: int | None, ids):
    book = ET.SubElement(shelf, "Book", Series=read.clean(entry.series), Number=read.clean(entry.number))
    began = entry.year_began or getattr(entry, "volume", None)
    values = {"Volume": began, "Year": year, "Publisher": read.clean(entry.publisher)}
    book.attrib.update({name: str(value) for name, value in values.items() if value})
    for name, series_id, issue_id in ids:
        if issue_id:
            of_series = {"Series": str(series_id)} if series_id else {}
            ET.SubElement(book, "Database", Name=name, **of_series, Issue=str(issue_id))
