"""Reading lists on the page of an issue: those it is in, and the way into one's own.

For members alone: what others see of an issue must not depend on lists, so that it can be kept.
"""

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import select

from comicsdb.i18n import translate
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import figures, items
from comicsdb.models import Issue, ReadingList, ReadingListItem
from comicsdb.security import Permission
from comicsdb_web.pages.library.collection import private
from comicsdb_web.rendering.locales import _

SHOWN = 12  # lists that an issue is in
OFFERED = 100  # lists that it can be added to, those changed last


def lists_of_issue(request, issue: Issue) -> dict:
    """The lists that an issue is in and those it could come into, in two statements; none for nobody."""
    identity = request.identity
    if identity is None:
        return {"in_lists": [], "own_lists": []}
    official = request.registry.settings["comicsdb.official_account"]
    seen = reading_lists.visible_to(identity, official)
    holding = select(ReadingListItem.reading_list_id).where(ReadingListItem.issue_id == issue.id)
    own = (
        select(ReadingList)
        .where(reading_lists.manageable_by(identity, official), ReadingList.id.not_in(holding))
        .order_by(ReadingList.modified.desc(), ReadingList.id)
        .limit(OFFERED)
    )
    session = request.dbsession
    return {
        "in_lists": session.scalars(figures.with_issue(issue.id, seen, SHOWN)).all(),
        "own_lists": session.scalars(own).all(),
    }


def add_to_list(request):
    """Add an issue to the end of a list that the form names."""
    issue = request.catalog.by_slug(Issue, request.matchdict["slug"])
    official = request.registry.settings["comicsdb.official_account"]
    slug = request.POST.get("list")
    slug = slug if isinstance(slug, str) else ""
    found = reading_lists.find(request.dbsession, request.identity, official, slug)
    held = reading_lists.lock_list(request.dbsession, request.identity, official, found)
    done = items.add_issues(held, [issue.id])
    text = _("It is in ${list} now.") if done.added else _("It is in ${list} already.")
    words = translate(request.localizer, text % {"list": found.name})
    request.messages.add("success" if done.added else "info", words)
    return HTTPSeeOther(request.entity_path(issue))


def includeme(config):
    """One form."""
    config.add_page(
        "issue.add_to_list",
        "/issue/{slug}/add-to-list/",
        add_to_list,
        methods=("POST",),
        permission=Permission.MEMBER,
        decorator=private,
    )
