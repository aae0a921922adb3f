"""Writes of every sort, and visits in between: no page of the cache is ever another than the view makes now.

Each page is compared with that of the same application when it keeps none; most were visited before, so that
they come from the cache wherever their key says so. The random sequences are the same on every run; a longer
search with new ones: `make soak`.
"""

from random import Random

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from tests.conftest import build_app
from tests.machines.api_cache import world
from tests.machines.api_cache.machine import Writers, endings, seeds, single_steps
from tests.machines.api_cache.writer import Writer
from tests.machines.pages.scene import PageTheatre
from tests.soak import SOAK, sequences
from tests.web.conftest import PASSWORD

PROFILE = sequences(3, 8)
BETWEEN = 1 if SOAK else 15  # writes from one visit of all sorts of pages to the next


@pytest.fixture(scope="module")
def bare(shared_database, media_folder):
    """The same application, which keeps no page."""
    app = build_app(shared_database, media_folder)
    yield app
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture
def theatre(testapp, bare, connection, session, make, tmp_path):
    """The application with a cache and without, on one connection."""
    from comicsdb.accounts.passwords import Passwords

    stage = world.build(session, tmp_path)
    make.user("writer", password=PASSWORD, passwords=Passwords("fast"), groups=["editor"])
    return PageTheatre(connection, testapp.app, bare, stage, Writer(testapp.app, "writer", PASSWORD))


def test_every_single_change_shows_on_the_pages(theatre):
    scene = theatre.scene()
    for number, (write, arguments) in enumerate(single_steps(scene)):
        write(*arguments)
        scene.session.commit()
        try:
            if number % BETWEEN:
                scene.glance(Random(number))
            else:
                scene.sweep(Random(number))
        except AssertionError as error:
            raise AssertionError(f"after {write.__name__} {arguments} or before") from error
    scene.end()
    assert {"HIT", "MISS", "304 by tag"} <= theatre.counts.keys()


class Visitors(Writers):
    """Random writes, announcements among them, and a visitor."""

    @rule(title=st.sampled_from(("", "Ash", "Brine")), ending=endings, seed=seeds)
    def announce(self, title, ending, seed):
        self.write(seed, ending, self.scene.announce, title)


def test_whatever_is_written_every_page_is_the_one_of_now(theatre):
    run_state_machine_as_test(type("Bound", (Visitors,), {"theatre": theatre}), settings=PROFILE)
    assert {"HIT", "MISS", "304 by tag"} <= theatre.counts.keys()
