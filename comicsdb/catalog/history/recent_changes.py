"""Recent changes of the whole catalogue: the change log, newest first, a page at a time.

Pages are found by the numbers of their lines, never by counting: each costs the same in a log of any length.
Within the log the order of numbers is that of time, as its lines are written one writer at a time.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from comicsdb.catalog.references import Reference, References
from comicsdb.models import Change, User

PER_PAGE = 25


@dataclass(frozen=True)
class Wanted:
    """Which lines are asked for: by acting account, kind, action, and from `since` until before `until`."""

    user_id: int | None = None
    kind: str | None = None
    action: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class Line:
    """A line of the log, who did it (None for commands and accounts that are gone), and the object's name."""

    change: Change
    user: User | None
    reference: Reference


@dataclass(frozen=True)
class Page:
    """Some lines, newest first. `newer` and `older` are the numbers to go on from, None at the ends."""

    lines: list[Line]
    newer: int | None
    older: int | None


def page(session: Session, wanted: Wanted, *, before: int | None = None, after: int | None = None) -> Page:
    """The newest lines, those next below the number `before`, or those next above `after`."""
    statement = _filtered(wanted)
    if after is not None:
        found = statement.where(Change.seq > after).order_by(Change.seq)
    else:
        found = statement.order_by(Change.seq.desc())
        if before is not None:
            found = found.where(Change.seq < before)
    rows = session.execute(found.limit(PER_PAGE + 1)).all()
    more, rows = len(rows) > PER_PAGE, rows[:PER_PAGE]
    if after is not None:
        rows.reverse()
    newer_there, older_there = (more, True) if after is not None else (before is not None, more)
    return Page(
        _named(session, rows),
        rows[0].Change.seq if rows and newer_there else None,
        rows[-1].Change.seq if rows and older_there else None,
    )


def _filtered(wanted: Wanted) -> Select:
    conditions = []
    if wanted.user_id is not None:
        conditions.append(Change.user_id == wanted.user_id)
    if wanted.kind is not None:
        conditions.append(Change.kind == wanted.kind)
    if wanted.action is not None:
        conditions.append(Change.action == wanted.action)
    # Days become numbers first: then they are two ends in the order of the log, like `before` and `after`.
    if wanted.since is not None:
        first = select(Change.seq).where(Change.at >= wanted.since).order_by(Change.at, Change.seq)
        conditions.append(Change.seq >= first.limit(1).scalar_subquery())
    if wanted.until is not None:
        last = select(Change.seq).where(Change.at < wanted.until)
        last = last.order_by(Change.at.desc(), Change.seq.desc())
        conditions.append(Change.seq <= last.limit(1).scalar_subquery())
    return select(Change, User).outerjoin(User, User.id == Change.user_id).where(*conditions)


def _named(session: Session, rows) -> list[Line]:
    wanted: dict[str, set[int]] = {}
    for row in rows:
        wanted.setdefault(row.Change.kind, set()).add(row.Change.object_id)
    names = References(session, wanted)
    return [Line(row.Change, row.User, names.to(row.Change.kind, row.Change.object_id)) for row in rows]


def account_named(session: Session, username: str) -> int | None:
    """The number of the account with a user name, whatever its case; None without one."""
    return session.scalar(select(User.id).where(func.lower(User.username) == username.lower()))
