"""Stars that readers give to issues and to reading lists: the widget and what it sends."""

from dataclasses import dataclass
from datetime import date

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import select

from comicsdb.catalog import InvalidError
from comicsdb.library import ratings
from comicsdb.models import Issue, IssueRating
from comicsdb.security import Permission
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import number_in, safe_path
from comicsdb_web.rendering.locales import _

CLEAR = "0"
GIVEN = {CLEAR: None} | {str(n): n for n in range(ratings.LOWEST, ratings.HIGHEST + 1)}

SAVED = _("Your stars are saved.")
CLEARED = _("Your stars are taken back.")
REFUSED = _("This cannot be rated now: nothing was changed.")


@dataclass(frozen=True)
class Stars:
    """What the widget shows to a reader beside the average."""

    address: str  # to which its form is sent
    current: int | None = None  # what the reader gave
    may: bool = False  # whether the buttons are shown
    asks_login: bool = False  # whether somebody who logs in could rate
    opens: date | None = None  # when an issue that is not out yet can be rated


def stars_of_issue(request, issue: Issue) -> Stars:
    """What the widget of an issue shows: one statement for members, none for anybody else.

    Stars that an issue has before it is out, because its date was moved, can be taken back.
    """
    released = issue.is_released(request.today)
    opens = None if released else issue.store_date
    address = request.route_path("issue.rate", id=issue.id)
    if request.identity is None:
        return Stars(address, asks_login=released, opens=opens)
    mine = select(IssueRating.rating).where(
        IssueRating.issue_id == issue.id, IssueRating.user_id == request.identity.user_id
    )
    current = request.dbsession.scalar(mine)
    return Stars(address, current, may=released or current is not None, opens=opens)


def rate_issue(request):
    """The stars of the reader for an issue."""
    issue = request.catalog.get(Issue, number_in(request))

    def rate(stars):
        ratings.rate(request.dbsession, issue, request.identity.user_id, stars, today=request.today)

    return rated(request, issue, rate, stars_of_issue)


def rated(request, entity, rate, stars_of):
    """Do what the form asks with `rate(stars)`, and answer with the widget as `stars_of` has it now.

    What is no number of stars changes nothing. What may not be rated is said, and nothing changes.
    """
    given, said, refused = request.POST.get("rating"), "", False
    if isinstance(given, str) and given in GIVEN:
        try:
            rate(GIVEN[given])
            said = CLEARED if given == CLEAR else SAVED
        except InvalidError:  # the widget says why, and from when on it can be
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
    """The stars of issues; those of reading lists stand with their pages."""
    config.add_page(
        "issue.rate",
        "/issue-ratings/{id:[0-9]+}/rate/",
        rate_issue,
        methods=("POST",),
        permission=Permission.MEMBER,
    )
