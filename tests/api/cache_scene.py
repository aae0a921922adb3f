"""Somebody who writes to the catalogue through its service, and a reader who looks at what has changed."""

from collections import defaultdict
from random import Random

from sqlalchemy import select

from comicsdb.catalog import Catalog, bulk, parts
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.merge import merge
from comicsdb.catalog.move import move_publisher
from comicsdb.catalog.repair_slugs import fix_start_year
from comicsdb.catalog.revert import revert
from comicsdb.db import session_factory
from comicsdb.library.ratings import rate
from comicsdb.light import Light
from comicsdb.models import History, Issue, Publisher, Tombstone
from tests.api.cache_addresses import Addresses
from tests.api.cache_bodies import Bodies, Key, Slot, Statements
from tests.api.cache_reader import SOMETIMES, Address, Reader, before_statement
from tests.api.cache_world import TODAY, Ids, Stage
from tests.conftest import ROLLED_BACK
from tests.core.propagation.world import OWNERS
from tests.core.propagation.writes import MODELS, Positions


class Theatre:
    """What scenes share: a connection, the application with a cache and without, a catalogue to begin with.

    `credentials` are headers of which every request takes one; `writer` writes by HTTP (`cache_writer`).
    """

    def __init__(self, connection, app, bare, stage: Stage, credentials: list[dict[str, str]], writer=None):
        self.connection = connection
        self.app = app
        self.bare = bare
        self.stage = stage
        self.credentials = credentials
        self.writer = writer
        self.addresses = Addresses(stage)
        self.statements = Statements(app.registry)
        self.counts: dict[str, int] = defaultdict(int)  # what readers saw, and how often
        bare.registry["comicsdb.light"] = Light(lambda: connection)
        bare.registry["comicsdb.session_factory"].configure(bind=connection, **ROLLED_BACK)


class Scene:
    """A sequence of transactions and reads; nothing of it is left after `end`."""

    def __init__(self, theatre: Theatre):
        self.theatre = theatre
        self.addresses = theatre.addresses
        self.point = theatre.connection.begin_nested()
        factory = session_factory(theatre.connection)
        factory.configure(**ROLLED_BACK)
        self.session = factory()
        self.catalog = Catalog(self.session)
        self.imports = theatre.stage.imports.copy()
        self.reader = Reader(theatre.app, theatre.bare, theatre.credentials, theatre.counts)
        self.ids = Ids(self.session)
        self.bodies = Bodies(self.session, theatre.statements)
        self.gone: set[Key] = set()
        theatre.app.registry["comicsdb.cache"].clear()  # after a rollback, versions come again
        theatre.app.registry["comicsdb_api.remembered"].forget()
        random = Random(0)
        # What was read since it changed the last time, and where.
        self.cached: dict[Slot, Address] = {("list", "", 0): self.addresses.some_far(random)}
        for slot in self.addresses.slots(self.addresses.objects(self.ids)):
            self.cached[slot] = self.addresses.of(slot, random)
        for kind in OWNERS:
            self.cached["list", kind, 0] = self.addresses.whole_list(kind, random)
        for address in self.cached.values():
            self.reader.ask(theatre.app, address, random)

    def end(self) -> None:
        """Forget what was written."""
        self.session.close()
        self.point.rollback()

    # Writing.

    def reachable(self) -> Positions:
        """The objects there were after the last transaction."""
        return Positions(self.ids, self.theatre.stage.hidden)

    def found(self, kind: str, position: int):
        """The object at a position, or None."""
        each = self.reachable().at(kind, position)
        return each and self.session.get(MODELS[kind], each)

    def update(self, kind: str, position: int, drawing: dict) -> None:
        """Change an object, if there is one."""
        entity = self.found(kind, position)
        values = entity and self.reachable().values(kind, drawing, entity.id)
        if values is not None:
            self.catalog.update(entity, values)

    def update_parts(self, kind: str, position: int, drawing: dict) -> None:
        """Change links and parts of an object, if there is one, and not the object itself: as imports do."""
        each = self.reachable().at(kind, position)
        if each is None:
            return
        values = self.reachable().values(kind, drawing, each)
        for link in KINDS[kind].links:
            if link.field in values:
                parts.replace_links(self.session, kind, link, each, values[link.field])
        if "credits" in values:
            parts.replace_credits(self.session, each, values["credits"])
        if "variants" in values:
            parts.replace_variants(self.session, each, values["variants"])
        if "attributions" in values:
            parts.replace_attributions(self.session, kind, each, values["attributions"])
        self.catalog.unit.settle()

    def delete(self, kind: str, position: int) -> None:
        """Delete an object, if there is one."""
        entity = self.found(kind, position)
        if entity is not None:
            self.catalog.delete(entity)

    def merge(self, kind: str, kept: int, other: int) -> None:
        """Merge an object into another one, if there are two."""
        canonical, loser = self.found(kind, kept), self.found(kind, other)
        if loser is not None and canonical is not loser:
            merge(self.catalog, canonical, loser)

    def move(self, publisher: int, parent: int) -> None:
        """Make a publisher an imprint of another one, if there are two."""
        moved, owner = self.found("publisher", publisher), self.found("publisher", parent)
        if owner is not None and moved is not owner:
            move_publisher(self.catalog, moved, owner, with_children=True)

    def readdress(self, position: int, year: int) -> None:
        """Give a series another year, and itself and its issues the slugs that go with it."""
        series = self.found("series", position)
        if series is not None:
            fix_start_year(self.catalog, series, year)

    def revert(self, kind: str, position: int, version: int) -> None:
        """Bring an object back to one of its older states, without what is not there any more."""
        entity = self.found(kind, position)
        if entity is None:
            return
        older = select(History).where(History.kind == kind, History.object_id == entity.id)
        versions = self.session.scalars(older.order_by(History.id)).all()
        if versions:
            storage = self.theatre.app.registry["comicsdb.media"]
            chosen, stamp = versions[version % len(versions)], entity.modified
            revert(self.catalog, storage, entity, chosen, modified=stamp, without_missing=True)

    def act_on_many(self, act: str, *positions: int) -> None:
        """One of the staff's acts on several objects: of the series to rebuild slugs, otherwise of issues."""
        reachable = self.reachable()
        kind = "series" if act == "rebuild_slugs" else "issue"
        chosen = {each for position in positions if (each := reachable.at(kind, position)) is not None}
        if not chosen:
            return
        if act == "delete":
            bulk.delete(self.catalog, Issue, chosen)
        elif act == "add_executives":
            publishers = self.session.scalars(select(Publisher.id)).all()
            creator = reachable.at("creator", 0)
            executives = {each: [(creator, "Role Two")] for each in publishers}
            bulk.add_executives(self.catalog, chosen, executives)
        else:
            getattr(bulk, act)(self.catalog, chosen)

    def patch(self, kind: str, position: int, field: str, value: str) -> int:
        """Change a field of an object through the API, as an editor; gives the status."""
        return self._through_http(kind, position, lambda writer, entity: writer.patch(entity, field, value))

    def submit(self, kind: str, position: int, field: str, value: str) -> int:
        """Change a field of an object in the form of its page; gives the status."""
        return self._through_http(kind, position, lambda writer, entity: writer.submit(entity, field, value))

    def _through_http(self, kind: str, position: int, write) -> int:
        self.session.commit()
        entity = self.found(kind, position)
        status = write(self.theatre.writer, entity) if entity is not None else 404
        self.session.expire_all()
        return status

    def rate(self, position: int, user: int, stars: int | None) -> None:
        """Give stars to an issue, or take them back."""
        issue = self.found("issue", position)
        if issue is not None:
            rate(self.session, issue, self.theatre.stage.users[user], stars, today=TODAY)

    # Reading.

    def status(self, key: Key) -> int:
        """What a request for an object has to end with."""
        if key[1] in self.ids.rows[key[0]] or key in self.theatre.stage.backdrop.items():
            return 200
        tombstone = self.session.get(Tombstone, key, populate_existing=True)
        survivor = tombstone and tombstone.survivor_id
        return 301 if survivor in self.ids.rows[key[0]] else 404

    def look_around(self, random: Random) -> None:
        """Read what has changed, wherever it is shown, and a few other things, which must be as they were."""
        before, self.ids = self.ids, Ids(self.session)
        self.gone |= {key for key in before.all - self.ids.all if key[0] in OWNERS}
        earlier, self.bodies = self.bodies, Bodies(self.session, self.theatre.statements)
        slots, kinds = self.bodies.changed(earlier)
        for slot in sorted(self.choose(slots, random)):
            self.look(slot, self.cached.get(slot) or self.addresses.of(slot, random), random)
        others = _sample(self.gone, random) + _sample(self.addresses.objects(self.ids), random)
        for slot in self.addresses.slots(others):
            self.look(slot, self.addresses.of(slot, random), random)
        for kind in sorted(kinds):
            self.look_at_list(kind, random)
        if random.random() < SOMETIMES:
            self.look_at_list("", random)

    def choose(self, slots: set[Slot], random: Random) -> set[Slot]:
        """Three of each sort that were read since they changed the last time: no others can be in the cache.

        One of the others is read as well, for the next time.
        """
        chosen = set()
        for sort in sorted({slot[:2] for slot in slots}):
            alike = sorted(slot for slot in slots if slot[:2] == sort)
            random.shuffle(alike)
            chosen.update([slot for slot in alike if slot in self.cached][:3])
            chosen.update([slot for slot in alike if slot not in self.cached][:1])
        for slot in slots - chosen:
            self.cached.pop(slot, None)
        return chosen

    def look(self, slot: Slot, address: Address, random: Random) -> None:
        """Read an object or the list below it: it is there as long as the object is."""
        self.reader.look(address, random, self.status(slot[1:]))
        self.cached[slot] = address

    def look_at_list(self, kind: str, random: Random) -> None:
        """Read the list of a kind that was read last, now and then another; without kind a far page."""
        slot = ("list", kind, 0)
        self.reader.look(self.cached[slot], random)
        if random.random() < SOMETIMES:
            self.cached[slot] = (
                self.addresses.some_list(kind, random) if kind else self.addresses.some_far(random)
            )
            self.reader.look(self.cached[slot], random)

    def read_while(self, key: Key, write, place: int, random: Random, status: int) -> None:
        """Read an object, or a list, while `write` is done before the statement number `place`.

        `status` is what a request for the object ends with afterwards.
        """
        address, wanted = random.choice(
            [
                (self.addresses.of(("detail", *key), random), status),
                (self.addresses.some_list(key[0], random), None),
                (self.addresses.some_list("issue", random), None),
                (self.addresses.some_far(random), None),
            ]
        )
        if random.random() < 0.8:  # an address that nobody asked for yet: all its statements are sent
            address = _unasked(address, random)
        interrupted = before_statement(self.theatre.connection, place, write)
        self.reader.look_while(address, random, interrupted, wanted)
        self.look_around(random)


def _unasked(address: Address, random: Random) -> Address:
    return address._replace(query=f"{address.query}&utm={random.random()}".lstrip("&"))


def _sample(keys, random: Random) -> list[Key]:
    return random.sample(sorted(keys), min(1, len(keys)))
