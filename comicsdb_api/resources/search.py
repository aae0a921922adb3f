"""Search over all kinds at once (`/api/search/`)."""

from functools import cached_property, partial

import orjson
from sqlalchemy import Integer, Select, String, literal_column, select, type_coerce

from comicsdb.catalog import ranked_search
from comicsdb.catalog.hits import FIRST_KINDS, REASONS
from comicsdb.db.epoch import EPOCH_NOW, EpochMovedError
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.readcache.etag import with_tag
from comicsdb.readcache.validators import select_versions
from comicsdb.values import flag
from comicsdb_api.openapi.common import integer, query_parameters
from comicsdb_api.resource import cached_reads, expressions
from comicsdb_api.resource.base import Resource, serve
from comicsdb_api.resource.cached_reads import ReadDeclaration
from comicsdb_api.resource.operations import ResponseBody
from comicsdb_api.resource.options import Option, option_values, read_size
from comicsdb_api.resource.types import ChoiceText, JsonList, Url
from comicsdb_api.responses import base_urls, to_json

ROUTE = "api.search"
KINDS_SEARCHED = FIRST_KINDS
# The number of results: the maximum, the default, and the default with `typeahead`.
LIMIT_MAX, LIMIT_DEFAULT, TYPEAHEAD_LIMIT = 100, 20, 10
NO_ROWS = "[]"


def _read_kinds(text: str) -> tuple[str, ...]:
    wanted = [each for each in map(str.strip, text.split(",")) if each]
    for each in wanted:
        if each not in KINDS_SEARCHED:
            known = ", ".join(KINDS_SEARCHED)
            raise ValueError(f"Select a valid choice. {each} is not one of: {known}.")
    return tuple(wanted)


OPTIONS = (
    Option(
        "q",
        str,
        {"type": "string"},
        "a name, a series with year and number (`night ferry (2026) 3`), a code, an id or a URL",
    ),
    Option(
        "kind",
        _read_kinds,
        {"type": "array", "items": {"type": "string", "enum": list(KINDS_SEARCHED)}},
        "kinds to search, separated by commas; all by default",
    ),
    Option(
        "limit",
        partial(read_size, LIMIT_MAX),
        integer(1, LIMIT_MAX),
        f"number of results; by default {LIMIT_DEFAULT}, or {TYPEAHEAD_LIMIT} with `typeahead`",
    ),
    Option(
        "typeahead",
        flag,
        {"type": "boolean"},
        "whether to return suggestions while somebody types: faster, as names that do not begin with the text"
        " are only searched if there are no others; values other than true, false, 1 and 0 are ignored",
    ),
)


def _results(rows: Select):
    """The rows of the response, the best first."""
    rows = rows.subquery("rows")
    reason = expressions.label_for_code(rows.c.reason, dict(enumerate(REASONS)))
    slash = expressions.constant("/")
    fields = {
        "kind": rows.c.kind,
        "id": rows.c.id,
        "name": rows.c.name,
        "reason": reason,
        "image": expressions.picture_url(rows.c.image),
        "resource_url": type_coerce(
            expressions.BASE + slash + rows.c.kind + slash + rows.c.slug + slash, Url
        ),
    }
    return select(*expressions.labelled_columns(fields)).order_by(rows.c.place)


BODY = {
    "kind": literal_column("kind", ChoiceText(*KINDS_SEARCHED)),
    "id": literal_column("id", Integer),
    "name": literal_column("name", String),
    "reason": literal_column("reason", ChoiceText(*REASONS)),
    "image": expressions.value_or_null(literal_column("true"), literal_column("image", Url)),
    "resource_url": literal_column("resource_url", Url),
}


class Search:
    """What the route serves: its responses depend on the parameters, and on the versions of all kinds."""

    formats = ()  # only JSON
    options = ()
    parameters = frozenset(each.name for each in OPTIONS) | {"format", "strict"}
    read = ReadDeclaration(
        ROUTE, cached_reads.LIST, "search", select_versions(*KINDS_SEARCHED, "series_type")
    )

    def body(self, request, _object_id: None = None, epoch: int | None = None) -> bytes:
        """The body; raises InvalidError, and EpochMovedError if it is not of the given epoch."""
        sent = option_values(OPTIONS, request)
        typeahead = sent.get("typeahead", False)
        question = ranked_search.search_parameters(
            request.read_pool,
            sent.get("q", ""),
            request.domain,
            limit=sent.get("limit", TYPEAHEAD_LIMIT if typeahead else LIMIT_DEFAULT),
            enough=1 if typeahead else ranked_search.ENOUGH,
            kinds=sent.get("kind", KINDS_SEARCHED),
        )
        values = question.values | base_urls(request)
        is_short = typeahead and question.is_plain
        found, now = request.read_pool.fetch(self._queries[is_short], values)
        if is_short and found == NO_ROWS:
            found, now = request.read_pool.fetch(self._queries[False], values)
        if epoch is not None and now != epoch:
            raise EpochMovedError
        return to_json({"results": orjson.loads(found)})

    @cached_property
    def _queries(self) -> dict[bool, CompiledQuery]:
        """The statements, by whether they search only for beginnings of names."""
        return {
            is_short: CompiledQuery.of(
                select(expressions.rows_as_json(_results(rows())), EPOCH_NOW.scalar_subquery())
            )
            for is_short, rows in (
                (False, ranked_search.rows_statement),
                (True, ranked_search.beginnings_statement),
            )
        }


class SearchResource(Resource):
    """Objects of all kinds that match a text, best first."""

    title = "search"

    @classmethod
    def openapi_description(cls, registry):  # noqa: ARG003
        """The parameters and the body."""
        result = expressions.json_object("SearchResult", **BODY)
        return {
            "description": (
                "Best results first: barcodes, ISBNs and SKUs of issues and variants; names equal to the "
                "text; ids, ours (`issue 123`) and external ones (`cv 4000-123`), and URLs; names that begin "
                "with the text or have one typing error; names with all its words; aliases; and similar "
                "names if there are few results. Case, accents, signs, spaces, articles and `and` are "
                "ignored."
            ),
            "parameters": query_parameters(OPTIONS),
            "body": ResponseBody("SearchFound", {"results": literal_column("results", JsonList(result))}),
        }

    def get(self):
        """The results for a text."""
        request, served = self.request, self.request.registry["comicsdb_api.reads"][ROUTE]
        stamps = cached_reads.stamps(request, served.read, None)
        return cached_reads.cached_response(
            request, served, None, stamps, lambda: with_tag(served.body(request))
        )


def includeme(config):
    """Serve the search, and list it in the root."""
    config.registry["comicsdb_api.lists"]["search"] = ROUTE
    serve(config, SearchResource, ROUTE, "/api/search/", {"GET": "get"}, served=Search())
