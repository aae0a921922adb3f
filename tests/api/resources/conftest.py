"""Clients of two ordinary accounts, which can send bodies."""

import pytest

from tests.api.conftest import PASSWORD, basic_auth
from tests.api.writing import WritingClient


@pytest.fixture
def mine(api):
    return WritingClient(api.testapp, api.headers)


@pytest.fixture
def other(testapp, make, passwords):
    make.user("other", password=PASSWORD, passwords=passwords)
    return WritingClient(testapp, basic_auth("other", PASSWORD))
