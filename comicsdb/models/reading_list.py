"""Reading lists: issues in a recommended reading order."""

from datetime import date, datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Date,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from comicsdb.models.base import (
    Base,
    Entity,
    PictureMixin,
    RatingsMixin,
    blank_text,
    choice_check,
    entity_args,
    key_index,
    parent_key,
    precision,
    range_check,
    stamp,
)
from comicsdb.models.choices import YEARS, ItemType, ListSource, ListType, Precision
from comicsdb.models.issue import Issue
from comicsdb.models.user import User


def _other_list() -> Mapped[int | None]:
    return mapped_column(ForeignKey("reading_list.id", ondelete="SET NULL"), index=True)


class ReadingList(RatingsMixin, PictureMixin, Entity):
    """A reading list of an account, public unless `is_private`.

    Triggers update its stamps when its items or neighbours change, also when an issue or list is deleted.
    `library.reading_lists` decides who may see it. `forked_from_id` is the list that it was copied from, as
    long as that exists. `file_source` and `start_year` are what the file says from which it was imported.
    """

    __tablename__ = "reading_list"
    __table_args__ = entity_args(
        "reading_list",
        key_index("reading_list", "folded"),
        UniqueConstraint(
            "user_id",
            "name",
            "attribution_source",
            name="uq_reading_list_user_id_name_attribution_source",
        ),
        choice_check("list_type", ListType),
        choice_check("attribution_source", ("", *ListSource)),
        range_check("start_year", *YEARS),
        CheckConstraint("previous_id <> id", name="previous_not_itself"),
        CheckConstraint("next_id <> id", name="next_not_itself"),
        CheckConstraint("previous_id <> next_id", name="two_neighbours"),
        Index("ix_reading_list_likes", text("like_count DESC"), "folded", "id"),
    )

    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    desc: Mapped[str] = blank_text()
    is_private: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    list_type: Mapped[str] = mapped_column(
        String(10), server_default=ListType.EVENT, default=ListType.EVENT.value
    )
    attribution_source: Mapped[str] = blank_text(10)
    attribution_url: Mapped[str] = blank_text(200)
    file_source: Mapped[str] = blank_text(255)
    start_year: Mapped[int | None] = mapped_column(SmallInteger)
    previous_id: Mapped[int | None] = _other_list()
    next_id: Mapped[int | None] = _other_list()
    forked_from_id: Mapped[int | None] = _other_list()
    like_count: Mapped[int] = mapped_column(Integer, server_default="0", default=0)  # a trigger counts

    user: Mapped[User] = relationship(lazy="raise", viewonly=True)
    previous: Mapped["ReadingList | None"] = relationship(
        lazy="raise", viewonly=True, foreign_keys="ReadingList.previous_id", remote_side="ReadingList.id"
    )
    next: Mapped["ReadingList | None"] = relationship(
        lazy="raise", viewonly=True, foreign_keys="ReadingList.next_id", remote_side="ReadingList.id"
    )


class ReadingListItem(Base):
    """An issue in a reading list; positions are 1 to n without gaps.

    A trigger closes the gaps left by deletions. The unique constraint on positions is deferrable, so it is
    checked at the end of a statement, and one statement can move many items.
    """

    __tablename__ = "reading_list_item"
    __table_args__ = (
        UniqueConstraint("reading_list_id", "issue_id", name="uq_reading_list_item_reading_list_id_issue_id"),
        UniqueConstraint(
            "reading_list_id",
            "order",
            name="uq_reading_list_item_reading_list_id_order",
            deferrable=True,
            initially="IMMEDIATE",
        ),
        Index("ix_reading_list_item_issue_id", "issue_id"),
        CheckConstraint('"order" >= 1', name="order_from_one"),
        choice_check("issue_type", ("", *ItemType)),
    )

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    reading_list_id: Mapped[int] = parent_key("reading_list.id", index=False)
    issue_id: Mapped[int] = parent_key("issue.id", index=False)
    order: Mapped[int] = mapped_column(Integer)
    issue_type: Mapped[str] = blank_text(10)
    added_on: Mapped[datetime] = stamp()

    issue: Mapped[Issue] = relationship(lazy="raise", viewonly=True)


class PendingEntry(Base):
    """An entry of an imported list whose issue is not certainly in the catalog yet, as the file names it.

    `position` is that among the issues and pending entries of the list together. `ids` are those of other
    sources, as in "comicvine 9 metron 17". `tried_on` is when the issue was last looked for.
    """

    __tablename__ = "reading_list_pending"
    __table_args__ = (
        Index("ix_reading_list_pending_reading_list_id", "reading_list_id", "position", "id"),
        Index("ix_reading_list_pending_tried_on", text("tried_on NULLS FIRST"), "id"),
        CheckConstraint('"position" >= 1', name="position_from_one"),
        choice_check("issue_type", ("", *ItemType)),
        range_check("year_began", *YEARS),
        range_check("year", *YEARS),
        choice_check("cover_date_precision", Precision),
    )

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    reading_list_id: Mapped[int] = parent_key("reading_list.id", index=False)
    position: Mapped[int] = mapped_column(Integer)
    series: Mapped[str] = blank_text(255)
    number: Mapped[str] = blank_text(25)
    volume: Mapped[int | None] = mapped_column(Integer)
    year_began: Mapped[int | None] = mapped_column(Integer)
    year: Mapped[int | None] = mapped_column(Integer)
    cover_date: Mapped[date | None] = mapped_column(Date)
    cover_date_precision: Mapped[str] = precision()
    publisher: Mapped[str] = blank_text(255)
    upc: Mapped[str] = blank_text(20)
    ids: Mapped[str] = blank_text(1000)
    issue_type: Mapped[str] = blank_text(10)
    added_on: Mapped[datetime] = stamp()
    tried_on: Mapped[datetime | None] = stamp(default=False)


class ReadingListLike(Base):
    """A like of a reading list by another account."""

    __tablename__ = "reading_list_like"
    __table_args__ = (
        UniqueConstraint("reading_list_id", "user_id", name="uq_reading_list_like_reading_list_id_user_id"),
        Index("ix_reading_list_like_user_id", "user_id", "reading_list_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    reading_list_id: Mapped[int] = parent_key("reading_list.id", index=False)
    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    created_on: Mapped[datetime] = stamp()
