"""Drafts: forms and pictures that are not saved yet, stored for the account that sent them.

A form that was submitted after its session had ended, or its object had been merged, is kept for an hour;
one that is being filled in, until it is saved or discarded, at most a month after it was last stored. A
picture is cleaned and stored in a transaction of its own, so that a rejected form need not ask for the file
again; when the form is saved, the draft's row is deleted and the saved row refers to the file. A picture
draft is kept for an hour, or as long as a stored form refers to it.
"""

import json
import re
import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import and_, delete, func, not_, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.passwords import digest
from comicsdb.media.uploads import picture_values
from comicsdb.models import FormDraft, PictureDraft, User

LIFETIME = timedelta(hours=1)
SAVED_LIFETIME = timedelta(days=30)
SIZE_MAX = 512 * 1024  # characters of all fields
DRAFTS_MAX = 20  # per account, for each of the two types
KEY = re.compile("[0-9a-f]{64}")
USED_KEY = ""  # `form` of a draft whose key was used

PICTURES_MAX = 50  # per account
NAME_MAX = 255


class DraftTooLargeError(Exception):
    """A form is too large to be stored."""


class SavedForm(NamedTuple):
    """A submitted form: `action` is the path it was sent to, `texts` are pairs of field and text.

    `files` are the names of chosen files by field; their content is not stored.
    """

    action: str
    texts: list[tuple[str, str]]
    files: dict[str, str]


class FormTarget(NamedTuple):
    """A form that is being filled in: the route of its page, and the id of its object, 0 for a new one."""

    form: str
    object_id: int


def as_json(form: SavedForm) -> str | None:
    """The fields of a form as they are stored; None for a form that is too large."""
    fields = json.dumps([form.texts, form.files])  # ASCII, without characters that PostgreSQL rejects
    return fields if len(fields) <= SIZE_MAX else None


def save_form_draft(session: Session, user_id: int, form: SavedForm) -> str | None:
    """Store a form for an account; returns the secret that finds it again, None if it was not stored.

    Forms that are too large and those of deleted or inactive accounts are not stored.
    """
    fields = as_json(form)
    owner = select(User.id).where(User.id == user_id, User.is_active).with_for_update(key_share=True)
    if fields is None or session.scalar(owner) is None:
        return None
    secret = secrets.token_urlsafe(24)
    session.add(
        FormDraft(
            digest=digest(secret), user_id=user_id, action=form.action, fields=fields, created=clock.now()
        )
    )
    session.flush()
    _remove_surplus(session, user_id, FormDraft.form.is_(None))
    return secret


def _remove_surplus(session: Session, user_id: int, of_sort) -> None:
    """Remove old drafts, and all but the newest of one type of an account's drafts."""
    mine = and_(FormDraft.user_id == user_id, of_sort)
    newest = (
        select(FormDraft.digest)
        .where(mine)
        .order_by(FormDraft.created.desc(), FormDraft.digest)
        .limit(DRAFTS_MAX)
    )
    surplus = delete(FormDraft).where(or_(_is_old_form(), and_(mine, FormDraft.digest.not_in(newest))))
    session.execute(surplus.execution_options(synchronize_session=False))


def new_draft_key() -> str:
    """The key of a form that is being filled in."""
    return secrets.token_hex(32)


def store_draft(session: Session, user_id: int, key: str, target: FormTarget, saved: SavedForm) -> bool:
    """Store a form that is being filled in, replacing what was stored under its key.

    Returns False if its key is invalid, was used or belongs to another account: it needs a new one. Raises
    DraftTooLargeError.
    """
    fields = as_json(saved)
    if fields is None:
        raise DraftTooLargeError
    if not KEY.fullmatch(key):
        return False
    values = {"action": saved.action, "fields": fields, "created": clock.now()}
    statement = insert(FormDraft).values(digest=key, user_id=user_id, **target._asdict(), **values)
    own = and_(FormDraft.user_id == user_id, FormDraft.form == target.form)
    statement = statement.on_conflict_do_update(index_elements=["digest"], set_=values, where=own)
    if session.scalar(statement.returning(FormDraft.digest)) is None:  # used, or another account's
        return False
    pictures = [digest(text) for name, text in saved.texts if name.endswith("_kept")]
    mine = (PictureDraft.user_id == user_id, PictureDraft.digest.in_(pictures))
    if pictures:
        session.execute(update(PictureDraft).where(*mine).values(draft=key))
    _remove_surplus(session, user_id, FormDraft.form != USED_KEY)
    return True


def is_stored(session: Session, user_id: int, key: str) -> bool:
    """Whether an account has a draft with a key, or one discarded within the last hour."""
    own = FormDraft.digest == key, FormDraft.user_id == user_id, not_(_is_old_form())
    return session.scalar(select(FormDraft.digest).where(*own)) is not None


def remaining_drafts(session: Session, user_id: int) -> int:
    """How many more drafts an account may have."""
    mine = FormDraft.user_id == user_id, FormDraft.form != USED_KEY, not_(_is_old_form())
    return max(0, DRAFTS_MAX - session.scalar(select(func.count()).select_from(FormDraft).where(*mine)))


def drafts_of(session: Session, user_id: int, target: FormTarget) -> list[tuple[str, datetime]]:
    """The keys of an account's drafts of a form, and when each was stored; newest first."""
    statement = (
        select(FormDraft.digest, FormDraft.created)
        .where(
            FormDraft.user_id == user_id,
            FormDraft.form == target.form,
            FormDraft.object_id == target.object_id,
            not_(_is_old_form()),
        )
        .order_by(FormDraft.created.desc(), FormDraft.digest)
    )
    return [tuple(row) for row in session.execute(statement)]


def find_draft(session: Session, user_id: int, key: str) -> SavedForm | None:
    """A form that is being filled in; None if the account has no such draft."""
    if not KEY.fullmatch(key):
        return None
    return _saved(session, FormDraft.digest == key, FormDraft.form != USED_KEY, user_id=user_id)


def discard_draft(session: Session, user_id: int, key: str) -> None:
    """Remove the draft of a form that was saved or discarded; its key cannot be used again.

    Otherwise a request that our script sent earlier but that arrives later would store the draft again.
    """
    if not KEY.fullmatch(key):
        return
    spent = {"form": USED_KEY, "object_id": 0, "action": "", "fields": "[[], {}]", "created": clock.now()}
    statement = insert(FormDraft).values(digest=key, user_id=user_id, **spent)
    own = FormDraft.user_id == user_id
    session.execute(statement.on_conflict_do_update(index_elements=["digest"], set_=spent, where=own))


def find_form_draft(session: Session, user_id: int, secret: str) -> SavedForm | None:
    """A form that the account submitted within the last hour; None if it has none with this secret."""
    return _saved(session, FormDraft.digest == digest(secret), user_id=user_id)


def _saved(session: Session, *conditions, user_id: int) -> SavedForm | None:
    row = session.scalar(
        select(FormDraft).where(*conditions, FormDraft.user_id == user_id, not_(_is_old_form()))
    )
    if row is None:
        return None
    texts, files = json.loads(row.fields)
    return SavedForm(row.action, [tuple(pair) for pair in texts], files)


def remove_old_form_drafts(session: Session) -> int:
    """Remove expired drafts of forms; returns their number."""
    old = delete(FormDraft).where(_is_old_form())
    return session.execute(old.execution_options(synchronize_session=False)).rowcount


def _is_old_form():
    now = clock.now()
    return or_(
        and_(func.coalesce(FormDraft.form, USED_KEY) == USED_KEY, FormDraft.created <= now - LIFETIME),
        FormDraft.created <= now - SAVED_LIFETIME,
    )


class SavedPicture(NamedTuple):
    """A stored picture: the secret that finds it, the name of its file, and its key in the storage."""

    secret: str
    filename: str
    key: str


def save_picture_draft(
    context: AccountContext, user_id: int, kind: str, data: bytes, filename: str, *, hashed: bool = False
) -> SavedPicture:
    """Store a picture for an account and commit it. Raises the same errors as `picture_values`.

    If the account has more than PICTURES_MAX drafts, the oldest are removed.
    """
    secret = secrets.token_urlsafe(24)
    with context.independent_session() as session:
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
        gone = _remove_pictures(session, PictureDraft.user_id == user_id, or_(_is_old_picture(), surplus))
        session.commit()
    context.storage.discard(gone)
    return SavedPicture(secret, name, values["image"])


def find_picture_draft(session: Session, user_id: int, secret: str) -> SavedPicture | None:
    """A stored picture; None if it has expired or belongs to another account."""
    row = session.scalar(select(PictureDraft).where(*_picture_conditions(user_id, secret)))
    return SavedPicture(secret, row.name, row.image) if row else None


def claim_picture_draft(session: Session, user_id: int, secret: str, *, hashed: bool = False) -> dict | None:
    """The values of a stored picture, as `picture_values` returns them; None if it is no longer stored.

    The draft is deleted in this session's transaction; if that is rolled back, the draft remains.
    """
    columns = (
        PictureDraft.image,
        PictureDraft.image_width,
        PictureDraft.image_height,
        PictureDraft.cover_hash,
    )
    taken = delete(PictureDraft).where(*_picture_conditions(user_id, secret)).returning(*columns)
    row = session.execute(taken.execution_options(synchronize_session=False)).one_or_none()
    if row is None:
        return None
    values = dict(row._mapping)
    if not hashed:
        del values["cover_hash"]
    return values


def remove_old_pictures(session: Session) -> list[str]:
    """Remove expired drafts of pictures; returns the keys of their files."""
    return _remove_pictures(session, _is_old_picture())


def remove_pictures_of(session: Session, user_id: int) -> list[str]:
    """Remove all drafts of pictures of an account; returns their keys."""
    return _remove_pictures(session, PictureDraft.user_id == user_id)


def _is_old_picture():
    return and_(PictureDraft.draft.is_(None), PictureDraft.created <= clock.now() - LIFETIME)


def _remove_pictures(session: Session, *conditions) -> list[str]:
    removed = delete(PictureDraft).where(*conditions).returning(PictureDraft.image)
    return list(session.scalars(removed.execution_options(synchronize_session=False)))


def _picture_conditions(user_id: int, secret: str):
    return (
        PictureDraft.digest == digest(secret),
        PictureDraft.user_id == user_id,
        not_(_is_old_picture()),
    )
