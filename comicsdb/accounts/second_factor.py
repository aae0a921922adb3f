"""The second step of logging in: whether an account has one, and recovery codes for whoever loses it."""

import base64
import logging
import secrets
from datetime import datetime

from sqlalchemy import delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.security_events import record_security_event
from comicsdb.models import Passkey, RecoveryCode, SecurityEventKind, Totp, User

log = logging.getLogger(__name__)

CODES = 10
CODE_BYTES = 10  # 80 random bits: nobody guesses them, so a fast digest will do


def refresh(session: Session, user: User) -> None:
    """Note at the account whether it has a second factor; the last that goes takes recovery codes along."""
    session.flush()
    has = or_(exists().where(Totp.user_id == user.id), exists().where(Passkey.user_id == user.id))
    user.second_factor = session.scalar(select(has))
    if not user.second_factor:
        session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user.id))
    session.flush()


def make_recovery_codes(context: AccountContext, user: User) -> list[str]:
    """Ten new recovery codes, which nobody can find out again; those before do not work any more."""
    session = context.session
    session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user.id))
    codes = [_new_code() for _ in range(CODES)]
    now = clock.now()
    session.add_all(RecoveryCode(user_id=user.id, digest=_digest(user, code), created=now) for code in codes)
    record_security_event(context, user, SecurityEventKind.RECOVERY_CODES_MADE)
    context.log(log, "Recovery codes made", user.username)
    return codes


def recovery_codes_left(session: Session, user_id: int) -> int:
    """How many recovery codes of an account were not used."""
    left = select(func.count()).where(RecoveryCode.user_id == user_id, RecoveryCode.used.is_(None))
    return session.scalar(left)


def takes_recovery_code(context: AccountContext, user: User, code: str) -> bool:
    """Whether a text is a recovery code of the account, which is spent with it."""
    spent = (
        update(RecoveryCode)
        .where(
            RecoveryCode.user_id == user.id,
            RecoveryCode.digest == _digest(user, code),
            RecoveryCode.used.is_(None),
        )
        .values(used=clock.now())
    )
    if not context.session.execute(spent.execution_options(synchronize_session=False)).rowcount:
        return False
    left = recovery_codes_left(context.session, user.id)
    record_security_event(context, user, SecurityEventKind.RECOVERY_CODE_USED, number=left)
    context.log(log, f"Recovery code used, {left} are left", user.username)
    return True


def remove_second_factors(session: Session, user: User, since: datetime | None = None) -> None:
    """Remove passkeys, app and recovery codes of an account; with `since` only those added since."""
    for model in (Passkey, Totp, RecoveryCode):
        gone = delete(model).where(model.user_id == user.id)
        session.execute(gone if since is None else gone.where(model.created >= since))
    refresh(session, user)


def _new_code() -> str:
    text = base64.b32encode(secrets.token_bytes(CODE_BYTES)).decode().lower()
    return "-".join(text[start : start + 4] for start in range(0, len(text), 4))


def _digest(user: User, code: str) -> str:
    plain = "".join(each for each in code.lower() if each.isalnum())
    return digest(f"{user.id} {plain}")
