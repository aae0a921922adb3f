"""Visits to the site without a surface: what `request.visit` would be."""

import dataclasses

import pytest

from comicsdb.accounts import Guard, Visit, form_time
from comicsdb.accounts.passwords import Passwords
from comicsdb.config import resolve
from comicsdb.db import session_factory
from comicsdb.media.folder import FolderStorage
from tests.conftest import ROLLED_BACK, SETTINGS
from tests.mailbox import letters

PASSWORD = "correct horse battery"


@pytest.fixture(scope="session")
def passwords():
    return Passwords("fast")


@pytest.fixture
def visit(session, connection, limiter, passwords, tmp_path):
    """Somebody at the site; everything is rolled back with the test."""
    apart = session_factory(connection)
    apart.configure(**ROLLED_BACK)
    return Visit(
        session=session,
        apart=apart,
        passwords=passwords,
        guard=Guard(limiter),
        storage=FolderStorage(tmp_path / "media"),
        settings=resolve({"sqlalchemy.url": "postgresql://x/y", **SETTINGS}),
        address="192.0.2.7",
        browser="Moth\n1.0",
        language="it",
    )


@pytest.fixture
def given(visit):
    """The same visit with other settings, or from elsewhere: `given(address="…", **settings)`."""

    def changed(address: str = visit.address, **settings) -> Visit:
        more = {name.replace("__", "."): value for name, value in settings.items()}
        return dataclasses.replace(visit, address=address, settings={**visit.settings, **more})

    return changed


@pytest.fixture
def ann(make, passwords):
    """An active account with a confirmed address."""
    return make.user(
        "Ann", password=PASSWORD, passwords=passwords, groups=["editor"], email_confirmed=True,
        email="Ann@example.org",
    )  # fmt: skip


@pytest.fixture
def mailbox(session):
    """All mails that wait, read by a function that can be called again."""

    def look():
        session.flush()
        return letters(session)

    return look


@pytest.fixture
def form(visit):
    """A good sign-up form; what is said otherwise goes before."""

    def filled(**changes):
        typed = {
            "username": "bob",
            "email": "bob@example.org",
            "password": PASSWORD,
            "password_again": changes.get("password", PASSWORD),
            "homepage": "",
            "form_time": form_time(visit.settings),
        }
        return typed | changes

    return filled
