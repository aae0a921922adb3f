"""Everything that an account holds, for its owner to take along: as JSON, and as tables (web.md 10)."""

import csv
import io
import zipfile

import orjson
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from comicsdb.accounts.tokens import SHOWN
from comicsdb.models import (
    ApiToken,
    Change,
    Donation,
    Group,
    Issue,
    IssueRating,
    LoginSession,
    Series,
    StaffAction,
    ThrottleNotice,
    User,
    user_group_member,
)

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet would calculate


def _tables(user_id: int) -> dict[str, Select]:
    """What is held, by table; of secrets only digests are kept, and those are not given."""
    member = user_group_member.c
    return {
        "account": select(
            User.id,
            User.username,
            User.email,
            User.email_confirmed,
            User.first_name,
            User.last_name,
            User.bio,
            User.image,
            User.language,
            User.is_staff,
            User.is_superuser,
            User.supporter_until,
            User.supporter_tier,
            User.date_joined,
            User.last_login,
            User.basic_used,
        ).where(User.id == user_id),
        "groups": select(Group.name)
        .join(user_group_member, member.group_id == Group.id)
        .where(member.user_id == user_id)
        .order_by(Group.name),
        "sessions": select(
            LoginSession.begun,
            LoginSession.seen,
            LoginSession.expires,
            LoginSession.address,
            LoginSession.browser,
        )
        .where(LoginSession.user_id == user_id)
        .order_by(LoginSession.id),
        "tokens": select(
            func.left(ApiToken.token_key, SHOWN).label("begins_with"),
            ApiToken.name,
            ApiToken.created,
            ApiToken.expiry,
            ApiToken.last_used,
        )
        .where(ApiToken.user_id == user_id)
        .order_by(ApiToken.id),
        "ratings": select(
            IssueRating.issue_id,
            Series.name.label("series"),
            Issue.number,
            IssueRating.rating,
            IssueRating.created_on,
            IssueRating.modified,
        )
        .join(Issue, Issue.id == IssueRating.issue_id)
        .join(Series, Series.id == Issue.series_id)
        .where(IssueRating.user_id == user_id)
        .order_by(IssueRating.id),
        "contributions": select(Change.at, Change.kind, Change.object_id, Change.action)
        .where(Change.user_id == user_id)
        .order_by(Change.seq),
        "donations": select(
            Donation.transaction_id, Donation.email, Donation.amount, Donation.donated_at, Donation.frequency
        )
        .where(Donation.user_id == user_id)
        .order_by(Donation.donated_at, Donation.id),
        "throttle_notices": select(
            ThrottleNotice.sent_at,
            ThrottleNotice.days_throttled,
            ThrottleNotice.total_count,
            ThrottleNotice.worst_day_count,
        )
        .where(ThrottleNotice.user_id == user_id)
        .order_by(ThrottleNotice.id),
        "staff_actions": select(StaffAction.at, StaffAction.action, StaffAction.kind, StaffAction.target)
        .where(StaffAction.actor_id == user_id)
        .order_by(StaffAction.id),
    }


def holdings(session: Session, user_id: int) -> dict[str, list[dict]]:
    """What an account holds: rows by table; `account` has one."""
    return {
        name: [dict(row) for row in session.execute(rows).mappings()]
        for name, rows in _tables(user_id).items()
    }


def holdings_json(session: Session, user_id: int) -> bytes:
    """What an account holds, as one JSON object."""
    return orjson.dumps(holdings(session, user_id), option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)


def holdings_csv(session: Session, user_id: int) -> bytes:
    """What an account holds, as a ZIP archive of one CSV file per table, with a line of titles."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in _tables(user_id).items():
            result = session.execute(rows)
            written = io.StringIO(newline="")
            writer = csv.writer(written)
            writer.writerow(result.keys())
            writer.writerows([_cell(value) for value in row] for row in result)
            archive.writestr(f"{name}.csv", written.getvalue())
    return packed.getvalue()


def _cell(value) -> str:
    """A value as a cell that no spreadsheet takes for a formula: names in it may come from anybody."""
    if value is None:
        return ""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return str(value)
