"""Tokens: keys to the API, shown once, of which only a digest is kept (model.md 4.3, web.md 10)."""

import logging
import secrets
from typing import NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import rules
from comicsdb.accounts.errors import FormSpent
from comicsdb.accounts.storing import unless_refused
from comicsdb.accounts.visit import Visit
from comicsdb.catalog.errors import Invalid
from comicsdb.models import ApiToken, User
from comicsdb.passwords import digest

log = logging.getLogger(__name__)

PREFIX = "cdb_"  # by which those who look for leaked secrets know them
SHOWN = 8  # characters by which their owner tells tokens apart


class NewToken(NamedTuple):
    """A token that was just made: its text, which nobody can find out again, and its row."""

    raw: str
    token: ApiToken


def new_form_key() -> str:
    """A key for one form: `generate_token` takes it once."""
    return secrets.token_hex(16)


def generate_token(visit: Visit, user_id: int, label: str, form_key: str) -> NewToken:
    """Make a token for an account, with a label of at most 64 characters, which may be empty.

    Raises Invalid for the field `name`, and FormSpent if a token was made by this form already.
    """
    label = label.strip()
    problems = rules.label_problems(label)
    if problems:
        raise Invalid({"name": problems})
    bare = secrets.token_hex(32)
    raw = PREFIX + bare
    token = ApiToken(
        digest=digest(raw),
        token_key=bare[:SHOWN],
        user_id=user_id,
        name=label,
        created=clock.now(),
        form_key=digest(f"{user_id} {form_key}"),  # nobody can spend the keys of another
    )
    with unless_refused({"uq_api_token_form_key": FormSpent()}), visit.session.begin_nested():
        visit.session.add(token)
        visit.session.flush()
    visit.log(log, f"API token {token.id} made", _name(visit.session, user_id))
    return NewToken(raw, token)


def tokens_of(session: Session, user_id: int) -> list[ApiToken]:
    """The tokens of an account, the newest first."""
    newest = (ApiToken.created.desc(), ApiToken.id.desc())
    return list(session.scalars(select(ApiToken).where(ApiToken.user_id == user_id).order_by(*newest)))


def shown_key(token: ApiToken) -> str:
    """The characters by which a token is told from others; imported ones keep more."""
    return token.token_key[:SHOWN]


def revoke_token(visit: Visit, user_id: int, token_id: int) -> bool:
    """Revoke one token of an account; False where the account has no such token."""
    found = delete(ApiToken).where(ApiToken.user_id == user_id, ApiToken.id == token_id)
    if visit.session.execute(found).rowcount == 0:
        return False
    visit.log(log, f"API token {token_id} revoked", _name(visit.session, user_id))
    return True


def revoke_all_tokens(visit: Visit, user_id: int) -> int:
    """Revoke all tokens of an account; gives how many there were."""
    number = visit.session.execute(delete(ApiToken).where(ApiToken.user_id == user_id)).rowcount
    visit.log(log, f"API tokens revoked, {number} of them", _name(visit.session, user_id))
    return number


def _name(session: Session, user_id: int) -> str:
    return session.get_one(User, user_id).username
