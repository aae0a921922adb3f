"""Writes of every sort, and reads by HTTP in between: nothing that a cache answers is ever stale.

Each answer of the API is compared with the one of the same application without a cache, each 304 with all
that was ever given out; each page with that of the same application when it keeps none. Most pages were
visited before, so that they come from the cache wherever their key says so. The random sequences are the same
on every run; a longer search with new ones: `make soak`.
"""

from random import Random

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from tests.api.conftest import PASSWORD, basic_auth
from tests.conftest import API_ONLY, build_app, rollback_engine_on_copy, rolled_back_connection
from tests.factories import Factories
from tests.machines.api_cache import world
from tests.machines.api_cache.machine import Writers, endings, seeds, single_steps
from tests.machines.api_cache.scene import Theatre
from tests.machines.api_cache.writer import Writer
from tests.machines.pages.scene import PageTheatre, Visitor
from tests.soak import SOAK, sequences

BETWEEN = 1 if SOAK else 15  # writes from one visit of all sorts of pages to the next


@pytest.fixture(scope="module")
def stage_engine(cluster, template):
    """An engine of a database for the small catalogue."""
    yield from rollback_engine_on_copy(cluster, template, "stage")


@pytest.fixture(scope="module")
def stage(stage_engine, tmp_path_factory):
    """A small catalogue, committed, a reader with a password and a token, and an editor."""
    with session_factory(stage_engine)() as session:
        built = world.build(session, tmp_path_factory.mktemp("stage"))
        make, passwords = Factories(Catalog(session)), Passwords("fast")
        reader = make.user("client", password=PASSWORD, passwords=passwords)
        world.add_token(session, reader.id)
        make.user("writer", password=PASSWORD, passwords=passwords, groups=["editor"])
    return built


@pytest.fixture(scope="module")
def bare_api(shared_database, media_folder):
    """The application's API with a cache that keeps nothing."""
    app = build_app(shared_database, media_folder, **API_ONLY, **{"comicsdb.cache.memory_mb": "0"})
    yield app
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture(scope="module")
def bare_site(shared_database, media_folder):
    """The same application, which keeps no page."""
    app = build_app(shared_database, media_folder)
    yield app
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture
def connection(stage_engine, stage):
    """One connection to the small catalogue, in an outer transaction."""
    yield from rolled_back_connection(stage_engine)


@pytest.fixture
def writer(testapp):
    return Writer(testapp.app, "writer", PASSWORD)


@pytest.fixture
def api(testapp, bare_api, connection, stage, writer):
    """The application with a cache and without, on one connection, for readers of the API."""
    credentials = [basic_auth("client", PASSWORD), {"Authorization": f"Bearer {world.TOKEN}"}]
    return Theatre(connection, testapp.app, bare_api, stage, credentials, writer)


@pytest.fixture
def site(testapp, bare_site, connection, stage, writer):
    """The same for visitors of the site."""
    return PageTheatre(connection, testapp.app, bare_site, stage, writer)


def test_every_single_change_is_seen_at_once(api, site):
    scene = api.scene()
    visitor = Visitor(site, scene)
    for number, (write, arguments) in enumerate(single_steps(scene)):
        write(*arguments)
        scene.session.commit()
        try:
            scene.look_around(Random(number))
            if number % BETWEEN:
                visitor.glance(Random(number))
            else:
                visitor.sweep(Random(number))
        except AssertionError as error:
            raise AssertionError(f"after {write.__name__} {arguments}, or before on a page") from error
    scene.end()
    assert {"HIT", "MISS", "304 by tag"} <= site.counts.keys()


class Readers(Writers):
    """Random writes, and a reader of the API."""

    @rule(seed=seeds)
    def walk(self, seed):
        self.scene.session.commit()
        random = Random(seed)
        self.scene.reader.walk(self.scene.addresses.some_first_page(random), random)


def test_whatever_is_written_every_answer_is_the_uncached_one(api):
    run_state_machine_as_test(type("Bound", (Readers,), {"theatre": api}), settings=sequences(6, 20))
    assert {
        "HIT",
        "MISS",
        "404",
        "301",
        "304 by tag",
        "304 by date",
        "interrupted",
        "pages",
    } <= api.counts.keys()


class Visitors(Writers):
    """Random writes, announcements among them, and a visitor of the site."""

    @rule(title=st.sampled_from(("", "Ash", "Brine")), ending=endings, seed=seeds)
    def announce(self, title, ending, seed):
        self.write(seed, ending, self.scene.announce, title)


def test_whatever_is_written_every_page_is_the_one_of_now(site):
    run_state_machine_as_test(type("Bound", (Visitors,), {"theatre": site}), settings=sequences(3, 8))
    assert {"HIT", "MISS", "304 by tag"} <= site.counts.keys()
