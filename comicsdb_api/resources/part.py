"""What belongs to an issue and is written by itself, but read with the issue."""

from comicsdb.security import Permission
from comicsdb_api.resource.base import EntityResource, serve
from comicsdb_api.responses import PATH_PREFIX, ROUTE_PREFIX


class PartResource(EntityResource):
    """Rows that have no address to read them at."""

    permission = Permission.API

    @classmethod
    def list_methods(cls) -> dict[str, str]:
        """POST alone."""
        return {"POST": "collection_post"}

    @classmethod
    def detail_methods(cls) -> dict[str, str]:
        """PUT and PATCH alone."""
        return {"PUT": "put", "PATCH": "patch"}


def serve_part(config, resource: type[PartResource]) -> None:
    """Serve a part, where the root lists it."""
    kind = resource.kind()
    path, route = f"{PATH_PREFIX}{kind}/", f"{ROUTE_PREFIX}{kind}"
    config.registry["comicsdb_api.lists"][kind] = f"{route}.list"
    serve(config, resource, f"{route}.list", path, resource.list_methods())
    if resource.detail_methods():
        serve(config, resource, route, path + "{id}/", resource.detail_methods())
