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
GIVEN = {CLEAR: None} | {str(n): n for n in range(ratings.LOWEST, ratings.HIGHEST + 1)}

SAVED = _("Your rating was saved.")
CLEARED = _("Your rating was removed.")
REFUSED = _("This cannot be rated now: nothing was changed.")


@dataclass(frozen=True)
class Stars:
    """The values of the widget besides the average."""

    address: str  # the path of its form
    current: int | None = None  # the reader's rating
    may: bool = False  # whether the buttons are shown
    asks_login: bool = False  # whether an anonymous reader could rate after logging in
    opens: date | None = None  # the date from which an unreleased issue can be rated


def stars_of_issue(request, issue: Issue) -> Stars:
    """The widget of an issue; one statement for members, none for others."""
    if request.identity is None:
        return stars_with(request, issue, None)
    mine = select(IssueRating.rating).where(
        IssueRating.issue_id == issue.id, IssueRating.user_id == request.identity.user_id
    )
    return stars_with(request, issue, request.dbsession.scalar(mine))


def stars_with(request, issue: Issue, current: int | None) -> Stars:
    """The widget of an issue with the reader's rating.

    A rating of an unreleased issue, whose date was moved, can be removed.
    """
    released = issue.is_released(request.today)
    opens = None if released else issue.store_date
    address = request.route_path("issue.rate", id=issue.id)
    if request.identity is None:
        return Stars(address, asks_login=released, opens=opens)
    return Stars(address, current, may=released or current is not None, opens=opens)


def rate_issue(request):
    """Rate an issue."""
    issue = request.catalog.get(Issue, id_in_path(request))

    def rate(stars):
        ratings.rate(request.dbsession, issue, request.identity.user_id, stars, today=request.today)

    return rated(request, issue, rate, stars_of_issue)


def rated(request, entity, rate, stars_of):
    """Rate by `rate(stars)`, and answer with the widget from `stars_of`.

    Invalid values are ignored; a refusal is shown.
    """
    given, said, refused = request.POST.get("rating"), "", False
    if isinstance(given, str) and given in GIVEN:
        try:
            rate(GIVEN[given])
            said = CLEARED if given == CLEAR else SAVED
        except InvalidError:  # the widget shows why, and from when on it can be
            said, refused = REFUSED, True
    said = request.localizer.translate(said)
    if request.is_fragment:
        request.dbsession.expire(entity, ("rating_count", "rating_sum"))
        values = {"entity": entity, "stars": stars_of(request, entity), "said": said, "refused": refused}
        return fragment(request, "rating", values, status=422 if refused else 200)
    if said:
        request.messages.add("warning" if refused else "success", said)
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
