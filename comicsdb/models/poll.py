"""Polls: questions to members, their choices, and votes."""

from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from comicsdb.models.base import CASCADE, Base, blank_text, parent_key, stamp, translations


class Poll(Base):
    """A question that is open from one time to another, inclusive."""

    __tablename__ = "poll"
    __table_args__ = (
        Index("ix_poll_start_date", "start_date", "id"),
        CheckConstraint("end_date > start_date", name="period"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(255))
    titles: Mapped[dict[str, str]] = translations()
    description: Mapped[str] = blank_text()
    descriptions: Mapped[dict[str, str]] = translations()
    created_by_id: Mapped[int | None] = parent_key("user_account.id", ondelete="SET NULL", nullable=True)
    start_date: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    end_date: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    created_on: Mapped[datetime] = stamp()
    modified: Mapped[datetime] = stamp()

    choices: Mapped[list["PollChoice"]] = relationship(
        order_by="PollChoice.order, PollChoice.id", lazy="raise", viewonly=True
    )


class PollChoice(Base):
    """A possible answer to a poll."""

    __tablename__ = "poll_choice"
    __table_args__ = (
        UniqueConstraint("poll_id", "id", name="uq_poll_choice_poll_id_id"),
        CheckConstraint('"order" >= 0', name="order_range"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    poll_id: Mapped[int] = parent_key("poll.id", index=False)
    text: Mapped[str] = mapped_column(String(255))
    texts: Mapped[dict[str, str]] = translations()
    order: Mapped[int] = mapped_column(Integer, server_default="0", default=0)


class PollVote(Base):
    """The vote of an account; the choice always belongs to the same poll."""

    __tablename__ = "poll_vote"
    __table_args__ = (
        UniqueConstraint("poll_id", "user_id", name="uq_poll_vote_poll_id_user_id"),
        ForeignKeyConstraint(
            ["poll_id", "choice_id"], ["poll_choice.poll_id", "poll_choice.id"], ondelete=CASCADE
        ),
        Index("ix_poll_vote_poll_id_choice_id", "poll_id", "choice_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    poll_id: Mapped[int] = parent_key("poll.id", index=False)
    choice_id: Mapped[int] = mapped_column(Integer)
    user_id: Mapped[int] = parent_key("user_account.id")
    voted_on: Mapped[datetime] = stamp()
