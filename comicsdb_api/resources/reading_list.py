"""The resource of reading lists: read-only, limited to lists that the caller may see, and not cached."""

from dataclasses import dataclass

import orjson
from sqlalchemy import Float, String, bindparam, cast, func, select, type_coerce
from sqlalchemy.orm import aliased

from comicsdb.catalog.filters import (
    Clause,
    Condition,
    at_least,
    contains,
    equal,
    equals_flag,
    in_subquery,
    phrase,
)
from comicsdb.library.reading_lists import visible_to
from comicsdb.library.transfer.cbl import write_cbl
from comicsdb.models import Issue, Publisher, ReadingList, ReadingListItem, Series, User
from comicsdb.models.choices import ItemType, ListSource, ListType
from comicsdb.readcache.etag import with_tag
from comicsdb.security import Identity, Permission, has_permission
from comicsdb.tags import CBL, TagFormat
from comicsdb_api.negotiation import tag_format
from comicsdb_api.resource import expressions
from comicsdb_api.resource.base import EntityResource, ListResource
from comicsdb_api.resource.cached_reads import ReadDeclaration
from comicsdb_api.resource.conditional import LastModified, conditional_response
from comicsdb_api.resource.expressions import BASE, constant
from comicsdb_api.resource.filters import BooleanFilter, ChoiceFilter, Filter, IntegerFilter, NumberFilter
from comicsdb_api.resource.listing import ChildList, Listing
from comicsdb_api.resource.types import ChoiceText as OneOf
from comicsdb_api.resource.types import Url
from comicsdb_api.resources import filters
from comicsdb_api.resources.account_lists import CALLER_ID, NO_STAMPS
from comicsdb_api.responses import ROUTE_PREFIX, base_urls, to_json

reading_list, item, user = ReadingList.__table__, ReadingListItem.__table__, User.__table__
issue, series, publisher = Issue.__table__, Series.__table__, Publisher.__table__

ROWS_PER_PAGE = 50
TYPES = {each: each.label for each in ListType}
SOURCES = {each: each.label for each in ListSource}
ITEM_TYPES = {each: each.label for each in ItemType}

# The ratings of a private list are kept, but not shown.
_shows_ratings = (reading_list.c.rating_count > constant(0)) & reading_list.c.is_private.is_(False)
AVERAGE = expressions.value_or_null(
    _shows_ratings, cast(reading_list.c.rating_sum, Float) / reading_list.c.rating_count
)
RATINGS = func.coalesce(expressions.value_or_null(_shows_ratings, reading_list.c.rating_count), constant(0))

BY_PUBLISHER = Condition(
    contains,
    publisher.c.name,
    in_subquery(
        reading_list.c.id,
        item.c.reading_list_id,
        item.c.issue_id == issue.c.id,
        issue.c.series_id == series.c.id,
        series.c.publisher_id == publisher.c.id,
    ),
)
BY_OWNER = Condition(contains, user.c.username, in_subquery(reading_list.c.user_id, user.c.id))
BY_SOURCE = Condition(equal, reading_list.c.attribution_source)
FILTERS = (
    Filter("name", Condition(phrase, reading_list.c.folded), "the name"),
    IntegerFilter("user", Condition(equal, reading_list.c.user_id), "id of the owner"),
    Filter("username", BY_OWNER, "the name of the owner"),
    Filter("publisher", BY_PUBLISHER, "the name of a publisher of one of its issues"),
    ChoiceFilter("attribution_source", BY_SOURCE, "code of the source", ListSource),
    ChoiceFilter("list_type", Condition(equal, reading_list.c.list_type), "code of the type", ListType),
    BooleanFilter("is_private", Condition(equals_flag, reading_list.c.is_private), "it is private"),
    NumberFilter("average_rating__gte", Condition(at_least, AVERAGE), "mean of all ratings"),
    *filters.modified_filters(reading_list),
)


class ReadingListItemResource(ListResource):
    """The issues of a reading list, in the order in which they should be read."""

    model = ReadingListItem
    row_shape = "ReadingListItem"
    generic_plan_filters = ({"visible"},)
    page_size = ROWS_PER_PAGE

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of an item: its issue, and its order and type in the list."""
        return {
            "id": item.c.id,
            "issue": expressions.owned_issue(
                issue, series, "ListedIssue", cv_id=issue.c.cv_id, gcd_id=issue.c.gcd_id
            ),
            "order": item.c.order,
            "issue_type": _label(item.c.issue_type, ITEM_TYPES),
        }

    @classmethod
    def row_source(cls):
        """Items, joined with issue and series."""
        return item.join(issue, issue.c.id == item.c.issue_id).join(series, series.c.id == issue.c.series_id)

    @classmethod
    def order(cls) -> tuple:
        """In reading order."""
        return (item.c.order,)


def visible_clause(request, identity: Identity | None) -> Clause:
    """The condition for lists that `identity` may see."""
    official = request.registry.settings["comicsdb.official_account"]
    if identity is None:
        return Clause("visible", None, lambda: visible_to(None, official))
    rights = has_permission(identity, Permission.LIBRARY), has_permission(identity, Permission.OFFICIAL_LISTS)
    somebody = identity._replace(user_id=CALLER_ID)
    return Clause("visible", rights, lambda: visible_to(somebody, official), {"user": identity.user_id})


@dataclass(frozen=True, eq=False)
class VisibleListing(Listing):
    """The Listing of lists that the caller may see."""

    def clauses(self, request, identity):
        return [*super().clauses(request, identity), visible_clause(request, identity)]


@dataclass(frozen=True, eq=False)
class ItemsListing(VisibleListing):
    """The Listing of the items of the list with the parameter `id`, if the caller may see it."""

    def _statement(self, with_count, strategy, conditions=()):
        lists = select(reading_list.c.id).where(reading_list.c.id == bindparam("id"), *conditions)
        return super()._statement(with_count, strategy).where(lists.correlate(None).exists())


@dataclass(frozen=True, eq=False)
class ReadingListItems(ChildList):
    """The declaration of the items below a list."""

    def of(self, owner: type, route: str) -> Listing:  # noqa: ARG002
        """The Listing of items on a route."""
        read = ReadDeclaration(route, None, route.removeprefix(ROUTE_PREFIX), NO_STAMPS)
        return ItemsListing(read, self.resource, (self.condition,), self.order)


class ReadingListResource(EntityResource):
    """Lists of issues in the order in which they should be read."""

    model = ReadingList
    permission = Permission.API  # lists name their owners
    row_shape = "ReadingListRow"
    stamps = ("modified", "rated")
    tag_formats = (CBL,)
    filters = FILTERS
    listing = VisibleListing
    generic_plan_filters = ({"visible"},)
    page_size = ROWS_PER_PAGE
    child_lists = {
        "items": ReadingListItems(
            ReadingListItemResource,
            item.c.reading_list_id == bindparam("id"),
            ReadingListItemResource.order(),
        )
    }
    missing = ListResource.missing  # the same whether or not others may see such a list

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of a row."""
        return {
            "id": reading_list.c.id,
            "name": reading_list.c.name,
            "slug": reading_list.c.slug,
            "user": expressions.json_object("UserRef", id=user.c.id, username=user.c.username),
            "list_type": expressions.label_for(reading_list.c.list_type, TYPES),
            "is_private": reading_list.c.is_private,
            "attribution_source": type_coerce(reading_list.c.attribution_source, OneOf("", *ListSource)),
            "average_rating": AVERAGE,
            "rating_count": RATINGS,
            "modified": expressions.instant(reading_list.c.modified),
        }

    @classmethod
    def row_source(cls):
        """Reading lists, joined with the owner."""
        return reading_list.join(user, user.c.id == reading_list.c.user_id)

    @classmethod
    def order(cls) -> tuple:
        """By name, source and owner."""
        c = reading_list.c
        return (c.folded, c.name, c.attribution_source.collate("C"), c.user_id, c.id)

    @classmethod
    def detail_source(cls):
        """The tables of the row."""
        return cls.row_source()

    @classmethod
    def detail_fields(cls, identity=None, official: str = "") -> dict:
        """The fields of a detail, with the previous and next list if `identity` may see them."""
        c, row = reading_list.c, cls.row_fields()
        address = BASE + constant("/api/reading_list/") + cast(c.id, String) + constant("/items/")
        page = BASE + constant("/reading-lists/") + c.slug + constant("/")
        return {
            "id": c.id,
            "user": row["user"],
            "name": c.name,
            "slug": c.slug,
            "desc": c.desc,
            "image": expressions.picture_url(c.image),
            "list_type": row["list_type"],
            "is_private": c.is_private,
            "attribution_source": _label(c.attribution_source, SOURCES),
            "attribution_url": c.attribution_url,
            "previous": _neighbour(c.previous_id, identity, official),
            "next": _neighbour(c.next_id, identity, official),
            "average_rating": row["average_rating"],
            "rating_count": row["rating_count"],
            "items_url": type_coerce(address, Url),
            "resource_url": type_coerce(page, Url),
            "modified": row["modified"],
        }

    @property
    def _viewer(self) -> tuple:
        """The caller and the name of the official account, on which the visibility of lists depends."""
        return self.request.identity, self.request.registry.settings["comicsdb.official_account"]

    def get(self):
        """GET on one list."""
        object_id = self.id_in_path()
        dates = self._dates(object_id)
        if chosen := tag_format(self.request):
            return self._file(object_id, chosen)
        fields = self.detail_fields(*self._viewer)
        row = select(*expressions.labelled_columns(fields)).select_from(self.detail_source())
        wanted = row.where(reading_list.c.id == object_id, visible_to(*self._viewer))
        found = self.request.read_pool.first(expressions.row_as_json(wanted), base_urls(self.request))
        if found is None:  # deleted concurrently
            raise self.missing(object_id)
        return conditional_response(self.request, with_tag(to_json(orjson.loads(found[0]))), dates=dates)

    def _file(self, object_id: int, chosen: TagFormat):
        """The list as a file; without dates, as its data may change when the list's stamps do not."""
        session = self.request.dbsession
        found = session.get(ReadingList, object_id)
        if found is None:  # deleted concurrently
            raise self.missing(object_id)
        body = with_tag(write_cbl(session, found))
        return conditional_response(self.request, body, content_type=("Content-Type", chosen.media_type))

    def _dates(self, object_id: int) -> LastModified:
        """The times of a list's last changes; raises RefusedError (404) if the caller may not see it."""
        read = self.request.registry["comicsdb_api.reads"]["api.reading_list"].read
        found = self.request.read_pool.first(read.stamps.where(visible_to(*self._viewer)), {"id": object_id})
        if found is None:
            raise self.missing(object_id)
        return read.dates(tuple(found))


def _label(column, words: dict):
    """The label for a code, empty if there is none."""
    return type_coerce(expressions.label_for_code(column, words), OneOf("", *words.values()))


def _neighbour(column, identity, official: str):
    """Named: the list that a column refers to, null if there is none or `identity` may not see it."""
    other = aliased(ReadingList)
    shown = expressions.json_object("Named", id=other.id, name=other.name)
    wanted = select(shown).where(other.id == column, visible_to(identity, official, other))
    return expressions.value_or_null(column.is_not(None), wanted.correlate(reading_list).scalar_subquery())
