"""Public profiles: what accounts show to everybody if they choose to. Nothing is public by default."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Date, Select, cast, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.accounts.rules import normal_name
from comicsdb.catalog.errors import InvalidError, NotFoundError
from comicsdb.i18n import ngettext
from comicsdb.library.collection.figures import read_day
from comicsdb.library.locks import lock_issue, lock_series
from comicsdb.models import Favourite, PublicProfile, ReadDate, User

SHELF, FAVOURITES, DIARY, YEAR = PARTS = ("shelf", "favourites", "diary", "year")
FAVOURITES_MAX = 4
KIND = "user"


@dataclass(frozen=True)
class ProfileView:
    """An account with the visible parts of its profile; the owner sees all parts, public or not."""

    user: User
    is_public: bool
    parts: frozenset[str]  # parts that are public if the profile is
    is_owner: bool

    def is_open(self, part: str) -> bool:
        """Whether everybody can see a part."""
        return self.is_public and part in self.parts

    def shows(self, part: str) -> bool:
        """Whether the viewer can see a part."""
        return self.is_owner or self.is_open(part)


def is_public(user=User) -> ColumnElement[bool]:
    """The condition that an account has a public profile: it is active, and chose to show the profile."""
    return user.is_active & user.id.in_(select(PublicProfile.user_id).where(PublicProfile.is_public))


def find(session: Session, username: str, viewer_id: int | None) -> ProfileView:
    """The profile of a reader, as seen by everybody or by its owner.

    Raises the same NotFoundError for a profile that is not public as for an account that does not exist.
    """
    rows = (
        select(User, PublicProfile)
        .outerjoin(PublicProfile, PublicProfile.user_id == User.id)
        .where(
            func.lower(User.username) == func.lower(normal_name(username)),
            User.is_active,
            or_(PublicProfile.is_public, User.id == viewer_id),
        )
    )
    row = session.execute(rows).one_or_none() if "\0" not in username else None
    if row is None:
        raise NotFoundError(KIND, username)
    return _view(row.User, row.PublicProfile, is_owner=row.User.id == viewer_id)


def find_own(session: Session, user_id: int) -> ProfileView:
    """The profile of an account, as seen by its owner."""
    return _view(session.get_one(User, user_id), session.get(PublicProfile, user_id), is_owner=True)


def _view(user: User, profile: PublicProfile | None, *, is_owner: bool) -> ProfileView:
    parts = () if profile is None else (part for part in PARTS if getattr(profile, f"shows_{part}"))
    return ProfileView(user, profile is not None and profile.is_public, frozenset(parts), is_owner)


def save_settings(session: Session, user_id: int, *, public: bool, parts: Collection[str]) -> None:
    """Set whether an account's profile is public, and which parts it then shows."""
    values = {"is_public": public} | {f"shows_{part}": part in parts for part in PARTS}
    saved = insert(PublicProfile).values(user_id=user_id, **values)
    session.execute(saved.on_conflict_do_update(index_elements=[PublicProfile.user_id], set_=values))
    session.expire_all()


# Favourites.


def favourites(session: Session, user_id: int) -> list[Favourite]:
    """The favourites of an account, in the order that it chose."""
    rows = select(Favourite).where(Favourite.user_id == user_id).order_by(Favourite.place, Favourite.id)
    return session.scalars(rows.execution_options(populate_existing=True)).all()


def add_favourite(session: Session, user_id: int, kind: str, object_id: int) -> None:
    """Add an issue or a series to the favourites of an account, unless it is one already.

    Raises NotFoundError if it does not exist, and InvalidError if the account has the maximum of favourites.
    """
    lock_user(session, user_id)
    exists = {"issue": lock_issue, "series": lock_series}[kind](session, object_id)
    if not exists:
        raise NotFoundError(kind, object_id)
    found = favourites(session, user_id)
    if any(getattr(each, f"{kind}_id") == object_id for each in found):
        return
    if len(found) >= FAVOURITES_MAX:
        text = ngettext("Choose at most ${n} favourite.", "Choose at most ${n} favourites.", FAVOURITES_MAX)
        raise InvalidError({"__all__": [text]})
    place = max((each.place for each in found), default=0) + 1
    session.add(Favourite(user_id=user_id, place=place, **{f"{kind}_id": object_id}))
    session.flush()


def remove_favourite(session: Session, user_id: int, favourite_id: int) -> None:
    """Remove one of an account's favourites; does nothing if it was removed already."""
    session.execute(delete(Favourite).where(Favourite.user_id == user_id, Favourite.id == favourite_id))


def move_favourite_up(session: Session, user_id: int, favourite_id: int) -> None:
    """Move one of an account's favourites up by one place."""
    lock_user(session, user_id)
    found = favourites(session, user_id)
    index = next((place for place, each in enumerate(found) if each.id == favourite_id), 0)
    if index:
        found[index - 1 : index + 1] = found[index], found[index - 1]
    for place, each in enumerate(found, start=1):
        each.place = place
    session.flush()


def lock_user(session: Session, user_id: int) -> None:
    """Serialise requests of one account, so that its limits are exact."""
    session.execute(select(User.id).where(User.id == user_id).with_for_update(key_share=True))


# The diary.


@dataclass(frozen=True)
class Month:
    """A month of a reading diary, by its first day, with the number of issues read."""

    first: date
    number: int


@dataclass(frozen=True)
class Entry:
    """An issue that was read on a day."""

    day: date
    issue_id: int


def months(session: Session, user_id: int, zone: ZoneInfo) -> list[Month]:
    """The months of a reading diary, latest first; reads without a date are in none."""
    month = cast(func.date_trunc("month", func.timezone(zone.key, ReadDate.read_on)), Date)
    rows = (
        select(month, func.count(ReadDate.issue_id.distinct()))
        .where(ReadDate.user_id == user_id, ReadDate.read_on.is_not(None))
        .group_by(month)
        .order_by(month.desc())
    )
    return [Month(*row) for row in session.execute(rows)]


def _reads(user_id: int, zone: ZoneInfo, span: tuple[date, date] | None) -> Select:
    """Distinct pairs of day and issue that was read on it."""
    day = read_day(zone).label("day")
    rows = select(day, ReadDate.issue_id).where(ReadDate.user_id == user_id, ReadDate.read_on.is_not(None))
    if span is not None:
        first, last = (datetime.combine(each, time(), zone) for each in span)
        rows = rows.where(ReadDate.read_on >= first, ReadDate.read_on < last)
    return rows.group_by(day, ReadDate.issue_id)


def entry_count(session: Session, user_id: int, zone: ZoneInfo, span: tuple[date, date]) -> int:
    """The number of diary entries within a span, whose last day is excluded."""
    return session.scalar(select(func.count()).select_from(_reads(user_id, zone, span).subquery()))


def entries(
    session: Session,
    user_id: int,
    zone: ZoneInfo,
    *,
    limit: int,
    offset: int = 0,
    span: tuple[date, date] | None = None,
) -> list[Entry]:
    """The entries of a reading diary, latest first: all, or those within a span as for `entry_count`."""
    rows = _reads(user_id, zone, span)
    day, issue_id = rows.selected_columns
    rows = rows.order_by(day.desc(), func.max(ReadDate.read_on).desc(), issue_id)
    return [Entry(*row) for row in session.execute(rows.limit(limit).offset(offset))]
