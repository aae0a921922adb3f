"""Figures of a reader's collection, drawn and in tables, and the history of what was read."""

from datetime import date
from itertools import groupby

from comicsdb.library.collection import figures as collection_figures
from comicsdb.library.collection import reads as collection_reads
from comicsdb.library.collection.filters import items
from comicsdb.models import CollectionItem, Role
from comicsdb_web.lists.paging import Page, page_asked_for
from comicsdb_web.pages.library.collection import PER_PAGE
from comicsdb_web.pages.library.collection_filters import FORMATS
from comicsdb_web.rendering import charts
from comicsdb_web.rendering.charts import Chart, Point, with_rest
from comicsdb_web.rendering.locales import _, locale_of

MOST_BARS = 10


def stats(request):
    """Totals, charts and tables."""
    session, user_id = request.dbsession, request.identity.user_id
    figures = collection_reads.stats(session, user_id)
    read = collection_figures.reading(session, user_id, request.zone, request.today)
    tops = collection_figures.top_creators(session, user_id, Role.is_writer, Role.is_artist)
    publishers, types = collection_figures.shares(session, user_id)
    return {
        "figures": figures,
        "shares": [
            _shares(request, "publishers", publishers),
            _shares(request, "types", types),
            _formats(request, figures),
        ],
        "days": _chart(request, "days", charts.days(locale_of(request), read.days)),
        "months": _chart(request, "months", charts.months(locale_of(request), read.months)),
        "people": [
            _people(request, name, top) for name, top in zip(("writers", "artists"), tops, strict=True)
        ],
        "top_series": collection_figures.top_series(session, user_id),
    }


TITLES = {
    "publishers": (_("By publisher"), _("How many items come from each publisher."), _("Publisher")),
    "types": (_("By type of series"), _("How many items belong to series of each type."), _("Type")),
    "formats": (_("By format"), _("How many items there are in each format."), _("Format")),
    "writers": (_("Top writers"), _("The writers credited on most items."), _("Writer")),
    "artists": (_("Top artists"), _("The artists credited on most items."), _("Artist")),
    "days": (_("Read in the last 30 days"), _("How often something was read on each day."), _("Day")),
    "months": (_("Read in the last 12 months"), _("How often something was read in each month."), _("Month")),
}
UNITS = {"days": _("Read"), "months": _("Read")}


def _chart(request, name: str, points: list[Point]) -> Chart:
    say = request.localizer.translate
    title, text, head = (say(each) for each in TITLES[name])
    return Chart(f"chart-{name}", title, text, head, say(UNITS.get(name, _("Items"))), points)


def _list_path(request, **query) -> str:
    return request.route_path("collection.list", _query=query)


def _shares(request, name: str, shares) -> Chart:
    key = {"publishers": "publisher_id", "types": "series_type"}[name]
    points = [Point(share.name, share.count, href=_list_path(request, **{key: share.id})) for share in shares]
    return _chart(request, name, with_rest(points, MOST_BARS, request.localizer.translate(_("Other"))))


def _formats(request, figures) -> Chart:
    say = request.localizer.translate
    points = [
        Point(say(FORMATS[code]), count, href=_list_path(request, book_format=code))
        for code, count in figures.by_format.items()
    ]
    return _chart(request, "formats", points)


def _people(request, name: str, people) -> Chart:
    points = [Point(creator.name, count, href=request.entity_path(creator)) for creator, count in people]
    return _chart(request, name, points)


def history(request):
    """What was read, by day, newest first; what was read nobody knows when comes last."""
    session, user_id = request.dbsession, request.identity.user_id
    zone = request.zone
    total = collection_figures.history_count(session, user_id, zone)
    number, pages = page_asked_for(request, total, PER_PAGE)
    reads = collection_figures.history(session, user_id, zone, limit=PER_PAGE, offset=(number - 1) * PER_PAGE)
    wanted = {read.item_id for read in reads}
    found = session.scalars(items().where(CollectionItem.id.in_(wanted))).all()
    by_id = {item.id: item for item in found}
    days: list[tuple[date | None, list]] = [
        (day, [(by_id[read.item_id], read.times) for read in group])
        for day, group in groupby(reads, key=lambda read: read.day)
    ]
    return {"page": Page(reads, number, total, pages), "days": days}


def includeme(config):
    """Two pages."""
    config.add_collection_page("stats", "stats/", stats, renderer="collection/stats.jinja2")
    config.add_collection_page("history", "history/", history, renderer="collection/history.jinja2")
