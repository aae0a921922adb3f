"""Scenarios of writes after which a reader of the API checks every response that they may have changed."""

from collections import defaultdict
from random import Random

from comicsdb.db.read_pool import ReadPool
from comicsdb.models import Tombstone
from tests.conftest import SAVEPOINT_MODE
from tests.machines.api_cache.addresses import Addresses
from tests.machines.api_cache.bodies import BodyDigests, Key, Slot, Statements
from tests.machines.api_cache.reader import REREAD_PROBABILITY, Address, Reader, before_statement
from tests.machines.api_cache.world import Ids, SeedData
from tests.machines.api_cache.write_scenario import WriteScenario
from tests.machines.propagation.world import OWNERS


class ApiEnvironment:
    """What scenarios share: a connection, the application with and without a cache, and the seed data.

    Each request takes one header of `credentials`; `writer` writes over HTTP (`writer.Writer`).
    """

    def __init__(
        self,
        connection,
        app,
        uncached_app,
        seed_data: SeedData,
        credentials: list[dict[str, str]],
        writer=None,
    ):
        self.connection = connection
        self.app = app
        self.uncached_app = uncached_app
        self.seed_data = seed_data
        self.credentials = credentials
        self.writer = writer
        self.addresses = Addresses(seed_data)
        self.statements = Statements(connection, app.registry)
        self.counts: dict[str, int] = defaultdict(int)  # how often readers got which result
        uncached_app.registry["comicsdb.read_pool"] = ReadPool(lambda: connection)
        uncached_app.registry["comicsdb.session_factory"].configure(bind=connection, **SAVEPOINT_MODE)

    def scenario(self) -> "ApiScenario":
        """A new scenario."""
        return ApiScenario(self)


class ApiScenario(WriteScenario):
    """A sequence of transactions and reads, undone by `end`."""

    def __init__(self, environment: ApiEnvironment):
        super().__init__(environment)
        self.addresses = environment.addresses
        self.reader = Reader(
            environment.app, environment.uncached_app, environment.credentials, environment.counts
        )
        self.bodies = BodyDigests(environment.statements)
        self.gone: set[Key] = set()
        random = Random(0)
        # By slot, the address at which it was read since its last change.
        self.cached: dict[Slot, Address] = {("list", "", 0): self.addresses.far_page(random)}
        for slot in self.addresses.slots(self.addresses.objects(self.ids)):
            self.cached[slot] = self.addresses.of(slot, random)
        for kind in OWNERS:
            self.cached["list", kind, 0] = self.addresses.whole_list(kind, random)
        for address in self.cached.values():
            self.reader.ask(environment.app, address, random)

    def status(self, key: Key) -> int:
        """The status that a request for an object must have."""
        if key[1] in self.ids.rows[key[0]] or key in self.environment.seed_data.backdrop.items():
            return 200
        tombstone = self.session.get(Tombstone, key, populate_existing=True)
        survivor = tombstone and tombstone.survivor_id
        return 301 if survivor in self.ids.rows[key[0]] else 404

    def check_reads(self, random: Random) -> None:
        """Read what has changed, wherever it is shown, and a few objects and lists that have not."""
        before, self.ids = self.ids, Ids(self.session)
        self.gone |= {key for key in before.all - self.ids.all if key[0] in OWNERS}
        earlier, self.bodies = self.bodies, BodyDigests(self.environment.statements)
        slots, kinds = self.bodies.changed(earlier)
        for slot in sorted(self.choose(slots, random)):
            self.read_and_check(slot, self.cached.get(slot) or self.addresses.of(slot, random), random)
        others = _sample(self.gone, random) + _sample(self.addresses.objects(self.ids), random)
        for slot in self.addresses.slots(others):
            self.read_and_check(slot, self.addresses.of(slot, random), random)
        for kind in sorted(kinds):
            self.check_list(kind, random)
        if random.random() < REREAD_PROBABILITY:
            self.check_list("", random)

    def choose(self, slots: set[Slot], random: Random) -> set[Slot]:
        """Choose three of each sort that were read since their last change: only those can be cached.

        One of the others is read as well, so that it is cached next time.
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

    def read_and_check(self, slot: Slot, address: Address, random: Random) -> None:
        """Read an object or the list below it, which exists as long as the object does."""
        self.reader.read_and_check(address, random, self.status(slot[1:]))
        self.cached[slot] = address

    def check_list(self, kind: str, random: Random) -> None:
        """Read the same list of a kind as last time, and sometimes another; without a kind, a far page."""
        slot = ("list", kind, 0)
        self.reader.read_and_check(self.cached[slot], random)
        if random.random() < REREAD_PROBABILITY:
            self.cached[slot] = (
                self.addresses.random_list(kind, random) if kind else self.addresses.far_page(random)
            )
            self.reader.read_and_check(self.cached[slot], random)

    def read_during_write(self, key: Key, write, place: int, random: Random, status: int) -> None:
        """Read an object or a list while `write` happens before statement number `place`.

        `status` is the status of a request for the object afterwards.
        """
        address, wanted = random.choice(
            [
                (self.addresses.of(("detail", *key), random), status),
                (self.addresses.random_list(key[0], random), None),
                (self.addresses.random_list("issue", random), None),
                (self.addresses.far_page(random), None),
            ]
        )
        if random.random() < 0.8:  # a new address is a cache miss, so all statements are sent
            address = _with_unused_query(address, random)
        interrupted = before_statement(self.environment.connection, place, write)
        self.reader.read_during_write(address, random, interrupted, wanted)
        self.check_reads(random)


def _with_unused_query(address: Address, random: Random) -> Address:
    return address._replace(query=f"{address.query}&utm={random.random()}".lstrip("&"))


def _sample(keys, random: Random) -> list[Key]:
    return random.sample(sorted(keys), min(1, len(keys)))
