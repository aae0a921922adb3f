"""The resources that the API serves: one line for each, in the order in which the root lists them."""

from comicsdb_api.resource.base import serve
from comicsdb_api.resources.arc import ArcResource
from comicsdb_api.resources.character import CharacterResource
from comicsdb_api.resources.creator import CreatorResource
from comicsdb_api.resources.credit import CreditResource
from comicsdb_api.resources.history import add_history
from comicsdb_api.resources.imprint import ImprintResource
from comicsdb_api.resources.issue import IssueResource
from comicsdb_api.resources.part import serve_part
from comicsdb_api.resources.publisher import PublisherResource
from comicsdb_api.resources.reading_list import ReadingListResource
from comicsdb_api.resources.reference import RoleResource, SeriesTypeResource
from comicsdb_api.resources.root import RootResource
from comicsdb_api.resources.series import SeriesResource
from comicsdb_api.resources.team import TeamResource
from comicsdb_api.resources.universe import UniverseResource
from comicsdb_api.resources.variant import VariantResource

WITH_HISTORY = (
    ArcResource,
    CharacterResource,
    CreatorResource,
    ImprintResource,
    IssueResource,
    PublisherResource,
    SeriesResource,
    TeamResource,
    UniverseResource,
)


def includeme(config):
    """Serve all resources."""
    serve(config, RootResource, "api.root", "/api/", {"GET": "get"})
    config.add_entity_resource(ArcResource)
    config.add_entity_resource(CharacterResource)
    config.include(".collection")
    config.add_entity_resource(CreatorResource)
    serve_part(config, CreditResource)
    config.add_entity_resource(ImprintResource)
    config.add_entity_resource(IssueResource)
    config.add_entity_resource(PublisherResource)
    config.include(".pull_list")
    config.include(".read")
    config.add_entity_resource(ReadingListResource)
    config.include(".wish_list")
    config.add_entity_resource(RoleResource)
    config.add_entity_resource(SeriesResource)
    config.include(".series_tags")
    config.add_entity_resource(SeriesTypeResource)
    config.add_entity_resource(TeamResource)
    config.add_entity_resource(UniverseResource)
    serve_part(config, VariantResource)
    for resource in WITH_HISTORY:
        add_history(config, resource)
    config.include(".changes")
    config.include(".cover")
    config.include(".gtin")
    config.include(".match")
    config.include(".crosswalk")
    config.include(".search")
