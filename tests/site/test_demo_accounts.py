"""The demo's public passwords and tokens are refused on a site with a secret of its own."""

import base64

import pytest

from comicsdb.accounts import demo_accounts
from comicsdb.accounts.passwords import Passwords, digest
from comicsdb.models import ApiToken
from tests.web.conftest import log_in

NAME = "admin"
OWN = "correct horse"
PASSWORD, TOKEN = demo_accounts.password(NAME), demo_accounts.token(NAME)


@pytest.fixture
def account(make, session):
    """The demo's administrator, as an import on a developer's machine stores it."""
    user = make.user(NAME, password=PASSWORD, passwords=Passwords("fast"), is_staff=True, is_superuser=True)
    session.add(ApiToken(digest=digest(TOKEN), token_key=TOKEN[:8], user_id=user.id))
    session.commit()
    return user


def basic(password):
    return "Basic " + base64.b64encode(f"{NAME}:{password}".encode()).decode()


@pytest.mark.parametrize("path", ["/api/publisher/", "/api/collection/"])
def test_the_api_refuses_them(testapp, account, path):
    for authorization in (basic(PASSWORD), f"Bearer {TOKEN}"):
        testapp.get(path, headers={"Authorization": authorization}, status=401)


def test_the_site_refuses_them_until_the_password_is_another(testapp, account, session):
    assert log_in(testapp, NAME, PASSWORD).status_int == 422
    account.password = Passwords("fast").hash(OWN)
    session.commit()
    assert log_in(testapp, NAME, OWN).status_int == 303
