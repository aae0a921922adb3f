""" "This was not me": who reads the mail of an account takes it back from whoever else has come in."""

import logging
from datetime import timedelta

from sqlalchemy import delete

from comicsdb import clock
from comicsdb.accounts import letters
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.errors import BadLinkError
from comicsdb.accounts.links import drop_links, make_link, open_link
from comicsdb.accounts.passwords import UNUSABLE
from comicsdb.accounts.profile import other_holder
from comicsdb.accounts.second_factor import remove_second_factors
from comicsdb.accounts.security_events import record_security_event
from comicsdb.accounts.sessions import end_all_sessions
from comicsdb.accounts.storing import lock_email
from comicsdb.library import feeds
from comicsdb.mail import queue
from comicsdb.models import AccountLink, ApiToken, SecurityEventKind, User
from comicsdb.models.account import CONFIRM_EMAIL, LOG_IN, NOT_ME, RESET

SAME_MOMENT = timedelta(minutes=1)  # what a mail tells of was stored just before its link

log = logging.getLogger(__name__)


def check_not_me(context: AccountContext, uid: str, secret: str) -> User:
    """The account that a link of a security mail takes back; it stays good.

    Raises BadLinkError, LinkSpentError.
    """
    return _open(context, uid, secret)[1]


def take_back(context: AccountContext, uid: str, secret: str) -> User:
    """Shut everybody out of an account, and send a link for a new password to where the link was sent.

    Sessions, API tokens and feed addresses end, and the password does not count any more; passkeys, apps and
    recovery codes go that were added since the link was sent. If the account's address was changed since,
    it is the one before again. Links that were sent later go: an intruder may have caused them. Raises
    BadLinkError and LinkSpentError.
    """
    link, user = _open(context, uid, secret)
    session = context.session
    lock_email(session, link.email)
    if other_holder(session, link.email, user) is not None:
        raise BadLinkError
    link.used = clock.now()
    user.email, user.email_confirmed = link.email, True
    user.password = UNUSABLE
    end_all_sessions(session, user.id)
    session.execute(delete(ApiToken).where(ApiToken.user_id == user.id))
    feeds.revoke_all(session, user.id)
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


def _open(context: AccountContext, uid: str, secret: str) -> tuple[AccountLink, User]:
    link, user = open_link(context.session, NOT_ME, secret, uid)
    if not user.is_active:
        raise BadLinkError
    return link, user
