"""The commands for accounts and mail, as operators type them."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select, text

from comicsdb import clock
from comicsdb.accounts.passwords import Passwords, digest
from comicsdb.catalog.unit_of_work import WRITE_LOCK
from comicsdb.config import parse_settings
from comicsdb.mail import Letter, queue
from comicsdb.mail.delivery import mailer_from_settings
from comicsdb.models import (
    AccountLink,
    Group,
    LibraryAct,
    OutgoingMail,
    RateLimit,
    SignupSettings,
    StaffAction,
    User,
    user_group_member,
)
from comicsdb.models.account import ACTIVATE
from comicsdb.models.base import SYSTEM_USER_ID
from tests.cases import for_each
from tests.conftest import SETTINGS
from tests.core.cli.conftest import run
from tests.serving import free_port
from tests.smtp_sink import SmtpSink
from tests.waiting import await_lock

PASSWORD = "correct horse battery"
READING_LISTS = ("reading list editor",)


@pytest.fixture
def account(ini):
    """A function that runs `comicsdb account …`, or another group."""
    return lambda *words, group="account": run("-c", ini, group, *words)


def user(rows, name="ann"):
    (found,) = rows(select(User.is_active, User.is_staff, User.is_superuser).where(User.username == name))
    return tuple(found)


def create(account, *more, name="ann"):
    return account("create", name, f"{name}@example.org", "--password", PASSWORD, *more)


@pytest.fixture
def ann(account):
    """An existing account."""
    assert create(account).exit_code == 0


def test_an_account_is_made_with_rights_and_loses_them(account, rows):
    made = create(account, "--staff", "--group", "editor")
    assert (made.exit_code, made.output) == (0, "ann now has account 2.\n")
    assert user(rows) == (True, True, False)
    (stored,) = rows(select(User.password).where(User.username == "ann"))
    assert Passwords("fast").verify(stored.password, PASSWORD)
    granted = account("grant", "ANN", "--superuser", "--group", "reading list editor")
    assert granted.output == (
        "ann: is_superuser: False → True\nann: groups: ['editor'] → ['editor', 'reading list editor']\n"
    )
    assert account("grant", "ann", "--superuser").output == "Nothing had to be changed for ann.\n"
    account("revoke", "ann", "--staff", "--group", "editor", "--group", "nobody")
    assert user(rows) == (True, False, True)
    account("revoke", "ann", "--superuser")
    assert [line.action for line in rows(select(StaffAction.action).order_by(StaffAction.id))] == [
        "create", "change", "change", "change", "change"
    ]  # fmt: skip


def test_groups_that_others_change_meanwhile_stay_as_they_are(account, rows, factory):
    create(account, "--group", "editor")
    groups = select(Group.name).join(user_group_member).order_by(Group.name)
    steps = (  # a group given or taken by somebody else, the command that waits for it, and the result
        ("DELETE FROM user_group_member", ("grant", "--group", "reading list editor"), [READING_LISTS]),
        (
            "INSERT INTO user_group_member (user_id, group_id)"
            " SELECT 2, id FROM user_group WHERE name = 'editor'",
            ("revoke", "--group", "reading list editor"),
            [("editor",)],
        ),
    )
    for others, (command, *words), expected in steps:
        with factory() as session, ThreadPoolExecutor(1) as pool:
            session.execute(select(User).where(User.username == "ann").with_for_update())
            session.execute(text(others))
            asked = pool.submit(account, command, "ann", *words)
            await_lock(factory)
            session.commit()
            assert asked.result(60).exit_code == 0
        assert rows(groups) == expected, command


def test_the_password_is_asked_for(ini, rows):
    typed = f"{PASSWORD}\n{PASSWORD}\n"
    result = run("-c", ini, "account", "create", "ann", "ann@example.org", typed=typed)
    assert result.exit_code == 0, result.output
    assert PASSWORD not in result.output
    assert user(rows) == (True, False, False)


@for_each(
    "words,said",
    [
        (("create", "a b", "x@example.org", "--password", PASSWORD), "Only letters"),
        (("create", "bob", "ANN@example.org", "--password", PASSWORD), "Another account uses this address."),
        (("create", "bob", "bob@example.org", "--password", "password1"), "too common"),
        (
            ("create", "bob", "bob@example.org", "--password", PASSWORD, "--group", "x"),
            "group does not exist",
        ),
        (("grant", "nobody", "--staff"), "There is no account named nobody."),
        (("grant", "ann", "--staff", "--group", "editor", "--group", "nobody"), "This group does not exist."),
        (("password", "ann", "--password", "short"), "Enter at least 8 characters."),
        (("deactivate", "nobody"), "There is no account named nobody."),
    ],
)
def test_what_is_refused_is_one_clear_line_and_changes_nothing(account, ann, rows, words, said):
    tables = [select(table) for table in (User.__table__, user_group_member, StaffAction.__table__)]
    before = [rows(table) for table in tables]
    result = account(*words)
    assert result.exit_code == 1
    assert said in result.output
    assert result.output.startswith("Error: ")
    assert result.output.count("\n") == 1
    assert [rows(table) for table in tables] == before


def test_an_account_is_switched_off_and_on_and_deleted(account, rows, monkeypatch):
    monkeypatch.setenv("COMICSDB_BASE_URL", "https://comics.example")
    create(account)
    assert account("deactivate", "ann").output == "ann: is_active: True → False\n"
    assert user(rows) == (False, False, False)
    assert account("activate", "ann").output == "ann: is_active: False → True\n"
    assert account("password", "ann", "--password", "another horse").output == "ann has a new password.\n"
    assert rows(select(OutgoingMail.kind)) == [("security_password_changed",)]
    assert account("delete", "ann").exit_code == 1  # without --yes
    assert account("delete", "ann", "--yes").output == "The account ann is deleted.\n"
    assert rows(select(User.id).where(User.username == "ann")) == []


def test_sign_ups_are_switched(account, rows):
    state = text("SELECT signups_enabled, disabled_message FROM signup_settings")
    assert account("sign-ups", "off", "--message", "Back on Monday.").output == "Sign-ups are off.\n"
    assert rows(state) == [(False, "Back on Monday.")]
    account("sign-ups", "on")
    assert rows(state) == [(True, "")]


def test_two_step_log_in_is_switched_off_for_whoever_lost_it(account, rows, factory, monkeypatch):
    monkeypatch.setenv("COMICSDB_BASE_URL", "https://comics.example")
    create(account)
    assert account("reset-second-factor", "ann").output == "ann has no two-step log-in.\n"
    with factory() as session:
        session.execute(text("UPDATE user_account SET second_factor = true WHERE username = 'ann'"))
        session.execute(text("INSERT INTO totp (user_id, secret, last_step) VALUES (2, 'x', 1)"))
        session.commit()
    done = account("reset-second-factor", "ann")
    assert (done.exit_code, done.output) == (0, "ann now logs in with the password alone.\n")
    assert rows(text("SELECT (SELECT count(*) FROM totp), second_factor FROM user_account WHERE id = 2")) == [
        (0, False)
    ]
    assert ("reset second factor",) in rows(select(StaffAction.action))
    assert rows(select(OutgoingMail.kind)) == [("security_second_factor_reset",)]


def test_cleaning_says_what_it_removed(account, rows, factory):
    with factory() as session:
        now = clock.now().timestamp() * 1_000_000
        for name, expires in (("old", now), ("new", now + 60_000_000)):
            session.add(RateLimit(client=name, name="burst", times=[], sums=[0], expires=int(expires)))
        session.commit()
    assert account("clean").output == (
        "0 sessions, 0 links, 0 security events, 0 drafts, 0 imports and 0 accounts that were never"
        " activated removed.\n"
    )
    assert rows(select(RateLimit.client)) == [("new",)]


def test_cleaning_does_not_hold_up_who_edits_the_catalog(account, rows, factory):
    """The writers' lock is free again when the deletion of an account is done."""
    old = clock.now() - timedelta(days=30)
    with factory() as session:
        for name in ("bob", "carl"):
            each = User(username=name, email=f"{name}@example.org", is_active=False)
            session.add(each)
            session.flush()
            link = {"user_id": each.id, "email": each.email, "created": old, "expires": old}
            session.add(AccountLink(purpose=ACTIVATE, digest=each.username, **link))
        session.add(LibraryAct(user_id=SYSTEM_USER_ID, at=old))
        session.commit()
    with factory() as session, ThreadPoolExecutor(1) as pool:
        session.execute(select(LibraryAct).with_for_update())  # deleted last
        cleaning = pool.submit(account, "clean")
        await_lock(factory)
        free = session.scalar(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": WRITE_LOCK})
        gone = rows(select(User.username).where(User.username.in_(("bob", "carl"))))
        session.rollback()
        assert "0 imports and 2 accounts" in cleaning.result(60).output
    assert (free, gone) == (True, [])
    assert rows(select(LibraryAct.id)) == []


def test_users_of_basic_are_reminded_as_the_phase_has_it(account, rows, factory, monkeypatch):
    create(account)
    with factory() as session:
        session.execute(
            text("UPDATE user_account SET basic_used = now() AT TIME ZONE 'UTC' WHERE username = 'ann'")
        )
        session.commit()
    monkeypatch.setenv("COMICSDB_BASE_URL", "https://comics.example")
    assert account("remind-basic").output == "0 are reminded.\n"
    monkeypatch.setenv("COMICSDB_BASIC_PHASE", "1")
    monkeypatch.setenv("COMICSDB_BASIC_DEPRECATED", "2026-01-01")
    assert account("remind-basic", "--dry-run").output == "ann\n1 would be reminded.\n"
    assert account("remind-basic").output == "ann\n1 are reminded.\n"
    assert account("remind-basic").output == "0 are reminded.\n"
    assert [row.recipient for row in rows(select(OutgoingMail.recipient))] == ["ann@example.org"]


def test_mails_are_sent_by_command(account, factory, rows, monkeypatch):
    with factory() as session:
        given = parse_settings({"sqlalchemy.url": "postgresql://x/y", **SETTINGS})
        for number in range(3):
            letter = Letter("News", ("Something happened.",))
            queue(session, given, letter, to=f"reader{number}@example.org", kind="test")
        session.commit()
    monkeypatch.setenv("COMICSDB_SMTP_PORT", str(free_port()))
    failed = account("send", group="mail")
    assert failed.exit_code == 1
    assert failed.output.startswith("0 sent, 1 to be retried, 0 abandoned.\nError: Not everything was sent")
    with SmtpSink() as sink:
        monkeypatch.setenv("COMICSDB_SMTP_PORT", str(sink.port))
        sent = account("send", "--clean", group="mail")
        assert (sent.exit_code, sent.output) == (
            0,
            "0 old mails removed.\n2 sent, 0 to be retried, 0 abandoned.\n",
        )
        assert len(sink.received) == 2


def test_mails_of_the_development_settings_become_files(account, factory, tmp_path, monkeypatch):
    monkeypatch.setenv("COMICSDB_MAIL_FOLDER", str(tmp_path / "mail"))
    given = parse_settings({"sqlalchemy.url": "postgresql://x/y", **SETTINGS})
    assert (
        mailer_from_settings({**given, "comicsdb.mail.folder": tmp_path / "mail"}).__class__.__name__
        == "FolderMailer"
    )
    with factory() as session:
        queue(session, given, Letter("News", ()), to="ann@example.org", kind="test")
        session.commit()
    assert account("send", group="mail").exit_code == 0
    assert len(list((tmp_path / "mail").glob("*.eml"))) == 1


def test_set_up_prints_a_link_until_there_is_an_administrator(account, rows):
    first, link = account("set-up").output.strip(), account("set-up").output.strip()
    assert link.startswith("http://127.0.0.1:1/s/set-up/")
    assert first != link
    secret = link.rstrip("/").rpartition("/")[2]
    assert rows(select(SignupSettings.setup_digest)) == [(digest(secret),)]
    assert create(account, "--superuser").exit_code == 0
    refusal = account("set-up")
    assert (refusal.exit_code, refusal.output) == (
        1,
        "Error: The site has an administrator already, or is a mirror.\n",
    )
