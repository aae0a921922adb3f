"""The change feed with objects: a copy that follows it has the public rows of the origin."""

from datetime import date

import pytest
from sqlalchemy import create_engine, select, text

from comicsdb.catalog import Catalog, public_tables
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.library import ratings
from comicsdb.models import Creator, Issue, Publisher
from tests.api.api_client import asked
from tests.core.exchange.test_export_columns import full_set
from tests.importer import Importer

FEED = "/api/change/"
OBJECTS = f"{FEED}?include=object"


class Copy:
    """A database that follows the feed of an origin."""

    def __init__(self, origin, url):
        self.origin = origin
        self.engine = create_engine(url)
        self.after = 0
        first = origin.client.json(OBJECTS + "&limit=1")
        self.touched, self.epoch = first["touched"], first["epoch"]

    def follow(self, limit=100) -> int:
        """Read the feed to its end; returns how many answers that took."""
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
            for kind in public_tables.OBJECTS:
                found = {each["id"]: each["state"] for each in objects if each["kind"] == kind}
                gone = [number for number, state in found.items() if not state[kind]]
                public_tables.remove_objects(connection, kind, list(found), gone)
            for kind in public_tables.OBJECTS:
                states = [each["state"] for each in objects if each["kind"] == kind]
                public_tables.insert_objects(connection, kind, states)

    def rows(self, engine, table):
        """The public rows of a table, hashes of pictures that nothing names left out."""
        columns, order = public_tables.columns_of(table, "r"), public_tables.order_of(table)
        named = " UNION ".join(
            f"SELECT image FROM {each}" for each in public_tables.TABLES if "image" in _columns(each)
        )
        where = f"WHERE picture IN ({named})" if table == "picture_hash" else ""
        with engine.connect() as connection:
            return connection.execute(
                text(f'SELECT {columns} FROM "{table}" r {where} ORDER BY {order}')
            ).all()

    def compare(self):
        """Every public row is the origin's."""
        own = self.origin.session.get_bind()
        for table in public_tables.TABLES:
            if table != "change_log":
                assert self.rows(self.engine, table) == self.rows(own, table), table


def _columns(table):
    return public_tables.TABLES[table]


@pytest.fixture
def origin(cluster, template, media_folder):
    """A site of its own whose commits are real."""
    with asked(cluster, template, "feed_origin", media_folder) as found:
        yield found


@pytest.fixture
def copy(origin, cluster, template, tmp_path):
    """A copy of it that has read everything so far."""
    importer = Importer(cluster.url("feed_origin"), tmp_path)
    importer.run(full_set(), accounts=False)
    importer.engine.dispose()
    cluster.clone_database(template, "feed_copy")
    copy = Copy(origin, cluster.url("feed_copy"))
    with copy.engine.begin() as connection:
        for kind in ("age_rating", "genre", "role", "series_type"):
            connection.execute(text(f'DELETE FROM "{kind}"'))
    copy.touched = "0"
    copy.follow()
    copy.compare()
    yield copy
    copy.engine.dispose()
    cluster.drop_database("feed_copy")


def _write(origin):
    """Writes of all sorts, those without a line of the log among them."""
    session, catalog = origin.session, Catalog(origin.session)
    publisher, *_ = session.scalars(select(Publisher).order_by(Publisher.id))
    catalog.update(publisher, {"name": "Renamed", "slug": "renamed"})
    session.commit()
    issue, *_ = session.scalars(select(Issue).order_by(Issue.id))
    reader = origin.make.user("rater")
    ratings.give(session, reader.id, {issue.id: 4}, today=date(2030, 1, 1))
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
