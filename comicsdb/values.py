"""Values parsed from text: one parser for each kind of value, shared by API, site and imports.

Each returns the value, or None if the text is invalid; callers word the error themselves.
"""

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import NamedTuple
from unicodedata import combining, normalize

from stdnum import ean

from comicsdb.i18n import _, formatted
from comicsdb.issue_numbers import clean_number
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import YEARS, Precision
from comicsdb.models.currencies import DECIMALS_MAX, Currency, decimals_of

# Control characters, unpaired surrogates and Unicode non-characters are not allowed in any text. Line breaks
# and tabs are not allowed in single-line texts.
NULL_CHARACTER = _("Null characters are not allowed.")
SURROGATE_CHARACTER = _("Surrogate characters are not allowed.")

_LINES = "\t\n\r"
_PLANES = "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(17))
_CONTROL, _OTHERS = "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f", f"\ud800-\udfff\ufdd0-\ufdef{_PLANES}"
_BAD = re.compile(f"[{_CONTROL}{_OTHERS}]")
_BAD_IN_LINE = re.compile(f"[{_CONTROL}{_LINES}{_OTHERS}]")

WEB_ADDRESS = re.compile(r"https?://[^\s/?#]+\S*", re.IGNORECASE)

# Spellings of booleans in JSON, forms and query strings, and words for them in tables, in lower case.
# Spreadsheets write TRUE and FALSE in their own language.
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_YES_OR_NO = (
    _BOOLEANS
    | dict.fromkeys("yes y t x read si sì sí oui ja vero vrai wahr".split(), True)
    | dict.fromkeys("no n f unread non nein falso faux falsch".split(), False)
)
_PARTIAL_DAY = re.compile(r"(\d{4})(?:-(0?[1-9]|1\d)(?:-(0?[1-9]|[1-3]\d))?)?", re.A)
_YEAR_FIRST = re.compile(r"(\d{4})(?:[/-](\d{1,2})(?:[/-](\d{1,2}))?(?:[t ].*)?)?", re.A | re.S)
_SHORT_DAY = r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)"
_YEAR_LAST = re.compile(rf"{_SHORT_DAY}(?:\s.*)?", re.A | re.S)
_SHORT_DAY_IN_TEXT = re.compile(rf"(?<![^\s,;]){_SHORT_DAY}(?![^\s,;])", re.A)
_MONTH_AND_YEAR = re.compile(r"(\d{1,2})[/.-](\d{4})", re.A)
# `5 March 2019`, `March 5, 2019`, `March 2019`; spreadsheets turn them into `5-Mar-19` and `Mar-19`.
_NAMED_MONTH = re.compile(
    r"(?:(\d{1,2})\.?[\s-]+)?([a-z]{3,10})\.?(?:\s+(\d{1,2}))?(?:,?\s+(\d{4})|-(\d{4}|\d\d))", re.A
)
# Names of months in English, Italian, French, German and Spanish, without accents.
MONTHS = {
    word: month
    for words in (
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "january february march april may june july august september october november december",
        "gen feb mar apr mag giu lug ago set ott nov dic",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janv fevr mars avr mai juin juil aout sept oct nov dec",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
        "januar februar marz april mai juni juli august september oktober november dezember",
        "ene feb mar abr may jun jul ago sep oct nov dic",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
    for month, word in enumerate(words.split(), 1)
}
_YEAR_AFTER_NAME = re.compile(
    r"[(\[]\s*(\d{4})(?:\s*[-–]\s*(?:\d{4}|present|ongoing)?)?(?:\s+series)?\s*[)\]]\s*$", re.I | re.A
)
# `, Vol. 5` at the end of a name, or before what makes it another series: `, Vol. 1 Annual`.
_VOLUME_AFTER_NAME = re.compile(r",?\s*[(\[]?\b(?:vol(?:ume)?\.?\s*|v\.?)(\d{1,4})[)\]]?\s*$", re.I | re.A)
_VOLUME_IN_NAME = re.compile(
    r"(\S[^,]*),\s*vol(?:ume)?\.?\s*\d{1,4}\s+((?:\S+\s)?(?:annual|special|yearbook|giant[ -]size)s?\b.*)",
    re.I | re.A,
)
VOLUME_YEAR = 1900  # a "volume" from here on is the series' first year
_KIND_AFTER_NAME = re.compile(r"\s+(?:TPB|HC|GN)$")  # in our own labels, before the year
_TITLE_NUMBER = re.compile(r"^(?P<series>.+?)\s+(?:chapter\s+)?#\s*(?P<number>\S{1,25})", re.I)
_TITLE_VOLUME = re.compile(
    r"^(?P<series>.+?),?\s+(?:vol(?:ume)?\.?|book)\s*(?P<number>\d{1,4})\b", re.I | re.A
)
_FORMAT = re.compile(r"(?<!\w)(TPB?|HC|GN|OGN|Omnibus|Annual)(?!\w)")
PLAIN_MAX = 255  # characters
_NOT_WORDS = re.compile(r"[\W_]+")
_FIRST_SHORT_YEAR = 30  # spreadsheets read two digits from here on as 19..
_OFFSET_LIMIT = timedelta(hours=16)  # PostgreSQL rejects UTC offsets of this size
_INTEGER = re.compile(r"([-+]?[0-9]+)(?:\.0*)?")
NUMBER_LENGTH_MAX = 1000  # characters; Python refuses to read integers of thousands of digits
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
AMOUNT_LENGTH_MAX = 60  # characters; on longer texts the pattern could backtrack too often
_CURRENCIES = {each.casefold(): each for each in Currency} | {
    "$": Currency.USD,
    "us$": Currency.USD,
    "£": Currency.GBP,
    "€": Currency.EUR,
    "eur.": Currency.EUR,
    "euro": Currency.EUR,
    "₤": Currency.ITL,
    "l.": Currency.ITL,
    "lire": Currency.ITL,
    "¥": Currency.JPY,
    "円": Currency.JPY,
}
_CURRENCY_SIGN = r"[^\d\s.,'-]+\.?"
_MONEY = re.compile(
    rf"(?P<before>{_CURRENCY_SIGN})? ?"
    r"(?P<whole>[1-9]\d{0,2}(?P<gap>[.,' ])\d{3}(?:(?P=gap)\d{3})*|\d+)(?:[.,](?P<decimals>\d{1,3})?)?"
    rf" ?(?P<after>{_CURRENCY_SIGN})?",
    re.A,
)


def whole_number(text, low: int = 0, high: int = INTEGER_MAX, *, clamp: bool = False) -> int | None:
    """A whole number in ASCII digits, within inclusive bounds; with `clamp`, a greater one becomes `high`."""
    if not isinstance(text, str) or not (text.isascii() and text.isdigit()):
        return None
    number = int(text) if len(text) <= len(str(high)) else high + 1
    number = min(number, high) if clamp else number
    return number if low <= number <= high else None


def integer(text: str) -> int | None:
    """The whole number in a text, possibly with a sign, and with decimals if they are zero."""
    match = _INTEGER.fullmatch(text) if len(text) <= NUMBER_LENGTH_MAX else None
    return int(match[1]) if match else None


# Dates and times.


class PartialDay(NamedTuple):
    """The first possible day of a date, and how much of the date is known."""

    day: date
    known: Precision


def first_day(year: int, month: int = 0, day: int = 0) -> PartialDay | None:
    """The date of three numbers, of which 0 means unknown; None if there is no such date."""
    known = Precision.DAY if month and day else Precision.MONTH if month else Precision.YEAR
    try:
        return PartialDay(date(year, month or 1, day if known == Precision.DAY else 1), known)
    except (ValueError, OverflowError):
        return None


def partial_day(text: str) -> PartialDay | None:
    """The date of YYYY, YYYY-MM or YYYY-MM-DD, also of 2026-3-4."""
    match = _PARTIAL_DAY.fullmatch(text)
    return first_day(*(int(part or 0) for part in match.groups())) if match else None


def partial_day_text(day: date | str | None, known: str | None = Precision.DAY) -> str:
    """A date, or its ISO format, to its precision, in the form that `partial_day` reads; "" if unknown."""
    lengths = {Precision.DAY: 10, Precision.MONTH: 7, Precision.YEAR: 4, Precision.NONE: 0}
    return str(day or "")[: lengths[known or Precision.DAY]]


def iso_day(text: str, *, padded: bool = True) -> date | None:
    """The date of YYYY-MM-DD; unless `padded`, also of 2026-3-4. Other ISO 8601 formats are not accepted."""
    partial = partial_day(text)
    is_whole = partial is not None and partial.known == Precision.DAY
    return partial.day if is_whole and (not padded or len(text) == len("2026-11-30")) else None


def written_day(text: str, *, day_first: bool = False) -> PartialDay | None:
    """The date in a text as people and programs write it, as far as it is known.

    Examples: 2019-3-5, 5/3/2019, 5.3.19, March 5, 2019, 5-Mar-19; Mar 2019, 03/2019, 2019-03-00; 2019.
    """
    text = "".join(sign for sign in normalize("NFKD", text.casefold()) if not combining(sign))
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = match.groups()
    elif match := _YEAR_LAST.fullmatch(text):
        month, _sign, day, year = match.groups()
        if day_first or int(month) > 12:
            month, day = day, month
    elif match := _MONTH_AND_YEAR.fullmatch(text):
        (month, year), day = match.groups(), 0
    elif match := _NAMED_MONTH.fullmatch(text):
        year, day = match[4] or match[5], match[1] or match[3]
        months = {number for name, number in MONTHS.items() if name.startswith(match[2])}
        if len(months) != 1:
            return None
        month = months.pop()
    else:
        return None
    return first_day(_full_year(year), int(month or 0), int(day or 0))


def _full_year(text: str) -> int:
    year = int(text)
    if len(text) == 4:
        return year
    return year + (1900 if year >= _FIRST_SHORT_YEAR else 2000)


def is_day_first(texts: Iterable[str]) -> bool:
    """Whether dates such as 5/3/2019 start with the day: true if any of the texts is valid only that way.

    Dates with points do so everywhere.
    """
    matches = (_YEAR_LAST.fullmatch(text.strip()) for text in texts)
    return any(match and (int(match[1]) > 12 or match[2] == ".") for match in matches)


def day_first_as_iso(text: str) -> str:
    """A text in which dates such as 5/3/2019, which start with the day, are replaced by YYYY-MM-DD."""
    return _SHORT_DAY_IN_TEXT.sub(lambda match: f"{_full_year(match[4])}-{match[3]}-{match[1]}", text)


def instant(text: str) -> datetime | None:
    """The time of an ISO 8601 timestamp, possibly with spaces before time and offset."""
    try:
        return datetime.fromisoformat(text.upper().replace(" ", "T", 1).replace(" ", ""))
    except ValueError:
        return None


def iso_timestamp(text: str) -> datetime | None:
    """The time of an ISO 8601 timestamp with a UTC offset that PostgreSQL accepts."""
    moment = instant(text)
    return moment if moment and moment.tzinfo and has_possible_offset(moment) else None


def has_possible_offset(moment: datetime) -> bool:
    """Whether PostgreSQL accepts the UTC offset of a datetime; true for a naive one."""
    return abs(moment.utcoffset() or timedelta()) < _OFFSET_LIMIT


def flag(text: str, *, words: bool = False) -> bool | None:
    """The boolean in a text: true, false, 1 or 0 in any case; with `words`, also yes, no and the like."""
    return (_YES_OR_NO if words else _BOOLEANS).get(text.lower())


# Names and titles of comics.


def plain(text: str) -> str:
    """The letters and digits of a text, without case and accents."""
    # Normalising takes time quadratic in the number of combining marks.
    decomposed = normalize("NFKD", text[:PLAIN_MAX]).casefold()
    return _NOT_WORDS.sub("", "".join(sign for sign in decomposed if not combining(sign)))


def split_year(name: str) -> tuple[str, int | None]:
    """The name of a series without its first year: `Name (2018)`, `Name [2018-2022]`; it may be blank."""
    match = _YEAR_AFTER_NAME.search(name)
    is_year = match and YEARS[0] <= int(match[1]) <= YEARS[1]
    return (name[: match.start()].rstrip(), int(match[1])) if is_year else (name, None)


def split_name(text: str) -> tuple[str, int | None, int | None]:
    """The name, first year and volume in the title of a series.

    Known forms: `Name (2018 - 2022)`, `Name (2018 series)`, `Name, Vol. 5`, `Name TPB (2018)`, and
    `Name, Vol. 1 Annual`, where the volume is that of another series, `Name`.
    """
    text = text.strip()
    name, year = split_year(text)
    if not name:  # it is a year
        return text, None, None
    if year:
        name = _KIND_AFTER_NAME.sub("", name)
    if match := _VOLUME_IN_NAME.fullmatch(name):
        return f"{match[1].strip()} {match[2]}", year, None
    match = _VOLUME_AFTER_NAME.search(name)
    if not match or not match.start():
        return name.strip(), year, None
    volume = int(match[1])
    is_year = VOLUME_YEAR <= volume <= YEARS[1]
    return name[: match.start()].strip(), year or (volume if is_year else None), None if is_year else volume


def split_volume(number: int | None) -> tuple[int | None, int | None]:
    """The volume, or else the first year, that a program wrote as the volume of a series."""
    return (None, number) if number is not None and number >= VOLUME_YEAR else (number, None)


def split_title(text: str) -> tuple[str, str]:
    """The series and number in a title such as `Name #5 Variant` or `Name, Vol. 2`, else blank."""
    match = _TITLE_NUMBER.match(text) or _TITLE_VOLUME.match(text)
    return (match["series"].strip(), clean_number(match["number"])) if match else ("", "")


def named_format(text: str) -> str:
    """The format in a title such as `Name, Vol. 2 TP`, as its word, else blank."""
    match = _FORMAT.search(text)
    return match[1] if match else ""


def is_web_address(text: str) -> bool:
    """Whether a text is an http or https URL."""
    return WEB_ADDRESS.fullmatch(text) is not None


def compact_code(code: str) -> str:
    """A barcode or ISBN without the spaces and hyphens of its printed form: `7 59606 08936 9 00111`."""
    return ean.compact(code)


def is_number(text: str) -> bool:
    """Whether a text is a number: ASCII digits, an optional point and exponent; no spaces, no `_`."""
    return _NUMBER.fullmatch(text) is not None


def decimal(text: str) -> Decimal | None:
    """The finite number in a text; also None for one that is too long or has too great an exponent."""
    try:
        return Decimal(text) if len(text) <= NUMBER_LENGTH_MAX and is_number(text) else None
    except InvalidOperation:
        return None


def read_money(text: str, currency: str | None = None) -> tuple[Decimal, str | None] | None:
    """The amount in a text, and its currency code or None if it has none.

    One or two digits after the last point or comma are decimals. Three are thousands, except after the only
    separator of an amount whose currency, in the text or given, has three decimals. Returns None for negative
    amounts and for unknown currencies.
    """
    text = " ".join(text.split()).casefold()
    found = _MONEY.fullmatch(text) if len(text) <= AMOUNT_LENGTH_MAX else None
    if not found:
        return None
    currencies = {_CURRENCIES.get(sign) for sign in (found["before"], found["after"]) if sign}
    if None in currencies or len(currencies) > 1:
        return None
    code = next((each.value for each in currencies), None)
    has_three = decimals_of(code or currency or Currency.USD) == DECIMALS_MAX
    whole, decimals = found["whole"], found["decimals"] or ""
    if has_three and not decimals and found["gap"] in (".", ",") and whole.count(found["gap"]) == 1:
        whole, decimals = whole.split(found["gap"])
    if len(decimals) == DECIMALS_MAX and not has_three:
        return None
    # At least two decimals; callers check those that a currency does not have. They are added as text, as
    # `quantize` fails if there are more digits than the context of Decimal allows.
    decimals = decimals or "0" if has_three else decimals.ljust(2, "0")
    return Decimal(f"{re.sub('[^0-9]', '', whole)}.{decimals}"), code


# Characters.


def bad_character(text: str, *, lines: bool = True) -> str | None:
    """The first character that is not allowed in a text of several `lines`, or of one; None if all are."""
    found = (_BAD if lines else _BAD_IN_LINE).search(text)
    return found[0] if found else None


def text_problem(text: str, *, lines: bool = True) -> str | None:
    """The error message for a text with a character that is not allowed; None if it has none."""
    found = bad_character(text, lines=lines)
    if found is None:
        return None
    if found == "\0":
        return NULL_CHARACTER
    if "\ud800" <= found <= "\udfff":
        return SURROGATE_CHARACTER
    code = f"U+{ord(found):04X}"
    return formatted("Please remove the character ${code}: it is not allowed here.", code=code)


def ordered_tags(names: Iterable[str]) -> list[str]:
    """Tags in alphabetical order; of those that only differ in case, the first."""
    known = {}
    for name in names:
        known.setdefault(name.lower(), name)
    return [known[each] for each in sorted(known)]


def without_bad_characters(text: str) -> str:
    """A text without the characters that are not allowed."""
    return _BAD.sub("", text)


def one_line(text: str) -> str:
    """A text as one line, with single spaces and without the characters that are not allowed."""
    return " ".join(without_bad_characters(text).split())
