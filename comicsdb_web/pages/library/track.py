"""The track bar: own, read, want and stars of an issue by one click.

A visitor's click is stored (`http.pending_action`) and performed after log-in or sign-up. Visitors' bars are
on pages cached for everybody and so have no CSRF token.
"""

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import select

from comicsdb import clock
from comicsdb.catalog import InvalidError, MovedError, NotFoundError
from comicsdb.i18n import Plural, translate
from comicsdb.library import collection, ratings, reads, runs, wish_list
from comicsdb.models import CollectionItem, Issue
from comicsdb.security import Permission
from comicsdb_web.forms import lookup
from comicsdb_web.forms.fields import text_of
from comicsdb_web.http.csrf import check_shared_form
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import referring_path, safe_path
from comicsdb_web.pages.library import wish_list as wishes
from comicsdb_web.pages.library.collection import ADDED, private
from comicsdb_web.pages.library.pull_list import OFF, ON
from comicsdb_web.pages.library.rating import CLEAR, CLEARED, RATINGS, REFUSED, SAVED
from comicsdb_web.pages.library.reads import READ, UNREAD
from comicsdb_web.rendering.locales import _, ngettext
from comicsdb_web.rendering.track_bar import buttons, marks_of

CARDS_MAX = 100  # cards of a page whose buttons are updated

REMOVED = _("${label} was removed from your collection.")


def press(request):
    """Perform the action of the pressed button, one of ACTIONS; other fields are ignored."""
    check_shared_form(request)
    issue = request.catalog.by_slug(Issue, request.matchdict["slug"])
    name = next((each for each in ACTIONS if each in request.POST), "")
    value = text_of(request.POST, name) or ""
    path = safe_path(request.POST.get("next")) or referring_path(request) or request.entity_path(issue)
    if request.identity is None:
        return request.pending_action.store("track.asked", issue.slug, name, value, path=path)
    return _respond(request, issue, name, value, path)


def toggle_wish(request):
    """Add an issue to the wish list or remove it, by the field `on`; other values are ignored."""
    issue = request.catalog.by_slug(Issue, request.matchdict["slug"])
    wanted = text_of(request.POST, "on") or ""
    return _respond(request, issue, "want", wanted, request.entity_path(issue))


def _respond(request, issue: Issue, name: str, value: str, path: str):
    """Perform an action; respond with the updated buttons, or a message on the page at `path`."""
    kind, message = _perform(request, issue, name, value)
    if request.is_fragment:
        values = {
            "issue_id": issue.id,
            "owned": _first_copy(request, issue) if name == "own" else None,
            "bars": _bars(request, issue, name),
            "message": message,
            "kind": kind,
            "undo": request.messages.undo_path if kind == "success" else "",
            "next": path,
        }
        return fragment(request, "track", values)
    if message:
        request.messages.add(kind, message)
    return HTTPSeeOther(path)


def _bars(request, issue: Issue, name: str) -> dict[int, str]:
    """The buttons of the issues that an action changed, by id."""
    session, in_run, slugs = request.dbsession, "run" in request.GET, {issue.id: issue.slug}
    if name == "up_to":
        ids = runs.up_to(session, issue)[-CARDS_MAX:]
        found = dict(session.execute(select(Issue.id, Issue.slug).where(Issue.id.in_(ids))).all())
        slugs = {each: found[each] for each in ids if each in found}
    marks = marks_of(request, slugs)
    return {each: buttons(request, marks[each], slugs[each], in_run=in_run) for each in slugs}


def perform_pending(request):
    """Perform the action chosen before log-in; it needs no CSRF token, as its cookie is signed."""
    pending = request.pending_action.take()
    if not pending:
        return HTTPSeeOther(request.route_path("home"))
    slug, name, value, path = pending
    try:
        kind, message = _perform(request, _issue_now(request, slug), name, value)
    except NotFoundError:  # it was deleted meanwhile
        kind, message = "", ""
    if message:
        request.messages.add(kind, message)
    return HTTPSeeOther(path or request.route_path("issue.detail", slug=slug))


def _issue_now(request, slug: str) -> Issue:
    """The issue with a slug, or the one that it has become since the visitor chose it."""
    try:
        return request.catalog.by_slug(Issue, slug)
    except MovedError as moved:
        return moved.entity


def _perform(request, issue: Issue, name: str, value: str) -> tuple[str, str]:
    """Perform an action; returns kind and text of the message, both empty for unknown values."""
    if name not in ACTIONS or value not in (RATINGS if name == "stars" else (ON, OFF)):
        return "", ""
    try:
        message = ACTIONS[name](request, issue, value)
    except InvalidError:
        return "warning", translate(request.localizer, REFUSED)
    if not isinstance(message, Plural):
        message %= {"label": lookup.item_of(request.dbsession, issue).text}
    return "success", translate(request.localizer, message)


def _copies(request, issue):
    owned = select(CollectionItem.id).where(
        CollectionItem.user_id == request.identity.user_id, CollectionItem.issue_id == issue.id
    )
    return owned.order_by(CollectionItem.id)


def _first_copy(request, issue) -> int:
    """The id of the item that the issue's page links to, 0 if there is none."""
    return request.dbsession.scalar(_copies(request, issue).limit(1)) or 0


def _own(request, issue, value):
    session, user_id = request.dbsession, request.identity.user_id
    if value == ON:
        collection.add(session, user_id, issue.id, {})
        return ADDED
    for item_id in session.scalars(_copies(request, issue)).all():
        collection.remove(session, user_id, item_id)
    return REMOVED


def _read(request, issue, value):
    session, user_id = request.dbsession, request.identity.user_id
    if value == ON:
        reads.mark_read(session, user_id, [issue.id], clock.now())
        return READ
    noted = reads.of_issue(session, user_id, issue.id)
    if noted:
        reads.remove(session, user_id, noted[0].id)
    return UNREAD


def _read_up_to(request, issue, _value):
    issues = runs.up_to(request.dbsession, issue)
    marked = reads.mark_read(request.dbsession, request.identity.user_id, issues, clock.now())
    return ngettext("${n} issue was marked as read.", "${n} issues were marked as read.", len(marked))


def _want(request, issue, value):
    wish_list.set_wished(request.dbsession, request.identity.user_id, issue.id, value == ON)
    return wishes.ADDED if value == ON else wishes.GONE


def _rate(request, issue, value):
    ratings.rate(request.dbsession, issue, request.identity.user_id, RATINGS[value], today=request.today)
    return CLEARED if value == CLEAR else SAVED


ACTIONS = {"own": _own, "read": _read, "want": _want, "stars": _rate, "up_to": _read_up_to}


def includeme(config):
    """Add the pages; the first checks CSRF tokens itself, as visitors have none."""
    config.add_page(
        "track", "/track/{slug}/", press, methods=("POST",), decorator=private, require_csrf=False
    )
    config.add_page(
        "wish_list.toggle",
        "/wish-list/toggle/{slug}/",
        toggle_wish,
        methods=("POST",),
        permission=Permission.MEMBER,
        decorator=private,
    )
    config.add_page(
        "track.asked", "/track/", perform_pending, permission=Permission.MEMBER, decorator=private
    )
