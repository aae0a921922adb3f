"""When an account read which issues; it need not own a copy of them.

A read has a time, or none if the date is unknown. Triggers keep `is_read`, `date_read` and the stamps of the
collection's items consistent. Writers of an account's reads are serialised (`locks.lock_account`). Nothing is
committed here.
"""

from collections.abc import Iterable
from datetime import datetime

import orjson
from sqlalchemy import ARRAY, Integer, any_, cast, delete, select, text
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import NotFoundError
from comicsdb.library.locks import check_account, lock_account
from comicsdb.models import Issue, ReadDate, User
from comicsdb.models.base import BIG_MAX, INTEGER_MAX


def add(session: Session, user_id: int, issue_id: int, moment: datetime | None) -> ReadDate:
    """Record that an issue was read, None for an unknown date; duplicates are allowed.

    Raises NotFoundError for an unknown issue.
    """
    lock_account(session, user_id)
    known = 0 < issue_id <= INTEGER_MAX
    there = select(Issue.id).join(User, User.id == user_id).where(Issue.id == issue_id)
    if not known or session.scalar(there.with_for_update(read=True, key_share=True)) is None:
        check_account(session, user_id)
        raise NotFoundError("issue", issue_id)
    return insert_one(session, user_id, issue_id, moment)


def insert_one(session: Session, user_id: int, issue_id: int, moment: datetime | None) -> ReadDate:
    """Store a read of an existing issue, for an account that is already locked."""
    noted = ReadDate(user_id=user_id, issue_id=issue_id, read_on=moment)
    session.add(noted)
    session.flush()
    return noted


def insert_many(session: Session, user_id: int, noted: list[tuple[int, datetime | None]]) -> None:
    """Store reads of existing issues, given as (issue id, time), for an account that is already locked."""
    if noted:
        session.execute(
            text(
                "INSERT INTO read_date (user_id, issue_id, read_on) SELECT :user, r.issue, r.moment"
                " FROM json_to_recordset(cast(:records AS json)) AS r(issue integer, moment timestamptz)"
            ),
            {
                "user": user_id,
                "records": orjson.dumps([{"issue": each, "moment": at} for each, at in noted]).decode(),
            },
        )


def mark_read(session: Session, user_id: int, issue_ids: Iterable[int], moment: datetime | None) -> list[int]:
    """Mark issues that have no read yet as read; returns their ids. Unknown issues are left out."""
    lock_account(session, user_id)
    marked = session.scalars(
        text(
            "INSERT INTO read_date (user_id, issue_id, read_on)"
            " SELECT u.id, i.id, CAST(:moment AS timestamptz)"
            " FROM issue i JOIN user_account u ON u.id = :user WHERE i.id = ANY(:ids) AND NOT EXISTS"
            " (SELECT FROM read_date d WHERE d.user_id = :user AND d.issue_id = i.id)"
            " ORDER BY i.id FOR KEY SHARE OF i, u RETURNING issue_id"
        ),
        {
            "user": user_id,
            "ids": [each for each in issue_ids if 0 < each <= INTEGER_MAX],
            "moment": moment,
        },
    )
    return list(marked)


def clear(session: Session, user_id: int, issue_ids: Iterable[int]) -> None:
    """Remove all reads of issues."""
    lock_account(session, user_id)
    ids = [each for each in issue_ids if 0 < each <= INTEGER_MAX]
    chosen = ReadDate.issue_id == any_(cast(ids, ARRAY(Integer)))
    session.execute(
        delete(ReadDate).where(ReadDate.user_id == user_id, chosen),
        execution_options={"synchronize_session": False},
    )


def remove(session: Session, user_id: int, read_id: int, issue_id: int | None = None) -> None:
    """Remove a read; if `issue_id` is given, only one of this issue. Raises NotFoundError."""
    lock_account(session, user_id)
    chosen = delete(ReadDate).where(ReadDate.id == read_id, ReadDate.user_id == user_id)
    if issue_id is not None:
        chosen = chosen.where(ReadDate.issue_id == issue_id)
    known = 0 < read_id <= BIG_MAX
    if not known or session.scalar(chosen.returning(ReadDate.id)) is None:
        raise NotFoundError("read_date", read_id)


def of_issue(session: Session, user_id: int, issue_id: int) -> list[ReadDate]:
    """The reads of an issue, latest first; those of unknown date come last."""
    rows = select(ReadDate).where(ReadDate.user_id == user_id, ReadDate.issue_id == issue_id)
    return list(session.scalars(rows.order_by(ReadDate.read_on.desc().nulls_last(), ReadDate.id.desc())))
