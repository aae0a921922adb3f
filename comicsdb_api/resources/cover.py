"""Search for similar covers, by perceptual hashes or by a picture (`/api/cover/`)."""

import orjson
from sqlalchemy import String, func, literal_column, select
from sqlalchemy.dialects.postgresql import distinct_on

from comicsdb.catalog import covers
from comicsdb.imaging.picture import PictureError
from comicsdb.media.uploads import hashes_of_upload
from comicsdb.models import Variant
from comicsdb.readcache.etag import with_tag
from comicsdb.schemas import ObjectSchema
from comicsdb.schemas.base import field
from comicsdb.schemas.types import Integer as IntegerField
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_api.errors import BadRequestError
from comicsdb_api.openapi.common import query_parameters
from comicsdb_api.openapi.schemas import Components
from comicsdb_api.resource import bodies, expressions, filters
from comicsdb_api.resource.base import Resource, serve
from comicsdb_api.resource.bodies import PARTS, File
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.resource.filters import BadValueError, Filter
from comicsdb_api.resource.operations import Operation, ResponseBody
from comicsdb_api.resource.types import ChoiceText, JsonList
from comicsdb_api.resource.writes import IMAGE, NO_FILE, NO_PICTURE, validated
from comicsdb_api.resources.issue import IssueResource, issue, issue_and_variant
from comicsdb_api.responses import base_urls, json_response, to_json

RESULTS_MAX = 100  # covers in one response, the nearest
variant = Variant.__table__


class HashParameter(Filter):
    """A hash of 64 bits."""

    schema = {"type": "string", "pattern": "^[0-9a-fA-F]{1,16}$"}
    description = "{}, up to 16 hexadecimal digits."

    def parse(self, value, zone) -> tuple[str, str]:  # noqa: ARG002
        """The kind and the digits."""
        try:
            covers.signed(value)
        except ValueError as error:
            raise BadValueError(self.name, str(error)) from error
        return self.name, value


class DistanceParameter(Filter):
    """The maximum number of differing bits."""

    schema = {
        "type": "integer",
        "minimum": 0,
        "maximum": covers.DISTANCE_MAX,
        "default": covers.DEFAULT_DISTANCE,
    }
    error_message = f"Enter a whole number from 0 to {covers.DISTANCE_MAX}."

    def parse(self, value, zone) -> tuple[str, int]:  # noqa: ARG002
        """The name and the number."""
        number = whole_number(value, 0, covers.DISTANCE_MAX)
        if number is None:
            raise self.value_error()
        return self.name, number


FILTERS = (
    *(HashParameter(kind, None, f"the {kind} of a picture") for kind in covers.HASH_COLUMNS),
    DistanceParameter("max", None, "maximum number of bits, out of 64, in which hashes may differ"),
)


def row_fields(found) -> dict:
    """The fields of a cover; `found` has the columns of `covers.near_covers`."""
    return {
        **issue_and_variant("CoverVariant"),
        "kind": expressions.type_coerce(found.kind, ChoiceText(*covers.HASH_COLUMNS)),
        "hash": func.lpad(func.to_hex(found.hash), 16, "0", type_=String),
        "distance": found.distance,
    }


def nearest(request, wanted: dict[str, str], max_distance: int) -> list[dict]:
    """The covers nearest to any of the hashes (by kind), each once, by distance; raises ValueError."""
    matches = covers.near_covers(wanted, max_distance)
    place = (matches.c.issue_id, func.coalesce(matches.c.variant_id, literal_column("0")))
    once = select(matches).ext(distinct_on(*place)).order_by(*place, matches.c.distance, matches.c.kind)
    found = once.subquery("found")
    order = (found.c.distance, found.c.issue_id, found.c.variant_id.nulls_first())
    source = IssueResource.row_source().join(found, found.c.issue_id == issue.c.id)
    rows = (
        select(*expressions.labelled_columns(row_fields(found.c)))
        .select_from(source.outerjoin(variant, variant.c.id == found.c.variant_id))
        .order_by(*order)
        .limit(RESULTS_MAX)
    )
    (results,) = request.read_pool.first(select(expressions.rows_as_json(rows)), base_urls(request))
    return orjson.loads(results)


class PictureSchema(ObjectSchema):
    """The fields that may be sent with a picture."""

    max = field(IntegerField(0, covers.DISTANCE_MAX))


class CoverResource(Resource):
    """Covers of issues and variants that look like a picture."""

    title = "cover search"
    permission = Permission.API
    parses = (PARTS,)

    @classmethod
    def body_fields(cls) -> dict:
        """The fields of the response, described by the columns of an arbitrary search."""
        match = expressions.json_object("CoverMatch", **row_fields(covers.near_covers({"phash": "0"}, 0).c))
        digits = expressions.value_or_null(literal_column("true"), literal_column("''", String))
        return {
            "hashes": expressions.json_object("CoverHashes", **dict.fromkeys(covers.HASH_COLUMNS, digits)),
            "results": literal_column("results", JsonList(match)),
        }

    @classmethod
    def openapi_description(cls, registry):  # noqa: ARG003
        """The parameters and the body of a search by hashes."""
        body = Components().object_of(cls.body_fields())
        return {
            "description": f"The {RESULTS_MAX} nearest covers, each once; one matching hash is enough.",
            "parameters": query_parameters(FILTERS),
            "content": {"application/json": {"schema": body}},
        }

    def get(self):
        """Covers by the hashes of a picture; without a hash there are none."""
        request = self.request
        zone = request.registry.settings["comicsdb.timezone"]
        sent = dict(filters.parse_filters(FILTERS, request.api_parameters, zone=zone))
        max_distance = sent.pop("max", covers.DEFAULT_DISTANCE)
        return conditional_response(request, with_tag(to_json(self._body(sent, sent, max_distance))))

    def post(self):
        """Covers that look like a picture, which is not stored."""
        request = self.request
        sent = bodies.parse_body(request, self.parses)
        file = sent.field(IMAGE)
        if not isinstance(file, File) or not file.data:
            raise BadRequestError({IMAGE: [NO_FILE]})
        max_distance = validated(sent, PictureSchema).get("max", covers.DEFAULT_DISTANCE)
        try:
            member = request.identity.user_id if request.identity else None  # on a mirror, anybody
            hashes = hashes_of_upload(request.dbsession, file.data, member)
        except PictureError as error:
            raise BadRequestError({IMAGE: [NO_PICTURE]}) from error
        return json_response(request, self._body(hashes, {"phash": hashes["phash"]}, max_distance))

    def _body(self, hashes: dict[str, str], wanted: dict[str, str], max_distance: int) -> dict:
        shown = {kind: hashes.get(kind) for kind in covers.HASH_COLUMNS}
        return {"hashes": shown, "results": nearest(self.request, wanted, max_distance) if wanted else []}


CoverResource.operations = {
    "POST": Operation(
        "Find covers that look like a picture, which is not stored",
        {
            200: (
                "The hashes of the picture, and covers near its pHash.",
                ResponseBody("CoverFound", CoverResource.body_fields()),
            )
        },
        PictureSchema,
        "CoverInput",
        requires_picture=True,
    )
}


def includeme(config):
    """Serve the search, and list it in the root."""
    config.registry["comicsdb_api.lists"]["cover"] = "api.cover"
    serve(
        config,
        CoverResource,
        "api.cover",
        "/api/cover/",
        {"GET": "get", "POST": "post"},
        writing=Permission.API,
    )
