"""A package of one's own is added by one word in `pyramid.includes`, and uses everything the core offers."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from urllib.request import urlopen

import pytest
from sqlalchemy import text

from tests.serving import (
    add_account,
    clean_environment,
    connected,
    fetch,
    fetch_json,
    free_port,
    pserve,
    write_ini,
)

JSON = "application/json"
PLUGIN = Path(__file__).parent.parent / "plugin"
MAKE_TABLE = """
import sys
from sqlalchemy import create_engine
from comicsdb_shops import Shop
Shop.__table__.create(create_engine(sys.argv[1]))
"""
MAKE_EDITOR = """
INSERT INTO user_group_member (user_id, group_id)
SELECT u.id, g.id FROM user_account u, user_group g WHERE u.username = 'ed' AND g.name = 'editor'
"""
REQUIRED = "This field is required."
HELD = "The shop citta-dei-fumetti has them."


def send(url, method, authorization, body):
    """Status and body of the response to a write in JSON."""
    return fetch_json(
        url, method=method, data=json.dumps(body), Authorization=authorization, **{"Content-Type": JSON}
    )


@pytest.fixture(scope="module")
def with_table(cluster, template, tmp_path_factory):
    """The name of a migrated database with the package's table."""
    cluster.clone_database(template, "shops")
    environment = clean_environment(PYTHONPATH=str(PLUGIN))
    command = [sys.executable, "-c", MAKE_TABLE, cluster.url("shops")]
    subprocess.run(command, env=environment, cwd=tmp_path_factory.mktemp("shops"), check=True)
    yield "shops"
    cluster.drop_database("shops")


@pytest.fixture
def database(cluster, with_table):
    """The address of a copy of this database."""
    cluster.clone_database(with_table, "shops_served")
    yield cluster.url("shops_served")
    cluster.drop_database("shops_served")


@pytest.mark.parametrize("includes", ["comicsdb_shops", "comicsdb_web comicsdb_shops comicsdb_api"])
def test_a_package_of_ones_own_plugs_in_by_one_word(database, tmp_path, includes):
    basic, editor = add_account(database), add_account(database, "ed")
    with connected(database) as connection:
        connection.execute(text(MAKE_EDITOR))
    port = free_port()
    ini = write_ini(tmp_path, database, includes=includes, port=port)
    with pserve(ini, port, PYTHONPATH=str(PLUGIN)) as base:
        status, made = fetch_json(f"{base}/shop/open/?name=Citt%C3%A0+dei+fumetti&city=Lucca", method="POST")
        assert status == 200
        status, shop = fetch_json(f"{base}/api/shop/{made['id']}/", Authorization=basic)
        assert (status, shop["name"], shop["city"]) == (200, "Città dei fumetti", "Lucca")
        status, shops = fetch_json(f"{base}/api/shop/", Authorization=basic)
        assert (shops["count"], shops["results"][0]["id"]) == (1, made["id"])
        assert fetch_json(f"{base}/api/shop/")[0] == 200
        assert send(f"{base}/api/shop/", "POST", basic, {"name": "Bottega"})[0] == 403
        status, bought = send(f"{base}/api/shop/", "POST", editor, {"name": "Bottega", "city": "Pisa"})
        assert (status, bought["city"]) == (201, "Pisa")
        path = f"{base}/api/shop/{bought['id']}/"
        assert send(path, "PATCH", editor, {"city": "Roma"})[1]["city"] == "Roma"
        assert send(path, "PUT", editor, {"city": "x" * 101}) == (
            400,
            {"name": [REQUIRED], "city": ["Ensure this field has no more than 100 characters."]},
        )
        again = {"name": "Città dei fumetti", "city": "Lucca"}
        taken = {"non_field_errors": ["The fields name, city must make a unique set.", HELD]}
        assert send(path, "PATCH", editor, again) == (400, taken)
        assert "shop" in fetch_json(f"{base}/api/", Authorization=basic)[1]
        if "comicsdb_web" in includes:  # the site has pages for the catalog's errors
            again = fetch(f"{base}/shop/open/?name=Citt%C3%A0+dei+fumetti&city=Lucca", method="POST")
            assert (again[0], b"name, city" in again[2]) == (409, True)
    with connected(database) as connection:
        slugs = connection.scalars(text("SELECT slug FROM shop ORDER BY id")).all()
        assert slugs == ["citta-dei-fumetti", "bottega"]
        recorded = text("SELECT type, snapshot ->> 'city' FROM history WHERE kind = 'shop' ORDER BY id")
        assert connection.execute(recorded).all() == [("+", "Lucca"), ("+", "Pisa"), ("~", "Roma")]
        logged = text("SELECT kind, action FROM change_log WHERE kind = 'shop' ORDER BY seq")
        assert [row.action for row in connection.execute(logged)] == ["create", "create", "update"]
        assert connection.scalar(text("SELECT value FROM version WHERE kind = 'shop'")) == 3


def test_a_kind_of_ones_own_has_pages(database, tmp_path):
    editor = add_account(database, "ed")
    with connected(database) as connection:
        connection.execute(text(MAKE_EDITOR))
    port = free_port()
    includes = "comicsdb_shops.pages comicsdb_shops comicsdb_api"
    ini = write_ini(tmp_path, database, includes=includes, port=port)
    with pserve(ini, port, PYTHONPATH=str(PLUGIN)) as base:
        status, shop = send(f"{base}/api/shop/", "POST", editor, {"name": "Bottega", "city": "Pisa"})
        assert status == 201
        pages = {
            path: fetch(f"{base}{path}")
            for path in ("/", "/shop/", "/shop/search?q=bott", "/shop/bottega/", "/search/?q=bottega")
        }
        assert {path: status for path, (status, _headers, _body) in pages.items()} == dict.fromkeys(
            pages, 200
        )
        assert b'href="/shop/"' in pages["/"][2]  # the menu
        for path in list(pages)[1:]:
            assert b"Bottega" in pages[path][2]
        assert b"Pisa" in pages["/shop/bottega/"][2]
        assert b'd="M4 9h16' in pages["/shop/bottega/"][2]
        with urlopen(f"{base}/shop/{shop['id']}/") as answer:
            assert answer.url == f"{base}/shop/bottega/"
        assert b"Log in" in fetch(f"{base}/shop/create/")[2]


def test_the_document_on_integration_shows_the_files_of_the_example_whole():
    package = PLUGIN / "comicsdb_shops"
    document = (PLUGIN.parent.parent / "docs" / "integrate.md").read_text("utf-8")
    blocks = re.findall(
        r"^`comicsdb_shops/([\w./]+)`.*:\n\n((?:(?:    .*)?\n)+?)(?=\S)", document, re.MULTILINE
    )
    documented = {name: textwrap.dedent(block).rstrip("\n") + "\n" for name, block in blocks}
    files = {
        path.relative_to(package).as_posix(): path.read_text("utf-8")
        for path in package.rglob("*")
        if path.suffix in {".py", ".jinja2"}
    }
    assert documented == files
