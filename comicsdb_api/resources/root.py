"""The root of the API, which lists the other resources."""

from comicsdb.readcache.etag import with_tag
from comicsdb_api.resource.base import Resource
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.responses import to_json


class RootResource(Resource):
    """The URLs of all lists."""

    title = "root"

    @classmethod
    def openapi_description(cls, registry):
        """The body: a URL for each list."""
        addresses = {kind: {"type": "string", "format": "uri"} for kind in registry["comicsdb_api.lists"]}
        body = {"type": "object", "properties": addresses, "required": list(addresses)}
        return {"content": {"application/json": {"schema": body}}}

    def get(self):
        """The absolute URL of each list by its name."""
        lists = self.request.registry["comicsdb_api.lists"]
        body = {kind: self.request.route_url(route) for kind, route in lists.items()}
        return conditional_response(self.request, with_tag(to_json(body)))
