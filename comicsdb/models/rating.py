"""Stars that readers give to issues and to reading lists."""

from datetime import datetime

from sqlalchemy import Boolean, Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, parent, stamp, within
from comicsdb.models.choices import STARS


class Stars:
    """1 to 5 stars of one account for something that the table names."""

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent("user_account.id", index=False)
    rating: Mapped[int] = mapped_column(SmallInteger)
    created_on: Mapped[datetime] = stamp()
    modified: Mapped[datetime] = stamp()


def stars_args(table: str, rated: str):
    """Each account once for each thing, found from both sides."""
    return (
        UniqueConstraint(rated, "user_id", name=f"uq_{table}_{rated}_user_id"),
        Index(f"ix_{table}_user_id", "user_id", rated),
        within("rating", *STARS),
    )


class IssueRating(Stars, Base):
    """The stars of one account for one issue.

    Those given before the issue was out are not `counted` in the figures of issue and series until it is.
    """

    __tablename__ = "issue_rating"
    __table_args__ = (
        *stars_args("issue_rating", "issue_id"),
        Index("ix_issue_rating_not_counted", "issue_id", postgresql_where=text("NOT counted")),
    )

    issue_id: Mapped[int] = parent("issue.id", index=False)
    counted: Mapped[bool] = mapped_column(Boolean, server_default="true", default=True)


class ReadingListRating(Stars, Base):
    """The stars of one account for one reading list."""

    __tablename__ = "reading_list_rating"
    __table_args__ = stars_args("reading_list_rating", "reading_list_id")

    reading_list_id: Mapped[int] = parent("reading_list.id", index=False)
