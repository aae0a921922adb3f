"""The fields of library files (docs/library.md), and the common form into which all files are parsed.

Our own JSON and CSV, the files of other sites and CBL all become an `Upload`: rows, each about one issue or
series, and reading lists, to which rows may belong. All uploads are matched, reviewed and stored the same
way.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import MINYEAR
from functools import partial

from sqlalchemy import Boolean, Date, DateTime, Numeric, String

from comicsdb.i18n import _
from comicsdb.issue_numbers import clean_number
from comicsdb.library.transfer import values as read
from comicsdb.library.transfer.matching import MatchQuery
from comicsdb.library.transfer.values import UnclearError
from comicsdb.models import (
    CollectionItem,
    Issue,
    IssueRating,
    Publisher,
    PullListSeries,
    ReadingList,
    ReadingListItem,
    Series,
    Variant,
    WishListItem,
)
from comicsdb.models.base import INTEGER_MAX, allowed_values
from comicsdb.models.choices import EXTERNAL_SOURCES, ID_COLUMNS, YEARS, Precision
from comicsdb.schemas.collection import WHOLE_DIGITS
from comicsdb.schemas.types import amount_problem
from comicsdb.values import one_line, partial_day, read_money, split_name

FORMAT, VERSION = "comicsdb-library", 1
COLLECTION, PULL, WISHES, RATINGS, READS = "collection", "pull_list", "wish_list", "ratings", "reads"
LISTS, ITEMS = "reading_lists", "reading_list_items"
PARTS = (COLLECTION, PULL, WISHES, RATINGS, READS, ITEMS)
LISTS_MAX = 500  # reading lists per file
READS_MAX = 500  # read dates per issue
COPIES_MAX = 1000  # items per issue
UNCLEAR_SHOWN = 60  # characters shown of a value that could not be interpreted

MONEY = (("purchase_price", "purchase_currency"), ("max_price", "max_currency"))

ROWS_SETTING, BYTES_SETTING = "comicsdb.imports.rows", "comicsdb.imports.megabytes"

_id = read.whole_between(1, INTEGER_MAX)
# Our own forms accept all years.
_day, _moment = partial(read.day, earliest=MINYEAR), partial(read.moment, earliest=MINYEAR)


def amount(value) -> str | None:
    """An amount without its currency."""
    found = read.money(value)
    return found[0] if found else None


def moments(value) -> list[str] | None:
    """Times without duplicates, from a list or from a text separated by spaces, commas or semicolons."""
    parts = (
        value if isinstance(value, list) else read.clean(value).replace(";", " ").replace(",", " ").split()
    )
    if len(parts) > READS_MAX:
        raise UnclearError
    return sorted({each for part in parts if (each := _moment(part))}) or None


def external_ids(value) -> str | None:
    """Ids of further sources, as in "metron 17 locg 4"."""
    words = read.clean(value).split()
    ids = dict(zip(words[::2], words[1::2], strict=False))
    for source, number in ids.items():
        is_further = source in EXTERNAL_SOURCES and source not in ID_COLUMNS
        if not is_further or EXTERNAL_SOURCES[source].read(number) != number:
            raise UnclearError
    if 2 * len(ids) < len(words):  # an odd number of words, or two ids of one source
        raise UnclearError
    return " ".join(words) or None


def _reader(attribute):
    """The parser for a column, by its type and the checks of its table."""
    column = attribute.property.columns[0]
    codes, bounds = allowed_values(column)
    if codes or bounds:
        return read.one_of(codes) if codes else read.whole_between(*bounds)
    if isinstance(column.type, String):
        length = column.type.length
        return (lambda value: read.line(value, length)) if length else read.notes
    if isinstance(column.type, Numeric):
        return read.grade if column.type.scale else amount
    return {Boolean: read.flag, Date: _day, DateTime: _moment}[type(column.type)]


def _readers(model, names: str) -> dict:
    return {name: _reader(getattr(model, name)) for name in names.split()}


# Fields that identify an issue or series, with their parsers; the names are those in CSV and JSON.
SERIES_FIELDS = {
    "series": _reader(Series.name),
    "series_volume": _reader(Series.volume),
    "series_year": _reader(Series.year_began),
    "publisher": _reader(Publisher.name),
}
ISSUE_FIELDS = {
    **dict.fromkeys(("issue_id", "issue_cv_id", "issue_gcd_id"), _id),
    **SERIES_FIELDS,
    **_readers(Issue, "number"),
    "cover_date": read.partial_day,
    "upc": read.bar_code,
}
LISTED_ISSUE_FIELDS = {**ISSUE_FIELDS, "issue_ids": external_ids}
PULLED_SERIES_FIELDS = {**dict.fromkeys(("series_id", "series_cv_id", "series_gcd_id"), _id), **SERIES_FIELDS}

# Fields of the library, by part; `added` is when a row was added to the library. A variant is identified by
# its id or its name. `copy` is the position of an item among those of its issue, starting at 1; files with
# one row per issue lack it.
_ADDED = {"added": _moment}
_VARIANT = {"variant_id": _id, "variant": _reader(Variant.name)}
VALUE_FIELDS = {
    COLLECTION: {
        "copy": read.whole_between(1, COPIES_MAX),
        **_VARIANT,
        **_readers(
            CollectionItem,
            "quantity book_format grade grading_company purchase_date purchase_price purchase_currency"
            " purchase_store storage_location notes is_read",
        ),
        "tags": read.tags,
        "read_dates": moments,
        **_readers(CollectionItem, "rating"),
        **_ADDED,
    },
    PULL: _readers(PullListSeries, "pulled variant_words") | _ADDED,
    WISHES: _VARIANT
    | _readers(WishListItem, "status priority desired_grade max_price max_currency notes")
    | _ADDED,
    RATINGS: _readers(IssueRating, "rating") | _ADDED,
    READS: {"read_dates": moments},
    ITEMS: _readers(ReadingListItem, "issue_type") | _ADDED,
}
# Fields of a reading list; `previous` and `next` are numbers of other lists in the same file.
LIST_FIELDS = (
    _readers(ReadingList, "name desc is_private list_type attribution_source attribution_url file_source")
    | {"start_year": read.whole_between(*YEARS)}
    | dict.fromkeys(("previous", "next"), read.whole_between(1, LISTS_MAX))
)

# The columns in CSV. In JSON, items are nested in their list, without `list`, `list_name` and `position`.
COLUMNS = {
    COLLECTION: (*ISSUE_FIELDS, *VALUE_FIELDS[COLLECTION]),
    PULL: (*PULLED_SERIES_FIELDS, *VALUE_FIELDS[PULL]),
    WISHES: (*ISSUE_FIELDS, *VALUE_FIELDS[WISHES]),
    RATINGS: (*ISSUE_FIELDS, *VALUE_FIELDS[RATINGS]),
    READS: (*ISSUE_FIELDS, *VALUE_FIELDS[READS]),
    LISTS: ("list", *LIST_FIELDS),
    ITEMS: ("list", "list_name", "position", *LISTED_ISSUE_FIELDS, *VALUE_FIELDS[ITEMS]),
}

TOO_MANY_ROWS = _("The file has more than ${most} rows: please split it.")


@dataclass
class Row:
    """One row: its part, its line in the file, the issue or series that it is about, and its values.

    `list` is the index of its reading list in the file. `unclear` holds (field, text) pairs of values that
    could not be interpreted and are left out.
    """

    part: str
    line: int
    wanted: MatchQuery
    values: dict
    unclear: list[tuple[str, str]] = field(default_factory=list)
    list: int | None = None

    @property
    def says(self) -> str:
        """The issue or series as the row names it, so that its owner recognises it."""
        wanted = self.wanted
        words = [
            wanted.series or "?",
            f"({wanted.year})" if wanted.year else "",
            f"#{wanted.number}" * bool(wanted.number),
        ]
        ids = (
            *(("", wanted.id), ("Comic Vine ", wanted.cv_id), ("GCD ", wanted.gcd_id), ("UPC ", wanted.upc)),
            *(("", wanted.ids), ("ISBN ", wanted.isbn)),
        )
        if not wanted.series:
            words[0] = next((f"{name}{each}" for name, each in ids if each), "?")
        return " ".join(filter(None, words))


@dataclass(frozen=True)
class Column:
    """A column of a table that was not understood, or about which its owner decided.

    It has the plain name, the title and some cells. `field` is the one to which its owner mapped it.
    """

    name: str
    title: str
    cells: Sequence[str]
    field: str = ""


@dataclass
class Upload:
    """A parsed file; `form` is the key of its format in FORMS.

    `skipped` counts rows that do not belong in a library, such as comics that are neither owned nor wished
    for. `columns` and `sheets` are those of tables that were left out; `headers` are all columns of a table
    whose owner can map them.
    """

    form: str
    rows: list[Row]
    lists: list[dict] = field(default_factory=list)
    skipped: int = 0
    columns: list[Column] = field(default_factory=list)
    sheets: Sequence[str] = ()
    headers: Sequence[str] = ()


CBL, CBL_FILES = "cbl", "cbls"
FORMS = {
    "comicsdb": _("A comicsdb library"),
    "locg": _("League of Comic Geeks"),
    "clz": _("CLZ Comics"),
    "gcd": _("my.comics.org (Grand Comics Database)"),
    "comicbookdb": _("comicbookdb"),
    "comicrack": _("ComicRack"),
    "table": _("A table with series and number columns"),
    CBL: _("A reading list (CBL)"),
    CBL_FILES: _("Several reading lists (CBL)"),
}


def stored_lists(payload: dict) -> list[dict]:
    """The reading lists of an import; those of several CBL files are as private as its owner chose."""
    is_chosen = payload["form"] == CBL_FILES and "is_private" in payload
    more = {"is_private": payload["is_private"]} if is_chosen else {}
    return [values | more for values in payload["lists"]]


def parse_fields(record: dict, readers: dict, unclear: list[tuple[str, str]]) -> dict:
    """The values of a record that are not blank, by field; unreadable ones are added to `unclear`."""
    values = {}
    for name, reader in readers.items():
        value = record.get(name)
        if value is None or value == "":
            continue
        try:
            found = reader(value)
        except UnclearError:
            unclear.append((name, one_line(str(value)[: 4 * UNCLEAR_SHOWN])[:UNCLEAR_SHOWN]))
        else:
            if found is not None:
                values[name] = found
    return values


def resolve_currencies(row: Row, currency: str) -> None:
    """Give the amounts of a row their currency: `currency` if they have none.

    Amounts that are not valid in their currency, such as 3.99 yen, become unclear.
    """
    for amount, of_amount in MONEY:
        if amount not in row.values:
            continue
        written, code = row.values[amount], row.values.setdefault(of_amount, currency)
        found, _code = read_money(written, code) or (None, None)  # it may be too long with its decimals
        if found is None or amount_problem(found, code, whole=WHOLE_DIGITS):
            row.unclear.append((amount, f"{written} {code}"))
            del row.values[amount], row.values[of_amount]
        else:
            row.values[amount] = str(found)


def match_query(named: dict) -> MatchQuery:
    """The issue or series that values of ISSUE_FIELDS or PULLED_SERIES_FIELDS identify."""
    written = named.get("series", "")
    name, year, volume = split_name(written)
    kind = (
        "series" if any(each in named for each in ("series_id", "series_cv_id", "series_gcd_id")) else "issue"
    )
    return MatchQuery(
        series=name,
        number=clean_number(named.get("number", "")),
        volume=named.get("series_volume", volume),
        year=named.get("series_year", year),
        publisher=named.get("publisher", ""),
        upc=named.get("upc", ""),
        id=named.get(f"{kind}_id"),
        cv_id=named.get(f"{kind}_cv_id"),
        gcd_id=named.get(f"{kind}_gcd_id"),
        written=written if name != written else "",
        ids=named.get("issue_ids", ""),
        **published(named.get("cover_date", "")),
    )


def published(cover_date: str) -> dict:
    """The fields of a MatchQuery for a cover date as far as it is known; none for a blank one."""
    day, known = partial_day(cover_date) or (None, None)
    if known == Precision.YEAR:
        return {"published": day.year}
    return {"cover_date": day, "cover_date_precision": known.value} if day else {}


def series_label(wanted: dict) -> str:
    """The series that a row names, with its year; "?" if it names none."""
    year = f"({wanted['year']})" if wanted["year"] else ""
    return " ".join(filter(None, (wanted["series"] or "?", year)))


def parse_row(part: str, line: int, record: dict) -> Row:
    """The row for a record of one of our own files."""
    unclear = []
    fields = {PULL: PULLED_SERIES_FIELDS, ITEMS: LISTED_ISSUE_FIELDS}.get(part, ISSUE_FIELDS)
    named = parse_fields(record, fields, unclear)
    return Row(part, line, match_query(named), parse_fields(record, VALUE_FIELDS[part], unclear), unclear)
