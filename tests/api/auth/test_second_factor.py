"""Accounts with two-step log-in: the API refuses their password alone, whether cached or not."""

import pytest

from comicsdb.accounts.passwords import digest
from comicsdb.models import ApiToken
from tests.api.conftest import PASSWORD, Client, basic_auth

TOKEN = "cdb_" + "3e" * 32
PATHS = ("/api/publisher/", "/api/collection/stats/")


@pytest.fixture
def by_token(testapp, reader, session):
    session.add(ApiToken(digest=digest(TOKEN), token_key=TOKEN[4:12], user_id=reader.id))
    session.commit()
    return Client(testapp, {"Authorization": f"Bearer {TOKEN}"})


def test_the_password_is_refused_at_once_and_the_token_is_not(testapp, make, reader, session, by_token):
    path = f"/api/publisher/{make.publisher().id}/"
    session.commit()
    by_password = Client(testapp, basic_auth("reader", PASSWORD))
    for _ in range(3):  # made, cached, and with a remembered account
        by_password.get(path)
    reader.second_factor = True
    session.commit()
    for each in (path, *PATHS):
        for _ in range(8):  # which does not count as a wrong password
            refused = by_password.get(each, 401)
        assert "API token" in refused.json["detail"]
        by_token.get(each)
    wrong = Client(testapp, basic_auth("reader", "wrong"))
    assert "API token" not in wrong.get(path, 401).json["detail"]
    reader.second_factor = False
    session.commit()
    by_password.get(path)


def test_staff_without_a_second_step_write_nothing_where_it_is_required(
    wsgi, testapp, reader, session, by_token, monkeypatch
):
    monkeypatch.setitem(wsgi.registry.settings, "comicsdb.staff_second_factor", True)
    reader.is_superuser = True
    session.commit()
    sent = {"headers": by_token.headers, "expect_errors": True}
    assert testapp.post("/api/publisher/", {"name": "Lamplight"}, **sent).status_int == 403
    by_token.get("/api/publisher/")
    reader.second_factor = True
    session.commit()
    assert testapp.post("/api/publisher/", {"name": "Lamplight"}, **sent).status_int == 201
