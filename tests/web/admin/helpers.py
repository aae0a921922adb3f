"""Helpers for the tests of the administration: staff accounts, and data for every page."""

from datetime import UTC, date, datetime, timedelta

from sqlalchemy import select

from comicsdb import clock
from comicsdb.accounts.passwords import digest
from comicsdb.community import polls
from comicsdb.models import (
    Announcement,
    ApiToken,
    DailyCount,
    Donation,
    Group,
    OutgoingMail,
    Poll,
    PollChoice,
    StaffAction,
    ThrottleNotice,
    User,
)
from tests.web.conftest import form_to, soup
from tests.web.forms import form_helpers

SECRET_TOKEN = "cdb_" + "5ec2e7" * 10 + "beef"  # a token that no page may show


def log_in_as(testapp, make, username="Boss", **values):
    """Log in as a new account with rights; returns the account."""
    testapp.reset()
    return form_helpers.log_in_as(testapp, make, username, **values)


def fill(session, number=1, prefix="u"):
    """Create accounts, each with one of everything that the pages show; returns the accounts."""
    now = clock.now()
    editors = session.scalars(select(Group).where(Group.name == "editor")).one()
    names = [f"{prefix}{each:03}" for each in range(number)]
    users = [
        User(
            username=name, email=f"{name}@example.org", password="$argon2$x", email_confirmed=True,
            first_name="Ada", bio="Two\r\nlines", groups=[editors],
        )
        for name in names
    ]  # fmt: skip
    session.add_all(users)
    session.flush()
    for user in users:
        session.add_all(_belongings(user, now))
    _ask(session, users, now)
    session.commit()
    return users


def _ask(session, users, now):
    """Create a poll in which all of these accounts have voted."""
    poll = Poll(title="<i>x</i>", start_date=now, end_date=now + timedelta(days=1))
    session.add(poll)
    session.flush()
    choice = PollChoice(poll_id=poll.id, text="<i>x</i>")
    session.add_all([choice, PollChoice(poll_id=poll.id, text="No", order=1)])
    session.flush()
    for user in users:
        polls.vote(session, poll.id, choice.id, user.id, now)


def _belongings(user, now):
    name = user.username
    return (
        ApiToken(
            user_id=user.id, digest=digest(SECRET_TOKEN + name), token_key="abcd1234extra", name="Tagger",
            form_key=f"k{name}",
        ),
        Donation(
            user_id=user.id, transaction_id=f"tx-{name}", email=user.email, amount=1234, frequency="monthly",
            donated_at=datetime(2026, 5, 1, tzinfo=UTC),
        ),
        DailyCount(day=now.date(), counter="throttled:burst", identity=f"user:{name}", count=60),
        DailyCount(day=now.date(), counter="throttled:sustained", identity=f"user:{name}", count=61),
        ThrottleNotice(
            user_id=user.id, days_throttled=3, total_count=900, worst_day_count=400,
            sent_at=now - timedelta(days=20),
        ),
        StaffAction(
            action="change", kind="user", target_id=user.id, target=name, change={"bio": ["", "<i>x</i>"]}
        ),
        OutgoingMail(
            user_id=user.id, kind="activation", recipient=user.email, message=b"https://x/secret-link/",
            give_up=now + timedelta(days=3), attempts=1, error="451 busy", next_attempt=now,
        ),
        Announcement(title=f"About {name}", content="<p>Hi</p>", start_date=date(2026, 1, 1)),
    )  # fmt: skip


def cells(response) -> list[list[str]]:
    """The rows of the first table of a page."""
    table = soup(response).find("table")
    rows = table.select("tbody tr") if table else []
    return [[each.get_text(" ", strip=True) for each in row.find_all(["th", "td"])] for row in rows]


def column(response, number=0) -> list[str]:
    """One column of the first table."""
    return [row[number] for row in cells(response)]


def submit_button(testapp, path, action):
    """Submit a form that consists only of a button."""
    return form_to(testapp.get(path), action).submit(status=303)
