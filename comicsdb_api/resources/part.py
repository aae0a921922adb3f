"""The base of resources for parts of an issue, which are written separately but read with the issue."""

from comicsdb.security import Permission
from comicsdb_api.resource.base import EntityResource, serve
from comicsdb_api.responses import PATH_PREFIX, ROUTE_PREFIX


class PartResource(EntityResource):
    """A resource that can be written, but not read."""

    permission = Permission.API

    @classmethod
    def list_methods(cls) -> dict[str, str]:
        """Only POST."""
        return {"POST": "collection_post"}

    @classmethod
    def detail_methods(cls) -> dict[str, str]:
        """Only PUT and PATCH."""
        return {"PUT": "put", "PATCH": "patch"}


def serve_part(config, resource: type[PartResource]) -> None:
    """Serve a part, and list it in the root."""
    kind = resource.kind()
    path, route = f"{PATH_PREFIX}{kind}/", f"{ROUTE_PREFIX}{kind}"
    config.registry["comicsdb_api.lists"][kind] = f"{route}.list"
    serve(config, resource, f"{route}.list", path, resource.list_methods())
    if resource.detail_methods():
        serve(config, resource, route, path + "{id}/", resource.detail_methods())
