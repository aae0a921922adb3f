"""The filters of publishers, series and issues."""

from datetime import date

from babel import dates
from sqlalchemy import extract, select
from sqlalchemy.orm import aliased, joinedload

from comicsdb.catalog import search
from comicsdb.models import Imprint, Issue, Publisher, Series, SeriesType
from comicsdb.models.choices import LANGUAGES
from comicsdb_web.forms.options import every_country, statuses
from comicsdb_web.lists.filters import Choice, Codes, Day, Filter, Group, Number, Object, Option, Year
from comicsdb_web.rendering.locales import _, language_name, locale_of

YEAR_MOST = 9999
VOLUME_MOST = 32_767
FIRST_YEAR = 1939  # of those that are offered
NEXT_YEAR_FROM = 10  # the month from which on next year is offered, too


def cover_years(request) -> list[Option]:
    """The years offered for cover dates, the latest first."""
    last = request.today.year + (request.today.month >= NEXT_YEAR_FROM)
    return [(str(year), str(year)) for year in range(last, FIRST_YEAR - 1, -1)]


def months(request) -> list[Option]:
    """The months, by name."""
    names = dates.get_month_names("wide", "stand-alone", locale=locale_of(request))
    return [(str(number), names[number]) for number in range(1, 13)]


def series_types(request) -> list[Option]:
    """The types of series, by name."""
    rows = request.dbsession.execute(select(SeriesType.id, SeriesType.name).order_by(SeriesType.name))
    return [(str(row.id), row.name) for row in rows]


def _countries(request) -> list[Option]:
    return every_country(request, "")


def _statuses(request) -> list[Option]:
    return statuses(request, "")


def _words(*columns):
    """Words that all stand in one of the columns, in any order."""
    return lambda text: search.in_any(columns, search.words(text))


def _called(model, column):
    """The column leads to an object whose name has the words."""
    found = aliased(model)
    return lambda text: column.in_(select(found.id).where(_words(found.folded)(text)))


def _of_series(condition):
    """The issues of the series that meet a condition.

    `condition(series)` makes it of values. The list joins series itself, so these have a name of their own.
    """
    series = aliased(Series)
    of = condition(series)
    return lambda value: Issue.series_id.in_(select(series.id).where(of(value)))


def _is(column):
    return lambda value: column == value


def _same(column):
    return lambda value: search.same(column, value)


def _with_upc(number):
    return search.issues_with_upc(lambda column: search.same_code(column, number))


def _from(column):
    return lambda value: column >= value


def _to(column):
    return lambda value: column <= value


def _in_year(year: int):
    return Issue.cover_date.between(date(year, 1, 1), date(year, 12, 31))


def _year(name, label, condition) -> Number:
    return Number(name, label, condition, 0, YEAR_MOST)


def _volume(name, label, condition) -> Number:
    return Number(name, label, condition, 0, VOLUME_MOST)


PUBLISHER = (
    Group(
        _("Names"),
        (
            Filter("name", _("Name"), _words(Publisher.folded)),
            Filter("alt_names", _("Alternative names"), _words(Publisher.alt_folded)),
        ),
    ),
    Group(
        _("Where and when"),
        (
            Choice("country", _("Country"), _is(Publisher.country), _countries),
            _year("founded_gte", _("Founded in or after"), _from(Publisher.founded)),
            _year("founded_lte", _("Founded in or before"), _to(Publisher.founded)),
        ),
    ),
)

SERIES = (
    Group(
        _("Names"),
        (
            Filter("name", _("Name"), _words(Series.folded)),
            Filter("alt_names", _("Alternative names"), _words(Series.alt_folded)),
            Filter("publisher_name", _("Publisher"), _called(Publisher, Series.publisher_id)),
            Filter("imprint_name", _("Imprint"), _called(Imprint, Series.imprint_id)),
        ),
    ),
    Group(
        _("Kind of series"),
        (
            Choice("series_type", _("Type"), _is(Series.series_type_id), series_types, int),
            Choice("status", _("Status"), _is(Series.status), _statuses, int),
            _volume("volume", _("Volume"), _is(Series.volume)),
            Codes("language", _("Language"), Series.language.in_, LANGUAGES, language_name),
        ),
    ),
    Group(
        _("Years"),
        (
            _year("year_began", _("Began in"), _is(Series.year_began)),
            _year("year_began_gte", _("Began in or after"), _from(Series.year_began)),
            _year("year_began_lte", _("Began in or before"), _to(Series.year_began)),
            _year("year_end", _("Ended in"), _is(Series.year_end)),
        ),
    ),
    Group(
        _("Numbers in comicsdb"),
        (
            Object("publisher_id", _("Publisher number"), _is(Series.publisher_id), Publisher),
            Object("imprint_id", _("Imprint number"), _is(Series.imprint_id), Imprint),
        ),
    ),
)

ISSUE = (
    Group(
        _("Series"),
        (
            Filter("series_name", _("Series name"), _of_series(lambda series: _words(series.folded))),
            Choice(
                "series_type",
                _("Type of series"),
                _of_series(lambda series: _is(series.series_type_id)),
                series_types,
                int,
            ),
            _volume("series_volume", _("Volume"), _of_series(lambda series: _is(series.volume))),
            _year(
                "series_year_began", _("Series began in"), _of_series(lambda series: _is(series.year_began))
            ),
            Filter(
                "publisher_name",
                _("Publisher"),
                _of_series(lambda series: _called(Publisher, series.publisher_id)),
            ),
        ),
    ),
    Group(
        _("Issue numbers"),
        (
            Filter("number", _("Number"), _same(Issue.number)),
            Filter("alt_number", _("Alternative number"), _same(Issue.alt_number)),
        ),
    ),
    Group(
        _("Dates"),
        (
            Year("cover_year", _("Cover year"), _in_year, cover_years),
            Choice(
                "cover_month",
                _("Cover month"),
                lambda month: extract("month", Issue.cover_date) == month,
                months,
                int,
            ),
            Day("store_date_after", _("In stores on or after"), _from(Issue.store_date)),
            Day("store_date_before", _("In stores on or before"), _to(Issue.store_date)),
            Day("foc_date_after", _("Final orders on or after"), _from(Issue.foc_date)),
            Day("foc_date_before", _("Final orders on or before"), _to(Issue.foc_date)),
        ),
    ),
    Group(
        _("Codes and numbers"),
        (
            Filter("sku", _("SKU"), _same(Issue.sku)),
            Filter("upc", _("UPC"), _with_upc),
            Number("cv_id", _("Comic Vine number"), _is(Issue.cv_id)),
            Number("gcd_id", _("GCD number"), _is(Issue.gcd_id)),
            Object(
                "series_id",
                _("Series number"),
                _is(Issue.series_id),
                Series,
                joinedload(Series.series_type),
            ),
            Object(
                "publisher_id",
                _("Publisher number"),
                _of_series(lambda series: _is(series.publisher_id)),
                Publisher,
            ),
        ),
    ),
)
