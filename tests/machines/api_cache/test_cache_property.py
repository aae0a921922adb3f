"""Writes of every sort, and reads by HTTP in between: no answer is ever stale, and no client is told that
what it has is still right when it is not.

Each answer is compared with the one of the same application without a cache, each 304 with all that was ever
given out. The random sequences are the same on every run; a longer search with new ones: `make soak`.
"""

from random import Random

import pytest
from hypothesis.stateful import rule, run_state_machine_as_test

from tests.api.conftest import PASSWORD, basic
from tests.conftest import API_ALONE, build_app
from tests.machines.api_cache import world
from tests.machines.api_cache.machine import Writers, seeds, single_steps
from tests.machines.api_cache.scene import Scene, Theatre
from tests.machines.api_cache.writer import Writer
from tests.soak import sequences

PROFILE = sequences(6, 20)


@pytest.fixture(scope="module")
def bare(shared_database, media_folder):
    """The same application with a cache that keeps nothing."""
    app = build_app(shared_database, media_folder, **API_ALONE, **{"comicsdb.cache.memory_mb": "0"})
    yield app
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture
def stage(session, reader, tmp_path):
    """A small catalogue, and a token for the reader."""
    world.add_token(session, reader.id)
    return world.build(session, tmp_path)


@pytest.fixture
def theatre(testapp, bare, connection, stage, reader, make, passwords):
    """The application with a cache and without, on one connection."""
    credentials = [basic(reader.username, PASSWORD), {"Authorization": f"Bearer {world.TOKEN}"}]
    make.user("writer", password=PASSWORD, passwords=passwords, groups=["editor"])
    writer = Writer(testapp.app, "writer", PASSWORD)
    return Theatre(connection, testapp.app, bare, stage, credentials, writer)


@pytest.fixture
def scene(theatre):
    scene = Scene(theatre)
    yield scene
    scene.end()


def test_every_single_change_is_seen_at_once(scene):
    for number, (write, arguments) in enumerate(single_steps(scene)):
        write(*arguments)
        scene.session.commit()
        try:
            scene.look_around(Random(number))
        except AssertionError as error:
            raise AssertionError(f"after {write.__name__} {arguments}") from error


class Readers(Writers):
    """Random writes, and a reader."""

    @rule(seed=seeds)
    def walk(self, seed):
        self.scene.session.commit()
        random = Random(seed)
        self.scene.reader.walk(self.scene.addresses.some_first_page(random), random)


def test_whatever_is_written_every_answer_is_the_uncached_one(theatre):
    run_state_machine_as_test(type("Bound", (Readers,), {"theatre": theatre}), settings=PROFILE)
    assert {
        "HIT",
        "MISS",
        "404",
        "301",
        "304 by tag",
        "304 by date",
        "interrupted",
        "pages",
    } <= theatre.counts.keys()
