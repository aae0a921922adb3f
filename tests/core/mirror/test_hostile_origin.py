"""A mirror of a hostile origin: nothing of a wrong dump or feed is stored, and the error says why."""

import gzip
import resource
import socket
import sqlite3
import tarfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from types import SimpleNamespace

import orjson
import pytest
from sqlalchemy import create_engine, text

from comicsdb.catalog.public_tables import remove_private_rows
from comicsdb.exchange import compression, dump, minisign
from comicsdb.mirror import following
from comicsdb.mirror import origin as origin_module
from comicsdb.mirror.covers import CoverCache
from comicsdb.mirror.origin import WELL_KNOWN, Origin, OriginError, Position
from tests.cases import for_each
from tests.conftest import database_copy
from tests.http_service import http_service

SOURCE = dump.SiteInfo("comicsdb", "https://comics.example", "0.1.0", {"name": "CC0", "url": ""})
PACKED = f"{dump.SQLITE}{compression.SUFFIX}"
PLACE = "20261129T000000Z"


class HostileOrigin:
    """Serves a dump, of which a test may change the parts: the description, the manifest and the file."""

    def __init__(self, made, key):
        self._key = key
        self.file = (made / PACKED).read_bytes()
        self.manifest = orjson.loads((made / "manifest.json").read_bytes())
        place = f"/data/{PLACE}/manifest.json"
        self.about = {
            "public_key": key.public,
            "dumps": [{"manifest": place, "signature": f"{place}.minisig"}],
        }
        self.feed = {}

    def describe_file(self) -> None:
        """Make the manifest that of the changed file."""
        [entry] = [entry for entry in self.manifest["files"] if entry["name"] == PACKED]
        entry |= {"bytes": len(self.file), "sha256": dump.hashlib.sha256(self.file).hexdigest()}

    def change_file(self, tmp_path, change) -> None:
        """Change the database in the file by a function of its connection."""
        plain = tmp_path / "changed.sqlite"
        with compression.open_plain(tmp_path / "made" / PACKED) as source:
            plain.write_bytes(source.read())
        with closing(sqlite3.connect(plain)) as database:
            change(database)
            database.commit()
        self.pack(tmp_path, plain.read_bytes())

    def pack(self, tmp_path, content: bytes) -> None:
        """Make the file a compressed one with this content."""
        with compression.create(tmp_path / "packed") as stream:
            stream.write(content)
        self.file = (tmp_path / "packed").read_bytes()
        self.describe_file()

    def answer(self, path: str):
        """The response to a request."""
        manifest = orjson.dumps(self.manifest)
        bodies = {
            WELL_KNOWN: orjson.dumps(self.about),
            f"/data/{PLACE}/manifest.json": manifest,
            f"/data/{PLACE}/manifest.json.minisig": self._key.sign(manifest, "a dump").encode(),
            f"/data/{PLACE}/{PACKED}": self.file,
            "/api/change/": orjson.dumps(self.feed),
        }
        return 200, {}, bodies[path.partition("?")[0]]


@pytest.fixture(scope="module")
def made(cluster, template, tmp_path_factory):
    """The folder with `made`, a dump, and its key."""
    folder = tmp_path_factory.mktemp("origin")
    key = minisign.Key.open(folder / "key")
    for url in database_copy(cluster, template):
        engine = create_engine(url)
        path = dump.make(engine, folder / "dumps", key, SOURCE, report=lambda _words: None)
        path.rename(folder / "made")
        engine.dispose()
    return folder, key


@pytest.fixture
def mirrored(database):
    """The engine of a mirror's database."""
    engine = create_engine(database)
    yield engine
    engine.dispose()


def _state(engine) -> list:
    with engine.connect() as connection:
        tables = ("role", "publisher", "change_log", "mirror", "received_state", "received_line")
        return [connection.execute(text(f"SELECT * FROM {table} ORDER BY 1")).all() for table in tables]


def _reload(engine, origin: HostileOrigin, folder) -> str:
    """Load the dump, which must fail; returns the text of the error."""
    before = _state(engine)
    with http_service(origin.answer) as (url, _asked), pytest.raises(OriginError) as refused:
        following.reload(engine, Origin(url), folder / "downloads" / "deep" / "inside")
    assert _state(engine) == before
    return str(refused.value)


def _with(origin, part: str, value) -> None:
    if part == "about":
        origin.about = value
    elif part == "entry":
        origin.manifest["files"] = [{"name": PACKED} | value]
    else:
        origin.manifest = value if part == "manifest" else origin.manifest | {part: value}


@for_each(
    "part,value",
    [
        *(
            ("about", value)
            for value in ([], 7, "x", {"public_key": 7, "dumps": 7}, {"public_key": "x", "dumps": [7]})
        ),
        *(("manifest", value) for value in ([], 7, {}, {"format": 1}, {"format": "1"})),
        *(
            ("feed", value)
            for value in (None, [], {}, {"epoch": "x"}, {"epoch": "x", "after": 1, "x": 2, "touched": "1"})
        ),
        *(("files", value) for value in (None, 7, [], [7], [{}], {"a": 1})),
        *(("entry", {"bytes": size, "sha256": "0" * 64}) for size in (None, "7", 1.5, [])),
        *(
            ("entry", {"bytes": 7, "sha256": digest})
            for digest in (None, 7, "../../../../out", "0" * 63, "/outside")
        ),
    ],
)
def test_a_description_or_manifest_of_another_form_is_refused(mirrored, made, tmp_path, part, value):
    folder, key = made
    origin = HostileOrigin(folder / "made", key)
    _with(origin, part, value)
    assert _reload(mirrored, origin, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} <= {"downloads"}


def _as_view(database) -> None:
    endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id FROM n"
    database.executescript(f"DROP TABLE publisher; CREATE VIEW publisher AS {endless};")


def _as_virtual(database) -> None:
    database.executescript("DROP TABLE publisher; CREATE VIRTUAL TABLE publisher USING fts5(id, name);")


def _as_computed(database) -> None:
    database.executescript("ALTER TABLE publisher ADD COLUMN more AS (hex(zeroblob(100000000)));")


def _without_table(database) -> None:
    database.executescript("DROP TABLE issue")


def _without_column(database) -> None:
    database.executescript("ALTER TABLE arc DROP COLUMN desc")


def _wrong_type(database) -> None:
    database.execute("UPDATE role SET modified = 'never'")


def _no_json(database) -> None:
    database.execute("UPDATE role SET names = '{'")


def _huge(database) -> None:
    database.execute("UPDATE role SET notes = hex(zeroblob(40000000)) WHERE id = 1")


def _twice(database) -> None:
    database.execute("UPDATE role SET name = 'same'")


@for_each(
    "change",
    [
        _as_view,
        _as_virtual,
        _as_computed,
        _without_table,
        _without_column,
        _wrong_type,
        _no_json,
        _huge,
        _twice,
    ],
)
def test_a_dump_with_another_database_is_refused(mirrored, made, tmp_path, change):
    folder, key = made
    origin = HostileOrigin(folder / "made", key)
    work = tmp_path / change.__name__
    work.mkdir()
    (work / "made").symlink_to(folder / "made")
    origin.change_file(work, change)
    assert _reload(mirrored, origin, work)


def test_a_dump_that_is_a_bomb_damaged_or_no_database_is_refused(mirrored, made, tmp_path):
    folder, key = made
    origin = HostileOrigin(folder / "made", key)
    origin.pack(tmp_path, b"\0" * (300 << 20))
    assert "more than 100 times as large" in _reload(mirrored, origin, tmp_path)
    origin.pack(tmp_path, b"no database" * 1000)
    assert "file is not a database" in _reload(mirrored, origin, tmp_path)
    origin.file = origin.file[:-5]
    origin.describe_file()
    assert "cannot be uncompressed" in _reload(mirrored, origin, tmp_path)
    origin.file += b"\0" * 5_000_000
    assert "longer than the manifest says" in _reload(mirrored, origin, tmp_path / "anew")


def test_rows_of_private_objects_in_a_dump_of_an_older_version_are_left_out(mirrored, made, tmp_path):
    folder, key = made
    origin = HostileOrigin(folder / "made", key)
    (tmp_path / "made").symlink_to(folder / "made")

    def add(database) -> None:
        for kind, slug in (("reading_list", "for-my-divorce"), ("arc", "before")):
            row = (kind, slug, 1, "2026-01-01T00:00:00Z")
            database.execute(
                "INSERT INTO former_slug (kind, slug, object_id, since) VALUES (?, ?, ?, ?)", row
            )

    origin.change_file(tmp_path, add)
    with http_service(origin.answer) as (url, _asked):
        following.reload(mirrored, Origin(url), tmp_path / "downloads")
    with mirrored.begin() as connection:
        assert connection.scalars(text("SELECT slug FROM former_slug")).all() == ["before"]
        connection.execute(text("UPDATE former_slug SET kind = 'reading_list'"))
        remove_private_rows(connection)
        assert connection.scalars(text("SELECT slug FROM former_slug")).all() == []


def test_a_feed_of_another_form_is_not_stored(mirrored, made, tmp_path):
    folder, key = made
    origin = HostileOrigin(folder / "made", key)
    line = {
        "seq": 10**9,
        "at": "2026-11-29T00:00:00Z",
        "kind": "arc",
        "object_id": 1,
        "action": "update",
        "fields": [],
    }
    whole = {"epoch": "x", "results": [line], "objects": [], "touched": "1", "last": True}
    arc = {"kind": "arc", "id": 1, "state": {}}
    with http_service(origin.answer) as (url, _asked):
        following.reload(mirrored, Origin(url), tmp_path / "downloads")
        follower = following.Follower(mirrored, Origin(url), None, 0)
        before = _state(mirrored)
        for feed in (
            *([], 7, "x", None, {}, {"results": []}, whole | {"results": 7}, whole | {"results": [7]}),
            *(
                whole | {"results": [line | {name: value}]}
                for name in line.keys() - {"kind"}
                for value in ({}, "x" * 500)
            ),
            *(
                whole | {"objects": value}
                for value in (7, [7], [{}], [arc], [arc | {"id": "x"}], [arc | {"id": 2**70}])
            ),
            *(
                whole | {"objects": [arc | {"state": {"arc": rows}}]}
                for rows in (7, [7], [{"id": "x"}], [{"name": 7}])
            ),
        ):
            origin.feed = feed
            assert follower.work() > 0, feed
            assert _state(mirrored) == before, feed


def test_an_answer_of_any_size_or_speed_is_read_only_so_far(made, tmp_path, monkeypatch):
    folder, key = made
    hostile = HostileOrigin(folder / "made", key)
    start = Position("x", 0, "0")
    with http_service(hostile.answer) as (url, asked):
        origin = Origin(url)
        for part, address in (("about", WELL_KNOWN), ("feed", "/api/change/")):
            monkeypatch.setattr(hostile, part, {"x": "x" * 200_000_000})
            read = origin.describe if part == "about" else lambda: origin.changes(start)
            with pytest.raises(OriginError, match=r"answers with more than [0-9,]+ bytes"):
                read()
            assert address in asked[-1]
    packed = gzip.compress(b" " * 300_000_000, 9)
    with http_service(lambda _path: (200, {"Content-Encoding": "gzip"}, packed)) as (url, _asked):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(OriginError, match="more than 10,000,000 bytes"):
            Origin(url).describe()
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000  # KB
    with (
        http_service(lambda _path: (200, {}, b'{"x":' * 100_000)) as (url, _asked),
        pytest.raises(OriginError, match="not JSON"),
    ):
        Origin(url).describe()


@contextmanager
def dripping(seconds: float) -> Iterator[str]:
    """The URL of a server that sends a byte of an endless answer at intervals."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            client, _address = server.accept()
            with client, suppress(OSError):
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                while not stopped.wait(seconds):
                    client.sendall(b"x")

        stopped, thread = threading.Event(), threading.Thread(target=drip)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        stopped.set()
        thread.join()


def test_a_picture_that_is_too_long_or_slow_is_no_picture(monkeypatch):
    with (
        http_service(lambda _path: (200, {}, b"x" * 30_000_000)) as (url, _asked),
        pytest.raises(OriginError, match="more than 20,971,520 bytes"),
    ):
        Origin(url).picture("issue/a.png")
    monkeypatch.setattr(origin_module, "PICTURE_SECONDS", 0.5)
    with dripping(seconds=0.1) as url, pytest.raises(OriginError, match="takes longer than"):
        Origin(url).picture("issue/a.png")


def test_a_pack_of_covers_with_huge_parts_is_refused(tmp_path):
    cache = CoverCache(tmp_path / "covers", SimpleNamespace(url="x"), 10**9)
    for name, change in (
        ("member", {"size": 300 << 20}),
        ("long name", {"size": 300 << 20, "type": tarfile.GNUTYPE_LONGNAME}),
        ("header", {"size": 300 << 20, "type": tarfile.XHDTYPE}),
    ):
        info = tarfile.TarInfo("images/issue/a.png.webp")
        for attribute, value in change.items():
            setattr(info, attribute, value)
        with (tmp_path / "pack.tar").open("wb") as pack:
            pack.write(info.tobuf(tarfile.GNU_FORMAT))
            pack.truncate(400 << 20)
        with pytest.raises(tarfile.ReadError, match="more than 4,194,304 bytes"):
            cache.fill(tmp_path / "pack.tar")
        assert not list(cache.entries()), name
