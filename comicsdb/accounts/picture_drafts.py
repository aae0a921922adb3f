"""Pictures that were sent with a form: kept for an hour, so that a refused form need not ask for them again.

A picture is cleaned and stored in a transaction of its own. Whoever saves the form takes it: its row goes,
and the row that is saved names its file from then on.
"""

import secrets
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.passwords import digest
from comicsdb.media.uploads import picture_values
from comicsdb.models import PictureDraft

LIFETIME = timedelta(hours=1)
PICTURES_MAX = 50  # of one account
NAME_MAX = 255


class KeptPicture(NamedTuple):
    """A picture that waits for its form: what finds it, the name of its file, and its key in the storage."""

    secret: str
    filename: str
    key: str


def keep_picture(
    context: AccountContext, user_id: int, kind: str, data: bytes, filename: str, *, hashed: bool = False
) -> KeptPicture:
    """Store a picture for an account, for good. Raises as `media.uploads.picture_values`.

    Of pictures that wait, an account keeps PICTURES_MAX: the oldest go.
    """
    secret = secrets.token_urlsafe(24)
    with context.apart() as session:
        values = picture_values(session, context.storage, kind, data, hashed=hashed, member=user_id)
        now = clock.now()
        name = filename.replace("\0", "")[-NAME_MAX:]
        kept = PictureDraft(digest=digest(secret), user_id=user_id, name=name, created=now, **values)
        session.add(kept)
        session.flush()
        newest = (
            select(PictureDraft.id)
            .where(PictureDraft.user_id == user_id)
            .order_by(PictureDraft.id.desc())
            .limit(PICTURES_MAX)
        )
        surplus = PictureDraft.id.not_in(newest)
        gone = _remove(session, or_(PictureDraft.created <= now - LIFETIME, surplus), user_id)
        session.commit()
    context.storage.discard(gone)
    return KeptPicture(secret, name, values["image"])


def find_picture(session: Session, user_id: int, secret: str) -> KeptPicture | None:
    """A picture that waits; None for another account's, and after an hour."""
    row = session.scalar(select(PictureDraft).where(*_found(user_id, secret)))
    return KeptPicture(secret, row.name, row.image) if row else None


def take_picture(session: Session, user_id: int, secret: str, *, hashed: bool = False) -> dict | None:
    """The values of a picture that waits, as `picture_values` gives them; None where it waits no more.

    This session's transaction writes the row that names its file; if that fails, the picture waits on.
    """
    columns = (
        PictureDraft.image,
        PictureDraft.image_width,
        PictureDraft.image_height,
        PictureDraft.cover_hash,
    )
    taken = delete(PictureDraft).where(*_found(user_id, secret)).returning(*columns)
    row = session.execute(taken.execution_options(synchronize_session=False)).one_or_none()
    if row is None:
        return None
    values = dict(row._mapping)
    if not hashed:
        del values["cover_hash"]
    return values


def remove_old_pictures(session: Session) -> list[str]:
    """Remove the rows of pictures that waited for more than an hour; gives their keys."""
    return _remove(session, PictureDraft.created <= clock.now() - LIFETIME)


def _remove(session: Session, condition, user_id: int | None = None) -> list[str]:
    removed = delete(PictureDraft).where(condition).returning(PictureDraft.image)
    if user_id is not None:
        removed = removed.where(PictureDraft.user_id == user_id)
    return list(session.scalars(removed.execution_options(synchronize_session=False)))


def _found(user_id: int, secret: str):
    return (
        PictureDraft.digest == digest(secret),
        PictureDraft.user_id == user_id,
        PictureDraft.created > clock.now() - LIFETIME,
    )
