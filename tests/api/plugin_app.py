"""A fourth package, as small as one can be: arcs, served once more under a name of its own."""

from comicsdb.models import Arc
from comicsdb_api.resource.base import EntityResource


class SagaResource(EntityResource):
    """Sagas."""

    model = Arc

    @classmethod
    def kind(cls):
        """Not the name of the table, which is served already."""
        return "saga"

    @classmethod
    def detail_fields(cls):
        """What the default says, and the description."""
        return super().detail_fields() | {"desc": Arc.__table__.c.desc}


def includeme(config):
    """Serve them."""
    config.include("comicsdb_api")
    config.add_entity_resource(SagaResource)
