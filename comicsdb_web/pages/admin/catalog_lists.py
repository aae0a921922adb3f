"""The lists of the administration: for each kind its columns, filters and order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import contains_eager, joinedload

from comicsdb.catalog import search
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance import repair_reports
from comicsdb.models import Issue, Publisher, Series
from comicsdb_web.forms import options
from comicsdb_web.lists.filters import Filter
from comicsdb_web.pages.admin.listing import ConditionChoice, DateDrilldown, yes_no_filter
from comicsdb_web.rendering.locales import _

# Loader options of lists, besides those of labels.
LOADER_OPTIONS = {
    Issue: (contains_eager(Issue.series).joinedload(Series.series_type),),
    Series: (joinedload(Series.created_by),),
}


@dataclass(frozen=True)
class ListSpec:
    """A list of one kind: the arguments of `listing.listing`."""

    rows: Select
    key: tuple
    order: Sequence[ColumnElement]
    options: tuple = ()
    filter_options: dict = field(default_factory=dict)


def list_spec(request, kind: str) -> ListSpec:
    """The list of a kind; for series, this queries the types to choose from."""
    spec = KINDS[kind]
    model = spec.model
    rows = select(Issue).join(Issue.series) if model is Issue else select(model)
    if spec.is_reference:
        return ListSpec(rows, (model.id,), spec.order_columns, (), {"searched": spec.search_columns})
    filter_options = {
        "matching": lambda words: search.matching(model, words),
        "filters": FILTERS[model](request) if model in FILTERS else _date_filters(request, model),
        "dates": DATES.get(model),
    }
    options = (
        LOADER_OPTIONS[model]
        if model is Issue
        else (*spec.label_options, *spec.note_options, *LOADER_OPTIONS.get(model, ()))
    )
    return ListSpec(rows, (model.id,), spec.order_columns, options, filter_options)


def _issue_filters(request) -> tuple:
    monday = request.today - timedelta(days=request.today.weekday())
    weeks = {
        name: (label, Issue.store_date.between(first, first + timedelta(days=6)))
        for name, label, first in (
            ("this", _("This week"), monday),
            ("next", _("Next week"), monday + timedelta(days=7)),
        )
    }
    published = Filter("publisher", _("Publisher"), lambda words: Series.publisher_id.in_(_publishers(words)))
    return (
        ConditionChoice("store", _("In stores"), weeks),
        *_date_filters(request, Issue),
        yes_no_filter("cover", _("Cover"), ~repair_reports.NO_COVER),
        yes_no_filter("credits", _("Credits"), ~repair_reports.NO_CREDITS),
        published,
    )


def _series_filters(request) -> tuple:
    say = request.localizer.translate
    types = options.series_types(request, "any")
    languages = dict(options.every_language(request, "")) | {"none": say(_("Unknown"))}
    languages.pop("")
    return (
        *_date_filters(request, Series),
        ConditionChoice(
            "type", _("Type"), {value: (name, Series.series_type_id == int(value)) for value, name in types}
        ),
        ConditionChoice(
            "status",
            _("Status"),
            {str(status.value): (text, Series.status == status) for status, text in options.STATUSES.items()},
        ),
        ConditionChoice(
            "language",
            _("Language"),
            {
                code: (name, Series.language == ("" if code == "none" else code))
                for code, name in languages.items()
            },
        ),
        Filter("publisher", _("Publisher"), lambda words: Series.publisher_id.in_(_publishers(words))),
    )


FILTERS = {Issue: _issue_filters, Series: _series_filters}
DATES = {Issue: DateDrilldown("covered", _("Cover date"), Issue.cover_date)}


def _publishers(words: str) -> Select:
    return select(Publisher.id).where(search.matching(Publisher, words))


def _date_filters(request, model) -> tuple[ConditionChoice, ConditionChoice]:
    """Filters by the day of creation and of the last change, in the site's time zone."""
    return (
        ConditionChoice("created", _("Added"), _periods(request, model.created_on)),
        ConditionChoice("modified", _("Changed"), _periods(request, model.modified)),
    )


def _periods(request, column) -> dict:
    today = request.today
    periods = {
        "today": (_("Today"), today),
        "yesterday": (_("Yesterday"), today - timedelta(days=1)),
        "week": (_("Last 7 days"), today - timedelta(days=6)),
        "month": (_("This month"), today.replace(day=1)),
        "year": (_("This year"), today.replace(month=1, day=1)),
    }
    zone = request.registry.settings["comicsdb.timezone"]

    def midnight(day: date) -> datetime:
        return datetime.combine(day, time(), zone)

    return {
        name: (
            label,
            (column >= midnight(first))
            & (column < midnight((first if name == "yesterday" else today) + DAY)),
        )
        for name, (label, first) in periods.items()
    }


DAY = timedelta(days=1)
