"""A reader who looks at what somebody's writes have changed, wherever the API shows it."""

from collections import defaultdict
from random import Random

from comicsdb.db.read_pool import ReadPool
from comicsdb.models import Tombstone
from tests.conftest import SAVEPOINT_MODE
from tests.machines.api_cache.acts import Acts
from tests.machines.api_cache.addresses import Addresses
from tests.machines.api_cache.bodies import Bodies, Key, Slot, Statements
from tests.machines.api_cache.reader import SOMETIMES, Address, Reader, before_statement
from tests.machines.api_cache.world import Ids, Stage
from tests.machines.propagation.world import OWNERS


class Theatre:
    """What scenes share: a connection, the application with a cache and without, a catalogue to begin with.

    `credentials` are headers of which every request takes one; `writer` writes by HTTP (`writer.Writer`).
    """

    def __init__(self, connection, app, bare, stage: Stage, credentials: list[dict[str, str]], writer=None):
        self.connection = connection
        self.app = app
        self.bare = bare
        self.stage = stage
        self.credentials = credentials
        self.writer = writer
        self.addresses = Addresses(stage)
        self.statements = Statements(connection, app.registry)
        self.counts: dict[str, int] = defaultdict(int)  # what readers saw, and how often
        bare.registry["comicsdb.read_pool"] = ReadPool(lambda: connection)
        bare.registry["comicsdb.session_factory"].configure(bind=connection, **SAVEPOINT_MODE)

    def scene(self) -> "Scene":
        """A new one."""
        return Scene(self)


class Scene(Acts):
    """A sequence of transactions and reads; nothing of it is left after `end`."""

    def __init__(self, theatre: Theatre):
        super().__init__(theatre)
        self.addresses = theatre.addresses
        self.reader = Reader(theatre.app, theatre.bare, theatre.credentials, theatre.counts)
        self.bodies = Bodies(theatre.statements)
        self.gone: set[Key] = set()
        random = Random(0)
        # What was read since it changed the last time, and where.
        self.cached: dict[Slot, Address] = {("list", "", 0): self.addresses.some_far(random)}
        for slot in self.addresses.slots(self.addresses.objects(self.ids)):
            self.cached[slot] = self.addresses.of(slot, random)
        for kind in OWNERS:
            self.cached["list", kind, 0] = self.addresses.whole_list(kind, random)
        for address in self.cached.values():
            self.reader.ask(theatre.app, address, random)

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
        earlier, self.bodies = self.bodies, Bodies(self.theatre.statements)
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
