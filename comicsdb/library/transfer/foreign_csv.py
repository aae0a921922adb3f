"""CSV files of other sites: detecting the site, and parsing its columns.

Each site is declared as a `Site`. Column names are compared in plain form (`matching.plain`): `Full Title`
becomes `fulltitle`. Sites have renamed columns over the years, so a field has several names; the first one
that the table has is used.
"""

import re
from dataclasses import dataclass, field
from datetime import date
from functools import partial

from comicsdb.i18n import _
from comicsdb.issue_numbers import clean_number
from comicsdb.library.transfer import values as read
from comicsdb.library.transfer.format import (
    COLLECTION,
    RATINGS,
    READS,
    VALUE_FIELDS,
    WISHES,
    Row,
    Upload,
    parse_fields,
    published,
)
from comicsdb.library.transfer.matching import MatchQuery, named_format, plain, split_name, split_title
from comicsdb.library.transfer.tables import Table, file_error
from comicsdb.library.transfer.values import UnclearError
from comicsdb.models.base import SMALL_MAX
from comicsdb.models.choices import YEARS, WishStatus
from comicsdb.values import is_day_first

# Fields that identify an issue.
IDENTIFYING_FIELDS = (
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
    """The format of a site's table.

    `marks`: sets of columns; a table that has all columns of one set comes from the site. `columns`: the
    site's column names by our field; in addition to those of `format.VALUE_FIELDS` and IDENTIFYING_FIELDS
    there are `read_on` (one date), `wished` and `owned` (flags), and `state` (wished for if in `wish_words`).
    `stars`: the site's highest rating in its own column; one with the title OWN_RATING is a reader's.
    `own_numbers`: fields in which the site may have internal ids. `ext`: letters after a number distinguish
    printings and covers.
    """

    key: str
    marks: tuple[frozenset[str], ...]
    columns: dict[str, tuple[str, ...]]
    stars: int = 5
    own_numbers: frozenset[str] = frozenset()
    wish_words: frozenset[str] = frozenset()
    unowned_words: frozenset[str] = frozenset()
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
        "tags": ("tags",),
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
        "tags": ("tags",),
        "added": ("addeddate", "dateadded"),
    },
    stars=10,
    wish_words=frozenset({"on wish list", "wish list", "wishlist", "wanted", "on order"}),
    unowned_words=frozenset({"not in collection", "sold"}),
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
        "tags": ("tags",),
    },
    own_numbers=frozenset({"grade", "storage_location", "purchase_store"}),
)
# Tables that readers maintain themselves, with common column names.
GENERIC = Site(
    "table",
    marks=tuple(
        frozenset({name, number})
        for name in ("series", "seriesname", "title")
        for number in ("number", "issue", "issuenumber", "issueno", "issuenr")
    ),
    columns={
        **CLZ.columns,
        "series": ("series", "seriesname", "title"),
        "number": ("number", "issuenumber", "issueno", "issuenr", "issue", "no", "nr"),
        "year": ("seriesyear", "yearbegan", "year"),
        "published": ("coveryear",),
        "publisher": ("publisher", "publishername"),
        "quantity": ("quantity", "copies", "qty"),
    },
    wish_words=CLZ.wish_words,
    unowned_words=CLZ.unowned_words,
)
SITES = (LOCG, GCD, CLZ, GENERIC)


UNKNOWN_TABLE = _(
    "The columns of this table were not recognised. It needs at least the columns “Series” and “Number”."
)
OWN_RATING = "rating"
_DATES = ("cover_date", "release_date", "purchase_date", "read_on", "added")
_VARIANT = re.compile(r"(\d+)[A-Z]{1,2}", re.A)  # number and cover, which CLZ writes together
_IN_BRACKETS = re.compile(r"\s*\[[^\]]*\]\s*$")  # description of a variant at GCD
_VOLUME_NUMBER = re.compile(r"v(\d{1,4})#(.+)", re.A)


def read_table(table: Table) -> Upload:
    """The rows of a table of another site, or of a reader's own; raises InvalidError for the field "file"."""
    columns = set(table.columns)
    site = next((each for each in SITES if any(marks <= columns for marks in each.marks)), None)
    if site is None:
        raise file_error(UNKNOWN_TABLE)
    chosen = {
        name: next((each for each in names if each in columns), None) for name, names in site.columns.items()
    }
    chosen = {name: column for name, column in chosen.items() if column}
    dated = [chosen[name] for name in _DATES if name in chosen]
    highest = site.stars
    if chosen.get("rating") == OWN_RATING:
        highest = _highest_rating(record.get(OWN_RATING) for _n, record in table.records)
    readers = _readers(
        site, highest, is_day_first(record.get(each) or "" for _n, record in table.records for each in dated)
    )
    upload = Upload(site.key, [])
    for line, record in table.records:
        rows = _rows(site, line, {name: record.get(column) for name, column in chosen.items()}, readers)
        upload.rows += rows
        upload.skipped += not rows
    return upload


def _highest_rating(values) -> int:
    """The highest rating that a reader's ratings can have: ten if one of them is higher than five."""
    found = (re.match(r"\s*(\d{1,3})", value or "", re.A) for value in values)
    return 10 if any(each and int(each[1]) > 5 for each in found) else 5


def _readers(site: Site, highest: int, day_first: bool) -> dict:
    day, moment = partial(read.day, day_first=day_first), partial(read.moment, day_first=day_first)
    readers = {
        **VALUE_FIELDS[COLLECTION],
        **dict.fromkeys(("series", "title", "publisher", "number", "state"), read.line),
        "volume": read.whole_between(0, SMALL_MAX),
        **dict.fromkeys(("year", "published"), read.whole_between(*YEARS)),
        "cover_date": partial(read.partial_day, day_first=day_first),
        "release_date": day,
        "purchase_date": day,
        "purchase_price": read.money,
        "upc": read.bar_code,
        "book_format": read.book_format,
        "grading_company": read.company,
        "quantity": read.whole_between(0, SMALL_MAX),
        "rating": lambda value: _stars(value, highest),
        "tags": lambda value: read.tags(value, ",;|"),
        "read_on": moment,
        "added": moment,
        "owned": _count,
        "wished": _count,
    }
    for name in site.own_numbers:
        readers[name] = _reject_numbers(readers[name])
    return readers


def _count(value) -> int | bool | None:
    """A flag, or a number of copies."""
    text = read.word(value)
    return int(text) if re.fullmatch("[0-9]{1,6}", text) else read.flag(value)


def _stars(value, highest: int) -> int | None:
    """Whole stars out of five, None for zero; raises UnclearError for fractions."""
    text = read.word(value)
    found = re.fullmatch(r"(\d{1,2})(?:[.,](\d))?\d*", text, re.A)
    if not found:
        if text:
            raise UnclearError
        return None
    stars = float(f"{found[1]}.{found[2] or 0}") * 5 / highest
    if stars > 5 or not stars.is_integer():
        raise UnclearError
    return int(stars) or None


def _reject_numbers(reader):
    """A parser that rejects the internal ids of a site."""

    def checked(value):
        if read.clean(value, read.WORD_MAX).isdigit():
            raise UnclearError
        return reader(value)

    return checked


def _rows(site: Site, line: int, record: dict, readers: dict) -> list[Row]:
    """The rows of a record: one of the collection, or up to one each of wish list, ratings and reads."""
    unclear = []
    found = parse_fields(
        record, {name: reader for name, reader in readers.items() if name in record}, unclear
    )
    about = {name: found.pop(name) for name in IDENTIFYING_FIELDS if name in found}
    owned, wished, state = (found.pop(name, None) for name in ("owned", "wished", "state"))
    values = _values(found)
    if "grade" in values and (company := read.company_in(record["grade"])):
        values.setdefault("grading_company", company)
    if state is not None and state.casefold() in site.wish_words:
        owned, wished = False, True
    elif state is not None and state.casefold() in site.unowned_words:
        owned = False
    if owned or (owned is None and not wished):
        if owned and 1 < owned <= SMALL_MAX:
            values.setdefault("quantity", int(owned))
        parts = {COLLECTION: values}
    else:
        parts = {}
        if wished:
            parts[WISHES] = site.wish_values | {name: values[name] for name in ("notes",) if name in values}
        if "rating" in values:
            parts[RATINGS] = {"rating": values["rating"]}
        if values.get("is_read") or values.get("read_dates"):
            parts[READS] = {"read_dates": values.get("read_dates", [])}
    rows = [Row(part, line, _match_query(site, about), some) for part, some in parts.items()]
    if rows:
        rows[0].unclear = unclear  # shown once
    return rows


def _values(found: dict) -> dict:
    """The values of a record, as those of a collection item."""
    values = {name: value for name, value in found.items() if name != "read_on"}
    if "purchase_price" in values:
        values["purchase_price"], currency = values["purchase_price"]
        if currency:
            values["purchase_currency"] = currency
    if found.get("read_on"):
        values["read_dates"] = [found["read_on"]]
        values.pop("is_read", None)
    if values.get("quantity") == 0:
        del values["quantity"]
    return values


def _match_query(site: Site, about: dict) -> MatchQuery:
    series, number = about.get("series", ""), about.get("number", "")
    title = about.get("title", "")
    titled, title_number = split_title(title)
    name, year, volume = split_name(series or titled or title)
    if not number and plain(titled).startswith(plain(name)):
        name = titled  # such as "Name Annual", whose series is given as "Name"
    number = clean_number(_IN_BRACKETS.sub("", number) or title_number)
    if found := _VOLUME_NUMBER.fullmatch(number):
        volume, number = int(found[1]), found[2]
    if site.ext and (found := _VARIANT.fullmatch(number)):
        number = found[1]
    if number.casefold() in {"nn", "[nn]"}:
        number = ""
    dates = {"published": about.get("published")} | published(about.get("cover_date", ""))
    return MatchQuery(
        series=name,
        number=number[:25],
        volume=about.get("volume", volume),
        year=about.get("year", year),
        publisher=about.get("publisher", ""),
        store_date=_date(about.get("release_date")),
        upc=about.get("upc", ""),
        format=named_format(title) or named_format(series),
        **dates,
    )


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
