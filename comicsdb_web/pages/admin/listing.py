"""Lists of the administration: search, filters and pages."""

from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import ColumnElement, Select, Text, func, select

from comicsdb.catalog import search
from comicsdb.values import iso_day, whole_number
from comicsdb_web.forms.options import labelled
from comicsdb_web.lists.filters import Choice, Filter, parse_filters
from comicsdb_web.lists.paging import paginate
from comicsdb_web.rendering.locales import _

PER_PAGE = 50


class ConditionChoice(Choice):
    """A choice among conditions: each value has a label and a condition."""

    def __init__(self, name: str, label: str, choices: Mapping[str, tuple[str, ColumnElement[bool]]]):
        words = {value: text for value, (text, _condition) in choices.items()}
        super().__init__(name, label, lambda value: choices[value][1], labelled(words))


@dataclass(frozen=True)
class DateDrilldown:
    """A filter by date in steps, from year to month to day: its parameter, title and column."""

    name: str
    title: str
    column: ColumnElement[date]

    def span(self, text: str) -> tuple[date, date] | None:
        """The first and last day of a period, as YYYY, YYYY-MM or YYYY-MM-DD; None for any other text."""
        parts = text.split("-")
        first = iso_day("-".join([*parts, "01", "01"][:3])) if len(parts) <= len(DATE_FORMATS) else None
        if first is None or len(parts) == len(DATE_FORMATS):
            return first and (first, first)
        last = first.replace(month=12) if len(parts) == 1 else first
        return first, last.replace(day=monthrange(last.year, last.month)[1])

    def steps(self, session, rows: Select, chosen: str) -> tuple[list[str], list[str]]:
        """The chosen period after those that contain it, widest first; the periods in it, latest first."""
        parts = chosen.split("-") if chosen else []
        up = ["-".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
        if len(parts) == len(DATE_FORMATS):
            return up, []
        below = func.to_char(self.column, DATE_FORMATS[len(parts)])
        found = rows.with_only_columns(below, maintain_column_froms=True).distinct().order_by(below.desc())
        return up, list(session.scalars(found))


DATE_FORMATS = ("YYYY", "YYYY-MM", "YYYY-MM-DD")  # a year, a month, a day


def yes_no_filter(name: str, title: str, condition: ColumnElement[bool]) -> ConditionChoice:
    """A filter by a condition and its opposite."""
    return ConditionChoice(name, title, {"yes": (_("Yes"), condition), "no": (_("No"), ~condition)})


def folded_columns(*columns) -> tuple[ColumnElement, ...]:
    """The columns without case and accents, for searches."""
    return tuple(func.fold(column, type_=Text) for column in columns)


@dataclass(frozen=True)
class ListFilters:
    """The conditions of the filters in a URL, and the values of the template that shows them."""

    conditions: list[ColumnElement[bool]]
    values: dict


def parse_list_filters(
    request,
    *,
    searched: Sequence[ColumnElement] = (),
    matching: Callable[[str], ColumnElement[bool]] | None = None,
    filters: Sequence[Filter] = (),
    dates: DateDrilldown | None = None,
    of: ColumnElement | None = None,
) -> ListFilters:
    """Parse the filters of the URL; an invalid value has no condition.

    A query is searched for in the columns `searched`, unless `matching` converts it into a condition. `of` is
    the column that `?user=ID` restricts to one account.
    """
    query = search.clean_query(request.GET.get("q", ""))
    matching = matching or (
        (lambda text: search.all_words_in(searched, search.words(text))) if searched else None
    )
    conditions = [matching(query)] if matching else []
    found = parse_filters(request, filters)
    conditions += found.conditions()
    day = request.GET.get(dates.name, "") if dates is not None else ""
    span = dates.span(day) if day else None
    if span:
        conditions.append(dates.column.between(*span))
    user_id = whole_number(request.GET.get("user")) if of is not None else None
    if user_id is not None:
        conditions.append(of == user_id)
    return ListFilters(
        conditions,
        {
            "query": query,
            "searched": matching is not None,
            "active_filters": found,
            "filters_of_form": filters,
            "user_id": user_id,
            "day": day if span else "",
            "dates": dates,
            "is_filtered": bool(query or any(found.typed.values()) or span or user_id is not None),
        },
    )


def listing(
    request,
    rows: Select,
    key: Sequence[ColumnElement],
    order: Sequence[ColumnElement],
    *,
    options: Sequence = (),
    **filter_options,
) -> dict:
    """The values of a list template; two statements, and one more for dates.

    `key` is the row's key, `order` a total order, `options` are loader options of the rows, `filter_options`
    the arguments of `parse_list_filters`.
    """
    list_filters = parse_list_filters(request, **filter_options)
    found = rows.with_only_columns(*key, maintain_column_froms=True).where(*list_filters.conditions)
    count = select(func.count()).select_from(found.order_by(None).subquery())
    shown = rows.options(*options).order_by(*order)
    page = paginate(request, shown, found.order_by(*order), count, PER_PAGE)
    dates = list_filters.values["dates"]
    steps = dates.steps(request.dbsession, found, list_filters.values["day"]) if dates is not None else None
    return {"page": page, "steps": steps, **list_filters.values}
