"""Fixtures: contexts like `request.account_context`, without a request; an account, its mails, and a form."""

import dataclasses

import pytest

from comicsdb.accounts import AccountContext, Guard, form_time
from comicsdb.accounts.passwords import Passwords
from comicsdb.accounts.sessions import session_account
from comicsdb.config import parse_settings
from comicsdb.db import session_factory
from comicsdb.db.read_pool import ReadPool
from comicsdb.media.storage import FolderStorage
from comicsdb.models import User
from tests.conftest import SAVEPOINT_MODE, SETTINGS
from tests.mailbox import waiting_mails

PASSWORD = "correct horse battery"


def session_user(session, identifier):
    """The account of a session identifier, as the site finds it, or None."""
    found = session_account(ReadPool(session.connection), identifier)
    return found and session.get(User, found.id)


@pytest.fixture(scope="session")
def passwords():
    return Passwords("fast")


@pytest.fixture
def context(session, connection, limiter, passwords, tmp_path):
    """The context of a visitor; everything is rolled back with the test."""
    factory = session_factory(connection)
    factory.configure(**SAVEPOINT_MODE)
    return AccountContext(
        session=session,
        independent_session=factory,
        passwords=passwords,
        guard=Guard(limiter),
        storage=FolderStorage(tmp_path / "media"),
        settings=parse_settings({"sqlalchemy.url": "postgresql://x/y", **SETTINGS}),
        address="192.0.2.7",
        browser="Moth\n1.0",
        language="it",
    )


@pytest.fixture
def context_with(context):
    """`context_with(address="…", **settings)`: the context with another address or other settings."""

    def changed(address: str = context.address, **settings) -> AccountContext:
        more = {name.replace("__", "."): value for name, value in settings.items()}
        return dataclasses.replace(context, address=address, settings={**context.settings, **more})

    return changed


@pytest.fixture
def real(context, factory):
    """A function that returns the context of a visitor with sessions on real connections."""
    return lambda session, **more: dataclasses.replace(
        context, session=session, independent_session=factory, settings={**context.settings, **more}
    )


@pytest.fixture
def ann(make, passwords):
    """An active account with a confirmed address."""
    return make.user(
        "Ann", password=PASSWORD, passwords=passwords, groups=["editor"], email_confirmed=True,
        email="Ann@example.org",
    )  # fmt: skip


@pytest.fixture
def mailbox(session):
    """A function that returns all mails waiting to be sent."""

    def look():
        session.flush()
        return waiting_mails(session)

    return look


@pytest.fixture
def form(context):
    """A function that returns a valid sign-up form, with some fields changed."""

    def filled(**changes):
        typed = {
            "username": "bob",
            "email": "bob@example.org",
            "password": PASSWORD,
            "password_again": changes.get("password", PASSWORD),
            "homepage": "",
            "form_time": form_time(context.settings),
        }
        return typed | changes

    return filled
