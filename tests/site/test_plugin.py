"""A fourth package comes in by one word in `pyramid.includes`, and stands on everything the core gives."""

import subprocess
import sys
from pathlib import Path

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

PLUGIN = Path(__file__).parent.parent / "plugin"
MAKE_TABLE = """
import sys
from sqlalchemy import create_engine
from comicsdb_shops import Shop
Shop.__table__.create(create_engine(sys.argv[1]))
"""


@pytest.mark.parametrize("includes", ["comicsdb_shops", "comicsdb_web comicsdb_shops comicsdb_api"])
def test_a_package_of_ones_own_plugs_in_by_one_word(database, tmp_path, includes):
    basic = add_account(database)
    environment = clean_environment(PYTHONPATH=str(PLUGIN))
    subprocess.run([sys.executable, "-c", MAKE_TABLE, database], env=environment, cwd=tmp_path, check=True)
    port = free_port()
    ini = write_ini(tmp_path, database, includes=includes, port=port)
    with pserve(ini, port, PYTHONPATH=str(PLUGIN)) as base:
        status, made = fetch_json(f"{base}/shop/open/?name=Citt%C3%A0+dei+fumetti&city=Lucca", method="POST")
        assert status == 200
        status, shop = fetch_json(f"{base}/api/shop/{made['id']}/", Authorization=basic)
        assert (status, shop["name"], shop["city"]) == (200, "Città dei fumetti", "Lucca")
        status, shops = fetch_json(f"{base}/api/shop/", Authorization=basic)
        assert (shops["count"], shops["results"][0]["id"]) == (1, made["id"])
        assert fetch_json(f"{base}/api/shop/")[0] == 401
        assert "shop" in fetch_json(f"{base}/api/", Authorization=basic)[1]
        if "comicsdb_web" in includes:  # the site has pages for the catalogue's refusals
            again = fetch(f"{base}/shop/open/?name=Citt%C3%A0+dei+fumetti&city=Lucca", method="POST")
            assert (again[0], b"name, city" in again[2]) == (409, True)
    with connected(database) as connection:
        assert connection.execute(text("SELECT slug FROM shop")).scalar_one() == "citta-dei-fumetti"
        recorded = text("SELECT type, snapshot ->> 'city' FROM history WHERE kind = 'shop'")
        assert connection.execute(recorded).all() == [("+", "Lucca")]
        logged = text("SELECT kind, action FROM change_log WHERE kind = 'shop'")
        assert connection.execute(logged).all() == [("shop", "create")]
        assert connection.scalar(text("SELECT value FROM version WHERE kind = 'shop'")) == 1
