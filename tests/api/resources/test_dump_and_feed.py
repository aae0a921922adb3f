"""Two dumps and the feed between them: the earlier dump with the feed is equal to the later dump."""

import shutil
import sqlite3
from contextlib import closing
from datetime import date

import orjson
import pytest
from sqlalchemy import create_engine, select, text

from comicsdb.catalog import Catalog, public_tables
from comicsdb.catalog.maintenance.cover_hashes import add_missing_hashes
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.exchange import compression, dump, dump_sqlite, minisign
from comicsdb.library import ratings
from comicsdb.media.storage import FolderStorage
from comicsdb.mirror import following
from comicsdb.mirror.origin import Position
from comicsdb.models import Arc, FormerSlug, Issue, Publisher, Variant, Version
from tests.api.api_client import serve_catalog
from tests.core.exchange.test_export_columns import full_set
from tests.dataset import picture
from tests.importer import Importer

SOURCE = dump.SiteInfo("comicsdb", "https://comics.example", "0.1.0", {"name": "CC0", "url": ""})


@pytest.fixture
def origin(cluster, template, media_folder, tmp_path):
    """A separate site, whose catalog has a value in every field."""
    with serve_catalog(cluster, template, "dumped", media_folder) as found:
        importer = Importer(cluster.url("dumped"), tmp_path)
        importer.run(full_set(), accounts=False)
        importer.close()
        yield found


@pytest.fixture
def copy(cluster, template):
    """The engine of another database."""
    cluster.clone_database(template, "dump_copy")
    engine = create_engine(cluster.url("dump_copy"))
    yield engine
    engine.dispose()
    cluster.drop_database("dump_copy")


def _dumped(engine, folder):
    """Make a dump; returns its manifest, the path of its unpacked SQLite file, and the other files' bytes."""
    made = dump.make(engine, folder, minisign.Key.open(folder / "key"), SOURCE, report=lambda _words: None)
    manifest = dump.verify((made / "manifest.json").read_bytes(), *_signature(made, folder))
    unpacked = folder / f"{made.name}.sqlite"
    with compression.open_plain(made / "comicsdb.sqlite.zst") as source, unpacked.open("wb") as target:
        shutil.copyfileobj(source, target)
    others = {
        path.name: path.read_bytes() for path in made.glob("*.zst") if path.name != "comicsdb.sqlite.zst"
    }
    return manifest, unpacked, others


def _signature(made, folder):
    return (made / "manifest.json.minisig").read_text(), minisign.Key.open(folder / "key").public


def _write(origin, media_folder):
    """Create, update, merge, delete, rate and add covers."""
    session, catalog = origin.session, Catalog(origin.session)
    publisher = session.scalar(select(Publisher).order_by(Publisher.id).limit(1))
    catalog.update(publisher, {"name": "Renamed", "slug": "renamed"})
    catalog.create(Arc, {"name": "New between two dumps"})
    session.commit()
    first, second, third, *_ = (origin.make.creator() for _ in range(3))
    issue = session.scalar(select(Issue).order_by(Issue.id).limit(1))
    origin.make.credit(issue, second, "Writer")
    merge(catalog, second, first)
    merge(catalog, third, second)
    session.commit()
    catalog.delete(origin.make.issue())
    catalog.delete(origin.make.arc())
    session.commit()
    ratings.rate_issues(session, origin.make.user("rater").id, {issue.id: 4}, today=date(2030, 1, 1))
    storage = FolderStorage(media_folder)
    for table, colour in ((Issue, "red"), (Variant, "blue")):
        key = f"issue/{colour}.png"
        storage.put(key, picture(colour))
        changed = {"image": key, "number": session.scalar(select(table.id).order_by(table.id).limit(1))}
        statement = f"UPDATE {table.__tablename__} SET image = :image WHERE id = :number"
        session.execute(text(statement), changed)
    session.commit()
    assert next(add_missing_hashes(session, storage))
    session.commit()


def _follow(client, engine, position):
    while True:
        body = client.json(
            f"/api/change/?include=object&limit=3&after={position.after}"
            f"&touched={position.touched}&epoch={position.epoch}"
        )
        with engine.begin() as connection:
            position = following.receive(connection, body, position)
        if body["last"]:
            return


def test_a_dump_and_the_feed_after_it_are_the_later_dump(origin, copy, media_folder, tmp_path):
    site = origin.session.get_bind()
    manifest, earlier, before = _dumped(site, tmp_path / "dumps")
    versions = []
    for _ in range(2):
        with copy.begin() as connection:
            following.load(connection, earlier, SOURCE.url, "key", Position(**manifest["feed"]))
            versions.append(dict(list(connection.execute(select(Version.kind, Version.value)))))
    for kind in public_tables.PUBLIC_KINDS:  # pages of the mirror that show any of them are read again
        assert versions[1][kind] > versions[0][kind], kind
    _write(origin, media_folder)
    manifest_after, later, after = _dumped(site, tmp_path / "dumps")
    _follow(origin.client, copy, Position(**manifest["feed"]))
    manifest_of_copy, followed, of_copy = _dumped(copy, tmp_path / "copied")
    changed = {name for name in after if before[name] != after[name]}
    assert {"publishers.jsonl.zst", "arcs.jsonl.zst", "creators.jsonl.zst", "issues.jsonl.zst"} <= changed
    assert {name for name in after if of_copy[name] != after[name]} == set()
    assert manifest_of_copy["counts"] == manifest_after["counts"]
    assert manifest_of_copy["feed"]["after"] == manifest_after["feed"]["after"] > manifest["feed"]["after"]
    with closing(sqlite3.connect(later)) as theirs, closing(sqlite3.connect(followed)) as ours:
        for table in public_tables.PUBLIC_COLUMNS:
            assert list(dump_sqlite.read_rows(ours, table)) == list(dump_sqlite.read_rows(theirs, table)), (
                table
            )
        for (name,) in theirs.execute("SELECT name FROM publisher"):
            query = "SELECT kind, id FROM search WHERE search MATCH ? ORDER BY kind, id"
            words = (f'"{name}"',)
            assert ours.execute(query, words).fetchall() == theirs.execute(query, words).fetchall() != []


def test_rows_of_feed_and_dump_are_the_same(origin, media_folder, tmp_path):
    _write(origin, media_folder)
    session = origin.session
    session.execute(text("UPDATE issue SET price = 1.5, currency = 'USD', modified = '2026-01-02T03:04:05Z'"))
    session.add(FormerSlug(kind="arc", slug="was", object_id=session.scalar(select(Arc.id).limit(1))))
    session.execute(text("UPDATE change_log SET at = '2026-01-02T03:04:05Z' WHERE seq % 2 = 0"))
    session.commit()
    _manifest, file, _others = _dumped(session.get_bind(), tmp_path)
    of_feed = {table: set() for table in public_tables.PUBLIC_COLUMNS}
    path = "/api/change/?include=object&touched=0&limit=1000"
    while path:
        body = origin.client.json(path)
        lines = [{name: line[name] for name in line if name != "user"} for line in body["results"]]
        for state in (*(entry["state"] for entry in body["objects"]), {"change_log": lines}):
            for table, rows in state.items():
                of_feed[table] |= {orjson.dumps(row, option=orjson.OPT_SORT_KEYS) for row in rows}
        path = body["next"] and body["next"].removeprefix("http://localhost")
    with closing(sqlite3.connect(file)) as database:
        for table, rows in of_feed.items():
            of_dump = {
                orjson.dumps(row, option=orjson.OPT_SORT_KEYS)
                for row in dump_sqlite.read_rows(database, table)
            }
            assert rows == of_dump != set(), table
        [(price, modified)] = database.execute("SELECT DISTINCT price, modified FROM issue")
    assert (price, modified) == ("1.50", "2026-01-02T03:04:05.000000Z")
