"""Fixtures: a stopped clock, and a database in which no request has been refused yet."""

import pytest
import time_machine

from tests.core.accounts.notices.throttled_accounts import NOW, ThrottledAccounts


@pytest.fixture(autouse=True)
def clock():
    """A clock that is stopped at NOW until a test moves it."""
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def world(factory):
    """A ThrottledAccounts without accounts yet."""
    world = ThrottledAccounts(factory)
    yield world
    world.session.close()
