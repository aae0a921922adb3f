"""Forms that were sent after their session had ended: kept for an hour, for the account that began them."""

import json
import secrets
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import and_, delete, not_, or_, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.passwords import digest
from comicsdb.models import FormDraft, User

LIFETIME = timedelta(hours=1)
SIZE_MAX = 512 * 1024  # characters of all that was typed
DRAFTS_MAX = 20  # of one account


class SavedForm(NamedTuple):
    """What was typed: `action` is the path that it was sent to, `texts` are pairs of field and text.

    `files` are names of files that were chosen, by field; their content is not kept.
    """

    action: str
    texts: list[tuple[str, str]]
    files: dict[str, str]


def keep_form_draft(session: Session, user_id: int, form: SavedForm) -> str | None:
    """Keep a form for an account; gives the secret that finds it again, None for one that is not kept.

    Not kept are forms that are too large, and those of an account that is gone or switched off.
    """
    fields = json.dumps([form.texts, form.files])  # ASCII: no character that PostgreSQL refuses
    owner = select(User.id).where(User.id == user_id, User.is_active).with_for_update(key_share=True)
    if len(fields) > SIZE_MAX or session.scalar(owner) is None:
        return None
    secret = secrets.token_urlsafe(24)
    session.add(
        FormDraft(
            digest=digest(secret), user_id=user_id, action=form.action, fields=fields, created=clock.now()
        )
    )
    session.flush()
    newest = (
        select(FormDraft.digest)
        .where(FormDraft.user_id == user_id)
        .order_by(FormDraft.created.desc(), FormDraft.digest)
        .limit(DRAFTS_MAX)
    )
    session.execute(
        delete(FormDraft)
        .where(or_(_is_old(), and_(FormDraft.user_id == user_id, FormDraft.digest.not_in(newest))))
        .execution_options(synchronize_session=False)
    )
    return secret


def find_form_draft(session: Session, user_id: int, secret: str) -> SavedForm | None:
    """What an account typed within the last hour; None for any other account."""
    row = session.scalar(
        select(FormDraft).where(
            FormDraft.digest == digest(secret),
            FormDraft.user_id == user_id,
            not_(_is_old()),
        )
    )
    if row is None:
        return None
    texts, files = json.loads(row.fields)
    return SavedForm(row.action, [tuple(pair) for pair in texts], files)


def remove_old_form_drafts(session: Session) -> int:
    """Remove forms that are older than an hour; gives their number."""
    old = delete(FormDraft).where(_is_old())
    return session.execute(old.execution_options(synchronize_session=False)).rowcount


def _is_old():
    return FormDraft.created <= clock.now() - LIFETIME
