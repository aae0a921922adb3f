"""Lists of the administration: search, filters and pages, declared by each list and answered here."""

from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import ColumnElement, Select, Text, func, select

from comicsdb.catalog import search
from comicsdb.i18n import translate
from comicsdb.values import iso_day, whole_number
from comicsdb_web.lists.filters import NOT_OFFERED, BadFilterError, Filter, Narrowed, narrowed
from comicsdb_web.lists.paging import paginate
from comicsdb_web.rendering.locales import _

PER_PAGE = 50


class Choices(Filter):
    """One of few conditions: for each value a label and the condition; other values are ignored."""

    def __init__(self, name: str, label: str, choices: Mapping[str, tuple[str, ColumnElement[bool]]]):
        super().__init__(name, label, lambda value: choices[value][1])
        self.choices = choices

    def offered(self, request):
        return [
            (value, translate(request.localizer, label))
            for value, (label, _condition) in self.choices.items()
        ]

    def read(self, request, text, offered):  # noqa: ARG002
        if text not in self.choices:
            raise BadFilterError(NOT_OFFERED)
        return text, text


@dataclass(frozen=True)
class Dates:
    """A date that narrows a list from years to months to days: its parameter, its title, its column."""

    name: str
    title: str
    column: ColumnElement[date]

    def span(self, text: str) -> tuple[date, date] | None:
        """The first and the last day of what YYYY, YYYY-MM or YYYY-MM-DD names; None where it names none."""
        parts = text.split("-")
        first = iso_day("-".join([*parts, "01", "01"][:3])) if len(parts) <= len(WRITTEN) else None
        if first is None or len(parts) == len(WRITTEN):
            return first and (first, first)
        last = first.replace(month=12) if len(parts) == 1 else first
        return first, last.replace(day=monthrange(last.year, last.month)[1])

    def steps(self, session, rows: Select, chosen: str) -> tuple[list[str], list[str]]:
        """The ways up from what is chosen, itself the last, and what rows have below it, latest first."""
        parts = chosen.split("-") if chosen else []
        up = ["-".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
        if len(parts) == len(WRITTEN):
            return up, []
        below = func.to_char(self.column, WRITTEN[len(parts)])
        found = rows.with_only_columns(below, maintain_column_froms=True).distinct().order_by(below.desc())
        return up, list(session.scalars(found))


WRITTEN = ("YYYY", "YYYY-MM", "YYYY-MM-DD")  # a year, a month, a day


def yes_no(name: str, title: str, condition: ColumnElement[bool]) -> Choices:
    """A filter by something that is so or not."""
    return Choices(name, title, {"yes": (_("Yes"), condition), "no": (_("No"), ~condition)})


def folded(*columns) -> tuple[ColumnElement, ...]:
    """Columns as the words of a search are looked for in them, case and accents aside."""
    return tuple(func.fold(column, type_=Text) for column in columns)


@dataclass(frozen=True)
class NarrowedList:
    """What narrows a list: the conditions, and what its head shows of them."""

    conditions: list[ColumnElement[bool]]
    shown: dict


def narrowing(
    request,
    *,
    searched: Sequence[ColumnElement] = (),
    matching: Callable[[str], ColumnElement[bool]] | None = None,
    filters: Sequence[Filter] = (),
    dates: Dates | None = None,
    of: ColumnElement | None = None,
) -> NarrowedList:
    """What the address narrows a list by; values of filters that are none are ignored.

    Words are looked for in `searched`, or mean what `matching` says. `of` is the column of the account whose
    lines alone are shown where the address says `?user=ID`.
    """
    query = search.cleaned(request.GET.get("q", ""))
    matching = matching or ((lambda text: search.in_any(searched, search.words(text))) if searched else None)
    conditions = [matching(query)] if matching else []
    found = narrowed(request, filters)
    conditions += found.conditions()
    day = request.GET.get(dates.name, "") if dates is not None else ""
    span = dates.span(day) if day else None
    if span:
        conditions.append(dates.column.between(*span))
    user_id = whole_number(request.GET.get("user")) if of is not None else None
    if user_id is not None:
        conditions.append(of == user_id)
    return NarrowedList(
        conditions,
        {
            "query": query,
            "searched": matching is not None,
            "filters": [_shown(request, each, found) for each in filters],
            "user_id": user_id,
            "day": day if span else "",
            "dates": dates,
            "narrowed": bool(query or found.valid or span or user_id is not None),
        },
    )


def listing(
    request,
    rows: Select,
    key: Sequence[ColumnElement],
    order: Sequence[ColumnElement],
    *,
    options: Sequence = (),
    **narrowed_by,
) -> dict:
    """What the template of a list needs, in two statements, and one more for dates; `narrowed_by` is what
    `narrowing` takes.

    `key` is the row's key, `order` a total order, `options` say what is loaded with the rows.
    """
    asked = narrowing(request, **narrowed_by)
    found = rows.with_only_columns(*key, maintain_column_froms=True).where(*asked.conditions)
    count = select(func.count()).select_from(found.order_by(None).subquery())
    shown = rows.options(*options).order_by(*order)
    page = paginate(request, shown, found.order_by(*order), count, PER_PAGE)
    dates = asked.shown["dates"]
    steps = dates.steps(request.dbsession, found, asked.shown["day"]) if dates is not None else None
    return {"page": page, "steps": steps, **asked.shown}


def _shown(request, each: Filter, found: Narrowed) -> dict:
    """A filter in the reader's language, with its value; without options it is a text field."""
    return {
        "name": each.name,
        "title": translate(request.localizer, each.label),
        "options": found.offered[each.name] or None,
        "chosen": found.typed[each.name] if each.name in found.valid else "",
    }
