"""The caller's wish list: the issues that it looks for."""

from sqlalchemy import Boolean, Float, case, cast, func, literal_column, select

from comicsdb.library import wish_list as wish
from comicsdb.models import CollectionItem, Issue, Series, Variant, WishList, WishListItem
from comicsdb.models.choices import WishStatus
from comicsdb.schemas.wish import NewWishSchema, PurchaseSchema
from comicsdb_api.resource import bodies, expressions
from comicsdb_api.resource.expressions import BASE, constant
from comicsdb_api.resource.operations import Operation, ResponseBody, existing_or_new
from comicsdb_api.resource.types import ChoiceText, CurrencyCode, Url
from comicsdb_api.resource.writes import encoded_json_response, validated
from comicsdb_api.resources.account_lists import (
    CALLER_ID,
    OwnDetail,
    OwnListing,
    SingleListResource,
    issue_in_body,
    own_row_body,
    serve_own,
)
from comicsdb_api.responses import make_response, to_json

wish_list, item = WishList.__table__, WishListItem.__table__
issue, series, variant = Issue.__table__, Series.__table__, Variant.__table__

PATH = "/api/wish_list/"
OWN_LIST = select(wish_list.c.id).where(wish_list.c.user_id == CALLER_ID)
STATUSES = {status: status.label for status in WishStatus}


class WishListResource(SingleListResource):
    """The account's only wish list, created by the first request for it."""

    model = WishList
    row_shape = "WishList"

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of the list: the number of its items, and their URL."""
        number = select(func.count()).where(item.c.wish_list_id == wish_list.c.id).correlate(wish_list)
        return {
            "id": wish_list.c.id,
            "item_count": number.scalar_subquery(),
            "items_url": expressions.type_coerce(BASE + constant(f"{PATH}items/"), Url()),
            "modified": expressions.instant(wish_list.c.modified),
        }

    @classmethod
    def list_exists(cls):
        """The condition that the account has its list."""
        return OWN_LIST.exists()

    def ensure_list(self) -> None:
        """Create the list if it does not exist."""
        wish.wish_list(self.request.dbsession, self.request.identity.user_id)


class WishListItemResource(WishListResource):
    """The issues on the account's wish list, with any status."""

    model = WishListItem
    row_shape = "WishListItem"

    @classmethod
    def caller_condition(cls):
        return item.c.wish_list_id.in_(OWN_LIST)

    @classmethod
    def row_source(cls):
        """Items, joined with issue, series and variant."""
        return (
            item.join(issue, issue.c.id == item.c.issue_id)
            .join(series, series.c.id == issue.c.series_id)
            .outerjoin(variant, variant.c.id == item.c.variant_id)
        )

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of a row."""
        return {
            "id": item.c.id,
            "issue": expressions.owned_issue(issue, series),
            "status": expressions.label_for(item.c.status, STATUSES),
            "priority": item.c.priority,
            "desired_grade": expressions.value_or_null(
                item.c.desired_grade.is_not(None), cast(item.c.desired_grade, Float)
            ),
            "modified": expressions.instant(item.c.modified),
            "variant": expressions.owned_variant(item, variant),
        }

    @classmethod
    def item_fields(cls) -> dict:
        """The fields of the response when an item was added."""
        fields = cls.row_fields()
        last = {name: fields.pop(name) for name in ("modified", "variant")}
        priced = item.c.max_price.is_not(None)
        currency = expressions.type_coerce(item.c.max_currency, CurrencyCode())
        return fields | {
            "max_price": expressions.money(item.c.max_price),
            "max_price_currency": case((priced, currency), else_=None),
            "notes": item.c.notes,
            "added_on": expressions.instant(item.c.added_on),
            **last,
        }

    @classmethod
    def order(cls) -> tuple:
        """By priority (1 first), then by sort name of the series and cover date."""
        return (item.c.priority, series.c.sort_folded, series.c.sort_name, issue.c.cover_date, item.c.id)


class WishListAddResource(WishListResource):
    """Adds issues to the account's wish list."""

    title = "wish_list items add"
    operations = {
        "POST": Operation(
            "Add an issue to the wish list",
            existing_or_new(
                ResponseBody("WishListItemWritten", WishListItemResource.item_fields()),
                "The existing item, unchanged.",
                "The new item.",
            ),
            NewWishSchema,
            "WishListItemInput",
        )
    }

    def add(self):
        """Wish for an issue: 201, or 200 if it was on the list already."""
        request = self.request
        values = validated(bodies.parse_body(request, self.parses), NewWishSchema)
        issue_id = values.pop("issue_id")
        with issue_in_body(issue_id):
            wished, created = wish.add(request.dbsession, request.identity.user_id, issue_id, values)
        resource = WishListItemResource
        body = own_row_body(request, resource, resource.item_fields, wished.id)
        return encoded_json_response(request, 201 if created else 200, body)


class WishListAcquireResource(WishListResource):
    """Marks items of the account's wish list as acquired."""

    title = "wish_list items acquire"
    model = WishListItem
    operations = {
        "POST": Operation(
            "Mark an issue as acquired, and add it to the collection",
            {
                200: (
                    "The items of the wish list and the collection.",
                    ResponseBody(
                        "Acquired",
                        {
                            "wish_list_item_id": item.c.id,
                            "collection_item_id": CollectionItem.__table__.c.id,
                            "created": literal_column("true", Boolean),
                            "status": expressions.type_coerce(
                                item.c.status, ChoiceText(WishStatus.ACQUIRED.label)
                            ),
                        },
                    ),
                )
            },
            PurchaseSchema,
            "AcquiredInput",
        )
    }

    def acquire(self):
        """Mark an item as acquired, and add its issue to the collection unless it is there."""
        request = self.request
        session, user_id, item_id = request.dbsession, request.identity.user_id, self.id_in_path("item_id")
        sent = bodies.parse_body(request, self.parses)
        wish.find_item(session, user_id, item_id)  # 404 takes precedence over errors in the body
        values = validated(sent, PurchaseSchema)
        found, owned, created = wish.acquire(session, user_id, item_id, values)
        body = {
            "wish_list_item_id": found.id,
            "collection_item_id": owned.id,
            "created": created,
            "status": WishStatus(found.status).label,
        }
        return encoded_json_response(request, 200, to_json(body))


class WishListRemoveResource(WishListResource):
    """Removes items from the account's wish list."""

    title = "wish_list items remove"
    model = WishListItem
    operations = {
        "DELETE": Operation("Remove an issue from the wish list", {204: ("Removed. No body.", None)})
    }

    def remove(self):
        """Remove an item from the list."""
        request = self.request
        item_id = self.id_in_path("item_id")
        if not wish.remove(request.dbsession, request.identity.user_id, item_id):
            raise self.missing(item_id)
        return make_response(request, b"", 204)


def includeme(config):
    """Serve the resources; the detail comes last, as its path matches any word as an id."""
    lists = {"GET": "collection_get"}
    serve_own(
        config,
        "wish_list",
        (WishListResource, ".list", "", lists, OwnListing),
        (WishListItemResource, ".items", "items/", lists, OwnListing),
        (WishListAddResource, ".items.add", "items/add/", {"POST": "add"}),
        (WishListAcquireResource, ".items.acquire", "items/{item_id}/acquire/", {"POST": "acquire"}),
        (WishListRemoveResource, ".items.remove", "items/{item_id}/remove/", {"DELETE": "remove"}),
        (WishListResource, "", "{id}/", {"GET": "get"}, OwnDetail),
    )
