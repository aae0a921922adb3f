"""Polls: the list, each poll's page with its question or results, voting, and deletion by staff."""

from pyramid.httpexceptions import HTTPBadRequest, HTTPSeeOther
from sqlalchemy import func, select

from comicsdb import admin, clock
from comicsdb.catalog import NotFoundError
from comicsdb.community import polls
from comicsdb.community.polls import Status
from comicsdb.models import Poll
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.lists.paging import paginate
from comicsdb_web.pages.account import no_store
from comicsdb_web.rendering.locales import _

PER_PAGE = 20
STATUSES = {
    Status.ACTIVE: _("Open"),
    Status.UPCOMING: _("Upcoming"),
    Status.CLOSED: _("Closed"),
}

VOTED = _("Your vote was counted. These are the results so far.")
DELETED = _("The poll was deleted.")
NO_CHOICE = _("Choose an answer, then vote.")


def listing(request):
    """All polls: open ones first, then upcoming, then closed ones; two statements."""
    now = clock.now()
    rows, order = polls.select_polls(now)
    ids, count = select(Poll.id).order_by(*order), select(func.count()).select_from(Poll)
    page = paginate(request, rows.order_by(*order), ids, count, PER_PAGE)
    shown = [(row.Poll, row.votes, polls.status_of(row.Poll, now)) for row in page.rows]
    return {"page": page, "polls": shown, "statuses": STATUSES}


def poll(request):
    """One poll."""
    return _poll_values(request, _found(request))


def vote(request):
    """Store the reader's vote and show the results."""
    poll_id, choice = id_in_path(request), whole_number(request.POST.get("choice"), clamp=True)
    if choice is None:
        _found(request)  # an unknown poll is reported first
        raise HTTPBadRequest(NO_CHOICE)
    polls.vote(request.dbsession, poll_id, choice, request.identity.user_id, clock.now())
    message = request.localizer.translate(VOTED)
    if request.is_fragment:
        return fragment(request, "poll", _poll_values(request, _found(request)) | {"message": message})
    request.messages.add("success", message)
    return HTTPSeeOther(request.route_path("poll", id=poll_id))


def delete_form(request):
    """The confirmation form of the deletion."""
    found = _found(request)
    return {"poll": found, "votes": sum(each.votes for each in polls.results(request.dbsession, found.id))}


def delete(request):
    """Delete a poll with its votes."""
    admin.delete_poll(request.dbsession, request.identity, id_in_path(request))
    request.messages.add("success", DELETED)
    return HTTPSeeOther(request.route_path("polls"))


def _found(request) -> Poll:
    poll_id = id_in_path(request)
    found = request.dbsession.get(Poll, poll_id)
    if found is None:
        raise NotFoundError("poll", poll_id)
    return found


def _poll_values(request, found: Poll) -> dict:
    """The values of a poll's page; while it is open, results are shown only to those who have voted."""
    session, reader = request.dbsession, request.identity
    status = polls.status_of(found, clock.now())
    mine = polls.chosen_by(session, found.id, reader.user_id) if reader is not None else None
    hidden = status is Status.UPCOMING or (status is Status.ACTIVE and mine is None)
    return {
        "poll": found,
        "status": status,
        "statuses": STATUSES,
        "mine": mine,
        "results": None if hidden else polls.results(session, found.id),
        "choices": polls.choices(session, found.id) if hidden and status is Status.ACTIVE else (),
        "may_vote": status is Status.ACTIVE and reader is not None and mine is None,
    }


def includeme(config):
    """Add the pages: public, with votes by members and deletion by staff; none is cached."""
    config.add_page("polls", "/polls/", listing, renderer="polls/list.jinja2", decorator=no_store)
    config.add_page("poll", "/polls/{id:[0-9]+}/", poll, renderer="polls/detail.jinja2", decorator=no_store)
    config.add_page(
        "poll.vote",
        "/polls/{id:[0-9]+}/vote/",
        vote,
        methods=("POST",),
        permission=Permission.MEMBER,
        decorator=no_store,
    )
    config.add_page(
        "poll.delete",
        "/polls/{id:[0-9]+}/delete/",
        delete_form,
        post=delete,
        renderer="polls/delete.jinja2",
        permission=Permission.DELETE_POLLS,
        decorator=no_store,
    )
