"""Filters: the types of a list's query parameters, their parsing and their errors.

The conditions are declared in `comicsdb.catalog.filters`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from enum import Enum
from zoneinfo import ZoneInfo

from comicsdb.catalog import filters as conditions
from comicsdb.catalog import search
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.filters import LENGTH_MAX, NO_MATCH, Clause, Condition
from comicsdb.models.base import INTEGER_MAX
from comicsdb.values import decimal, flag, is_number, iso_day

IDS_MAX = 500  # ids in one parameter; more than there are roles
FOREIGN_IDS_MAX = 100  # other databases' ids in one request

_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_MONTH_FIRST = re.compile(r"^(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)", re.ASCII)
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:[.,](?P<fraction>\d{1,6})\d*)?)?"
_OFFSET = r"(?P<utc>[Zz])|(?P<sign>[+-])(?P<hours>\d{2}):?(?P<minutes>[0-5]\d)?"
_MOMENT = re.compile(rf"(?P<day>[\d-]{{8,10}})(?:(?:[Tt]|\s+){_TIME}\s*(?:{_OFFSET})?)?", re.ASCII)


class BadValueError(Exception):
    """An invalid value; `field` is its name in the response."""

    def __init__(self, field: str, message: str):
        super().__init__(message)
        self.field = field
        self.message = message


@dataclass(frozen=True)
class Parameter:
    """The description of a query parameter: its name, the JSON Schema of its value, and a sentence.

    Items of a list (schema type array) are separated by commas.
    """

    name: str
    schema: dict
    description: str


TOO_LONG = f"Texts of more than {LENGTH_MAX} characters find nothing."
# Descriptions of conditions; for those not listed, they depend on the type of the parameter.
TEST_DESCRIPTIONS = {
    conditions.in_year: "Year of {}.",
    conditions.in_month: "Month of {}, 1 to 12.",
    conditions.equal_ignoring_case: "{}; case is ignored.",
    conditions.contains: "Part of {}; case is ignored. " + TOO_LONG,
    conditions.phrase: "Part of {}; case and accents are ignored. " + TOO_LONG,
    conditions.words: (
        "Words that are all in {}, in any order; case and accents are ignored."
        f" Only the first {search.WORDS_MAX} are used."
    ),
    conditions.same_isbn: "{} with 10 or 13 digits (either form finds both); spaces and hyphens are ignored.",
    conditions.same_sku: "{} of the issue or of one of its variants; case is ignored.",
    conditions.same_upc: "{} of the issue or of one of its variants; spaces, hyphens and case are ignored.",
    conditions.same_gtin: (
        "{} of the issue or of one of its variants: a UPC-A, EAN-13 or ISBN as scanned; spaces and hyphens"
        " are ignored. With a supplement (2 or 5 digits), finds codes with the same supplement or none;"
        " without one, all."
    ),
    conditions.upc_begins: (
        "Beginning of {} of the issue or of one of its variants; spaces and hyphens are ignored."
    ),
    conditions.missing: "Whether {} is missing; values other than true, false, 1 and 0 are ignored.",
}


class Filter:
    """A parameter with any text, and the base class of the other types.

    `condition` converts its value into a condition; `subject` describes what is compared.
    """

    schema: dict = {"type": "string"}
    description = "{}."
    error_message = ""

    def __init__(self, name: str, condition: Condition, subject: str):
        self.name = name
        self.condition = condition
        self.subject = subject

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return (self.name,)

    def openapi_parameters(self) -> list[Parameter]:
        """The descriptions of the parameters."""
        template = TEST_DESCRIPTIONS.get(getattr(self.condition, "operator", None), self.description)
        sentence = template.format(self.subject)
        return [Parameter(self.name, self.schema, sentence[0].upper() + sentence[1:])]

    def clauses(self, values: dict[str, str], zone: ZoneInfo) -> list[Clause]:
        """The conditions for stripped values; raises BadValueError."""
        value = self.value_of(values, self.name)
        found = self.parse(value, zone) if value else None
        return [] if found is None else [found]

    def parse(self, value: str, zone: ZoneInfo) -> Clause | None:  # noqa: ARG002
        """The condition for a value, None if it is ignored; raises BadValueError."""
        return self.clause_for(value)

    def clause_for(self, value) -> Clause:
        """The condition for a converted value; None stands for a value that no row has."""
        return NO_MATCH if value is None else self.condition.clause(self.name, value)

    def value_of(self, values: dict[str, str], name: str) -> str:
        """The value of a parameter, "" by default; raises BadValueError for null characters."""
        value = values.get(name, "")
        if "\0" in value:
            raise BadValueError(self.name, "Null characters are not allowed.")
        return value

    def value_error(self) -> BadValueError:
        """The error for an invalid value."""
        return BadValueError(self.name, self.error_message)


class IntegerFilter(Filter):
    """An integer; one outside the range of the columns matches nothing."""

    schema = {"type": "integer"}
    error_message = "Enter a number."

    def parse(self, value, zone):  # noqa: ARG002
        return self.clause_for(self.number(value))

    def number(self, value: str) -> int | None:
        """The number, or None if no column can have it; raises BadValueError."""
        if not is_number(value):
            raise self.value_error()
        number = decimal(value)  # None for an exponent of many digits
        fits = number is not None and -INTEGER_MAX <= number <= INTEGER_MAX and number == int(number)
        return int(number) if fits else None


class NumberFilter(Filter):
    """A lower bound, which may have decimals."""

    schema = {"type": "number"}
    description = "Minimum {}."
    error_message = IntegerFilter.error_message

    def parse(self, value, zone):  # noqa: ARG002
        if not is_number(value):
            raise self.value_error()
        return self.clause_for(float(value))


class IntegerListFilter(IntegerFilter):
    """Any of several ids."""

    schema = {"type": "array", "items": IntegerFilter.schema}
    description = f"{{}}: any of these ids, separated by commas; only the first {IDS_MAX} are used."

    def parse(self, value, zone):  # noqa: ARG002
        items = [item for item in (each.strip() for each in value.split(",")) if item]
        numbers = {self.number(item) for item in items[:IDS_MAX]} - {None}
        return self.clause_for(sorted(numbers)) if items else None


class IdListFilter(IntegerListFilter):
    """Any of several numbers; too many are an error, so that none is silently ignored."""

    description = f"{{}}: any of these ids, up to {FOREIGN_IDS_MAX}, separated by commas."

    def parse(self, value, zone):
        if value.count(",") >= FOREIGN_IDS_MAX:
            raise BadValueError(self.name, f"Send at most {FOREIGN_IDS_MAX} ids.")
        return super().parse(value, zone)


class BooleanFilter(Filter):
    """A boolean."""

    schema = {"type": "boolean"}
    description = "Whether {}; values other than true, false, 1 and 0 are ignored."

    def parse(self, value, zone):  # noqa: ARG002
        wanted = flag(value)
        return None if wanted is None else self.clause_for(wanted)


class ChoiceFilter(Filter):
    """A code out of a fixed set."""

    def __init__(self, name, condition, subject, codes: Iterable):
        super().__init__(name, condition, subject)
        self.codes = {str(code): code.value if isinstance(code, Enum) else code for code in codes}
        self.schema = {"type": "string", "enum": list(self.codes)}

    def parse(self, value, zone):  # noqa: ARG002
        if value not in self.codes:
            message = f"Select a valid choice. {value} is not one of the available choices."
            raise BadValueError(self.name, message)
        return self.clause_for(self.codes[value])


class DateFilter(Filter):
    """A date, as `YYYY-MM-DD` or `MM/DD/YYYY`."""

    schema = {"type": "string", "format": "date"}
    error_message = "Enter a valid date."

    def parse(self, value, zone):  # noqa: ARG002
        return self.clause_for(self.day(value))

    def day(self, value: str) -> date:
        """The date; raises BadValueError."""
        day = iso_day(_year_first(value), padded=False)
        if day is None:
            raise self.value_error()
        return day


class DateRangeFilter(DateFilter):
    """`<name>_after` and `<name>_before`, both inclusive; errors are reported as `<name>`."""

    def __init__(self, name, after: Condition, before: Condition, subject):
        super().__init__(name, after, subject)
        self.bounds = after, before

    @property
    def parameters(self):
        return f"{self.name}_after", f"{self.name}_before"

    def openapi_parameters(self):
        after, before = self.parameters
        return [
            Parameter(after, self.schema, f"Earliest {self.subject}, inclusive."),
            Parameter(before, self.schema, f"Latest {self.subject}, inclusive."),
        ]

    def clauses(self, values, zone):  # noqa: ARG002
        found = []
        for name, narrow in zip(self.parameters, self.bounds, strict=True):
            text = self.value_of(values, name)
            if text:
                found.append(narrow.clause(name, self.day(text)))
        return found


class LaterThanFilter(Filter):
    """Strictly later than a time; a date means its start in the site's time zone."""

    schema = {"type": "string", "format": "date-time"}
    description = "{}: later than this time; without an offset, in the site's time zone."
    error_message = "Enter a valid date/time."

    def parse(self, value, zone):
        return self.clause_for(self.moment(value, zone))

    def moment(self, value: str, zone: ZoneInfo) -> datetime:
        """The time in UTC; raises BadValueError."""
        match = _MOMENT.fullmatch(_year_first(value))
        day = match and iso_day(match["day"], padded=False)
        if day is None:
            raise self.value_error()
        try:
            local = _moment(day, match, zone)
        except ValueError as error:
            raise self.value_error() from error
        try:
            return local.astimezone(UTC)
        except OverflowError:  # slightly before the first or after the last year
            return _FIRST if local.year == _FIRST.year else _LAST


def _year_first(text: str) -> str:
    """A text with the date at its start as YYYY-MM-DD, if it was MM/DD/YYYY."""
    return _MONTH_FIRST.sub(r"\3-\1-\2", text)


def _moment(day: date, found: re.Match, zone: ZoneInfo) -> datetime:
    """The time of a match on a day, with its zone; raises ValueError for an invalid one."""
    clock = [int(found[part] or 0) for part in ("hour", "minute", "second")]
    clock.append(int((found["fraction"] or "").ljust(6, "0")))
    if found["utc"]:
        zone = UTC
    elif found["sign"]:
        offset = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"] or 0))
        zone = timezone(-offset if found["sign"] == "-" else offset)
    return datetime.combine(day, time(*clock), zone)


def parse_filters(
    filters: tuple[Filter, ...], parameters: list[tuple[str, str]], *, zone: ZoneInfo
) -> list[Clause]:
    """The conditions for the parameters of a query, all of which must hold.

    `parameters` are pairs in the order sent; the last value of a name counts, and empty values are ignored.
    Raises InvalidError with all errors.
    """
    values = {name: value.strip() for name, value in parameters}
    if not values:
        return []
    found, errors = [], {}
    for each in filters:
        try:
            found += each.clauses(values, zone)
        except BadValueError as error:
            errors[error.field] = [error.message]
    if errors:
        raise InvalidError(errors)
    return found
