"""The portable form of a library: what its files hold, whoever writes them (docs/library.md).

A file is read into an `Upload`: rows that each say something about one issue or series, and reading lists
that such rows belong to. Our own JSON and CSV, files of other sites and CBL all become that, are matched with
the catalogue in one way, and are stored in one way once their owner has confirmed what they mean.
"""

from dataclasses import dataclass, field

from sqlalchemy import Boolean, Date, DateTime, Numeric, String

from comicsdb.i18n import _
from comicsdb.library.transfer import values as read
from comicsdb.library.transfer.matching import Wanted, clean_number, split_name
from comicsdb.library.transfer.values import UnclearError
from comicsdb.models import (
    CollectionItem,
    Issue,
    IssueRating,
    Publisher,
    ReadingList,
    ReadingListItem,
    Series,
    WishListItem,
)
from comicsdb.models.base import INTEGER_MAX, limits

FORMAT, VERSION = "comicsdb-library", 1
COLLECTION, PULL, WISHES, RATINGS = "collection", "pull_list", "wish_list", "ratings"
LISTS, ITEMS = "reading_lists", "reading_list_items"
PARTS = (COLLECTION, PULL, WISHES, RATINGS, ITEMS)
LISTS_MAX = 500  # reading lists of a file
READS_MAX = 500  # dates of reading of one issue
UNCLEAR_SHOWN = 60  # characters of what could not be read

ROWS_SETTING, BYTES_SETTING = "comicsdb.imports.rows", "comicsdb.imports.megabytes"

_id = read.whole(1, INTEGER_MAX)


def amount(value) -> str | None:
    """An amount without its currency."""
    found = read.money(value)
    return found[0] if found else None


def moments(value) -> list[str] | None:
    """Moments, as a list or in one text with blanks, commas or semicolons between them; each counts once."""
    parts = (
        value if isinstance(value, list) else read.cleaned(value).replace(";", " ").replace(",", " ").split()
    )
    if len(parts) > READS_MAX:
        raise UnclearError
    return sorted({each for part in parts if (each := read.moment(part))}) or None


def _reader(attribute):
    """The reader for a column, chosen by its type and the checks of its table."""
    column = attribute.property.columns[0]
    codes, bounds = limits(column)
    if codes or bounds:
        return read.one_of(codes) if codes else read.whole(*bounds)
    if isinstance(column.type, String):
        length = column.type.length
        return (lambda value: read.line(value, length)) if length else read.notes
    if isinstance(column.type, Numeric):
        return amount if column.type.scale == 2 else read.grade
    return {Boolean: read.flag, Date: read.day, DateTime: read.moment}[type(column.type)]


def _readers(model, names: str) -> dict:
    return {name: _reader(getattr(model, name)) for name in names.split()}


# By which an issue or a series is named, with what reads them; the names of columns and of JSON's members.
OF_SERIES = {
    "series": _reader(Series.name),
    "series_volume": _reader(Series.volume),
    "series_year": _reader(Series.year_began),
    "publisher": _reader(Publisher.name),
}
OF_ISSUE = {
    **dict.fromkeys(("issue_id", "issue_cv_id", "issue_gcd_id"), _id),
    **OF_SERIES,
    **_readers(Issue, "number cover_date"),
    "upc": read.bar_code,
}
OF_PULLED = {**dict.fromkeys(("series_id", "series_cv_id", "series_gcd_id"), _id), **OF_SERIES}

# What is said of them, by part; `added` is when it came into the library.
_ADDED = {"added": read.moment}
VALUES = {
    COLLECTION: {
        **_readers(
            CollectionItem,
            "quantity book_format grade grading_company purchase_date purchase_price purchase_currency"
            " purchase_store storage_location notes is_read",
        ),
        "read_dates": moments,
        **_readers(CollectionItem, "rating"),
        **_ADDED,
    },
    PULL: _ADDED,
    WISHES: _readers(WishListItem, "status priority desired_grade max_price max_currency notes") | _ADDED,
    RATINGS: _readers(IssueRating, "rating") | _ADDED,
    ITEMS: _readers(ReadingListItem, "issue_type") | _ADDED,
}
# What is said of a reading list; its neighbours are the numbers of other lists in the same file.
OF_LIST = _readers(
    ReadingList, "name desc is_private list_type attribution_source attribution_url"
) | dict.fromkeys(("previous", "next"), read.whole(1, LISTS_MAX))

# The columns of the tables; in JSON a list holds its items, and `list`, `list_name`, `position` are left out.
COLUMNS = {
    COLLECTION: (*OF_ISSUE, *VALUES[COLLECTION]),
    PULL: (*OF_PULLED, *VALUES[PULL]),
    WISHES: (*OF_ISSUE, *VALUES[WISHES]),
    RATINGS: (*OF_ISSUE, *VALUES[RATINGS]),
    LISTS: ("list", *OF_LIST),
    ITEMS: ("list", "list_name", "position", *OF_ISSUE, *VALUES[ITEMS]),
}

TOO_MANY_ROWS = _("The file has more than ${most} rows: please divide it.")


@dataclass
class Row:
    """What one row says: of which part, in which line, about what, and which values.

    `list` is the place of its reading list among those of the file. `unclear` holds (field, text) of what was
    not understood and is left out.
    """

    part: str
    line: int
    wanted: Wanted
    values: dict
    unclear: list[tuple[str, str]] = field(default_factory=list)
    list: int | None = None

    @property
    def says(self) -> str:
        """What the row calls its issue or series, as its owner will recognise it."""
        wanted = self.wanted
        words = [
            wanted.series or "?",
            f"({wanted.year})" if wanted.year else "",
            f"#{wanted.number}" * bool(wanted.number),
        ]
        ids = (("", wanted.id), ("Comic Vine ", wanted.cv_id), ("GCD ", wanted.gcd_id), ("UPC ", wanted.upc))
        if not wanted.series:
            words[0] = next((f"{name}{each}" for name, each in ids if each), "?")
        return " ".join(filter(None, words))


@dataclass
class Upload:
    """A file that was understood: `form` is the key of what it looks like in FORMS.

    `skipped` counts rows that say nothing about a library, such as those of comics that were only looked at.
    """

    form: str
    rows: list[Row]
    lists: list[dict] = field(default_factory=list)
    skipped: int = 0


FORMS = {
    "comicsdb": _("A library of comicsdb"),
    "locg": _("League of Comic Geeks"),
    "clz": _("CLZ Comics"),
    "gcd": _("my.comics.org, of the Grand Comics Database"),
    "table": _("A table with series and number"),
    "cbl": _("A reading list (CBL)"),
}


def take(record: dict, readers: dict, unclear: list[tuple[str, str]]) -> dict:
    """The values of a record that say something, by the names of readers; what is unclear is noted."""
    values = {}
    for name, reader in readers.items():
        value = record.get(name)
        if value is None or value == "":
            continue
        try:
            found = reader(value)
        except UnclearError:
            unclear.append((name, " ".join(str(value)[: 4 * UNCLEAR_SHOWN].split())[:UNCLEAR_SHOWN]))
        else:
            if found is not None:
                values[name] = found
    return values


def wanted_of(named: dict) -> Wanted:
    """What values of OF_ISSUE or OF_PULLED name."""
    name, year, volume = split_name(named.get("series", ""))
    kind = (
        "series" if any(each in named for each in ("series_id", "series_cv_id", "series_gcd_id")) else "issue"
    )
    return Wanted(
        series=name,
        number=clean_number(named.get("number", "")),
        volume=named.get("series_volume", volume),
        year=named.get("series_year", year),
        publisher=named.get("publisher", ""),
        cover_date=read.date.fromisoformat(named["cover_date"]) if "cover_date" in named else None,
        upc=named.get("upc", ""),
        id=named.get(f"{kind}_id"),
        cv_id=named.get(f"{kind}_cv_id"),
        gcd_id=named.get(f"{kind}_gcd_id"),
    )


def row_of(part: str, line: int, record: dict) -> Row:
    """A record of one of our own files as a row."""
    unclear = []
    named = take(record, OF_PULLED if part == PULL else OF_ISSUE, unclear)
    return Row(part, line, wanted_of(named), take(record, VALUES[part], unclear), unclear)
