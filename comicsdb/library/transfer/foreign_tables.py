"""Tables of other programs, and of readers' own: columns are understood by their names, whoever wrote them.

Column names are compared in plain form (`values.plain`): `Full Title` becomes `fulltitle`. COLUMNS lists the
names of each field; a table may have several of them. A `Program` only declares what it does differently. A
column that is not in COLUMNS is left out and named to its owner, who can map it to one of FIELDS.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
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
from comicsdb.library.transfer.matching import MatchQuery
from comicsdb.library.transfer.tables import EXTRA, SAMPLE_LENGTH, Table, columns_left_out, file_error
from comicsdb.library.transfer.values import UnclearError
from comicsdb.models.base import SMALL_MAX
from comicsdb.models.choices import EXTERNAL_SOURCES, YEARS, WishStatus
from comicsdb.schemas.references import ids_in_addresses, issue_ids_in_notes
from comicsdb.values import is_day_first, named_format, one_line, plain, split_name, split_title

# Names of columns by field, best first; those with an asterisk are only used if no other name is there. Where
# they are from: League of Comic Geeks and CLZ from their files; CLZ's issues also from the importers of
# longbox and comic-identity-engine; my.comics.org and comicbookdb from gcd-django (apps/mycomics/views.py and
# its issue 470); ComicRack from the properties of its books (`BookCondition`, `BookPrice` ...); Metron from
# the fields of its collection (it has no export); VerseDB and Stash from their help pages.
COLUMNS = {
    "series": "series seriesname seriestitle serie itemname comictitle *title *titolo *comic",
    "title": "fulltitle issuetitle",
    "cover": "",
    "number": "issuenr issueno issuenumber number itemnumber itemno issue item no nr num numero",
    "volume": "volume vol volumenumber",
    "year": "seriesyear seriesstartyear seriesyearbegan startyear yearbegan",
    "published": "coverdateyear coveryear releaseyear publicationyear pubyear issueyear year anno",
    "month": "coverdatemonth covermonth month",
    "day": "coverday day",
    "publisher": "publisher publishername editore",
    "cover_date": "coverdate publicationdate pubdate datadicopertina",
    "release_date": "releasedate storedate onsaledate streetdate releasedtime released",
    "upc": "upc barcode ean gtin codiceabarre",
    "isbn": "isbn isbn13 isbn10",
    "web": "web website url link address issueurl issuelink comicurl comiclink gcdurl gcdlink comicvineurl"
    " comicvinelink metronurl metronlink",
    "state": "collectionstatus bookcollectionstatus",
    "owned": "incollection owned",
    "wished": "inwishlist onwishlist wishlist wanted",
    "is_read": "readit markedread wasread readunread isread read letto",
    "read_on": "readingdate readdate dateread readon readat",
    "rating": "myrating rating stars voto",
    "book_format": "mediaformat bookformat mediatype format formato",
    "purchase_price": "purchaseprice pricepaid bookprice acquiredprice costbasis cost prezzopagato",
    "purchase_currency": "purchasecurrency purchasepricecurrency pricepaidcurrency pricepaidcurrencycode"
    " currency",
    "purchase_date": "purchasedate datepurchased purchasedat dateacquired acquireddate acquisitiondate",
    "purchase_store": "purchasestore purchaselocation locationacquired bookstore store boughtat",
    "grade": "grading grade gradescore condition conditiongrade bookcondition",
    "grading_company": "gradingcompany gradedby grader slabbing slabcompany",
    "storage_location": "storagebox storagelocation booklocation location box posizione",
    "quantity": "quantity copies noofcopies qty quantita copie",
    "notes": "notes personalnotes booknotes comments note",
    "tags": "tags",
    "added": "addeddate dateadded addedtime added",
}
# Columns with ids: the names of a source, then those of an issue or a series.
_SOURCE_NAMES = {source: {source, plain(rules.label)} for source, rules in EXTERNAL_SOURCES.items()}
_SOURCE_NAMES["comicvine"].add("cv")
_ID_NAMES = {
    "issue": "{0}id {0}issueid issue{0}id issueid{0}",
    "series": "{0}seriesid {0}volumeid series{0}id volume{0}id",
}
ID_FIELDS = {
    f"{source}_{kind}": (source, kind)
    for source in EXTERNAL_SOURCES
    for kind in _ID_NAMES
    if source != "isbn"
}
for _field, (_source, _kind) in ID_FIELDS.items():
    COLUMNS[_field] = " ".join(_ID_NAMES[_kind].format(name) for name in sorted(_SOURCE_NAMES[_source]))
COLUMNS["asin_issue"] += " asin"
# Fields that identify an issue, and all to which owners can map columns.
IDENTIFYING_FIELDS = frozenset(
    "series number cover title volume year published publisher cover_date release_date upc isbn web".split()
) | set(ID_FIELDS)
FIELDS = (*COLUMNS, "variant")
UNKNOWN_TABLE = _(
    "The columns of this table were not recognised. It needs at least the columns “Series” and “Number”."
)


@dataclass(frozen=True)
class Program:
    """What a program does differently.

    `marks`: sets of columns; a table that has all columns of one set is the program's. `stars`: its highest
    rating in `myrating`; others are judged by the ratings in the file. `own_numbers`: fields in which it may
    have internal ids. `covers`: letters after a number distinguish printings and covers, and books have a
    format as their number. `columns`: names of columns that mean this only here.
    """

    key: str
    marks: tuple[frozenset[str], ...] = ()
    stars: int | None = None
    own_numbers: frozenset[str] = frozenset()
    covers: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)


def _marks(*names: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(each.split()) for each in names)


TABLE = Program("table")
PROGRAMS = (
    Program("locg", _marks("seriesname fulltitle incollection", "seriesname fulltitle markedread"), stars=5),
    Program(
        "gcd",
        _marks("series seriesyear issue publisher description"),
        own_numbers=frozenset({"grade", "storage_location", "purchase_store"}),
        columns={"notes": "description"},
    ),
    Program("comicbookdb", _marks("title issuenumber coverdatemonth coverdateyear")),
    Program(
        "comicrack", _marks("series number bookcondition", "series number bookprice", "series number bookage")
    ),
    Program(
        "clz",
        _marks(
            *("corecomicid", "series issuenr", "series issueno", "series issuenumber publisher"),
            *(f"series issue {mark}" for mark in ("storagebox", "collectionstatus", "readit")),
            "series issue coverdate publisher",
        ),
        stars=10,
        covers=True,
        columns={"number": "issue", "cover": "issueext variant"},
    ),
)

WISH_WORDS = frozenset({"on wish list", "wish list", "wishlist", "wanted", "on order"})
UNOWNED_WORDS = frozenset({"not in collection", "sold"})
_DATES = ("cover_date", "release_date", "purchase_date", "read_on", "added")
_COVER = re.compile(r"(-?\d+|½)-?([A-Z]{1,2})", re.A)  # number and cover, which CLZ writes together
_BOOK = re.compile(r"(\d*)(TPB?|HC|GN|SC|OGN|OM)(?:-(\d+)|-[A-Z]+)?", re.A)  # such as `TP`, `TP-2`, `1HC-E`
_NO_NUMBER = re.compile(r"\[?nn\]?(?:-.*)?", re.I)
_IN_BRACKETS = re.compile(r"\s*\[(?!nn\])[^\]]*\]\s*$")  # description of a variant at GCD
_VOLUME_NUMBER = re.compile(r"v(\d{1,4})#(.+)", re.A)


def read_table(table: Table, mapping: Mapping[str, str]) -> Upload:
    """The rows of a table; `mapping` has the fields that its owner chose for columns, "" to leave one out."""
    names = set(table.titles)
    program = next((each for each in PROGRAMS if any(marks <= names for marks in each.marks)), TABLE)
    fields = _fields(table, program, mapping)
    if len(names) < 2 and not fields.keys() & IDENTIFYING_FIELDS:
        raise file_error(UNKNOWN_TABLE)
    dated = [column for name in _DATES for column in fields.get(name, ())]
    day_first = is_day_first(record.get(column) or "" for _n, record in table.records for column in dated)
    readers = _readers(program, _highest_rating(table, program, fields), day_first)
    taken = {column for some in fields.values() for column in some} - set(mapping)
    columns = columns_left_out(table, taken, mapping)
    upload = Upload(program.key, [], columns=columns, sheets=table.sheets, headers=tuple(table.titles))
    for line, record in table.records:
        cells = {
            name: _cell(name, [record.get(each) or "" for each in chosen]) for name, chosen in fields.items()
        }
        rows = _rows(program, line, cells, readers, record.get(EXTRA))
        upload.rows += rows
        upload.skipped += not rows
    return upload


def _fields(table: Table, program: Program, mapping: Mapping[str, str]) -> dict[str, list[str]]:
    """The columns of each field: those that the owner mapped to it, or else those with its names."""
    left = [column for column in table.titles if column not in mapping]
    fields = defaultdict(list)
    for column in table.titles:
        if mapping.get(column) in FIELDS:
            fields[mapping[column]].append(column)
    for name, words in COLUMNS.items():
        if name in fields:
            continue
        known = [*program.columns.get(name, "").split(), *words.split()]
        columns = [word for word in known if word in left]
        spare = [word[1:] for word in known if word[:1] == "*" and word[1:] in left]
        if chosen := columns or spare[:1]:
            fields[name] = chosen
    if "year" not in fields and _is_series_year(table, program, fields):
        fields["year"] = fields.pop("published")
    return fields


def _is_series_year(table: Table, program: Program, fields: Mapping[str, list[str]]) -> bool:
    """Whether a column `Year` is the first year of the series: it is if each series has one."""
    if program is not TABLE or fields.get("published") not in (["year"], ["anno"]) or "month" in fields:
        return False
    years = defaultdict(set)
    for _line, record in table.records:
        series = "".join(record.get(column) or "" for column in fields.get("series", ()))
        years[plain(series)].add(record.get(fields["published"][0]))
    return all(len(each - {None, ""}) < 2 for each in years.values())


def _cell(name: str, cells: Iterable[str]) -> str:
    """The first cell that is not blank, nor the word for no number; all notes."""
    cells = [cell for cell in cells if cell.strip()]
    if name == "number":
        cells = [cell for cell in cells if not _NO_NUMBER.fullmatch(cell.strip())] or cells
    return "\n".join(dict.fromkeys(cells)) if name == "notes" else cells[0] if cells else ""


def _highest_rating(table: Table, program: Program, fields: Mapping[str, list[str]]) -> int:
    """The highest possible rating: ten if the program's is, or if a rating in the file is above five."""
    columns = fields.get("rating", [])
    if program.stars and columns == ["myrating"]:
        return program.stars
    cells = (record.get(column) or "" for _line, record in table.records for column in columns)
    ratings = (re.match(r"\s*(\d{1,3})", cell, re.A) for cell in cells)
    return 10 if any(rating and int(rating[1]) > 5 for rating in ratings) else 5


def _readers(program: Program, highest: int, day_first: bool) -> dict:
    day, moment = partial(read.day, day_first=day_first), partial(read.moment, day_first=day_first)
    readers = {
        **VALUE_FIELDS[COLLECTION],
        **dict.fromkeys(("series", "cover", "title", "publisher", "state", "web", "month", "day"), read.line),
        "number": read.number,
        "volume": read.whole_between(0, SMALL_MAX),
        **dict.fromkeys(("year", "published"), read.whole_between(*YEARS)),
        "cover_date": partial(read.partial_day, day_first=day_first),
        "release_date": day,
        "purchase_date": day,
        "purchase_price": read.money,
        "upc": read.bar_code,
        "isbn": read.isbn,
        "book_format": read.book_format,
        "grading_company": read.company,
        "quantity": read.whole_between(0, SMALL_MAX),
        "rating": lambda value: read.stars(value, highest),
        "tags": lambda value: read.tags(value, ",;|"),
        "read_on": moment,
        "added": moment,
        "owned": read.count,
        "wished": read.count,
        **{name: read.external_id(*of) for name, of in ID_FIELDS.items()},
    }
    for name in program.own_numbers:
        readers[name] = _reject_numbers(readers[name])
    return readers


def _reject_numbers(reader):
    """A parser that rejects the internal ids of a program."""

    def checked(value):
        if read.clean(value, read.WORD_MAX).isdigit():
            raise UnclearError
        return reader(value)

    return checked


def _rows(program: Program, line: int, cells: dict, readers: dict, extra: str | None) -> list[Row]:
    """The rows of a record: one of the collection, or up to one each of wish list, ratings and reads."""
    unclear = [(EXTRA, one_line(extra)[:SAMPLE_LENGTH])] if extra else []
    _compose_date(cells)
    facts = parse_fields(cells, {name: reader for name, reader in readers.items() if name in cells}, unclear)
    named = {name: facts.pop(name) for name in [*facts] if name in IDENTIFYING_FIELDS}
    query = _match_query(program, named, facts)
    owned, wished, state = (facts.pop(name, None) for name in ("owned", "wished", "state"))
    values = _values(facts)
    if "grade" in values and (company := read.company_in(cells["grade"])):
        values.setdefault("grading_company", company)
    if (state or "").casefold() in WISH_WORDS:
        owned, wished = False, True
    elif (state or "").casefold() in UNOWNED_WORDS:
        owned = False
    if owned or (owned is None and not wished):
        if owned and 1 < owned <= SMALL_MAX:
            values.setdefault("quantity", int(owned))
        parts = {COLLECTION: values}
    else:
        parts = {}
        if wished:
            shared = {name: values[name] for name in ("variant", "notes") if name in values}
            parts[WISHES] = {"status": WishStatus.WANTED.value} | shared
        if "rating" in values:
            parts[RATINGS] = {"rating": values["rating"]}
        if values.get("is_read") or values.get("read_dates"):
            parts[READS] = {"read_dates": values.get("read_dates", [])}
    rows = [Row(part, line, query, some) for part, some in parts.items()]
    if rows:
        rows[0].unclear = unclear  # shown once
    return rows


def _compose_date(cells: dict[str, str]) -> None:
    """Make one cover date of a year with a month, and perhaps a day."""
    day, month, year = (cells.pop(name, "").strip() for name in ("day", "month", "published"))
    cells["published"] = year
    if year and month and not cells.get("cover_date"):
        is_number = month.removesuffix(".0").isdigit()
        parts = f"{year}-{month}-{day or 0}" if is_number else f"{day} {month} {year}"
        cells["cover_date"] = parts.replace(".0", "").strip()


def _values(facts: dict) -> dict:
    """The values of a record, as those of a collection item."""
    values = {name: value for name, value in facts.items() if name != "read_on"}
    if "purchase_price" in values:
        values["purchase_price"], currency = values["purchase_price"]
        if currency:
            values["purchase_currency"] = currency
    if facts.get("read_on"):
        values["read_dates"] = [facts["read_on"]]
        values.pop("is_read", None)
    if values.get("quantity") == 0:
        del values["quantity"]
    return values


def _match_query(program: Program, named: dict, facts: dict) -> MatchQuery:
    series, number = named.get("series", ""), named.get("number", "")
    title = named.get("title", "")
    titled, title_number = split_title(title)
    name, year, volume = split_name(series or titled or title)
    if not number and plain(titled).startswith(plain(name)):
        name = titled  # such as "Name Annual", whose series is given as "Name"
    number = clean_number(_IN_BRACKETS.sub("", number) or title_number)
    book_format = named_format(title) or named_format(series)
    if match := _VOLUME_NUMBER.fullmatch(number):
        volume, number = int(match[1]), match[2]
    if program.covers and (match := _BOOK.fullmatch(number)):
        number, book_format = match[1] or match[3] or "", match[2]
    elif program.covers and (match := _COVER.fullmatch(number)):
        is_cover = len(match[2]) == 1 or match[2] == named.get("cover", "").upper()
        number = match[1] if is_cover else number  # such as 6AU
    if _NO_NUMBER.fullmatch(number):
        number = ""
    dates = {"published": named.get("published")} | published(named.get("cover_date", ""))
    ids = {ID_FIELDS[name]: value for name, value in named.items() if name in ID_FIELDS}
    tagged = issue_ids_in_notes(facts.get("notes", "")).items()
    linked = ids_in_addresses(named.get("web", "")).items()
    ids = (
        {(source, "issue"): value for source, value in tagged}
        | {(source, kind): value for (kind, source), value in linked}
        | ids
    )
    release_date = named.get("release_date")
    return MatchQuery(
        series=name,
        number=number[:25],
        volume=named.get("volume", volume),
        year=named.get("year", year),
        publisher=named.get("publisher", ""),
        store_date=date.fromisoformat(release_date) if release_date else None,
        upc=named.get("upc", ""),
        isbn=named.get("isbn", ""),
        format=book_format,
        ids=_words(ids, "issue"),
        series_ids=_words(ids, "series"),
        **dates,
    )


def _words(ids: Mapping[tuple[str, str], str], kind: str) -> str:
    """The ids of a kind as MatchQuery has them, such as "metron 17 locg 4"."""
    return " ".join(f"{source} {value}" for (source, of), value in ids.items() if of == kind)
