"""Proving once more who one is: the second step of logging in, and before what is dangerous."""

import logging
from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import rules
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.errors import CodeRefusedError, PasskeyRefusedError, TooManyFailuresError
from comicsdb.accounts.login import confirm_password
from comicsdb.accounts.passkeys import passkey_user
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.second_factor import takes_recovery_code
from comicsdb.accounts.totp import takes_code
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.models import LoginSession, User

log = logging.getLogger(__name__)

CONFIRMED_FOR = timedelta(minutes=15)
PASSWORD, CODE, PASSKEY = FIELDS = ("confirm_password", "confirm_code", "confirm_passkey")


def check_second_step(context: AccountContext, user: User, form: Mapping, browser_token: str) -> None:
    """Raise unless a form holds a code of the account's app, a recovery code, or the answer of a passkey.

    Fields: `confirm_code` or `confirm_passkey`. Raises CodeRefusedError, PasskeyRefusedError and
    TooManyFailuresError.
    """
    answer = rules.secret_of(form, PASSKEY)
    if answer:
        if passkey_user(context, answer, browser_token).id != user.id:
            raise PasskeyRefusedError
        return
    _check_code(context, user, rules.text_of(form, CODE), recovery=True)


def confirm(context: AccountContext, user: User, identifier: str, form: Mapping, browser_token: str) -> None:
    """Note that whoever has a session has just proved to be its owner, by password, code or passkey.

    Fields: one of FIELDS. Raises as `check_second_step`, and InvalidError for the field `confirm_password`.
    """
    password = rules.secret_of(form, PASSWORD)
    if password:
        try:
            confirm_password(context, user, password)
        except InvalidError as error:
            raise InvalidError({PASSWORD: error.errors["password"]}) from error
    elif rules.secret_of(form, PASSKEY):
        check_second_step(context, user, form, browser_token)
    elif rules.text_of(form, CODE):
        _check_code(context, user, rules.text_of(form, CODE), recovery=False)
    else:
        raise InvalidError({PASSWORD: [_("Type your password.")]})
    now = update(LoginSession).where(LoginSession.digest == digest(identifier)).values(confirmed=clock.now())
    context.session.execute(now.execution_options(synchronize_session=False))
    context.log(log, "Confirmed who it is", user.username)


def is_confirmed(session: Session, identifier: str) -> bool:
    """Whether the owner of a session proved lately to be that: by logging in, or by `confirm`."""
    since = clock.now() - CONFIRMED_FOR
    found = select(LoginSession.id).where(
        LoginSession.digest == digest(identifier), LoginSession.confirmed > since
    )
    return session.scalar(found) is not None


def _check_code(context: AccountContext, user: User, code: str, *, recovery: bool) -> None:
    """Raise CodeRefusedError for a wrong code, and TooManyFailuresError after many, whatever they are."""
    try:
        context.guard.code_tried(user.id)
    except TooManyFailuresError:
        context.log(log, "Code refused after too many", user.username, logging.WARNING)
        raise
    if takes_code(context, user, code) or (recovery and takes_recovery_code(context, user, code)):
        return
    context.log(log, "Code refused", user.username, logging.WARNING)
    raise CodeRefusedError
