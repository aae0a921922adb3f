"""Following readers, which shows only what their public profiles show."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import Row, delete, func, select, update
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError
from comicsdb.community import reviews
from comicsdb.community.profiles import is_public
from comicsdb.i18n import _, ngettext
from comicsdb.library.collection.figures import read_day
from comicsdb.models import Follow, PublicProfile, ReadDate, Review, User

FOLLOWED_MAX = 500
FEED_SPAN = timedelta(days=30)  # how far back a feed goes
ENTRIES_MAX = 60
ISSUES_SHOWN = 8  # maximum number of issues shown of those read on one day


def _pair(follower_id: int, followed_id: int) -> tuple:
    """The conditions of the row of two accounts, if there is one."""
    return Follow.follower_id == follower_id, Follow.followed_id == followed_id


def follow(session: Session, follower_id: int, reader: User) -> None:
    """Follow a reader with a public profile; raises InvalidError if blocked by them or at the limit."""
    if session.scalar(select(Follow.blocked).where(*_pair(follower_id, reader.id))):
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
    """Stop following an account; a block by that account remains."""
    session.execute(delete(Follow).where(*_pair(follower_id, followed_id), ~Follow.blocked))


def block(session: Session, user_id: int, follower_id: int) -> None:
    """Block a follower of an account, who no longer follows it and cannot follow it again; ignores others."""
    session.execute(update(Follow).where(*_pair(follower_id, user_id)).values(blocked=True))


def unblock(session: Session, user_id: int, follower_id: int) -> None:
    """Allow a blocked reader to follow an account again."""
    session.execute(delete(Follow).where(*_pair(follower_id, user_id), Follow.blocked))


def follows(session: Session, follower_id: int, followed_id: int) -> bool:
    """Whether an account follows another one."""
    known = select(Follow.id).where(*_pair(follower_id, followed_id), ~Follow.blocked)
    return session.scalar(known) is not None


def followed(session: Session, user_id: int) -> list[User]:
    """The followed readers whose profiles are still public, by name."""
    rows = select(User).join(Follow, Follow.followed_id == User.id)
    rows = rows.where(Follow.follower_id == user_id, ~Follow.blocked, is_public(User))
    return session.scalars(rows.order_by(func.lower(User.username))).all()


def followers(session: Session, user_id: int) -> list[Row[tuple[User, bool]]]:
    """The readers who follow an account and, after them, those it has blocked, each by name."""
    rows = select(User, Follow.blocked).join(Follow, Follow.follower_id == User.id)
    rows = rows.where(Follow.followed_id == user_id, User.is_active)
    return session.execute(rows.order_by(Follow.blocked, func.lower(User.username))).all()


@dataclass(frozen=True)
class Entry:
    """An action of a followed reader: a review, or reading `number` issues on a day, some of them listed."""

    at: datetime
    user: User
    review: Row | None = None
    day: date | None = None
    issue_ids: list[int] = field(default_factory=list)
    number: int = 0


def feed(session: Session, user_id: int, zone: ZoneInfo) -> list[Entry]:
    """Recent reviews and diary entries of followed readers, the latest first."""
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
    day = read_day(zone).label("day")
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
