"""Ratings of issues and reading lists: the widget and its form."""

from dataclasses import dataclass
from datetime import date

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import select

from comicsdb.catalog import InvalidError
from comicsdb.library import ratings
from comicsdb.models import Issue, IssueRating
from comicsdb.security import Permission
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import id_in_path, safe_path
from comicsdb_web.rendering.locales import _

CLEAR = "0"
RATINGS = {CLEAR: None} | {str(n): n for n in range(ratings.LOWEST, ratings.HIGHEST + 1)}

SAVED = _("Your rating was saved.")
CLEARED = _("Your rating was removed.")
REFUSED = _("This cannot be rated now: nothing was changed.")


@dataclass(frozen=True)
class RatingWidget:
    """The values of the rating widget, except the average."""

    address: str  # the path of its form
    current: int | None = None  # the reader's rating
    is_allowed: bool = False  # whether the reader may rate
    asks_login: bool = False  # whether an anonymous reader could rate after logging in
    opens: date | None = None  # the date from which an unreleased issue can be rated


def issue_rating_widget(request, issue: Issue) -> RatingWidget:
    """The widget of an issue; one statement for members, none for others."""
    if request.identity is None:
        return rating_widget(request, issue, None)
    mine = select(IssueRating.rating).where(
        IssueRating.issue_id == issue.id, IssueRating.user_id == request.identity.user_id
    )
    return rating_widget(request, issue, request.dbsession.scalar(mine))


def rating_widget(request, issue: Issue, current: int | None) -> RatingWidget:
    """The widget of an issue with the reader's rating.

    If the date of a rated issue moves into the future, its rating can still be removed.
    """
    released = issue.is_released(request.today)
    opens = None if released else issue.store_date
    address = request.route_path("issue.rate", id=issue.id)
    if request.identity is None:
        return RatingWidget(address, asks_login=released, opens=opens)
    return RatingWidget(address, current, is_allowed=released or current is not None, opens=opens)


def rate_issue(request):
    """Rate an issue."""
    issue = request.catalog.get(Issue, id_in_path(request))

    def rate(stars):
        ratings.rate(request.dbsession, issue, request.identity.user_id, stars, today=request.today)

    return rate_and_respond(request, issue, rate, issue_rating_widget)


def rate_and_respond(request, entity, rate, widget_of):
    """Call `rate(stars)` and respond with the updated widget from `widget_of(request, entity)`.

    Invalid values are ignored; if rating is refused, the widget says so.
    """
    given, message, refused = request.POST.get("rating"), "", False
    if isinstance(given, str) and given in RATINGS:
        try:
            rate(RATINGS[given])
            message = CLEARED if given == CLEAR else SAVED
        except InvalidError:  # the widget shows why, and when rating opens
            message, refused = REFUSED, True
    message = request.localizer.translate(message)
    if request.is_fragment:
        request.dbsession.expire(entity, ("rating_count", "rating_sum"))
        values = {
            "entity": entity,
            "stars": widget_of(request, entity),
            "message": message,
            "refused": refused,
        }
        return fragment(request, "rating", values, status=422 if refused else 200)
    if message:
        request.messages.add("warning" if refused else "success", message)
    return HTTPSeeOther(safe_path(request.POST.get("next")) or request.entity_path(entity))


def includeme(config):
    """Add the rating of issues; that of reading lists is with their pages."""
    config.add_page(
        "issue.rate",
        "/issue-ratings/{id:[0-9]+}/rate/",
        rate_issue,
        methods=("POST",),
        permission=Permission.MEMBER,
    )
