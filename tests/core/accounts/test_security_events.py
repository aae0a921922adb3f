"""Security events: which ones are recorded and mailed, and how an owner takes an account back."""

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import func, select

from comicsdb import accounts
from comicsdb.accounts import feed_addresses
from comicsdb.accounts.deletion import clean
from comicsdb.accounts.signup import PLACEHOLDER_DOMAIN
from comicsdb.models import ApiToken, FeedAddress, LoginSession, SecurityEvent, SecurityEventKind, User
from tests.core.accounts.conftest import PASSWORD

K = SecurityEventKind
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
NEW = "another horse battery"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:{0}.0) Gecko/20100101 Firefox/{0}.0"
CHANGE = {"password": PASSWORD, "new_password": NEW, "new_password_again": NEW}


def kinds(session, user):
    return [event.kind for event in session.scalars(accounts.security_events(user.id))][::-1]


def not_me(mail):
    """Account id and secret in the link of a mail."""
    return mail.link("/not-me/").split("/")[-3:-1]


def test_a_device_that_was_not_seen_before_is_told_but_not_the_first(context, session, ann, mailbox):
    def log_in(address, browser):
        there = dataclasses.replace(context, address=address, browser=browser)
        accounts.begin_session(there, ann)

    log_in("192.0.2.7", FIREFOX.format(140))
    log_in("192.0.2.99", FIREFOX.format(141))  # another address of the network, a newer version
    assert mailbox() == []
    log_in("198.51.100.1", FIREFOX.format(141))
    log_in("192.0.2.7", "curl/8")
    log_in("2001:db8:1:2::1", "curl/8")
    log_in("2001:db8:1:3::1", "curl/8")
    assert kinds(session, ann) == [K.LOGGED_IN] * 2 + [K.NEW_DEVICE] * 3 + [K.LOGGED_IN]
    assert [mail.kind for mail in mailbox()] == ["security_new_device"] * 3
    first = mailbox()[0]
    assert first.to == "Ann@example.org"
    assert "Firefox, Linux" in first.text
    assert "198.51.100.1" in first.text
    assert first.link("/not-me/") in first.html


def test_what_happens_to_an_account_is_noted_and_mailed(context, session, ann, mailbox):
    here = accounts.begin_session(context, ann)
    accounts.change_password(context, ann.id, here, CHANGE)
    made = accounts.generate_token(context, ann.id, "Tagger", accounts.new_form_key()).token.id
    accounts.revoke_token(context, ann.id, made)
    assert accounts.revoke_all_tokens(context, ann.id) == 0  # records no event
    accounts.generate_token(context, ann.id, "", accounts.new_form_key())
    accounts.revoke_all_tokens(context, ann.id)
    accounts.log_out_everywhere(context, ann.id)
    noted = [K.LOGGED_IN, K.PASSWORD_CHANGED, K.TOKEN_MADE, K.TOKEN_REVOKED, K.TOKEN_MADE]
    assert kinds(session, ann) == [*noted, K.TOKENS_REVOKED, K.SESSIONS_ENDED]
    mails = mailbox()
    assert [mail.kind for mail in mails] == [
        "security_password_changed",
        "security_token_made",
        "security_token_made",
        "security_tokens_revoked",
        "security_sessions_ended",
    ]
    assert "Tagger" in mails[1].text
    assert "Moth 1.0" in mails[1].text


def test_mails_of_one_kind_are_few_but_events_are_not(context, session, ann, mailbox):
    with time_machine.travel(NOON, tick=False) as clock:
        for _ in range(8):
            accounts.record_security_event(context, ann, K.TOKEN_MADE)
        assert (len(kinds(session, ann)), len(mailbox())) == (8, 5)
        clock.shift(timedelta(hours=1))
        accounts.record_security_event(context, ann, K.TOKEN_MADE)
        assert len(mailbox()) == 6


def test_events_have_a_total_order_the_newest_first(context, session, ann, make):
    with time_machine.travel(NOON, tick=False):  # all at the same time
        made = [accounts.record_security_event(context, ann, K.LOGGED_IN).id for _ in range(5)]
        accounts.record_security_event(context, make.user("bob"), K.LOGGED_IN)
    assert [event.id for event in session.scalars(accounts.security_events(ann.id))] == made[::-1]


def test_events_are_kept_for_a_year(context, session, ann):
    with time_machine.travel(NOON, tick=False) as clock:
        accounts.record_security_event(context, ann, K.LOGGED_IN)
        clock.shift(timedelta(days=365, seconds=-1))
        assert clean(session)["events"] == 0
        clock.shift(timedelta(seconds=1))
        assert clean(session)["events"] == 1


@pytest.fixture
def intruded(context, session, ann, mailbox):
    """An account with keys, whose password and address an intruder changed; returns its mails."""
    here = accounts.begin_session(context, ann)
    accounts.generate_token(context, ann.id, "Tagger", accounts.new_form_key())
    feed_addresses.make_address(session, ann.id, "Phone", accounts.new_form_key())
    accounts.change_password(context, ann.id, here, CHANGE)
    accounts.update_profile(context, ann.id, {"email": "evil@example.org", "password": NEW})
    (link,) = [mail.link("/s/email/") for mail in mailbox() if mail.kind == "confirm_email"]
    accounts.confirm_email(context, link.split("/")[-2])
    session.flush()
    assert ann.email == "evil@example.org"
    return mailbox()


def test_only_the_mail_to_the_address_before_can_take_the_account_back(intruded):
    told = {mail.to: mail for mail in intruded if mail.kind == "security_address_changed"}
    assert set(told) == {"Ann@example.org", "evil@example.org"}
    assert [link for link in told["evil@example.org"].links if "/not-me/" in link] == []
    assert not_me(told["Ann@example.org"])


@pytest.mark.parametrize(
    "kind", ["security_token_made", "security_password_changed", "security_address_changed"]
)
def test_an_account_is_taken_back_with_its_address(context, session, ann, intruded, mailbox, kind):
    mail = next(mail for mail in intruded if (mail.kind, mail.to) == (kind, "Ann@example.org"))
    assert accounts.check_not_me(context, *not_me(mail)) is ann  # changes nothing yet
    assert accounts.log_in(context, "Ann", NEW) is ann
    accounts.reclaim_account(context, *not_me(mail))
    session.commit()
    for model in (LoginSession, ApiToken, FeedAddress):
        assert session.scalar(select(func.count()).select_from(model)) == 0, model
    assert (ann.email, ann.email_confirmed) == ("Ann@example.org", True)
    for password in (PASSWORD, NEW):
        with pytest.raises(accounts.LogInFailedError):
            accounts.log_in(context, "Ann", password)
    with pytest.raises(accounts.LinkUsedError):
        accounts.reclaim_account(context, *not_me(mail))
    reset = mailbox()[-1]
    assert (reset.kind, reset.to) == ("reset", "Ann@example.org")
    third = {"new_password": "a third horse battery", "new_password_again": "a third horse battery"}
    accounts.reset_password(context, *reset.link("/reset/").split("/")[-3:-1], third)
    assert accounts.log_in(context, "Ann", "a third horse battery") is ann
    assert kinds(session, ann)[-2:] == [K.NOT_ME, K.PASSWORD_RESET]


def test_an_intruder_cannot_outdo_the_owner(context, session, ann, intruded, mailbox):
    """Mails to the intruder's address have links, too, but the owner's older link stays valid."""
    owners = next(mail for mail in intruded if mail.to == "Ann@example.org" and "/not-me/" in mail.text)
    accounts.generate_token(context, ann.id, "Theirs", accounts.new_form_key())
    theirs = mailbox()[-1]
    assert theirs.to == "evil@example.org"
    accounts.reclaim_account(context, *not_me(theirs))
    assert ann.email == "evil@example.org"
    accounts.reclaim_account(context, *not_me(owners))
    assert ann.email == "Ann@example.org"


def test_a_later_link_of_an_intruder_goes_with_the_owners(context, ann, intruded, mailbox):
    accounts.generate_token(context, ann.id, "Theirs", accounts.new_form_key())
    theirs = mailbox()[-1]
    accounts.reclaim_account(context, *not_me(next(mail for mail in intruded if "/not-me/" in mail.text)))
    with pytest.raises(accounts.BadLinkError):
        accounts.reclaim_account(context, *not_me(theirs))
    assert ann.email == "Ann@example.org"


def test_a_link_works_for_a_week_and_for_active_accounts(context, session, ann, mailbox):
    with time_machine.travel(NOON, tick=False) as clock:
        accounts.record_security_event(context, ann, K.TOKEN_MADE)
        uid, secret = not_me(mailbox()[-1])
        with pytest.raises(accounts.BadLinkError):
            accounts.check_not_me(context, "1", secret)
        clock.shift(timedelta(days=7, seconds=-1))
        assert accounts.check_not_me(context, uid, secret) is ann
        ann.is_active = False
        session.flush()
        with pytest.raises(accounts.BadLinkError):
            accounts.reclaim_account(context, uid, secret)
        ann.is_active = True
        session.flush()
        clock.shift(timedelta(seconds=1))
        with pytest.raises(accounts.BadLinkError):
            accounts.reclaim_account(context, uid, secret)


def test_an_address_that_somebody_else_has_now_is_not_taken(context, session, ann, intruded, make):
    make.user("Bob", email="ann@example.org")
    mail = next(mail for mail in intruded if "/not-me/" in mail.text and mail.to == "Ann@example.org")
    with pytest.raises(accounts.BadLinkError):
        accounts.reclaim_account(context, *not_me(mail))
    assert session.get_one(User, ann.id).email == "evil@example.org"


def test_a_sign_up_that_nobody_activated_does_not_hold_the_address(context, session, ann, intruded, form):
    accounts.sign_up(context, form(email="ann@example.org"))
    mail = next(mail for mail in intruded if "/not-me/" in mail.text and mail.to == "Ann@example.org")
    accounts.reclaim_account(context, *not_me(mail))
    session.flush()
    assert (ann.email, ann.email_confirmed) == ("Ann@example.org", True)
    waiting = session.scalar(select(User.email).where(User.username == "bob"))
    assert waiting.endswith(f"@{PLACEHOLDER_DOMAIN}")


def test_events_go_with_their_account(context, session, ann):
    accounts.record_security_event(context, ann, K.LOGGED_IN)
    accounts.delete_account(context, ann.id, PASSWORD)
    assert session.scalar(select(func.count()).select_from(SecurityEvent)) == 0
