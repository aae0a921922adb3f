"""schemathesis checks a running server against its OpenAPI description, with valid and invalid requests."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from comicsdb.accounts.passwords import digest
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.models import ApiToken
from tests.api.resource.test_statements import world
from tests.factories import Factories
from tests.serving import clean_environment, fetch_json, free_port, pserve, write_ini
from tests.soak import SOAK

TOKEN = "cdb_" + "3c" * 32
# A made-up entity tag matches no body, so every response would be 412; `test_openapi.py` tests those.
# The epoch of the change feed is specific to one installation, and any other gets 410.
CONFIG = """
[parameters]
"header.If-Match" = "*"
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "410", "429", "5xx"]
"""
# Methods that an address does not support; `tests/api/auth/test_permissions.py` sends the others to each.
FEW_METHODS = """
[phases.coverage]
unexpected-methods = ["DELETE", "TRACE"]
"""
# Values without effect or matches are not errors: `modified_gt=`, `missing_cv_id=x`, `cv_id=1.5`.
# NUL in a text is an error, which the schemas do not say. `test_openapi.py` sends hand-written bad values.
LENIENT = "negative_data_rejection"
READ, WRITTEN = str(SOAK or 1), str(SOAK or 2)  # fuzzing examples; reads also get boundary values
READS = ("--include-method", "GET", "--exclude-checks", LENIENT)
LIKELY = (*READS, "--phases", "examples,fuzzing", "--max-examples", READ)
ODD = (*READS, "--phases", "coverage")
# A body that matches its schema may still name missing objects, or values already in use.
FITTING = ("--exclude-checks", f"{LENIENT},positive_data_acceptance")
WRITES = ("--exclude-method", "GET", *FITTING, "--phases", "fuzzing", "--max-examples", WRITTEN)
# The only scheme left in the description: each request has a token, so schemathesis would believe that the
# passwords and cookies it makes up are accepted. `tests/api/` tests the other schemes.
SCHEME = "knoxApiToken"

# One process for all runs, as importing schemathesis takes a second.
RUNS = """
import json, sys
from schemathesis.cli import schemathesis
for words in json.loads(sys.argv[1]):
    try:
        schemathesis(words)
    except SystemExit as end:
        if end.code:
            raise
"""
CHARACTERS = Path(__file__).parent.parent.parent / ".hypothesis"  # Hypothesis's Unicode tables, built once


@pytest.fixture
def served(database, tmp_path):
    """The address of a server with objects of every kind, the first of which have the id 1."""
    engine = create_engine(database)
    with session_factory(engine)() as session:
        make = Factories(Catalog(session))
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
    assert {SCHEME: ["read"]} in described["security"]
    for each in (described, *(each for item in described["paths"].values() for each in item.values())):
        if "security" in each:  # the token has every scope; an empty requirement allows anonymous access
            ways = [way for way in each["security"] if SCHEME in way or not way]
            each["security"] = [{scheme: [] for scheme in way} for way in ways]
    methods = [method for item in described["paths"].values() for method in item]
    reads, writes = methods.count("get"), sum(map(methods.count, ("post", "put", "patch", "delete")))
    whole, short = tmp_path / "openapi.json", tmp_path / "short.json"
    whole.write_text(json.dumps(described))
    if not SOAK:
        leave_out_repetition(described)
    short.write_text(json.dumps(described))
    (tmp_path / "schemathesis.toml").write_text(CONFIG if SOAK else CONFIG + FEW_METHODS)
    tried = operations(served, (whole, *LIKELY), (short, *ODD), (whole, *WRITES))
    assert tried == [reads, reads, writes]
    assert writes > 20


def leave_out_repetition(described) -> None:
    """Keep a parameter that many GET operations share only in the first, where it gets every odd value.

    `tests/api/openapi/test_openapi_answers.py` sends a bad value and good ones to each operation.
    `fields` and `include` differ only in the names that they accept, which
    `tests/api/resource/test_selection.py` tests.
    """
    seen, seen_lists = [], set()
    for item in described["paths"].values():
        asked = item.get("get", {}).get("parameters", [])
        asked[:] = [
            each
            for each in asked
            if is_of_the_path(each) or (each not in seen and each.get("name") not in seen_lists)
        ]
        seen += asked
        seen_lists |= {each["name"] for each in asked if each.get("name") in {"fields", "include"}}


def is_of_the_path(parameter: dict) -> bool:
    """Whether a parameter is part of the path and cannot be left out."""
    return parameter.get("in") == "path" or parameter.get("$ref") == "#/components/parameters/id"


def operations(served, *runs) -> list[int]:
    """The number of operations tested in each run; fails if any violated the description."""
    commands = [
        [
            *("--config-file", "schemathesis.toml", "run", str(description)),
            *("--url", served, "--header", f"Authorization: Bearer {TOKEN}"),
            *("--checks", "all", "--generation-allow-x00", "false", "--seed", "1", "--workers", "2"),
            *("--generation-database", "none", "--no-color", *more),
        ]
        for description, *more in runs
    ]
    done = subprocess.run(
        [sys.executable, "-c", RUNS, json.dumps(commands)],
        cwd=runs[0][0].parent,
        env=clean_environment(HYPOTHESIS_STORAGE_DIRECTORY=str(CHARACTERS)),
        capture_output=True,
        text=True,
        timeout=9_000 if SOAK else 900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    return list(map(int, re.findall(r"Tested: ([0-9]+)\n", done.stdout)))
