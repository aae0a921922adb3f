"""The pages of one kind: a base class with a method for each page, and the directive that serves them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import ClassVar

from pyramid.httpexceptions import HTTPFound, HTTPMovedPermanently, HTTPNotFound
from pyramid.interfaces import IRoutesMapper
from pyramid.traversal import quote_path_segment
from sqlalchemy import ColumnElement, Select, func, inspect, select
from sqlalchemy.orm import joinedload

from comicsdb.catalog import MovedError, search
from comicsdb.catalog.filters import Clause, search_condition
from comicsdb.catalog.kinds import KINDS
from comicsdb.models import Issue, Series
from comicsdb.models.choices import EXTERNAL_SOURCES
from comicsdb.values import whole_number
from comicsdb_web.forms.editing import EditingViews, add_editing_pages
from comicsdb_web.forms.fields import EntityForm
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import with_query
from comicsdb_web.lists import cards
from comicsdb_web.lists.filters import Filter, Group, parse_filters
from comicsdb_web.lists.paging import BLOCK_STEP, CardList, RowsFrom, offset_of
from comicsdb_web.pages.catalog.detail_query import detail_query
from comicsdb_web.pages.site.embedding import frame_for
from comicsdb_web.rendering.icons import Icons
from comicsdb_web.rendering.json_columns import PageColumn, constant, object_list, object_or_null
from comicsdb_web.rendering.linked_data import LINKED_DATA, cors_response, link_header
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy

DETAIL = "detail"
RECENT_ISSUES, LATEST_SERIES = 5, 6  # on the pages of objects they belong to
SORT_TITLES = {
    Issue: (
        ("", _("Series A–Z")),
        ("cover_new", _("Cover date, newest first")),
        ("cover_old", _("Cover date, oldest first")),
        ("added", _("Recently added")),
    ),
    Series: (
        ("", _("Name A–Z")),
        ("rating", _("Rating, highest first")),
        ("size", _("Most issues")),
        ("last", _("Latest issue")),
    ),
}


@dataclass(frozen=True)
class Block:
    """A part of a detail page that shows 30 rows and then more.

    `rows` and `count` are functions of the entity that give statements, `rows` in a total order; `item`
    is the macro of `macros/blocks.jinja2` that shows a row.
    """

    name: str  # the word in its address, and the id of its element
    title: str
    rows: Callable[[object], Select]
    count: Callable[[object], Select]
    model: type  # of the rows
    item: str = "card"


def card_block(
    name: str,
    title: str,
    model,
    where: Callable[[object], ColumnElement],
    order=None,
    *,
    with_count: bool = True,
) -> Block:
    """A block of cards: the objects of a kind that meet the condition `where(entity)`.

    Without `with_count` the cards do not show their numbers of issues.
    """

    def rows(entity):
        statement = cards.statement(model, with_count=with_count).where(where(entity))
        return statement.order_by(*(order or search.order_columns(model)))

    return Block(name, title, rows, lambda entity: cards.count_statement(model, where(entity)), model)


@dataclass(frozen=True)
class BlockPage(RowsFrom):
    """Rows of a block."""

    step: ClassVar = BLOCK_STEP

    block: Block


class EntityViews(EditingViews):
    """The pages of one kind; a kind that differs overrides the method."""

    model: type
    admin_form: EntityForm | None = None  # the form of the administration, if it has other fields
    icon = ""  # the contents of an SVG of 24 by 24
    menu = "stories"  # the group of the menu: "comics", "people" or "stories"
    card_size, portrait_size = "card", "portrait"  # of pictures, see `comicsdb.imaging.picture`
    comic_vine_prefix: int | None = None  # of numbers in addresses at Comic Vine
    conflict_messages: ClassVar[dict] = {}  # of unique fields, as in `forms.duplicate_detection`
    gcd_path = ""  # the first word of addresses at comics.org
    blocks: tuple[Block, ...] = ()
    filters: tuple[Group, ...] = ()  # of its list, besides the search
    filter_kinds: tuple[str, ...] = ()  # the kinds that the filters refer to, besides those on cards
    shows: CachePolicy | None = None  # what the detail page shows; without it, no page of the kind is cached

    def __init__(self, request):
        self.request = request
        self.kind = self.model.__tablename__

    @property
    def session(self):
        """The request's session, opened only by pages that need it."""
        return self.request.dbsession

    # Lists.

    def list(self):
        """All objects of the kind, or those that match the filters of the URL."""
        return self._filtered() if self.filters else self._listing({"query": ""})

    def search(self):
        """The objects that match the words of `q`."""
        return self._filtered()

    @cached_property
    def card_list(self) -> CardList:
        """The list of the kind."""
        return CardList(self.request, list_policy(type(self)))

    def _filtered(self, *clauses: Clause, **values):
        """The values of a list page with the filters of the URL."""
        words = Filter("q", _("Search"), search_condition(self.model))
        found = parse_filters(self.request, chain((words,), *(group.filters for group in self.filters)))
        shown = {"query": found.typed["q"], "active_filters": found} | self.extra_values(found)
        return self._listing(shown | values, *found.clauses(), *clauses)

    def extra_values(self, found) -> dict:  # noqa: ARG002
        """Further values of the list page of this kind, given the active filters."""
        return {}

    def _listing(self, values: dict, *clauses: Clause, model=None):
        """The values of a list page; every list of the kind uses this method."""
        listed = self.card_list if model is None else CardList(self.request, list_policy(type(self), model))
        model = model or self.model
        sort = self.request.GET.get("sort", "")
        sort = sort if sort in cards.SORTS.get(model, ()) else ""
        shared = {"kind": model.__tablename__, "page": listed.page(model, clauses, sort), "sort": sort}
        shared["sorts"] = SORT_TITLES.get(model, ())
        shared |= {"owner": None, "within": None, "active_filters": None, "groups": self.filters}
        return shared | values

    # One object.

    def read(self):
        """The object in the path, and the parts of its page."""
        page = detail_query(type(self)).read(self.request.read_pool, self.request.matchdict["slug"])
        if page is None:
            self._entity()  # raises the error of a moved or deleted object
            raise HTTPNotFound
        return page

    def object_with_picture(self) -> tuple:
        """The object, and the storage key, width and height of its picture, or None."""
        entity, _parts = self.read()
        return entity, picture_of(entity)

    def linked_data(self):
        """The structured data of the page as a separate document."""
        entity, cover = self.object_with_picture()
        body = self.request.linked_data(entity, cover[0] if cover else "")
        return cors_response(body.encode(), LINKED_DATA)

    def embed(self):
        """The card for frames of other sites."""
        return frame_for(self.request, *self.object_with_picture())

    def detail(self):
        """The page of one object."""
        entity, parts = self.read()
        self.request.response.headers["Link"] = link_header(self.request, entity)
        blocks = {
            block.name: BlockPage(parts[block.name], 0, parts[f"{block.name}_total"], block)
            for block in self.blocks
        }
        return {"entity": entity, "kind": self.kind, **parts, "shown": blocks}

    @classmethod
    def page_columns(cls, own) -> dict[str, PageColumn]:  # noqa: ARG003
        """Further columns of the detail page's statement; `own` is the alias of the object's row."""
        return {}

    def by_id(self):
        """Redirect from the path by id to the one by slug; permanently for a merged object."""
        number = whole_number(self.request.matchdict["id"]) or 0
        try:
            entity = self.request.catalog.get(self.model, number)
        except MovedError as moved:
            return HTTPMovedPermanently(self._path(moved.entity))
        return HTTPFound(self._path(entity))

    def more(self):
        """The next rows of a block: a fragment for our module, otherwise a page."""
        offset = offset_of(self.request)
        entity = self._entity()
        name = self.request.matchdict["block"]
        block = next(each for each in self.blocks if each.name == name)
        values = {"entity": entity, "kind": self.kind, "part": self._block_page(block, entity, offset)}
        return fragment(self.request, "block", values) if self.request.is_fragment else values

    def _entity(self, *options):
        """The object in the path; see `entity_in_path`."""
        statement = select(self.model).options(*KINDS[self.kind].label_options, *options)
        return entity_in_path(self.request, self.model, statement)

    def _block_page(self, block: Block, entity, offset: int) -> BlockPage:
        total = self.session.scalar(block.count(entity))
        rows = []
        if offset < total:
            found = block.rows(entity).limit(BLOCK_STEP).offset(offset)
            rows = cards.load(self.session, block.model, found)
        return BlockPage(rows, offset, total, block)

    def _path(self, entity) -> str:
        return with_query(self.request, self.request.entity_path(entity))


def entity_in_path(request, model, statement: Select):
    """The object in the path; the catalog raises the error of a moved, deleted or unknown one.

    `statement` selects the model, with what the page needs.
    """
    slug = request.matchdict["slug"]
    found = request.dbsession.scalar(statement.where(model.slug == slug)) if "\0" not in slug else None
    return found or request.catalog.by_slug(model, slug)


class IssueListMixin:
    """The list of an object's issues, for the kinds that have this page."""

    def issue_list(self):
        """The issues of the object, in the layout of the issue list."""
        entity = self._entity()
        mine = cards.issues_condition(self.model).clause("owner", entity.id)
        return self._listing({"owner": entity, "query": ""}, mine, model=Issue)


class SeriesIssuesMixin:
    """The list of an object's issues within one series."""

    def in_series(self):
        """The issues of the object within a series."""
        entity = self._entity()
        wanted = select(Series).where(Series.slug == self.request.matchdict["series"])
        series = self.session.scalar(wanted.options(joinedload(Series.series_type)))
        if series is None:
            series = self.request.catalog.by_slug(Series, self.request.matchdict["series"])
        values = {"owner": entity, "within": series, "query": ""}
        mine = cards.issues_condition(self.model).clause("owner", entity.id)
        within = cards.issues_condition(Series).clause("within", series.id)
        return self._listing(values, mine, within, model=Issue)


def picture_of(entity) -> tuple | None:
    """The storage key, width and height of an object's own picture, None without one."""
    key = getattr(entity, "image", "")
    return (key, entity.image_width, entity.image_height) if key else None


def series_block(title: str) -> Block:
    """The series an object appears in, each with the number of its issues there."""

    def numbers(entity):
        if inspect(entity).is_aliased_class:
            issues = cards.own_issues(entity)
        else:
            issues = select(Issue.series_id).where(cards.issues_of(entity)).subquery()
        series = issues.c.series_id
        return select(series, func.count().label("number")).group_by(series).subquery()

    def rows(entity):
        found = numbers(entity)
        statement = select(*cards.link_columns(Series), found.c.number).join(
            found, found.c.series_id == Series.id
        )
        return statement.order_by(*search.order_columns(Series))

    def count(entity):
        return select(func.count()).select_from(numbers(entity))

    return Block("series", title, rows, count, Series, "appearance")


def first_appearance(own) -> PageColumn:
    """The issue of an object with the earliest cover date, if there is one."""
    mine = cards.own_issues(own)
    first = (
        select(mine.c.id)
        .order_by(*cards.ISSUE_SORTS["cover_old"](mine.c))
        .limit(constant(1))
        .scalar_subquery()
    )
    return object_or_null("issue", cards.statement(Issue).where(Issue.id == first))


def recent_appearances(own) -> PageColumn:
    """The latest issues of an object, by cover date."""
    mine = cards.own_issues(own)
    latest = (
        select(mine.c.id).order_by(*cards.ISSUE_SORTS["cover_new"](mine.c)).limit(constant(RECENT_ISSUES))
    )
    statement = cards.statement(Issue).where(Issue.id.in_(latest))
    return object_list("issue", statement.order_by(*cards.order(Issue, "cover_new")))


def issue_count(own) -> PageColumn:
    """How many issues an object has."""
    return PageColumn(cards.number_of_issues(own))


def series_of(own, column) -> dict[str, PageColumn]:
    """The number of series whose `column` refers to the object, and those of them that began last."""
    statement = cards.statement(Series).where(column == own.id)
    order = (Series.year_began.desc(), *search.order_columns(Series))
    return {
        "series_count": PageColumn(cards.count_statement(Series, column == own.id).scalar_subquery()),
        "latest": object_list("series", statement.order_by(*order).limit(constant(LATEST_SERIES)), own),
    }


def linked_objects(own, model, table) -> PageColumn:
    """The objects of a kind that a table links to the object."""
    link = getattr(table.c, f"{inspect(own).mapper.class_.__tablename__}_id")
    query = select(*cards.link_columns(model)).join(table).where(link == own.id)
    return object_list(model.__tablename__, query.order_by(*search.order_columns(model)), own)


def entity_path(request, entity, action: str = DETAIL, **words) -> str:
    """The path of one of an object's pages."""
    route = f"{entity.__tablename__}.{action}"
    if words:
        return request.route_path(route, slug=entity.slug, **words)
    # Most links of a page are built here: building each with Pyramid would take a tenth of the page's time.
    known = request.registry["comicsdb_web.around_slugs"]
    if route not in known:
        known[route] = request.registry.getUtility(IRoutesMapper).get_route(route).pattern.split("{slug}")
    before, after = known[route]
    return f"{request.script_name}{before}{quote_path_segment(entity.slug)}{after}"


def list_policy(views, model=None) -> CachePolicy | None:
    """The cache policy of a list: of the kind itself, or of `model` within an object of the kind."""
    if views.shows is None:
        return None
    own = (views.model.__tablename__,) if model else views.filter_kinds
    shown = model or views.model
    return CachePolicy(
        tuple(dict.fromkeys((*cards.card_kinds(shown), *own))),
        uncached=cards.UNCACHED_PARAMETERS.get(shown, ()),
    )


def list_parameters(model, groups: tuple[Group, ...] = (), *, searched: bool = False) -> tuple[str, ...]:
    """The parameters of the query that a list of a kind reads: its filters', and `q` if it is `searched`."""
    names = ["page", *(["sort"] if model in cards.SORTS else []), *(["q"] if searched or groups else [])]
    return (*names, *(each.name for group in groups for each in group.filters))


def add_entity_views(config, views):
    """Directive: add the pages of one kind; general patterns come after more specific ones."""
    kind = views.model.__tablename__
    config.registry["comicsdb_web.kind_views"][kind] = views
    listed = {"renderer": "entity/list.jinja2"}
    whole = listed | {"shows": list_policy(views)}
    own, found = (list_parameters(views.model, views.filters, searched=each) for each in (False, True))
    config.add_page(f"{kind}.list", f"/{kind}/", views, attr="list", parameters=own, **whole)
    config.add_page(f"{kind}.search", f"/{kind}/search", views, attr="search", parameters=found, **whole)
    if views.form is not None:
        add_editing_pages(config, views)
    config.add_page(f"{kind}.by_id", f"/{kind}/{{id:[0-9]+}}/", views, attr="by_id")
    config.add_page(
        f"{kind}.detail",
        f"/{kind}/{{slug}}/",
        views,
        attr=DETAIL,
        renderer=f"{kind}/detail.jinja2",
        shows=views.shows,
    )
    config.add_page(f"{kind}.linked_data", f"/{kind}/{{slug}}/linked-data.jsonld", views, attr="linked_data")
    config.add_page(f"{kind}.embed", f"/embed/{kind}/{{slug}}/", views, attr="embed", renderer="embed.jinja2")
    if views.blocks:
        names = "|".join(block.name for block in views.blocks)
        address = f"/{kind}/{{slug}}/{{block:{names}}}/load-more/"
        config.add_page(f"{kind}.more", address, views, attr="more", renderer="entity/block.jinja2")
    for sublist, model in (("issue_list", Issue), ("series_list", Series)):
        if hasattr(views, sublist):
            address = f"/{kind}/{{slug}}/{sublist}/"
            of_object = listed | {"shows": list_policy(views, model), "parameters": list_parameters(model)}
            config.add_page(f"{kind}.{sublist}", address, views, attr=sublist, **of_object)
    config.add_history_views(views)
    if hasattr(views, "in_series"):  # the last route of the kind, as any word may be the slug of a series
        address = f"/{kind}/{{slug}}/{{series}}/"
        of_object = listed | {"shows": list_policy(views, Issue), "parameters": list_parameters(Issue)}
        config.add_page(f"{kind}.in_series", address, views, attr="in_series", **of_object)


def includeme(config):
    """Install the directive and `request.entity_path`; templates get the views of each kind by its name."""
    views = config.registry["comicsdb_web.kind_views"] = {}
    icons = Icons(views)
    known = {
        "KINDS": KINDS,
        "KIND_VIEWS": views,
        "EXTERNAL_SOURCES": EXTERNAL_SOURCES,
        "icon": icons.icon,
        "drawing": icons.drawing,
    }
    config.get_settings()["jinja2.globals"] |= known
    config.registry["comicsdb_web.around_slugs"] = {}  # by route: its pattern before and after the slug
    config.add_directive("add_entity_views", add_entity_views)
    config.add_request_method(entity_path, "entity_path")
