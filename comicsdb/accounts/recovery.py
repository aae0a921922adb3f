"""Changing or resetting a password, and reclaiming an account by the link of a security mail."""

import logging
from collections.abc import Iterable, Mapping
from datetime import timedelta

from sqlalchemy import delete

from comicsdb import clock
from comicsdb.accounts import feed_addresses, letters, rules
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.errors import BadLinkError, LinkUsedError
from comicsdb.accounts.links import drop_links, make_link, open_link
from comicsdb.accounts.login import confirm_password
from comicsdb.accounts.lookup import run_for_address
from comicsdb.accounts.passwords import UNUSABLE
from comicsdb.accounts.profile import free_address
from comicsdb.accounts.second_factor import remove_second_factors
from comicsdb.accounts.security_events import record_security_event
from comicsdb.accounts.sessions import end_all_sessions, renew_session
from comicsdb.accounts.tokens import revoke_all_tokens
from comicsdb.catalog.errors import raise_errors
from comicsdb.mail import queue
from comicsdb.models import AccountLink, ApiToken, SecurityEventKind, User
from comicsdb.models.account import CONFIRM_EMAIL, LOG_IN, NOT_ME, RESET

log = logging.getLogger(__name__)

PASSWORD_FIELDS = {"": "new_password", "again": "new_password_again"}

SAME_MOMENT = timedelta(minutes=1)  # the event that a mail reports was stored just before its link


def user_attributes(user: User) -> Iterable[str]:
    """Texts that a password must not be similar to."""
    return (user.username, user.email, user.first_name, user.last_name)


def change_password(context: AccountContext, user_id: int, identifier: str, form: Mapping) -> str:
    """Change a password; returns the new identifier of the current session, which had `identifier`.

    The form has `password` (the current one), `new_password` and `new_password_again`, and optionally
    `end_sessions` (all other sessions), `revoke_tokens` and `revoke_feeds`. Raises InvalidError by field, and
    TooManyFailuresError.
    """
    user = context.session.get_one(User, user_id, with_for_update=True, populate_existing=True)
    _refuse_problems(form, user)
    confirm_password(context, user, rules.secret_of(form, "password"))
    _set_password(context, user, form)
    record_security_event(context, user, SecurityEventKind.PASSWORD_CHANGED)
    _revoke(context, user, form, except_identifier=identifier)
    context.log(log, "Password changed", user.username)
    return renew_session(context.session, identifier)


def request_reset(context: AccountContext, email: str) -> None:
    """Send a link to the active account with an address; for any other address, do the same work.

    Raises InvalidError for an invalid address, and TooManyMailsError.
    """
    with run_for_address(context, email, User.is_active) as user:
        link = make_link(context.session, user, RESET, user.email)
        letter = letters.reset(user, link.secret)
        queue(context.session, context.settings, letter, user=user, kind="reset", until=link.row.expires)


def check_reset(context: AccountContext, uid: str, secret: str) -> User:
    """The account whose password a link may reset; does not use up the link. Raises BadLinkError."""
    return _open_reset(context, uid, secret)[1]


def reset_password(context: AccountContext, uid: str, secret: str, form: Mapping) -> User:
    """Set a new password by a link, which is used up.

    The form has `new_password` and `new_password_again`, and the options of `change_password`.
    Raises BadLinkError, and InvalidError by field.
    """
    _link, user = _open_reset(context, uid, secret)
    _refuse_problems(form, user)
    _set_password(context, user, form)
    user.email_confirmed = True  # opening the link proves access to the mailbox
    record_security_event(context, user, SecurityEventKind.PASSWORD_RESET)
    _revoke(context, user, form)
    context.log(log, "Password reset", user.username)
    return user


def _revoke(context: AccountContext, user: User, form: Mapping, except_identifier: str | None = None) -> None:
    """End sessions and revoke tokens and feed addresses, as selected in the form."""
    if form.get("end_sessions"):
        end_all_sessions(context.session, user.id, except_identifier=except_identifier)
    if form.get("revoke_tokens"):
        revoke_all_tokens(context, user.id)
    if form.get("revoke_feeds"):
        feed_addresses.revoke_all_feeds(context, user)


def _open_reset(context: AccountContext, uid: str, secret: str) -> tuple[AccountLink, User]:
    try:
        link, user = open_link(context.session, RESET, secret, uid)
    except LinkUsedError:
        raise BadLinkError from None
    if not user.is_active or link.email != user.email:
        raise BadLinkError
    return link, user


def _refuse_problems(form: Mapping, user: User) -> None:
    """Raise InvalidError with the problems of a new password."""
    new, again = (rules.secret_of(form, field) for field in PASSWORD_FIELDS.values())
    found = rules.password_problems(new, again, user_attributes(user))
    raise_errors({PASSWORD_FIELDS[part]: problems for part, problems in found.items()})


def _set_password(context: AccountContext, user: User, form: Mapping) -> None:
    user.password = context.passwords.hash(rules.secret_of(form, "new_password"))
    # Pending links were for the old password, or requested by somebody who knew it.
    drop_links(context.session, user.id, RESET, CONFIRM_EMAIL, LOG_IN)
    context.session.flush()


def check_not_me(context: AccountContext, uid: str, secret: str) -> User:
    """The account that a link in a security mail reclaims; does not use up the link.

    Raises BadLinkError and LinkUsedError.
    """
    return _open_not_me(context, uid, secret)[1]


def reclaim_account(context: AccountContext, uid: str, secret: str) -> User:
    """Lock everyone out of an account, and mail a password reset link to the address that got the used link.

    Ends sessions, deletes API tokens and feed addresses, and clears the password; removes passkeys, apps and
    recovery codes added since the link was sent, restores the address if it was changed since, and deletes
    later links, which an intruder may have caused. Raises BadLinkError and LinkUsedError.
    """
    link, user = _open_not_me(context, uid, secret)
    session = context.session
    free_address(session, link.email, user)
    link.used = clock.now()
    user.email, user.email_confirmed = link.email, True
    user.password = UNUSABLE
    end_all_sessions(session, user.id)
    session.execute(delete(ApiToken).where(ApiToken.user_id == user.id))
    feed_addresses.revoke_all(session, user.id)
    remove_second_factors(session, user, since=link.created - SAME_MOMENT)
    drop_links(session, user.id, RESET, CONFIRM_EMAIL, LOG_IN)
    later = delete(AccountLink).where(
        AccountLink.user_id == user.id, AccountLink.purpose == NOT_ME, AccountLink.id > link.id
    )
    session.execute(later)
    reset = make_link(session, user, RESET, user.email)
    letter = letters.reset(user, reset.secret)
    queue(session, context.settings, letter, user=user, kind="reset", until=reset.row.expires)
    record_security_event(context, user, SecurityEventKind.NOT_ME)
    context.log(log, "Account taken back by its owner", user.username, logging.WARNING)
    return user


def _open_not_me(context: AccountContext, uid: str, secret: str) -> tuple[AccountLink, User]:
    link, user = open_link(context.session, NOT_ME, secret, uid)
    if not user.is_active:
        raise BadLinkError
    return link, user
