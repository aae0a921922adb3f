"""Idempotency keys: a request is executed once, no matter how often it is sent.

The row of a key is inserted by the transaction of the request, before other writes. A second request with the
same key waits for that row until the first request has ended. Then it finds the response or, if the first was
rolled back, claims the key. The clock is the database's: a server's may be wrong, or differ from another's.
"""

from datetime import timedelta
from hashlib import sha256

from sqlalchemy import Row, delete, func, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.models import IdempotencyKey

LIFETIME = timedelta(hours=24)
REMOVED_MAX = 100  # expired rows deleted by one request

_key = IdempotencyKey.__table__


class OtherRequestError(Exception):
    """The key was used for another request."""


def claim(session: Session, user_id: int, key: str, request: str) -> Row | None:
    """Claim a key for a request, given as text; returns `status` and `body` if it already has a response.

    Raises OtherRequestError. Keys expire after a day.
    """
    now, request = func.now(), sha256(request.encode(errors="surrogateescape")).hexdigest()
    new = insert(_key).values(user_id=user_id, key=key, request=request, created=now, status=0, body=b"")
    claiming = new.on_conflict_do_update(
        index_elements=[_key.c.user_id, _key.c.key],
        set_={"request": request, "created": now},
        where=_key.c.created <= now - LIFETIME,
    ).returning(_key.c.user_id)
    kept = None
    while kept is None:  # if the row was deleted between the two statements, the next iteration claims it
        if session.scalar(claiming) is not None:
            return None
        own = (_key.c.user_id == user_id) & (_key.c.key == key)
        kept = session.execute(select(_key).where(own)).one_or_none()
    if kept.request != request:
        raise OtherRequestError
    return kept


def store_answer(session: Session, user_id: int, key: str, status: int, body: bytes) -> None:
    """Store the response to a request that has claimed a key."""
    own = (_key.c.user_id == user_id) & (_key.c.key == key)
    session.execute(update(_key).where(own).values(status=status, body=body))
    _remove_expired(session, func.now() - LIFETIME)  # last, as it locks rows


def _remove_expired(session: Session, before) -> None:
    """Delete expired rows, except those that other transactions have locked."""
    old = select(_key.c.user_id, _key.c.key).where(_key.c.created <= before).order_by(_key.c.created)
    old = old.limit(REMOVED_MAX).with_for_update(skip_locked=True)
    session.execute(delete(_key).where(tuple_(_key.c.user_id, _key.c.key).in_(old)))
