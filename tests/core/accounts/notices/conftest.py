"""A day on which nobody has been refused yet."""

import pytest
import time_machine

from tests.core.accounts.notices.refused import NOW, World


@pytest.fixture(autouse=True)
def clock():
    """Time that stands still until it is moved."""
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def world(factory):
    """Nobody has been refused yet."""
    world = World(factory)
    yield world
    world.session.close()
