"""Search by barcode: issues and variants with the code, or with the same product code (`/api/gtin/`)."""

import orjson
from sqlalchemy import Boolean, Integer, String, func, literal_column, or_, select
from sqlalchemy.dialects.postgresql import distinct_on

from comicsdb.catalog import search
from comicsdb.catalog.trade_numbers import Gtin, parse_gtin
from comicsdb.models import Variant
from comicsdb.readcache.etag import with_tag
from comicsdb_api.errors import BadRequestError
from comicsdb_api.openapi.common import query_parameters
from comicsdb_api.resource import expressions
from comicsdb_api.resource.base import Resource, serve
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.resource.filters import BadValueError, Filter
from comicsdb_api.resource.operations import ResponseBody
from comicsdb_api.resource.types import JsonList
from comicsdb_api.resources.issue import IssueResource, issue, issue_and_variant
from comicsdb_api.responses import base_urls, to_json

RESULTS_MAX = 100  # issues and variants in one response
variant = Variant.__table__


CODE = Filter("code", None, "barcode, as scanned or printed; spaces and hyphens are ignored")


def row_fields(found) -> dict:
    """The fields of an issue or variant with the same stem; `found` has the columns of `search.with_gtin`."""
    return {
        "code": found.code,
        "is_match": found.is_match,
        **issue_and_variant("CodeVariant"),
    }


def stem_query(code: Gtin):
    """The number of issues and variants with a code's stem, and their rows, those with the code first."""
    same_stem = search.with_gtin(*search.gtin_patterns(Gtin(code.stem)))
    c = same_stem.c
    is_match = or_(*(c.code.like(each) for each in search.gtin_patterns(code))).label("is_match")
    is_exact = c.code.in_([form + code.supplement for form in code.forms]).label("is_exact")
    place = (c.issue_id, c.variant_id)
    once = select(same_stem, is_match, is_exact).ext(distinct_on(*place))
    found = once.order_by(*place, is_exact.desc(), is_match.desc(), c.code).subquery("found")
    source = IssueResource.row_source().join(found, found.c.issue_id == issue.c.id)
    best_first = (found.c.is_exact.desc(), found.c.is_match.desc())
    rows = (
        select(*expressions.labelled_columns(row_fields(found.c)))
        .select_from(source.outerjoin(variant, variant.c.id == found.c.variant_id))
        .order_by(*best_first, *IssueResource.order(), found.c.variant_id.nulls_first())
        .limit(RESULTS_MAX)
    )
    return select(select(func.count()).select_from(found).scalar_subquery(), expressions.rows_as_json(rows))


class GtinResource(Resource):
    """Issues and variants with a barcode, and others that share its product code."""

    title = "barcode"

    @classmethod
    def body_fields(cls) -> dict:
        """The fields of the response."""
        found = select(search.with_gtin(""), literal_column("true", Boolean).label("is_match")).subquery().c
        row = expressions.json_object("CodeMatch", **row_fields(found))
        text = literal_column("''", String)
        return {
            "stem": text,
            "supplement": text,
            "count": literal_column("0", Integer),
            "results": literal_column("results", JsonList(row)),
        }

    @classmethod
    def openapi_description(cls, registry):  # noqa: ARG003
        """The parameter and the body."""
        return {
            "description": f"Up to {RESULTS_MAX} issues and variants; those with the code come first.",
            "parameters": query_parameters((CODE,)),
            "body": ResponseBody("CodeFound", cls.body_fields()),
        }

    def get(self):
        """Issues and variants with the code or its stem."""
        request = self.request
        try:
            sent = CODE.value_of(dict(request.api_parameters), CODE.name)
        except BadValueError as error:
            raise BadRequestError({error.field: [error.message]}) from error
        return conditional_response(request, with_tag(to_json(self._body(parse_gtin(sent)))))

    def _body(self, code: Gtin | None) -> dict:
        """The body; an invalid code finds nothing."""
        if code is None:
            return {"stem": "", "supplement": "", "count": 0, "results": []}
        count, rows = self.request.read_pool.first(stem_query(code), base_urls(self.request))
        found = {"count": count, "results": orjson.loads(rows)}
        return {"stem": code.stem, "supplement": code.supplement, **found}


def includeme(config):
    """Serve the search, and list it in the root."""
    config.registry["comicsdb_api.lists"]["gtin"] = "api.gtin"
    serve(config, GtinResource, "api.gtin", "/api/gtin/", {"GET": "get"})
