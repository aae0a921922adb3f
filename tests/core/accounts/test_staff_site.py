"""Actions of the staff on the site: announcements, and retries of failed mails, each in the audit log."""

from datetime import date, timedelta

import pytest

from comicsdb import admin, clock
from comicsdb.models import Announcement, OutgoingMail
from tests.refused import refused

GOOD = {
    "title": " Hello ",
    "content": "<p>Hi</p>",
    "start_date": date(2026, 1, 2),
    "end_date": None,
    "display_type": "warning",
    "active": True,
}


@pytest.fixture
def clerk(make):
    return make.user("Clerk", is_staff=True)


def lines(session):
    session.flush()
    return [(each.action, each.kind, each.target, each.change) for each in session.scalars(admin.actions())]


def test_an_announcement_is_made_changed_and_deleted(session, clerk):
    made = admin.create_announcement(session, clerk, GOOD)
    assert made.title == "Hello"
    changed = {"end_date": date(2026, 1, 2), "active": False, "title": "Hello"}
    change = {"end_date": [None, "2026-01-02"], "active": [True, False]}
    assert admin.change_announcement(session, clerk, made, changed) == change
    assert admin.change_announcement(session, clerk, made, changed) == {}
    admin.delete_announcement(session, clerk, made)
    session.commit()
    assert session.query(Announcement).count() == 0
    said = {"title": "Hello", "content": "<p>Hi</p>", "start_date": "2026-01-02", "display_type": "warning"}
    made = {field: [None, value] for field, value in (said | {"active": True}).items()}
    gone = said | {"end_date": "2026-01-02", "active": False}
    assert lines(session) == [
        ("delete", "announcement", "Hello", {field: [value, None] for field, value in gone.items()}),
        ("change", "announcement", "Hello", change),
        ("create", "announcement", "Hello", made),
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", "  "),
        ("title", "x" * 256),
        ("title", "a\nb"),
        ("content", "x" * 10_001),
        ("content", "a\0b"),
        ("display_type", "rainbow"),
        ("end_date", date(2026, 1, 1)),
    ],
)
def test_an_announcement_that_cannot_be_is_refused(session, clerk, field, value):
    made = admin.create_announcement(session, clerk, GOOD)
    for act in (
        lambda: admin.create_announcement(session, clerk, GOOD | {field: value}),
        lambda: admin.change_announcement(session, clerk, made, {field: value}),
    ):
        assert refused(act) == {field}
    assert [line[0] for line in lines(session)] == ["create"]


def mail(session, **values):
    now = clock.now()
    usual = {
        "kind": "activation",
        "recipient": "a@example.org",
        "message": b"x",
        "give_up": now + timedelta(1),
    }
    row = OutgoingMail(**usual | {"attempts": 1, "next_attempt": now + timedelta(hours=4)} | values)
    session.add(row)
    session.flush()
    row.next_attempt = values.get("next_attempt", row.next_attempt)  # at creation, None means the default
    session.commit()
    return row


def test_a_mail_that_failed_is_tried_at_once(session, clerk):
    row = mail(session, error="451 busy")
    assert admin.retry_mail(session, clerk, row.id) is True
    session.refresh(row)
    assert row.next_attempt <= clock.now()
    assert lines(session) == [("send again", "mail", "activation", {})]


@pytest.mark.parametrize(
    "values",
    [
        {"error": ""},  # it may be being sent right now
        {"error": "550 no", "next_attempt": None},  # given up: its text has been deleted
        {"error": "451 busy", "sent": clock.now()},
    ],
)
def test_no_other_mail_is_tried_again(session, clerk, values):
    row = mail(session, **values)
    before = row.next_attempt
    assert admin.retry_mail(session, clerk, row.id) is False
    assert admin.retry_mail(session, clerk, 10**6) is False
    session.refresh(row)
    assert row.next_attempt == before
    assert lines(session) == []
