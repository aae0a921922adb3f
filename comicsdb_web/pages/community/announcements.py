"""Announcements on the home page: those of the day that the reader has not dismissed.

Dismissed ones are stored in a cookie, which only the home page reads. The form is on a cached page and so has
no CSRF token, like those of theme and language.
"""

from markupsafe import Markup
from sqlalchemy import or_, select

from comicsdb.models import Announcement
from comicsdb.values import whole_number
from comicsdb_web.http import preferences
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import number_in
from comicsdb_web.rendering.richtext import clean

COOKIE = "dismissed"
MOST = 50  # of dismissed ids; the oldest are dropped first


def shown(request) -> list[tuple[Announcement, Markup]]:
    """The announcements of today that were not dismissed, newest first, each with its sanitised text."""
    closed, today = closed_by(request), request.today
    rows = (
        select(Announcement)
        .where(
            Announcement.active,
            or_(Announcement.start_date.is_(None), Announcement.start_date <= today),
            or_(Announcement.end_date.is_(None), Announcement.end_date >= today),
        )
        .order_by(Announcement.start_date.desc().nulls_last(), Announcement.id.desc())
    )
    found = request.dbsession.scalars(rows)
    return [(each, clean(each.content)) for each in found if each.id not in closed]


def closed_by(request) -> dict[int, None]:
    """The ids of the announcements that this reader has dismissed, latest last."""
    written = request.cookies.get(COOKIE, "").split(".")[-MOST:]
    return {number: None for each in written if (number := whole_number(each)) is not None}


def dismiss(request):
    """Dismiss an announcement. Raises HTTPForbidden for forms of other sites, HTTPNotFound for
    an impossible id."""
    number = str(number_in(request))
    preferences.chosen(request, "next", ())
    if request.is_fragment:
        response = fragment(request, "announcement", {"number": number})
    else:
        response = preferences.back(request)
    closed = closed_by(request)
    closed.pop(int(number), None)
    kept = [*closed, int(number)][-MOST:]
    return preferences.keep(request, response, COOKIE, ".".join(map(str, kept)))


def includeme(config):
    """Add the page that dismisses announcements."""
    config.add_page(
        "announcement.dismiss",
        "/announcements/{id:[0-9]+}/dismiss/",
        dismiss,
        methods=("POST",),
        require_csrf=False,
    )
