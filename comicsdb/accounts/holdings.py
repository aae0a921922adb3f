"""Export of all data of an account, for its owner: as JSON or as CSV tables."""

import csv
import io
import zipfile

import orjson
from sqlalchemy import Select, case, func, not_, select
from sqlalchemy.orm import Session

from comicsdb.accounts.tokens import SHOWN
from comicsdb.models import (
    ApiToken,
    Change,
    CollectionItem,
    Donation,
    FeedAddress,
    Group,
    Issue,
    IssueRating,
    LoginSession,
    Passkey,
    Poll,
    PollChoice,
    PollVote,
    PullList,
    PullListSeries,
    ReadDate,
    ReadingList,
    ReadingListItem,
    ReadingListRating,
    RecoveryCode,
    SecurityEvent,
    Series,
    StaffAction,
    ThrottleNotice,
    Totp,
    User,
    WishList,
    WishListItem,
    user_group_member,
)

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # first characters of cells that spreadsheets evaluate


def _tables(user_id: int) -> dict[str, Select]:
    """The statement of each table; digests of secrets are left out."""
    member = user_group_member.c
    return {
        "account": select(
            User.id,
            User.username,
            User.email,
            User.email_confirmed,
            User.first_name,
            User.last_name,
            User.shows_name,
            User.bio,
            User.image,
            User.language,
            User.timezone,
            User.is_staff,
            User.is_superuser,
            User.supporter_until,
            User.supporter_tier,
            User.date_joined,
            User.last_login,
            User.basic_used,
            User.basic_address,
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
        "security_events": select(
            SecurityEvent.at,
            SecurityEvent.kind,
            SecurityEvent.address,
            SecurityEvent.browser,
            SecurityEvent.details,
        )
        .where(SecurityEvent.user_id == user_id)
        .order_by(SecurityEvent.id),
        "passkeys": select(Passkey.name, Passkey.created, Passkey.last_used)
        .where(Passkey.user_id == user_id)
        .order_by(Passkey.id),
        "authenticator_apps": select(Totp.created).where(Totp.user_id == user_id),
        "recovery_codes": select(RecoveryCode.created, RecoveryCode.used)
        .where(RecoveryCode.user_id == user_id)
        .order_by(RecoveryCode.id),
        "tokens": select(
            func.left(ApiToken.token_key, SHOWN).label("begins_with"),
            ApiToken.name,
            ApiToken.scope,
            ApiToken.created,
            ApiToken.expiry,
            ApiToken.last_used,
            ApiToken.last_address,
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
        **_kept(user_id),
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
        "poll_votes": select(
            PollVote.poll_id, Poll.title.label("poll"), PollChoice.text.label("choice"), PollVote.voted_on
        )
        .join(Poll, Poll.id == PollVote.poll_id)
        .join(PollChoice, PollChoice.id == PollVote.choice_id)
        .where(PollVote.user_id == user_id)
        .order_by(PollVote.id),
        "staff_actions": select(StaffAction.at, StaffAction.action, StaffAction.kind, StaffAction.target)
        .where(StaffAction.actor_id == user_id)
        .order_by(StaffAction.id),
    }


def _issue(*columns, of) -> Select:
    """Rows of `of`, each with the id and name of its issue."""
    return (
        select(of.issue_id, Series.name.label("series"), Issue.number, *columns)
        .join(Issue, Issue.id == of.issue_id)
        .join(Series, Series.id == Issue.series_id)
    )


def _all_but(table, *left_out: str) -> list:
    """The columns of a table, without some."""
    return [column for column in table.columns if column.name not in {*left_out, "folded", "modified_before"}]


def _kept(user_id: int) -> dict[str, Select]:
    """The statements of the library: collection, pull list, wish list, reading lists and feed addresses."""
    item, wish, listed, stars = CollectionItem, WishListItem, ReadingListItem, ReadingListRating
    return {
        "collection": _issue(*_all_but(item.__table__, "user_id", "issue_id"), of=item)
        .where(item.user_id == user_id)
        .order_by(item.id),
        "read_dates": _issue(ReadDate.read_date, ReadDate.created_on, of=item)
        .join(ReadDate, ReadDate.collection_item_id == item.id)
        .where(item.user_id == user_id)
        .order_by(ReadDate.id),
        "pull_list": select(PullListSeries.series_id, Series.name.label("series"), PullListSeries.added_on)
        .join(Series, Series.id == PullListSeries.series_id)
        .join(PullList, PullList.id == PullListSeries.pull_list_id)
        .where(PullList.user_id == user_id)
        .order_by(PullListSeries.id),
        "wish_list": _issue(*_all_but(wish.__table__, "wish_list_id", "issue_id"), of=wish)
        .join(WishList, WishList.id == wish.wish_list_id)
        .where(WishList.user_id == user_id)
        .order_by(wish.id),
        "reading_lists": select(*_all_but(ReadingList.__table__, "user_id", "rated_before"))
        .where(ReadingList.user_id == user_id)
        .order_by(ReadingList.id),
        "reading_list_items": _issue(
            listed.reading_list_id, listed.order, listed.issue_type, listed.added_on, of=listed
        )
        .join(ReadingList, ReadingList.id == listed.reading_list_id)
        .where(ReadingList.user_id == user_id)
        .order_by(listed.reading_list_id, listed.order),
        "reading_list_ratings": select(
            stars.reading_list_id,
            case((not_(ReadingList.is_private), ReadingList.name)).label("reading_list"),
            stars.rating,
            stars.created_on,
            stars.modified,
        )
        .join(ReadingList, ReadingList.id == stars.reading_list_id)
        .where(stars.user_id == user_id)
        .order_by(stars.id),
        "feed_addresses": select(FeedAddress.name, FeedAddress.created_on, FeedAddress.last_used)
        .where(FeedAddress.user_id == user_id)
        .order_by(FeedAddress.id),
    }


def holdings(session: Session, user_id: int) -> dict[str, list[dict]]:
    """The rows of each table; `account` has one."""
    return {
        name: [dict(row) for row in session.execute(rows).mappings()]
        for name, rows in _tables(user_id).items()
    }


def holdings_json(session: Session, user_id: int) -> bytes:
    """All data of an account as one JSON object."""
    return orjson.dumps(
        holdings(session, user_id), default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z
    )


def holdings_csv(session: Session, user_id: int) -> bytes:
    """All data of an account as a ZIP archive of one CSV file per table, with a header line."""
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
    """A value as a cell that no spreadsheet evaluates as a formula."""
    if value is None:
        return ""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return str(value)
