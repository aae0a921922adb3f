"""Actions of the staff on accounts: what it may change, and the audit log of who did what to whom."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from comicsdb import accounts, admin
from comicsdb.catalog import InvalidError
from comicsdb.models import AccountLink, ApiToken, Group, StaffAction, User
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb.security import make_identity
from tests.cases import for_each
from tests.conftest import session_account
from tests.core.accounts.conftest import PASSWORD
from tests.refused import refused


@pytest.fixture
def boss(make):
    return make.user("Boss", is_staff=True, is_superuser=True)


@pytest.fixture
def bob(make):
    return make.user("bob")


@pytest.fixture
def clerk(make):
    return make.user("Clerk", is_staff=True)


def lines(session):
    session.flush()
    return [
        (each.actor_name, each.action, each.kind, each.target, each.change)
        for each in session.scalars(admin.actions())
    ]


def test_a_change_is_logged_with_actor_target_and_values(context, session, clerk, ann, caplog):
    caplog.set_level("INFO")
    ann.shows_name = True  # other names are for superusers
    until = datetime(2026, 12, 1, tzinfo=UTC)
    changes = {"first_name": "Anna", "supporter_until": until, "bio": ""}
    changes |= {"add_groups": ["reading list editor"], "remove_groups": ["editor"]}
    expected = {
        "groups": [["editor"], ["reading list editor"]],
        "first_name": ["", "Anna"],
        "supporter_until": [None, until.isoformat()],
    }
    assert admin.change_account(context, clerk, ann, changes) == expected
    session.commit()
    session.expire_all()
    assert lines(session) == [("Clerk", "change", "user", "Ann", expected)]
    assert [group.name for group in accounts.find_user(session, "ann").groups] == ["reading list editor"]
    assert "Clerk did: change user Ann" in caplog.text
    (line,) = session.scalars(admin.actions(kind="user", target_id=ann.id))
    assert (line.actor_id, line.target_id) == (clerk.id, ann.id)
    assert session.scalars(admin.actions(kind="token")).all() == []
    assert session.scalars(admin.actions(target_id=clerk.id)).all() == []


def test_what_changes_nothing_is_not_logged(context, session, clerk, ann):
    assert (
        admin.change_account(context, clerk, ann, {"username": "Ann", "add_groups": ["editor", "editor"]})
        == {}
    )
    assert lines(session) == []


def test_an_identity_is_an_actor_too_and_a_command_has_no_name(context, session, boss, ann):
    admin.change_account(
        context, make_identity(accounts.find_user(session, "Boss"), "session"), ann, {"bio": "a"}
    )
    admin.change_account(context, None, ann, {"bio": "b"})
    assert [(name, change) for name, *_rest, change in lines(session)] == [
        ("", {"bio": ["a", "b"]}),
        ("Boss", {"bio": ["", "a"]}),
    ]
    assert list(session.scalars(select(StaffAction.actor_id).order_by(StaffAction.id))) == [boss.id, None]


def test_switching_off_ends_sessions_and_links(context, session, clerk, ann):
    identifier = accounts.begin_session(context, ann)
    accounts.request_reset(context, ann.email)
    session.commit()
    admin.change_account(context, clerk, ann, {"is_active": False})
    session.commit()
    assert session.scalars(select(AccountLink)).all() == []
    assert accounts.sessions_of(session, ann.id) == []
    admin.change_account(context, clerk, ann, {"is_active": True})
    assert session_account(session, identifier) is None
    assert accounts.log_in(context, "Ann", PASSWORD) is ann


def test_a_new_address_is_not_confirmed_unless_that_is_said(context, session, clerk, ann):
    change = admin.change_account(context, clerk, ann, {"email": "Moth@EXAMPLE.org"})
    assert change == {"email": ["Ann@example.org", "Moth@example.org"], "email_confirmed": [True, False]}
    admin.change_account(context, clerk, ann, {"email": "crow@example.org", "email_confirmed": True})
    assert (ann.email, ann.email_confirmed) == ("crow@example.org", True)


@for_each(
    "changes,field",
    [
        ({"username": "a b"}, "username"),
        ({"username": "BOB"}, "username"),
        ({"email": "nowhere"}, "email"),
        ({"email": "BOB@example.org"}, "email"),
        ({"first_name": "a\nb"}, "first_name"),
        ({"bio": "a\0b"}, "bio"),
        ({"add_groups": ["nobody"]}, "groups"),
        ({"supporter_tier": "gold"}, "supporter_tier"),
    ],
)
def test_rules_hold_for_the_staff_too(context, session, boss, ann, bob, changes, field):
    assert refused(admin.change_account, context, boss, ann, {**changes, "last_name": "Moth"}) == {field}
    session.expire_all()
    assert (ann.last_name, lines(session)) == ("", [])


@pytest.mark.parametrize("field", ["is_staff", "is_superuser"])
def test_rights_are_given_and_taken_by_superusers(context, session, boss, clerk, ann, field):
    assert refused(admin.change_account, context, clerk, ann, {field: True}) == {field}
    assert admin.change_account(context, boss, ann, {field: True}) == {field: [False, True]}


def test_nobody_changes_ones_own_rights_nor_locks_oneself_out(context, session, boss, clerk):
    for field in ("is_staff", "is_superuser", "is_active"):
        assert refused(admin.change_account, context, boss, boss, {field: False}) == {field}
    assert refused(admin.change_account, context, clerk, clerk, {"is_active": False}) == {"is_active"}
    assert admin.change_account(context, clerk, clerk, {"bio": "x"}) == {"bio": ["", "x"]}


def test_superusers_are_beyond_the_reach_of_others(context, session, boss, clerk):
    for changes in ({"email": "x@example.org"}, {"is_active": False}, {"add_groups": ["editor"]}):
        assert refused(admin.change_account, context, clerk, boss, changes) == {"__all__"}
    with pytest.raises(InvalidError):
        admin.delete_account(session, clerk, boss)
    assert boss.is_active


def test_account_1_is_always_active(context, session, boss):
    system = session.get_one(User, SYSTEM_USER_ID)
    for actor in (boss, None):
        assert refused(admin.change_account, context, actor, system, {"is_active": False}) == {"is_active"}
        with pytest.raises(InvalidError):
            admin.delete_account(session, actor, system)


def test_an_account_is_made_active_and_confirmed(context, session, mailbox):
    user = admin.create_account(
        session, None, context.passwords, username="New", email="new@example.org", password=PASSWORD
    )
    assert (user.is_active, user.email_confirmed) == (True, True)
    assert accounts.log_in(context, "new", PASSWORD) is user
    assert [line[1:4] for line in lines(session)] == [("create", "user", "New")]
    assert mailbox() == []
    for values, field in (
        ({"username": "a b"}, "username"),
        ({"username": "NEW"}, "username"),
        ({"email": "new@EXAMPLE.org"}, "email"),
        ({"password": "short"}, "password"),
    ):
        good = {"username": "other", "email": "other@example.org", "password": PASSWORD}
        assert refused(admin.create_account, session, None, context.passwords, **good | values) == {field}


def test_tokens_of_anybody_can_be_revoked_and_only_their_beginning_is_logged(context, session, clerk, ann):
    raw, token = accounts.generate_token(context, ann.id, "Tagger", accounts.new_form_key())
    assert admin.revoke_token(context, clerk, token.id) is True
    assert admin.revoke_token(context, clerk, token.id) is False
    assert accounts.tokens_of(session, ann.id) == []
    change = {"token": [f"{raw[4:12]}… Tagger", None]}
    assert lines(session) == [("Clerk", "revoke token", "user", "Ann", change)]


def test_all_tokens_of_an_account_can_be_revoked(context, session, clerk, ann, make):
    bob = make.user("bob")
    for user in (ann, ann, bob):
        accounts.generate_token(context, user.id, "", accounts.new_form_key())
    assert admin.revoke_tokens(context, clerk, ann) == 2
    assert lines(session) == [("Clerk", "revoke tokens", "user", "Ann", {"tokens": [2, 0]})]
    assert session.scalars(select(ApiToken.user_id)).all() == [bob.id]


def test_sessions_of_anybody_can_be_ended(context, session, clerk, ann):
    accounts.begin_session(context, ann)
    assert admin.end_sessions(context, clerk, ann) == 1
    assert lines(session)[0][:4] == ("Clerk", "end sessions", "user", "Ann")


def test_a_new_password_from_the_staff_ends_sessions_and_is_not_logged(context, session, boss, ann, caplog):
    identifier = accounts.begin_session(context, ann)
    admin.set_password(context, boss, context.passwords, ann, "another horse battery")
    assert session_account(session, identifier) is None
    assert accounts.log_in(context, "Ann", "another horse battery") is ann
    assert lines(session) == [("Boss", "set password", "user", "Ann", {})]
    with pytest.raises(InvalidError):
        admin.set_password(context, boss, context.passwords, ann, "short")


def test_an_account_with_a_password_from_the_staff_can_still_be_activated(
    context, session, boss, form, mailbox
):
    accounts.sign_up(context, form())
    bob = accounts.find_user(session, "bob")
    admin.set_password(context, boss, context.passwords, bob, "another horse battery")
    with pytest.raises(accounts.NotActivatedError):
        accounts.log_in(context, "bob", "another horse battery")
    accounts.resend_activation(context, "bob@example.org")
    for mail in [each for each in mailbox() if each.kind == "activation"]:
        with suppress(accounts.LinkUsedError):
            accounts.activate(context, str(bob.id), mail.link("/activate/").split("/")[-2])
    assert accounts.log_in(context, "bob", "another horse battery") is bob


def test_the_owner_is_told_what_the_staff_does_but_not_where(context, session, clerk, boss, ann, mailbox):
    """Each action is recorded and mailed with a recovery link; for a new address, to the old one."""
    ann.shows_name = True
    raw = accounts.generate_token(context, ann.id, "Tagger", "k").token
    accounts.generate_token(context, ann.id, "", "l")
    accounts.begin_session(context, ann)
    before = len(mailbox())
    admin.revoke_token(context, clerk, raw.id)
    admin.revoke_tokens(context, clerk, ann)
    admin.end_sessions(context, clerk, ann)
    for act in (admin.revoke_tokens, admin.end_sessions):
        assert act(context, clerk, ann) == 0  # nothing happened, so nothing is recorded or mailed
    admin.set_password(context, boss, context.passwords, ann, "another horse battery")
    admin.change_account(context, clerk, ann, {"email": "new@example.org", "last_name": "A"})
    mails = mailbox()[before:]
    assert [mail.kind for mail in mails] == [
        "security_token_revoked",
        "security_tokens_revoked",
        "security_sessions_ended",
        "security_password_changed",
        "security_address_changed",
    ]
    assert {mail.to for mail in mails} == {"Ann@example.org"}
    for mail in mails:
        assert "The administrators" in mail.text
        assert "By: the administrators" in mail.text
        assert context.address not in mail.text
        assert mail.link("/not-me/")
    assert "Tagger" in mails[0].text
    assert "new@example.org" in mails[-1].text
    events = session.scalars(accounts.security_events(ann.id)).all()[: len(mails)]
    assert {(event.address, event.browser) for event in events} == {("", "")}
    assert all(event.details["staff"] for event in events)
    admin.change_account(context, clerk, ann, {"email": "newer@example.org", "email_confirmed": True})
    assert [mail.to for mail in mailbox()[before + len(mails) :]] == ["newer@example.org"]


def test_deleting_is_logged_without_the_name(context, session, clerk, ann):
    number, ann.shows_name = ann.id, True
    admin.change_account(context, clerk, ann, {"first_name": "Anna"})
    accounts.generate_token(context, ann.id, "Anna's", accounts.new_form_key())
    admin.revoke_tokens(context, clerk, ann)
    admin.revoke_token(context, clerk, accounts.generate_token(context, ann.id, "Anna's", "k").token.id)
    admin.delete_account(session, clerk, ann)
    session.commit()
    acts = ("delete", "revoke token", "revoke tokens", "change")
    assert lines(session) == [("Clerk", act, "user", f"account {number}", {}) for act in acts]


def test_a_superusers_account_is_for_superusers_alone(context, session, clerk, boss, ann):
    token = accounts.generate_token(context, boss.id, "", accounts.new_form_key()).token
    group = session.scalars(select(Group).where(Group.name == "editor")).one()
    assert admin.fixed_fields(clerk, boss) == set(admin.FIELDS)
    for act in (
        lambda: admin.set_password(context, clerk, context.passwords, boss, "another horse battery"),
        lambda: admin.end_sessions(context, clerk, boss),
        lambda: admin.revoke_token(context, clerk, token.id),
        lambda: admin.revoke_tokens(context, clerk, boss),
        lambda: admin.add_member(session, clerk, group, "Boss"),
    ):
        assert refused(act) == {"__all__"}
    assert lines(session) == []
    other = ann
    other.is_superuser = True
    assert admin.revoke_token(context, other, token.id) is True


def test_ones_own_account_is_changed_on_ones_own_pages(context, session, boss, clerk):
    assert admin.fixed_fields(None, boss) == set()
    assert admin.fixed_fields(boss, clerk) == set()
    assert admin.fixed_fields(boss, boss) == {"is_active", "is_staff", "is_superuser", "email"}
    names, rights = {"first_name", "last_name"}, {"is_active", "is_staff", "is_superuser", "email", "groups"}
    assert admin.fixed_fields(clerk, clerk) == names | rights
    assert refused(admin.change_account, context, boss, boss, {"email": "new@example.org"}) == {"email"}
    assert refused(admin.change_account, context, clerk, clerk, {"add_groups": ["editor"]}) == {"groups"}
    for act in (
        lambda: admin.set_password(context, boss, context.passwords, boss, "another horse battery"),
        lambda: admin.delete_account(session, boss, boss),
    ):
        with pytest.raises(InvalidError):
            act()
    assert lines(session) == []


def test_members_come_and_go(session, clerk, ann, make):
    group = session.scalars(select(Group).where(Group.name == "reading list editor")).one()
    assert admin.add_member(session, clerk, group, "aNN").id == ann.id
    assert [each.name for each in accounts.find_user(session, "Ann").groups] == [
        "editor",
        "reading list editor",
    ]
    for name in ("Ann", "nobody"):
        assert refused(admin.add_member, session, clerk, group, name) == {"username"}
    admin.remove_member(session, clerk, group, ann)
    admin.remove_member(session, clerk, group, ann)
    both = ["editor", "reading list editor"]
    assert [line[1:] for line in lines(session)] == [
        ("change", "user", "Ann", {"groups": [both, ["editor"]]}),
        ("change", "user", "Ann", {"groups": [["editor"], both]}),
    ]


def test_the_switch_of_sign_ups_is_logged(session, clerk):
    admin.set_sign_ups(session, clerk, False, " Back on Monday. ")
    admin.set_sign_ups(session, clerk, False, "Back on Monday.")
    assert [line[4] for line in lines(session)] == [
        {"signups_enabled": [True, False], "disabled_message": ["", "Back on Monday."]}
    ]
    with pytest.raises(InvalidError):
        admin.set_sign_ups(session, clerk, False, "x" * 256)
