"""Statistics of the whole catalog as charts and tables."""

from collections.abc import Callable
from datetime import date, datetime
from math import ceil

import orjson
from babel import numbers

from comicsdb import clock
from comicsdb.community import statistics
from comicsdb.readcache.etag import tag_of
from comicsdb_web.rendering import charts
from comicsdb_web.rendering.charts import Chart, Point
from comicsdb_web.rendering.locales import _, locale_of
from comicsdb_web.rendering.page_cache import CachePolicy

YEAR_LABELS_MAX = 8
FORMAT_VERSION = 1  # version of the cached data's format

# name: title, description, head of the table's first column, and unit
TITLES = {
    "years": (
        _("Issues added by year"),
        _("How many issues were added to the catalog in each year."),
        _("Year"),
        _("Issues"),
    ),
    "publishers": (
        _("Issues by publisher"),
        _("How many issues each publisher has, and its share of the total."),
        _("Publisher"),
        _("Issues"),
    ),
    "days": (
        _("Issues added in the last 30 days"),
        _("How many issues were added to the catalog on each day."),
        _("Day"),
        _("Issues"),
    ),
    "months": (
        _("Issues added in the last 12 months"),
        _("How many issues were added to the catalog in each month."),
        _("Month"),
        _("Issues"),
    ),
    "creators": (
        _("Creators added in the last 12 months"),
        _("How many creators were added to the catalog in each month."),
        _("Month"),
        _("Creators"),
    ),
    "characters": (
        _("Characters added in the last 12 months"),
        _("How many characters were added to the catalog in each month."),
        _("Month"),
        _("Characters"),
    ),
}


def cached_figures(request, name: str, compute: Callable[[], dict]) -> tuple[dict, datetime]:
    """Figures of a day, computed at most every half hour under a lock, and the time of the computation.

    `compute` returns plain data.
    """

    def made() -> bytes:
        return orjson.dumps({"at": clock.now(), "figures": compute()})

    found = orjson.loads(request.cache.figures.get_or_create(_key(name, request.today), made))
    return found["figures"], datetime.fromisoformat(found["at"])


def _key(name: str, day: date) -> str:
    return f"{name}:{FORMAT_VERSION}:{day}"


def _figures_digest(registry, day: date) -> str | None:
    """The digest of the figures shown on a day, None if there are none yet."""
    value = registry["comicsdb.cache"].figures.get(_key("statistics", day))
    return tag_of(value).decode() if value else None


def page(request):
    """Totals and charts; makes no query if the figures are cached."""
    zone = request.registry.settings["comicsdb.timezone"]
    found, at = cached_figures(
        request, "statistics", lambda: statistics.catalog_figures(request.dbsession, zone, request.today)
    )
    locale = locale_of(request)
    series = {name: _dated(found[name]) for name in ("by_day", "by_month", "creators", "characters")}
    return {
        "totals": found["totals"],
        "at": at,
        "charts": [
            _chart(request, "days", charts.days(locale, series["by_day"])),
            _chart(request, "months", charts.months(locale, series["by_month"])),
            _chart(request, "years", _years(found["by_year"])),
            _chart(request, "creators", charts.months(locale, series["creators"])),
            _chart(request, "characters", charts.months(locale, series["characters"])),
        ],
        "publishers": _chart(request, "publishers", _publishers(request, found)),
    }


def _chart(request, name: str, points: list[Point]) -> Chart:
    title, text, head, unit = (request.localizer.translate(each) for each in TITLES[name])
    return Chart(f"chart-{name}", title, text, head, unit, points)


def _dated(rows) -> list[tuple[date, int]]:
    return [(date.fromisoformat(day), count) for day, count in rows]


def _years(rows) -> list[Point]:
    """The points of years, with as many labels as there is room for."""
    step = ceil(len(rows) / YEAR_LABELS_MAX)
    return [
        Point(day[:4], count, (day[:4],) if (len(rows) - place) % step == 1 % step else ())
        for place, (day, count) in enumerate(rows)
    ]


def _publishers(request, found) -> list[Point]:
    """The largest publishers and the rest, with their shares."""
    locale = locale_of(request)
    total = found["others"] + sum(count for _name, _slug, count in found["publishers"])

    def point(name, count, href=""):
        share = numbers.format_percent(round(count / total, 3), decimal_quantization=False, locale=locale)
        written = f"{numbers.format_decimal(count, locale=locale)} · {share}"
        return Point(name, count, href=href, written=written)

    points = [
        point(name, count, request.route_path("publisher.detail", slug=slug))
        for name, slug, count in found["publishers"]
    ]
    others = request.localizer.translate(_("Other"))
    return [*points, point(others, found["others"])] if found["others"] else points


def includeme(config):
    """Add the page."""
    shown = CachePolicy(extra_key=_figures_digest)
    config.add_page("statistics", "/statistics/", page, renderer="statistics.jinja2", shows=shown)
