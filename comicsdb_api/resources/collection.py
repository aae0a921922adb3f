"""The caller's collection: items, reads, and missing issues."""

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Text,
    any_,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    true,
    type_coerce,
)

from comicsdb.db.epoch import EPOCH_NOW
from comicsdb.library import collection
from comicsdb.models import CollectionItem, Issue, ReadDate, Series, User, Variant
from comicsdb.models.choices import BookFormat, GradingCompany
from comicsdb.readcache.validators import microseconds, select_stamps
from comicsdb.schemas.collection import CollectionAddSchema, ScrobbleSchema, StarsSchema
from comicsdb_api.resource import bodies, expressions, writes
from comicsdb_api.resource.cached_reads import ReadDeclaration
from comicsdb_api.resource.expressions import BASE, constant
from comicsdb_api.resource.operations import Operation, ResponseBody, existing_or_new
from comicsdb_api.resource.types import ChoiceText, Url
from comicsdb_api.resources.account_lists import (
    OwnDetail,
    OwnListing,
    OwnResource,
    issue_in_body,
    own_row_body,
    serve_own,
)
from comicsdb_api.resources.collection_figures import (
    MissingIssuesListing,
    MissingIssuesResource,
    MissingSeriesResource,
    StatsResource,
)
from comicsdb_api.resources.collection_filters import COLLECTION_FILTERS
from comicsdb_api.responses import make_response

item, read_date, user = CollectionItem.__table__, ReadDate.__table__, User.__table__
issue, series, variant = Issue.__table__, Series.__table__, Variant.__table__

FORMATS = {code: code.label for code in BookFormat}
GRADING_COMPANIES = {code: code.label for code in GradingCompany}
CONDITIONS = ("If-Match", "If-Unmodified-Since")
# Fields of the detail that the list omits.
DETAIL_ONLY_FIELDS = (
    *("purchase_price", "purchase_store", "storage_location", "notes", "date_read", "resource_url"),
    "created_on",
)


def read_dates():
    """The known dates at which the issue of an item was read, the latest first."""
    dates = _reads_of(item) & read_date.c.read_on.is_not(None)
    each = expressions.json_object(
        "ReadDate",
        id=read_date.c.id,
        read_date=expressions.instant(read_date.c.read_on),
        created_on=expressions.instant(read_date.c.created_on),
    )
    return expressions.json_list(
        each, read_date, dates, (read_date.c.read_on.desc(), read_date.c.id.desc()), item
    )


def read_count():
    """The number of times that the issue of an item was read."""
    dates = select(func.count()).select_from(read_date).where(_reads_of(item))
    return dates.correlate(item).scalar_subquery()


def _reads_of(owned):
    return (read_date.c.user_id == owned.c.user_id) & (read_date.c.issue_id == owned.c.issue_id)


def page_address():
    """The URL of an item's page on the site."""
    number = cast(item.c.id, Text)
    return type_coerce(BASE + constant("/collection/") + number + constant("/"), Url)


class CollectionResource(OwnResource):
    """The issues that the account owns."""

    model = CollectionItem
    row_shape = "CollectionItemRow"
    filters = COLLECTION_FILTERS

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of a row: those of the detail, except some."""
        detail = cls.detail_fields()
        return {name: detail[name] for name in detail if name not in DETAIL_ONLY_FIELDS}

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail."""
        company = expressions.label_for_code(item.c.grading_company, GRADING_COMPANIES)
        return {
            "id": item.c.id,
            "user": expressions.json_object("UserRef", id=user.c.id, username=user.c.username),
            "issue": expressions.owned_issue(issue, series),
            "quantity": item.c.quantity,
            "book_format": expressions.label_for(item.c.book_format, FORMATS),
            "grade": item.c.grade,
            "grading_company": type_coerce(company, ChoiceText("", *GRADING_COMPANIES.values())),
            "purchase_date": item.c.purchase_date,
            "purchase_price": expressions.money(item.c.purchase_price),
            "purchase_store": item.c.purchase_store,
            "storage_location": item.c.storage_location,
            "notes": item.c.notes,
            "is_read": item.c.is_read,
            "date_read": expressions.instant(item.c.date_read),
            "read_dates": read_dates(),
            "read_count": read_count(),
            "rating": item.c.rating,
            "resource_url": page_address(),
            "created_on": expressions.instant(item.c.created_on),
            "modified": expressions.instant(item.c.modified),
            "variant": expressions.owned_variant(item, variant),
            "tags": item.c.tags,
        }

    @classmethod
    def row_source(cls):
        """Items, joined with account, issue, series and variant."""
        return (
            item.join(user, user.c.id == item.c.user_id)
            .join(issue, issue.c.id == item.c.issue_id)
            .join(series, series.c.id == issue.c.series_id)
            .outerjoin(variant, variant.c.id == item.c.variant_id)
        )

    @classmethod
    def order(cls) -> tuple:
        """By sort name of the series, and cover date."""
        return (series.c.sort_folded, series.c.sort_name, issue.c.cover_date, item.c.id)

    @classmethod
    def rating_fields(cls) -> dict:
        """The fields of the response to a rating."""
        return {"id": item.c.id, "rating": item.c.rating, "modified": expressions.instant(item.c.modified)}

    @classmethod
    def scrobble_fields(cls) -> dict:
        """The fields of the response to a scrobble; the parameter `created` says whether the item is new."""
        detail = cls.detail_fields()
        names = ("id", "issue", "is_read", "date_read", "rating", "modified")
        return {name: detail[name] for name in names} | {"created": bindparam("created", type_=Boolean)}

    def put(self):
        """Set or remove the rating of an item."""
        return self.patch()

    def patch(self):
        """Set or remove the rating of an item; if the body has none, only the item's stamp changes."""
        request = self.request
        sent = bodies.parse_body(request, self.parses)
        item_id, mine = self.id_in_path(), (request.dbsession, request.identity.user_id)
        collection.item(*mine, item_id)  # 404 takes precedence over errors in the body
        values = writes.validated(sent, StarsSchema)
        if self._has_changed(item_id):
            return writes.precondition_failed(request)
        if "rating" in values:
            collection.rate(*mine, item_id, values["rating"], today=request.today)
        else:
            collection.touch(*mine, item_id)
        body = own_row_body(request, CollectionResource, CollectionResource.rating_fields, item_id)
        return writes.encoded_json_response(request, 200, body)

    def delete(self):
        """Remove an item from the collection."""
        request, item_id = self.request, self.id_in_path()
        if self._has_changed(item_id):
            return writes.precondition_failed(request)
        collection.remove(request.dbsession, request.identity.user_id, item_id)
        return make_response(request, b"", 204)

    def _has_changed(self, item_id: int) -> bool:
        """Whether the conditions of a write fail for an item; if there are any, the item is locked."""
        request = self.request
        if not writes.is_conditional(request):
            return False
        collection.lock(request.dbsession, request.identity.user_id, item_id, issue=True)
        return writes.has_changed(request, self.served, item_id)


_RATE = Operation(
    "Set or remove the rating of an item, which is that of its issue",
    {
        200: (
            "The rating as written.",
            ResponseBody("CollectionItemRated", CollectionResource.rating_fields()),
        )
    },
    StarsSchema,
    "CollectionItemStarsInput",
    {"412": "Unchangeable"},
    CONDITIONS,
)
CollectionResource.operations = {
    "PUT": _RATE,
    "PATCH": _RATE,
    "DELETE": Operation(
        "Remove an item from the collection",
        {204: ("Removed; reads of its issue remain. No body.", None)},
        error_responses={"412": "Unchangeable"},
        header_parameters=CONDITIONS,
    ),
}


class CollectionListing(OwnListing):
    """The Listing of items; its statement first finds the items, then their order, then the rows of the page.

    In a single step, PostgreSQL would scan the whole catalog in the order of the list to find a page of
    items, and build the rows of all pages before the requested one.
    """

    def _statement(self, with_count: bool, strategy: str, conditions=()):  # noqa: ARG002  (it is always counted)
        resource = self.resource
        mine = select(item.c.id, item.c.issue_id).where(resource.caller_condition(), *conditions).cte("mine")
        # OFFSET 0 keeps PostgreSQL from joining the whole catalog instead of the issues of these items.
        places = (
            select(*resource.order()[:-1])
            .select_from(issue.join(series))
            .where(issue.c.id == mine.c.issue_id)
            .offset(literal_column("0"))
            .lateral("places")
        )
        wanted = (
            select(mine.c.id)
            .join_from(mine, places, true())
            .order_by(*places.c, mine.c.id)
            .limit(literal_column(str(self.size)))
            .offset(bindparam("offset", type_=BigInteger))
            .correlate(None)
        )
        page = (
            select(*expressions.labelled_columns(resource.row_fields()))
            .select_from(resource.row_source())
            .where(item.c.id == any_(func.array(wanted.scalar_subquery())))
            .order_by(*self.order)
        )
        count = select(func.count()).select_from(mine).scalar_subquery()
        stamps = self.read.stamps.subquery("stamps")
        epoch = EPOCH_NOW.scalar_subquery().label("epoch")
        rows = expressions.rows_as_json(page).label("rows")
        return select(epoch, count.label("count"), rows, *stamps.c).select_from(stamps)


class CollectionDetail(OwnDetail):
    """The Detail of items; its stamps include those of the issue, whose data it shows."""

    @classmethod
    def of(cls, resource: type[OwnResource], route: str) -> "CollectionDetail":
        """The Detail of items on a route."""
        others = (microseconds(issue.c[name]) for name in ("modified", "modified_before"))
        stamps = select_stamps(item, "modified").add_columns(*others).where(resource.caller_condition())
        stamps = stamps.join_from(item, issue, issue.c.id == item.c.issue_id)
        return cls(ReadDeclaration(route, None, "collection:retrieve", stamps, date_pairs=3), resource)


class CollectionAddResource(CollectionResource):
    """Adds issues to the account's collection."""

    title = "collection add"
    operations = {
        "POST": Operation(
            "Add an issue to the collection",
            existing_or_new(
                ResponseBody("CollectionItem", CollectionResource.detail_fields()),
                "The existing item, unchanged.",
                "The new item.",
            ),
            CollectionAddSchema,
            "CollectionAddInput",
            {"422": "KeyUsed"},
            ("Idempotency-Key",),
        )
    }

    def add(self):
        """Add an issue to the collection: 201, or 200 if it is there already."""
        sent = bodies.parse_body(self.request, self.parses)
        return writes.run_idempotently(
            self.request, sent, lambda: self._add(writes.validated(sent, CollectionAddSchema))
        )

    def _add(self, values: dict) -> tuple[int, bytes]:
        request, issue_id = self.request, values.pop("issue_id")
        session, user_id = request.dbsession, request.identity.user_id
        another = values.pop("another_copy", False)
        with issue_in_body(issue_id):
            owned, created = collection.add(session, user_id, issue_id, values, another_copy=another)
        body = own_row_body(request, CollectionResource, CollectionResource.detail_fields, owned.id)
        return 201 if created else 200, body


def in_site_zone(request, moment: datetime) -> datetime:
    """A time with its zone; without one, it is in the site's time zone."""
    zone = request.registry.settings["comicsdb.timezone"]
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


class ScrobbleResource(CollectionResource):
    """Records what the account has read."""

    title = "collection scrobble"
    operations = {
        "POST": Operation(
            "Record that an issue was read",
            existing_or_new(
                ResponseBody("Scrobbled", CollectionResource.scrobble_fields()),
                "The existing item.",
                "The new item: one digital copy.",
            ),
            ScrobbleSchema,
            "ScrobbleInput",
            {"422": "KeyUsed"},
            ("Idempotency-Key",),
        )
    }

    def scrobble(self):
        """Record that an issue was read: 200, or 201 if it was not in the collection before."""
        sent = bodies.parse_body(self.request, self.parses)
        return writes.run_idempotently(
            self.request, sent, lambda: self._scrobble(writes.validated(sent, ScrobbleSchema))
        )

    def _scrobble(self, values: dict) -> tuple[int, bytes]:
        request, issue_id, moment = self.request, values["issue_id"], values.get("date_read")
        stars = values.get("rating")
        with issue_in_body(issue_id):
            item_id, created = collection.scrobble(
                request.dbsession,
                request.identity.user_id,
                issue_id,
                in_site_zone(request, moment) if moment else None,
                collection.KEEP_RATING if stars is None else stars,
                today=request.today,
            )
        fields = CollectionResource.scrobble_fields
        body = own_row_body(request, CollectionResource, fields, item_id, created=created)
        return 201 if created else 200, body


def includeme(config):
    """Serve the resources; the detail comes last, as its path matches any word as an id."""
    lists, item_methods = {"GET": "collection_get"}, ("get", "put", "patch", "delete")
    missing = "missing_issues/{series_id}/"
    serve_own(
        config,
        "collection",
        (CollectionResource, ".list", "", lists, CollectionListing),
        (CollectionAddResource, ".add", "add/", {"POST": "add"}),
        (ScrobbleResource, ".scrobble", "scrobble/", {"POST": "scrobble"}),
        (StatsResource, ".stats", "stats/", {"GET": "get"}),
        (MissingSeriesResource, ".missing_series", "missing_series/", lists, OwnListing),
        (MissingIssuesResource, ".missing_issues", missing, lists, MissingIssuesListing),
        (CollectionResource, "", "{id}/", {each.upper(): each for each in item_methods}, CollectionDetail),
    )
