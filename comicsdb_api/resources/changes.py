"""The change feed (`/api/change/`): all catalog changes, in the order in which they became visible."""

import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import urlencode

import orjson
from pyramid.httpexceptions import HTTPForbidden
from pyramid.interfaces import IRoutesMapper
from pyramid.response import Response
from sqlalchemy import (
    CTE,
    JSON,
    BigInteger,
    ColumnElement,
    Select,
    cast,
    false,
    func,
    literal,
    literal_column,
    null,
    select,
    text,
)

from comicsdb.catalog.filters import Clause, Condition, equal, values_of
from comicsdb.catalog.history import change_log, touched
from comicsdb.catalog.kinds import reference_last
from comicsdb.catalog.public_tables import json_value
from comicsdb.http.streams import STOPPING, Stream
from comicsdb.models import Change, FeedHorizon, TouchedObject, User
from comicsdb.models.base import BIG_MAX, sql_type
from comicsdb.models.record import ACTIONS
from comicsdb.readcache.etag import with_tag
from comicsdb.values import whole_number
from comicsdb_api.negotiation import JSON as JSON_TYPE
from comicsdb_api.negotiation import negotiate, parameter, preferred_media_type
from comicsdb_api.openapi.common import error_content, headers, integer, query_parameters
from comicsdb_api.openapi.schemas import Components
from comicsdb_api.resource import expressions, filters, waiting
from comicsdb_api.resource.base import Resource, serve
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.resource.filters import ChoiceFilter, Filter, LaterThanFilter
from comicsdb_api.resource.options import Option, read_size
from comicsdb_api.resource.paging import PAGE_SIZE
from comicsdb_api.resource.types import ChoiceText as OneOf
from comicsdb_api.resource.types import Instant
from comicsdb_api.resources.history import user_ref
from comicsdb_api.responses import FORMAT_KEY, base_urls, json_response, to_json
from comicsdb_api.responses import headers as common_headers

EPOCH_CHANGED = (
    "The feed has a new epoch, as the database was restored: changes that you have read may be gone, and"
    " their numbers reused. Read the lists again, then continue with this `epoch` and `after`."
)
REMOVED_FROM_FEED = (
    "The feed no longer has all changes after the position sent. Start with a dump or read the lists again,"
    " then continue with this `epoch` and `after`."
)
EPOCH_SCHEMA = {
    "type": "string",
    "pattern": "^[0-9a-f]{32}$",
    "examples": ["3f0c7d1be8a24c0c9f6d2b1a5e4c7d90"],
    "description": "The epoch of the numbers: if sent with `after`, an older one gets 410.",
}
EVENT_STREAM = "text/event-stream"
HEARTBEAT = 3  # seconds; the second one after a client has gone shows that it has
RETRY_MILLISECONDS = 5000  # milliseconds until a client reconnects
TOO_MANY_STREAMS = "Too many streams: try again later, or request JSON."
DUMPS_ROUTE = "data"  # the route of the page of dumps
LINES_MAX = 1000
KINDS = tuple(kind.name for kind in reference_last())
_OF_CATALOG = text("change_log.kind IN ({})".format(", ".join(f"'{kind}'" for kind in KINDS)))

change, user = Change.__table__, User.__table__


def _line_number(value: str) -> int | None:
    return whole_number(value.lstrip("0") or value[:1] or "0", high=BIG_MAX, clamp=True)


class AfterFilter(Filter):
    """`after`: entries with greater numbers."""

    schema = {"type": "integer", "minimum": 0}
    description = "{}: only later entries; from the beginning if 0 or omitted."
    error_message = "Enter a whole number, zero or more."

    def parse(self, value, zone) -> ColumnElement[bool]:  # noqa: ARG002
        """The condition; numbers beyond the range of the column are clamped, and match nothing."""
        number = _line_number(value)
        if number is None:
            raise self.value_error()
        return change.c.seq > literal(number, BigInteger)


class SinceFilter(LaterThanFilter):
    """`since`: the first entry written at this time or later, and all after it."""

    description = "{}; without an offset, in the site's time zone."

    def parse(self, value, zone) -> ColumnElement[bool]:
        """The condition, by number, so that entries written after the clock was set back are not omitted."""
        first = (
            select(change.c.seq)
            .where(change.c.at >= self.moment(value, zone))
            .order_by(change.c.at, change.c.seq)
            .limit(1)
        )
        return change.c.seq >= first.correlate(None).scalar_subquery()


def _known_form(reads: Callable[[str], object], known: str) -> Callable[[str], str]:
    """A function for options that returns a text that `reads` accepts, and raises ValueError for others."""

    def read(text: str) -> str:
        if not reads(text):
            raise ValueError(f"Enter {known}.")
        return text

    return read


class UsernameFilter(Filter):
    """`user`: the changes of one account, by its name, ignoring case."""

    description = "{}, ignoring case; unknown names find nothing. Requires an account."

    def parse(self, value, zone) -> ColumnElement[bool]:  # noqa: ARG002
        """The condition on the account's id."""
        named = select(user.c.id).where(func.lower(user.c.username) == func.lower(literal(value)))
        return change.c.user_id == named.scalar_subquery()


FIELD_DESCRIPTIONS = {
    "seq": "Number of the entry, greater than those of all entries that were visible before it.",
    "at": "Time of the change.",
    "kind": "Kind of the object.",
    "object_id": "Id of the object.",
    "action": "Type of change; `merge`: the object was merged into another one.",
    "fields": "Fields changed by an update.",
    "survivor_id": "For `merge`, the id of the object it was merged into; else null.",
    "user": "Account that made it; null for commands and deleted accounts, and for anonymous requests.",
}
OBJECT_DESCRIPTIONS = {
    "objects": "With `include=object`: the state of each object that an entry names or that was touched.",
    "touched": "With `include=object`: the position to send next as `touched`.",
    "last": "With `include=object`: whether nothing is left at the moment.",
}
STATE_SCHEMA = {
    "type": "object",
    "additionalProperties": {"type": "array", "items": {"type": "object", "additionalProperties": True}},
    "description": "The public rows of the object, by table, with the columns of dumps: its own (none if it"
    " was deleted), and those of its parts, links, former slugs and picture hashes.",
}
LAST_ID = re.compile(r"(?P<after>[0-9]{1,19})(?:;(?P<touched>[0-9]+(?:\.[0-9]+)?))?")
TOO_MANY_STREAMS_RESPONSE = {
    "description": "Too many streams.",
    "headers": headers("Retry-After"),
    "content": error_content({"type": "object", "properties": {"detail": {"type": "string"}}}),
}
EVENT_SCHEMA = {
    "type": "string",
    "description": "The entries as Server-Sent Events.",
    "examples": ['id: 7\nevent: update\ndata: {"seq":7,"kind":"arc","object_id":1,"action":"update"}\n\n'],
}
SINCE = SinceFilter("since", None, "from the first entry written at this time or later")
# Everything that is added to the feed changes one of these numbers. So do touched objects that could not be
# sent at once, as an older transaction was still running.
NEWEST = select(
    select(func.coalesce(func.max(change.c.seq), 0)).scalar_subquery(),
    select(func.coalesce(func.max(TouchedObject.id), 0)).scalar_subquery(),
    select(func.coalesce(func.max(TouchedObject.xid), 0))
    .where(TouchedObject.xid < text(touched.OLDEST_RUNNING_XID))
    .scalar_subquery(),
)
FILTERS = (
    AfterFilter("after", None, "`seq` of the last entry that was read"),
    SINCE,
    Option(
        "epoch",
        _known_form(re.compile(EPOCH_SCHEMA["pattern"]).fullmatch, "the epoch as received from the feed"),
        {name: EPOCH_SCHEMA[name] for name in ("type", "pattern")},
        "`epoch` of the response that `after` is from: if the feed has another one, the response is 410",
    ),
    ChoiceFilter("kind", Condition(equal, change.c.kind), "Changes of one kind", KINDS),
    ChoiceFilter("action", Condition(equal, change.c.action), "Changes of one type", ACTIONS),
    UsernameFilter("user", None, "Name of an account"),
    Option(
        "limit",
        partial(read_size, LINES_MAX),
        integer(1, LINES_MAX) | {"default": PAGE_SIZE},
        f"number of entries, at most {LINES_MAX}; {PAGE_SIZE} by default",
    ),
    Option(
        "include",
        _known_form("object".__eq__, "object: nothing else can be included"),
        {"type": "string", "enum": ["object"]},
        "the complete public state of each object that an entry names, as `objects`, and of those that"
        " changed without an entry (see `touched`)",
    ),
    Option(
        "touched",
        _known_form(touched.Position.of, "the position as received from the feed"),
        {"type": "string", "pattern": touched.POSITION.pattern, "examples": ["8123.45"]},
        "with `include=object`, `touched` of the previous response; if omitted, the response has the position"
        " to start with, but not these objects",
    ),
)


class ChangeResource(Resource):
    """All changes to the catalog, oldest first, with increasing numbers."""

    title = "change list"
    is_feed = True
    costs = {"GET": 0}  # free, as clients that follow it need not read the lists again
    renders = ("application/json", EVENT_STREAM)

    def __init__(self, request, context=None):
        super().__init__(request, context)
        self._parameters = list(request.api_parameters)

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of an entry of the change log."""
        return {
            "seq": change.c.seq,
            "at": literal_column(json_value("change_log.at", sql_type(change.c.at)), Instant),
            "kind": _choice(change.c.kind, KINDS),
            "object_id": change.c.object_id,
            "action": _choice(change.c.action, ACTIONS),
            "fields": change.c.fields,
            "survivor_id": change.c.survivor_id,
            "user": user_ref(change, shape=""),
        }

    @classmethod
    def openapi_description(cls, registry):  # noqa: ARG003
        """The description of a page of entries, and of the stream."""
        following = {
            "type": ["string", "null"],
            "format": "uri",
            "description": "URL of the following entries; null if there are none at the moment.",
        }
        line = Components().object_of(cls.row_fields())
        line["properties"] = {
            name: each | {"description": FIELD_DESCRIPTIONS[name]}
            for name, each in line["properties"].items()
        }
        lines = {"type": "array", "maxItems": LINES_MAX, "items": line}
        state = {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": list(KINDS), "description": "Kind of the object."},
                "id": {"type": "integer", "description": "Id of the object."},
                "state": STATE_SCHEMA,
            },
            "required": ["kind", "id", "state"],
        }
        body = {
            "type": "object",
            "properties": {
                "next": following,
                "results": lines | {"description": "The entries."},
                "epoch": EPOCH_SCHEMA,
                "objects": {"type": "array", "items": state, "description": OBJECT_DESCRIPTIONS["objects"]},
                "touched": {"type": "string", "description": OBJECT_DESCRIPTIONS["touched"]},
                "last": {"type": "boolean", "description": OBJECT_DESCRIPTIONS["last"]},
            },
            "required": ["next", "results", "epoch"],
        }
        return {
            "description": "To continue without gaps, send the last `seq` as `after`, and `epoch`. It costs"
            " none of the day's requests. With the header `Prefer: wait=30`, the server may wait for new"
            " entries if there are none, as `Preference-Applied` says.",
            "parameters": query_parameters(FILTERS),
            "content": {
                "application/json": {"schema": body},
                EVENT_STREAM: {"schema": EVENT_SCHEMA},
            },
            "refusals": {"410": _gone_response(), "503": TOO_MANY_STREAMS_RESPONSE},
        }

    def get(self):
        """Changes after a number; waits for one if the client prefers that and a slot is free."""
        if _wants_events(self.request):
            return self._stream()
        asked = waiting.preferred_wait(self.request)
        if not asked:
            return self._answer()
        with waiting.waiting_slot(self.request) as slot:
            if slot is None:
                return self._answer()
            until = time.monotonic() + asked
            while True:
                before = self.request.read_pool.first(NEWEST, {})
                response = self._answer()
                if self._has_changes or not waiting.wait_for_change(
                    self.request, slot, NEWEST, before, until
                ):
                    break
        response.headers["Preference-Applied"] = f"wait={asked}"
        return response

    def _stream(self):
        """Stream the events after the last one that the client knows, for the duration of a stream."""
        request = self.request
        known = LAST_ID.fullmatch(request.headers.get("Last-Event-ID", "").strip())
        if known:
            self._advance({name: value for name, value in known.groupdict().items() if value})
        slots = waiting.waiting_slots(request)
        slot = slots.acquire(waiting.client_keys(request))
        if slot is None:
            return json_response(request, {"detail": TOO_MANY_STREAMS}, 503, (("Retry-After", "30"),))
        try:
            before = request.read_pool.first(NEWEST, {})
            status, body = self._status_and_body()
        except BaseException:
            slots.release(slot)
            raise
        if status != 200:
            slots.release(slot)
            return json_response(request, body, status)
        common = [pair for pair in common_headers(request.environ) if pair[0] != "Cache-Control"]
        own = [("Content-Type", EVENT_STREAM), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")]
        pieces = self._events(slot, before, body)
        return Response(app_iter=Stream(pieces, lambda: slots.release(slot)), headerlist=[*own, *common])

    def _events(self, slot: waiting.Slot, before: tuple, body: dict) -> Iterator[bytes]:
        """The pieces of a stream; no database connection is held between them."""
        request = self.request
        until = time.monotonic() + request.registry.settings["comicsdb_api.stream_seconds"]
        yield b"retry: %d\n" % RETRY_MILLISECONDS + _event("epoch", {"epoch": body["epoch"]})
        while time.monotonic() < until:
            yield from self._events_of(body)
            while body["next"] is None:
                pause = min(until, time.monotonic() + HEARTBEAT)
                if waiting.wait_for_change(request, slot, NEWEST, before, pause):
                    break
                if time.monotonic() >= until or slot.is_given_away or STOPPING.is_set():
                    return
                yield b":\n\n"
            before = request.read_pool.first(NEWEST, {})
            status, body = self._status_and_body()
            if status != 200:
                return  # the client gets the error when it reconnects with the epoch

    def _events_of(self, body: dict) -> Iterator[bytes]:
        """The events for a body: objects first, so that clients have the objects before an entry's number."""
        sent, position = {"epoch": body["epoch"]}, body.get("touched")
        if self._has_objects:
            yield _event("objects", {"objects": body["objects"]})
        known = self._parameter("touched")
        for line in body["results"]:
            sent["after"] = str(line["seq"])
            yield _event(line["action"], line, f"{line['seq']}{f';{known}' if known else ''}")
        if position:
            sent["touched"] = position
            # If there were no entries, then up to the newest one, there are none that were asked for.
            last = sent.get("after") or self._parameter("after") or str(self._newest)
            yield _event("position", {"touched": position, "last": body["last"]}, f"{last};{position}")
        self._advance(sent)

    def _advance(self, sent: dict[str, str]) -> None:
        """Update the parameters of the request to those of the following entries."""
        left = {*sent, "since"} if "after" in sent else set(sent)
        kept = [(name, value) for name, value in self._parameters if name not in left]
        self._parameters = [*kept, *sent.items()]

    def _answer(self):
        status, body = self._status_and_body()
        if status != 200:
            return json_response(self.request, body, status)
        return conditional_response(self.request, with_tag(to_json(body)))

    def _status_and_body(self) -> tuple[int, dict]:
        """The status and body of the response for the current parameters."""
        request = self.request
        self._has_changes = True
        zone = request.registry.settings["comicsdb.timezone"]
        if request.identity is None and parameter(request, "user"):
            raise HTTPForbidden
        found = filters.parse_filters(FILTERS, self._parameters, zone=zone)
        clauses = [each for each in found if isinstance(each, Clause)]
        conditions = [each.build() if isinstance(each, Clause) else each for each in found]
        values = values_of(clauses)
        fields = self.row_fields()
        if request.identity is None:
            fields["user"] = cast(null(), JSON)
        size = int(self._parameter("limit") or PAGE_SIZE)
        rows = (
            select(*expressions.labelled_columns(fields))
            .select_from(change.outerjoin(user, user.c.id == change.c.user_id))
            .where(_OF_CATALOG, *conditions)
            .order_by(change.c.seq)
            .limit(size + 1)
        )
        removed = func.coalesce(select(FeedHorizon.seq).scalar_subquery(), 0)
        newest = select(func.coalesce(func.max(change.c.seq), removed)).scalar_subquery()
        if self._parameter("include"):
            asked = self._with_objects(rows.cte("line"), size, newest, self._asks_for_removed(zone))
        else:
            asked = select(
                expressions.rows_as_json(rows), change_log.EPOCH, newest, self._asks_for_removed(zone)
            )
        lines, epoch, last, is_beyond, *more = request.read_pool.first(asked, values | base_urls(request))
        self._newest = last
        if is_beyond or self._parameter("epoch") not in {"", epoch}:
            detail = REMOVED_FROM_FEED if self._parameter("epoch") in {"", epoch} else EPOCH_CHANGED
            return 410, {"detail": detail, "epoch": epoch, "after": last} | self._dump_link()
        found = orjson.loads(lines)
        body = {"next": None, "results": found[:size], "epoch": epoch}
        sent = {"epoch": epoch}
        has_more = len(found) > size
        if more:
            objects, position, are_left = more
            has_more |= are_left
            sent["touched"] = position
            body |= {"objects": orjson.Fragment(objects), "touched": position, "last": not has_more}
        if found:
            sent["after"] = str(body["results"][-1]["seq"])
        if has_more:
            body["next"] = self._next_url(sent)
        self._has_objects = bool(more) and len(more[0]) > len("[]")
        self._has_changes = bool(body["results"]) or self._has_objects
        return 200, body

    def _with_objects(self, line: CTE, size: int, *columns) -> Select:
        """The statement for a page with objects: entries, `columns`, and those of `select_objects`."""
        page = select(line).order_by(line.c.seq).limit(size).cte("page")
        position = touched.Position.of(self._parameter("touched"))
        asked = touched.select_objects(page, position, self._parameter("kind") or None)
        lines = expressions.rows_as_json(select(line).order_by(line.c.seq))
        return asked.with_only_columns(lines, change_log.EPOCH, *columns, *asked.selected_columns)

    def _asks_for_removed(self, zone) -> ColumnElement[bool]:
        """Whether the request asks for entries that have been removed."""
        horizon = FeedHorizon.__table__
        after, since = self._parameter("after"), self._parameter("since")
        if after or not since:
            lacks = horizon.c.seq > literal(_line_number(after), BigInteger)
        else:
            lacks = horizon.c.at >= SINCE.moment(since, zone)
        position = touched.Position.of(self._parameter("touched"))
        if position is not None:
            lacks |= horizon.c.xid > literal(position.xid, BigInteger)
        return func.coalesce(select(lacks).scalar_subquery(), false())

    def _dump_link(self) -> dict[str, str]:
        """The URL of the page of dumps, if the site has one."""
        offers = self.request.registry.queryUtility(IRoutesMapper).get_route(DUMPS_ROUTE) is not None
        return {"dump": self.request.route_url(DUMPS_ROUTE)} if offers else {}

    def _parameter(self, name: str) -> str:
        return dict(self._parameters).get(name, "").strip()

    def _next_url(self, sent: dict[str, str]) -> str:
        """The URL of the following entries, with all parameters that were sent."""
        left = {*sent, "since"} if "after" in sent else set(sent)
        kept = [(name, value) for name, value in self.request.api_parameters if name not in left]
        query = urlencode(sorted([*kept, *sent.items()], key=lambda pair: pair[0]))
        return f"{self.request.path_url}?{query}"


def _gone_response() -> dict:
    """The OpenAPI description of 410."""
    text = {"type": "string"}
    after = {
        "type": "integer",
        "minimum": 0,
        "description": "The current last number: read the lists, then continue from it.",
    }
    dump = text | {"format": "uri", "description": "URL of the dumps, if the site has them."}
    body = {
        "type": "object",
        "properties": {
            "detail": text | {"examples": [EPOCH_CHANGED]},
            "epoch": EPOCH_SCHEMA,
            "after": after,
            "dump": dump,
        },
        "required": ["detail", "epoch", "after"],
    }
    return {
        "description": "The feed has another epoch, or no longer has the requested entries: start again.",
        "headers": headers(),
        "content": error_content(body),
    }


def _event(name: str, data: dict, number: str = "") -> bytes:
    """A Server-Sent Event; its data must be a single line, but PostgreSQL breaks lines between values."""
    head = f"id: {number}\n" if number else ""
    return f"{head}event: {name}\ndata: ".encode() + to_json(data).replace(b"\n", b"") + b"\n\n"


def _wants_events(request) -> bool:
    """Whether a read prefers a stream to JSON, which only the Accept header can say."""
    if request.method != "GET" or request.environ.get(FORMAT_KEY) or parameter(request, "format"):
        return False
    header = request.headers.get("Accept", "")
    return (
        EVENT_STREAM in header.lower()
        and preferred_media_type(header, [JSON_TYPE, EVENT_STREAM]) == EVENT_STREAM
    )


def _negotiate(request) -> None:
    if not _wants_events(request):
        negotiate(request)


def _choice(column, words):
    """A column whose values are from a closed set of words."""
    return expressions.type_coerce(column, OneOf(*words))


def includeme(config):
    """Serve the feed, and list it in the root."""
    config.registry["comicsdb_api.lists"]["change"] = "api.change"
    config.registry["comicsdb_api.negotiators"]["api.change"] = _negotiate
    serve(config, ChangeResource, "api.change", "/api/change/", {"GET": "get"})
