"""The API on a separate database, with a client, for the tests of filters.

Nothing is rolled back, so one catalog serves many tests.
"""

from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlencode

import webtest
from psycopg import sql
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.db import SHORT_STATEMENTS, session_factory, set_config
from comicsdb.db.read_pool import ReadConnection
from tests.api.conftest import PASSWORD, Client, basic_auth
from tests.conftest import API_ONLY, build_app, close_sessions
from tests.factories import Factories

EXPLAIN = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)"


@dataclass(frozen=True)
class ServedCatalog:
    """A catalog served by the API: `make` and `session` fill it, the methods send requests."""

    client: Client
    make: Factories
    session: Session

    def ids(self, kind: str, *query: tuple[str, str]) -> list[int]:
        """The ids of a list's rows in order; the list must fit on one page and have the right count."""
        body = self.client.json(self.path(kind, *query))
        found = [row["id"] for row in body["results"]]
        assert body["count"] == len(found), body
        return found

    def error_body(self, kind: str, *query: tuple[str, str]) -> dict:
        """The body of the 400 response to a query."""
        return self.client.json(self.path(kind, *query), 400)

    def explain(self, kind: str, *query: tuple[str, str], runs: int = 1) -> list[dict]:
        """The plan of the statement behind a filtered page: EXPLAIN ANALYZE of each run.

        The statement also counts the rows, and is sent only if the page is not cached. A prepared statement
        is explained with its generic plan. `Execution Time` is in milliseconds.
        """
        with record_read_statements() as statements:
            self.client.json(self.path(kind, *query))
        makes_rows = (" LIMIT ", "unnest(")  # the latter selects by ids
        text, values, prepared = next(
            each for each in reversed(statements) if any(part in each[0] for part in makes_rows)
        )
        driver = self.session.connection().connection.driver_connection
        mode = "force_generic_plan" if prepared else "force_custom_plan"
        arguments = sql.SQL(", ").join(map(sql.Literal, values)).as_string(driver)
        driver.execute(set_config(SHORT_STATEMENTS, local=True))
        driver.execute(f"SET LOCAL plan_cache_mode = {mode}")
        driver.execute(f"PREPARE asked AS {text}".encode())
        explain = f"{EXPLAIN} EXECUTE asked{f'({arguments})' if values else ''}".encode()
        found = [driver.execute(explain).fetchone() for _ in range(runs)]
        driver.execute("DEALLOCATE asked")
        self.session.rollback()
        return [plan for ((plan,),) in found]

    def path(self, kind: str, *query: tuple[str, str]) -> str:
        """The address of a list with a query."""
        return f"/api/{kind}/?{urlencode(query)}"


@contextmanager
def record_read_statements():
    """Record the statements of read connections, their values, and whether they are prepared."""
    statements, row = [], ReadConnection.row

    def recorded(connection, query, values, *, prepared=True):
        statements.append((query, values, prepared))
        return row(connection, query, values, prepared=prepared)

    ReadConnection.row = recorded
    try:
        yield statements
    finally:
        ReadConnection.row = row


@contextmanager
def serve_catalog(cluster, template: str, name: str, media_folder, **settings):
    """Serve a fresh copy of the template database, with an account for the client."""
    cluster.clone_database(template, name)
    url = cluster.url(name)
    engine = create_engine(url)
    app = build_app(url, media_folder, **(API_ONLY | settings))
    with session_factory(engine)() as session:
        make = Factories(Catalog(session))
        make.user(
            "asker", password=PASSWORD, passwords=Passwords(app.registry.settings["comicsdb.password_cost"])
        )
        yield ServedCatalog(Client(webtest.TestApp(app), basic_auth("asker", PASSWORD)), make, session)
    close_sessions()
    app.registry["comicsdb.read_pool"].close()
    app.registry["comicsdb.engine"].dispose()
    engine.dispose()
    cluster.drop_database(name)
