"""Fixtures of the tests of propagation by rule: a few objects, and bystanders that must not move."""

import pytest

from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from tests.conftest import rollback_engine_on_copy, rolled_back_connection
from tests.factories import Factories
from tests.machines.propagation.moved_stamps import Writer


@pytest.fixture(scope="session")
def scene_engine(cluster, template):
    """An engine for a separate database, in which the objects below are created once for all tests."""
    yield from rollback_engine_on_copy(cluster, template, "propagation")


@pytest.fixture(scope="session")
def scene_keys(scene_engine) -> dict:
    """Model and id by name: a series with two issues, an issue of another series, objects of other kinds."""
    with session_factory(scene_engine)() as session:
        make = Factories(Catalog(session))
        series = make.series()
        made = {
            "series": series,
            "issue": make.issue(series=series),
            "sibling": make.issue(series=series, number="99"),
            "elsewhere": make.issue(),
            **{kind: getattr(make, kind)() for kind in ("creator", "arc", "team", "character", "universe")},
        }
        return {name: (type(each), each.id) for name, each in made.items()}


@pytest.fixture
def connection(request):
    """One connection in an outer transaction, to the database with these objects if the test uses them."""
    name = "scene_engine" if "scene_keys" in request.fixturenames else "engine"
    yield from rolled_back_connection(request.getfixturevalue(name))


@pytest.fixture
def bystanders(scene_keys, session):
    """The objects by name."""
    return Bystanders(session, scene_keys)


class Bystanders:
    """The objects by name, each loaded on first access, as most tests use only two of them."""

    def __init__(self, session, keys: dict):
        self._session, self._keys = session, keys

    def __getattr__(self, name: str):
        if name not in self._keys:
            raise AttributeError(name)
        entity = self._session.get_one(*self._keys[name])
        setattr(self, name, entity)  # the session only has weak references
        return entity


@pytest.fixture
def write(session):
    return Writer(session)


@pytest.fixture
def series(bystanders):
    return bystanders.series


@pytest.fixture
def issue(bystanders):
    return bystanders.issue


@pytest.fixture
def sibling(bystanders):
    """Another issue of the series."""
    return bystanders.sibling


@pytest.fixture
def elsewhere(bystanders):
    """An issue of another series."""
    return bystanders.elsewhere
