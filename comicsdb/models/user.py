"""Accounts, groups, sessions and API tokens."""

from datetime import UTC, date, datetime

from sqlalchemy import Boolean, Column, Date, DateTime, ForeignKey, Index, String, Table, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column, relationship

from comicsdb.models.base import (
    CASCADE,
    Base,
    PictureMixin,
    blank_text,
    choice_check,
    metadata,
    parent_key,
    stamp,
)
from comicsdb.models.choices import SupporterTier, TokenScope

EDITOR_GROUP = "editor"
READING_LIST_EDITOR_GROUP = "reading list editor"

user_group_member = Table(
    "user_group_member",
    metadata,
    Column("user_id", ForeignKey("user_account.id", ondelete=CASCADE), primary_key=True),
    Column("group_id", ForeignKey("user_group.id", ondelete=CASCADE), primary_key=True),
    Index("ix_user_group_member_group_id", "group_id", "user_id"),
)


class Group(Base):
    """A named group of accounts with additional rights; `may_delete` lists kinds."""

    __tablename__ = "user_group"
    __table_args__ = (Index("uq_user_group_name", "name", unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(150))
    may_delete: Mapped[list[str]] = mapped_column(ARRAY(String(40)), server_default="{}", default=list)


class User(PictureMixin, Base):
    """An account; number 1 is the system account, which always exists."""

    __tablename__ = "user_account"
    __table_args__ = (
        Index("uq_user_account_username", text("lower(username)"), unique=True),
        Index("uq_user_account_email", text("lower(email)"), unique=True),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    username: Mapped[str] = mapped_column(String(150))
    email: Mapped[str] = mapped_column(String(254))
    password: Mapped[str] = blank_text(128)
    first_name: Mapped[str] = blank_text(150)
    last_name: Mapped[str] = blank_text(150)
    is_active: Mapped[bool] = mapped_column(Boolean, server_default="true", default=True)
    is_staff: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    is_superuser: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    # Whether log-in requires a second step; maintained by `accounts.second_factor`.
    second_factor: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    email_confirmed: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    bio: Mapped[str] = blank_text()
    # Whether other members see first and last name; staff always do.
    shows_name: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    language: Mapped[str] = blank_text(10)
    timezone: Mapped[str] = blank_text(64)  # for displayed times; "" if unknown
    supporter_until: Mapped[datetime | None] = stamp(default=False)
    supporter_tier: Mapped[str] = blank_text(20)
    date_joined: Mapped[datetime] = stamp()
    last_login: Mapped[datetime | None] = stamp(default=False)
    basic_used: Mapped[date | None] = mapped_column(Date)  # the last day on which it used HTTP Basic
    basic_address: Mapped[str] = blank_text(45)  # the IP address of its first use on that day
    basic_reminded: Mapped[datetime | None] = stamp(default=False)

    groups: Mapped[list[Group]] = relationship(secondary=user_group_member, lazy="raise", order_by=Group.name)

    @property
    def effective_tier(self) -> SupporterTier | None:
        """Return the tier that counts now; see `tier_now`."""
        return tier_now(is_superuser=self.is_superuser, until=self.supporter_until, tier=self.supporter_tier)


def tier_now(*, is_superuser: bool, until: datetime | None, tier: str) -> SupporterTier | None:
    """Return the effective tier: superusers have the highest, supporters without a known tier the lowest."""
    if is_superuser:
        return SupporterTier.MEGA_SPONSOR
    if until is None or until <= datetime.now(UTC):
        return None
    try:
        return SupporterTier(tier)
    except ValueError:
        return SupporterTier.FRIEND


class LoginSession(Base):
    """A browser session; the cookie has the identifier, the row only its digest."""

    __tablename__ = "login_session"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int] = parent_key("user_account.id")
    begun: Mapped[datetime] = stamp()
    seen: Mapped[datetime] = stamp()
    confirmed: Mapped[datetime | None] = stamp(default=False)  # when its owner last confirmed their identity
    expires: Mapped[datetime] = mapped_column(DateTime(timezone=True), index=True)
    address: Mapped[str] = blank_text(45)
    browser: Mapped[str] = blank_text(255)

    user: Mapped[User] = relationship(lazy="raise", viewonly=True)


class ApiToken(Base):
    """An API token; only the SHA-256 digest of its text is stored."""

    __tablename__ = "api_token"
    __table_args__ = (choice_check("scope", TokenScope),)

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    token_key: Mapped[str] = mapped_column(String(25))
    user_id: Mapped[int] = parent_key("user_account.id")
    name: Mapped[str] = blank_text(64)
    scope: Mapped[str] = mapped_column(
        String(10), server_default=TokenScope.EDIT.value, default=TokenScope.EDIT.value
    )
    created: Mapped[datetime] = stamp()
    expiry: Mapped[datetime | None] = stamp(default=False)
    # Updated at most once an hour (`comicsdb.ratelimit.counters`).
    last_used: Mapped[datetime | None] = stamp(default=False)
    last_address: Mapped[str] = blank_text(45)
    # The key of the form that created it, so that sending the form again creates no second token.
    form_key: Mapped[str | None] = mapped_column(String(64), unique=True)

    user: Mapped[User] = relationship(lazy="raise", viewonly=True)
