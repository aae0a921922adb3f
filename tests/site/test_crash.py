"""`kill -9` of the whole server during many uploads: answered writes are kept, and nothing is half written.

One round in the suite, or twenty of two hundred writes each with COMICSDB_SOAK. PostgreSQL and Redis keep
running, as they do when servers die: what Redis has cached before must still agree with the database.
"""

import http.client
import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
import webtest
from PIL import Image
from sqlalchemy import create_engine, text

from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.imaging.hashes import hashes
from comicsdb.imaging.metadata import strip_metadata
from comicsdb.media.storage import FolderStorage
from comicsdb.media.sweeping import missing, sweep, tables_with_pictures
from tests.conftest import API_ONLY, build_app
from tests.factories import Factories
from tests.pictures import encoded, inspect
from tests.redis_server import RedisServer
from tests.serving import add_account, clean_environment, free_port
from tests.site.test_production import production
from tests.soak import SOAK
from tests.waiting import wait_until

ROUNDS, WRITES = (20, 200) if SOAK else (1, 60)
WRITERS = 12
HOST = "comics.example"
BOUNDARY = "----a-boundary"


@pytest.fixture(scope="module")
def stage(cluster, template, tmp_path_factory):
    """A database with synchronous commits, a Redis, an editor, and a series to add issues to."""
    cluster.clone_database(template, "crash")
    engine = create_engine(cluster.url("crash"))
    with engine.begin() as connection:
        connection.execute(text("ALTER DATABASE crash SET synchronous_commit = on"))
    engine.dispose()
    with session_factory(engine)() as session:
        series = Factories(Catalog(session)).series().id
    editor = add_account(cluster.url("crash"), "editor")
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO user_group_member (user_id, group_id) SELECT u.id, g.id FROM user_account u,"
                " user_group g WHERE u.username = 'editor' AND g.name = 'editor'"
            )
        )
    redis = RedisServer()
    redis.start()
    yield CrashEnvironment(
        tmp_path_factory.mktemp("crash"), cluster.url("crash"), engine, redis, editor, series
    )
    redis.remove()
    engine.dispose()
    cluster.drop_database("crash")


@dataclass
class CrashEnvironment:
    """What survives a killed server: its folder, its database and Redis."""

    folder: object
    url: str
    engine: object
    redis: RedisServer
    editor: str
    series: int

    @property
    def media(self) -> FolderStorage:
        """The storage of pictures."""
        return FolderStorage(self.folder / "media")


class Server:
    """The production server, with all its processes in one process group."""

    def __init__(self, stage: CrashEnvironment, workers: int = 2):
        self.port, self.editor = free_port(), stage.editor
        options = {"workers": str(workers), "includes": "comicsdb_api"}
        ini, environment = production(stage.folder, stage.url, self.port, **options)
        environment |= {"COMICSDB_CACHE_URL": stage.redis.url, "COMICSDB_MAIL_SENDER": "command"}
        with (stage.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pyramid.scripts.pserve", str(ini)],
                env=clean_environment(**environment),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            wait_until(self._answers)
        except AssertionError:  # the test does not get the server, and could not end it
            self.kill()
            raise

    def _answers(self) -> bool:
        assert self.process.poll() is None
        try:
            return ask(self.port, "GET", "/api/", Authorization=self.editor)[0] == 200
        except OSError:
            return False

    def kill(self) -> None:
        """Send SIGKILL to the whole process group."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def ask(port: int, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    """Status and body of a response; raises OSError or HTTPException if there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, {"Host": HOST} | headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def form(fields: dict[str, str], image: bytes) -> bytes:
    """A multipart form with a file, as browsers and clients send it."""
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    file = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n'
    return "".join([*parts, file]).encode() + image + f"\r\n--{BOUNDARY}--\r\n".encode()


def cover(chance: random.Random) -> bytes:
    """A JPEG file with unique content."""
    noise = Image.frombytes("L", (40, 60), chance.randbytes(2400)).resize((200, 300))
    return encoded(noise.convert("RGB"), "JPEG", comment=b"taken out again")


@dataclass
class WriteRound:
    """The writes until the server is killed, and the responses to them."""

    stage: CrashEnvironment
    number: int
    answered: dict[tuple[str, int], tuple[dict, bytes]] = field(default_factory=dict)
    unanswered: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    killed: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self):
        self.chance = random.Random(f"crash {self.number} {time.time_ns() if SOAK else ''}")
        self.after = self.chance.randrange(WRITES // 10, WRITES * 3 // 4)

    def write(self, number: int) -> None:
        """Create an arc or issue with a picture, or sometimes replace the picture of an earlier one."""
        with self.lock:
            image, action = cover(self.chance), self.chance.random()
            older = self.chance.choice([*self.answered, None])
        headers = {
            "Authorization": self.stage.editor,
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        }
        method, path, fields = "POST", "/api/arc/", {"name": f"Arc {self.number} {number}"}
        if older and action < 0.25:
            method, path, fields = "PATCH", f"/api/{older[0]}/{older[1]}/", {"desc": f"Changed by {number}"}
        elif action < 0.6:
            path = "/api/issue/"
            fields = {
                "series": str(self.stage.series),
                "number": str(1000 * self.number + number),
                "cover_date": "2026-01-01",
            }
        status, body = 503, b""
        while status == 503:  # too many at once: nothing was written
            if self.killed.is_set():
                return
            try:
                status, body = ask(self.server.port, method, path, form(fields, image), **headers)
            except (OSError, http.client.HTTPException):
                self.note_unanswered(older if method == "PATCH" else None)
                return
            if status == 503:
                time.sleep(0.02)
        assert status in {200, 201}, (status, body)
        with self.lock:
            told = json.loads(body)
            self.answered[path.split("/")[2], told["id"]] = told, image
            if len(self.answered) >= self.after and not self.killed.is_set():
                self.killed.set()
                threading.Timer(self.chance.random() / 20, self.server.kill).start()

    def note_unanswered(self, changing: tuple[str, int] | None) -> None:
        """Count a write without response: it may or may not be committed, so a changed picture is unknown."""
        assert self.killed.is_set()
        with self.lock:
            self.unanswered += 1
            if changing:
                self.answered[changing] = (self.answered[changing][0] | {"image": None}, b"")

    def run(self) -> None:
        """Write and read until the server is killed."""
        self.server = Server(self.stage)
        reading = threading.Thread(target=self.read)
        reading.start()
        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(self.write, range(WRITES)))
        self.killed.wait()
        self.server.process.wait()
        reading.join()

    def read(self) -> None:
        """Request lists all the time, so that the cache has entries that could be stale."""
        while not self.killed.is_set():
            for path in ("/api/arc/", "/api/issue/"):
                try:
                    ask(self.server.port, "GET", path, Authorization=self.stage.editor)
                except (OSError, http.client.HTTPException):
                    return
            self.killed.wait(0.02)


def check_rows(stage: CrashEnvironment) -> None:
    """Nothing is half written: every row's picture exists, and its size and hash are those of the file."""
    assert list(missing(autocommit_connection(stage), stage.media)) == []
    with stage.engine.connect() as connection:
        rows = connection.execute(
            text(
                "SELECT image, image_width, image_height, NULL AS hash FROM arc UNION ALL"
                " SELECT image, image_width, image_height, cover_hash FROM issue"
            )
        ).all()
    for row in rows:
        data = stage.media.read(row.image)
        picture = inspect(data)
        assert (row.image_width, row.image_height) == (picture.width, picture.height)
        if row.hash is not None:
            with Image.open(io.BytesIO(data)) as image:
                assert row.hash == hashes(image)["phash"]


def autocommit_connection(stage: CrashEnvironment):
    """A connection in autocommit mode."""
    return stage.engine.connect().execution_options(isolation_level="AUTOCOMMIT")


def check_files(stage: CrashEnvironment) -> int:
    """A sweep leaves exactly the files that rows name; returns how many it removed."""
    with autocommit_connection(stage) as connection:
        removed = sum(1 for _ in sweep(connection, stage.media, timedelta(), dry_run=False))
        named = connection.execute(
            text(
                " UNION ALL ".join(
                    f"SELECT image FROM {table} WHERE image <> ''" for table in tables_with_pictures()
                )
            )
        )
        assert {entry.key for entry in stage.media.entries()} == set(named.scalars())  # thumbnails included
    return removed


def check_answers(stage: CrashEnvironment, port: int, answered: dict) -> None:
    """Acknowledged writes are served, by the cache that survived and by an application without cache."""
    bare = webtest.TestApp(
        build_app(stage.url, stage.media.folder, **API_ONLY, **{"comicsdb.cache.memory_mb": "0"}),
        extra_environ={"HTTP_HOST": HOST},
    )
    for (kind, number), (told, image) in answered.items():
        path = f"/api/{kind}/{number}/"
        status, body = ask(port, "GET", path, Authorization=stage.editor)
        assert status == 200
        assert body == ask(port, "GET", path, Authorization=stage.editor)[1]
        assert body == bare.get(path, headers={"Authorization": stage.editor}).body
        now = json.loads(body)
        assert now["image"]
        if told["image"]:
            assert now["image"] == told["image"]
            status, data = ask(port, "GET", now["image"].removeprefix(f"http://{HOST}"))
            assert (status, data) == (200, strip_metadata(image)[0])
    for path in ("/api/arc/", "/api/issue/", f"/api/series/{stage.series}/issue_list/"):
        body = ask(port, "GET", path, Authorization=stage.editor)[1]
        assert body == bare.get(path, headers={"Authorization": stage.editor}).body
    bare.app.registry["comicsdb.engine"].dispose()


def test_a_server_that_is_killed_leaves_nothing_half_done(stage, capsys):
    for number in range(ROUNDS):
        writes = WriteRound(stage, number)
        writes.run()
        server = Server(stage, workers=1)
        try:
            check_rows(stage)
            removed = check_files(stage)
            check_answers(stage, server.port, writes.answered)
        finally:
            server.kill()
        assert writes.answered
        if SOAK:
            told = f"{len(writes.answered)} written, {writes.unanswered} without answer, {removed} swept"
            with capsys.disabled():
                sys.stdout.write(f"round {number}: {told}\n")
