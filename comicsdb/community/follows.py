"""Following readers: only those with a public profile, and only what it shows."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import Date, Row, cast, delete, func, select, update
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError
from comicsdb.community import reviews
from comicsdb.community.profiles import is_public
from comicsdb.i18n import _, ngettext
from comicsdb.models import Follow, PublicProfile, ReadDate, Review, User

FOLLOWED_MAX = 500
FEED_SPAN = timedelta(days=30)  # what a feed goes back to
ENTRIES_MAX = 60
ISSUES_SHOWN = 8  # of those read on one day


def follow(session: Session, follower_id: int, reader: User) -> None:
    """Follow a reader, whose profile is public; raises InvalidError where that is not wanted or too much."""
    known = select(Follow.blocked).where(Follow.follower_id == follower_id, Follow.followed_id == reader.id)
    if session.scalar(known):
        raise InvalidError({"__all__": [_("You cannot follow this reader.")]})
    number = select(func.count()).where(Follow.follower_id == follower_id, ~Follow.blocked)
    if session.scalar(number) >= FOLLOWED_MAX:
        text = ngettext(
            "You can follow at most ${n} reader.", "You can follow at most ${n} readers.", FOLLOWED_MAX
        )
        raise InvalidError({"__all__": [text]})
    made = insert(Follow).values(follower_id=follower_id, followed_id=reader.id)
    session.execute(made.on_conflict_do_nothing())


def unfollow(session: Session, follower_id: int, followed_id: int) -> None:
    """Follow an account no more; whom it has blocked stays so."""
    session.execute(
        delete(Follow).where(
            Follow.follower_id == follower_id, Follow.followed_id == followed_id, ~Follow.blocked
        )
    )


def block(session: Session, user_id: int, follower_id: int) -> None:
    """Let a follower of an account follow it no more, nor again; anybody else is ignored."""
    session.execute(
        update(Follow)
        .where(Follow.followed_id == user_id, Follow.follower_id == follower_id)
        .values(blocked=True)
    )


def unblock(session: Session, user_id: int, follower_id: int) -> None:
    """Let somebody follow an account again if they wish."""
    session.execute(
        delete(Follow).where(Follow.followed_id == user_id, Follow.follower_id == follower_id, Follow.blocked)
    )


def follows(session: Session, follower_id: int, followed_id: int) -> bool:
    """Whether an account follows another one."""
    known = select(Follow.id).where(
        Follow.follower_id == follower_id, Follow.followed_id == followed_id, ~Follow.blocked
    )
    return session.scalar(known) is not None


def followed(session: Session, user_id: int) -> list[User]:
    """The readers that an account follows, whose profiles are public still, by name."""
    rows = select(User).join(Follow, Follow.followed_id == User.id)
    rows = rows.where(Follow.follower_id == user_id, ~Follow.blocked, is_public(User))
    return session.scalars(rows.order_by(func.lower(User.username))).all()


def followers(session: Session, user_id: int) -> list[Row[tuple[User, bool]]]:
    """The readers that follow an account, and those it has blocked, by name."""
    rows = select(User, Follow.blocked).join(Follow, Follow.follower_id == User.id)
    rows = rows.where(Follow.followed_id == user_id, User.is_active)
    return session.execute(rows.order_by(Follow.blocked, func.lower(User.username))).all()


@dataclass(frozen=True)
class Entry:
    """What a followed reader did: a review, or what they read on a day, some of `number` issues."""

    at: datetime
    user: User
    review: Row | None = None
    day: date | None = None
    issue_ids: list[int] = field(default_factory=list)
    number: int = 0


def feed(session: Session, user_id: int, zone: ZoneInfo) -> list[Entry]:
    """What the followed readers show of the last weeks, the latest first: reviews, and their diaries."""
    users = {each.id: each for each in followed(session, user_id)}
    if not users:
        return []
    now = clock.now()
    written = reviews.select_visible().where(Review.user_id.in_(users), Review.created_on > now - FEED_SPAN)
    written = written.add_columns(Review.issue_id).order_by(*reviews.ORDER).limit(ENTRIES_MAX)
    found = [
        Entry(row.created_on, users[row.user_id], review=row, issue_ids=[row.issue_id])
        for row in session.execute(written)
    ]
    diaries = select(PublicProfile.user_id).where(PublicProfile.user_id.in_(users), PublicProfile.shows_diary)
    day = cast(func.timezone(zone.key, ReadDate.read_on), Date).label("day")
    latest = func.max(ReadDate.read_on).label("at")
    ids = func.array_agg(aggregate_order_by(ReadDate.issue_id, ReadDate.read_on.desc(), ReadDate.id))
    read = (
        select(ReadDate.user_id, day, latest, ids.label("ids"))
        .where(ReadDate.user_id.in_(diaries), ReadDate.read_on > now - FEED_SPAN, ReadDate.read_on <= now)
        .group_by(ReadDate.user_id, day)
        .order_by(latest.desc())
        .limit(ENTRIES_MAX)
    )
    for row in session.execute(read):
        issues = list(dict.fromkeys(row.ids))
        found.append(
            Entry(
                row.at, users[row.user_id], day=row.day, issue_ids=issues[:ISSUES_SHOWN], number=len(issues)
            )
        )
    return sorted(found, key=lambda each: each.at, reverse=True)[:ENTRIES_MAX]
