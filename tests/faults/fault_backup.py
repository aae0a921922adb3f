"""`comicsdb backup` while objects and pictures are written: each copy has the state of one moment, whole.

Two rounds, or as many as COMICSDB_SOAK says.
"""

import random
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import webtest
from pyramid.registry import Registry
from sqlalchemy import text

from comicsdb.catalog import Catalog
from comicsdb.imaging.metadata import strip_metadata
from comicsdb.media.storage import FolderStorage
from comicsdb.models import Arc
from tests.api.writing import WritingClient
from tests.conftest import API_ONLY, build_app
from tests.faults.postgresql import PostgreSQL
from tests.serving import add_account, clean_environment, connected, write_ini
from tests.site.test_crash import cover
from tests.site.test_plugin import MAKE_EDITOR
from tests.soak import SOAK
from tests.waiting import wait_until

ROUNDS = SOAK or 2
ARCS = 12  # the oldest is deleted when there are more
STATE = 'SELECT id, name, "desc", image FROM arc ORDER BY id'


@dataclass
class Writer:
    """Creates, changes and deletes arcs with pictures, one request after the other, until `ended`."""

    client: WritingClient
    registry: Registry
    url: str
    states: list[list[tuple]] = field(default_factory=list)  # after each request
    pictures: dict[str, bytes] = field(default_factory=dict)
    ended: threading.Event = field(default_factory=threading.Event)

    def delete(self, number: int) -> None:
        """Delete an arc and its picture, as the site does."""
        with self.registry["comicsdb.session_factory"]() as session:
            session.info["media"] = self.registry["comicsdb.media"]
            Catalog(session).delete(session.get_one(Arc, number))
            session.commit()

    def write(self) -> None:
        """Write, and read the state after each request."""
        chance = random.Random()
        while not self.ended.is_set():
            image, number = cover(chance), len(self.states)
            body = {"form": {"desc": f"Revision {number}"}, "files": [("image", "a.jpg", image)]}
            known = [row[0] for row in self.states[-1]] if self.states else []
            if len(known) > ARCS:
                self.delete(known[0])
            elif known and chance.random() < 0.6:
                self.client.patch(f"/api/arc/{chance.choice(known)}/", **body)
            else:
                body["form"]["name"] = f"Arc {number}"
                self.client.post("/api/arc/", **body)
            with connected(self.url) as connection:
                rows = [tuple(row) for row in connection.execute(text(STATE))]
            for *_, key in rows:
                self.pictures.setdefault(key, strip_metadata(image)[0])  # all others are known already
            self.states.append(rows)


@pytest.fixture
def postgresql():
    server = PostgreSQL()
    server.start()
    yield server
    server.remove()


def run(ini: Path, *words) -> str:
    """Run a command of a site in a process of its own; returns its output."""
    done = subprocess.run(
        [sys.executable, "-m", "comicsdb", "-c", ini, *words],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_backups_taken_during_writes_are_of_one_moment(postgresql, tmp_path):
    url = postgresql.make()
    basic = add_account(url, "ed")
    with connected(url) as connection:
        connection.execute(text(MAKE_EDITOR))
    app = build_app(url, tmp_path / "media", **API_ONLY, **{"comicsdb_api.throttle": "off"})
    writer = Writer(WritingClient(webtest.TestApp(app), {"Authorization": basic}), app.registry, url)
    ini, moments = write_ini(tmp_path, url), []
    thread = threading.Thread(target=writer.write)
    thread.start()
    try:
        for number in range(ROUNDS):
            begun = len(writer.states)
            wait_until(lambda begun=begun: len(writer.states) > begun + 5 or not thread.is_alive())
            first = len(writer.states) - 1
            folder = Path(run(ini, "backup", tmp_path / "backups").splitlines()[-1].partition(": ")[0])
            last = len(writer.states)
            copy = postgresql.make(f"copy_{number}", migrate=False)
            (tmp_path / str(number)).mkdir()
            run(write_ini(tmp_path / str(number), copy), "restore", folder)
            with connected(copy) as connection:
                rows = [tuple(row) for row in connection.execute(text(STATE))]
            wait_until(lambda last=last: len(writer.states) > last or not thread.is_alive())
            moment = writer.states.index(rows)
            assert first <= moment <= last
            storage = FolderStorage(tmp_path / str(number) / "media")
            # Also pictures that were replaced between their copy and the snapshot.
            assert (
                {row[3] for row in rows} <= {entry.key for entry in storage.entries()} <= set(writer.pictures)
            )
            assert all(storage.read(row[3]) == writer.pictures[row[3]] for row in rows)
            moments.append((first, moment, last))
    finally:
        writer.ended.set()
        thread.join()
        app.registry["comicsdb.engine"].dispose()
    sys.stdout.write(
        f"\n{len(writer.states)} writes; first, copied and last state of each backup: {moments}\n"
    )
