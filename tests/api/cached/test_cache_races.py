"""Two concurrent writers that do not see each other's changes yet, and a reader between their commits.

One adds an object that is two links away from what the other changes: an issue of a series whose genre is
renamed.
"""

import threading
import time
from datetime import date

import pytest
from sqlalchemy import create_engine, text
from webob import Request

from comicsdb import models
from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from tests.api.conftest import PASSWORD, basic_auth
from tests.conftest import API_ONLY, build_app, close_sessions
from tests.factories import Factories

NAME = "races"
PATIENCE = 60  # seconds after which a wait fails the test


# Names and codes are unique: objects of earlier tests give theirs up.
GIVEN_UP = (
    "UPDATE series_type SET name = 'Type of ' || id, code = NULL WHERE name IN ('Type 0', 'Type 1', 'New')",
    "UPDATE genre SET name = 'Genre of ' || id WHERE name IN ('Genre', 'New')",
)


class TwoSeries:
    """Two series of different types, with an issue each."""

    def __init__(self, factory):
        with factory() as session:
            for each in GIVEN_UP:
                session.execute(text(each))
            session.commit()
            make = Factories(Catalog(session))
            self.types = [make.catalog.create(models.SeriesType, {"name": f"Type {n}"}).id for n in range(2)]
            self.genre = make.catalog.create(models.Genre, {"name": "Genre"}).id
            with make.single_commit():
                publisher = make.publisher()
                self.publisher, self.imprint = publisher.id, make.imprint(publisher=publisher).id
                own = {"publisher": publisher, "imprint": self.imprint, "genres": [self.genre]}
                self.series = make.series(series_type=self.types[0], **own).id
                self.other = make.series(series_type=self.types[1], publisher=publisher).id
                self.issue = make.issue(series=self.series).id
                self.moving = make.issue(series=self.other, number="2").id


# The changes of one writer; each returns the kind and id of the object to read.


def add_issue(catalog, cast):
    values = {"series": cast.series, "number": "9", "cover_date": date(2020, 1, 1)}
    return "issue", catalog.create(models.Issue, values).id


def move_issue(catalog, cast):
    catalog.update(catalog.get(models.Issue, cast.moving), {"series": cast.series})
    return "issue", cast.moving


def reprint_issue(catalog, cast):
    catalog.update(catalog.get(models.Issue, cast.moving), {"reprints": [cast.issue]})
    return "issue", cast.moving


def associate_series(catalog, cast):
    catalog.update(catalog.get(models.Series, cast.other), {"associated": [cast.series]})
    return "series", cast.other


# The changes of the other writer.


def change(model, attribute, **values):
    """A function that updates an object."""

    def act(catalog, cast):
        found = getattr(cast, attribute)
        each = catalog.get(model, found[0] if isinstance(found, list) else found)
        catalog.update(each, values)

    act.__name__ = f"{attribute}_{next(iter(values))}"
    return act


def delete_genre(catalog, cast):
    catalog.delete(catalog.get(models.Genre, cast.genre))


OTHERS = (
    change(models.Publisher, "publisher", name="New"),
    change(models.Imprint, "imprint", name="New"),
    change(models.Genre, "genre", name="New"),
    delete_genre,
    change(models.SeriesType, "types", name="New"),
    change(models.Series, "series", name="New"),
)
LABELS = (
    change(models.SeriesType, "types", code="digital_chapter"),
    change(models.Series, "series", year_began=2001),
)
PAIRS = [(one, other) for one in (add_issue, move_issue) for other in OTHERS]
PAIRS += [(one, other) for one in (reprint_issue, associate_series) for other in LABELS]
PAIRS += [(reprint_issue, change(models.Issue, "issue", number="77"))]


class OverlappingTransactions:
    """Two transactions, the second of which begins while the first is open."""

    def __init__(self, factory, cast):
        self.factory = factory
        self.cast = cast
        self.made = None
        self.error = None
        self.written, self.may_commit = threading.Event(), threading.Event()
        self.open = factory()

    def begin(self, first, second) -> None:
        """Run both until the first has written, and the second has written too or waits for the first."""
        self.made = first(Catalog(self.open), self.cast)
        self.thread = threading.Thread(target=self._run, args=(second,))
        self.thread.start()
        until = time.monotonic() + PATIENCE
        with self.factory() as watcher:
            while not (self.written.is_set() or watcher.scalar(_WAITING)):
                assert time.monotonic() < until
                time.sleep(0.005)
                watcher.rollback()

    def _run(self, second) -> None:
        try:
            with self.factory() as session:
                self.made = second(Catalog(session), self.cast) or self.made
                self.written.set()
                self.may_commit.wait(PATIENCE)
                session.commit()
        except Exception as error:
            self.error = error
            self.written.set()

    def commit_first(self) -> None:
        """Commit the first; the second has written afterwards, even if it had to wait."""
        self.open.commit()
        self.open.close()
        assert self.written.wait(PATIENCE)

    def commit_second(self) -> None:
        """Commit the second."""
        self.may_commit.set()
        self.thread.join(PATIENCE)
        assert self.error is None


_WAITING = text(
    "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE NOT granted AND datname = current_database()"
)


@pytest.fixture(scope="module")
def factory(cluster, template):
    """Sessions on real connections to one database with an account for requests, shared by all tests."""
    cluster.clone_database(template, NAME)
    engine = create_engine(cluster.url(NAME), pool_size=10)
    factory = session_factory(engine)
    with factory() as session:
        make = Factories(Catalog(session))
        make.catalog.delete(make.series_type("digital_chapter"))  # its code is unique, and a test needs it
        make.user("reader", password=PASSWORD, passwords=Passwords("fast"))
    yield factory
    close_sessions()
    engine.dispose()
    cluster.drop_database(NAME)


@pytest.fixture(scope="module")
def applications(cluster, factory, media_folder):
    """The application with a cache, and without one."""
    apps = [
        build_app(cluster.url(NAME), media_folder, **API_ONLY, **{"comicsdb.cache.memory_mb": size})
        for size in ("64", "0")
    ]
    yield apps
    for app in apps:
        app.registry["comicsdb.read_pool"].close()
        app.registry["comicsdb.engine"].dispose()


@pytest.fixture
def apps(applications):
    """The applications, with empty caches."""
    for app in applications:
        app.registry["comicsdb.cache"].clear()
        app.registry["comicsdb.validator_cache"].clear()
    return applications


@pytest.fixture
def cast(factory):
    """The objects that a test begins with."""
    return TwoSeries(factory)


@pytest.fixture
def bodies(apps):
    """A function that returns the body of an object, from the application with a cache and without."""

    def ask(kind: str, each: int) -> list[bytes]:
        headers = basic_auth("reader", PASSWORD)
        requests = [Request.blank(f"/api/{kind}/{each}/", headers=headers) for _ in apps]
        return [request.get_response(app).body for request, app in zip(requests, apps, strict=True)]

    return ask


@pytest.mark.parametrize("turned", [False, True], ids=["adds first", "changes first"])
@pytest.mark.parametrize(("adds", "changes"), PAIRS, ids=lambda act: act.__name__)
def test_what_is_added_while_something_else_changes_does_not_keep_the_old(
    factory, bodies, cast, adds, changes, turned
):
    race = OverlappingTransactions(factory, cast)
    race.begin(*((changes, adds) if turned else (adds, changes)))
    race.commit_first()
    if race.made:
        bodies(*race.made)  # so that the current state is cached
    race.commit_second()
    cached, truth = bodies(*race.made)
    assert cached == truth
