"""The home page: introduction, new issues, announcements, and for members what is next in their library."""

from functools import cache

from sqlalchemy import Date, bindparam, select

from comicsdb.clock import monday_of
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.library import next_up, pull_list
from comicsdb.models import Character, Creator, Issue, Publisher, Series
from comicsdb_web.lists import cards
from comicsdb_web.pages.community import announcements, timeline
from comicsdb_web.rendering.json_columns import constant, rows_of
from comicsdb_web.rendering.page_cache import CachePolicy
from comicsdb_web.rendering.row_views import row_view

SHELF = 5  # covers in the header
RECENT = 12
PULLS = 12  # of this week
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
    counts = (cards.count_statement(model).scalar_subquery() for model in TOTALS)
    newest = cards.statement(Issue).order_by(*cards.order(Issue, "added")).limit(constant(RECENT))
    announced = announcements.shown_on(bindparam("today", type_=Date))
    return CompiledQuery.of(select(*counts, rows_of(newest), rows_of(announced)))


def home(request):
    """The home page; one statement, and three more for the library of members."""
    settings = request.registry.settings
    *totals, newest, announced = request.read_pool.fetch(_query(), {"today": request.today})
    recent = [row_view("issue", each) for each in newest]
    collective = settings["comicsdb.donations.collective"]
    return _of_member(request) | {
        "announcements": announcements.not_dismissed(request, announced),
        "totals": dict(zip((model.__tablename__ for model in TOTALS), totals, strict=True)),
        "recent": recent,
        "shelf": _shelf(recent),
        "timeline": timeline.entries(request)[:TEASER],
        "code": settings["comicsdb_web.code"],
        "contact": settings["comicsdb_web.contact"],
        "donate": f"{COLLECTIVE}/{collective}" if collective else "",
    }


def _of_member(request) -> dict:
    """What is next in a member's library; nothing for anonymous readers."""
    if request.identity is None:
        return {"up": None}
    session, user_id = request.dbsession, request.identity.user_id
    pulls = pull_list.week(session, user_id, monday_of(request.today), limit=PULLS)
    return {"up": next_up.next_up(session, user_id, request.today), "pulls": pulls}


def _shelf(issues) -> list:
    """Covers for the header, of different series if possible."""
    pictured = [each for each in issues if each.image]
    firsts = list({each.series_id: each for each in reversed(pictured)}.values())[::-1]
    others = [each for each in pictured if each not in firsts]
    return (firsts + others)[:SHELF]


def includeme(config):
    """Add the page at the root."""
    config.add_page("home", "/", home, renderer="home.jinja2", shows=SHOWS)
