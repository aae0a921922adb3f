"""A server for tests of the client: the whole application, with rate limits and a small catalog."""

import itertools
import threading
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest
import waitress.server
from sqlalchemy import create_engine, insert

from comicsdb.accounts.passwords import digest
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.models import ApiToken, Arc
from comicsdb_client import Client
from tests.conftest import build_app
from tests.factories import Factories

BURST = 12  # requests per minute
ARCS = 205

_tokens = itertools.count(1)


@pytest.fixture(scope="session")
def server(cluster, template, tmp_path_factory):
    """The server: its `url`, the ids of its catalog, and the factories (`make`) that add to it."""
    cluster.clone_database(template, "clients")
    url = cluster.url("clients")
    limits = {"comicsdb_api.throttle": "on", "comicsdb_api.throttle.burst": str(BURST)}
    app = build_app(url, tmp_path_factory.mktemp("clients-media"), **limits)
    served = waitress.server.create_server(app, host="127.0.0.1", port=0, threads=2)
    engine = create_engine(url)
    with session_factory(engine)() as session:
        make = Factories(Catalog(session))
        made = fill(make)
        made.make, made.url = make, f"http://127.0.0.1:{served.effective_port}"
        thread = threading.Thread(target=served.run, daemon=True)
        thread.start()
        yield made
    served.close()
    thread.join(10)
    app.registry["comicsdb.engine"].dispose()
    engine.dispose()
    cluster.drop_database("clients")


def fill(make: Factories) -> SimpleNamespace:
    """Create three series, two of them with the same name, and more arcs than fit on two pages."""
    with make.single_commit():
        publisher = make.publisher(name="Nimbus Comics")
        old = make.series(name="Harbor Lights", year_began=1988, publisher=publisher)
        new = make.series(name="Harbor Lights", year_began=2019, volume=2, publisher=publisher)
        other = make.series(name="Tidewater Tales", year_began=2021, publisher=publisher)
        make.issue(series=old, number="1", cover_date=date(1988, 6, 1))
        issues = [
            make.issue(series=new, number=str(number), cover_date=date(2019, number, 1), page=2)
            for number in range(1, 5)
        ]
        single = make.issue(
            series=other, number="7", cover_date=date(2021, 3, 1), desc="Tide & time.",
            upc="76194134182700711", name=["Low Water", "Ebb"], cv_id=123456, price=Decimal("3.99"),
        )  # fmt: skip
        ada = make.creator(name="Ada Penwell")
    make.credit(single, ada, "Writer", "Cover")
    make.session.execute(insert(Arc), [{"name": f"Arc {n:03}", "slug": f"arc-{n}"} for n in range(ARCS)])
    make.session.commit()
    return SimpleNamespace(issues=[each.id for each in issues], single=single.id)


@pytest.fixture
def token(server):
    """The token of a new account, which has not used any of its rate limits."""
    text = f"cdb_{next(_tokens):064x}"
    user = server.make.user()
    server.make.session.add(ApiToken(digest=digest(text), token_key=text[:8], user_id=user.id))
    server.make.session.commit()
    return text


@pytest.fixture
def client(server, token):
    """A client that fails instead of waiting for rate limits."""
    with Client(server.url, token=token, longest_wait=0) as client:
        yield client
