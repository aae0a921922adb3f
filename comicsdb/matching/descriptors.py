"""Descriptors of comics to look for, built from given fields and from the name of a file."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache

from comicsdb.catalog.search import isbns
from comicsdb.catalog.trade_numbers import CODE_LENGTHS, ISBN13_PREFIXES
from comicsdb.issue_numbers import clean_number
from comicsdb.matching import words
from comicsdb.matching.filenames import ExternalId, Reading, parse
from comicsdb.models.choices import ID_COLUMNS, LANGUAGES, SeriesTypeCode
from comicsdb.values import compact_code, split_volume, split_year

HASH_KINDS = ("phash", "dhash", "ahash")
READINGS_MAX = 8
NUMBER_DIGITS = 10  # more digits than an integer column can store
SUPPLEMENTED = (17, 18)  # digits of a barcode with a five-digit supplement
# A marked volume, which for Western comics is mostly a collection.
_VOLUME_MARK = re.compile(r"(?<![^\W_])v(?:ol(?:ume)?)?[. _]{0,2}([0-9]{1,3})(?![0-9])", re.IGNORECASE)
_SIGNS = re.compile(r"[\W_]+")
_ARTICLES = frozenset("the a an la le les il lo gli i der die das el los las l and".split())


@dataclass(frozen=True, slots=True)
class Descriptor:
    """What is known of a comic; "" and None stand for unknown values.

    `readings` are the possible combinations of series, number and year, most likely first; the other fields
    apply to all of them. `marked_volume` is the number of a volume that is marked as such. `codes` maps the
    kinds of codes and ids that `candidates.by_codes` and `candidates.series_of` look up to values.
    """

    readings: tuple[Reading, ...] = ()
    marked_volume: str = ""
    title: str = ""
    count: int | None = None
    year_began: int | None = None
    is_year_early: bool = False
    cover_date: date | None = None
    store_date: date | None = None
    month: int | None = None
    publisher: str = ""
    language: str = ""
    format: str = ""
    page_count: int | None = None
    codes: Mapping[str, tuple] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)


def build_descriptor(known: Mapping) -> Descriptor:
    """The descriptor for values of `schemas.match.DescriptorSchema`."""
    name = known.get("file_name", "")
    parsed = parse(name)
    volume, year_as_volume = split_volume(known.get("volume"))
    began = known.get("year_began") or parsed.year_began or year_as_volume
    cover_date = known.get("cover_date")
    year = known.get("year") or (cover_date.year if cover_date else None)
    written = series = known.get("series", "")
    name, year_in_name = split_year(written)
    if name and year_in_name and not began:  # "Batman (2016)" may also be the name
        series, began = name, year_in_name
    given = Reading(series, clean_number(known.get("number", "")), known.get("title", ""), volume, year)
    literal = known.get("literal_series", "") or (written if year_in_name else "")
    marked = _VOLUME_MARK.search(name)
    return Descriptor(
        readings=_readings(
            given, literal, known.get("alt_series", ()), [*_with_numbered_names(parsed.readings)]
        ),
        marked_volume=clean_number(marked[1]) if marked else "",
        title=given.title or parsed.title,
        count=known.get("count") or parsed.count,
        year_began=began,
        is_year_early=parsed.is_year_early and not year,
        cover_date=cover_date or _day(year, known.get("month"), known.get("day")),
        store_date=known.get("store_date"),
        month=known.get("month") or parsed.month,
        publisher=known.get("publisher", "") or parsed.publisher,
        language=_language(known.get("language", "")) or parsed.language,
        format=_format(known.get("format", "")) or parsed.format,
        page_count=known.get("page_count") or parsed.pages,
        codes=_codes(known, parsed.isbn, parsed.upc, parsed.ids),
        hashes={kind: known[kind] for kind in HASH_KINDS if known.get(kind)},
    )


def _with_numbered_names(readings: tuple[Reading, ...]) -> Iterator[Reading]:
    """The readings of a name, and another if a number such as 2099 may belong to the name of the series."""
    for each in readings:
        # As for annuals, a year at the end of a name without a number is the issue's.
        series = each.series.removesuffix(f" {each.year}") if not each.number else each.series
        yield replace(each, series=series)
    first = readings[0] if readings else Reading()
    if first.title and len(first.number) == len("2099"):
        yield replace(first, series=f"{first.series} {first.number} {first.title}", number="", title="")


def _readings(
    given: Reading, literal: str, alt_series: Sequence[str], parsed: list[Reading]
) -> tuple[Reading, ...]:
    """The given values completed by the file name, then its readings completed by the given values.

    `literal` is the given name with a year or volume that may belong to it.
    """

    def completed(series: str, reading: Reading) -> Reading:
        return replace(
            reading,
            series=series,
            number=given.number or clean_number(reading.number),
            title=given.title or reading.title,
            volume=reading.volume if given.volume is None else given.volume,
            year=given.year or reading.year,
        )

    first = parsed[0] if parsed else Reading()
    plain = replace(first, publisher="", is_literal=False)
    found = [completed(series, plain) for series in (given.series, *alt_series) if series]
    if literal:
        found.insert(1, replace(completed(literal, plain), is_literal=True))
    found += [completed(each.series, each) for each in parsed if each.series]
    # Without a series: it may be given by its id alone.
    return tuple(dict.fromkeys(found or [completed("", first)]))[:READINGS_MAX]


def _day(year: int | None, month: int | None, day: int | None) -> date | None:
    try:
        return date(year, month, day) if year and month and day else None
    except ValueError:  # such as the 31st of a shorter month
        return None


def _language(language: str) -> str:
    """The catalog's code for a language code, with or without a region, or for a language name."""
    folded = language.strip().casefold()
    short = folded.partition("-")[0].partition("_")[0]
    return short if short in LANGUAGES else words.LANGUAGES.get(folded, "")


def _format(name: str) -> str:
    """The format for a code or a word; "" if it is unknown."""
    folded = name.strip().casefold()
    code = folded.replace(" ", "_").replace("-", "_")
    if code in set(SeriesTypeCode):
        return code
    return words.FORMATS.get(folded) or words.NAMED_FORMATS.get(folded, "")


def _codes(known: Mapping, isbn: str, upc: str, ids: tuple[ExternalId, ...]) -> dict[str, tuple]:
    found: dict[str, list] = {}
    gtin, books = known.get("gtin", "") or upc, [known.get("isbn", ""), isbn]
    if gtin.startswith(ISBN13_PREFIXES) or len(gtin) == 10:
        books.append(gtin[:13])
    for each in filter(None, books):
        found.setdefault("isbn", []).extend(number.upper() for number in isbns(each))
    if gtin.isascii() and gtin.isdigit() and len(gtin) >= min(CODE_LENGTHS):
        found["gtin"] = [gtin, f"0{gtin}" if len(gtin) in {12, 14, 17} else gtin.removeprefix("0")]
    if known.get("sku"):
        found["sku"] = [compact_code(known["sku"]).upper()]
    for name in ("id", "cv_id", "gcd_id", "series_id", "series_cv_id", "series_gcd_id"):
        if known.get(name):
            found[name] = [known[name]]
    for name, scope in (("ids", ""), ("series_ids", "series")):
        for source, number in known.get(name, {}).items():
            _take_id(found, ExternalId(source, number, scope))
    for each in ids:
        _take_id(found, each)
    return {kind: tuple(dict.fromkeys(values)) for kind, values in found.items()}


def _take_id(found: dict[str, list], each: ExternalId) -> None:
    kind, is_number = ID_COLUMNS.get(each.source), each.id.isdigit() and len(each.id) < NUMBER_DIGITS
    of = "series_" if each.scope == "series" else ""
    if kind is None:
        found.setdefault(f"{of}ids", []).append(f"{each.source} {each.id}")
    elif is_number:
        found.setdefault(f"{of}{kind}", [int(each.id)])


def barcode_stem(barcode: str) -> str:
    """A barcode without the last two digits of a full supplement, which encode cover and printing."""
    return barcode[:-2] if len(barcode) in SUPPLEMENTED else barcode


@lru_cache(maxsize=20_000)
def fold_name(name: str) -> str:
    """The words of a name without case, accents, punctuation and articles, for comparisons."""
    text = unicodedata.normalize("NFKD", name.casefold().replace("'", "").replace("’", ""))
    text = "".join(each for each in text if not unicodedata.combining(each))
    parts = [part for part in _SIGNS.split(text) if part]
    kept = [part for place, part in enumerate(parts) if part not in _ARTICLES or (place and len(part) == 1)]
    return " ".join(kept or parts) or name.strip().casefold()  # a name may have nothing but signs
