"""The OpenAPI 3.1 document at `/api/schema/`, in YAML or JSON; describes only what the caller may do."""

from collections.abc import Callable

from comicsdb.readcache.etag import with_tag
from comicsdb.security import Permission
from comicsdb_api.errors import NOT_ACCEPTABLE, NOT_FOUND, RefusedError
from comicsdb_api.negotiation import parameter, preferred_media_type
from comicsdb_api.openapi.common import MORE_HEADERS
from comicsdb_api.openapi.document import document, endpoints
from comicsdb_api.resource.base import Resource, serve
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.responses import FORMAT_KEY, to_json

ROUTE, PATH = "api.schema", "/api/schema/"
YAML, JSON = "yaml", "json"
# The media types offered, in order of preference.
OFFERS = {
    "application/vnd.oai.openapi": YAML,
    "application/yaml": YAML,
    "application/vnd.oai.openapi+json": JSON,
    "application/json": JSON,
}


class Descriptions:
    """The OpenAPI documents, one for each set of rights; each process generates them once."""

    def __init__(self, registry):
        self._registry = registry
        self._documents: dict[tuple, dict] = {}
        self._entries: dict[tuple, bytes] = {}

    def rights(self, may: Callable[[str], bool]) -> frozenset:
        """The caller's permissions, out of those that any endpoint requires."""
        asked = {endpoint.permission for endpoint in endpoints(self._registry)}
        return frozenset(each for each in asked if may(each))

    def document(self, rights: frozenset, root: str = "") -> dict:
        """The document as plain values; `root` is the path of the application on its server."""
        key = (rights, root)
        if key not in self._documents:
            self._documents[key] = document(self._registry, rights.__contains__, root or "/")
        return self._documents[key]

    def tagged_document(self, rights: frozenset, root: str, form: str) -> bytes:
        """The document as YAML or JSON, preceded by its entity tag."""
        key = (rights, root, form)
        if key not in self._entries:
            made = self.document(rights, root)
            if form == YAML:
                from comicsdb_api.openapi.yaml_format import to_yaml  # noqa: PLC0415  (slow to import)

                self._entries[key] = with_tag(to_yaml(made))
            else:
                self._entries[key] = with_tag(to_json(made))
        return self._entries[key]


class SchemaResource(Resource):
    """The OpenAPI document, limited to what the caller may do."""

    title = "schema"
    renders = tuple(OFFERS)

    @classmethod
    def openapi_description(cls, registry):  # noqa: ARG003
        """One document in several formats."""
        form = {
            "name": "format",
            "in": "query",
            "description": "The format; by default that of `Accept`, or else YAML.",
            "schema": {"type": "string", "enum": [YAML, JSON]},
        }
        own = {"Content-Disposition": MORE_HEADERS["Content-Disposition"]}
        return {
            "parameters": [form],
            "content": {media_type: {"schema": {"type": "object"}} for media_type in OFFERS},
            "headers": own,
        }

    def get(self):
        """The document in the negotiated format."""
        media_type = negotiate(self.request)
        form = OFFERS[media_type]
        descriptions = self.request.registry["comicsdb_api.descriptions"]
        rights = descriptions.rights(self.request.has_permission)
        content_type = f"{media_type}; charset=utf-8" if form == YAML else media_type
        return conditional_response(
            self.request,
            descriptions.tagged_document(rights, self.request.script_name, form),
            (("Content-Disposition", f'inline; filename="comicsdb API.{form}"'),),
            content_type=("Content-Type", content_type),
        )


def negotiate(request) -> str:
    """The media type of the response; raises RefusedError (404 for an unknown format, or 406)."""
    asked = request.environ.get(FORMAT_KEY) or parameter(request, "format")
    if asked and asked not in {YAML, JSON}:
        raise RefusedError(404, NOT_FOUND)
    offers = [media_type for media_type, form in OFFERS.items() if not asked or form == asked]
    chosen = preferred_media_type(request.environ.get("HTTP_ACCEPT", ""), offers)
    if chosen is None:
        raise RefusedError(406, NOT_ACCEPTABLE)
    return chosen


def includeme(config):
    """Serve the document to everybody; it is generated on first request, when all packages are included."""
    serve(config, SchemaResource, ROUTE, PATH, {"GET": "get"}, permission=Permission.API_SCHEMA)
    config.registry["comicsdb_api.negotiators"][ROUTE] = negotiate
    config.registry["comicsdb_api.descriptions"] = Descriptions(config.registry)
