"""Reading lists as CBL, the XML format of comic readers such as ComicRack."""

from io import BytesIO
from xml.etree import ElementTree as ET
from xml.parsers import expat

from sqlalchemy import case, select
from sqlalchemy.orm import Session

from comicsdb.i18n import _
from comicsdb.issue_numbers import clean_number
from comicsdb.library.transfer import values as read
from comicsdb.library.transfer.format import CBL, ITEMS, TOO_MANY_ROWS, Row, Upload, parse_fields
from comicsdb.library.transfer.matching import FIRST_YEAR, MatchQuery, split_name
from comicsdb.library.transfer.tables import decode, file_error
from comicsdb.models import Issue, Publisher, ReadingList, ReadingListItem, Series
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import Precision

CONTENT_TYPE = "application/xml"
DEPTH_MAX = 20
NAME_MAX = 255
TAG_MAX = 64 * 1024  # largest tag of an element with its attributes, or comment, in bytes
ELEMENTS_MAX = 20  # per book
BOOKS_MAX = 10_000  # lower than for tables, as the request waits for it
UNNAMED = "Reading list"

NO_XML = _("This XML cannot be read: it is invalid near line ${line}.")
NO_CBL = _("This XML is not a reading list: its root element should be “ReadingList”.")
FORBIDDEN = _("This XML was rejected because it defines entities or a document type.")

_id = read.whole_between(1, INTEGER_MAX)
_ATTRIBUTES = {
    "Series": read.line,
    "Number": lambda value: read.line(value, 25),
    "Volume": read.whole_between(0, 9999),
    "Year": read.whole_between(1, 9999),
    "Publisher": read.line,
}
# The databases whose issue ids books may contain, with our fields.
_DATABASES = {"cv": "cv_id", "comicvine": "cv_id", "gcd": "gcd_id", "comicsdb": "id"}


class _RefusedError(Exception):
    def __init__(self, text, **mapping):
        super().__init__()
        self.error = file_error(text, **mapping)


class _Reader:
    """Handlers of the XML parser; they collect the name and the books, and ignore everything else."""

    def __init__(self, max_rows: int):
        self.max_rows = max_rows
        self.elements = 0
        self.path: list[str] = []
        self.name: list[str] = []
        self.books: list[tuple[int, dict, dict]] = []  # (line, attributes, ids by field)
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
        elif self.path[1:] == ["Books", "Book", "Database"]:
            name = _DATABASES.get(attributes.get("Name", "").casefold())
            if name:
                self.books[-1][2][name] = attributes.get("Issue")

    def end(self, _tag):
        self.path.pop()

    def text(self, text):
        if self.path[1:] == ["Name"] and len(self.name) < NAME_MAX:
            self.name.append(text)


def read_cbl(data: bytes, *, rows: int) -> Upload:
    """The reading list of a CBL file of at most `rows` or BOOKS_MAX books; raises InvalidError for "file"."""
    reader = _Reader(min(rows, BOOKS_MAX))
    try:
        reader.read(decode(data).encode())
    except expat.ExpatError as error:
        raise file_error(NO_XML, line=error.lineno) from None
    except _RefusedError as refusal:
        raise refusal.error from None
    name = " ".join("".join(reader.name).split())[:NAME_MAX] or UNNAMED
    return Upload(CBL, [_row(*book) for book in reader.books], [{"name": read.clean(name)}])


def _row(line: int, attributes: dict, ids: dict) -> Row:
    unclear = []
    values = parse_fields(attributes, _ATTRIBUTES, unclear) | parse_fields(
        ids, dict.fromkeys(_DATABASES.values(), _id), unclear
    )
    name, year, volume = split_name(values.get("Series", ""))
    if "Volume" in values:  # most programs write the series' first year
        began = values["Volume"] >= FIRST_YEAR
        year, volume = (values["Volume"], volume) if began else (year, values["Volume"])
    wanted = MatchQuery(
        series=name,
        number=clean_number(values.get("Number", "")),
        volume=volume,
        year=year,
        publisher=values.get("Publisher", ""),
        published=values.get("Year"),
        **{field: values[field] for field in set(_DATABASES.values()) if field in values},
    )
    return Row(ITEMS, line, wanted, {}, unclear, list=0)


def write_cbl(session: Session, reading_list: ReadingList) -> bytes:
    """A reading list as CBL; callers check that the account may see it."""
    known = Issue.cover_date_precision != Precision.NONE
    books = session.execute(
        select(
            Series.name,
            Issue.number,
            Series.year_began,
            case((known, Issue.cover_date), else_=Issue.store_date),
            Issue.id,
            Issue.cv_id,
            Issue.gcd_id,
            Series.id,
            Series.cv_id,
            Series.gcd_id,
            Publisher.name,
        )
        .select_from(ReadingListItem)
        .join(Issue, Issue.id == ReadingListItem.issue_id)
        .join(Series, Series.id == Issue.series_id)
        .join(Publisher, Publisher.id == Series.publisher_id)
        .where(ReadingListItem.reading_list_id == reading_list.id)
        .order_by(ReadingListItem.order)
    ).all()
    root = ET.Element("ReadingList")
    ET.SubElement(root, "Name").text = read.clean(reading_list.name)
    ET.SubElement(root, "NumIssues").text = str(len(books))
    shelf = ET.SubElement(root, "Books")
    for series, number, began, day, own, cv, gcd, series_own, series_cv, series_gcd, publisher in books:
        book = ET.SubElement(
            shelf,
            "Book",
            Series=read.clean(series),
            Number=read.clean(number),
            Volume=str(began),
            **({"Year": str(day.year)} if day else {}),
            Publisher=read.clean(publisher),
        )
        for name, of_series, of_issue in (
            ("cv", series_cv, cv),
            ("gcd", series_gcd, gcd),
            ("comicsdb", series_own, own),
        ):
            if of_issue:
                of = {"Series": str(of_series)} if of_series else {}
                ET.SubElement(book, "Database", Name=name, **of, Issue=str(of_issue))
    ET.SubElement(root, "Matchers")
    ET.indent(root)
    written = BytesIO()
    ET.ElementTree(root).write(written, encoding="utf-8", xml_declaration=True)
    return written.getvalue()
