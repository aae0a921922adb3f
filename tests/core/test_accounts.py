"""Accounts: proving who one is, and sessions that begin, end and run out."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from comicsdb import accounts
from comicsdb.models import LoginSession
from comicsdb.passwords import Passwords, digest


@pytest.fixture(scope="module")
def passwords():
    return Passwords("fast")


@pytest.fixture
def ann(make, passwords):
    return make.user("Ann", password="secret", passwords=passwords, groups=["editor"])


def begin(session, user):
    return accounts.begin_session(session, user, address="127.0.0.1", browser="Moth\n1.0")


@pytest.mark.parametrize("name", ["Ann", "ann", "ANN"])
def test_a_name_counts_whatever_its_case(session, ann, passwords, name):
    assert accounts.verified(session, passwords, name, "secret") is ann


@pytest.mark.parametrize(
    ("name", "password"), [("Ann", "Secret"), ("nobody", "secret"), ("a\0b", "x"), ("", "")]
)
def test_everybody_else_is_refused(session, ann, passwords, name, password):
    assert accounts.verified(session, passwords, name, password) is None


def test_an_account_that_is_switched_off_is_refused_and_its_sessions_with_it(session, ann, passwords):
    identifier = begin(session, ann)
    ann.is_active = False
    session.commit()
    assert accounts.verified(session, passwords, "Ann", "secret") is None
    assert accounts.session_user(session, identifier) is None


def test_a_weaker_hash_is_made_anew(session, ann):
    before = ann.password
    assert accounts.verified(session, Passwords("default"), "ann", "secret") is ann
    assert ann.password != before
    assert accounts.verified(session, Passwords("default"), "ann", "secret") is ann


def test_a_session_is_known_by_its_digest_alone(session, ann):
    identifier = begin(session, ann)
    session.commit()
    stored = session.scalars(select(LoginSession)).one()
    assert (stored.digest, stored.browser) == (digest(identifier), "Moth 1.0")
    user = accounts.session_user(session, identifier)
    assert (user.username, [group.name for group in user.groups]) == ("Ann", ["editor"])
    assert accounts.session_user(session, stored.digest) is None


def test_a_session_ends_by_hand_and_by_time(session, ann):
    first, second = begin(session, ann), begin(session, ann)
    session.commit()
    accounts.end_session(session, first)
    accounts.end_session(session, None)
    assert accounts.session_user(session, first) is None
    assert accounts.session_user(session, second) is ann
    (left,) = session.scalars(select(LoginSession))
    left.expires = datetime.now(UTC) - timedelta(seconds=1)
    session.commit()
    assert accounts.session_user(session, second) is None


def test_last_seen_is_written_at_most_once_an_hour(session, ann):
    identifier = begin(session, ann)
    session.commit()
    (login,) = session.scalars(select(LoginSession))
    seen = login.seen
    accounts.session_user(session, identifier)
    assert login.seen == seen
    login.seen = seen - timedelta(hours=2)
    session.commit()
    accounts.session_user(session, identifier)
    assert login.seen >= seen
