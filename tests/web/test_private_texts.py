"""No text that is private is in a dump, the feed, a mirror, an export, another's download, logs or metrics.

Every text column of every private table, every private column of public tables, and every row of public
tables that belongs to an object of a private kind gets a secret of its own. Tables and columns are those of
the models, so new ones are included.
"""

import logging
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import (
    ARRAY,
    Boolean,
    Date,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    Numeric,
    String,
    Table,
    Uuid,
    create_engine,
    func,
    literal_column,
    select,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB, array
from sqlalchemy.exc import IntegrityError

from comicsdb.accounts.data_export import account_data_csv, account_data_json
from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog.public_tables import (
    PRIVATE_COLUMNS,
    PRIVATE_TABLES,
    PUBLIC_COLUMNS,
    PUBLIC_ROWS,
)
from comicsdb.exchange import compression, dump, minisign
from comicsdb.exchange.exporting import export_set
from comicsdb.library import reading_lists
from comicsdb.media.storage import FolderStorage
from comicsdb.mirror import following
from comicsdb.mirror.origin import Position
from comicsdb.models import FormerSlug, metadata
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import allowed_values
from comicsdb.ops.logs import JsonFormatter
from comicsdb.security import SESSION, make_identity
from tests.api.api_client import serve_catalog
from tests.web.addresses import OFFICIAL, addresses_of, keep_library
from tests.web.conftest import PASSWORD, form_with, log_in, make_world

SECRET = "zanzq"
SOURCE = dump.SiteInfo("comicsdb", "https://comics.example", "0.1.0", {"name": "CC0", "url": ""})
# A site does not work with other words in these; they are about no person.
OF_THE_DATABASE = {
    table
    for table, reason in PRIVATE_TABLES.items()
    if reason.startswith(("of this database", "what a mirror")) or table == "signup_settings"
}
FILLED = datetime(2026, 11, 22, tzinfo=UTC)
ABSENT = {String: "", DateTime: FILLED, Date: FILLED.date(), Boolean: False, JSONB: {}, ARRAY: []}
ABSENT |= {Integer: 1, Numeric: 1, Float: 1.0, LargeBinary: b"x", Uuid: func.gen_random_uuid()}


class Planter:
    """Writes secrets into a database; `columns` are those that took one, by the secret."""

    def __init__(self, session, spared: int):
        self._session = session
        self._spared = spared  # the account that reads
        self.columns: dict[str, str] = {}

    def plant(self) -> None:
        """Write secrets into all private texts."""
        self._session.execute(text("SET LOCAL session_replication_role = replica"))
        for table in metadata.sorted_tables:
            if table.name in PRIVATE_TABLES and table.name not in OF_THE_DATABASE:
                if any(_form(column) for column in table.columns):
                    self._fill(table)
                self._write(table, table.columns)
            elif table.name in PRIVATE_COLUMNS:
                self._write(table, [table.columns[name] for name in PRIVATE_COLUMNS[table.name]])
        for name in PUBLIC_ROWS:
            self._insert_private(metadata.tables[name])
        self._session.commit()

    def _secret(self, column) -> str:
        secret = f"{SECRET}{len(self.columns):04}"
        self.columns[secret] = f"{column.table.name}.{column.name}"
        return secret

    def _fill(self, table: Table) -> None:
        """Insert a row if the table has none."""
        if self._session.scalar(select(func.count()).select_from(table)) == 0:
            self._session.execute(table.insert().values(self._required(table)))

    def _required(self, table: Table) -> dict:
        needed = [
            column
            for column in table.columns
            if not column.nullable and column.server_default is None and column.identity is None
        ]
        return {column.name: self._any_value(column) for column in needed if column.autoincrement is not True}

    def _any_value(self, column):
        codes, bounds = allowed_values(column)
        if codes or bounds:
            return codes[0] if codes else bounds[0]
        return next(value for type_, value in ABSENT.items() if isinstance(column.type, type_))

    def _write(self, table: Table, columns) -> None:
        """Write a secret into each text, with the row's address, as it may be unique; some have a check."""
        spared = table.c.id != self._spared if table.name == "user_account" else true()
        for column in columns:
            if (form := _form(column)) is None:
                continue
            secret = self._secret(column)
            value = form(func.concat(secret, func.translate(literal_column("ctid::text"), "(,)", "-x")))
            try:
                with self._session.begin_nested():
                    self._session.execute(table.update().where(spared).values({column.name: value}))
            except IntegrityError:
                del self.columns[secret]

    def _insert_private(self, table: Table) -> None:
        """Insert a row of an object of a private kind, with secrets in all other texts."""
        values = self._required(table)
        for column in table.columns:
            if (form := _form(column)) is not None:
                values[column.name] = form(self._secret(column))
        values |= {"kind": "reading_list"} if "kind" in table.columns else {}
        self._session.execute(table.insert().values(values))


def _form(column):
    """A function from a secret to a value of the column; None if it cannot hold one."""
    is_list = isinstance(column.type, ARRAY)
    type_ = column.type.item_type if is_list else column.type
    is_code = allowed_values(column)[0] is not None
    if is_code or column.computed is not None or not isinstance(type_, JSONB | String):
        return None
    if isinstance(type_, JSONB):
        return lambda secret: func.jsonb_build_object(secret, secret)
    length = type_.length or 99
    if length < len(SECRET) + 4:
        return None
    return lambda secret: array([func.left(secret, length)]) if is_list else func.left(secret, length)


@pytest.fixture
def site(cluster, template, media_folder):
    """A separate site with a small catalog, a library, and the account that reads it."""
    whole = {"pyramid.includes": "comicsdb_api comicsdb_web"}
    with serve_catalog(cluster, template, "private_texts", media_folder, **whole) as found:
        yield found


def _feed(site) -> tuple[str, list[dict]]:
    """The text of the whole feed, with and without an account, and the bodies."""
    bodies, texts = [], []
    path = "/api/change/?include=object&touched=0&limit=1000"
    while path:
        bodies.append(site.client.json(path))
        texts += [site.client.get(path).text, site.client.testapp.get(path).text]
        path = bodies[-1]["next"] and bodies[-1]["next"].removeprefix("http://localhost")
    return "".join(texts), bodies


def _dump(site, folder: Path) -> tuple[str, Path, dict]:
    """The text of all files of a new dump, the path of its SQLite file, and the manifest."""
    engine = site.session.get_bind()
    made = dump.make(engine, folder, minisign.Key.open(folder / "key"), SOURCE, report=lambda _words: None)
    texts, unpacked = [(made / "manifest.json").read_text()], folder / f"{made.name}.sqlite"
    for path in made.glob("*.zst"):
        with compression.open_plain(path) as source:
            if path.name != "comicsdb.sqlite.zst":
                texts.append(source.read().decode())
                continue
            with unpacked.open("wb") as target:
                shutil.copyfileobj(source, target)
    with closing(sqlite3.connect(unpacked)) as database:
        texts += database.iterdump()
    return (
        "".join(texts),
        unpacked,
        dump.verify(
            (made / "manifest.json").read_bytes(),
            (made / "manifest.json.minisig").read_text(),
            minisign.Key.open(folder / "key").public,
        ),
    )


def _mirror(cluster, template, unpacked: Path, manifest: dict, bodies: list[dict]) -> str:
    """The text of all tables of a mirror that has loaded the dump and then received the whole feed."""
    cluster.clone_database(template, "private_texts_mirror")
    engine = create_engine(cluster.url("private_texts_mirror"))
    with engine.begin() as connection:
        position = Position(**manifest["feed"])
        following.load(connection, unpacked, SOURCE.url, "key", position)
        for body in bodies:
            position = following.receive(connection, body, position)
        texts = [
            str(connection.execute(text(f'SELECT t::text FROM "{table}" t')).all())
            for table in metadata.tables
        ]
    engine.dispose()
    cluster.drop_database("private_texts_mirror")
    return "".join(texts)


def test_no_private_text_is_in_a_dump_the_feed_a_mirror_or_an_export(
    site, cluster, template, media_folder, tmp_path
):
    session, nora = site.session, site.make.user("Nora", password=PASSWORD, passwords=Passwords("fast"))
    keep_library(session, nora, make_world(site.make, session))
    asker = session.scalar(text("SELECT id FROM user_account WHERE username = 'asker'"))
    planter = Planter(session, asker)
    planter.plant()
    of_feed, bodies = _feed(site)
    of_dump, unpacked, manifest = _dump(site, tmp_path / "dumps")
    export_set(session, tmp_path / "export", FolderStorage(media_folder))
    seen = {
        "feed": of_feed,
        "dump": of_dump,
        "mirror": _mirror(cluster, template, unpacked, manifest, bodies),
        "export": "".join(path.read_text() for path in (tmp_path / "export").glob("*.json*")),
        "another's data": account_data_json(session, asker).decode()
        + account_data_csv(session, asker).decode("latin-1"),
    }
    leaks = {
        (name, column)
        for name, content in seen.items()
        for secret, column in planter.columns.items()
        if secret in content
    }
    assert leaks == set()
    planted = {column.split(".")[0] for column in planter.columns.values()}
    textual = {
        table.name
        for table in metadata.sorted_tables
        if any(_form(column) for column in table.columns) and table.name not in OF_THE_DATABASE
    }
    assert {*PRIVATE_TABLES, *PUBLIC_ROWS} & textual - planted == set()
    assert len(planter.columns) > 120
    assert all(f'"kind":"{kind}"' in of_feed for kind in OWNERS)
    assert all(f'"{table}"' in of_dump for table in PUBLIC_COLUMNS)


def test_a_list_is_in_no_dump_while_it_turns_private_and_public_and_is_deleted(site, tmp_path):
    session, nora = site.session, site.make.user("Nora", password=PASSWORD, passwords=Passwords("fast"))
    identity = make_identity(nora, SESSION)
    listed = reading_lists.create(session, identity, OFFICIAL, {"name": f"Comics for my {SECRET}"})
    for is_private in (True, False, True):
        reading_lists.update(session, identity, OFFICIAL, listed, {"is_private": is_private})
        session.commit()
        assert session.scalar(select(func.count()).select_from(FormerSlug)) > 0
        assert SECRET not in _dump(site, tmp_path / "dumps")[0] + _feed(site)[0]
    reading_lists.remove(session, identity, OFFICIAL, listed)
    session.commit()
    assert SECRET not in _dump(site, tmp_path / "dumps")[0] + _feed(site)[0]


def test_logs_and_metrics_have_no_text_of_a_library(site_with, wsgi, session, world, member, caplog):
    testapp = site_with(**{"comicsdb.metrics.token": "t" * 16})
    kept = keep_library(session, member, world, SECRET)
    log_in(testapp, "Nora")
    caplog.set_level(logging.INFO)
    token = form_with(testapp.get("/accounts/tokens/"), "csrf_token")["csrf_token"].value
    fields = dict.fromkeys(("name", "desc", "notes", "storage_location", "rating", "description"), SECRET)
    for address in addresses_of(wsgi, session, world, kept, kept.secret):
        testapp.get(address, expect_errors=True)
    for address in addresses_of(wsgi, session, world, kept, kept.secret, "POST"):
        if address != "/accounts/logout/":
            testapp.post(address, fields | {"csrf_token": token}, expect_errors=True)
    lines = [JsonFormatter().format(record) for record in caplog.records]
    assert [line for line in lines if SECRET in line] == []
    assert len(lines) > 10
    testapp.get("/")
    figures = testapp.get("/metrics/", headers={"Authorization": "Bearer " + "t" * 16}).text
    assert 'comicsdb_requests_total{route="home",status="2xx"}' in figures
    assert SECRET not in figures
