"""The home page: what this is, what is new, and what the administrators have to say."""

from sqlalchemy import func, or_, select

from comicsdb.models import Announcement, Character, Creator, Issue, Publisher, Series
from comicsdb_web import cards
from comicsdb_web.entity import ISSUE_SORTS
from comicsdb_web.pagecache import Shows
from comicsdb_web.richtext import clean

SHELF = 5  # covers in the head of the page
RECENT = 12
# A reader who has closed an announcement sees a page of his own.
SHOWS = Shows(
    ("announcement", "publisher", "series", "series_type", "issue", "creator", "character"),
    heeds=("dismissed",),
)
TOTALS = (Publisher, Series, Issue, Creator, Character)


def announcements(session, today) -> list[Announcement]:
    """Those that are shown on a day, the newest first."""
    return session.scalars(
        select(Announcement)
        .where(
            Announcement.active,
            or_(Announcement.start_date.is_(None), Announcement.start_date <= today),
            or_(Announcement.end_date.is_(None), Announcement.end_date >= today),
        )
        .order_by(Announcement.start_date.desc().nulls_last(), Announcement.id.desc())
    ).all()


def home(request):
    """The home page; three statements."""
    session = request.dbsession
    counts = (select(func.count()).select_from(model).scalar_subquery() for model in TOTALS)
    totals = session.execute(select(*counts)).one()
    newest = cards.statement(Issue).order_by(*ISSUE_SORTS["added"]).limit(RECENT)
    recent = session.execute(newest).all()
    return {
        "announcements": [(each, clean(each.content)) for each in announcements(session, request.today)],
        "totals": dict(zip((model.__tablename__ for model in TOTALS), totals, strict=True)),
        "recent": recent,
        "shelf": _shelf(recent),
    }


def _shelf(rows) -> list:
    """Covers for the head of the page: of as many different series as there are."""
    pictured = [row for row in rows if row.Issue.image]
    firsts = list({row.Issue.series_id: row for row in reversed(pictured)}.values())[::-1]
    others = [row for row in pictured if row not in firsts]
    return (firsts + others)[:SHELF]


def includeme(config):
    """The page at the root."""
    config.add_page("home", "/", home, renderer="home.jinja2", shows=SHOWS)
