"""New passwords, set with the old one or by a mailed link, and the sessions and keys that they end."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import func, select

from comicsdb import accounts
from comicsdb.models import AccountLink, ApiToken, FeedAddress, LoginSession
from tests.conftest import record_statements
from tests.core.accounts.conftest import PASSWORD, session_user
from tests.refused import refused

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
NEW = "another horse battery"


def filled(password=PASSWORD, new=NEW, again=None):
    again = new if again is None else again
    return {"password": password, "new_password": new, "new_password_again": again, "end_sessions": "1"}


@pytest.fixture
def sessions(context, session, ann):
    """The identifiers of two sessions of one account."""
    identifiers = [accounts.begin_session(context, ann) for _ in range(2)]
    session.commit()
    return identifiers


def test_a_change_keeps_this_session_under_a_new_identifier_and_ends_the_others(
    context, session, ann, sessions
):
    kept = accounts.change_password(context, ann.id, sessions[0], filled())
    assert kept not in sessions
    assert session_user(session, kept) is ann
    assert [session_user(session, each) for each in sessions] == [None, None]
    assert accounts.log_in(context, "Ann", NEW) is ann
    with pytest.raises(accounts.LogInFailedError):
        accounts.log_in(context, "Ann", PASSWORD)


@pytest.mark.parametrize(
    ("form", "field"),
    [
        (filled(password="wrong"), "password"),
        (filled(password=""), "password"),
        (filled(new="short"), "new_password"),
        (filled(new="ann@example"), "new_password"),
        (filled(again="other"), "new_password_again"),
        ({}, "new_password"),
    ],
)
def test_what_is_wrong_changes_nothing(context, session, ann, sessions, form, field):
    assert refused(accounts.change_password, context, ann.id, sessions[0], form) == {field}
    assert [session_user(session, each) for each in sessions] == [ann, ann]
    assert accounts.log_in(context, "Ann", PASSWORD) is ann


def asked(mailbox):
    mail = mailbox()[-1]
    return mail.link("/s/reset/").rstrip("/").split("/")[-2:]


def test_a_link_sets_a_new_password_once(context, session, ann, sessions, mailbox):
    ann.email_confirmed = False
    accounts.request_reset(context, "ann@EXAMPLE.org")
    (mail,) = mailbox()
    assert (mail.to, mail.kind) == ("Ann@example.org", "reset")
    assert mail.link("/reset/").startswith(f"http://localhost/s/reset/{ann.id}/")
    assert "24 hours" in mail.text
    uid, secret = asked(mailbox)
    assert accounts.check_reset(context, uid, secret) is ann
    assert refused(accounts.reset_password, context, uid, secret, filled(new="short")) == {"new_password"}
    assert accounts.reset_password(context, uid, secret, filled()) is ann
    assert ann.email_confirmed  # the owner has read that mail
    assert [session_user(session, each) for each in sessions] == [None, None]
    assert accounts.log_in(context, "Ann", NEW) is ann
    for attempt in (accounts.check_reset, lambda *link: accounts.reset_password(*link, filled())):
        with pytest.raises(accounts.BadLinkError):
            attempt(context, uid, secret)


@pytest.mark.parametrize("change", ["uid", "secret", "late", "inactive", "moved", "password", "purpose"])
def test_no_other_link_does(context, session, ann, sessions, mailbox, change):
    with time_machine.travel(NOON, tick=False) as clock:
        accounts.request_reset(context, ann.email)
        uid, secret = asked(mailbox)
        if change == "uid":
            uid = "1"
        elif change == "secret":
            secret += "x"
        elif change == "late":
            clock.shift(timedelta(hours=24))
        elif change == "inactive":
            ann.is_active = False
        elif change == "moved":
            ann.email = "elsewhere@example.org"
        elif change == "password":
            accounts.change_password(context, ann.id, sessions[0], filled())
        else:
            session.scalars(select(AccountLink)).one().purpose = "activate"
        session.flush()
        with pytest.raises(accounts.BadLinkError):
            accounts.reset_password(context, uid, secret, filled(new="a third horse battery"))


def test_asking_answers_the_same_to_everybody(context, session, connection, ann, make, mailbox):
    make.user("Off", email="off@example.org", is_active=False)
    asked_of_database = {}
    for email in ("ann@example.org", "off@example.org", "nobody@example.org"):
        with record_statements(connection) as statements:
            assert accounts.request_reset(context, email) is None
            session.commit()
        asked_of_database[email] = [statement.split(" VALUES")[0] for statement in statements]
    assert len({str(statements) for statements in asked_of_database.values()}) == 1
    assert [mail.to for mail in mailbox()] == ["Ann@example.org"]
    assert refused(accounts.request_reset, context, "nowhere") == {"email"}


def test_what_was_done_in_vain_leaves_nothing(context, session, ann, mailbox):
    accounts.request_reset(context, "nobody@example.org")
    session.commit()
    assert session.scalars(select(AccountLink)).all() == []
    assert mailbox() == []


def test_mails_have_limits(context, context_with, ann, mailbox):
    for number in range(8):
        accounts.request_reset(context_with(address=f"192.0.2.{100 + number}"), ann.email)
    assert len(mailbox()) == 5
    for _ in range(20):
        accounts.request_reset(context, "nobody@example.org")
    with pytest.raises(accounts.TooManyMailsError):
        accounts.request_reset(context, ann.email)


@pytest.fixture
def keys(context, session, ann):
    """An API token and a feed address; returns a function that counts the keys that are left, by kind."""
    accounts.generate_token(context, ann.id, "Tagger", accounts.new_form_key())
    accounts.make_feed_address(context, ann.id, "Phone", accounts.new_form_key())
    models = {"end_sessions": LoginSession, "revoke_tokens": ApiToken, "revoke_feeds": FeedAddress}

    def left():
        return {
            name: session.scalar(select(func.count()).where(model.user_id == ann.id))
            for name, model in models.items()
        }

    return left


@pytest.mark.parametrize("ended", ["end_sessions", "revoke_tokens", "revoke_feeds"])
def test_what_ends_with_a_changed_password_is_the_owners_choice(context, ann, sessions, keys, ended):
    form = {**filled(), "end_sessions": "", ended: "1"}
    accounts.change_password(context, ann.id, sessions[0], form)
    kept = {"end_sessions": 2, "revoke_tokens": 1, "revoke_feeds": 1}
    assert keys() == {**kept, ended: kept[ended] - 1}  # the current session stays


@pytest.mark.parametrize("ended", ["end_sessions", "revoke_tokens", "revoke_feeds"])
def test_what_ends_with_a_reset_password_is_the_owners_choice(context, ann, sessions, keys, mailbox, ended):
    accounts.request_reset(context, ann.email)
    uid, secret = mailbox()[-1].link("/reset/").split("/")[-3:-1]
    accounts.reset_password(context, uid, secret, {**filled(), "end_sessions": "", ended: "1"})
    assert keys() == {"end_sessions": 2, "revoke_tokens": 1, "revoke_feeds": 1, ended: 0}
