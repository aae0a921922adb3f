"""A fourth package, as small as one can be: arcs, served once more under a name of its own."""

from comicsdb.models import Arc
from comicsdb_api.entity import EntityResource


class SagaResource(EntityResource):
    """Sagas."""

    model = Arc

    @classmethod
    def kind(cls):
        """Not the name of the table, which is served already."""
        return "saga"

    def detail(self, row):
        """What the default says, and the description."""
        return self.summary(row) | {"desc": row.desc}


def includeme(config):
    """Serve them."""
    config.include("comicsdb_api")
    config.add_entity_resource(SagaResource)
