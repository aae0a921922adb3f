"""A new password: chosen by who knows the old one, or by who reads the account's mail (web.md 10)."""

import logging
from collections.abc import Iterable, Mapping

from comicsdb.accounts import letters, rules
from comicsdb.accounts.errors import BadLink, LinkSpent
from comicsdb.accounts.links import drop_links, make_link, open_link
from comicsdb.accounts.login import confirm_password
from comicsdb.accounts.sessions import end_all_sessions, renew_session
from comicsdb.accounts.storing import only_for
from comicsdb.accounts.visit import Visit
from comicsdb.catalog.errors import Invalid
from comicsdb.mail import queue
from comicsdb.models import AccountLink, User
from comicsdb.models.account import CONFIRM_EMAIL, RESET

log = logging.getLogger(__name__)

FIELDS = {"": "new_password", "again": "new_password_again"}


def about(user: User) -> Iterable[str]:
    """What a password must not be similar to."""
    return (user.username, user.email.rpartition("@")[0], user.email, user.first_name, user.last_name)


def change_password(visit: Visit, user_id: int, identifier: str, form: Mapping) -> str:
    """Change a password; the session of `identifier` goes on under the one given, every other ends.

    The form has `password` (the present one), `new_password` and `new_password_again`. Raises Invalid by
    field, and TooManyFailures.
    """
    user = visit.session.get_one(User, user_id, with_for_update=True, populate_existing=True)
    problems = _problems(form, user)
    if problems:
        raise Invalid(problems)
    confirm_password(visit, user, rules.secret_of(form, "password"))
    _set(visit, user, form)
    end_all_sessions(visit.session, user.id, but=identifier)
    visit.log(log, "Password changed", user.username)
    return renew_session(visit.session, identifier)


def request_reset(visit: Visit, email: str) -> None:
    """Send a link to the active account with an address; the same for any other address.

    Raises Invalid for what is no address, and TooManyMails.
    """
    email = rules.normal_email(email)
    problems = rules.email_problems(email)
    if problems:
        raise Invalid({"email": problems})
    visit.guard.mail_asked(visit.address)
    with only_for(visit, email, User.is_active) as user:
        link = make_link(visit.session, user, RESET, user.email)
        letter = letters.reset(user, link.secret)
        queue(visit.session, visit.settings, letter, user=user, kind="reset", until=link.row.expires)


def check_reset(visit: Visit, uid: str, secret: str) -> User:
    """The account whose password a link may change; the link stays good. Raises BadLink."""
    return _open_reset(visit, uid, secret)[1]


def reset_password(visit: Visit, uid: str, secret: str, form: Mapping) -> User:
    """Set a new password by a link, which is spent with it; all sessions of the account end.

    The form has `new_password` and `new_password_again`. Raises BadLink, and Invalid by field.
    """
    _link, user = _open_reset(visit, uid, secret)
    problems = _problems(form, user)
    if problems:
        raise Invalid(problems)
    _set(visit, user, form)
    user.email_confirmed = True  # whoever opened the link reads that mail
    end_all_sessions(visit.session, user.id)
    visit.log(log, "Password reset", user.username)
    return user


def _open_reset(visit: Visit, uid: str, secret: str) -> tuple[AccountLink, User]:
    try:
        link, user = open_link(visit.session, RESET, secret, uid)
    except LinkSpent:
        raise BadLink from None
    if not user.is_active or link.email != user.email:
        raise BadLink
    return link, user


def _problems(form: Mapping, user: User) -> dict:
    new, again = (rules.secret_of(form, field) for field in FIELDS.values())
    return {FIELDS[part]: texts for part, texts in rules.password_problems(new, again, about(user)).items()}


def _set(visit: Visit, user: User, form: Mapping) -> None:
    user.password = visit.passwords.hash(rules.secret_of(form, "new_password"))
    # Those under way were for the old password, or asked for by somebody who knew it.
    drop_links(visit.session, user.id, RESET, CONFIRM_EMAIL)
    visit.session.flush()
