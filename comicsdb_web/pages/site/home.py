"""The home page: introduction, new issues, and announcements."""

from functools import cache

from sqlalchemy import Date, bindparam, select

from comicsdb.db.read_pool import CompiledQuery
from comicsdb.models import Character, Creator, Issue, Publisher, Series
from comicsdb_web.lists import cards
from comicsdb_web.lists.parts import constant, rows_of
from comicsdb_web.pages.community import announcements, timeline
from comicsdb_web.rendering.page_cache import CachePolicy
from comicsdb_web.rendering.row_views import shown

SHELF = 5  # covers in the header
RECENT = 12
TEASER = 3  # entries of the timeline
# Dismissed announcements are in the key of the cached page.
SHOWS = CachePolicy(
    ("announcement", "publisher", "series", "series_type", "issue", "creator", "character"),
    vary_cookies=(announcements.COOKIE,),
)
TOTALS = (Publisher, Series, Issue, Creator, Character)
COLLECTIVE = "https://opencollective.com"


@cache
def _query() -> CompiledQuery:
    """The statement for the numbers of objects, the newest issues and the announcements of a day."""
    counts = (cards.counted(model).scalar_subquery() for model in TOTALS)
    newest = cards.statement(Issue).order_by(*cards.order(Issue, "added")).limit(constant(RECENT))
    announced = announcements.of_day(bindparam("today", type_=Date))
    return CompiledQuery.of(select(*counts, rows_of(newest), rows_of(announced)))


def home(request):
    """The home page; one statement."""
    settings = request.registry.settings
    *totals, newest, announced = request.read_pool.fetch(_query(), {"today": request.today})
    recent = [shown("issue", each) for each in newest]
    collective = settings["comicsdb.donations.collective"]
    return {
        "announcements": announcements.not_dismissed(request, announced),
        "totals": dict(zip((model.__tablename__ for model in TOTALS), totals, strict=True)),
        "recent": recent,
        "shelf": _shelf(recent),
        "timeline": timeline.entries(request)[:TEASER],
        "code": settings["comicsdb_web.code"],
        "contact": settings["comicsdb_web.contact"],
        "donate": f"{COLLECTIVE}/{collective}" if collective else "",
    }


def _shelf(issues) -> list:
    """Covers for the header, of different series as far as possible."""
    pictured = [each for each in issues if each.image]
    firsts = list({each.series_id: each for each in reversed(pictured)}.values())[::-1]
    others = [each for each in pictured if each not in firsts]
    return (firsts + others)[:SHELF]


def includeme(config):
    """Add the page at the root."""
    config.add_page("home", "/", home, renderer="home.jinja2", shows=SHOWS)
