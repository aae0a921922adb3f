"""Mappings of columns that accounts remember, by the columns that a table has: its headers, in any order."""

import hashlib
from collections.abc import Iterable, Mapping

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.models import ImportMapping

MAPPINGS_MAX = 50  # per account; a further one replaces the one that was not used for longest


def remembered_mapping(session: Session, user_id: int, headers: Iterable[str]) -> dict[str, str]:
    """The fields to which an account mapped columns of a table with these headers."""
    return session.scalar(select(ImportMapping.mapping).where(*_key(user_id, headers))) or {}


def remember_mapping(
    session: Session, user_id: int, headers: Iterable[str], mapping: Mapping[str, str]
) -> None:
    """Remember a mapping for tables with these headers; forget theirs if it is empty."""
    if not mapping:
        session.execute(delete(ImportMapping).where(*_key(user_id, headers)))
        return
    values = {"mapping": dict(mapping), "modified": func.clock_timestamp()}
    new = insert(ImportMapping).values(user_id=user_id, digest=_digest(headers), **values)
    session.execute(new.on_conflict_do_update(index_elements=["user_id", "digest"], set_=values))
    of_account = ImportMapping.user_id == user_id
    newest = select(ImportMapping.digest).where(of_account)
    newest = newest.order_by(ImportMapping.modified.desc(), ImportMapping.digest).limit(MAPPINGS_MAX)
    session.execute(delete(ImportMapping).where(of_account, ImportMapping.digest.not_in(newest)))


def _key(user_id: int, headers: Iterable[str]) -> tuple:
    return ImportMapping.user_id == user_id, ImportMapping.digest == _digest(headers)


def _digest(headers: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(headers)).encode()).hexdigest()
