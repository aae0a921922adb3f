"""Sign-up: accounts are activated by a mailed link, and answers do not reveal which addresses have one."""

import logging
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import func, select

from comicsdb import accounts
from comicsdb.accounts import signup
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.signup import BLOCKED_COUNTER, PLACEHOLDER_DOMAIN
from comicsdb.http.client_address import network
from comicsdb.models import AccountLink, DailyCount, LoginSession, User
from tests.cases import for_each
from tests.conftest import record_statements
from tests.core.accounts.conftest import PASSWORD
from tests.refused import refused

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def named(session, name):
    return session.scalar(select(User).where(User.username == name))


def opened(mail):
    """Account id and secret in the link of a mail."""
    return mail.link("/s/activate/").rstrip("/").split("/")[-2:]


def test_a_new_account_waits_for_its_link(context, session, form, mailbox, caplog):
    caplog.set_level(logging.INFO)
    assert accounts.sign_up(context, form(email="Bob@Example.org")) is None
    bob = named(session, "bob")
    assert (bob.is_active, bob.email_confirmed, bob.language) == (False, False, "it")
    assert bob.email == "Bob@example.org"
    assert context.passwords.verify(bob.password, PASSWORD)
    with pytest.raises(accounts.NotActivatedError):
        accounts.log_in(context, "bob", PASSWORD)
    (mail,) = mailbox()
    assert (mail.kind, mail.to, mail.user_id) == ("activation", "Bob@example.org", bob.id)
    _uid, secret = opened(mail)
    assert mail.link("/activate/") == f"http://localhost/s/activate/{bob.id}/{secret}/"
    assert "24 ore" in mail.text
    assert "ignora questa e-mail" in mail.words
    assert caplog.messages[0] == "User signed up (user=bob, ip=192.0.2.7)"
    assert (caplog.records[0].username, caplog.records[0].ip) == ("bob", "192.0.2.7")
    (link,) = session.scalars(select(AccountLink))
    assert (link.digest, link.purpose, link.email) == (digest(secret), "activate", "Bob@example.org")
    assert secret not in str(vars(link))


def test_opening_the_link_activates_once(context, session, form, mailbox, caplog):
    caplog.set_level(logging.INFO)
    accounts.sign_up(context, form())
    uid, secret = opened(mailbox()[0])
    user = accounts.activate(context, uid, secret)
    assert (user.username, user.is_active, user.email_confirmed) == ("bob", True, True)
    assert caplog.messages[-1] == "User activated the account (user=bob, ip=192.0.2.7)"
    with pytest.raises(accounts.LinkUsedError):
        accounts.activate(context, uid, secret)
    assert accounts.log_in(context, "bob", PASSWORD) is user


@pytest.mark.parametrize("change", ["uid", "secret", "case", "late", "reset"])
def test_no_other_link_activates(context, session, form, mailbox, change):
    with time_machine.travel(NOON, tick=False) as clock:
        accounts.sign_up(context, form())
        uid, secret = opened(mailbox()[0])
        if change == "uid":
            uid = "1"
        elif change == "secret":
            secret = secret[:-1]
        elif change == "case":
            secret = secret.swapcase()
        elif change == "reset":
            session.scalars(select(AccountLink)).one().purpose = "reset"
        else:
            clock.shift(timedelta(hours=24))
        with pytest.raises(accounts.BadLinkError):
            accounts.activate(context, uid, secret)
    assert not named(session, "bob").is_active


def test_a_link_is_good_until_its_last_second_and_spent_only_within_its_time(context, form, mailbox):
    with time_machine.travel(NOON, tick=False) as clock:
        accounts.sign_up(context, form())
        uid, secret = opened(mailbox()[0])
        clock.shift(timedelta(hours=24, seconds=-1))
        accounts.activate(context, uid, secret)
        with pytest.raises(accounts.LinkUsedError):
            accounts.activate(context, uid, secret)
        clock.shift(timedelta(seconds=1))
        with pytest.raises(accounts.BadLinkError):
            accounts.activate(context, uid, secret)


def test_a_second_link_is_no_key_to_an_active_account(context, form, mailbox):
    accounts.sign_up(context, form())
    accounts.resend_activation(context, "bob@example.org")
    first, second = mailbox()
    accounts.activate(context, *opened(second))
    with pytest.raises(accounts.LinkUsedError):
        accounts.activate(context, *opened(first))


def test_an_account_that_was_switched_off_is_not_switched_on_by_its_owner(context, session, form, mailbox):
    accounts.sign_up(context, form())
    accounts.resend_activation(context, "bob@example.org")
    first, second = mailbox()
    accounts.activate(context, *opened(first)).is_active = False
    with pytest.raises(accounts.BadLinkError):
        accounts.activate(context, *opened(second))
    accounts.resend_activation(context, "bob@example.org")
    assert len(mailbox()) == 2


# Validation of the form.


def test_all_that_is_wrong_is_said_at_once(context, form):
    wrong = form(username="a b", email="nowhere", password="short", password_again="other")
    assert refused(accounts.sign_up, context, wrong) == {"username", "email", "password", "password_again"}
    assert refused(accounts.sign_up, context, {"form_time": accounts.form_time(context.settings)}) == {
        "username",
        "email",
        "password",
    }


def test_a_taken_user_name_is_said_whatever_its_case_or_form(context, session, ann, form):
    assert refused(accounts.sign_up, context, form(username="ANN")) == {"username"}
    assert refused(accounts.sign_up, context, form(username="ａｎｎ")) == {"username"}
    assert session.scalar(select(func.count()).select_from(AccountLink)) == 0


@for_each(
    "field,value",
    [
        ("username", "metron"),
        ("username", "42"),
        ("email", "bob@mailinator.com"),
        ("password", "bob@example"),
    ],
)
def test_rules_are_asked(context, form, field, value):
    assert refused(accounts.sign_up, context, form(**{field: value})) == {field}


def test_the_site_blocks_further_domains(context_with, form):
    blocking = context_with(comicsdb__signup__blocked_domains=("example.org",))
    assert refused(accounts.sign_up, blocking, form()) == {"email"}


# No answer reveals who has an account.


def attempt(context, connection, values):
    """The result of a sign-up, and the statements that it sends."""
    with record_statements(connection) as statements:
        answer = accounts.sign_up(context, values)
        context.session.commit()
    return answer, [statement.split(" VALUES")[0] for statement in statements]


def test_a_known_address_gets_the_same_answer_for_the_same_work(
    context, session, connection, ann, form, mailbox, monkeypatch
):
    hashed, own = [], context.passwords.hash
    monkeypatch.setattr(context.passwords, "hash", lambda password: hashed.append(password) or own(password))
    known = attempt(context, connection, form(username="prober", email="ANN@example.org"))
    unknown = attempt(context, connection, form(username="prober2", email="nobody@example.org"))
    assert known == unknown
    assert hashed == [PASSWORD, PASSWORD]
    first, second = mailbox()
    assert (first.kind, first.to, first.user_id) == ("known_address", "Ann@example.org", ann.id)
    assert "account Ann, so nothing was changed" in first.words
    assert "prober" not in first.text
    assert first.links == [f"http://localhost/accounts/{page}/" for page in ("login", "password_reset")]
    assert second.kind == "activation"


def test_the_name_is_taken_afterwards_either_way(context, session, ann, form, mailbox):
    """Otherwise a second attempt with that name would reveal whether the first address has an account."""
    accounts.sign_up(context, form(username="prober", email="ann@example.org"))
    accounts.sign_up(context, form(username="prober2", email="nobody@example.org"))
    for name in ("prober", "prober2"):
        assert refused(accounts.sign_up, context, form(username=name, email="other@example.org")) == {
            "username"
        }
    held = named(session, "prober")
    assert held.email.endswith(f"@{PLACEHOLDER_DOMAIN}")
    assert not held.is_active
    assert all(PLACEHOLDER_DOMAIN not in mail.to for mail in mailbox())
    for name in ("prober", "prober2"):
        with pytest.raises(accounts.NotActivatedError):
            accounts.log_in(context, name, PASSWORD)
    # Another error would reveal that the other address has an account.
    with pytest.raises(accounts.LogInFailedError):
        accounts.log_in(context, "nobody@example.org", PASSWORD)
    assert (ann.is_active, ann.email) == (True, "Ann@example.org")


def test_whoever_signs_up_again_before_activation_takes_over(context, session, form, mailbox):
    """Somebody else may have signed up with that address: their password must not open the account."""
    accounts.sign_up(context, form(username="mallory", password="mallory knows this"))
    accounts.sign_up(context, form(username="bob"))
    stale, good = mailbox()
    with pytest.raises(accounts.BadLinkError):
        accounts.activate(context, *opened(stale))
    assert accounts.activate(context, *opened(good)).username == "bob"
    assert not named(session, "mallory").is_active
    assert named(session, "mallory").email.endswith(f"@{PLACEHOLDER_DOMAIN}")


def test_an_address_whose_account_was_switched_off_is_known(context, session, ann, form, mailbox):
    ann.is_active = False
    accounts.sign_up(context, form(email="ann@example.org"))
    assert [mail.kind for mail in mailbox()] == ["known_address"]
    assert named(session, "bob").email.endswith(f"@{PLACEHOLDER_DOMAIN}")


def test_resending_answers_the_same_to_everybody(context, connection, session, ann, make, form, mailbox):
    accounts.sign_up(context, form())
    off = make.user("Off", email="off@example.org", is_active=False, email_confirmed=True)
    session.commit()
    asked = {}
    for email in ("bob@example.org", "ann@example.org", off.email, "nobody@example.org"):
        with record_statements(connection) as statements:
            assert accounts.resend_activation(context, email) is None
            session.commit()
        asked[email] = [statement.split(" VALUES")[0] for statement in statements]
    assert len({str(statements) for statements in asked.values()}) == 1
    mails = mailbox()
    assert [(mail.kind, mail.to) for mail in mails] == [
        ("activation", "bob@example.org"),
        ("activation", "bob@example.org"),
        ("known_address", "Ann@example.org"),
    ]
    assert accounts.activate(context, *opened(mails[1])).username == "bob"


def test_resending_says_what_is_no_address(context):
    assert refused(accounts.resend_activation, context, "nowhere") == {"email"}


def test_nobody_can_fill_a_mail_box_or_have_mails_sent_without_end(context, context_with, form, mailbox):
    accounts.sign_up(context, form())
    for number in range(10):
        elsewhere = context_with(address=f"192.0.2.{100 + number}")
        assert accounts.resend_activation(elsewhere, "bob@example.org") is None
    assert len(mailbox()) == 5  # including that of the sign-up
    for number in range(20):
        accounts.resend_activation(context, f"nobody{number}@example.org")
    with pytest.raises(accounts.TooManyMailsError) as caught:
        accounts.resend_activation(context, "nobody@example.org")
    assert 0 < caught.value.retry_after <= 3600


# The switch, the limit, and bots.


def test_sign_ups_can_be_closed_and_say_why(context, session, form):
    switch = accounts.sign_up_settings(session)
    switch.signups_enabled = False
    session.commit()
    with pytest.raises(accounts.SignUpsClosedError) as caught:
        accounts.sign_up(context, form())
    assert str(caught.value.text) == "Sign-ups are currently closed."
    switch.disabled_message = "Back on Monday."
    session.commit()
    with pytest.raises(accounts.SignUpsClosedError, match="Back on Monday"):
        accounts.sign_up(context, form())
    assert named(session, "bob") is None


def test_an_address_makes_so_many_accounts_a_day(context_with, session, ann, form, mailbox, caplog):
    settings = {
        "comicsdb__signup__per_address": 2,
        "comicsdb__mail__tell": ("blocked",),
        "comicsdb__mail__administrators": ("admin@example.org",),
    }
    with time_machine.travel(NOON, tick=False) as clock:
        here = context_with(**settings)
        accounts.sign_up(here, form(username="one", email="one@example.org"))
        assert refused(accounts.sign_up, here, form(email="nowhere")) == {"email"}  # does not count
        # Counts, so as not to reveal that the address is known.
        accounts.sign_up(here, form(username="two", email="ann@example.org"))
        session.commit()
        for name in ("three", "four"):
            with pytest.raises(accounts.TooManySignUpsError) as caught:
                accounts.sign_up(here, form(username=name, email=f"{name}@example.org"))
            assert caught.value.retry_after == 12 * 3600
        assert [message for message in caplog.messages if "limited" in message] == [
            "Sign-ups from one address are limited to 2 a day (user=three, ip=192.0.2.7)"
        ]
        accounts.sign_up(
            context_with(address="192.0.2.8", **settings), form(username="five", email="five@example.org")
        )
        clock.shift(timedelta(hours=12))
        accounts.sign_up(here, form(username="six", email="six@example.org"))
    assert {name for name in ("one", "two", "three", "four", "five", "six") if named(session, name)} == {
        "one", "two", "five", "six"
    }  # fmt: skip
    (told,) = [mail for mail in mailbox() if mail.to == "admin@example.org"]
    assert "User name: three" in told.text
    assert "From: 192.0.2.7" in told.text
    blocked = session.execute(
        select(DailyCount.identity, DailyCount.count).filter_by(counter=BLOCKED_COUNTER)
    ).all()
    assert blocked == [("ip:192.0.2.7", 2)]


def test_a_network_of_ipv6_counts_as_one(context_with, form):
    assert network("2001:db8:1:2:3::4") == network("2001:db8:1:2:ffff::") == "2001:db8:1:2::/64"
    assert network("192.0.2.7") == "192.0.2.7"
    assert network("unknown") == "unknown"
    accounts.sign_up(context_with(address="2001:db8::1", comicsdb__signup__per_address=1), form())
    with pytest.raises(accounts.TooManySignUpsError):
        accounts.sign_up(
            context_with(address="2001:db8::2", comicsdb__signup__per_address=1),
            form(username="two", email="two@example.org"),
        )


@for_each(
    "changes,field",
    [
        ({"homepage": "http://spam.example"}, "__all__"),
        ({"form_time": ""}, "__all__"),
        ({"form_time": "1763726400.abc"}, "__all__"),
        ({"form_time": "²." + "0" * 64}, "__all__"),
    ],
)
def test_programs_are_told_that_they_failed(context, session, form, changes, field):
    assert refused(accounts.sign_up, context, form(**changes)) == {field}
    assert named(session, "bob") is None


def test_a_form_is_neither_too_fast_nor_too_old(context_with, form):
    here = context_with(comicsdb__signup__fastest=3)
    with time_machine.travel(NOON, tick=False) as clock:
        typed = form()
        clock.shift(timedelta(seconds=2))
        with pytest.raises(accounts.TooFastError) as raised:
            accounts.sign_up(here, typed)
        assert accounts.decrypt_sign_up_form(here.settings, raised.value.sealed) == typed
        clock.shift(timedelta(days=1))
        assert accounts.decrypt_sign_up_form(here.settings, raised.value.sealed) == typed
        clock.shift(timedelta(seconds=1))
        assert accounts.decrypt_sign_up_form(here.settings, raised.value.sealed) == {}
        clock.shift(timedelta(seconds=-1))
        assert refused(accounts.sign_up, here, typed) == {"__all__"}
        clock.shift(timedelta(seconds=-5))
        assert accounts.sign_up(here, typed) is None


def test_a_form_of_another_site_is_none_of_ours(context, context_with, form):
    other = context_with(comicsdb__secret="another")
    assert refused(accounts.sign_up, context, form(form_time=accounts.form_time(other.settings))) == {
        "__all__"
    }


def test_a_question_can_be_asked(context_with, form):
    asking = context_with(comicsdb__signup__question="Who is the bat?", comicsdb__signup__answer=" Batman ")
    assert accounts.bot_question(asking.settings) == "Who is the bat?"
    assert signup.bot_question(context_with(comicsdb__signup__question="Who?").settings) == ""
    assert refused(accounts.sign_up, asking, form(answer="Robin")) == {"answer"}
    assert refused(accounts.sign_up, asking, form()) == {"answer"}
    assert accounts.sign_up(asking, form(answer=" batman")) is None


def test_administrators_are_told_where_they_want_it(context_with, form, mailbox):
    here = context_with(
        comicsdb__mail__tell=("signup", "activation"), comicsdb__mail__administrators=("admin@example.org",)
    )
    accounts.sign_up(here, form())
    accounts.activate(here, *opened(mailbox()[0]))
    told = [mail for mail in mailbox() if mail.to == "admin@example.org"]
    assert [mail.kind for mail in told] == ["admin_signup", "admin_activation"]
    assert all("bob" in mail.text and "192.0.2.7" in mail.text for mail in told)
    assert not session_exists(here)


def session_exists(context):
    return context.session.scalar(select(func.count()).select_from(LoginSession)) > 0
