"""The year in review of a reader, and the picture that other sites show with a link to it."""

from dataclasses import replace

from pyramid.httpexceptions import HTTPNotFound

from comicsdb.community import profiles, year_in_review
from comicsdb.community.profiles import YEAR
from comicsdb.community.year_in_review import YearInReview
from comicsdb.i18n import translate
from comicsdb.models import Series
from comicsdb.values import whole_number
from comicsdb_web.pages.community.readers import cards_by_id, find_profile, site_zone
from comicsdb_web.rendering import charts, share_pictures
from comicsdb_web.rendering.charts import Chart, Point
from comicsdb_web.rendering.locales import _, locale_of, ngettext

TITLE = _("${name}'s ${year} in comics")


def page(request):
    """The requested year, or the latest in which anything was read."""
    reader = find_profile(request, YEAR)
    years = _years(request, reader.user.id)
    if not years:
        return {"reader": reader, "year": None, "years": []}
    wanted = _requested_year(request, years)
    year = year_in_review.year_in_review_of(request.dbsession, reader.user.id, wanted, site_zone(request))
    run = year.run and cards_by_id(request.dbsession, Series, [year.run[0]]).get(year.run[0])
    return {
        "reader": reader,
        "number": wanted,
        "years": years,
        "year": year,
        "run": run,
        "charts": _charts(request, year),
        "picture": reader.is_open(YEAR)
        and request.route_path("reader.share", username=reader.user.username, _query={"year": wanted}),
    }


def _years(request, user_id: int) -> list[int]:
    """The years in which anything was read, the latest first."""
    months = profiles.months(request.dbsession, user_id, site_zone(request))
    return list(dict.fromkeys(each.first.year for each in months))


def _requested_year(request, years: list[int]) -> int:
    """The year in the address, by default the latest; not found if nothing was read in it, or ever."""
    year = whole_number(request.GET["year"]) if "year" in request.GET else next(iter(years), None)
    if year not in years:
        raise HTTPNotFound
    return year


def _charts(request, year: YearInReview) -> dict[str, Chart]:
    say = request.localizer.translate
    unit = say(_("Issues"))
    points = {
        "months": (_("By month"), _("Month"), _months(request, year)),
        "publishers": (_("By publisher"), _("Publisher"), _named(request, "publisher", year.publishers)),
        "creators": (_("By creator"), _("Creator"), _named(request, "creator", year.creators)),
        "ratings": (
            _("Ratings given"),
            _("Stars"),
            [Point("★" * stars, year.ratings.get(stars, 0)) for stars in range(5, 0, -1)],
        ),
    }
    return {
        name: Chart(f"chart-{name}", say(title), say(title), say(head), unit, found)
        for name, (title, head, found) in points.items()
    }


def _months(request, year: YearInReview) -> list[Point]:
    """The months, without the year below each."""
    points = charts.months(locale_of(request), year.by_month)
    return [replace(each, marks=each.marks[:1]) for each in points]


def _named(request, kind: str, rows) -> list[Point]:
    return [
        Point(name, number, href=request.route_path(f"{kind}.detail", slug=slug))
        for slug, name, number in rows
    ]


def share(request):
    """The picture of a year; not found unless the year is public, even for its owner."""
    reader = find_profile(request, YEAR)
    if not reader.is_open(YEAR):
        raise HTTPNotFound
    wanted = _requested_year(request, _years(request, reader.user.id))
    year = year_in_review.year_in_review_of(request.dbsession, reader.user.id, wanted, site_zone(request))
    say = request.localizer
    title = translate(say, TITLE % {"name": reader.user.username, "year": wanted})
    lines = [translate(say, ngettext("${n} issue read", "${n} issues read", year.issues))]
    lines += [name for _slug, name, _number in year.publishers[:2]]
    if rated := sum(year.ratings.values()):
        lines.append(translate(say, ngettext("${n} issue rated", "${n} issues rated", rated)))
    return share_pictures.picture_response(request, title, lines, year.covers)


def includeme(config):
    """Add the pages."""
    config.add_reader_page(".year", "year/", page, renderer="reader/year.jinja2", parameters=("year",))
    config.add_reader_page(".share", "year/share.jpg", share, parameters=("year",))
