"""The history of one object: its versions and the changes in each (`/api/<kind>/{id}/history/`)."""

from sqlalchemy import Numeric, bindparam, case, cast, func, literal_column, select, text, type_coerce
from sqlalchemy.dialects.postgresql import JSONB

from comicsdb.models import History, User
from comicsdb.models.currencies import Currency
from comicsdb.models.record import CHANGED, CREATED, DELETED
from comicsdb.security import Permission
from comicsdb_api.resource import expressions
from comicsdb_api.resource.base import ListResource, serve
from comicsdb_api.resource.cached_reads import ReadDeclaration
from comicsdb_api.resource.listing import Listing
from comicsdb_api.resource.types import JsonChanges
from comicsdb_api.responses import PATH_PREFIX, ROUTE_PREFIX

TYPES = {CREATED: "created", CHANGED: "updated", DELETED: "deleted"}

history, user = History.__table__, User.__table__
before = history.alias("before")

_older = (
    select(before.c.snapshot)
    .where(before.c.kind == history.c.kind, before.c.object_id == history.c.object_id)
    .where(before.c.id < history.c.id)
    .order_by(before.c.id.desc())
    .limit(1)
    .correlate(history)
    .lateral("older")
)


def user_ref(table, shape: str = "UserRef"):
    """UserRef: the acting account by id and name, null for commands and for deleted accounts."""
    known = expressions.json_object(shape, id=user.c.id, username=user.c.username)
    return expressions.value_or_null(table.c.user_id.is_not(None), known)


def _changes():
    """The fields that differ from the previous version, as {"old": …, "new": …}; none in the first one."""
    each = func.jsonb_each(history.c.snapshot).table_valued("key", "value").render_derived("field")
    # Parts that were introduced after a version count as empty in it.
    was = func.coalesce(_older.c.snapshot[each.c.key], literal_column("'[]'::jsonb"))
    old = _displayed(_older.c.snapshot, each.c.key, was)
    new = _displayed(history.c.snapshot, each.c.key, type_coerce(each.c.value, JSONB))
    pair = func.jsonb_build_object(expressions.constant("old"), old, expressions.constant("new"), new)
    found = func.coalesce(func.jsonb_object_agg(each.c.key, pair), literal_column("'{}'::jsonb"))
    differing = _older.c.snapshot.is_not(None) & old.is_distinct_from(new)
    return (
        select(type_coerce(found, JsonChanges()))
        .where(differing)
        .correlate(history, _older)
        .scalar_subquery()
    )


def _displayed(snapshot, key, value):
    """A value as stored, but an amount as text with its currency: `3.99 USD`."""
    amount = snapshot["price"].astext
    currency = snapshot["currency"].astext
    digits = func.currency_digits(func.coalesce(currency, expressions.constant(Currency.USD.value)))
    number = func.round(cast(amount, Numeric), digits)
    priced = func.to_jsonb(func.concat_ws(literal_column("' '"), number, currency))
    is_amount = (key == expressions.constant("price")) & amount.is_not(None)
    return type_coerce(case((is_amount, priced), else_=value), JSONB)


class HistoryResource(ListResource):
    """The versions of an object."""

    model = History
    row_shape = "Version"

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of a version."""
        return {
            "id": history.c.id,
            "at": expressions.instant(history.c.at),
            "type": expressions.label_for(history.c.type, TYPES),
            "user": user_ref(history),
            "reason": history.c.reason,
            "changes": _changes(),
        }

    @classmethod
    def row_source(cls):
        """Versions, joined with the previous version and the account."""
        return history.outerjoin(user, user.c.id == history.c.user_id).outerjoin(_older, text("true"))

    @classmethod
    def order(cls) -> tuple:
        """Newest first."""
        return (history.c.id.desc(),)


def _history_listing(kind: str, route: str) -> Listing:
    """The Listing of an object's versions; it exists for all ids with a history, including deleted objects.

    It is not cached: clients that repeat a request send the entity tag.
    """
    own = (history.c.kind == expressions.constant(kind), history.c.object_id == bindparam("id"))
    newest = func.max(history.c.id)
    stamps = select(newest.label("newest")).where(*own).having(newest.is_not(None))
    read = ReadDeclaration(route, None, f"{kind}:history", stamps)
    return Listing(read, HistoryResource, own, HistoryResource.order())


def add_history(config, resource: type) -> None:
    """Serve the history of a resource's objects."""
    kind = resource.kind()
    route = f"{ROUTE_PREFIX}{kind}.history"
    path = f"{PATH_PREFIX}{kind}/{{id}}/history/"
    served = _history_listing(kind, route)
    # Not readable anonymously, as it has names of accounts.
    serve(config, resource, route, path, {"GET": "children_get"}, served=served, permission=Permission.API)
