"""Log-in by name or address and password, and the limits on guessing."""

import logging
import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
import time_machine

from comicsdb import accounts
from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import InvalidError
from comicsdb.ratelimit import Limiter
from tests.conftest import record_statements, session_account
from tests.core.accounts.conftest import PASSWORD

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def guess(context, name="Ann", password="wrong", times=1):
    for _ in range(times):
        with pytest.raises(accounts.LogInFailedError):
            accounts.log_in(context, name, password)


def waits(context, name="Ann", password=PASSWORD) -> int:
    with pytest.raises(accounts.TooManyFailuresError) as caught:
        accounts.log_in(context, name, password)
    return caught.value.retry_after


@pytest.mark.parametrize(
    "name", ["Ann", "ann", "ANN", " Ann ", "Ａｎｎ", "ANN@example.org ", "ann@Example.ORG"]
)
def test_a_name_counts_whatever_its_case_and_form(context, ann, name, caplog):
    caplog.set_level(logging.INFO)
    assert accounts.log_in(context, name, PASSWORD) is ann
    assert caplog.messages == ["User logged in (user=Ann, ip=192.0.2.7)"]


@pytest.mark.parametrize(
    ("name", "password"),
    [("Ann", PASSWORD.upper()), ("nobody", PASSWORD), ("a\0b", "x"), ("", ""), ("Ann", ""), ("x" * 200, "x"),
     ("Ann", PASSWORD + "x" * 2000), ("Ann@example.net", PASSWORD)],
)  # fmt: skip
def test_everybody_else_is_refused(context, ann, name, password):
    guess(context, name, password)


def test_an_account_that_is_switched_off_is_refused_and_its_sessions_with_it(context, session, ann):
    identifier = accounts.begin_session(context, ann)
    ann.is_active = False
    session.commit()
    guess(context, password=PASSWORD)
    assert session_account(session, identifier) is None


def test_nobody_and_somebody_are_refused_for_the_same_work(
    context, session, connection, ann, make, monkeypatch
):
    make.user("Off", password=PASSWORD, passwords=context.passwords, is_active=False)
    make.user("None", password="")
    verified, own = [], context.passwords._hasher
    counting = SimpleNamespace(
        verify=lambda stored, password: verified.append(password) or own.verify(stored, password)
    )
    monkeypatch.setattr(context.passwords, "_hasher", counting)
    asked = {}
    names = ("Ann", "Off", "None", "nobody", "ann@example.org", "nobody@example.org")
    for name in names:
        with record_statements(connection) as statements:
            guess(context, name)
        asked[name] = list(statements)
        session.expire_all()
    assert len({str(statements) for statements in asked.values()}) == 1
    assert verified == ["wrong"] * len(names)


def test_a_weaker_hash_is_made_anew(session, ann):
    before = ann.password
    assert accounts.authenticate(session, Passwords("default"), "ann", PASSWORD) is ann
    assert ann.password != before
    assert accounts.authenticate(session, Passwords("default"), "ann", PASSWORD) is ann


def test_a_failure_is_logged_on_one_line(context, ann, caplog):
    guess(context, "evil\nname (user=root, ip=1.1.1.1)")
    (message,) = caplog.messages
    assert message == "Log-in failed (user=evil name (user=root, ip=1.1.1.1), ip=192.0.2.7)"
    assert (caplog.records[0].ip, caplog.records[0].levelno) == ("192.0.2.7", logging.WARNING)


# Guessing.


def test_five_failures_with_a_name_from_an_address_are_enough(context, context_with, ann, caplog):
    with time_machine.travel(NOON, tick=False) as clock:
        guess(context, times=4)
        assert accounts.log_in(context, "Ann", PASSWORD) is ann  # a few mistakes cost nothing
        guess(context)
        assert waits(context) == 15 * 60  # not even the right password is checked
        assert waits(context, name="ANN") == 15 * 60
        assert caplog.messages[-1] == "Log-in refused after too many failures (user=ANN, ip=192.0.2.7)"
        assert accounts.log_in(context_with(address="192.0.2.8"), "Ann", PASSWORD) is ann
        guess(context, name="bob")
        clock.shift(timedelta(minutes=14, seconds=59))
        assert waits(context) == 1
        clock.shift(timedelta(seconds=2))
        assert accounts.log_in(context, "Ann", PASSWORD) is ann


def test_whoever_goes_on_waits_longer(context, ann):
    with time_machine.travel(NOON, tick=False) as clock:
        guess(context, times=5)
        clock.shift(timedelta(minutes=16))
        guess(context, times=5)
        assert waits(context) == 44 * 60  # ten within the hour
        clock.shift(timedelta(minutes=45))
        guess(context, times=5)
        clock.shift(timedelta(minutes=61))
        guess(context, times=5)
        assert waits(context) > 20 * 3600  # twenty within the day
        clock.move_to(NOON + timedelta(days=1, minutes=20))
        assert accounts.log_in(context, "Ann", PASSWORD) is ann


def test_names_do_not_matter_to_the_limit_of_an_address(context, context_with, ann):
    with time_machine.travel(NOON, tick=False):
        for number in range(20):
            guess(context, name=f"nobody{number}")
        assert waits(context) == 15 * 60
        assert accounts.log_in(context_with(address="192.0.2.8"), "Ann", PASSWORD) is ann


def test_nobody_escapes_by_another_address_of_the_same_network(context_with, ann):
    for number in range(5):
        guess(context_with(address=f"2001:db8::{number}"))
    waits(context_with(address="2001:db8::ffff"))


def test_the_limit_says_nothing_about_accounts(context, ann):
    guess(context, name="nobody", times=5)
    guess(context, name="Ann", times=5)
    assert waits(context, name="nobody") == waits(context, name="Ann")


@pytest.mark.parametrize("where", ["postgresql", "redis"])
def test_processes_count_together(context, ann, where, independent_read_pool, request):
    from comicsdb.accounts import Guard

    url = request.getfixturevalue("redis").url if where == "redis" else ""
    one, two = (Guard(Limiter(independent_read_pool, url)) for _ in range(2))
    for guard in (one, two, one, two, one):
        guard.record_failure("ann", "192.0.2.7")
    for guard in (one, two):
        with pytest.raises(accounts.TooManyFailuresError):
            guard.check("Ann", "192.0.2.7")
        guard.check("Ann", "192.0.2.8")


def test_a_password_that_is_asked_for_again_is_limited_too(context, ann):
    """Somebody at a browser that was left logged in cannot guess without limit."""
    for _ in range(5):
        with pytest.raises(InvalidError) as caught:
            accounts.delete_account(context, ann.id, "wrong")
        assert set(caught.value.errors) == {"password"}
    with pytest.raises(accounts.TooManyFailuresError):
        accounts.delete_account(context, ann.id, PASSWORD)


# Guessing from many addresses.

AWAY = "198.51.100.9"  # in a network that Ann has never used


@pytest.fixture
def scattered(context):
    """`scattered(name)`: twenty wrong passwords for a name, each from a different address."""

    def guessed(name="Ann"):
        for number in range(20):
            context.guard.record_failure(name, f"203.0.{number}.1")

    return guessed


def refused(context, name="Ann"):
    with pytest.raises(accounts.NewNetworkError) as caught:
        accounts.log_in(context, name, PASSWORD)
    return caught.value


def test_who_is_guessed_from_many_addresses_logs_in_where_she_did_before(context, context_with, ann):
    with time_machine.travel(NOON, tick=False) as clock:
        accounts.begin_session(context, ann)
        for number in range(19):
            guess(context_with(address=f"203.0.{number}.1"))
        assert accounts.log_in(context_with(address=AWAY), "Ann", PASSWORD) is ann
        guess(context_with(address="203.0.19.1"))
        clock.shift(1)
        assert refused(context_with(address=AWAY)).retry_after == 3599
        for known in (context, context_with(address="192.0.2.200")):  # the same network
            assert accounts.log_in(known, "Ann", PASSWORD) is ann
        clock.shift(3600)
        assert accounts.log_in(context_with(address=AWAY), "Ann", PASSWORD) is ann


def test_a_network_is_known_by_sessions_by_events_and_by_basic(
    context, context_with, session, ann, scattered
):
    accounts.end_session(session, accounts.begin_session(context, ann))  # its event stays
    ann.basic_address = "2001:db8:1:2::3"
    session.flush()
    scattered()
    assert accounts.log_in(context, "Ann", PASSWORD) is ann
    assert accounts.log_in(context_with(address="2001:db8:1:ffff::1"), "Ann", PASSWORD) is ann  # the same /48
    refused(context_with(address="2001:db8:2::1"))
    refused(context_with(address="unknown"))


def test_the_owner_gets_one_link_an_hour_and_word_once_a_day(context_with, ann, scattered, mailbox):
    with time_machine.travel(NOON, tick=False) as clock:
        scattered()
        assert mailbox() == []
        for _ in range(3):
            refused(context_with(address=AWAY))
        assert [mail.kind for mail in mailbox()] == ["security_wrong_passwords", "log_in"]
        for hours, links in ((1, 2), (2, 3), (3, 4), (4, 5), (5, 5), (24, 6)):
            clock.move_to(NOON + timedelta(hours=hours, minutes=1))
            scattered()
            refused(context_with(address=AWAY))
            kinds = [mail.kind for mail in mailbox()]
            assert (kinds.count("log_in"), kinds.count("security_wrong_passwords")) == (
                links,
                1 + (hours == 24),
            )
        assert {mail.to for mail in mailbox()} == {"Ann@example.org"}


def test_the_link_logs_in_once_within_the_hour(context_with, session, ann, scattered, mailbox):
    away = context_with(address=AWAY)
    with time_machine.travel(NOON, tick=False) as clock:
        scattered()
        refused(away)
        secret = re.search(r"/s/login/([\w-]+)/", mailbox()[-1].text)[1]
        assert accounts.check_log_in_link(away, secret) == ann
        with pytest.raises(accounts.BadLinkError):
            accounts.log_in_by_link(away, f"{secret}x")
        clock.shift(3599)
        found = accounts.log_in_by_link(away, secret)
        assert found.id == ann.id
        with pytest.raises(accounts.LinkUsedError):
            accounts.log_in_by_link(away, secret)
        accounts.begin_session(away, found)
        session.flush()
        assert accounts.log_in(away, "Ann", PASSWORD).id == ann.id  # a known network from now on


@pytest.mark.parametrize("change", ["late", "switched off", "another address", "another password"])
def test_the_link_stops_working(context_with, session, ann, scattered, mailbox, change, context):
    away = context_with(address=AWAY)
    with time_machine.travel(NOON, tick=False) as clock:
        identifier = accounts.begin_session(context, ann)
        scattered()
        refused(away)
        secret = re.search(r"/s/login/([\w-]+)/", mailbox()[-1].text)[1]
        if change == "late":
            clock.shift(3600)
        elif change == "switched off":
            ann.is_active = False
        elif change == "another address":
            ann.email = "other@example.org"
        else:
            new = "another correct horse"
            words = {"password": PASSWORD, "new_password": new, "new_password_again": new}
            accounts.change_password(context, ann.id, identifier, words)
        session.flush()
        with pytest.raises(accounts.BadLinkError):
            accounts.log_in_by_link(away, secret)


def test_nothing_tells_whether_there_is_an_account(
    context_with, ann, make, connection, scattered, mailbox, session
):
    make.user("Off", password=PASSWORD, is_active=False)
    session.commit()
    seen = []
    for name in ("Ann", "nobody", "Off", "ann@example.org", "nobody@example.org"):
        with time_machine.travel(NOON, tick=False):
            scattered(name)
            session.expunge_all()
            with record_statements(connection) as statements:
                error = refused(context_with(address=AWAY), name)
        seen.append((str(error.text), error.retry_after, [re.sub(r"\d+", "", each) for each in statements]))
    work = [
        [line for line in lines if not line.startswith(("RELEASE", "ROLLBACK", "SAVEPOINT"))]
        for *_, lines in seen
    ]
    assert len({each[:2] for each in seen}) == 1
    assert all(each == work[0] for each in work)
    assert {mail.to for mail in mailbox()} == {"Ann@example.org"}


def test_who_is_logged_in_confirms_the_password_anywhere(context_with, ann, scattered):
    scattered()
    accounts.login.confirm_password(context_with(address=AWAY), ann, PASSWORD)


def test_nobody_escapes_by_other_networks_of_the_same_provider(context, context_with, ann):
    for number in range(60):
        context.guard.record_failure(f"nobody{number}", f"2001:db8:7:{number}::1")
    waits(context_with(address="2001:db8:7:ffff::1"))
    assert accounts.log_in(context_with(address="2001:db8:8::1"), "Ann", PASSWORD) is ann
