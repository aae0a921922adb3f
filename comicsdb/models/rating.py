"""Ratings of issues and reading lists."""

from datetime import datetime

from sqlalchemy import Boolean, Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, parent_key, range_check, stamp
from comicsdb.models.choices import STARS


class StarRatingMixin:
    """A rating by one account, 1 to 5 stars."""

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    rating: Mapped[int] = mapped_column(SmallInteger)
    created_on: Mapped[datetime] = stamp()
    modified: Mapped[datetime] = stamp()


def star_rating_args(table: str, rated: str):
    """Return the constraint of one rating per account and target, and an index for the target."""
    return (
        UniqueConstraint(rated, "user_id", name=f"uq_{table}_{rated}_user_id"),
        Index(f"ix_{table}_user_id", "user_id", rated),
        range_check("rating", *STARS),
    )


class IssueRating(StarRatingMixin, Base):
    """The rating of an issue by one account.

    A rating given before the issue was published is not `counted` in the figures of issue and series until
    then.
    """

    __tablename__ = "issue_rating"
    __table_args__ = (
        *star_rating_args("issue_rating", "issue_id"),
        Index("ix_issue_rating_not_counted", "issue_id", postgresql_where=text("NOT counted")),
    )

    issue_id: Mapped[int] = parent_key("issue.id", index=False)
    counted: Mapped[bool] = mapped_column(Boolean, server_default="true", default=True)


class ReadingListRating(StarRatingMixin, Base):
    """The rating of a reading list by one account."""

    __tablename__ = "reading_list_rating"
    __table_args__ = star_rating_args("reading_list_rating", "reading_list_id")

    reading_list_id: Mapped[int] = parent_key("reading_list.id", index=False)
