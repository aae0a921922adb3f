"""The change feed with objects: a copy that follows it has the public rows of the origin."""

from datetime import date, timedelta

import pytest
from sqlalchemy import create_engine, func, select, text

from comicsdb.catalog import Catalog, public_tables
from comicsdb.catalog.history import horizon
from comicsdb.catalog.history.touched import OBJECTS_MAX
from comicsdb.catalog.maintenance.cover_hashes import add_missing_hashes
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.library import ratings
from comicsdb.media.storage import FolderStorage
from comicsdb.models import Creator, Issue, PictureHash, Publisher, TouchedObject
from comicsdb_api.resources.changes import NEWEST
from tests.api.api_client import serve_catalog
from tests.conftest import record_statements
from tests.core.exchange.test_export_columns import full_set
from tests.dataset import picture
from tests.factories import Factories
from tests.importer import Importer

FEED = "/api/change/"
OBJECTS = f"{FEED}?include=object"


class FeedFollower:
    """A database that follows the feed of an origin."""

    def __init__(self, origin, url, after, touched):
        self.origin = origin
        self.engine = create_engine(url)
        self.after, self.touched = after, touched
        self.epoch = origin.client.json(OBJECTS + "&limit=1")["epoch"]

    def follow(self, limit=100) -> int:
        """Read the feed to its end; returns how many responses that took."""
        path = f"{OBJECTS}&after={self.after}&touched={self.touched}&epoch={self.epoch}&limit={limit}"
        answers = 0
        while path:
            body = self.origin.client.json(path)
            answers += 1
            self._apply(body["objects"])
            self.after = body["results"][-1]["seq"] if body["results"] else self.after
            self.touched = body["touched"]
            assert body["last"] is (body["next"] is None)
            path = body["next"] and body["next"].removeprefix("http://localhost")
        return answers

    def _apply(self, objects):
        keys = [(each["kind"], each["id"]) for each in objects]
        assert len(set(keys)) == len(keys)
        with self.engine.begin() as connection:
            for kind in public_tables.PUBLIC_KINDS:
                found = {each["id"]: each["state"] for each in objects if each["kind"] == kind}
                gone = [number for number, state in found.items() if not state[kind]]
                public_tables.remove_objects(connection, kind, list(found), gone)
            for kind in public_tables.PUBLIC_KINDS:
                states = [each["state"] for each in objects if each["kind"] == kind]
                public_tables.insert_objects(connection, kind, states)

    def rows(self, engine, table):
        """The public rows of a table."""
        columns = public_tables.json_columns(table)
        with engine.connect() as connection:
            return connection.execute(text(f"SELECT {columns} {public_tables.public_rows(table)}")).all()

    def compare(self):
        """Assert that every public row is equal to the origin's."""
        own = self.origin.session.get_bind()
        for table in public_tables.PUBLIC_COLUMNS:
            if table != "change_log":
                assert self.rows(self.engine, table) == self.rows(own, table), table


@pytest.fixture(scope="module")
def imported(cluster, template, tmp_path_factory):
    """The name of a database with objects of every kind, of which origins are copies."""
    cluster.clone_database(template, "feed_imported")
    importer = Importer(cluster.url("feed_imported"), tmp_path_factory.mktemp("imported"))
    importer.run(full_set(), accounts=False)
    importer.close()
    yield "feed_imported"
    cluster.drop_database("feed_imported")


@pytest.fixture(scope="module")
def followed(cluster, template, imported, media_folder):
    """The name of a database that has read the feed of such a copy, and the positions where it ended."""
    cluster.clone_database(template, "feed_followed")
    with serve_catalog(cluster, imported, "feed_first", media_folder) as first:
        copy = FeedFollower(first, cluster.url("feed_followed"), 0, "0")
        with copy.engine.begin() as connection:
            for kind in ("age_rating", "genre", "role", "series_type"):
                connection.execute(text(f'DELETE FROM "{kind}"'))
        copy.follow()
        copy.compare()
        copy.engine.dispose()
    yield "feed_followed", copy.after, copy.touched
    cluster.drop_database("feed_followed")


@pytest.fixture
def origin(cluster, imported, media_folder):
    """A separate site, with real commits."""
    with serve_catalog(cluster, imported, "feed_origin", media_folder) as found:
        yield found


@pytest.fixture
def copy(origin, cluster, followed):
    """A copy of the origin that has read the feed so far."""
    database, *positions = followed
    cluster.clone_database(database, "feed_copy")
    copy = FeedFollower(origin, cluster.url("feed_copy"), *positions)
    yield copy
    copy.engine.dispose()
    cluster.drop_database("feed_copy")


def _write(origin):
    """Write in all ways, also without a line of the change log; returns the survivor of two merges."""
    session, catalog = origin.session, Catalog(origin.session)
    publisher, *_ = session.scalars(select(Publisher).order_by(Publisher.id))
    catalog.update(publisher, {"name": "Renamed", "slug": "renamed"})
    session.commit()
    issue, *_ = session.scalars(select(Issue).order_by(Issue.id))
    reader = origin.make.user("rater")
    ratings.rate_issues(session, reader.id, {issue.id: 4}, today=date(2030, 1, 1))
    session.commit()
    first, second, third = (origin.make.creator() for _ in range(3))
    origin.make.credit(issue, first, "Writer")
    merge(catalog, second, first)
    session.commit()
    merge(catalog, third, second)
    session.commit()
    doomed = origin.make.issue()
    catalog.delete(doomed)
    session.commit()
    session.execute(text("UPDATE variant SET cover_hash = 'abcd' WHERE id = (SELECT min(id) FROM variant)"))
    session.execute(text("UPDATE genre SET \"desc\" = 'New' WHERE id = (SELECT min(id) FROM genre)"))
    session.commit()
    return third


def test_a_copy_that_follows_has_every_public_row(origin, copy):
    survivor = _write(origin)
    assert copy.follow(limit=2) > 3
    copy.compare()
    assert copy.follow() == 1
    with copy.engine.connect() as connection:
        assert connection.scalar(select(Creator.id).where(Creator.id == survivor.id)) == survivor.id


def test_many_touched_objects_come_in_several_answers(origin, copy):
    number = OBJECTS_MAX + 200
    origin.session.execute(
        text(
            "INSERT INTO arc (name, slug, modified) SELECT 'Arc ' || n, 'arc-' || n, now()"
            " FROM generate_series(1, :number) n"
        ),
        {"number": number},
    )
    origin.session.commit()
    sizes = origin.session.scalars(
        select(func.cardinality(TouchedObject.ids)).order_by(TouchedObject.id.desc()).limit(3)
    ).all()
    assert sorted(sizes) == [number - 1000, 500, 500]
    assert copy.follow() == 2
    copy.compare()


def test_what_a_transaction_touches_is_not_missed_however_long_it_lasts(origin, copy):
    engine = origin.session.get_bind()
    touching = text("UPDATE arc SET modified = now()")
    with engine.connect() as slow:
        slow.execute(touching)
        origin.session.execute(text("UPDATE team SET modified = now()"))
        origin.session.commit()
        copy.follow()
        slow.commit()
    copy.follow()
    copy.compare()


def test_computed_hashes_are_followed(origin, copy, media_folder):
    session = origin.session
    storage = FolderStorage(media_folder)
    key = "issue/red.png"
    storage.put(key, picture("red"))
    issue = session.scalar(select(Issue).order_by(Issue.id).limit(1))
    session.execute(text("UPDATE variant SET image = ''"))
    session.execute(text("UPDATE issue SET image = ''"))
    session.execute(
        text("UPDATE issue SET image = :key, cover_hash = 'ff' WHERE id = :id"), {"key": key, "id": issue.id}
    )
    session.commit()
    copy.follow()
    assert [done for done, _ in add_missing_hashes(session, storage)] == [1]
    copy.follow()
    copy.compare()
    assert session.scalar(select(func.count()).where(PictureHash.picture == key)) == 1


def test_nothing_is_noted_where_triggers_are_off(origin):
    session = origin.session
    origin.make.arc()
    count = select(func.count()).select_from(TouchedObject)
    before = session.scalar(count)
    session.execute(text("SET LOCAL session_replication_role = replica"))
    session.execute(text("UPDATE arc SET modified = now()"))
    session.commit()
    assert session.scalar(count) == before


def test_states_of_lines_come_once_with_survivors(api, make, session):
    kept, other = make.arc(name="Kept"), make.arc(name="Other")
    merge(make.catalog, kept, other)
    session.commit()
    body = api.json(OBJECTS)
    found = {(each["kind"], each["id"]): each["state"] for each in body["objects"]}
    assert list(found) == [("arc", kept.id), ("arc", other.id)]
    assert [row["name"] for row in found["arc", kept.id]["arc"]] == ["Kept"]
    assert found["arc", kept.id]["former_slug"][0]["slug"] == "other"
    assert found["arc", other.id]["arc"] == []
    assert found["arc", other.id]["tombstone"][0]["survivor_id"] == kept.id
    assert (body["last"], body["next"]) == (True, None)
    assert "objects" not in api.json(FEED)
    first = api.json(OBJECTS + "&kind=arc&limit=1&since=2020-01-01")
    assert (len(first["results"]), len(first["objects"]), first["last"]) == (1, 1, False)
    for part in ("kind=arc", "limit=1", "include=object", f"touched={first['touched']}", "after=", "epoch="):
        assert part in first["next"]
    assert "since" not in first["next"]


@pytest.mark.parametrize(
    ("query", "field", "message"),
    [
        ("limit=0", "limit", "Enter a whole number from 1 to 1000."),
        ("limit=1001", "limit", "Enter a whole number from 1 to 1000."),
        ("include=user", "include", "Enter object: nothing else can be included."),
        ("touched=x", "touched", "Enter the position as received from the feed."),
        ("touched=9999999999999999999", "touched", "Enter the position as received from the feed."),
    ],
)
def test_what_cannot_be_read_is_named(api, query, field, message):
    assert api.json(f"{FEED}?{query}", 400) == {field: [message]}


def test_it_costs_one_statement_besides_that_for_the_account(api, make, connection):
    api.get(OBJECTS)
    make.issue()
    with record_statements(connection) as statements:
        assert len(api.json(OBJECTS)["objects"]) > 1
    assert len(statements) == 2, statements


def test_what_is_beyond_the_horizon_is_refused(origin, copy):
    session, client = origin.session, origin.client
    known, position = copy.after, copy.touched
    origin.make.arc()
    session.execute(text("UPDATE change_log SET at = now() - interval '50 days'"))
    session.execute(text("UPDATE touched_object SET at = now() - interval '50 days'"))
    session.commit()
    origin.make.arc()
    assert horizon.remove_older(session, None, timedelta(days=60)) == 0
    assert horizon.remove_older(session, timedelta(days=40), timedelta(days=40)) > 2
    session.commit()
    assert [each["action"] for each in client.json(f"{FEED}?after={known + 1}")["results"]] == ["create"]
    for query in (f"after={known}", "after=0", "kind=arc", "since=2026-01-01"):
        refused = client.json(f"{FEED}?{query}", 410)
        assert refused["after"] == known + 2
        assert "Start with a dump" in refused["detail"]
    now = client.json(f"{OBJECTS}&after={known + 1}")["touched"]
    client.json(f"{OBJECTS}&after={known + 1}&touched={position}", 410)
    client.json(f"{OBJECTS}&after={known + 1}&touched={now}")
    assert horizon.remove_older(session, timedelta(0), timedelta(0)) > 0
    session.commit()
    assert client.json(f"{OBJECTS}&after={known + 2}&touched={now}")["results"] == []
    assert client.json(f"{FEED}?after=0", 410)["after"] == known + 2  # even if no line is left
    assert horizon.remove_older(session, timedelta(0), timedelta(0)) == 0


def test_clients_that_wait_are_woken_when_an_older_transaction_has_ended(factory):
    """Only then can objects be sent that were touched while it was running."""
    with factory() as older, factory() as session:
        older.execute(text("SELECT pg_current_xact_id()"))
        issue = Factories(Catalog(session)).issue()
        ratings.rate(session, issue, Factories(Catalog(session)).user().id, 4, today=date(2026, 11, 23))
        session.commit()
        before = session.execute(NEWEST).one()
        session.commit()
        older.rollback()
        assert session.execute(NEWEST).one() > before
