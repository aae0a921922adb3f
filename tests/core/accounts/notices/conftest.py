"""A day on which nobody has been refused yet."""

import pytest
import time_machine

from tests.core.accounts.notices.throttled_accounts import NOW, ThrottledAccounts


@pytest.fixture(autouse=True)
def clock():
    """Time that stands still until it is moved."""
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def world(factory):
    """Nobody has been refused yet."""
    world = ThrottledAccounts(factory)
    yield world
    world.session.close()
