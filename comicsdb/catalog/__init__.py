"""The catalog: finding and changing its objects, and propagating changes."""

from comicsdb.catalog.errors import (
    CatalogError,
    ConflictError,
    GoneError,
    InvalidError,
    InvalidRowsError,
    MovedError,
    NotFoundError,
)
from comicsdb.catalog.kinds import Kind, add_kind
from comicsdb.catalog.service import Catalog


def _catalog(request) -> Catalog:
    identity = request.identity
    if identity is None:
        return Catalog(request.dbsession)
    return Catalog(request.dbsession, identity.user_id, actor_name=identity.username)


def includeme(config):
    """Add `request.catalog`, acting as the current user, and the directive for kinds of other packages."""
    config.add_request_method(_catalog, "catalog", reify=True)
    config.add_directive("add_catalog_kind", lambda _config, kind: add_kind(kind))
