"""A reader's collection: what its pages share, the list, and what is done to many items."""

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import func, select

from comicsdb.i18n import translate
from comicsdb.library import collection
from comicsdb.library.collection import figures
from comicsdb.library.collection.filters import ORDER, item_ids, items
from comicsdb.models import CollectionItem, Issue
from comicsdb.models.base import BIG_MAX
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.http.routing import safe_path
from comicsdb_web.lists.paging import paginate
from comicsdb_web.pages.library.collection_filters import LABELS, narrowing
from comicsdb_web.rendering.locales import _, ngettext

PER_PAGE = 50
VIEWS = ("table", "grid")  # how the list is shown; the first unless the address says the other
ALL = "page"  # ?select=page ticks all items of the page, for those without the script


def private(view):
    """View decorator: the answer belongs to one reader and is kept nowhere."""

    def answer(context, request):
        response = view(context, request)
        response.headers["Cache-Control"] = "private, no-store"
        return response

    return answer


def add_collection_page(config, name, pattern, view, **options):
    """Directive: a page of the collection, `collection.NAME` below /collection/; for members."""
    config.add_page(
        f"collection.{name}",
        f"/collection/{pattern}",
        view,
        permission=Permission.MEMBER,
        decorator=private,
        **options,
    )


def done(request, kind: str, text, route: str = "collection.list", **words) -> HTTPSeeOther:
    """Say what was done on the page that the form names as `next`, or else on that of a route."""
    request.messages.add(kind, translate(request.localizer, text))
    return HTTPSeeOther(safe_path(request.POST.get("next")) or request.route_path(route, **words))


def listing(request):
    """The items that the address asks for, as a table or as covers."""
    narrowed = narrowing(request)
    ids = item_ids(request.identity.user_id, narrowed.wanted)
    count = select(func.count()).select_from(ids.subquery())
    page = paginate(request, items().order_by(*ORDER), ids.order_by(*ORDER), count, PER_PAGE)
    view = request.GET.get("view")
    return {
        "page": page,
        "items": [row.CollectionItem for row in page.rows],
        "narrowed": narrowed,
        "labels": LABELS,
        "used": figures.words_used(request.dbsession, request.identity.user_id),
        "view": view if view in VIEWS else VIEWS[0],
        "all_chosen": request.GET.get("select") == ALL,
    }


def mark_read(request):
    """Note for each chosen item that it was read now; those that were read already stay as they are."""
    sent = (whole_number(each, 0, BIG_MAX) for each in request.POST.getall("item"))
    chosen = [each for each in sent if each is not None]
    if not chosen:
        return done(request, "info", _("Choose some items first."))
    marked = collection.mark_read(request.dbsession, request.identity.user_id, chosen)
    if not marked:
        text = ngettext("It was read already.", "They were all read already.", len(chosen))
        return done(request, "info", text)
    text = ngettext("${n} item is marked as read now.", "${n} items are marked as read now.", marked)
    return done(request, "success", text)


def own_item(request, issue: Issue) -> CollectionItem | None:
    """The reader's item of an issue, for the pages of the catalogue: one statement, for members only."""
    if request.identity is None:
        return None
    mine = select(CollectionItem).where(
        CollectionItem.user_id == request.identity.user_id, CollectionItem.issue_id == issue.id
    )
    return request.dbsession.scalar(mine)


def includeme(config):
    """The pages by words before those of items, whose addresses are numbers."""
    config.add_directive("add_collection_page", add_collection_page)
    config.add_request_method(own_item)
    config.add_collection_page("list", "", listing, renderer="collection/list.jinja2")
    config.add_collection_page("mark_read", "mark-read/", mark_read, methods=("POST",))
    config.include(".collection_stats")  # figures and the reading history
    config.include(".collection_series")  # whole series: to add, and what is missing
    config.include(".collection_item")  # one item
