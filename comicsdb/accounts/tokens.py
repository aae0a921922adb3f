"""API tokens: shown once; only a digest is stored.

A token is `cdb_`, 36 random letters and digits, and six more that are their checksum: CRC-32, written with
the digits of ALPHABET. This allows scanners for leaked secrets to recognise tokens with certainty, and
mistyped or truncated tokens are rejected without a query. Older tokens (`cdb_` and 64 hexadecimal digits) and
imported ones (without `cdb_`) have no checksum and remain valid.
"""

import logging
import re
import secrets
import string
import zlib
from datetime import datetime, time, timedelta
from typing import NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import rules
from comicsdb.accounts.constraints import add_once
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.security_events import record_security_event
from comicsdb.catalog.errors import InvalidError, raise_errors
from comicsdb.i18n import _
from comicsdb.models import ApiToken, SecurityEventKind, User
from comicsdb.models.choices import TokenScope
from comicsdb.values import iso_day

log = logging.getLogger(__name__)

PREFIX = "cdb_"  # recognised by scanners for leaked secrets
SHOWN_CHARACTERS = 8  # characters shown to tell tokens apart
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
RANDOM_LENGTH, CHECKSUM_LENGTH = 36, 6  # characters
_CHECKSUMMED = re.compile(rf"{PREFIX}([0-9A-Za-z]{{{RANDOM_LENGTH}}})([0-9A-Za-z]{{{CHECKSUM_LENGTH}}})")
_OLDER = re.compile(rf"{PREFIX}[0-9a-f]{{64}}")

# The lifetimes offered by the form: a number of days, until a chosen day (UNTIL), or unlimited.
LIFETIMES = ("30", "90", "365")
UNTIL, FOREVER = "until", "forever"
EXPIRY_MAX = timedelta(days=3660)


class NewToken(NamedTuple):
    """A new token: its text, which is not stored, and its row."""

    raw: str
    token: ApiToken


def new_form_key() -> str:
    """A random key for one form, which `generate_token` accepts once."""
    return secrets.token_hex(16)


def checksum(text: str) -> str:
    """The checksum characters of a token with the random part `text`."""
    rest, digits = zlib.crc32(text.encode()), ""
    for _position in range(CHECKSUM_LENGTH):
        rest, digit = divmod(rest, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


def is_malformed(raw: str) -> bool:
    """Whether a text has the prefix of our tokens, but not their form or not the right checksum."""
    if not raw.startswith(PREFIX):
        return False
    found = _CHECKSUMMED.fullmatch(raw)
    return checksum(found[1]) != found[2] if found else _OLDER.fullmatch(raw) is None


def generate_token(
    context: AccountContext,
    user_id: int,
    label: str,
    form_key: str,
    *,
    scope: str = TokenScope.EDIT,
    lifetime: str = FOREVER,
    until: str = "",
) -> NewToken:
    """Create a token for an account, with a label of at most 64 characters, which may be empty.

    `lifetime` is one of LIFETIMES, FOREVER, or UNTIL, which means until the end of the day `until`
    (YYYY-MM-DD). Raises InvalidError for the fields `name`, `scope`, `lifetime` and `until`, and
    FormAlreadySubmittedError if this form created a token already.
    """
    label = label.strip()
    problems = {"name": rules.label_problems(label)}
    if scope not in tuple(TokenScope):
        problems["scope"] = [_("Choose the token's permissions.")]
    expiry = None
    try:
        expiry = _expiry(context, lifetime, until)
    except InvalidError as error:
        problems |= error.errors
    raise_errors(problems)
    bare = "".join(secrets.choice(ALPHABET) for _position in range(RANDOM_LENGTH))
    raw = PREFIX + bare + checksum(bare)
    token = ApiToken(
        digest=digest(raw),
        token_key=bare[:SHOWN_CHARACTERS],
        user_id=user_id,
        name=label,
        scope=scope,
        expiry=expiry,
        created=clock.now(),
    )
    add_once(context.session, token, form_key)
    user = context.session.get_one(User, user_id)
    record_security_event(context, user, SecurityEventKind.TOKEN_MADE, name=label)
    context.log(log, f"API token {token.id} made, scope {scope}", user.username)
    return NewToken(raw, token)


def _expiry(context: AccountContext, lifetime: str, until: str) -> datetime | None:
    """The expiry of a token, None if it never expires; raises InvalidError."""
    if lifetime == FOREVER:
        return None
    if lifetime in LIFETIMES:
        return clock.now() + timedelta(days=int(lifetime))
    if lifetime != UNTIL:
        raise InvalidError({"lifetime": [_("Choose when the token expires.")]})
    zone = context.settings["comicsdb.timezone"]
    today = clock.business_day(zone)
    day = iso_day(until.strip())
    if day is None:
        raise InvalidError({"until": [_("Enter the last day on which the token is valid.")]})
    if not today <= day <= today + EXPIRY_MAX:
        raise InvalidError({"until": [_("Choose a date from today up to ten years ahead.")]})
    return datetime.combine(day, time(23, 59, 59), zone)


def is_expired(token: ApiToken) -> bool:
    """Whether a token has expired."""
    return token.expiry is not None and token.expiry <= clock.now()


def tokens_of(session: Session, user_id: int) -> list[ApiToken]:
    """The tokens of an account, newest first."""
    newest = (ApiToken.created.desc(), ApiToken.id.desc())
    return list(session.scalars(select(ApiToken).where(ApiToken.user_id == user_id).order_by(*newest)))


def shown_key(token: ApiToken) -> str:
    """The part of a token's key that is shown, as imported tokens have longer keys."""
    return token.token_key[:SHOWN_CHARACTERS]


def revoke_token(context: AccountContext, user_id: int, token_id: int) -> bool:
    """Revoke one token of an account; returns False if the account has no such token."""
    found = delete(ApiToken).where(ApiToken.user_id == user_id, ApiToken.id == token_id)
    label = context.session.scalar(found.returning(ApiToken.name))
    if label is None:
        return False
    user = context.session.get_one(User, user_id)
    record_security_event(context, user, SecurityEventKind.TOKEN_REVOKED, name=label)
    context.log(log, f"API token {token_id} revoked", user.username)
    return True


def revoke_all_tokens(context: AccountContext, user_id: int) -> int:
    """Revoke all tokens of an account; returns their number."""
    number = context.session.execute(delete(ApiToken).where(ApiToken.user_id == user_id)).rowcount
    user = context.session.get_one(User, user_id)
    if number:
        record_security_event(context, user, SecurityEventKind.TOKENS_REVOKED, number=number)
    context.log(log, f"API tokens revoked, {number} of them", user.username)
    return number
