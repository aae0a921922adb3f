"""Tables of other sites as rows of a library: which site a table comes from, and what its columns say.

Which columns say what is data: another site is another `Site`. Names of columns are plain (`matching.plain`):
`Full Title` is `fulltitle`. Of several names the first that a table has counts. Sites add and rename columns
over the years, so each field lists what was seen.
"""

import re
from dataclasses import dataclass, field
from datetime import date

from comicsdb.i18n import _
from comicsdb.library.transfer import values as read
from comicsdb.library.transfer.format import COLLECTION, RATINGS, VALUES, WISHES, Row, Upload, take
from comicsdb.library.transfer.matching import Wanted, clean_number, split_name, split_title
from comicsdb.library.transfer.tables import Table, refused
from comicsdb.library.transfer.values import UnclearError
from comicsdb.models.base import SMALL_MAX
from comicsdb.models.choices import YEARS, WishStatus

# What is said of the issue itself.
ABOUT = (
    "series",
    "number",
    "title",
    "volume",
    "year",
    "publisher",
    "cover_date",
    "release_date",
    "published",
    "upc",
)


@dataclass(frozen=True)
class Site:
    """How the table of a site is read.

    `marks`: sets of columns, one of which a table has that comes from there. `columns`: names by our field;
    beside those of `format.VALUES` and ABOUT there are `read_on` (one date), `wished`, `owned` (flags),
    `state` (a word out of `wish_words` or any other), `more_notes` (added to the notes).
    `stars` are as many as are the most there. `own_numbers`: fields in which the site writes numbers that
    mean something to itself alone. `ext` says that letters behind a number tell printings and covers apart.
    """

    key: str
    marks: tuple[frozenset[str], ...]
    columns: dict[str, tuple[str, ...]]
    stars: int = 5
    own_numbers: frozenset[str] = frozenset()
    wish_words: frozenset[str] = frozenset()
    ext: bool = False
    wish_values: dict[str, str] = field(default_factory=lambda: {"status": WishStatus.WANTED.value})


LOCG = Site(
    "locg",
    marks=(
        frozenset({"seriesname", "fulltitle", "incollection"}),
        frozenset({"seriesname", "fulltitle", "markedread"}),
    ),
    columns={
        "series": ("seriesname",),
        "title": ("fulltitle",),
        "publisher": ("publishername",),
        "release_date": ("releasedate",),
        "upc": ("upc", "barcode"),
        "owned": ("incollection",),
        "wished": ("inwishlist",),
        "is_read": ("markedread",),
        "rating": ("myrating",),
        "book_format": ("mediaformat", "format"),
        "purchase_price": ("pricepaid",),
        "purchase_date": ("datepurchased", "purchasedate"),
        "purchase_store": ("purchasestore", "store"),
        "grade": ("grading", "grade", "condition"),
        "grading_company": ("gradingcompany", "slabbing"),
        "storage_location": ("storagebox", "storagelocation"),
        "quantity": ("quantity", "copies"),
        "notes": ("notes",),
        "more_notes": ("tags",),
    },
)
CLZ = Site(
    "clz",
    marks=(
        frozenset({"series", "issuenr"}),
        frozenset({"series", "issueno"}),
        frozenset({"series", "issuenumber", "publisher"}),
        frozenset({"series", "issue", "storagebox"}),
        frozenset({"series", "issue", "collectionstatus"}),
        frozenset({"series", "issue", "readit"}),
        frozenset({"series", "issue", "coverdate", "publisher"}),
    ),
    columns={
        "series": ("series",),
        "number": ("issuenr", "issueno", "issuenumber", "issue"),
        "volume": ("volume",),
        "year": ("seriesyear", "seriesstartyear"),
        "publisher": ("publisher",),
        "cover_date": ("coverdate",),
        "release_date": ("releasedate",),
        "published": ("coveryear", "releaseyear", "year"),
        "upc": ("barcode", "upc"),
        "state": ("collectionstatus",),
        "is_read": ("readit", "read"),
        "read_on": ("readingdate", "readdate", "dateread"),
        "rating": ("myrating", "rating"),
        "book_format": ("format",),
        "purchase_price": ("purchaseprice", "pricepaid"),
        "purchase_currency": ("purchasecurrency", "currency"),
        "purchase_date": ("purchasedate",),
        "purchase_store": ("purchasestore", "store"),
        "grade": ("grade", "condition"),
        "grading_company": ("gradingcompany", "slabcompany", "company"),
        "storage_location": ("storagebox", "location"),
        "quantity": ("quantity", "qty"),
        "notes": ("notes", "personalnotes"),
        "more_notes": ("tags",),
        "added": ("addeddate", "dateadded"),
    },
    stars=10,
    wish_words=frozenset({"on wish list", "wish list", "wishlist", "wanted"}),
    ext=True,
)
GCD = Site(
    "gcd",
    marks=(frozenset({"series", "seriesyear", "issue", "publisher", "description"}),),
    columns={
        "series": ("series",),
        "number": ("issue",),
        "year": ("seriesyear",),
        "publisher": ("publisher",),
        "is_read": ("wasread",),
        "purchase_price": ("pricepaid",),
        "purchase_currency": ("pricepaidcurrency", "pricepaidcurrencycode"),
        "purchase_date": ("acquisitiondate",),
        "purchase_store": ("purchaselocation",),
        "grade": ("grade",),
        "storage_location": ("location",),
        "notes": ("description", "notes"),
        "more_notes": ("tags",),
    },
    own_numbers=frozenset({"grade", "storage_location", "purchase_store"}),
)
# Anybody's own table: what people call such columns.
PLAIN = Site(
    "table",
    marks=(
        frozenset({"series", "number"}),
        frozenset({"series", "issue"}),
        frozenset({"title", "issue"}),
        frozenset({"title", "number"}),
        frozenset({"seriesname", "issuenumber"}),
    ),
    columns={
        **CLZ.columns,
        "series": ("series", "seriesname", "title"),
        "number": ("number", "issuenumber", "issue", "no", "nr"),
        "year": ("seriesyear", "yearbegan", "year"),
        "published": ("coveryear",),
        "publisher": ("publisher", "publishername"),
        "quantity": ("quantity", "copies", "qty"),
    },
)
SITES = (LOCG, GCD, CLZ, PLAIN)


# Reading.

UNKNOWN_TABLE = _(
    "We do not know a table with these columns. A table needs at least a column “Series” and one “Number”."
)
_DATES = ("cover_date", "release_date", "purchase_date", "read_on", "added")
_VARIANT = re.compile(r"(\d+)[A-Z]{1,2}", re.A)  # number and cover, as CLZ writes them together
_IN_BRACKETS = re.compile(r"\s*\[[^\]]*\]\s*$")  # what the GCD says of variants
_VOLUME_NUMBER = re.compile(r"v(\d{1,4})#(.+)", re.A)


def read_table(table: Table) -> Upload:
    """The rows of a table of another site, or of anybody's own.

    Raises InvalidError, naming the field "file".
    """
    columns = set(table.columns)
    site = next((each for each in SITES if any(marks <= columns for marks in each.marks)), None)
    if site is None:
        raise refused(UNKNOWN_TABLE)
    chosen = {
        name: next((each for each in names if each in columns), None) for name, names in site.columns.items()
    }
    chosen = {name: column for name, column in chosen.items() if column}
    dated = [chosen[name] for name in _DATES if name in chosen]
    readers = _readers(
        site, read.is_day_first(record.get(each) for _n, record in table.records for each in dated)
    )
    upload = Upload(site.key, [])
    for line, record in table.records:
        row = _row(site, line, {name: record.get(column) for name, column in chosen.items()}, readers)
        if row is None:
            upload.skipped += 1
        else:
            upload.rows.append(row)
    return upload


def _readers(site: Site, day_first: bool) -> dict:
    def day(value):
        return read.day(value, day_first=day_first)

    def moment(value):
        return read.moment(value, day_first=day_first)

    def text(value):
        return read.line(value)

    readers = {
        **VALUES[COLLECTION],
        **dict.fromkeys(("series", "title", "publisher", "number", "state"), text),
        "volume": read.whole(0, SMALL_MAX),
        "year": _year,
        "published": _year,
        "cover_date": day,
        "release_date": day,
        "purchase_date": day,
        "purchase_price": read.money,
        "upc": read.bar_code,
        "book_format": read.book_format,
        "grading_company": read.company,
        "quantity": read.whole(0, SMALL_MAX),
        "rating": lambda value: _stars(value, site.stars),
        "read_on": moment,
        "added": moment,
        "owned": _count,
        "wished": _count,
        "more_notes": read.notes,
    }
    for name in site.own_numbers:
        readers[name] = _not_a_number(readers[name])
    return readers


def _year(value) -> int | None:
    return read.whole(*YEARS)(value)


def _count(value) -> bool | None:
    """A flag that may also be a number of copies."""
    text = read.word(value)
    return int(text) > 0 if re.fullmatch("[0-9]{1,6}", text) else read.flag(value)


def _stars(value, most: int) -> int | None:
    """Whole stars out of five; half ones are no stars of ours, and none are no opinion."""
    text = read.word(value)
    found = re.fullmatch(r"(\d{1,2})(?:[.,](\d))?\d*", text, re.A)
    if not found:
        if text:
            raise UnclearError
        return None
    stars = float(f"{found[1]}.{found[2] or 0}") * 5 / most
    if stars > 5 or not stars.is_integer():
        raise UnclearError
    return int(stars) or None


def _not_a_number(reader):
    """A reader that does not take a site's own number of a thing for what it stands for."""

    def checked(value):
        if read.cleaned(value, read.WORD_MAX).isdigit():
            raise UnclearError
        return reader(value)

    return checked


def _row(site: Site, line: int, record: dict, readers: dict) -> Row | None:
    """A record as a row of the collection, the wish list or the stars; None where it says nothing of them."""
    unclear = []
    said = take(record, {name: reader for name, reader in readers.items() if name in record}, unclear)
    about = {name: said.pop(name) for name in ABOUT if name in said}
    owned, wished, state = (said.pop(name, None) for name in ("owned", "wished", "state"))
    values = _values(said)
    if state is not None and state.casefold() in site.wish_words:
        owned, wished = False, True
    if owned or (owned is None and not wished):
        part = COLLECTION
    elif wished:
        part = WISHES
        values = {**site.wish_values, **{name: values[name] for name in ("notes",) if name in values}}
    elif "rating" in values:
        part, values = RATINGS, {"rating": values["rating"]}
    else:
        return None
    return Row(part, line, _wanted(site, about), values, unclear)


def _values(said: dict) -> dict:
    """What is said, in the values of our collection."""
    values = {name: value for name, value in said.items() if name not in {"read_on", "more_notes"}}
    if "purchase_price" in values:
        values["purchase_price"], currency = values["purchase_price"]
        if currency:
            values["purchase_currency"] = currency
    if said.get("read_on"):
        values["read_dates"] = [said["read_on"]]
        values.pop("is_read", None)
    if "more_notes" in said:
        values["notes"] = "\n".join(filter(None, (values.get("notes"), said["more_notes"])))[: read.NOTES_MAX]
    if values.get("quantity") == 0:
        del values["quantity"]
    return values


def _wanted(site: Site, about: dict) -> Wanted:
    series, number = about.get("series", ""), about.get("number", "")
    titled, title_number = split_title(about.get("title", ""))
    name, year, volume = split_name(series or titled or about.get("title", ""))
    number = clean_number(_IN_BRACKETS.sub("", number) or title_number)
    if found := _VOLUME_NUMBER.fullmatch(number):
        volume, number = int(found[1]), found[2]
    if site.ext and (found := _VARIANT.fullmatch(number)):
        number = found[1]
    if number.casefold() in {"nn", "[nn]"}:
        number = ""
    return Wanted(
        series=name,
        number=number[:25],
        volume=about.get("volume", volume),
        year=about.get("year", year),
        publisher=about.get("publisher", ""),
        cover_date=_date(about.get("cover_date")),
        store_date=_date(about.get("release_date")),
        published=about.get("published"),
        upc=about.get("upc", ""),
    )


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
