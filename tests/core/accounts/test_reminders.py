"""Reminders of the end of HTTP Basic: to its users, not too often, with the text of the current phase."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import select

from comicsdb.admin.notices import remind_basic_users
from comicsdb.config import parse_settings
from comicsdb.models import User
from tests.conftest import SETTINGS
from tests.mailbox import waiting_mails

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def settings(phase, **more):
    days = {"comicsdb.basic_deprecated": "2026-11-01", "comicsdb.basic_sunset": "2027-05-31"}
    given = {"comicsdb.basic_phase": str(phase), **days, **more}
    return parse_settings({"sqlalchemy.url": "postgresql://x/y", **SETTINGS, **given})


@pytest.fixture
def users(factory):
    """Accounts named after their last use of HTTP Basic, or after why they get no mail."""
    kinds = {
        "today": {"basic_used": NOON.date()},
        "a-month-ago": {"basic_used": NOON.date() - timedelta(days=30)},
        "long-ago": {"basic_used": NOON.date() - timedelta(days=31)},
        "never": {},
        "off": {"basic_used": NOON.date(), "is_active": False},
        "unconfirmed": {"basic_used": NOON.date(), "email_confirmed": False},
    }
    with factory() as session:
        for name, values in kinds.items():
            given = {"email": f"{name}@example.org", "password": "!", "email_confirmed": True, **values}
            session.add(User(username=name, **given))
        session.commit()


def remind(factory, phase=1, *, dry_run=False, **more):
    return remind_basic_users(factory, settings(phase, **more), dry_run=dry_run)


def mails(factory):
    with factory() as session:
        return waiting_mails(session)


def use_basic(factory, name, day):
    with factory() as session:
        session.scalar(select(User).where(User.username == name)).basic_used = day
        session.commit()


def test_those_who_used_it_lately_are_reminded(factory, users):
    with time_machine.travel(NOON, tick=False):
        assert remind(factory, dry_run=True) == ["a-month-ago", "today"]
        assert mails(factory) == []
        assert remind(factory) == ["a-month-ago", "today"]
        assert remind(factory) == []
    found = mails(factory)
    assert [mail.to for mail in found] == ["a-month-ago@example.org", "today@example.org"]
    assert all(mail.kind == "basic_reminder" and mail.user_id for mail in found)


def test_nobody_is_reminded_twice_in_an_interval_nor_without_using_it_again(factory, users):
    with time_machine.travel(NOON, tick=False) as clock:
        remind(factory)
        clock.shift(timedelta(days=29))
        use_basic(factory, "today", date(2026, 12, 19))
        assert remind(factory) == []
        clock.shift(timedelta(days=1))
        assert remind(factory) == ["today"]
        clock.shift(timedelta(days=31))
        assert remind(factory) == []
        use_basic(factory, "today", date(2027, 1, 20))
        clock.shift(timedelta(days=1))
        assert remind(factory) == ["today"]


@pytest.mark.parametrize("phase", [0, 3])
def test_before_and_after_there_is_nothing_to_say(factory, users, phase):
    with time_machine.travel(NOON, tick=False):
        assert remind(factory, phase) == []
    assert mails(factory) == []


def test_the_final_notice_is_stronger_and_both_name_the_day_and_the_way_out(factory, users):
    with time_machine.travel(NOON, tick=False) as clock:
        remind(factory, 1)
        use_basic(factory, "today", date(2026, 12, 22))
        clock.shift(timedelta(days=31))
        remind(factory, 2)
    first, final = [mail for mail in mails(factory) if mail.to == "today@example.org"]
    for mail in (first, final):
        assert "May 31, 2027" in mail.text
        assert "http://localhost/accounts/tokens/" in mail.links
        assert "http://localhost/help/basic-auth/" in mail.links
    assert first.subject == "Please use a token with the API"
    assert "switch to a token before then" in first.words
    assert "Final notice" in final.subject
    assert "stop working" in final.words
    assert "fewer requests" in final.words


def test_without_a_day_no_day_is_named(factory, users):
    with time_machine.travel(NOON, tick=False):
        remind(factory, 1, **{"comicsdb.basic_sunset": ""})
    assert "Valid until" not in mails(factory)[0].text
    assert "will be switched off" in mails(factory)[0].text
