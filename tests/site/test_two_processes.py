"""Two server processes with one PostgreSQL and one Redis, under constant reads and writes.

Everything committed before a read began must be in its response, on either server, even while Redis or a
server dies and comes back.
"""

import http.client
import itertools
import json
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from random import Random

from psycopg.errors import DeadlockDetected
from sqlalchemy.exc import OperationalError
from webob import Request

from comicsdb.catalog import Catalog
from tests.conftest import API_ONLY, build_app
from tests.serving import add_account, free_port, serving, write_ini
from tests.site.topics import TopicWrite, WrittenObjects
from tests.soak import SOAK

READERS = 3
STEPS = SOAK or 6  # writes of each writer, and reads, in one phase
PHASE_SECONDS = 30 * STEPS  # seconds after which a phase that does not end is a failure
HOST = {"Host": "comics.example"}


class WrittenNumbers:
    """The numbers written so far, by topic, shared by all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.max_numbers: dict[str, int] = defaultdict(int)  # begun: no response may show a greater one
        # Committed or seen: no response may show a smaller one.
        self.min_numbers: dict[str, int] = defaultdict(int)
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []
        self.over = threading.Event()

    def next_number(self, topic: TopicWrite) -> int | None:
        """The next number of a topic, None after its last."""
        with self.lock:
            number = self.max_numbers[topic.names[0]] + 1
            if number > topic.max_number:
                return None
            for name in topic.names:
                self.max_numbers[name] = number
        return number

    def note_committed(self, topic: TopicWrite, number: int) -> None:
        """Note that the commit of a number has returned."""
        with self.lock:
            for name in topic.names:
                self.min_numbers[name] = max(self.min_numbers[name], number)

    def minimums(self) -> dict[str, int]:
        """The smallest numbers that a read beginning now may show."""
        with self.lock:
            return dict(self.min_numbers)

    def check(self, minimums: dict[str, int], shown: dict[str, int], description: str) -> None:
        """Check that each number in a response is at least that in `minimums`, and has been begun."""
        with self.lock:
            for name, number in shown.items():
                low, high = minimums.get(name, 0), self.max_numbers[name]
                if not low <= number <= high:
                    self.problems.append(f"{description}: {name} {number}, not {low} to {high}")
                self.min_numbers[name] = max(self.min_numbers[name], number)
            if "Character" in shown and "Arc" in shown and shown["Character"] != shown["Arc"]:
                self.problems.append(f"{description}: half of a transaction {shown}")

    def wait(self, *names: str) -> None:
        """Wait until each of these counts has increased by STEPS."""
        goal = {name: self.counts[name] + STEPS for name in names}
        until = time.monotonic() + PHASE_SECONDS
        while any(self.counts[name] < wanted for name, wanted in goal.items()):
            if self.problems or time.monotonic() > until:
                self.over.set()
                assert self.problems == []
                raise AssertionError(f"{dict(self.counts)} did not become {goal}")
            time.sleep(0.01)


class Server:
    """One of the two servers, which can be killed and started again on the same port."""

    def __init__(self, name: str, folder, database: str, redis: str):
        folder.mkdir()
        self.name = name
        self.port = free_port()
        self.ini = write_ini(folder, database, includes="comicsdb_api", port=self.port)
        self.redis = redis
        self.down = True
        self.stack = ExitStack()

    def start(self) -> None:
        """Start, and wait until it listens."""
        self.process = self.stack.enter_context(serving(self.ini, self.port, COMICSDB_CACHE_URL=self.redis))
        self.down = False

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        self.down = True
        self.process.kill()
        self.process.wait()


class Client:
    """An HTTP client that keeps its connections, and the validators of responses with what these showed."""

    def __init__(self, headers: dict[str, str]):
        self.headers = headers
        self.connections: dict[str, http.client.HTTPConnection] = {}
        self.given: dict[str, dict] = defaultdict(dict)

    def ask(self, server: Server, path: str, **headers: str):
        """Status, headers and body; None if the server was down at the time."""
        down = server.down
        try:
            return self._ask(server, path, headers)
        except (OSError, http.client.HTTPException):
            self.connections.pop(server.name).close()
            if down or server.down:
                return None
            return self._ask(server, path, headers)  # the connection was closed when the server died

    def _ask(self, server, path, headers):
        connection = self.connections.get(server.name)
        if connection is None:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            self.connections[server.name] = connection
        connection.request("GET", path, headers=self.headers | HOST | headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()

    def close(self) -> None:
        """Close all connections."""
        for connection in self.connections.values():
            connection.close()


def commit(factory, topic: TopicWrite, number: int) -> bool:
    """Write in a transaction of its own; False if a deadlock ended it, which a request would retry."""
    try:
        with factory() as session:
            topic.write(Catalog(session), number)
            session.commit()
    except OperationalError as error:
        if isinstance(error.orig, DeadlockDetected):
            return False
        raise
    return True


def write(numbers: WrittenNumbers, factory, topics: list[TopicWrite], name: str) -> None:
    """Set topics to their next number in turn, one transaction each, until the test is over."""
    for topic in itertools.cycle(topics):
        if numbers.over.is_set():
            return
        number = numbers.next_number(topic)
        if number is not None:
            while not commit(factory, topic, number):
                numbers.counts["deadlock"] += 1
            numbers.note_committed(topic, number)
            numbers.counts[name] += 1
        time.sleep(0.005)


class Readers:
    """Readers of random addresses, which check each response."""

    def __init__(
        self, numbers: WrittenNumbers, objects: WrittenObjects, servers: list[Server], headers: dict[str, str]
    ):
        self.numbers = numbers
        self.objects = objects
        self.servers = servers
        self.headers = headers
        self.addresses = objects.addresses()

    def read(self, seed: int) -> None:
        """Run one reader until the test is over."""
        random, client = Random(seed), Client(self.headers)
        try:
            while not self.numbers.over.is_set():
                self.read_once(random, client)
        finally:
            client.close()

    def read_once(self, random: Random, client: Client) -> None:
        """Request a random address from either server, sometimes with a condition."""
        server = random.choice(self.servers)
        path, shows, status = self.choose(random)
        given = client.given[path]
        headers = random.choice([{}, {}, *({name: value} for name, (value, _) in given.items())])
        minimums = self.numbers.minimums()
        answer = client.ask(server, path, **headers)
        time.sleep(0.002)  # lets the writers run, which are threads of this process
        if answer is None:
            return
        status_seen, received, body = answer
        description = f"{server.name} {path} {headers} {status_seen} {received.get('X-Cache')}"
        if status_seen == 304 and headers:
            shown = given[next(iter(headers))][1]
            if "If-Modified-Since" in headers:  # ratings do not change it
                shown = {name: value for name, value in shown.items() if name != "ratings"}
        elif status_seen == 200:
            shown = shows(json.loads(body))
            for condition, validator in (("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")):
                if validator in received:
                    given[condition] = (received[validator], shown)
        else:
            shown = {}
        if status_seen not in {status or status_seen, 200, 304} or (status == 404 and status_seen != 404):
            self.numbers.problems.append(f"{description}: not {status}")
        self.numbers.check(minimums, shown, description)
        self.numbers.counts[server.name] += 1
        self.numbers.counts[received.get("X-Cache", str(status_seen))] += 1

    def choose(self, random: Random) -> tuple[str, Callable, int | None]:
        """A path, what its body shows, and the required status: 404 for issues known to be deleted."""
        deleted = self.numbers.minimums().get("deleted", 0)
        created = self.objects.created_issues[:-1]
        draw = random.random()
        if draw < 0.1:
            index = random.randrange(max(0, deleted - 5), len(self.objects.issues_to_delete))
            status = 404 if index < deleted else None
            return f"/api/issue/{self.objects.issues_to_delete[index]}/", _nothing, status
        if draw < 0.25 and created:
            return f"/api/issue/{random.choice(created[-5:])}/", self.objects.in_created_issue, None
        path, shows = random.choice(list(self.addresses.items()))
        return path, shows, 200


def _nothing(_body: dict) -> dict[str, int]:
    """Show no topics: the body does not matter."""
    return {}


def test_what_was_committed_before_a_read_is_in_its_answer_whatever_dies(database, factory, redis, tmp_path):
    with factory() as session:
        objects = WrittenObjects(session)
    headers = {"Authorization": add_account(database)}
    numbers = WrittenNumbers()
    servers = [Server(name, tmp_path / name, database, redis.url) for name in ("one", "other")]
    readers = Readers(numbers, objects, servers, headers)
    writers = {f"writer {number}": topics for number, topics in enumerate(objects.topics())}
    jobs = [lambda name=name: write(numbers, factory, writers[name], name) for name in writers]
    jobs += [lambda seed=seed: readers.read(seed) for seed in range(READERS)]

    def run(job):
        try:
            job()
        except BaseException as error:
            numbers.problems.append(repr(error))
            raise

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    other = servers[1]
    active = [*writers, "one", "other"]
    with ExitStack() as stack:
        for server in servers:
            stack.enter_context(server.stack)
        with ThreadPoolExecutor(len(servers)) as pool:
            list(pool.map(Server.start, servers))
        with ExitStack() as running:
            running.callback(lambda: [thread.join() for thread in threads if thread.is_alive()])
            running.callback(numbers.over.set)
            for thread in threads:
                thread.start()
            numbers.wait(*active)
            redis.kill()
            numbers.wait(*active)
            redis.start()
            numbers.wait(*active)
            other.kill()
            other.start()
            numbers.wait(*active)
        assert numbers.problems == []
        assert {"HIT", "MISS", "304", "404"} <= numbers.counts.keys()
        check_cached_answers(database, tmp_path, objects, servers, headers)


def check_cached_answers(
    database, folder, objects: WrittenObjects, servers: list[Server], headers: dict[str, str]
):
    """Each server finds in Redis what the other has cached, and it agrees with the database."""
    uncached = build_app(database, folder, **API_ONLY, **{"comicsdb.cache.memory_mb": "0"})
    client = Client(headers)
    found = set()
    for path in objects.addresses():
        host = {"Host": "fresh.example"}  # nothing is cached for this host yet
        answers = [client.ask(server, path, **host) for server in servers]
        expected = Request.blank(path, headers=headers | host).get_response(uncached)
        assert [body for _, _, body in answers] == [expected.body] * 2
        found.add(tuple(received["X-Cache"] for _, received, _ in answers))
    assert ("MISS", "HIT") in found
    client.close()
    uncached.registry["comicsdb.read_pool"].close()
    uncached.registry["comicsdb.engine"].dispose()
