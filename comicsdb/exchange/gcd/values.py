"""Parses the texts of the Grand Comics Database: numbers, dates, prices, codes, genres, types of series.

These are pure functions, which never guess: an uncertain value becomes None or blank. If somebody should
review it, the name of the rule (`report.RULES`) is returned with it.
"""

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from stdnum import isbn as isbn_numbers
from stdnum.exceptions import ValidationError

from comicsdb.issue_numbers import NUMBER_LENGTH, clean_number
from comicsdb.models.base import SMALL_MAX
from comicsdb.models.choices import COUNTRIES, EARLIEST_YEAR, LANGUAGES, YEARS, SeriesTypeCode
from comicsdb.models.currencies import Currency, currencies_of
from comicsdb.schemas.types import amount_problem
from comicsdb.values import PartialDay, decimal, first_day, one_line, whole_number, without_bad_characters

UPC_LENGTH, TITLE_LENGTH = 20, 150
UNNUMBERED = "[nn]"


def clean(text: str | None) -> str:
    """A text without characters that the catalog rejects, and without surrounding whitespace."""
    return without_bad_characters((text or "").replace("\r\n", "\n")).strip()


def line(text: str | None) -> str:
    """The text as one line."""
    return one_line(text or "")


_LINK = re.compile(r"\[gcd_link_(?P<kind>[a-z_]+?)(?:_name)?\]\((?P<id>[0-9]+)\)")


def notes(text: str | None) -> str:
    """A text of several lines; links to records of GCD are replaced by their URLs."""
    return _LINK.sub(r"https://www.comics.org/\g<kind>/\g<id>/", clean(text))


def parts(text: str) -> list[str]:
    """The parts of a text between semicolons; semicolons inside brackets do not split."""
    found, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth = max(0, depth + (character in "[(") - (character in "])"))
        if character == ";" and not depth:
            found.append(text[start:place])
            start = place + 1
    return [each for each in map(str.strip, (*found, text[start:])) if each]


# Numbers.


@dataclass(frozen=True)
class Number:
    """A number of an issue ("" for none) and its other number; `rule` is set if somebody should review it."""

    number: str
    alternative: str = ""
    rule: str = ""


_TWO_NUMBERS = re.compile(
    r"(?P<first>[^\[\]()]*?)\s*(?:\[(?P<common>[^\[\]]+)\]|\((?P<cover>[^()]+)\)|\s/\s(?P<double>[^/]+))"
)


def number(text: str, volume: str = "", *, with_volume: bool = False) -> Number:
    """The number of an issue: `[5]`, `5 (7)`, `1 [2]`, `69 / 9`; `[nn]` gives none."""
    text = line(text)
    if not text or text.casefold().startswith(UNNUMBERED):
        return Number("", rule="unnumbered")
    text = re.sub(r"^\[([^\[\]]+)\]", r"\1", text)  # assigned, but not printed
    rule, second = "", ""
    if found := _TWO_NUMBERS.fullmatch(text):
        text, second = found["first"], found["common"] or found["cover"] or found["double"]
        if not re.search("[0-9½¼¾]", second):  # for example 1 [Direct]
            second, rule = "", "number-words"
    if not text.strip():  # for example (7)
        return Number("", rule="unnumbered")
    if with_volume and volume:
        text = f"v{line(volume)}#{text}"
    text = clean_number(text)
    if len(text) > NUMBER_LENGTH:
        return Number("", rule="number-too-long")
    if len(second.strip()) > NUMBER_LENGTH:
        return Number(text, rule="number-too-long")
    return Number(text, second.strip(), rule)


# Dates.


_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2}|\?\?)(?:-([0-9]{2}|\?\?))?)?")


def partial_date(text: str) -> tuple[PartialDay | None, str]:
    """The date of `1963-09-00`, `2009-05` or `2009-??-12`, and the rule that an impossible one breaks."""
    text = text.strip()
    match = _DATE.fullmatch(text)
    if not match:
        return None, "date-unclear" if text and not text.startswith("?") else ""
    year, month, day = (whole_number(part) or 0 for part in match.groups())
    if not year:
        return None, ""
    if year < EARLIEST_YEAR:
        return None, "date-too-early"
    first = first_day(year, month, day)
    return first, "" if first else "date-impossible"


def certain_date(year: str, month: str, day: str, *doubts: int) -> PartialDay | None:
    """The parts of a date that are known and not in doubt (three flags); None without a year."""
    numbers = [
        0 if doubt else whole_number(part.strip()) or 0
        for part, doubt in zip((year, month, day), doubts, strict=True)
    ]
    return first_day(*numbers) if numbers[0] else None


def certain_year(value, *, uncertain: bool = False) -> int | None:
    """A year, None if it is uncertain or out of range."""
    return None if uncertain else whole_number(str(value), *YEARS)


# Prices.


@dataclass(frozen=True)
class Price:
    """One price of an issue: amount, currency, and the country or note after it."""

    amount: Decimal
    currency: str
    country: str = ""
    note: str = ""
    rounded: bool = False


_PRICE = re.compile(
    r"(?P<amount>[0-9]+(?:[.,][0-9]+)?)\s*(?P<currency>[A-Z]{3})"
    r"(?:\s+(?P<country>[A-Z]{2}))?\s*(?:[(\[](?P<note>[^)\]]*)[)\]])?"
)
_POUNDS = re.compile(
    r"[^\[;]*\[(?P<pounds>[0-9]+)-(?P<shillings>[0-9]+)-(?P<pence>[0-9]+(?:\.[0-9]+)?) GBP\]\s*"
    r"(?:\((?P<note>[^)]*)\))?"
)


# States that preceded countries, whose currencies are on older covers.
PREDECESSORS = {"CS": "CZ", "DE": "DD", "HR": "YU", "RS": "YU", "RU": "SU", "SI": "YU", "UA": "SU"}


def prices(text: str) -> list[Price]:
    """The prices of `0.10 USD; 3,99 EUR DE; 2/6 [0-2-6 GBP]`; other entries, such as FREE, are left out."""
    found = []
    for part in parts(line(text)):
        if old := _POUNDS.fullmatch(part):
            pounds = int(old["pounds"]) + Decimal(old["shillings"]) / 20 + Decimal(old["pence"]) / 240
            amount = pounds.quantize(Decimal("0.01"), ROUND_HALF_UP)
            found.append(Price(amount, "GBP", note=old["note"] or "", rounded=amount != pounds))
        elif new := _PRICE.fullmatch(part):
            amount = Decimal(new["amount"].replace(",", "."))
            found.append(Price(amount, new["currency"], new["country"] or "", new["note"] or ""))
    return found


def own_price(text: str, country: str) -> tuple[Price | None, str]:
    """The price in the issue's country, or else the first without a note; the rule if none or rounded."""
    known = [each for each in prices(text) if not each.note and _is_taken(each)]
    if not known:
        return None, "price-left-out" if line(text) else ""
    country = country.upper()
    own_currencies = {*currencies_of(country), *currencies_of(PREDECESSORS.get(country, ""))}
    own = [each for each in known if each.country == country] or [
        each for each in known if each.currency in own_currencies and each.country in ("", country)
    ]
    chosen = (own or known)[0]
    return chosen, "price-rounded" if chosen.rounded else ""


def _is_taken(price: Price) -> bool:
    """Whether the catalog accepts a price: its currency is known and allows this amount."""
    return price.currency in Currency.__members__ and not amount_problem(
        price.amount, price.currency, rounds=True
    )


# Codes.


def barcode(text: str) -> tuple[str, str]:
    """The digits of the first barcode, with its supplement, and the rule that it breaks."""
    listed = parts(line(text))
    digits = re.sub("[^0-9]", "", listed[0]) if listed else ""
    return ("", "barcode-too-long") if len(digits) > UPC_LENGTH else (digits, "")


def isbn(valid: str, printed: str = "") -> tuple[str, str]:
    """The ISBN that GCD found valid; the rule if one is printed, but none is valid."""
    try:
        return isbn_numbers.validate(line(valid)), ""
    except ValidationError:
        return "", "isbn-invalid" if line(valid) or line(printed) else ""


def pages(value) -> int | None:
    """The number of pages, rounded up; None for 0 and for invalid values."""
    number = decimal(str(value))
    return math.ceil(number) if number and 0 < number <= SMALL_MAX else None


# Codes of languages and countries.

_RENAMED_LANGUAGES = {"iw": "he", "in": "id", "mo": "ro", "no": "nb"}
_UNCLEAR_LANGUAGES = ("sh", "zh", "fil")


def language(code: str) -> tuple[str, str]:
    """Our code for a language, "" if we have none; the rule if it could be several of ours."""
    code = line(code).lower()
    code = _RENAMED_LANGUAGES.get(code, code)
    return (code, "") if code in LANGUAGES else ("", "language" if code in _UNCLEAR_LANGUAGES else "")


def country(code: str) -> tuple[str, str]:
    """The ISO code of a country, "" for one that no longer exists or is unknown, with the rule."""
    code = line(code).upper()
    return (code, "") if code in COUNTRIES else ("", "country")


# Ratings, by the exact words that are printed.

_AGE_RATINGS = {
    "Everyone": ("all ages", "rated all ages", "everyone", "rated e", "a", "rated a", "rated e for everyone"),
    "Teen": ("t", "rated t", "teen", "rated t for teen", "12+", "ages 12+"),
    "Teen Plus": ("t+", "rated t+", "teen plus", "teen+", "rated t+ for teen plus", "15+", "ages 15+"),
    "Mature": (
        "m",
        "rated m",
        "mature",
        "mature readers",
        "suggested for mature readers",
        "for mature readers",
        "17+",
        "ages 17+",
    ),
    "Explicit": ("explicit content", "max: explicit content"),
    "Adult": ("adults only", "for adults only", "18+"),
}
_RATING_OF = {words: name for name, listed in _AGE_RATINGS.items() for words in listed}


def age_rating(text: str) -> str:
    """The name of our age rating for a printed one, `Unknown` unless it matches exactly."""
    return _RATING_OF.get(line(text).casefold().rstrip("."), "Unknown")


# Genres.

_GENRES = {
    **{
        name.lower(): name
        for name in "Adventure;Crime;Drama;Fantasy;Historical;Horror;Humor;Romance;Science Fiction;War".split(
            ";"
        )
    },
    "jungle": "Adventure",
    "erotica": "Adult",
    "spy": "Espionage",
    "sword and sorcery": "Fantasy",
    "horror-suspense": "Horror",
    "detective-mystery": "Mystery",
    "satire-parody": "Parody",
    "sports": "Sport",
    "superhero": "Super-Hero",
    "western-frontier": "Western",
    "martial arts": "Action",
}


def genres(text: str) -> set[str]:
    """The names of our genres for those of GCD; genres without an equivalent are left out."""
    return {_GENRES[each] for each in map(str.lower, parts(line(text))) if each in _GENRES}


# Types of series.

BOOK, ALBUM = 1, 3  # gcd_series_publication_type
# In this order: the first pattern that occurs in one of the texts decides.
_TYPE_WORDS = (
    (r"\bannuals?\b", SeriesTypeCode.ANNUAL),
    (r"\bomnibus", SeriesTypeCode.OMNIBUS),
    (r"\bcollect|\breprint", None),
    (r"\bgraphic novel", SeriesTypeCode.GRAPHIC_NOVEL),
    (r"\blimited|\bmini-?\s?series|\bmaxi-?\s?series|\bmini\b|\bmaxi\b", SeriesTypeCode.LIMITED_SERIES),
    (r"\bone[- ]?shot", SeriesTypeCode.ONE_SHOT),
)
_HARD, _SOFT = re.compile(r"hard\s?-?(cover|bound|back)"), re.compile(r"soft\s?-?cover|paper\s?-?back")


def series_type(
    name: str, publishing_format: str, binding: str, *, singleton: bool, publication_type: int | None
) -> tuple[SeriesTypeCode, str]:
    """The type of a series by its format, binding and name, and the rule if it is uncertain."""
    texts = [each.casefold() for each in (publishing_format, binding, name)]
    for pattern, code in _TYPE_WORDS:
        if any(re.search(pattern, each) for each in texts):
            return (code, "") if code else _collected(" ".join(texts[:2]))
    if singleton and publication_type not in (BOOK, ALBUM):
        return SeriesTypeCode.ONE_SHOT, ""
    certain = "ongoing" in texts[0]
    return SeriesTypeCode.SINGLE_ISSUE, "" if certain else "series-type"


def _collected(texts: str) -> tuple[SeriesTypeCode, str]:
    hard, soft = bool(_HARD.search(texts)), bool(_SOFT.search(texts))
    if hard != soft:
        return (SeriesTypeCode.HARDCOVER if hard else SeriesTypeCode.TRADE_PAPERBACK), ""
    return SeriesTypeCode.TRADE_PAPERBACK, "binding"
