"""The filters of publishers, series and issues."""

from functools import cache

from babel import dates
from sqlalchemy import select
from sqlalchemy.orm import joinedload

from comicsdb.catalog import filters
from comicsdb.catalog.filters import Condition, equal
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.i18n import translate
from comicsdb.models import Imprint, Issue, Publisher, Series, SeriesType
from comicsdb.models.choices import LANGUAGES
from comicsdb_web.forms.options import STATUSES, by_name, every_country, labelled
from comicsdb_web.lists.filters import Choice, Codes, Day, Filter, Group, Number, ObjectFilter, Option, Year
from comicsdb_web.rendering.json_columns import rows_of
from comicsdb_web.rendering.locales import _, language_name, locale_of, ngettext

YEAR_MAX = 9999
VOLUME_MAX = 32_767
FIRST_YEAR = 1939  # the first year offered
BEST_OFFERED = 4  # the highest minimum of stars that is offered
NEXT_YEAR_FROM = 10  # the month from which next year is offered


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
    (rows,) = request.read_pool.fetch(_series_types(), {})
    language = request.locale_name
    return by_name([(str(each["id"]), each["names"].get(language) or each["name"]) for each in rows])


@cache
def _series_types() -> CompiledQuery:
    types = select(SeriesType.id, SeriesType.name, SeriesType.names).order_by(SeriesType.id)
    return CompiledQuery.of(select(rows_of(types)))


def _ratings(request) -> list[Option]:
    texts = {n: ngettext("${n} star or more", "${n} stars or more", n) for n in range(BEST_OFFERED, 0, -1)}
    return [(str(n), translate(request.localizer, text)) for n, text in texts.items()]


def _year(name, label, condition) -> Number:
    return Number(name, label, condition, 0, YEAR_MAX)


def _volume(name, label, condition) -> Number:
    return Number(name, label, condition, 0, VOLUME_MAX)


PUBLISHER = (
    Group(
        None,
        (
            Filter("name", _("Name"), filters.PUBLISHER["name_words"]),
            Choice("country", _("Country"), filters.PUBLISHER["country"], every_country),
        ),
    ),
    Group(
        _("Names and years"),
        (
            Filter("alt_names", _("Alternative names"), filters.PUBLISHER["alt_names_words"]),
            _year("founded_gte", _("Founded in or after"), filters.PUBLISHER["founded_gte"]),
            _year("founded_lte", _("Founded in or before"), filters.PUBLISHER["founded_lte"]),
        ),
    ),
)

SERIES = (
    Group(
        None,
        (
            Filter("publisher_name", _("Publisher"), filters.SERIES["publisher_words"]),
            Filter("creator_name", _("Creator"), filters.SERIES["creator_words"]),
            Filter("character_name", _("Character"), filters.SERIES["character_words"]),
            Choice("rating", _("Rating"), filters.SERIES["rating_gte"], _ratings, int),
        ),
    ),
    Group(
        _("Issues"),
        (
            Number("issue_count_gte", _("Issues, at least"), filters.SERIES["issue_count_gte"]),
            Number("issue_count_lte", _("Issues, at most"), filters.SERIES["issue_count_lte"]),
            Day(
                "last_cover_date_after",
                _("Last issue on or after"),
                filters.SERIES["last_cover_date_after"],
            ),
            Day(
                "last_cover_date_before",
                _("Last issue on or before"),
                filters.SERIES["last_cover_date_before"],
            ),
        ),
    ),
    Group(
        _("Names"),
        (
            Filter("name", _("Name"), filters.SERIES["name"]),
            Filter("alt_names", _("Alternative names"), filters.SERIES["alt_names_words"]),
            Filter("imprint_name", _("Imprint"), filters.SERIES["imprint_words"]),
        ),
    ),
    Group(
        _("Kind of series"),
        (
            Choice("series_type", _("Type"), filters.SERIES["series_type_id"], series_types, int),
            Choice("status", _("Status"), filters.SERIES["status"], labelled(STATUSES), int),
            _volume("volume", _("Volume"), filters.SERIES["volume"]),
            Codes("language", _("Language"), filters.SERIES["languages"], LANGUAGES, language_name),
        ),
    ),
    Group(
        _("Years"),
        (
            _year("year_began", _("Began in"), filters.SERIES["year_began"]),
            _year("year_began_gte", _("Began in or after"), filters.SERIES["year_began_gte"]),
            _year("year_began_lte", _("Began in or before"), filters.SERIES["year_began_lte"]),
            _year("year_end", _("Ended in"), filters.SERIES["year_end"]),
        ),
    ),
    Group(
        _("IDs of this site"),
        (
            ObjectFilter("publisher_id", _("Publisher ID"), filters.SERIES["publisher_id"], Publisher),
            ObjectFilter("imprint_id", _("Imprint ID"), filters.SERIES["imprint_id"], Imprint),
        ),
    ),
)

ISSUE = (
    Group(
        None,
        (
            Filter("series_name", _("Series name"), filters.ISSUE["series_name"]),
            Filter("number", _("Number"), filters.ISSUE["number"]),
            Filter("publisher_name", _("Publisher"), filters.ISSUE["publisher_words"]),
            Year("cover_year", _("Cover year"), filters.ISSUE["cover_year"], cover_years),
        ),
    ),
    Group(
        _("Series"),
        (
            Choice(
                "series_type",
                _("Type of series"),
                filters.ISSUE["series_type_id"],
                series_types,
                int,
            ),
            _volume("series_volume", _("Volume"), filters.ISSUE["series_volume"]),
            _year("series_year_began", _("Series began in"), filters.ISSUE["series_year_began"]),
            Filter("alt_number", _("Alternative number"), filters.ISSUE["alt_number"]),
        ),
    ),
    Group(
        _("Dates"),
        (
            Choice(
                "cover_month",
                _("Cover month"),
                filters.ISSUE["cover_month"],
                months,
                int,
            ),
            Day("store_date_after", _("In stores on or after"), filters.ISSUE["store_date_after"]),
            Day("store_date_before", _("In stores on or before"), filters.ISSUE["store_date_before"]),
            Day("foc_date_after", _("Final orders on or after"), filters.ISSUE["foc_date_after"]),
            Day("foc_date_before", _("Final orders on or before"), filters.ISSUE["foc_date_before"]),
        ),
    ),
    Group(
        _("Codes and IDs"),
        (
            Filter("sku", _("SKU"), filters.ISSUE["sku"]),
            Filter("upc", _("UPC"), filters.ISSUE["upc"]),
            Number("cv_id", _("Comic Vine ID"), Condition(equal, Issue.cv_id)),
            Number("gcd_id", _("GCD ID"), Condition(equal, Issue.gcd_id)),
            ObjectFilter(
                "series_id",
                _("Series ID"),
                filters.ISSUE["series_id"],
                Series,
                joinedload(Series.series_type),
            ),
            ObjectFilter(
                "publisher_id",
                _("Publisher ID"),
                filters.ISSUE["publisher_id"],
                Publisher,
            ),
        ),
    ),
)
