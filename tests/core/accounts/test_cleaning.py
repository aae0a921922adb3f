"""Cleaning: expired data are removed, and nothing that is still needed."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import select

from comicsdb import accounts
from comicsdb.accounts.deletion import clean
from comicsdb.models import AccountLink, Donation, RateLimit, User
from comicsdb.ratelimit import Limit
from comicsdb.ratelimit.postgres import remove_expired
from tests.conftest import session_account
from tests.core.accounts.test_signup import opened

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def names(session):
    return set(session.scalars(select(User.username).where(User.id > 1)))


def test_counts_of_limits_go_when_their_period_is_over(session, limiter):
    limits = Limit("burst", 20, 60), Limit("sustained", 5000, 86_400)
    with time_machine.travel(NOON, tick=False) as clock:
        for limit in limits:
            limiter.take([(limit, limit.name)])
        clock.shift(timedelta(seconds=59))
        remove_expired(session)
        assert set(session.scalars(select(RateLimit.client))) == {"burst", "sustained"}
        clock.shift(timedelta(seconds=1))
        remove_expired(session)
        assert session.scalars(select(RateLimit.client)).all() == ["sustained"]


def test_sign_ups_that_nobody_completed_go_after_a_week(context, session, ann, make, form, mailbox):
    make.user("off", is_active=False, email_confirmed=True)
    with time_machine.travel(NOON, tick=False) as clock:
        accounts.sign_up(context, form(username="replaced"))
        accounts.sign_up(context, form())
        accounts.sign_up(context, form(username="held", email="ann@example.org"))
        accounts.sign_up(context, form(username="late", email="late@example.org"))
        accounts.sign_up(context, form(username="carl", email="carl@example.org"))
        accounts.activate(context, *opened(mailbox()[-1]))
        session.commit()
        clock.shift(timedelta(days=2))
        accounts.resend_activation(context, "late@example.org")
        clock.shift(timedelta(days=6, seconds=-1))
        assert clean(session)["accounts"] == 0
        clock.shift(timedelta(seconds=1))
        assert clean(session)["accounts"] == 3
        session.commit()
        assert names(session) == {"Ann", "off", "late", "carl"}
        accounts.sign_up(context, form())  # the name is free again
        accounts.sign_up(context, form(username="held", email="held@example.org"))


def test_a_sign_up_that_nobody_completed_takes_no_donation_from_its_address(context, session, form):
    with time_machine.travel(NOON, tick=False) as clock:
        session.add(Donation(email="bob@example.org", transaction_id="t", amount=500, donated_at=NOON))
        accounts.sign_up(context, form())
        session.commit()
        clock.shift(timedelta(days=9))
        assert clean(session)["accounts"] == 1
    assert session.scalars(select(Donation.email)).all() == ["bob@example.org"]


def test_links_go_a_week_after_they_expired_but_not_those_that_an_account_waits_for(
    context, session, ann, form
):
    with time_machine.travel(NOON, tick=False) as clock:
        accounts.request_reset(context, ann.email)
        session.commit()
        clock.shift(timedelta(days=8, seconds=-1))
        accounts.sign_up(context, form())
        assert clean(session)["links"] == 0
        clock.shift(timedelta(seconds=1))
        assert clean(session)["links"] == 1
        session.commit()
        assert [link.purpose for link in session.scalars(select(AccountLink))] == ["activate"]


def test_sessions_go_when_their_time_is_up(context, session, ann):
    with time_machine.travel(NOON, tick=False) as clock:
        accounts.begin_session(context, ann)
        clock.shift(timedelta(days=1))
        later = accounts.begin_session(context, ann)
        session.commit()
        clock.shift(timedelta(days=13))
        assert clean(session)["sessions"] == 1
        assert session_account(session, later).id == ann.id


@pytest.mark.parametrize("confirmed", [True, False])
def test_an_account_that_the_staff_switched_off_stays(context, session, form, mailbox, confirmed):
    from comicsdb import admin

    with time_machine.travel(NOON, tick=False) as clock:
        accounts.sign_up(context, form())
        user = session.scalar(select(User).where(User.username == "bob"))
        admin.change_account(context, None, user, {"is_active": True, "email_confirmed": confirmed})
        admin.change_account(context, None, user, {"is_active": False})
        session.commit()
        clock.shift(timedelta(days=30))
        clean(session)
        assert "bob" in names(session)
