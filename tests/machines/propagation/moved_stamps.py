"""Single writes, and the objects whose stamps each of them moved."""

from comicsdb.catalog import Catalog
from tests.machines.propagation.world import World, moved


def keys(*entities) -> set[tuple[str, int]]:
    """The (kind, id) of objects."""
    return {(entity.__tablename__, entity.id) for entity in entities}


class MovedStamps:
    """The objects whose stamps a write moved, as sets of (kind, id)."""

    def __init__(self, before: World, after: World):
        self.modified = moved(before, after, "modified")
        self.lists = moved(before, after, "issues_modified")
        self.names = moved(before, after, "name_changed")
        self.rated = moved(before, after, "rated")


class Writer:
    """Writes through the catalog, each in a transaction of its own."""

    def __init__(self, session):
        self.session = session
        self.catalog = Catalog(session)

    def run(self, write, *arguments, **named) -> MovedStamps:
        """Call a function that writes, commit, and return what moved."""
        self.session.commit()
        before = World(self.session)
        write(*arguments, **named)
        self.session.commit()
        return MovedStamps(before, World(self.session))

    def update(self, entity, values: dict) -> MovedStamps:
        """Change an object, and return what moved."""
        return self.run(self.catalog.update, entity, values)

    def delete(self, entity) -> MovedStamps:
        """Delete an object, and return what moved."""
        return self.run(self.catalog.delete, entity)
