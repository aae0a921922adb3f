"""The description against the running server: schemathesis asks for everything that it says, and more."""

import json
import re
import subprocess
import sys

import pytest
from sqlalchemy import create_engine

from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.models import ApiToken
from comicsdb.passwords import digest
from tests.api.test_statements import world
from tests.factories import Make
from tests.serving import clean_environment, fetch_json, free_port, pserve, write_ini
from tests.soak import SOAK

TOKEN = "cdb_" + "3c" * 32
# A tag that is made up matches no body, and every answer would be 412; `test_openapi.py` looks at these.
CONFIG = """
[parameters]
"header.If-Match" = "*"
"""
# Values that ask for nothing or match nothing are no errors (api.md 1.5): `modified_gt=`, `missing_cv_id=x`,
# `cv_id=1.5`. NUL in a text is one, which no schema says. `test_openapi.py` sends bad values by hand.
LENIENT = "negative_data_rejection"
READS = ("--include-method", "GET", "--phases", "examples,coverage,fuzzing", "--max-examples", str(SOAK or 2))
# What fits the schema of a body may still name what is not there, or be taken already.
FITTING = ("--exclude-checks", f"{LENIENT},positive_data_acceptance")
WRITES = ("--exclude-method", "GET", "--phases", "fuzzing", "--max-examples", str(SOAK or 2))
# It comes with a token, and would think that the passwords and cookies it makes up beside it were let in.
# Those are the business of `tests/api/`.
SCHEME = "knoxApiToken"


@pytest.fixture
def served(database, tmp_path):
    """The address of a server with something of everything, whose first objects have the number 1."""
    engine = create_engine(database)
    with session_factory(engine)() as session:
        make = Make(Catalog(session))
        admin = make.user("admin", is_superuser=True)
        session.add(ApiToken(digest=digest(TOKEN), token_key=TOKEN[:8], user_id=admin.id))
        world(make, 3)
        session.commit()
    engine.dispose()
    port = free_port()
    with pserve(write_ini(tmp_path, database, includes="comicsdb_api", port=port), port) as base:
        yield base


def test_the_server_keeps_what_the_description_says(served, tmp_path):
    _, described = fetch_json(f"{served}/api/schema/?format=json", Authorization=f"Bearer {TOKEN}")
    schemes = described["components"]["securitySchemes"]
    described["components"]["securitySchemes"] = {SCHEME: schemes[SCHEME]}
    assert {SCHEME: []} in described["security"]
    described["security"] = [{SCHEME: []}]
    description, config = tmp_path / "openapi.json", tmp_path / "schemathesis.toml"
    description.write_text(json.dumps(described))
    config.write_text(CONFIG)
    tested = [
        operations(served, description, config, *more)
        for more in ((*READS, "--exclude-checks", LENIENT), (*WRITES, *FITTING))
    ]
    methods = [method for item in described["paths"].values() for method in item]
    writes = sum(methods.count(method) for method in ("post", "put", "patch", "delete"))
    assert tested == [methods.count("get"), writes]
    assert writes > 20


def operations(served, description, config, *more) -> int:
    """How many operations were tried, and kept what is said of them."""
    done = subprocess.run(
        [
            *(sys.executable, "/tmp/servers/stprof.py", "--config-file", str(config)),
            *("run", str(description), "--url", served, "--header", f"Authorization: Bearer {TOKEN}"),
            *("--checks", "all", "--generation-allow-x00", "false", "--seed", "1", "--workers", "2"),
            *("--generation-database", "none", "--no-color", *more),
        ],
        cwd=config.parent,
        env=clean_environment(),
        stdout=open("/tmp/servers/st-%s.out" % more[0],"w"),stderr=None,
        text=True,
        timeout=300,
        check=False,
    )
    out=open("/tmp/servers/st-%s.out"%more[0]).read(); assert done.returncode == 0
    return int(re.search(r"Tested: ([0-9]+)\n", out)[1])
