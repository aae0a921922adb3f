"""Stars that readers give to issues and to reading lists."""

from datetime import datetime

from sqlalchemy import Index, SmallInteger, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, parent, stamp, within
from comicsdb.models.choices import STARS


class IssueRating(Base):
    """The stars, 1 to 5, of one account for one issue (model.md 5.8)."""

    __tablename__ = "issue_rating"
    __table_args__ = (
        UniqueConstraint("issue_id", "user_id", name="uq_issue_rating_issue_id_user_id"),
        Index("ix_issue_rating_user_id", "user_id", "issue_id"),
        within("rating", *STARS),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    issue_id: Mapped[int] = parent("issue.id", index=False)
    user_id: Mapped[int] = parent("user_account.id", index=False)
    rating: Mapped[int] = mapped_column(SmallInteger)
    created_on: Mapped[datetime] = stamp()
    modified: Mapped[datetime] = stamp()


class ReadingListRating(Base):
    """The stars, 1 to 5, of one account for one reading list (model.md 5.8)."""

    __tablename__ = "reading_list_rating"
    __table_args__ = (
        UniqueConstraint("reading_list_id", "user_id", name="uq_reading_list_rating_reading_list_id_user_id"),
        Index("ix_reading_list_rating_user_id", "user_id", "reading_list_id"),
        within("rating", *STARS),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    reading_list_id: Mapped[int] = parent("reading_list.id", index=False)
    user_id: Mapped[int] = parent("user_account.id", index=False)
    rating: Mapped[int] = mapped_column(SmallInteger)
    created_on: Mapped[datetime] = stamp()
    modified: Mapped[datetime] = stamp()
