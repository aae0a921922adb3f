"""Export of all data of an account, for its owner: as JSON or as CSV tables."""

import orjson
from sqlalchemy import Select, case, func, not_, or_, select
from sqlalchemy.orm import Session, aliased

from comicsdb.accounts.tokens import SHOWN_CHARACTERS
from comicsdb.library.transfer.tables import archive, csv_text
from comicsdb.library.transfer.values import FORMULA
from comicsdb.models import (
    ApiToken,
    Change,
    CollectionItem,
    Donation,
    Favourite,
    FeedAddress,
    Follow,
    FormDraft,
    Group,
    ImportMapping,
    Issue,
    IssueRating,
    LoginSession,
    Passkey,
    PendingEntry,
    Poll,
    PollChoice,
    PollVote,
    PublicProfile,
    PullList,
    PullListSeries,
    ReadDate,
    ReadingList,
    ReadingListItem,
    ReadingListLike,
    ReadingListRating,
    RecoveryCode,
    Review,
    ReviewReport,
    SecurityEvent,
    Series,
    StaffAction,
    TaggedFile,
    ThrottleNotice,
    Totp,
    User,
    Webhook,
    WebhookDelivery,
    WishList,
    WishListItem,
    user_group_member,
)

_ACCOUNT = (
    "id username email email_confirmed first_name last_name shows_name bio image language timezone is_staff"
    " is_superuser supporter_until supporter_tier date_joined last_login basic_used basic_address"
)


def _tables(user_id: int) -> dict[str, Select]:
    """The SELECT statement of each table; digests of secrets are left out."""
    member = user_group_member.c

    def own(model, names: str, *more) -> Select:
        """The given columns of the account's rows, in the order of creation."""
        columns = [getattr(model, name) for name in names.split()]
        return select(*more, *columns).where(model.user_id == user_id).order_by(model.id)

    return {
        "account": select(*(getattr(User, name) for name in _ACCOUNT.split())).where(User.id == user_id),
        "groups": select(Group.name)
        .join(user_group_member, member.group_id == Group.id)
        .where(member.user_id == user_id)
        .order_by(Group.name),
        "sessions": own(LoginSession, "begun seen expires address browser"),
        "security_events": own(SecurityEvent, "at kind address browser details"),
        "passkeys": own(Passkey, "name created last_used"),
        "authenticator_apps": select(Totp.created).where(Totp.user_id == user_id),
        "recovery_codes": own(RecoveryCode, "created used"),
        "tokens": own(
            ApiToken,
            "name scope created expiry last_used last_address",
            func.left(ApiToken.token_key, SHOWN_CHARACTERS).label("begins_with"),
        ),
        "ratings": _with_issue(
            IssueRating.rating, IssueRating.created_on, IssueRating.modified, of=IssueRating
        )
        .where(IssueRating.user_id == user_id)
        .order_by(IssueRating.id),
        "webhooks": own(Webhook, "url description kinds state created_on"),
        "webhook_deliveries": select(
            WebhookDelivery.webhook_id,
            Webhook.url,
            *_columns_except(WebhookDelivery.__table__, "webhook_id"),
        )
        .join(Webhook, Webhook.id == WebhookDelivery.webhook_id)
        .where(Webhook.user_id == user_id)
        .order_by(WebhookDelivery.id),
        **_library(user_id),
        **_public(user_id),
        "drafts": select(FormDraft.action, FormDraft.object_id, FormDraft.created, FormDraft.fields)
        .where(FormDraft.user_id == user_id, FormDraft.fields != "[[], {}]")
        .order_by(FormDraft.created, FormDraft.digest),
        "comic_files": own(TaggedFile, "file label found_on is_dismissed fields"),
        "contributions": select(Change.at, Change.kind, Change.object_id, Change.action)
        .where(Change.user_id == user_id)
        .order_by(Change.seq),
        "donations": select(
            Donation.transaction_id, Donation.email, Donation.amount, Donation.donated_at, Donation.frequency
        )
        .where(Donation.user_id == user_id)
        .order_by(Donation.donated_at, Donation.id),
        "throttle_notices": own(ThrottleNotice, "sent_at days_throttled total_count worst_day_count"),
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


def _with_issue(*columns, of) -> Select:
    """Rows of `of`, each with the id and name of its issue."""
    return (
        select(of.issue_id, Series.name.label("series"), Issue.number, *columns)
        .join(Issue, Issue.id == of.issue_id)
        .join(Series, Series.id == Issue.series_id)
    )


def _columns_except(table, *left_out: str) -> list:
    """The columns of a table, except those named and some internal ones."""
    return [column for column in table.columns if column.name not in {*left_out, "folded", "modified_before"}]


def _library(user_id: int) -> dict[str, Select]:
    """The statements for the library: collection, pull list, wish list, reading lists and feed addresses."""
    item, wish, listed, stars = CollectionItem, WishListItem, ReadingListItem, ReadingListRating
    public_name = case((not_(ReadingList.is_private), ReadingList.name)).label("reading_list")
    return {
        "collection": _with_issue(*_columns_except(item.__table__, "user_id", "issue_id"), of=item)
        .where(item.user_id == user_id)
        .order_by(item.id),
        "read_dates": _with_issue(ReadDate.read_on, ReadDate.created_on, of=ReadDate)
        .where(ReadDate.user_id == user_id)
        .order_by(ReadDate.id),
        "pull_list": select(
            PullListSeries.series_id,
            Series.name.label("series"),
            *_columns_except(PullListSeries.__table__, "id", "pull_list_id", "series_id"),
        )
        .join(Series, Series.id == PullListSeries.series_id)
        .join(PullList, PullList.id == PullListSeries.pull_list_id)
        .where(PullList.user_id == user_id)
        .order_by(PullListSeries.id),
        "wish_list": _with_issue(*_columns_except(wish.__table__, "wish_list_id", "issue_id"), of=wish)
        .join(WishList, WishList.id == wish.wish_list_id)
        .where(WishList.user_id == user_id)
        .order_by(wish.id),
        "reading_lists": select(*_columns_except(ReadingList.__table__, "user_id", "rated_before"))
        .where(ReadingList.user_id == user_id)
        .order_by(ReadingList.id),
        "reading_list_items": _with_issue(
            listed.reading_list_id, listed.order, listed.issue_type, listed.added_on, of=listed
        )
        .join(ReadingList, ReadingList.id == listed.reading_list_id)
        .where(ReadingList.user_id == user_id)
        .order_by(listed.reading_list_id, listed.order),
        "reading_list_pending": select(*_columns_except(PendingEntry.__table__, "tried_on"))
        .join(ReadingList, ReadingList.id == PendingEntry.reading_list_id)
        .where(ReadingList.user_id == user_id)
        .order_by(PendingEntry.reading_list_id, PendingEntry.position, PendingEntry.id),
        "reading_list_ratings": select(
            stars.reading_list_id,
            public_name,
            stars.rating,
            stars.created_on,
            stars.modified,
        )
        .join(ReadingList, ReadingList.id == stars.reading_list_id)
        .where(stars.user_id == user_id)
        .order_by(stars.id),
        "reading_list_likes": select(ReadingListLike.reading_list_id, public_name, ReadingListLike.created_on)
        .join(ReadingList, ReadingList.id == ReadingListLike.reading_list_id)
        .where(ReadingListLike.user_id == user_id)
        .order_by(ReadingListLike.id),
        "import_mappings": select(ImportMapping.mapping, ImportMapping.modified)
        .where(ImportMapping.user_id == user_id)
        .order_by(ImportMapping.digest),
        "feed_addresses": select(FeedAddress.name, FeedAddress.created_on, FeedAddress.last_used)
        .where(FeedAddress.user_id == user_id)
        .order_by(FeedAddress.id),
    }


def _public(user_id: int) -> dict[str, Select]:
    """The statements for data that the account shows, or may show, to others."""
    profile, report, reader = PublicProfile, ReviewReport, aliased(User)
    others = case((Follow.follower_id == user_id, Follow.followed_id), else_=Follow.follower_id)
    is_public = reader.is_active & reader.id.in_(select(profile.user_id).where(profile.is_public))
    shown_name = case((or_(Follow.blocked, is_public), reader.username)).label("username")
    return {
        "public_profile": select(*_columns_except(profile.__table__, "user_id")).where(
            profile.user_id == user_id
        ),
        "favourites": select(Favourite.place, Favourite.issue_id, Favourite.series_id)
        .where(Favourite.user_id == user_id)
        .order_by(Favourite.place, Favourite.id),
        "reviews": _with_issue(*_columns_except(Review.__table__, "user_id", "issue_id"), of=Review)
        .where(Review.user_id == user_id)
        .order_by(Review.id),
        "review_reports": select(report.review_id, report.reason, report.created_on)
        .where(report.user_id == user_id)
        .order_by(report.id),
        # Accounts that this one follows, named while their profile is public, or has blocked. Its followers
        # are not included: that is their data.
        "follows": select(shown_name, Follow.created_on, Follow.blocked)
        .join(reader, reader.id == others)
        .where(
            or_(
                (Follow.follower_id == user_id) & not_(Follow.blocked),
                (Follow.followed_id == user_id) & Follow.blocked,
            )
        )
        .order_by(Follow.id),
    }


def account_data(session: Session, user_id: int) -> dict[str, list[dict]]:
    """The rows of each table; `account` has exactly one."""
    return {
        name: [dict(row) for row in session.execute(rows).mappings()]
        for name, rows in _tables(user_id).items()
    }


def account_data_json(session: Session, user_id: int) -> bytes:
    """All data of an account as one JSON object."""
    return orjson.dumps(
        account_data(session, user_id), default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z
    )


def account_data_csv(session: Session, user_id: int) -> bytes:
    """All data of an account as a ZIP archive of one CSV file per table, with a header line."""
    tables = {}
    for name, rows in _tables(user_id).items():
        result = session.execute(rows)
        tables[f"{name}.csv"] = csv_text(result.keys(), ([_cell(value) for value in row] for row in result))
    return archive(tables)


def _cell(value) -> str:
    """A value as a cell that no spreadsheet evaluates as a formula."""
    if value is None:
        return ""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    if isinstance(value, dict | list):
        return orjson.dumps(value).decode()
    return str(value)
