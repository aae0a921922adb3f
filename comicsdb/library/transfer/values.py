"""Parsers of cells in imported files: amounts, grades, dates and flags as people and programs write them.

Each takes text or a JSON value, and returns the value that the library stores, in a form that JSON can
represent, or None for a blank cell. It raises `UnclearError` for a cell that it cannot interpret.
"""

import re
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from functools import partial

from comicsdb import clock, values
from comicsdb.models.choices import (
    COMIC_VINE_NUMBERS,
    EARLIEST_YEAR,
    EXTERNAL_SOURCES,
    GRADES,
    BookFormat,
    GradingCompany,
    Precision,
)
from comicsdb.models.library import TAG_LENGTH_MAX, TAGS_MAX
from comicsdb.schemas.types import TEXT_LENGTH_MAX

NOTES_MAX = TEXT_LENGTH_MAX  # characters
LINE_MAX = 255
UPC_MAX = 20
RAW_LINE_MAX = 4 * LINE_MAX  # before repeated spaces are collapsed
CELL_MAX = NOTES_MAX + 1  # characters of a cell that are read: one more than any column can hold
WORD_MAX = 100  # characters of a grade, a date, a flag and the like
# A code as spreadsheets write it that take it for a number, and a number that they took for a date.
_ROUNDED = re.compile(r"\d([.,]\d+)?E\+?\d+", re.A)
_SHORT_DATE = re.compile(rf"\d{{1,2}}-({'|'.join(values.MONTHS)})", re.I | re.A)
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # prefixes of cells that spreadsheets evaluate


class UnclearError(ValueError):
    """A cell cannot be interpreted."""


def clean(value, max_length: int = CELL_MAX) -> str:
    """The text of a value without surrounding spaces and invalid characters.

    Numbers become text; other JSON types become "". Longer text is cut first.
    """
    if value is None or isinstance(value, bool | list | dict):
        return ""
    try:
        text = str(value).strip()[:max_length]
    except ValueError:  # Python refuses to format integers of thousands of digits
        raise UnclearError from None
    return values.without_bad_characters(text).strip()


def word(value) -> str:
    """A short text, cleaned and case-folded; raises UnclearError if it is too long."""
    if _is_longer(value, WORD_MAX):
        raise UnclearError
    return clean(value).casefold()


def line(value, max_length: int = LINE_MAX) -> str | None:
    """A single line of text."""
    if _is_longer(value, RAW_LINE_MAX):
        raise UnclearError
    text = " ".join(clean(value).split())
    if len(text) > max_length:
        raise UnclearError
    return text or None


def bar_code(value) -> str | None:
    """A UPC, possibly with spaces, or as `="7596"`, which keeps spreadsheets from rounding it to 7.596E+3."""
    text = values.compact_code((line(value) or "").strip("='\"")).upper()
    if len(text) > UPC_MAX or _ROUNDED.fullmatch(text):
        raise UnclearError
    return text or None


def isbn(value) -> str | None:
    """An ISBN of ten or thirteen digits."""
    text = bar_code(value)
    if text and EXTERNAL_SOURCES["isbn"].read(text) is None:
        raise UnclearError
    return text


def number(value) -> str | None:
    """The number of an issue; not a date, into which spreadsheets turn `1/2` and `3-5`."""
    text = line(value)
    written = values.written_day(text or "")
    is_day = written and (written.known == Precision.DAY or not text[0].isdigit())
    if is_day or _SHORT_DATE.fullmatch(text or ""):
        raise UnclearError
    return text


def external_id(source: str, kind: str):
    """A parser of the ids of a kind in a source; Comic Vine's may begin with the number of the kind."""

    def read(text: str) -> str | None:
        text = text.removesuffix(".0")
        kinds, dash, _id = text.partition("-")
        if source == "comicvine" and dash and kinds != str(COMIC_VINE_NUMBERS[kind]):
            return None
        return EXTERNAL_SOURCES[source].read(text)

    return lambda value: parse(value, read)


def notes(value) -> str | None:
    """Text of several lines."""
    if _is_longer(value, NOTES_MAX):
        raise UnclearError
    return clean(value) or None


def tags(value, separators: str = ",") -> list[str] | None:
    """Tags, as a list or a text with any of the separators between them."""
    text = ",".join(map(clean, value)) if isinstance(value, list) else clean(value)
    parts = re.split(f"[{separators}]", text)
    found = values.ordered_tags(filter(None, (line(each, TAG_LENGTH_MAX) for each in parts)))
    if len(found) > TAGS_MAX:
        raise UnclearError
    return found or None


def _is_longer(value, max_length: int) -> bool:
    """Whether a value is text longer than `max_length` characters, not counting surrounding spaces."""
    return isinstance(value, str) and len(value.strip()) > max_length


def parse(value, parser):
    """The value that a parser finds in a short text, None for a blank cell; UnclearError if it finds none."""
    text = word(value)
    parsed = parser(text) if text else None
    if text and parsed is None:
        raise UnclearError
    return parsed


def whole_between(low: int, high: int):
    """A parser of whole numbers within inclusive bounds."""

    def whole(text: str) -> int | None:
        number = values.integer(text.replace(",", "."))
        return number if number is not None and low <= number <= high else None

    return lambda value: parse(value, whole)


def flag(value) -> bool | None:
    """Yes or no."""
    return value if isinstance(value, bool) else parse(value, partial(values.flag, words=True))


def count(value) -> int | bool | None:
    """A flag, or a number of copies."""
    text = word(value)
    return int(text) if re.fullmatch("[0-9]{1,6}", text) else flag(value)


def stars(value, highest: int) -> int | None:
    """Whole stars out of five, for a rating out of `highest`; None for zero."""
    text = word(value)
    match = re.fullmatch(r"(\d{1,2})(?:[.,](\d))?\d*", text, re.A)
    if not match:
        if text:
            raise UnclearError
        return None
    rating = float(f"{match[1]}.{match[2] or 0}") * 5 / highest
    if rating > 5 or not rating.is_integer():
        raise UnclearError
    return int(rating) or None


# Other names of grades, by ten times the grade.
_GRADE_NAMES = {
    99: "mt m",
    98: "nm/mt near_mint/mint",
    96: "near_mint+",
    94: "near_mint",
    92: "near_mint-",
    90: "very_fine/near_mint",
    85: "very_fine+",
    80: "very_fine",
    75: "very_fine-",
    70: "fine/very_fine f/vf",
    65: "fine+ f+",
    60: "fine f",
    55: "fine- f-",
    50: "very_good/fine vg/f",
    45: "very_good+",
    40: "very_good",
    35: "very_good-",
    30: "good/very_good g/vg",
    25: "good+ g+",
    20: "good g",
    18: "good- g-",
    15: "fair/good fa/g",
    10: "fair fa",
    5: "poor p",
}
_GRADE_WORDS = {name.casefold(): grade for grade, name in GRADES.items()} | {
    name.replace("_", " "): Decimal(tenths).scaleb(-1)
    for tenths, names in _GRADE_NAMES.items()
    for name in names.split()
}
_NUMBER = re.compile(r"(?<![\d.,])(\d{1,2}(?:[.,]\d0*)?)(?![\d.,])", re.A)
_UNGRADED = {"ungraded", "not graded", "raw", "none", "n/a", "-"}


def grade(value) -> str | None:
    """A grade of the scale, from texts such as `9.4`, `NM`, `9.4 NM` or `Near Mint (9.4)`."""
    return None if word(value) in _UNGRADED else parse(value, _grade)


def _grade(text: str) -> str | None:
    if text in _GRADE_WORDS:
        return str(_GRADE_WORDS[text])
    match = _NUMBER.search(text)
    number = Decimal(match[1].replace(",", ".")) if match else None
    return str(number.quantize(Decimal("0.1"))) if number in GRADES else None


def company(value) -> str | None:
    """The company that graded a copy; None for an ungraded copy."""
    return None if word(value) in _UNGRADED else parse(value, _company)


def _company(text: str) -> str | None:
    return next((each.value for each in GradingCompany if re.match(rf"{each}\b", text, re.I)), None)


def company_in(value) -> str | None:
    """The company that a text about a grade names, such as `CGC 9.8`."""
    found = re.search(rf"\b({'|'.join(GradingCompany)})\b", clean(value, WORD_MAX), re.I)
    return found[1].upper() if found else None


_DIGITAL = {"digital", "ebook", "e-book", "cbz", "cbr", "kindle", "comixology"}


def book_format(value) -> str | None:
    """Print, digital or both; other formats (`Hardcover`, `Newsstand`) count as print."""
    text = word(value)
    if not text:
        return None
    if text == BookFormat.BOTH.casefold():
        return BookFormat.BOTH.value
    return BookFormat.DIGITAL.value if text in _DIGITAL else BookFormat.PRINT.value


_OF_THREE_DECIMALS = "KWD"


def money(value) -> tuple[str, str | None] | None:
    """An amount and its currency, None if there is none: `$3.99`, `3,99 €`, `EUR 1.234,50`, `12`.

    An amount that is ambiguous without its currency, such as `1.250`, is returned as written.
    """
    return parse(value, _money)


def _money(text: str) -> tuple[str, str | None] | None:
    amount, currency = values.read_money(text) or (None, None)
    is_clear = (amount, currency) == values.read_money(text, _OF_THREE_DECIMALS)
    return None if amount is None else (str(amount) if is_clear else text, currency)


def day(value, *, day_first: bool = False, earliest: int = EARLIEST_YEAR) -> str | None:
    """A date as YYYY-MM-DD, from a year on; the first of the month if the day is missing."""
    first = _first_day(value, day_first, earliest)
    if first and first.known == Precision.YEAR:
        raise UnclearError
    return first and first.day.isoformat()


def partial_day(value, *, day_first: bool = False) -> str | None:
    """A date as far as it is known: YYYY-MM-DD, YYYY-MM or YYYY."""
    first = _first_day(value, day_first, EARLIEST_YEAR)
    return first and values.partial_day_text(*first)


def _first_day(value, day_first: bool, earliest: int) -> values.PartialDay | None:
    first = parse(value, partial(values.written_day, day_first=day_first))
    if first and first.day.year < earliest:
        raise UnclearError
    return first


def moment(value, *, day_first: bool = False, earliest: int = EARLIEST_YEAR) -> str | None:
    """A time in UTC, from a year on.

    It is noon for a date without time, as that is the same date in nearly all time zones. Spreadsheets write
    midnight for a date without time.
    """
    text = clean(value, WORD_MAX)
    instant = values.instant(text) if len(text) > len("2019-03-05") else None
    if instant is None:
        written = day(text, day_first=day_first, earliest=earliest)
        if written is None:
            return None
        instant = datetime.fromisoformat(f"{written}T12:00")
    elif instant.tzinfo is None and instant.time() == time():
        instant = instant.replace(hour=12)
    try:
        instant = instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
    except OverflowError:
        raise UnclearError from None
    if instant.year < earliest or instant > clock.now() + timedelta(days=1):
        raise UnclearError
    return instant.isoformat()


def one_of(codes):
    """A case-insensitive parser of a fixed set of codes."""
    by_text = {str(code).casefold(): str(code) for code in codes}
    return lambda value: parse(value, by_text.get)


def escape_formula(text: str) -> str:
    """Escape a text that spreadsheets would evaluate as a formula; `unescape_formula` reverses it."""
    return f"'{text}" if text.startswith((*FORMULA, "'")) else text


def unescape_formula(text: str) -> str:
    """The text that `escape_formula` escaped."""
    return text[1:] if text.startswith("'") and text[1:].startswith((*FORMULA, "'")) else text
