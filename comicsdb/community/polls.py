"""Polls: their states, results and votes."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Select, case, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import ForbiddenError, NotFoundError
from comicsdb.models import Poll, PollChoice, PollVote


class Status(StrEnum):
    """The state of a poll, which depends on the time."""

    ACTIVE = "active"
    UPCOMING = "upcoming"
    CLOSED = "closed"


def status_of(poll: Poll, now: datetime) -> Status:
    """The state of a poll at a time: open from its start to its end, both included."""
    if now < poll.start_date:
        return Status.UPCOMING
    return Status.ACTIVE if now <= poll.end_date else Status.CLOSED


def select_polls(now: datetime) -> tuple[Select, tuple]:
    """All polls with their numbers of votes, and the order: open, upcoming, closed, each newest first."""
    votes = select(func.count()).where(PollVote.poll_id == Poll.id).correlate(Poll).scalar_subquery()
    place = case((Poll.start_date > now, 1), (Poll.end_date >= now, 0), else_=2)
    return select(Poll, votes.label("votes")), (place, Poll.start_date.desc(), Poll.id.desc())


@dataclass(frozen=True)
class Result:
    """A choice with the number of its votes and its share in whole percent."""

    choice: PollChoice
    votes: int
    percent: int


def choices(session: Session, poll_id: int) -> list[PollChoice]:
    """The choices of a poll in order."""
    rows = select(PollChoice).where(PollChoice.poll_id == poll_id)
    return session.scalars(rows.order_by(PollChoice.order, PollChoice.id)).all()


def results(session: Session, poll_id: int) -> list[Result]:
    """The results of a poll in the order of its choices; runs one statement."""
    votes = select(func.count()).where(PollVote.poll_id == poll_id, PollVote.choice_id == PollChoice.id)
    rows = select(PollChoice, votes.correlate(PollChoice).scalar_subquery().label("votes"))
    rows = rows.where(PollChoice.poll_id == poll_id).order_by(PollChoice.order, PollChoice.id)
    found = session.execute(rows).all()
    total = sum(row.votes for row in found)
    return [Result(row.PollChoice, row.votes, percent_of(row.votes, total)) for row in found]


def chosen_by(session: Session, poll_id: int, user_id: int) -> int | None:
    """The choice that an account voted for, or None."""
    mine = select(PollVote.choice_id).where(PollVote.poll_id == poll_id, PollVote.user_id == user_id)
    return session.scalar(mine)


def vote(session: Session, poll_id: int, choice_id: int, user_id: int, now: datetime) -> None:
    """Cast the vote of an account; of concurrent votes by the same account, only one counts.

    Raises NotFoundError for an unknown poll or choice, and ForbiddenError if the poll is not open or the
    account has already voted. Voters do not wait for each other, only for staff who are changing the poll.
    Does not commit.
    """
    poll = session.scalar(select(Poll).where(Poll.id == poll_id).with_for_update(read=True))
    if poll is None:
        raise NotFoundError("poll", poll_id)
    if status_of(poll, now) is not Status.ACTIVE:
        raise ForbiddenError("The poll is not open.")
    of_poll = select(PollChoice.id).where(PollChoice.poll_id == poll_id, PollChoice.id == choice_id)
    if session.scalar(of_poll) is None:
        raise NotFoundError("poll choice", choice_id)
    cast_vote = insert(PollVote).values(poll_id=poll_id, choice_id=choice_id, user_id=user_id)
    cast_vote = cast_vote.on_conflict_do_nothing(index_elements=[PollVote.poll_id, PollVote.user_id])
    if session.scalar(cast_vote.returning(PollVote.id)) is None:
        raise ForbiddenError("The account has voted.")


def percent_of(part: int, whole: int) -> int:
    """A share in whole percent, rounded half up, but 100 only for everything and 0 only for nothing."""
    if not 0 < part < whole:
        return 100 if part > 0 else 0
    return min(99, max(1, (200 * part + whole) // (2 * whole)))
