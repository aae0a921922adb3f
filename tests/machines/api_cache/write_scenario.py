"""All kinds of writes to the catalog: through its service, over HTTP, and in bulk."""

from sqlalchemy import select

from comicsdb.catalog import Catalog, parts
from comicsdb.catalog.history.revert import revert
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance import bulk
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.catalog.maintenance.move import move_publisher
from comicsdb.catalog.maintenance.repair_slugs import fix_start_year, issue_ids_of_series, rebuild_issue_slugs
from comicsdb.db import session_factory
from comicsdb.library.ratings import rate
from comicsdb.models import Publisher
from tests.conftest import SAVEPOINT_MODE
from tests.factories import history_of
from tests.machines.api_cache.world import TODAY, Ids
from tests.machines.propagation.writes import MODELS, Positions


class WriteScenario:
    """A sequence of transactions on the seed data of an environment, undone by `end`."""

    def __init__(self, environment):
        self.environment = environment
        self.point = environment.connection.begin_nested()
        factory = session_factory(environment.connection)
        factory.configure(**SAVEPOINT_MODE)
        self.session = factory()
        self.catalog = Catalog(self.session)
        self.imports = environment.seed_data.imports.copy()
        self.ids = Ids(self.session)
        environment.app.registry["comicsdb.cache"].clear()  # versions repeat after a rollback
        environment.app.registry["comicsdb.validator_cache"].clear()

    def end(self) -> None:
        """Undo all writes."""
        self.session.close()
        self.point.rollback()

    def positions(self) -> Positions:
        """The objects that existed after the last transaction."""
        return Positions(self.ids, self.environment.seed_data.hidden)

    def object_at(self, kind: str, position: int):
        """The object at a position, or None."""
        each = self.positions().at(kind, position)
        return each and self.session.get(MODELS[kind], each)

    def update(self, kind: str, position: int, drawing: dict) -> None:
        """Change an object, if it exists."""
        entity = self.object_at(kind, position)
        values = entity and self.positions().values(kind, drawing, entity.id)
        if values is not None:
            self.catalog.update(entity, values)

    def update_parts(self, kind: str, position: int, drawing: dict) -> None:
        """Change links and parts of an object, if it exists, but not the object itself, as imports do."""
        each = self.positions().at(kind, position)
        if each is None:
            return
        values = self.positions().values(kind, drawing, each)
        for link in KINDS[kind].links:
            if link.field in values:
                parts.replace_links(self.session, kind, link, each, values[link.field])
        if "credits" in values:
            parts.replace_credits(self.session, each, values["credits"])
        if "variants" in values:
            parts.replace_variants(self.session, each, values["variants"])
        if "attributions" in values:
            parts.replace_attributions(self.session, kind, each, values["attributions"])
        self.catalog.unit.propagate()

    def delete(self, kind: str, position: int) -> None:
        """Delete an object, if it exists."""
        entity = self.object_at(kind, position)
        if entity is not None:
            self.catalog.delete(entity)

    def merge(self, kind: str, kept: int, other: int) -> None:
        """Merge an object into another one, if both exist."""
        canonical, loser = self.object_at(kind, kept), self.object_at(kind, other)
        if loser is not None and canonical is not loser:
            merge(self.catalog, canonical, loser)

    def move(self, publisher: int, parent: int) -> None:
        """Make a publisher an imprint of another one, if both exist."""
        moved, owner = self.object_at("publisher", publisher), self.object_at("publisher", parent)
        if owner is not None and moved is not owner:
            move_publisher(self.catalog, moved, owner, with_children=True)

    def readdress(self, position: int, year: int) -> None:
        """Give a series another start year, and rebuild its slug and those of its issues."""
        series = self.object_at("series", position)
        if series is not None:
            fix_start_year(self.catalog, series, year)
            rebuild_issue_slugs(self.catalog, issue_ids_of_series(self.session, [series.id]))

    def revert(self, kind: str, position: int, version: int) -> None:
        """Revert an object to an older version, without links to objects that no longer exist."""
        entity = self.object_at(kind, position)
        if entity is None:
            return
        versions = history_of(self.session, kind, entity.id)
        if versions:
            storage = self.environment.app.registry["comicsdb.media"]
            chosen, stamp = versions[version % len(versions)], entity.modified
            revert(self.catalog, storage, entity, chosen, modified=stamp, without_missing=True)

    def act_on_many(self, act: str, *positions: int) -> None:
        """Apply a bulk action of the staff: to series for rebuilding slugs, otherwise to issues."""
        reachable = self.positions()
        kind = "series" if act == "rebuild_slugs" else "issue"
        chosen = {each for position in positions if (each := reachable.at(kind, position)) is not None}
        if not chosen:
            return
        if act == "delete":
            bulk.delete(self.catalog, chosen, kind)
        elif act == "add_executives":
            publishers = self.session.scalars(select(Publisher.id)).all()
            creator = reachable.at("creator", 0)
            executives = {each: [(creator, "Role Two")] for each in publishers}
            bulk.add_executives(self.catalog, chosen, executives)
        else:
            getattr(bulk, act)(self.catalog, chosen)

    def patch(self, kind: str, position: int, field: str, value: str) -> int:
        """Change a field of an object through the API as an editor; returns the status."""
        return self._through_http(kind, position, lambda writer, entity: writer.patch(entity, field, value))

    def submit(self, kind: str, position: int, field: str, value: str) -> int:
        """Change a field of an object with the form on the site; returns the status."""
        return self._through_http(kind, position, lambda writer, entity: writer.submit(entity, field, value))

    def _through_http(self, kind: str, position: int, write) -> int:
        self.session.commit()
        entity = self.object_at(kind, position)
        status = write(self.environment.writer, entity) if entity is not None else 404
        self.session.expire_all()
        return status

    def rate(self, position: int, user: int, stars: int | None) -> None:
        """Rate an issue, or remove the rating."""
        issue = self.object_at("issue", position)
        if issue is not None:
            rate(self.session, issue, self.environment.seed_data.users[user], stars, today=TODAY)
