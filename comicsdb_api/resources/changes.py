"""The change feed: every change of the catalogue in the order in which it became visible (`/api/change/`)."""

from urllib.parse import urlencode

import orjson
from sqlalchemy import BigInteger, ColumnElement, func, literal, select

from comicsdb.models import CATALOGUE, Change, User
from comicsdb.models.record import ACTIONS
from comicsdb.tags import tagged
from comicsdb_api import filters, shapes
from comicsdb_api.conditional import respond_tagged
from comicsdb_api.entity import Resource, serve
from comicsdb_api.filters import BadValue, Choice, Filter
from comicsdb_api.openapi.schemas import Components
from comicsdb_api.paging import SIZE
from comicsdb_api.resources.history import user_of
from comicsdb_api.responses import addresses, to_json
from comicsdb_api.types import Choice as OneOf

LARGEST = 2**63 - 1
KINDS = (*(model.__tablename__ for model in CATALOGUE), "genre", "role", "series_type", "age_rating")

change, user = Change.__table__, User.__table__


class After(Filter):
    """`after`: lines with greater numbers."""

    schema = {"type": "integer", "minimum": 0}
    says = "{}: only later ones; 0, or nothing, is from the beginning."
    invalid = "Enter a whole number, zero or more."

    def test(self, value, zone) -> ColumnElement[bool]:  # noqa: ARG002
        """A number that no line can have is after all of them."""
        if not (value.isascii() and value.isdigit()):
            raise BadValue(self.name, self.invalid)
        digits = value.lstrip("0") or "0"
        number = int(digits) if len(digits) <= len(str(LARGEST)) else LARGEST
        return self.column > literal(min(number, LARGEST), BigInteger)


class Username(Filter):
    """`user`: the changes of one account, by its name, whatever the case."""

    says = "{}, whatever its case; nothing is found for a name that no account has."

    def test(self, value, zone) -> ColumnElement[bool]:  # noqa: ARG002
        """By the number of the account."""
        named = select(user.c.id).where(func.lower(user.c.username) == func.lower(literal(value)))
        return self.column == named.scalar_subquery()


WORDS = {
    "seq": "Number of the line; each is greater than those of all lines that were visible before.",
    "at": "When it was written.",
    "kind": "The kind of the object.",
    "object_id": "The number of the object.",
    "action": "What happened; with `merge` it lives on in another object.",
    "fields": "The fields that an update changed.",
    "user": "Who did it; null for commands, and for accounts that are gone.",
}
FILTERS = (
    After("after", change.c.seq, "the number `seq` of the last line that is known"),
    Choice("kind", change.c.kind, "Changes of one kind", KINDS),
    Choice("action", change.c.action, "Changes of one sort", ACTIONS),
    Username("user", change.c.user_id, "Name of an account"),
)


class ChangeResource(Resource):
    """What changed, oldest first, for programs that follow the catalogue: no smaller number comes later."""

    title = "change"

    @classmethod
    def row_fields(cls) -> dict:
        """A line of the log."""
        return {
            "seq": change.c.seq,
            "at": shapes.instant(change.c.at),
            "kind": _choice(change.c.kind, KINDS),
            "object_id": change.c.object_id,
            "action": _choice(change.c.action, ACTIONS),
            "fields": change.c.fields,
            "user": user_of(change, shape=""),
        }

    @classmethod
    def described(cls, registry):  # noqa: ARG003
        """Up to a hundred lines, and where the next ones are."""
        parameters = [
            {"name": each.name, "in": "query", "description": each.description, "schema": each.schema}
            for declared in FILTERS
            for each in declared.described()
        ]
        following = {
            "type": ["string", "null"],
            "format": "uri",
            "description": "Address of the lines after these; null where there are no more at the moment.",
        }
        line = Components().object_of(cls.row_fields())
        line["properties"] = {
            name: each | {"description": WORDS[name]} for name, each in line["properties"].items()
        }
        lines = {"type": "array", "maxItems": SIZE, "items": line}
        body = {
            "type": "object",
            "properties": {"next": following, "results": lines | {"description": "The lines."}},
            "required": ["next", "results"],
        }
        return {
            "description": "Later, ask with the last `seq` as `after`: nothing is seen twice or missed.",
            "parameters": parameters,
            "content": {"application/json": {"schema": body}},
            "refuses": True,
        }

    def get(self):
        """Changes after a number."""
        request = self.request
        zone = request.registry.settings["comicsdb.timezone"]
        conditions = filters.conditions(FILTERS, request.api_parameters, zone=zone)
        rows = (
            select(*shapes.labelled(self.row_fields()))
            .select_from(change.outerjoin(user, user.c.id == change.c.user_id))
            .where(*conditions)
            .order_by(change.c.seq)
            .limit(SIZE + 1)
        )
        found = orjson.loads(request.light.first(select(shapes.rows_of(rows)), addresses(request))[0])
        more, found = len(found) > SIZE, found[:SIZE]
        body = {"next": self._after(found[-1]["seq"]) if more else None, "results": found}
        return respond_tagged(request, tagged(to_json(body)))

    def _after(self, seq: int) -> str:
        kept = [(name, value) for name, value in self.request.api_parameters if name != "after"]
        query = urlencode(sorted([*kept, ("after", str(seq))], key=lambda pair: pair[0]))
        return f"{self.request.path_url}?{query}"


def _choice(column, words):
    """A column of a closed set of words."""
    return shapes.type_coerce(column, OneOf(*words))


def includeme(config):
    """Serve it."""
    serve(config, ChangeResource, "api.change", "/api/change/", {"GET": "get"})
