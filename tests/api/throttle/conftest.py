"""Applications of the API with limits, made once for all tests of this folder, and clients of them."""

from contextlib import ExitStack

import pytest
import time_machine

from comicsdb.accounts.passwords import digest
from comicsdb.config import parse_settings
from comicsdb.models import ApiToken
from comicsdb.ratelimit.api import ApiLimits
from tests.api.conftest import PASSWORD, Client, basic_auth
from tests.api.throttle.rate_limit_headers import CLOCK_START, LOGGER
from tests.conftest import API_ONLY, build_app, client_on, forget_limits

TOKEN = "cdb_" + "2e" * 32


@pytest.fixture(scope="package")
def apps(shared_database, media_folder):
    """`apps(**settings)`: the application with these settings, made once."""
    made = {}

    def app(**settings):
        key = tuple(sorted(settings.items()))
        if key not in made:
            made[key] = build_app(shared_database, media_folder, **({LOGGER: "on"} | API_ONLY | settings))
        return made[key]

    yield app
    for each in made.values():
        each.registry["comicsdb.engine"].dispose()


@pytest.fixture
def site(apps, connection):
    """`site(**settings)`: a client of an application with limits, none of which have been used yet.

    A setting is named in full, or by the part after `comicsdb_api.throttle`: `site(**{".burst": "3"})`. The
    latter only replace the limits, not the application.
    """
    with ExitStack() as stack:

        def make_site(**settings):
            limits = {f"{LOGGER}{name}": settings.pop(name) for name in [*settings] if name[:1] == "."}
            app = apps(**settings)
            limiter = app.registry["comicsdb.limiter"]
            forget_limits(limiter)
            app.registry["comicsdb.counters"]._counts.clear()
            app.registry["comicsdb.api_limits"] = ApiLimits(
                limiter, parse_settings(app.registry.settings | limits)
            )
            return stack.enter_context(client_on(app, connection))

        yield make_site


@pytest.fixture
def clock():
    """Time that stands still until it is moved."""
    with time_machine.travel(CLOCK_START, tick=False) as traveller:
        yield traveller


@pytest.fixture
def client(site, reader):
    """A client that signs in by HTTP Basic, with the default limits."""
    return Client(site(), basic_auth(reader.username, PASSWORD))


@pytest.fixture
def bearer(session, reader):
    """The Authorization header with a token of the reader."""
    session.add(ApiToken(digest=digest(TOKEN), token_key=TOKEN[:8], user_id=reader.id))
    session.commit()
    return {"Authorization": f"Bearer {TOKEN}"}
