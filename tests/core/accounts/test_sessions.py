"""Sessions: stored by their digest, listed, renewed, and ended by log-out, expiry or another session."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
import time_machine
from sqlalchemy import select

from comicsdb import accounts
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.sessions import session_identity
from comicsdb.db.read_pool import ReadPool
from comicsdb.http.session_cookie import session_cookie
from comicsdb.models import LoginSession
from tests.core.accounts.conftest import session_user

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_a_session_is_known_by_its_digest_alone(context, session, ann):
    identifier = accounts.begin_session(context, ann)
    session.commit()
    stored = session.scalars(select(LoginSession)).one()
    assert (stored.digest, stored.browser, stored.address) == (digest(identifier), "Moth 1.0", "192.0.2.7")
    assert len(identifier) >= 43
    user = session_user(session, identifier)
    assert (user.username, [group.name for group in user.groups]) == ("Ann", ["editor"])
    assert session_user(session, stored.digest) is None
    assert session_user(session, "") is None


def test_sessions_end_after_two_weeks_however_busy(context, session, ann):
    with time_machine.travel(NOON, tick=False) as clock:
        identifier = accounts.begin_session(context, ann)
        session.commit()
        for _ in range(13):
            clock.shift(timedelta(days=1))
            assert session_user(session, identifier) is ann
        clock.shift(timedelta(days=1))
        assert session_user(session, identifier) is None
        assert accounts.sessions_of(session, ann.id) == []


def test_last_seen_is_written_at_most_once_an_hour(context, session, ann):
    with time_machine.travel(NOON, tick=False) as clock:
        identifier = accounts.begin_session(context, ann)
        session.commit()
        (login,) = session.scalars(select(LoginSession))
        request = SimpleNamespace(
            cookies={session_cookie(context.settings): identifier},
            read_pool=ReadPool(session.connection),
            dbsession=session,
            registry=SimpleNamespace(settings=context.settings),
        )
        clock.shift(timedelta(minutes=60))
        assert session_identity(request).username == "Ann"
        session.expire_all()
        assert login.seen == NOON
        clock.shift(timedelta(seconds=1))
        session_identity(request)
        session.expire_all()
        assert login.seen == NOON + timedelta(minutes=60, seconds=1)


@pytest.fixture
def three(context, session, ann):
    """The identifiers of three sessions of one account, begun an hour apart."""
    with time_machine.travel(NOON, tick=False) as clock:
        identifiers = []
        for _ in range(3):
            identifiers.append(accounts.begin_session(context, ann))
            clock.shift(timedelta(hours=1))
        session.commit()
        yield identifiers


def test_they_are_listed_and_this_one_is_marked(session, ann, three):
    found = accounts.sessions_of(session, ann.id)
    assert [accounts.is_current_session(login, three[1]) for login in found] == [False, True, False]
    assert [accounts.is_current_session(login, three[2]) for login in found] == [True, False, False]
    assert not any(accounts.is_current_session(login, None) for login in found)


def test_one_can_be_ended_but_only_by_its_owner(session, make, ann, three):
    bob = make.user("bob")
    first = accounts.sessions_of(session, ann.id)[-1]
    assert accounts.end_session_of(session, bob.id, first.id) is False
    assert accounts.end_session_of(session, ann.id, first.id) is True
    assert accounts.end_session_of(session, ann.id, first.id) is False
    assert [session_user(session, each) is not None for each in three] == [False, True, True]


def test_all_or_all_others_can_be_ended(session, ann, three):
    assert accounts.end_all_sessions(session, ann.id, except_identifier=three[1]) == 2
    assert [session_user(session, each) is not None for each in three] == [False, True, False]
    assert accounts.end_all_sessions(session, ann.id) == 1
    assert session_user(session, three[1]) is None


def test_logging_out_ends_one(session, three):
    accounts.end_session(session, three[0])
    accounts.end_session(session, None)
    assert [session_user(session, each) is not None for each in three] == [False, True, True]


def test_a_renewed_session_goes_on_under_another_identifier_only(session, ann, three):
    renewed = accounts.renew_session(session, three[0])
    assert session_user(session, three[0]) is None
    assert session_user(session, renewed) is ann
    assert len(accounts.sessions_of(session, ann.id)) == 3
