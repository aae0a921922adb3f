"""A minimal package that extends the API: arcs, served a second time under another name."""

from comicsdb.models import Arc
from comicsdb_api.resource.base import EntityResource


class SagaResource(EntityResource):
    """Sagas."""

    model = Arc

    @classmethod
    def kind(cls):
        """Another name than the table's, which is served already."""
        return "saga"

    @classmethod
    def detail_fields(cls):
        """The default fields, and the description."""
        return super().detail_fields() | {"desc": Arc.__table__.c.desc}


def includeme(config):
    """Serve sagas."""
    config.include("comicsdb_api")
    config.add_entity_resource(SagaResource)
