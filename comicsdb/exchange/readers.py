"""Parsers of JSON values in data sets; each returns the value for COPY.

They raise ValueError with a message that completes "<field>: ...". Lengths and ranges come from the columns
of the models.
"""

import re
from collections.abc import Callable
from decimal import Decimal

import orjson

from comicsdb.issue_numbers import clean_number
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import YEARS
from comicsdb.models.currencies import (
    DECIMALS_MAX,
    WHOLE_DIGITS_MAX,
    Currency,
    decimals_of,
    max_whole_digits,
)
from comicsdb.models.picture_hash import signed
from comicsdb.schemas.reference import TRANSLATION_LENGTH
from comicsdb.schemas.types import amount_problem
from comicsdb.values import WEB_ADDRESS, bad_character, iso_day, iso_timestamp

Reader = Callable[[object], object]
LACKING = object()  # the default of a field whose value an existing row or the column may provide

_CURRENCIES = [*map(str, Currency)]
SLUG = re.compile(r"[A-Za-z0-9_-]+")
PATH_MAX = 250  # bytes, as file systems have names of up to 255; thumbnails have a suffix
LANGUAGE = re.compile("[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
SHA256 = re.compile("[0-9a-f]{64}")


def _string(value) -> str:
    if type(value) is not str:
        raise ValueError(f"takes text, not {_shown(value)}")
    if found := bad_character(value):
        raise ValueError(f"has the character U+{ord(found):04X}, which is no text")
    return value


def _shown(value) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def optional(read: Reader) -> Reader:
    """The same parser, which also accepts null."""
    return lambda value: None if value is None else read(value)


def lacking_or(read: Reader) -> Reader:
    """The same parser, which also accepts LACKING, as None."""
    return lambda value: None if value is LACKING else read(value)


def text(column, *, required: bool = False) -> Reader:
    """Text within the length of the column; if `required`, not blank."""
    limit = column.type.length

    def read(value):
        value = _string(value)
        if limit is not None and len(value) > limit:
            raise ValueError(f"takes at most {limit} characters, not {len(value)}")
        if required and not value.strip():
            raise ValueError("must not be empty")
        return value

    return read


def issue_number(column) -> Reader:
    """The number of an issue, as it is stored."""
    check = text(column, required=column.name == "number")
    return lambda value: clean_number(check(value)) or check("")


def matching(column, pattern: str, words: str) -> Reader:
    """Text that matches a pattern; `words` describes it in messages."""
    check, form = text(column), re.compile(pattern)

    def read(value):
        if not form.fullmatch(check(value)):
            raise ValueError(f"takes {words}, not {_shown(value)}")
        return value

    return read


def picture_facts(digest, hashes, kinds: tuple[str, ...]) -> tuple[str, list[int]]:
    """The digest of a picture, and its hashes in the order of `kinds`; "" and no hashes without a digest."""
    if digest is None:
        return "", []
    if type(digest) is not str or not SHA256.fullmatch(digest):
        raise ValueError("takes the 64 hexadecimal digits of the file's SHA-256")
    if not kinds:
        return digest, []
    if not isinstance(hashes, dict) or not all(type(hashes.get(kind)) is str for kind in kinds):
        raise ValueError(f"needs image_hashes with {', '.join(kinds)} beside it")
    return digest, [signed(hashes[kind]) for kind in kinds]


def slug(column) -> Reader:
    """A slug: letters, digits, hyphens and underscores, but not digits alone."""
    check = matching(column, SLUG.pattern, "letters, digits, hyphens and underscores")

    def read(value):
        if check(value).isdigit():
            raise ValueError("must not be a number: it would be mistaken for an id")
        return value

    return read


def path(value) -> str:
    """The relative path of a file, with slashes."""
    parts = _string(value).split("/")
    if value and ("\\" in value or any(part in {"", ".", ".."} for part in parts)):
        raise ValueError(f"takes a path below images/, not {_shown(value)}")
    if len(value.encode()) > PATH_MAX:
        raise ValueError(f"takes a path of at most {PATH_MAX} bytes, not {_shown(value)}")
    return value


def url(column) -> Reader:
    """An http or https URL."""
    return matching(column, WEB_ADDRESS.pattern, "an address that begins with http:// or https://")


def texts(column) -> Reader:
    """A list of texts, each within the length of the column's items."""
    limit = column.type.item_type.length

    def read(value):
        if type(value) is not list:
            raise ValueError(f"takes a list of texts, not {_shown(value)}")
        for place, item in enumerate(value, 1):
            if len(_string(item)) > limit:
                raise ValueError(f"takes at most {limit} characters a text, not {len(item)} (place {place})")
        return value

    return read


def whole_between(low: int, high: int) -> Reader:
    """A whole number within inclusive bounds."""

    def read(value):
        if type(value) is not int:
            raise ValueError(f"takes a whole number, not {_shown(value)}")
        if not low <= value <= high:
            raise ValueError(f"takes a number from {low} to {high:,}, not {value}")
        return value

    return read


def year(value) -> int:
    """A year within the range that all columns of years share."""
    low, high = YEARS
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"takes a year from {low} to {high}, not {_shown(value)}")
    return value


identifier = whole_between(1, INTEGER_MAX)


def identifiers(value) -> list[int]:
    """A list of ids without repetitions."""
    if type(value) is not list:
        raise ValueError(f"takes a list of ids, not {_shown(value)}")
    for each in value:
        identifier(each)
    if len(set(value)) != len(value):
        twice = next(each for each in value if value.count(each) > 1)
        raise ValueError(f"names {twice} more than once")
    return value


def choice(values) -> Reader:
    """One of a fixed set of values."""
    known = dict.fromkeys(values)

    def read(value):
        if type(value) not in (str, int) or value not in known:
            some = ", ".join(str(each) or '""' for each in list(known)[:12])
            if len(known) > 12:
                some += " ..."
            raise ValueError(f"takes one of {some}, not {_shown(value)}")
        return value

    return read


def code(values) -> Reader:
    """One of a fixed set of values, or null or "" for none."""
    read = choice(("", *values))
    return lambda value: read("" if value is None else value)


def translations(value) -> str:
    """Translations of a name by language, as JSON."""
    if type(value) is not dict:
        raise ValueError(f"takes translations by language, not {_shown(value)}")
    for language, name in value.items():
        if not LANGUAGE.fullmatch(language):
            raise ValueError(f"takes translations by codes of languages, not {_shown(language)}")
        if not 0 < len(_string(name).strip()) <= TRANSLATION_LENGTH:
            raise ValueError(
                f"takes translations of at most {TRANSLATION_LENGTH} characters, not {_shown(name)}"
            )
    return orjson.dumps(value).decode()


def flag(value) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise ValueError(f"takes true or false, not {_shown(value)}")
    return value


def day(earliest: int = 1) -> Reader:
    """A date as YYYY-MM-DD, not before the year `earliest`."""

    def read(value):
        parsed = iso_day(_string(value))
        if parsed is None:
            raise ValueError(f"takes a date YYYY-MM-DD, not {_shown(value)}")
        if parsed.year < earliest:
            raise ValueError(f"takes no date before {earliest}, not {value}")
        return value

    return read


def moment(value) -> str:
    """A time with its UTC offset, such as 2026-11-18T10:20:30.123456Z."""
    if type(value) is not str or iso_timestamp(value) is None:
        raise ValueError(f"takes an instant YYYY-MM-DDTHH:MM:SS.ffffffZ, not {_shown(value)}")
    return value


_AMOUNT = re.compile(rf"[0-9]{{1,{WHOLE_DIGITS_MAX}}}(\.[0-9]{{1,{DECIMALS_MAX}}})?")


def money(value) -> str:
    """A non-negative amount that is valid in some currency; `check_amount` checks the actual currency."""
    if not _AMOUNT.fullmatch(_string(value)):
        raise ValueError(
            f"takes an amount of at most {WHOLE_DIGITS_MAX} digits and {DECIMALS_MAX} decimals,"
            f" not {_shown(value)}"
        )
    return value


def check_amount(value, currency, whole: int) -> None:
    """Check an amount against its currency; `whole` is the maximum number of whole digits for dollars."""
    if not (isinstance(value, str) and isinstance(currency, str) and _AMOUNT.fullmatch(value)):
        return  # the parsers of the two fields report that
    if amount_problem(Decimal(value), currency, whole=whole):
        most, decimals = max_whole_digits(currency, whole), decimals_of(currency)
        raise ValueError(
            f"takes an amount of at most {most} digits and {decimals} decimals in {currency}, not {value!r}"
        )


def currency(value) -> str:
    """A code of ISO 4217; dollars for an empty text."""
    if value == "":
        return Currency.USD.value
    if value not in _CURRENCIES:
        raise ValueError(f"takes a code of ISO 4217, such as USD, EUR or JPY, not {_shown(value)}")
    return value
