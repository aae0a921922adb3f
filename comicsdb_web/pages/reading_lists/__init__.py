"""Reading lists: the index with its filters, and each list's page with its issues, figures and stars."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar

from pyramid.httpexceptions import HTTPForbidden, HTTPFound
from sqlalchemy import ColumnElement, Text, and_, func, not_, or_, select, true

from comicsdb.catalog import search
from comicsdb.i18n import translate
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import figures, forks, likes, ratings, reading
from comicsdb.library.reading_lists.figures import has_publisher
from comicsdb.models import ReadingList, ReadingListItem, ReadingListRating, User
from comicsdb.models.choices import STARS, ItemType, ListSource, ListType
from comicsdb.security import Permission
from comicsdb_web.forms.options import labelled
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import with_query
from comicsdb_web.lists.filters import Choice, Filter, parse_filters, url_without
from comicsdb_web.lists.paging import RowsFrom, offset_of, paginate
from comicsdb_web.pages.library.collection import private
from comicsdb_web.pages.library.rating import RatingWidget, rate_and_respond
from comicsdb_web.rendering.locales import _, ngettext

TYPES = {
    ListType.CREATOR: _("Creator"),
    ListType.EVENT: _("Event"),
    ListType.STORY: _("Story"),
    ListType.CHARACTERS: _("Characters"),
    ListType.TEAMS: _("Teams"),
    ListType.MASTER: _("Master"),
}
ITEM_TYPES = {
    ItemType.PROLOGUE: _("Prologue"),
    ItemType.CORE: _("Core Issue"),
    ItemType.TIE_IN: _("Tie-In"),
    ItemType.EPILOGUE: _("Epilogue"),
}
SOURCES = {each: each.label for each in ListSource}  # names, which are not translated

PRIVATE = {"false": _("Public lists"), "true": _("Private lists")}
LIKES = "likes"  # ?sort=likes
PER_PAGE = 30
NO_TYPE = "none"  # ?issue_type=none: items without a type


def _words(text: str) -> ColumnElement[bool]:
    """Words in the name of the list, its owner or its source."""
    conditions = []
    for word in search.words(text):
        sources = [code.value for code, name in SOURCES.items() if word.casefold() in name.casefold()]
        by_source = ReadingList.attribution_source.in_(sources)
        conditions.append(or_(search.contains(ReadingList.folded, word), _owners(word), by_source))
    return and_(true(), *conditions)


def _owners(part: str) -> ColumnElement[bool]:
    folded = func.fold(User.username, type_=Text)
    return ReadingList.user_id.in_(select(User.id).where(search.contains(folded, part)))


def _stars(request) -> list[tuple[str, str]]:
    texts = {n: ngettext("${n} star or more", "${n} stars or more", n) for n in range(STARS[0], STARS[1] + 1)}
    return [(str(n), translate(request.localizer, text)) for n, text in texts.items()]


def _has_stars(least: int) -> ColumnElement[bool]:
    """A minimum average; private lists show no ratings, so they are excluded."""
    enough = ReadingList.rating_sum >= least * ReadingList.rating_count
    return (ReadingList.rating_count > 0) & enough & not_(ReadingList.is_private)


FILTERS = (
    Filter("q", _("Search"), _words),
    Filter("name", _("Name"), lambda part: search.contains(ReadingList.folded, part)),
    Filter("username", _("Owner"), _owners),
    Filter("publisher", _("Has issues of"), has_publisher),
    Choice("list_type", _("Type"), lambda code: ReadingList.list_type == code, labelled(TYPES)),
    Choice(
        "attribution_source",
        _("Source"),
        lambda code: ReadingList.attribution_source == code,
        labelled(SOURCES),
    ),
    Choice("average_rating__gte", _("Stars"), _has_stars, _stars, int),
    Choice("is_private", _("Visible to"), ReadingList.is_private.is_, labelled(PRIVATE), "true".__eq__),
)


@dataclass(frozen=True)
class ItemsPage(RowsFrom):
    """Items of a list, only those of the type `chosen` if it is not empty."""

    step: ClassVar = figures.PAGE_SIZE

    chosen: str = ""


class ListViewsBase:
    """Base of the views of reading lists: loads the list of the URL and checks the reader's rights."""

    def __init__(self, request):
        self.request = request
        self.session = request.dbsession
        self.identity = request.identity
        self.official = request.registry.settings["comicsdb.official_account"]

    def visible_list(self) -> ReadingList:
        """The list of the URL; raises NotFoundError if it does not exist or is not visible."""
        return reading_lists.find(self.session, self.identity, self.official, self.request.matchdict["slug"])

    def managed_list(self) -> ReadingList:
        """The list of the URL; raises HTTPForbidden if the reader may not change it."""
        found = self.visible_list()
        if not self.may_manage(found):
            raise HTTPForbidden
        return found

    def may_manage(self, found: ReadingList) -> bool:
        """Whether the reader may change a list."""
        return reading_lists.manages(self.identity, self.official, found)

    @property
    def visible(self):
        """The condition of visible lists."""
        return reading_lists.visible_to(self.identity, self.official)

    def share_version(self, found: ReadingList) -> str:
        """The part of the URL of a list's picture that differs after each change of the list."""
        shown = repr((found.modified.isoformat(), self.request.locale_name))
        return blake2b(shown.encode(), digest_size=8).hexdigest()

    def share_path(self, found: ReadingList) -> str:
        """The path of the picture of a public list."""
        return self.request.entity_path(found, "share", version=self.share_version(found))

    def item_path(self, found: ReadingList, item: ReadingListItem) -> str:
        """The path of an item's row on its page."""
        before = (item.order - 1) // figures.PAGE_SIZE * figures.PAGE_SIZE
        path = self.request.entity_path(found)
        if before:
            path = self.request.entity_path(found, "items", _query={"offset": before})
        return f"{path}#item-{item.id}"


class ReadingListViews(ListViewsBase):
    """The read-only pages, and ratings."""

    def list(self):
        """The visible lists that match the filters."""
        return self._listing(self.visible)

    def mine(self):
        """The lists of the reader."""
        return self._listing(ReadingList.user_id == self.identity.user_id) | {"mine": True}

    def search(self):
        """Redirect to the list, which has a search."""
        return HTTPFound(with_query(self.request, self.request.route_path("reading_list.list")))

    def _listing(self, condition) -> dict:
        # Visitors see only public lists.
        offered = [each for each in FILTERS if self.identity or each.name != "is_private"]
        active_filters = parse_filters(self.request, offered)
        conditions = (condition, *active_filters.conditions())
        by_likes = self.request.GET.get("sort") == LIKES
        order = figures.MOST_LIKED if by_likes else figures.ORDER
        ids = select(ReadingList.id).where(*conditions).order_by(*order)
        count = select(func.count()).select_from(ReadingList).where(*conditions)
        page = paginate(self.request, figures.cards().order_by(*order), ids, count, PER_PAGE)
        return {
            "page": page,
            "progress": self._progress([row.ReadingList.id for row in page.rows]),
            "by_likes": by_likes,
            "orders": {
                "name": url_without(self.request, "sort"),
                LIKES: url_without(self.request, "sort", replacement=LIKES),
            },
            "active_filters": active_filters,
            "filters_of_form": offered[1:],
            "types": TYPES,
            "sources": SOURCES,
            "mine": False,
        }

    def _progress(self, list_ids: Iterable[int]) -> dict[int, reading.Progress]:
        """How far the reader is in lists; empty for visitors."""
        return reading.progress(self.session, self.identity.user_id, list_ids) if self.identity else {}

    def detail(self):
        """The page of a list with its issues and figures."""
        found = self.visible_list()
        identity = self.identity
        composition = figures.composition(self.session, found.id)
        previous, following = reading_lists.neighbours(self.session, self.identity, self.official, found)
        return self._list_values(found) | {
            "part": self._items_page(found, 0, composition),
            "composition": composition,
            "previous": previous,
            "following": following,
            "publishers": figures.publishers(self.session, found.id),
            "series": figures.series(self.session, found.id),
            "characters": figures.characters(self.session, found.id),
            "creators": figures.featured(self.session, found.id),
            "stars": self._stars(found),
            "counts": self._progress([found.id]).get(found.id),
            "next_item": identity and reading.next_to_read(self.session, identity.user_id, found.id),
            "reception": likes.reception(self.session, identity, self.official, found.id),
            "original": forks.original(self.session, identity, self.official, found),
            "picture": None if found.is_private else self.share_path(found),
            "may_assign": self.request.has_permission(Permission.OFFICIAL_LISTS)
            and not reading_lists.is_official(self.official, found),
        }

    def more(self):
        """The next issues: a fragment for our script, otherwise a page."""
        offset = offset_of(self.request)
        found = self.visible_list()
        composition = figures.composition(self.session, found.id)
        values = self._list_values(found) | {
            "part": self._items_page(found, offset, composition),
        }
        if self.request.is_fragment:
            return fragment(self.request, "reading_list_items", values)
        return values

    def _list_values(self, found: ReadingList) -> dict:
        return {
            "entity": found,
            "may_manage": self.may_manage(found),
            "types": TYPES,
            "sources": SOURCES,
            "item_types": ITEM_TYPES,
        }

    def _items_page(self, found: ReadingList, offset: int, composition: figures.Composition) -> ItemsPage:
        """The items from an offset on; unknown types are ignored."""
        chosen = self.request.GET.get("issue_type", "")
        if chosen not in {NO_TYPE, *ItemType}:
            chosen = ""
        code = None if not chosen else "" if chosen == NO_TYPE else chosen
        total = composition.total if code is None else composition.by_type.get(code, 0)
        rows = []
        if offset < total:
            wanted = figures.items_page(found.id, offset, code)
            rows = self.session.scalars(wanted).all()
        return ItemsPage(rows, offset, total, chosen)

    # Ratings.

    def rate(self):
        """Rate a public list of another reader."""
        found = self.visible_list()
        if found.is_private or found.user_id == self.identity.user_id:
            raise HTTPForbidden

        def rate(stars):
            ratings.rate(self.session, self.identity, self.official, found, stars)

        return rate_and_respond(self.request, found, rate, lambda _request, entity: self._stars(entity))

    def _stars(self, found: ReadingList) -> RatingWidget | None:
        """The values of the widget; None for private lists, which have none."""
        if found.is_private:
            return None
        address = self.request.entity_path(found, "rate")
        if self.identity is None:
            return RatingWidget(address, asks_login=True)
        if found.user_id == self.identity.user_id:
            return RatingWidget(address)
        mine = select(ReadingListRating.rating).where(
            ReadingListRating.reading_list_id == found.id,
            ReadingListRating.user_id == self.identity.user_id,
        )
        return RatingWidget(address, self.session.scalar(mine), is_allowed=True)


def add_list_page(config, name, pattern, view, *, member=True, template=None, **options):
    """Directive: add the route `reading_list.NAME` below /reading-lists/, which is never cached."""
    if member:
        options.setdefault("permission", Permission.MEMBER)
    renderer = f"reading_list/{template}.jinja2" if template else None
    config.add_page(
        f"reading_list.{name}",
        f"/reading-lists/{pattern}",
        view,
        renderer=renderer,
        decorator=private,
        **options,
    )


def includeme(config):
    """Add the pages; fixed paths, which no list can have as slugs, come before those of lists."""
    config.add_directive("add_list_page", add_list_page)
    views = ReadingListViews
    listed = {"template": "list", "parameters": (*(each.name for each in FILTERS), "sort", "page")}
    config.add_list_page("list", "", views, attr="list", member=False, **listed)
    config.add_list_page("search", "search", views, attr="search", member=False)
    config.add_list_page("mine", "my-lists/", views, attr="mine", **listed)
    config.include(".forms")
    config.add_list_page("detail", "{slug}/", views, attr="detail", template="detail", member=False)
    config.add_list_page(
        "items", "{slug}/items-load-more/", views, attr="more", template="items", member=False
    )
    config.add_list_page("rate", "{slug}/rate/", views, attr="rate", methods=("POST",))
    for part in (".items", ".pending", ".progress", ".sharing"):
        config.include(part)
