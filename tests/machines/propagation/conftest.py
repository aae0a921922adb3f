"""What the tests of propagation by rule stand on: a few objects, and bystanders that must not move."""

import pytest

from tests.machines.propagation.touches import Writer


@pytest.fixture
def write(session):
    return Writer(session)


@pytest.fixture
def series(make):
    return make.series()


@pytest.fixture
def issue(make, series):
    return make.issue(series=series)


@pytest.fixture
def sibling(make, series, issue):
    """Another issue of the series."""
    return make.issue(series=series, number="99")


@pytest.fixture
def elsewhere(make):
    """An issue of another series."""
    return make.issue()


@pytest.fixture
def bystanders(make, sibling, elsewhere):
    """One more of what writes could touch by mistake."""
    return sibling, elsewhere, make.creator(), make.arc(), make.team(), make.character(), make.universe()
