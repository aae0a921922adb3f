"""Accounts of the staff, logged in."""

import pytest

from tests.web.admin.helpers import log_in_as


@pytest.fixture
def boss(testapp, make):
    """A staff account without further rights, logged in."""
    return log_in_as(testapp, make, is_staff=True)


@pytest.fixture
def root(testapp, make):
    """A superuser, logged in."""
    return log_in_as(testapp, make, "Root", is_superuser=True)
