"""Property tests of the caches: reads over HTTP between writes of every sort never get a stale response.

Each response of the API is compared with that of the same application without a cache, each 304 with all
earlier responses, and each page with that of the same application without a page cache. Most pages were
visited before, so that they are cache hits unless their key has changed. The random sequences are the same
on every run; `make soak` runs a longer search with new ones.
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
from tests.machines.api_cache.scenario import ApiEnvironment
from tests.machines.api_cache.writer import Writer
from tests.machines.pages.scenario import PageEnvironment, Visitor
from tests.soak import SOAK, sequences

WRITES_BETWEEN_VISITS = 1 if SOAK else 15  # writes between two visits of all sorts of pages


@pytest.fixture(scope="module")
def seed_engine(cluster, template):
    """An engine for the database of the small catalog."""
    yield from rollback_engine_on_copy(cluster, template, "seed_data")


@pytest.fixture(scope="module")
def seed_data(seed_engine, tmp_path_factory):
    """A committed small catalog, with a reader who has a password and a token, and an editor."""
    with session_factory(seed_engine)() as session:
        built = world.build(session, tmp_path_factory.mktemp("seed_data"))
        make, passwords = Factories(Catalog(session)), Passwords("fast")
        reader = make.user("client", password=PASSWORD, passwords=passwords)
        world.add_token(session, reader.id)
        make.user("writer", password=PASSWORD, passwords=passwords, groups=["editor"])
    return built


@pytest.fixture(scope="module")
def uncached_api(shared_database, media_folder):
    """The application with only the API, and a cache that keeps nothing."""
    app = build_app(shared_database, media_folder, **API_ONLY, **{"comicsdb.cache.memory_mb": "0"})
    yield app
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture(scope="module")
def uncached_site(shared_database, media_folder):
    """The same application, without a page cache."""
    app = build_app(shared_database, media_folder)
    yield app
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture
def connection(seed_engine, seed_data):
    """One connection to the small catalog, in an outer transaction."""
    yield from rolled_back_connection(seed_engine)


@pytest.fixture
def writer(testapp):
    return Writer(testapp.app, "writer", PASSWORD)


@pytest.fixture
def api(testapp, uncached_api, connection, seed_data, writer):
    """The API with and without a cache, on one connection."""
    credentials = [basic_auth("client", PASSWORD), {"Authorization": f"Bearer {world.TOKEN}"}]
    return ApiEnvironment(connection, testapp.app, uncached_api, seed_data, credentials, writer)


@pytest.fixture
def site(testapp, uncached_site, connection, seed_data, writer):
    """The same for the site."""
    return PageEnvironment(connection, testapp.app, uncached_site, seed_data, writer)


def test_every_single_change_is_seen_at_once(api, site):
    scenario = api.scenario()
    visitor = Visitor(site, scenario)
    for number, (write, arguments) in enumerate(single_steps(scenario)):
        write(*arguments)
        scenario.session.commit()
        try:
            scenario.check_reads(Random(number))
            if number % WRITES_BETWEEN_VISITS:
                visitor.visit_first_issue(Random(number))
            else:
                visitor.visit_each_kind(Random(number))
        except AssertionError as error:
            raise AssertionError(f"after {write.__name__} {arguments}, or before on a page") from error
    scenario.end()
    assert {"HIT", "MISS", "304 by tag"} <= site.counts.keys()


class Readers(Writers):
    """Random writes, checked by a reader of the API."""

    @rule(seed=seeds)
    def walk(self, seed):
        self.scenario.session.commit()
        random = Random(seed)
        self.scenario.reader.read_all_pages(self.scenario.addresses.random_first_page(random), random)


def test_whatever_is_written_every_answer_is_the_uncached_one(api):
    run_state_machine_as_test(type("Bound", (Readers,), {"environment": api}), settings=sequences(6, 20))
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
    """Random writes, including announcements, checked by a visitor of the site."""

    @rule(title=st.sampled_from(("", "Ash", "Brine")), ending=endings, seed=seeds)
    def announce(self, title, ending, seed):
        self.write(seed, ending, self.scenario.announce, title)


def test_whatever_is_written_every_page_is_the_one_of_now(site):
    run_state_machine_as_test(type("Bound", (Visitors,), {"environment": site}), settings=sequences(3, 8))
    assert {"HIT", "MISS", "304 by tag"} <= site.counts.keys()
