"""Search over all kinds at once (`/api/search/`)."""

from functools import cached_property

import orjson
from sqlalchemy import Integer, String, and_, case, literal_column, null, select, type_coerce, union_all

from comicsdb.catalog import ranked_search
from comicsdb.catalog.kinds import KINDS
from comicsdb.db.epoch import EPOCH_NOW, EpochMovedError
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.models import Issue, Series, SeriesType, Universe
from comicsdb.readcache.etag import tagged
from comicsdb.readcache.validators import versions
from comicsdb.values import whole_number
from comicsdb_api.negotiation import parameters
from comicsdb_api.openapi.common import query_parameters
from comicsdb_api.resource import cached_reads, filters, shapes
from comicsdb_api.resource.acts import Body
from comicsdb_api.resource.base import Resource, serve
from comicsdb_api.resource.cached_reads import Read
from comicsdb_api.resource.filters import BadValueError, Filter, Flag
from comicsdb_api.resource.types import Address, Choice, ListOf
from comicsdb_api.responses import addresses, to_json

ROUTE = "api.search"
KINDS_SEARCHED = ranked_search.FIRST
MOST, USUAL, SUGGESTED = 100, 20, 10  # results: at most, without a limit sent, and with `typeahead`
series, series_type, issue = Series.__table__, SeriesType.__table__, Issue.__table__


class Query(Filter):
    """A text; only its beginning counts."""

    def test(self, value, zone) -> tuple[str, str]:  # noqa: ARG002
        """The name and the text."""
        return self.name, value


class Kinds(Filter):
    """Any of the kinds."""

    schema = {"type": "array", "items": {"type": "string", "enum": list(KINDS_SEARCHED)}}
    says = "{}, separated by commas; all without it."

    def test(self, value, zone) -> tuple[str, tuple[str, ...]]:  # noqa: ARG002
        """The name and the kinds."""
        wanted = [each for each in map(str.strip, value.split(",")) if each]
        for each in wanted:
            if each not in KINDS_SEARCHED:
                known = ", ".join(KINDS_SEARCHED)
                raise BadValueError(self.name, f"Select a valid choice. {each} is not one of: {known}.")
        return self.name, tuple(wanted)


class Most(Filter):
    """A number of results."""

    schema = {"type": "integer", "minimum": 1, "maximum": MOST}
    invalid = f"Enter a whole number from 1 to {MOST}."

    def test(self, value, zone) -> tuple[str, int]:  # noqa: ARG002
        """The name and the number."""
        number = whole_number(value, 1, MOST)
        if number is None:
            raise self.bad()
        return self.name, number


class Plain(Flag):
    """A boolean that is no condition."""

    def compared(self, value) -> tuple[str, bool]:
        """The name and the boolean."""
        return self.name, value


FILTERS = (
    Query("q", None, "a name, or a series with year and number: `night ferry (2026) 3`"),
    Kinds("kind", None, "kinds to search"),
    Most("limit", None, f"number of results; {USUAL} without it, {SUGGESTED} with `typeahead`"),
    Plain("typeahead", None, "somebody is typing: no typing errors are forgiven, which costs the least"),
)


def _row(kind: str) -> tuple[dict, object]:
    """The fields of a result of a kind that depend on it, and the tables to read."""
    model = KINDS[kind].model
    table = source = model.__table__
    name = table.c.get("name")
    if model is Series:
        source = series.join(series_type, series_type.c.id == series.c.series_type_id)
        name = shapes.series_label(series, series_type)
    elif model is Issue:
        source = issue.join(series, series.c.id == issue.c.series_id).join(
            series_type, series_type.c.id == series.c.series_type_id
        )
        name = shapes.issue_label(issue, series, series_type)
    elif model is Universe:
        adds = table.c.designation.not_in((shapes.constant(""), table.c.name))
        name = case((adds, name + shapes.constant(" — ") + table.c.designation), else_=name)
    image = shapes.picture(table.c.image) if "image" in table.c else type_coerce(null(), Address)
    return {"name": name, "image": image, "resource_url": shapes.page_url(table)}, source


def _results(*, typeahead: bool):
    """The rows of the answer, the best first."""
    found = ranked_search.found(typeahead=typeahead).cte("found")
    order = ranked_search.searched()
    reasons = enumerate(ranked_search.REASONS)
    reason = case(
        *((found.c.reason == literal_column(str(code)), shapes.constant(each)) for code, each in reasons)
    )
    arms = []
    for kind in KINDS_SEARCHED:
        fields, source = _row(kind)
        table = KINDS[kind].model.__table__
        is_of = and_(found.c.kind == literal_column(str(order.index(kind))), found.c.id == table.c.id)
        own = {"kind": shapes.constant(kind), "id": table.c.id, "reason": reason, **fields}
        arms.append(select(*shapes.labelled(own), found.c.place).select_from(source.join(found, is_of)))
    rows = union_all(*arms).subquery("rows")
    return select(*(rows.c[name] for name in BODY)).order_by(rows.c.place)


BODY = {
    "kind": literal_column("kind", Choice(*KINDS_SEARCHED)),
    "id": literal_column("id", Integer),
    "name": literal_column("name", String),
    "reason": literal_column("reason", Choice(*ranked_search.REASONS)),
    "image": shapes.optional(literal_column("true"), literal_column("image", Address)),
    "resource_url": literal_column("resource_url", Address),
}


class Search:
    """The answers of the address: they depend on the parameters, and on the versions of all kinds."""

    formats = ()  # none but JSON
    options = ()
    parameters = frozenset(name for each in FILTERS for name in each.parameters) | {"format", "strict"}
    read = Read(ROUTE, cached_reads.LIST, "search", versions(*KINDS_SEARCHED, "series_type"))

    def body(self, request, _object_id: None = None, epoch: int | None = None) -> bytes:
        """The body; raises InvalidError, and EpochMovedError if it is not of the epoch given."""
        zone = request.registry.settings["comicsdb.timezone"]
        sent = dict(filters.read(FILTERS, parameters(request), zone=zone))
        typeahead = sent.get("typeahead", False)
        asked = ranked_search.parse(sent.get("q", ""))
        values = {
            **asked.values,
            "kinds": list(sent.get("kind") or KINDS_SEARCHED),
            "limit": sent.get("limit", SUGGESTED if typeahead else USUAL),
            "enough": ranked_search.ENOUGH,
            **addresses(request),
        }
        found, now = request.read_pool.fetch(self._queries[typeahead], values)
        if epoch is not None and now != epoch:
            raise EpochMovedError
        return to_json({"results": orjson.loads(found)})

    @cached_property
    def _queries(self) -> dict[bool, CompiledQuery]:
        """The statements, by whether somebody is typing."""
        return {
            typeahead: CompiledQuery.of(
                select(shapes.rows_of(_results(typeahead=typeahead)), EPOCH_NOW.scalar_subquery())
            )
            for typeahead in (False, True)
        }


class SearchResource(Resource):
    """Objects of all kinds by one text, the best first."""

    title = "search"

    @classmethod
    def described(cls, registry):  # noqa: ARG003
        """The text, and what it finds."""
        result = shapes.json_object("SearchResult", **BODY)
        return {
            "description": (
                "Names equal to the text come first, then those that begin with it, those with all its "
                "words, and aliases; similar names follow where little is found. A leading article does not "
                "count."
            ),
            "parameters": query_parameters(FILTERS),
            "body": Body("SearchFound", {"results": literal_column("results", ListOf(result))}),
        }

    def get(self):
        """What a text finds."""
        request, served = self.request, self.request.registry["comicsdb_api.reads"][ROUTE]
        stamps = cached_reads.stamps(request, served.read, None)
        return cached_reads.answer(request, served, None, stamps, lambda: tagged(served.body(request)))


def includeme(config):
    """Serve it; the root lists it, too."""
    config.registry["comicsdb_api.lists"]["search"] = ROUTE
    serve(config, SearchResource, ROUTE, "/api/search/", {"GET": "get"}, served=Search())
