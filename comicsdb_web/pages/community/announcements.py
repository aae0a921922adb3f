"""Announcements on the home page: those of the day that the reader has not dismissed.

Dismissed ones are stored in a cookie, which only the home page reads. The form is on a cached page and so has
no CSRF token, like those of theme and language.
"""

from markupsafe import Markup
from sqlalchemy import Select, or_, select

from comicsdb.i18n import text_in
from comicsdb.models import Announcement
from comicsdb.values import whole_number
from comicsdb_web.http import preferences
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.rendering.richtext import clean
from comicsdb_web.rendering.row_views import RowView, row_view

COOKIE = "dismissed"
DISMISSED_MAX = 50  # of dismissed ids; the oldest are dropped first


def shown_on(today) -> Select:
    """The announcements shown on a day, newest first; `today` may be a bind parameter."""
    texts = (Announcement.title, Announcement.titles, Announcement.content, Announcement.contents)
    return (
        select(Announcement.id, *texts, Announcement.display_type)
        .where(
            Announcement.active,
            or_(Announcement.start_date.is_(None), Announcement.start_date <= today),
            or_(Announcement.end_date.is_(None), Announcement.end_date >= today),
        )
        .order_by(Announcement.start_date.desc().nulls_last(), Announcement.id.desc())
    )


def not_dismissed(request, rows: list[dict]) -> list[tuple[RowView, Markup]]:
    """The announcements among rows that the reader has not dismissed, each with its sanitised text."""
    dismissed = dismissed_ids(request)
    found = (row_view("announcement", each) for each in rows if each["id"] not in dismissed)
    return [(each, clean(text_in(request.locale_name, each.content, each.contents))) for each in found]


def dismissed_ids(request) -> dict[int, None]:
    """The ids of the announcements that this reader has dismissed, latest last."""
    written = request.cookies.get(COOKIE, "").split(".")[-DISMISSED_MAX:]
    return {number: None for each in written if (number := whole_number(each)) is not None}


def dismiss(request):
    """Dismiss an announcement.

    Raises HTTPForbidden for forms of other sites, HTTPNotFound for an impossible id.
    """
    number = str(id_in_path(request))
    preferences.submitted_choice(request, "next", ())
    if request.is_fragment:
        response = fragment(request, "announcement", {"number": number})
    else:
        response = preferences.redirect_back(request)
    dismissed = dismissed_ids(request)
    dismissed.pop(int(number), None)
    kept = [*dismissed, int(number)][-DISMISSED_MAX:]
    return preferences.store_choice(request, response, COOKIE, ".".join(map(str, kept)))


def includeme(config):
    """Add the page that dismisses announcements."""
    config.add_page(
        "announcement.dismiss",
        "/announcements/{id:[0-9]+}/dismiss/",
        dismiss,
        methods=("POST",),
        require_csrf=False,
    )
