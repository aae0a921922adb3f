"""Recent changes of the whole catalog: pages of the change log, newest first.

Pages are found by sequence numbers, not by offsets, so their cost does not depend on the length of the log.
Sequence numbers are in chronological order, as only one writer at a time adds lines.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from comicsdb.catalog.references import Reference, References
from comicsdb.models import Change, User

PER_PAGE = 25


@dataclass(frozen=True)
class ChangeFilter:
    """A filter of log lines: by account, kind and action, and from `since` until before `until`."""

    user_id: int | None = None
    kind: str | None = None
    action: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class ChangeLine:
    """A log line, its user (None for commands and deleted accounts), and a reference to the object."""

    change: Change
    user: User | None
    reference: Reference


@dataclass(frozen=True)
class ChangePage:
    """A page of log lines, newest first; `newer` and `older` are `after` and `before` of the next ones."""

    lines: list[ChangeLine]
    newer: int | None
    older: int | None


def get_page(
    session: Session, wanted: ChangeFilter, *, before: int | None = None, after: int | None = None
) -> ChangePage:
    """The newest lines, the lines just before number `before`, or those just after number `after`."""
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
    return ChangePage(
        _with_references(session, rows),
        rows[0].Change.seq if rows and newer_there else None,
        rows[-1].Change.seq if rows and older_there else None,
    )


def _filtered(wanted: ChangeFilter) -> Select:
    equal = ((Change.user_id, wanted.user_id), (Change.kind, wanted.kind), (Change.action, wanted.action))
    conditions = [column == value for column, value in equal if value is not None]
    # Days are converted to sequence numbers first, which bound the search like `before` and `after`.
    if wanted.since is not None:
        first = select(Change.seq).where(Change.at >= wanted.since).order_by(Change.at, Change.seq)
        conditions.append(Change.seq >= first.limit(1).scalar_subquery())
    if wanted.until is not None:
        last = select(Change.seq).where(Change.at < wanted.until)
        last = last.order_by(Change.at.desc(), Change.seq.desc())
        conditions.append(Change.seq <= last.limit(1).scalar_subquery())
    return select(Change, User).outerjoin(User, User.id == Change.user_id).where(*conditions)


def _with_references(session: Session, rows) -> list[ChangeLine]:
    wanted: dict[str, set[int]] = {}
    for row in rows:
        wanted.setdefault(row.Change.kind, set()).add(row.Change.object_id)
    names = References(session, wanted)
    return [ChangeLine(row.Change, row.User, names.to(row.Change.kind, row.Change.object_id)) for row in rows]


def find_account_id(session: Session, username: str) -> int | None:
    """The id of the account with a user name, case-insensitive, or None."""
    return session.scalar(select(User.id).where(func.lower(User.username) == username.lower()))
