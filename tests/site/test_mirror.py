"""Tests of `comicsdb mirror` and the site that it mirrors: two servers, two databases, and interruptions."""

import json
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine, select, text

from comicsdb.catalog import Catalog, public_tables
from comicsdb.catalog.history import horizon
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.cli import main
from comicsdb.db import dev_cluster, session_factory
from comicsdb.exchange import dump_covers
from comicsdb.media.storage import FolderStorage
from comicsdb.mirror import following
from comicsdb.mirror.origin import Origin as Client
from comicsdb.mirror.origin import OriginError
from comicsdb.models import Arc, Creator, Issue, Publisher, Series, Universe
from tests.core.exchange.test_export_columns import full_set
from tests.dataset import picture
from tests.importer import Importer
from tests.serving import clean_environment, fetch, free_port, serving, write_ini

TIMEOUT = 300  # seconds
READY = "Press Ctrl-C to stop."
LISTS = ("publisher", "imprint", "universe", "creator", "team", "character", "arc", "series", "issue")


class Origin:
    """The site to mirror: its server, its database, and its dumps."""

    def __init__(self, importer: Importer, folder: Path, port: int):
        self.importer = importer
        self.url = f"http://127.0.0.1:{port}"
        self.ini = write_ini(
            folder,
            importer.engine.url.render_as_string(hide_password=False),
            includes="comicsdb_api comicsdb_web",
            port=port,
        )
        options = f"comicsdb.dumps.folder = {folder}/dumps\ncomicsdb.dumps.key = {folder}/dumps.key\n"
        self.ini.write_text(self.ini.read_text().replace("[server:main]", f"{options}\n[server:main]"))

    def command(self, *words: str) -> None:
        """Run a command of the site."""
        run_here("-c", str(self.ini), *words)

    def write(self, change) -> None:
        """Change the catalog in a transaction."""
        with self.importer.factory() as session:
            change(Catalog(session, None))
            session.commit()


def run_here(*words: str) -> None:
    """Run `comicsdb` in this process, as starting another takes longer than the command."""
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output


def run_command(*words: str, code: int = 0) -> str:
    """Run `comicsdb` in a process of its own, as it sets up logging, until it ends; returns its output."""
    command = [sys.executable, "-m", "comicsdb", *words]
    done = subprocess.run(
        command, env=clean_environment(), capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


class MirrorProcess:
    """A mirror in a folder, whose process can be started and killed."""

    def __init__(self, folder: Path, origin: str):
        self.folder = folder
        self.origin = origin
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder.with_suffix(".log")
        self._process = None

    def start(self) -> None:
        """Start it, and wait until it serves."""
        command = ["mirror", self.origin, "--folder", str(self.folder), "--port", str(self.port)]
        with self.log.open("ab") as output:
            began = output.tell()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "comicsdb", *command],
                env=clean_environment(),
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        until = time.monotonic() + TIMEOUT
        while READY not in self.log.read_bytes()[began:].decode():
            assert self._process.poll() is None, self.log.read_text()
            assert time.monotonic() < until, self.log.read_text()
            time.sleep(0.1)

    def end(self, stop_signal: int = signal.SIGTERM) -> None:
        """End the process with a signal."""
        if self._process is not None:
            if self._process.poll() is None:
                self._process.send_signal(stop_signal)
            self._process.wait(TIMEOUT)
            self._process = None

    def discard(self) -> None:
        """End it and delete its database, which may be outside its folder."""
        self.end()
        dev_cluster.Cluster(self.folder / "postgres").discard()

    @contextmanager
    def engine(self):
        """An engine for its database."""
        cluster = dev_cluster.start(self.folder / "postgres")
        engine = create_engine(cluster.url("comicsdb"))
        try:
            yield engine
        finally:
            engine.dispose()
            cluster.release()


def digests(engine, tables) -> dict[str, tuple]:
    """The number of public rows of each table, and the sum of their hashes."""
    parts = []
    for table in tables:
        rows = f"SELECT {public_tables.json_columns(table)} {public_tables.public_rows(table)}"
        parts.append(f"SELECT '{table}', count(*), sum(hashtextextended(x::text, 0)) FROM ({rows}) x")
    with engine.connect() as connection:
        connection.execute(text("SET TIME ZONE 'UTC'"))
        rows = connection.execute(text(" UNION ALL ".join(parts)))
        return {table: tuple(found) for table, *found in rows}


def differing(origin: Origin, engine, tables=tuple(public_tables.PUBLIC_COLUMNS)) -> list[str]:
    """The tables whose public rows differ between a site and the database of a mirror."""
    ours, theirs = digests(origin.importer.engine, tables), digests(engine, tables)
    assert ours.keys() == theirs.keys() == set(tables)
    return [table for table in tables if ours[table] != theirs[table]]


def await_equal(origin: Origin, mirror: MirrorProcess) -> None:
    """Wait until all public rows are the same."""
    until = time.monotonic() + TIMEOUT
    with mirror.engine() as engine:
        while found := differing(origin, engine):
            while found:  # once these are equal, all are compared again
                assert time.monotonic() < until, (found, mirror.log.read_text()[-3000:])
                time.sleep(0.2)
                found = differing(origin, engine, found)


def answers(url: str, gone: list) -> dict[str, str | int]:
    """The API's responses for every list, the objects on its first page and those that are gone, by address.

    Of pages of objects that are gone, only the status: a mirror's pages tell that they are a mirror's.
    """
    found = {}
    for kind, number, slug in gone:
        found[f"/api/{kind}/{number}/"] = body_of(url, f"/api/{kind}/{number}/")
        found[f"/{kind}/{slug}/"] = fetch(f"{url}/{kind}/{slug}/")[0]
    for kind in LISTS:
        found[f"/api/{kind}/"] = body = body_of(url, f"/api/{kind}/")
        for each in json.loads(body)["results"]:
            found[f"/api/{kind}/{each['id']}/"] = body_of(url, f"/api/{kind}/{each['id']}/")
    return found


def body_of(url: str, path: str) -> str:
    """The body of a response without the host, after its status unless that is 200."""
    status, _headers, body = fetch(url + path)
    return (
        f"{body.decode()}".replace(url, "") if status == 200 else f"{status} {body.decode()}".replace(url, "")
    )


@pytest.fixture(scope="module")
def origin(cluster, template, tmp_path_factory):
    """A site that offers a dump of its catalog, in which every field has a value."""
    folder = tmp_path_factory.mktemp("origin")
    cluster.clone_database(template, "mirrored")
    importer = Importer(cluster.url("mirrored"), folder)
    importer.run(full_set())
    site = Origin(importer, folder, port := free_port())
    site.command("dump", "--covers")
    with serving(site.ini, port):
        yield site
    importer.close()
    cluster.drop_database("mirrored")


@pytest.fixture(scope="module")
def mirror(origin, tmp_path_factory):
    """A running mirror of this site."""
    mirror = MirrorProcess(tmp_path_factory.mktemp("mirror") / "mirror", origin.url)
    mirror.discard()  # left by a killed run under the same name
    mirror.start()
    yield mirror
    mirror.discard()


def test_a_mirror_follows_all_sorts_of_changes_whenever_it_is_killed(origin, mirror):
    with mirror.engine() as engine:
        assert differing(origin, engine) == []
    changes = [
        lambda catalog: catalog.update(
            catalog.session.scalar(select(Publisher).limit(1)), {"name": "Renamed"}
        ),
        lambda catalog: catalog.create(Arc, {"name": "New while the mirror is away"}),
        lambda catalog: merge(
            catalog, *catalog.session.scalars(select(Creator).order_by(Creator.id).limit(2))
        ),
        swap_cv_ids,
        lambda catalog: catalog.delete(
            catalog.session.scalars(select(Issue).order_by(Issue.id.desc())).first()
        ),
        _rate,
    ]
    for change in changes[:3]:
        origin.write(change)
    mirror.end(signal.SIGKILL)
    for change in changes[3:]:
        origin.write(change)
    mirror.start()
    await_equal(origin, mirror)
    gone = origin.importer.query("SELECT kind, object_id, slug FROM tombstone")
    found = answers(mirror.url, gone)
    assert found == answers(origin.url, gone)
    assert {200, 410} <= set(found.values())  # one was merged, and one deleted


def swap_cv_ids(catalog) -> None:
    """Swap unique ids of two objects, so that neither can get its new one while the other has it."""
    first, second = catalog.session.scalars(select(Series).order_by(Series.id).limit(2))
    ids = first.cv_id, second.cv_id
    catalog.update(first, {"cv_id": None})
    catalog.update(second, {"cv_id": ids[0]})
    catalog.update(first, {"cv_id": ids[1]})


def _rate(catalog) -> None:
    """Change the totals of ratings, which adds no entry to the change log."""
    catalog.session.execute(
        text("UPDATE issue SET rating_count = 7, rating_sum = 30, rated = clock_timestamp()")
    )


def test_the_feed_waits_for_the_next_change_if_a_client_prefers_that(origin):
    newest = origin.importer.one("SELECT max(seq) FROM change_log")
    url = f"{origin.url}/api/change/?after={newest}"
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(fetch, url, Prefer="wait=15")
        time.sleep(2)
        assert not waiting.done()
        origin.write(lambda catalog: catalog.create(Arc, {"name": "What is waited for"}))
        status, headers, body = waiting.result()
    assert (status, headers["Preference-Applied"]) == (200, "wait=15")
    assert [each["seq"] for each in json.loads(body)["results"]] == [newest + 1]
    began = time.monotonic()
    status, headers, body = fetch(
        f"{origin.url}/api/change/?after={newest + 1}", Prefer="respond-async, wait=2"
    )
    assert (status, headers["Preference-Applied"], json.loads(body)["results"]) == (200, "wait=2", [])
    assert time.monotonic() - began >= 2
    assert "Preference-Applied" not in fetch(f"{origin.url}/api/change/?after={newest + 1}")[1]


def test_a_wrong_address_does_not_make_the_folder_its_mirror(tmp_path):
    folder = tmp_path / "mirror"
    for address, problem in (
        ("comics.example", "such as https://host"),
        (f"http://127.0.0.1:{free_port()}", "does not answer"),
    ):
        result = CliRunner().invoke(main, ["mirror", address, "--folder", str(folder)])
        assert (result.exit_code, problem in result.output) == (1, True), result.output
        assert not folder.exists()


def test_a_mirror_is_read_only_and_knows_no_accounts(origin, mirror):
    status, _headers, body = fetch(f"{mirror.url}/api/arc/", method="POST", data="name=Mine")
    assert (status, origin.url in body.decode()) == (403, True)
    wrong = {"Authorization": "Basic bm9ib2R5OndvcmRz"}
    assert fetch(f"{mirror.url}/api/series/", **wrong)[0] == 200
    status, _headers, body = fetch(f"{mirror.url}/")
    assert (status, "/accounts/login/" in body.decode()) == (200, False)
    assert origin.url in body.decode()
    for address in ("/accounts/login/?next=%2Fcollection%2F", "/accounts/caff%C3%A8%0D%0A/"):
        answer = httpx.get(f"{mirror.url}{address}")
        assert (answer.status_code, answer.headers["Location"]) == (302, f"{origin.url}{address}")


def test_everybody_may_match_on_a_mirror(origin, mirror):
    """There are no accounts, which matching needs elsewhere."""
    with origin.importer.factory() as session:
        issue = session.scalars(select(Issue).order_by(Issue.id).limit(1)).one()
        series = session.get_one(Series, issue.series_id)
        descriptor = {"series": series.name, "number": issue.number, "year": series.year_began}
    credentials = {"Authorization": "Bearer of-another-site"}
    for path in ("match", "match/"):
        sent = {"descriptors": [descriptor]}
        answer = httpx.post(f"{mirror.url}/api/{path}", json=sent, headers=credentials)
        assert answer.status_code == 200, answer.text
        assert answer.json()["results"][0]["candidates"]
    answer = httpx.post(
        f"{mirror.url}/api/crosswalk/", json={"source": "comicsdb", "kind": "arc", "ids": ["1"]}
    )
    assert answer.status_code == 200, answer.text
    answer = httpx.post(f"{mirror.url}/api/cover/", files={"image": ("cover.png", picture(), "image/png")})
    assert (answer.status_code, len(answer.json()["hashes"]["phash"])) == (200, 16)


def test_covers_of_the_dump_are_there_from_the_beginning(origin, mirror):
    [pack] = (origin.ini.parent / "dumps").glob("*/covers.tar")
    kept = FolderStorage(mirror.folder / "media")
    packed = dict(dump_covers.read(pack))
    assert packed
    assert {key: kept.path(key, dump_covers.SIZE).read_bytes() for key in packed} == packed


def test_a_cover_is_fetched_once_and_then_shown_without_the_origin(origin, mirror):
    key = origin.importer.one("SELECT image FROM issue WHERE image <> '' ORDER BY id LIMIT 1")
    expected = origin.importer.storage.read(key)
    assert fetch(f"{mirror.url}/media/{key}")[2] == expected
    origin.importer.storage.path(key).unlink()
    assert fetch(f"{mirror.url}/media/{key}")[2] == expected
    assert fetch(f"{mirror.url}/media/issue/2020/01/01/{'0' * 32}.jpg")[0] == 404


def test_a_dump_that_is_loaded_already_is_not_downloaded_again(origin, cluster, template, tmp_path):
    """If the feed cannot be continued even from the newest dump, the mirror waits for the next one."""
    origin.command("dump")
    cluster.clone_database(template, "loaded_once")
    engine = create_engine(cluster.url("loaded_once"))
    try:
        with closing(Client(origin.url)) as client:
            following.reload(engine, client, tmp_path / "origin")
            assert differing(origin, engine, ("publisher", "role")) == []
            with pytest.raises(OriginError, match="no newer dump yet"):
                following.reload(engine, client, tmp_path / "origin")
        assert not (tmp_path / "origin").exists()
    finally:
        engine.dispose()
        cluster.drop_database("loaded_once")


def test_beyond_the_horizon_a_mirror_begins_again_with_the_newest_dump(origin, mirror):
    newest = origin.importer.one("SELECT max(seq) FROM change_log")
    mirror.end(signal.SIGKILL)
    origin.write(lambda catalog: catalog.create(Arc, {"name": "Nobody will read this line"}))
    with origin.importer.factory() as session:
        assert horizon.remove_older(session, timedelta(0), timedelta(0)) > 0
        session.commit()
    status, _headers, body = fetch(f"{origin.url}/api/change/?after={newest}")
    refused = json.loads(body)
    assert (status, refused["dump"], refused["after"]) == (410, f"{origin.url}/data/", newest + 1)
    origin.command("dump")
    mirror.start()
    await_equal(origin, mirror)
    assert "loading its newest dump" in mirror.log.read_text()
    assert fetch(f"{mirror.url}/api/change/?after={newest - 1}")[0] == 410
    origin.write(lambda catalog: catalog.create(Arc, {"name": "And the feed goes on"}))
    await_equal(origin, mirror)


def test_a_mirror_of_a_mirror_and_its_promotion(origin, mirror, tmp_path, request):
    with mirror.engine():  # releases the mirror's PostgreSQL in the end
        run_here("-c", str(mirror.folder / "mirror.ini"), "dump")
    assert (mirror.folder / "dumps.key").is_file()  # wherever the command was called
    second = MirrorProcess(tmp_path / "second", mirror.url)
    second.discard()
    request.addfinalizer(second.discard)
    with ExitStack() as stack:
        stack.callback(second.end)
        second.start()
        origin.write(lambda catalog: catalog.create(Universe, _universe(catalog)))
        await_equal(origin, second)
    ini = second.folder / "mirror.ini"
    settings = ini.read_text()
    ini.write_text(settings.replace(mirror.url, f"http://127.0.0.1:{free_port()}"))
    promote = ("mirror", "--folder", str(second.folder), "--promote")
    assert "add --without-origin" in run_command(*promote, code=1)
    ini.write_text(settings)
    run_command(*promote)
    with second.engine() as engine, session_factory(engine)() as session:
        made = Catalog(session, None).create(Arc, {"name": "Our own"})
        session.commit()
        greatest = origin.importer.one(
            "SELECT greatest(max(id), (SELECT max(object_id) FROM tombstone WHERE kind = 'arc')) FROM arc"
        )
        assert made.id == greatest + 1
        history = "SELECT count(*) FROM history WHERE kind = 'series' AND type = '+'"
        assert session.scalar(text(history)) == session.scalar(text("SELECT count(*) FROM series"))
    settings = (second.folder / "mirror.ini").read_text()
    for each in ("comicsdb.mirror", "comicsdb_api.throttle", "comicsdb.webhooks"):
        assert each not in settings


def _universe(catalog) -> dict:
    return {"name": "Far away", "publisher": catalog.session.scalar(select(Publisher.id).limit(1))}
