"""Public profiles, favourites, reviews and follows: what readers may show to others."""

from datetime import datetime

from sqlalchemy import Boolean, CheckConstraint, ForeignKey, Index, SmallInteger, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from comicsdb.models.base import CASCADE, Base, blank_text, parent_key, stamp
from comicsdb.models.issue import Issue
from comicsdb.models.series import Series
from comicsdb.models.user import User

HIDDEN_REASON_MAX = 255  # characters
REPORT_REASON_MAX = 500


def _part() -> Mapped[bool]:
    return mapped_column(Boolean, server_default="false", default=False)


class PublicProfile(Base):
    """The parts of a profile that an account shows to everybody: none without a row or `is_public`."""

    __tablename__ = "public_profile"

    user_id: Mapped[int] = mapped_column(
        ForeignKey("user_account.id", ondelete=CASCADE), primary_key=True, autoincrement=False
    )
    is_public: Mapped[bool] = _part()
    shows_shelf: Mapped[bool] = _part()
    shows_favourites: Mapped[bool] = _part()
    shows_diary: Mapped[bool] = _part()
    shows_year: Mapped[bool] = _part()


class Favourite(Base):
    """A favourite of an account, which is an issue or a series, in the order of `place`."""

    __tablename__ = "favourite"
    __table_args__ = (
        UniqueConstraint("user_id", "issue_id", name="uq_favourite_user_id_issue_id"),
        UniqueConstraint("user_id", "series_id", name="uq_favourite_user_id_series_id"),
        CheckConstraint("num_nonnulls(issue_id, series_id) = 1", name="of_one"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    issue_id: Mapped[int | None] = parent_key("issue.id", nullable=True)
    series_id: Mapped[int | None] = parent_key("series.id", nullable=True)
    place: Mapped[int] = mapped_column(SmallInteger)

    issue: Mapped[Issue | None] = relationship(lazy="raise", viewonly=True)
    series: Mapped[Series | None] = relationship(lazy="raise", viewonly=True)


class Review(Base):
    """A review of an issue by an account, in Markdown; the account's stars are an `IssueRating`.

    `hidden` is when staff hid it, with a reason that the author can see. The text is empty if the author
    deleted it after that. `modified` is when its text last changed.
    """

    __tablename__ = "review"
    __table_args__ = (
        UniqueConstraint("issue_id", "user_id", name="uq_review_issue_id_user_id"),
        Index("ix_review_user_id_created_on", "user_id", "created_on"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    issue_id: Mapped[int] = parent_key("issue.id", index=False)
    text: Mapped[str] = blank_text()
    spoils: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    created_on: Mapped[datetime] = stamp()
    modified: Mapped[datetime] = stamp()
    hidden: Mapped[datetime | None] = stamp(default=False)
    hidden_reason: Mapped[str] = blank_text(HIDDEN_REASON_MAX)

    user: Mapped[User] = relationship(lazy="raise", viewonly=True)
    issue: Mapped[Issue] = relationship(lazy="raise", viewonly=True)


class ReviewReport(Base):
    """A reader's report of a review; `settled` is when staff decided about the review."""

    __tablename__ = "review_report"
    __table_args__ = (
        UniqueConstraint("review_id", "user_id", name="uq_review_report_review_id_user_id"),
        Index("ix_review_report_user_id_created_on", "user_id", "created_on"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    review_id: Mapped[int] = parent_key("review.id", index=False)
    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    reason: Mapped[str] = mapped_column(String(REPORT_REASON_MAX))
    created_on: Mapped[datetime] = stamp()
    settled: Mapped[datetime | None] = stamp(default=False)

    user: Mapped[User] = relationship(lazy="raise", viewonly=True)


class Follow(Base):
    """An account follows the public profile of another; with `blocked`, the latter has prevented that."""

    __tablename__ = "follow"
    __table_args__ = (
        UniqueConstraint("follower_id", "followed_id", name="uq_follow_follower_id_followed_id"),
        CheckConstraint("follower_id <> followed_id", name="another"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    follower_id: Mapped[int] = parent_key("user_account.id", index=False)
    followed_id: Mapped[int] = parent_key("user_account.id")
    blocked: Mapped[bool] = _part()
    created_on: Mapped[datetime] = stamp()
