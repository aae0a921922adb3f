"""Authenticator apps: time-based codes (RFC 6238) whose secrets are stored encrypted."""

import base64
import hashlib
import logging
from collections.abc import Mapping
from typing import NamedTuple

import pyotp
from cryptography.fernet import Fernet, InvalidToken
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.passwords import same
from comicsdb.accounts.second_factor import refresh
from comicsdb.accounts.security_events import record_security_event
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.models import SecurityEventKind, Totp, User

log = logging.getLogger(__name__)

ISSUER = "comicsdb"
STEP = 30  # seconds
DRIFT = (-1, 0, 1)  # steps by which the clock of a telephone may be off
ENROLMENT = 3600  # seconds within which a new secret must be confirmed


class NewTotp(NamedTuple):
    """A secret that waits to be confirmed by its first code, and what the enrolment page shows of it."""

    secret: str
    address: str  # otpauth://, for the QR code
    sealed: str  # the secret for the form: encrypted, for this account and an hour


def new_totp(settings: Mapping, user: User) -> NewTotp:
    """A new secret for an account; nothing is stored before `add_totp`."""
    return _shown(settings, user, pyotp.random_base32())


def open_totp(settings: Mapping, user: User, sealed: str) -> NewTotp | None:
    """The secret that a form brings back; None where it is too old, or of another account."""
    try:
        text = _fernet(settings).decrypt(sealed.encode(), ttl=ENROLMENT).decode()
    except (InvalidToken, ValueError):
        return None
    owner, _colon, secret = text.partition(":")
    return _shown(settings, user, secret) if owner == str(user.id) else None


def _shown(settings: Mapping, user: User, secret: str) -> NewTotp:
    address = pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name=ISSUER)
    return NewTotp(secret, address, _fernet(settings).encrypt(f"{user.id}:{secret}".encode()).decode())


def add_totp(context: AccountContext, user: User, new: NewTotp, code: str) -> None:
    """Let an account use an authenticator app from now on, which its first code proves; any before is gone.

    Raises InvalidError for the field `code`.
    """
    step = _step_of(new.secret, code)
    if step is None:
        raise InvalidError(
            {"code": [_("This code is not right. Look at the clock of your telephone, and try again.")]}
        )
    session = context.session
    session.execute(delete(Totp).where(Totp.user_id == user.id))
    sealed = _fernet(context.settings).encrypt(new.secret.encode()).decode()
    session.add(Totp(user_id=user.id, secret=sealed, last_step=step, created=clock.now()))
    refresh(session, user)
    record_security_event(context, user, SecurityEventKind.TOTP_ADDED)
    context.log(log, "Authenticator app added", user.username)


def has_totp(session: Session, user_id: int) -> bool:
    """Whether an account uses an authenticator app."""
    return session.scalar(select(Totp.user_id).where(Totp.user_id == user_id)) is not None


def remove_totp(context: AccountContext, user: User) -> bool:
    """Remove the authenticator app of an account; False where there is none."""
    if not context.session.execute(delete(Totp).where(Totp.user_id == user.id)).rowcount:
        return False
    refresh(context.session, user)
    record_security_event(context, user, SecurityEventKind.TOTP_REMOVED)
    context.log(log, "Authenticator app removed", user.username)
    return True


def takes_code(context: AccountContext, user: User, code: str) -> bool:
    """Whether a code is that of the account's app now; each is taken once, and none older than the last."""
    found = context.session.get(Totp, user.id)
    if found is None:
        return False
    try:
        secret = _fernet(context.settings).decrypt(found.secret.encode()).decode()
    except InvalidToken:
        context.log(log, "The code of an app cannot be checked: comicsdb.secret has changed", user.username)
        return False
    step = _step_of(secret, code)
    return step is not None and _spend(context.session, user, step)


def _spend(session: Session, user: User, step: int) -> bool:
    spent = update(Totp).where(Totp.user_id == user.id, Totp.last_step < step).values(last_step=step)
    return session.execute(spent.execution_options(synchronize_session=False)).rowcount == 1


def _step_of(secret: str, code: str) -> int | None:
    """The time step that a code belongs to, None for a wrong one."""
    code = "".join(code.split())
    if not (code.isascii() and code.isdigit()):
        return None
    now, totp = int(clock.now().timestamp()) // STEP, pyotp.TOTP(secret)
    return next((now + off for off in DRIFT if same(totp.generate_otp(now + off), code)), None)


def _fernet(settings: Mapping) -> Fernet:
    key = hashlib.sha256(b"totp:" + settings["comicsdb.secret"].encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
