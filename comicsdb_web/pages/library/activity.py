"""The changes that a reader made to their own library in the last day, with buttons to undo them."""

from collections.abc import Callable

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import func, select

from comicsdb.i18n import Plural, translate
from comicsdb.library import acts, undo
from comicsdb.models import LibraryAct
from comicsdb.models.base import BIG_MAX
from comicsdb.values import whole_number
from comicsdb_web.http.routing import safe_path
from comicsdb_web.lists.paging import paginate
from comicsdb_web.rendering.locales import _, ngettext

PER_PAGE = 50

UNDONE = _("It was undone.")
UNDO_SCHEDULED = _("It is being undone, which can take a minute. You can leave this page.")
NOT_UNDONE = _("It was not undone: all of it has been changed or deleted since.")


def listing(request):
    """The acts of the last day, newest first."""
    ids = acts.of_account(request.identity.user_id).with_only_columns(LibraryAct.id)
    rows = select(LibraryAct).order_by(LibraryAct.id.desc())
    count = select(func.count()).select_from(ids.order_by(None).subquery())
    page = paginate(request, rows, ids, count, PER_PAGE)
    found = [row.LibraryAct for row in page.rows]
    return {
        "page": page,
        "acts": found,
        "about": acts.subjects(request.dbsession, [each.id for each in found]),
        "phrases": {
            each.id: [translate(request.localizer, one) for one in phrases(each.counts)] for each in found
        },
    }


# Texts for the keys of `LibraryAct.counts`, in the order of the page.
PHRASES: dict[str, Callable[[int], Plural]] = {
    "reading_list.insert": lambda n: ngettext("${n} reading list created", "${n} reading lists created", n),
    "reading_list.update": lambda n: ngettext("${n} reading list changed", "${n} reading lists changed", n),
    "reading_list.delete": lambda n: ngettext("${n} reading list deleted", "${n} reading lists deleted", n),
    "collection_item.insert": lambda n: ngettext(
        "${n} issue added to the collection", "${n} issues added to the collection", n
    ),
    "collection_item.update": lambda n: ngettext(
        "${n} collection item changed", "${n} collection items changed", n
    ),
    "collection_item.delete": lambda n: ngettext(
        "${n} item removed from the collection", "${n} items removed from the collection", n
    ),
    "read_date.insert": lambda n: ngettext("${n} issue marked as read", "${n} issues marked as read", n),
    "read_date.update": lambda n: ngettext("${n} reading date changed", "${n} reading dates changed", n),
    "read_date.delete": lambda n: ngettext("${n} reading date removed", "${n} reading dates removed", n),
    "issue_rating.insert": lambda n: ngettext("${n} issue rated", "${n} issues rated", n),
    "issue_rating.update": lambda n: ngettext("${n} rating changed", "${n} ratings changed", n),
    "issue_rating.delete": lambda n: ngettext("${n} rating removed", "${n} ratings removed", n),
    "wish_list_item.insert": lambda n: ngettext(
        "${n} issue added to the wish list", "${n} issues added to the wish list", n
    ),
    "wish_list_item.update": lambda n: ngettext("${n} wish changed", "${n} wishes changed", n),
    "wish_list_item.delete": lambda n: ngettext(
        "${n} issue removed from the wish list", "${n} issues removed from the wish list", n
    ),
    "pull_list_series.insert": lambda n: ngettext(
        "${n} series added to the pull list", "${n} series added to the pull list", n
    ),
    "pull_list_series.update": lambda n: ngettext(
        "${n} pull list entry changed", "${n} pull list entries changed", n
    ),
    "pull_list_series.delete": lambda n: ngettext(
        "${n} series removed from the pull list", "${n} series removed from the pull list", n
    ),
    "reading_list_item.insert": lambda n: ngettext(
        "${n} issue added to a reading list", "${n} issues added to reading lists", n
    ),
    "reading_list_item.update": lambda n: ngettext(
        "${n} reading list item moved or changed", "${n} reading list items moved or changed", n
    ),
    "reading_list_item.delete": lambda n: ngettext(
        "${n} issue removed from a reading list", "${n} issues removed from reading lists", n
    ),
    "reading_list_pending.insert": lambda n: ngettext(
        "${n} entry without an issue added to a reading list",
        "${n} entries without an issue added to reading lists",
        n,
    ),
    "reading_list_pending.delete": lambda n: ngettext(
        "${n} entry without an issue removed from a reading list",
        "${n} entries without an issue removed from reading lists",
        n,
    ),
    "reading_list_rating.insert": lambda n: ngettext(
        "${n} reading list rated", "${n} reading lists rated", n
    ),
    "reading_list_rating.update": lambda n: ngettext(
        "${n} list rating changed", "${n} list ratings changed", n
    ),
    "reading_list_rating.delete": lambda n: ngettext(
        "${n} list rating removed", "${n} list ratings removed", n
    ),
    "reading_list_like.insert": lambda n: ngettext("${n} reading list liked", "${n} reading lists liked", n),
    "reading_list_like.delete": lambda n: ngettext(
        "${n} reading list unliked", "${n} reading lists unliked", n
    ),
}


def phrases(counts: dict[str, int]) -> list[Plural]:
    """The texts about an act, from `LibraryAct.counts`."""
    shown = dict(counts)
    if "reading_list.delete" in shown or "reading_list.insert" in shown:  # this also updates other lists
        shown.pop("reading_list.update", None)
    return [phrase(shown[name]) for name, phrase in PHRASES.items() if shown.get(name)]


def undo_act(request):
    """Undo an act; a large one is undone soon after, in the background."""
    act_id = whole_number(request.matchdict["id"], high=BIG_MAX) or 0
    if undo.queue_if_large(request.dbsession, request.identity.user_id, act_id):
        messages = [("info", UNDO_SCHEDULED)]
    else:
        official = request.registry.settings["comicsdb.official_account"]
        messages = _result_messages(
            undo.undo(request.dbsession, request.identity, official, act_id, today=request.today)
        )
    for kind, text in messages:
        request.messages.add(kind, text, undo=False)
    return HTTPSeeOther(safe_path(request.POST.get("next")) or request.route_path("collection.activity"))


def _result_messages(undone: undo.UndoResult):
    """The messages after an undo: pairs of kind and text."""
    if not undone.restored:
        yield "warning", NOT_UNDONE
        return
    yield "success", UNDONE
    if undone.changed:
        yield (
            "warning",
            ngettext(
                "${n} entry stays as it is: it has been changed since.",
                "${n} entries stay as they are: they have been changed since.",
                undone.changed,
            ),
        )
    if undone.gone:
        yield (
            "warning",
            ngettext(
                "${n} entry was not restored: what it refers to has been deleted.",
                "${n} entries were not restored: what they refer to has been deleted.",
                undone.gone,
            ),
        )


def includeme(config):
    """Add the pages, for members."""
    config.add_collection_page("activity", "activity/", listing, renderer="collection/activity.jinja2")
    config.add_collection_page("undo", "activity/{id:[0-9]+}/undo/", undo_act, methods=("POST",))
