"""Filters of lists: parsing parameters of the URL, and showing them as fields and chips."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import urlencode

from babel import dates
from pyramid.i18n import TranslationString
from sqlalchemy import ColumnElement, select

from comicsdb.catalog import search
from comicsdb.catalog.filters import Clause, Condition
from comicsdb.i18n import Text, translate
from comicsdb.models.base import INTEGER_MAX
from comicsdb.values import iso_day, whole_number
from comicsdb_web.rendering.locales import _, locale_of

Option = tuple[str, str]  # a value and its label

NOT_OFFERED = _("Choose one of the options.")
NO_DAY = _("Enter a date as year, month and day: 2026-11-30.")
UNKNOWN = _("There is no entry with this ID.")


class BadFilterError(Exception):
    """An invalid value of a filter; `text` tells the reader what to enter."""

    def __init__(self, text: Text):
        super().__init__(text)
        self.text = text


class Filter:
    """A parameter with any text; the base class of filters.

    `condition` converts a value into a condition on the list's own table and subqueries, as counting uses
    only that table. It is None in lists whose statement takes the values (`ActiveFilters.values`).
    """

    control = "text"  # how a form shows it: a branch of macros/filters.jinja2
    repeated = False  # whether several values are allowed, of which any may match

    def __init__(
        self,
        name: str,
        label: TranslationString,
        condition: Callable[..., ColumnElement[bool]] | None = None,
    ):
        self.name = name
        self.label = label
        self.condition = condition

    def options_for(self, request) -> list[Option]:  # noqa: ARG002
        """The values to choose from, if there are few."""
        return []

    def read(self, request, text: str, options: list[Option]) -> tuple:  # noqa: ARG002
        """The value in a text, and how it is displayed; raises BadFilterError."""
        return text, text


class Number(Filter):
    """A whole number within inclusive bounds."""

    control = "number"

    def __init__(self, name, label, condition, minimum: int = 0, maximum: int = INTEGER_MAX):
        super().__init__(name, label, condition)
        self.minimum, self.maximum = minimum, maximum

    def read(self, request, text, options):  # noqa: ARG002
        number = whole_number(text, self.minimum, self.maximum)
        if number is None:
            raise BadFilterError(_("Enter a whole number from ${least} to ${most}.", mapping=self._bounds))
        return number, str(number)

    @property
    def _bounds(self) -> dict[str, int]:
        return {"least": self.minimum, "most": self.maximum}


class Day(Filter):
    """A date as sent by date inputs, YYYY-MM-DD."""

    control = "date"

    def read(self, request, text, options):  # noqa: ARG002
        day = iso_day(text)
        if day is None:
            raise BadFilterError(NO_DAY)
        return day, dates.format_date(day, "medium", locale=locale_of(request))


class Choice(Filter):
    """One of a few values; `options` returns them for a request, `convert` the value to compare."""

    control = "choice"

    def __init__(self, name, label, condition, options: Callable[..., list[Option]], convert=str):
        super().__init__(name, label, condition)
        self.options = options
        self.convert = convert

    def options_for(self, request):
        return self.options(request)

    def read(self, request, text, options):  # noqa: ARG002
        words = dict(options).get(text)
        if words is None:
            raise BadFilterError(NOT_OFFERED)
        return self.convert(text), words


class Year(Number):
    """A year: recent ones are offered, and the URL may have any other."""

    control = "choice"

    def __init__(self, name, label, condition, options: Callable[..., list[Option]]):
        super().__init__(name, label, condition, date.min.year, date.max.year)
        self.options = options

    def options_for(self, request):
        return self.options(request)


class Codes(Filter):
    """Any of several codes of a fixed set; `label_of` names one. The page chooses which ones to offer."""

    control = "boxes"
    repeated = True

    def __init__(self, name, label, condition, codes: Iterable[str], label_of: Callable[..., str]):
        super().__init__(name, label, condition)
        self.codes = frozenset(codes)
        self.label_of = label_of

    def read(self, request, text, options):  # noqa: ARG002
        if text not in self.codes:
            raise BadFilterError(NOT_OFFERED)
        return text, self.label_of(request, text)


class ObjectFilter(Number):
    """An object of a kind by its id, shown by its label; one statement. `load` are loader options."""

    def __init__(self, name, label, condition, model: type, *load):
        super().__init__(name, label, condition, 1)
        self.model = model
        self.load = load

    def read(self, request, text, options):
        number, _words = super().read(request, text, options)
        found = select(self.model).where(self.model.id == number).options(*self.load)
        entity = request.dbsession.scalar(found)
        if entity is None:
            raise BadFilterError(UNKNOWN)
        return entity.id, entity.label


@dataclass(frozen=True)
class Group:
    """A group of filters in a form; without a title it is always shown, otherwise a button opens it."""

    title: TranslationString | None
    filters: tuple[Filter, ...]


@dataclass(frozen=True)
class Chip:
    """An active filter: its label, its value as text, and the URL without it."""

    label: str
    value: str
    href: str


@dataclass
class ActiveFilters:
    """The filters of a URL.

    By name of the filter: the typed value (a list for repeated filters), the options, the valid values with
    their conditions, and the errors of invalid ones in the reader's language.
    """

    typed: dict[str, str | list[str]] = field(default_factory=dict)
    options: dict[str, list[Option]] = field(default_factory=dict)
    valid: dict[str, tuple[Condition, object]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    chips: list[Chip] = field(default_factory=list)

    @property
    def values(self) -> dict[str, object]:
        """The valid values by name."""
        return {name: value for name, (_condition, value) in self.valid.items()}

    def conditions(self) -> list[ColumnElement[bool]]:
        """The conditions of the valid values."""
        return [condition(value) for condition, value in self.valid.values()]

    def clauses(self, *, exclude: str = "") -> tuple[Clause, ...]:
        """The conditions with parameters, without that of the filter `exclude`."""
        named = self.valid.items()
        return tuple(condition.clause(name, value) for name, (condition, value) in named if name != exclude)


def parse_filters(request, filters: Iterable[Filter]) -> ActiveFilters:
    """Parse the filters of the URL; an invalid value has an error and no condition."""
    found = ActiveFilters()
    for each in filters:
        texts = [text for text in map(search.clean_query, request.GET.getall(each.name)) if text]
        texts = list(dict.fromkeys(texts)) if each.repeated else texts[-1:]
        found.typed[each.name] = texts if each.repeated else "".join(texts)
        options = found.options[each.name] = each.options_for(request)
        values = []
        for text in texts:
            try:
                value, words = each.read(request, text, options)
            except BadFilterError as error:
                found.errors[each.name] = translate(request.localizer, error.text)
                continue
            values.append(value)
            href = url_without(request, each.name, text if each.repeated else None)
            found.chips.append(Chip(translate(request.localizer, each.label), words, href))
        if values:
            found.valid[each.name] = each.condition, values if each.repeated else values[0]
    return found


def url_without(request, name: str, value: str | None = None, *, replacement: str | None = None) -> str:
    """This page's URL without a parameter, or without one value of it, and without the page number.

    `replacement` is a new value for the parameter. Blank parameters are omitted.
    """
    kept = [
        (other, text)
        for other, text in request.GET.items()
        if text
        and other != "page"
        and not (other == name and (value is None or search.clean_query(text) == value))
    ]
    if replacement is not None:
        kept.append((name, replacement))
    return f"{request.path}?{urlencode(kept)}" if kept else request.path
