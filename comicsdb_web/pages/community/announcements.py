"""Announcements on the home page: those of the day that the reader has not closed.

Which are closed stands in a cookie, which only the home page reads. Their form stands on a page that
is the same for everybody and so has no token, like those of theme and language.
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
MOST = 50  # remembered; the oldest are forgotten first


def shown(request) -> list[tuple[Announcement, Markup]]:
    """Those that are shown today and were not closed, the newest first, each with its text made harmless."""
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
    """The ids of the announcements that this reader has closed, the latest last."""
    written = request.cookies.get(COOKIE, "").split(".")[-MOST:]
    return {number: None for each in written if (number := whole_number(each)) is not None}


def dismiss(request):
    """Close an announcement for this reader. Raises HTTPForbidden for the form of another site, HTTPNotFound
    for a number that none can have."""
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
    """The button of announcements."""
    config.add_page(
        "announcement.dismiss",
        "/announcements/{id:[0-9]+}/dismiss/",
        dismiss,
        methods=("POST",),
        require_csrf=False,
    )
