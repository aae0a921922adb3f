"""The home page: introduction, new issues, and announcements."""

from sqlalchemy import func, select

from comicsdb.models import Character, Creator, Issue, Publisher, Series
from comicsdb_web.lists import cards
from comicsdb_web.pages.community import announcements, timeline
from comicsdb_web.rendering.page_cache import CachePolicy

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


def home(request):
    """The home page; three statements."""
    session, settings = request.dbsession, request.registry.settings
    counts = (select(func.count()).select_from(model).scalar_subquery() for model in TOTALS)
    totals = session.execute(select(*counts)).one()
    newest = cards.statement(Issue).order_by(*cards.order(Issue, "added")).limit(RECENT)
    recent = cards.load(session, Issue, newest)
    collective = settings["comicsdb.donations.collective"]
    return {
        "announcements": announcements.shown(request),
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
