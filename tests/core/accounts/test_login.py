"""Logging in: one's name and password, and nothing else; those who guess have to wait."""

import logging
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
import time_machine

from comicsdb import accounts
from comicsdb.catalog import Invalid
from comicsdb.limits import Limiter
from comicsdb.passwords import Passwords
from tests.conftest import recording
from tests.core.accounts.conftest import PASSWORD

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def guess(visit, name="Ann", password="wrong", times=1):
    for _ in range(times):
        with pytest.raises(accounts.LogInFailed):
            accounts.log_in(visit, name, password)


def waits(visit, name="Ann", password=PASSWORD) -> int:
    with pytest.raises(accounts.TooManyFailures) as caught:
        accounts.log_in(visit, name, password)
    return caught.value.retry_after


@pytest.mark.parametrize("name", ["Ann", "ann", "ANN", " Ann ", "Ａｎｎ"])
def test_a_name_counts_whatever_its_case_and_form(visit, ann, name, caplog):
    caplog.set_level(logging.INFO)
    assert accounts.log_in(visit, name, PASSWORD) is ann
    assert caplog.messages == ["User logged in (user=Ann, ip=192.0.2.7)"]


@pytest.mark.parametrize(
    ("name", "password"),
    [("Ann", PASSWORD.upper()), ("nobody", PASSWORD), ("a\0b", "x"), ("", ""), ("Ann", ""), ("x" * 200, "x"),
     ("Ann", PASSWORD + "x" * 2000), ("Ann@example.org", PASSWORD)],
)  # fmt: skip
def test_everybody_else_is_refused(visit, ann, name, password):
    guess(visit, name, password)


def test_an_account_that_is_switched_off_is_refused_and_its_sessions_with_it(visit, session, ann):
    identifier = accounts.begin_session(visit, ann)
    ann.is_active = False
    session.commit()
    guess(visit, password=PASSWORD)
    assert accounts.session_user(session, identifier) is None


def test_nobody_and_somebody_are_refused_for_the_same_work(
    visit, session, connection, ann, make, monkeypatch
):
    make.user("Off", password=PASSWORD, passwords=visit.passwords, is_active=False)
    make.user("None", password="")
    verified, own = [], visit.passwords._hasher
    counting = SimpleNamespace(
        verify=lambda stored, password: verified.append(password) or own.verify(stored, password)
    )
    monkeypatch.setattr(visit.passwords, "_hasher", counting)
    asked = {}
    for name in ("Ann", "Off", "None", "nobody"):
        with recording(connection) as statements:
            guess(visit, name)
        asked[name] = list(statements)
        session.expire_all()
    assert len({str(statements) for statements in asked.values()}) == 1
    assert verified == ["wrong"] * 4


def test_a_weaker_hash_is_made_anew(session, ann):
    before = ann.password
    assert accounts.verified(session, Passwords("default"), "ann", PASSWORD) is ann
    assert ann.password != before
    assert accounts.verified(session, Passwords("default"), "ann", PASSWORD) is ann


def test_a_failure_is_logged_on_one_line(visit, ann, caplog):
    guess(visit, "evil\nname (user=root, ip=1.1.1.1)")
    (message,) = caplog.messages
    assert message == "Log-in failed (user=evil name (user=root, ip=1.1.1.1), ip=192.0.2.7)"
    assert (caplog.records[0].ip, caplog.records[0].levelno) == ("192.0.2.7", logging.WARNING)


# Guessing.


def test_five_failures_with_a_name_from_an_address_are_enough(visit, given, ann, caplog):
    with time_machine.travel(NOON, tick=False) as clock:
        guess(visit, times=4)
        assert accounts.log_in(visit, "Ann", PASSWORD) is ann  # a few mistakes cost nothing
        guess(visit)
        assert waits(visit) == 15 * 60  # not even the right one is tried
        assert waits(visit, name="ANN") == 15 * 60
        assert caplog.messages[-1] == "Log-in refused after too many failures (user=ANN, ip=192.0.2.7)"
        assert accounts.log_in(given(address="192.0.2.8"), "Ann", PASSWORD) is ann
        guess(visit, name="bob")
        clock.shift(timedelta(minutes=14, seconds=59))
        assert waits(visit) == 1
        clock.shift(timedelta(seconds=2))
        assert accounts.log_in(visit, "Ann", PASSWORD) is ann


def test_whoever_goes_on_waits_longer(visit, ann):
    with time_machine.travel(NOON, tick=False) as clock:
        guess(visit, times=5)
        clock.shift(timedelta(minutes=16))
        guess(visit, times=5)
        assert waits(visit) == 44 * 60  # ten within the hour
        clock.shift(timedelta(minutes=45))
        guess(visit, times=5)
        clock.shift(timedelta(minutes=61))
        guess(visit, times=5)
        assert waits(visit) > 20 * 3600  # twenty within the day
        clock.move_to(NOON + timedelta(days=1, minutes=20))
        assert accounts.log_in(visit, "Ann", PASSWORD) is ann


def test_names_do_not_matter_to_the_limit_of_an_address(visit, given, ann):
    with time_machine.travel(NOON, tick=False):
        for number in range(20):
            guess(visit, name=f"nobody{number}")
        assert waits(visit) == 15 * 60
        assert accounts.log_in(given(address="192.0.2.8"), "Ann", PASSWORD) is ann


def test_nobody_escapes_by_another_address_of_the_same_network(given, ann):
    for number in range(5):
        guess(given(address=f"2001:db8::{number}"))
    waits(given(address="2001:db8::ffff"))


def test_the_limit_says_nothing_about_accounts(visit, ann):
    guess(visit, name="nobody", times=5)
    guess(visit, name="Ann", times=5)
    assert waits(visit, name="nobody") == waits(visit, name="Ann")


def test_processes_count_together_in_redis(visit, ann, redis):
    from comicsdb.accounts import Guard

    one, two = (Guard(Limiter(redis.url)) for _ in range(2))
    for guard in (one, two, one, two, one):
        guard.failed("ann", "192.0.2.7")
    for guard in (one, two):
        with pytest.raises(accounts.TooManyFailures):
            guard.check("Ann", "192.0.2.7")
        guard.check("Ann", "192.0.2.8")


def test_a_password_that_is_asked_for_again_is_limited_too(visit, ann):
    """Whoever sits at a browser that was left logged in cannot guess on."""
    for _ in range(5):
        with pytest.raises(Invalid) as caught:
            accounts.delete_account(visit, ann.id, "wrong")
        assert set(caught.value.errors) == {"password"}
    with pytest.raises(accounts.TooManyFailures):
        accounts.delete_account(visit, ann.id, PASSWORD)
