"""Security events: what happened to an account, for its owner to see, and the mails that tell of it."""

import re
from datetime import timedelta
from ipaddress import ip_network

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.letters import mailed_text, security_letter
from comicsdb.accounts.links import make_link
from comicsdb.mail import queue
from comicsdb.mail.letter import printable
from comicsdb.models import LoginSession, SecurityEvent, SecurityEventKind, User
from comicsdb.models.account import NOT_ME

BROWSER_LENGTH = 255
NOT_ME_LIFETIME = timedelta(days=7)
# An account that somebody makes noise with gets so many mails of one kind in an hour, and no more.
MAILS_PER_KIND = 5
PERIOD = timedelta(hours=1)


def record_security_event(
    context: AccountContext, user: User, kind: SecurityEventKind, **details
) -> SecurityEvent:
    """Note what happened to an account, and mail its owner where that kind of event mails.

    All of it is part of the caller's transaction. `details` are small values of JSON, such as a `name`: the
    owner sees them, so they hold no secrets. `staff=True` says that the administrators did it, and keeps from
    the owner where they did it.
    """
    event = _add(context, user, kind, details)
    if mailed_text(event) and _may_mail(context.session, event):
        _mail(context, user, event, user.email)
    return event


def record_address_change(context: AccountContext, user: User, before: str, **details) -> None:
    """Note that an account has a new address, and tell both that are confirmed; `before` is "" if it was not.

    Only the mail to the address before can take the account back: the other goes to whoever changed it.
    `details` as for `record_security_event`.
    """
    addresses = {"old": before, "new": user.email}
    event = _add(context, user, SecurityEventKind.ADDRESS_CHANGED, addresses | details)
    if before:
        _mail(context, user, event, before)
    if user.email_confirmed:
        letter = security_letter(user, event, secret="")
        queue(context.session, context.settings, letter, user=user, kind="security_address_changed")


def record_log_in(context: AccountContext, user: User) -> None:
    """Note that an account logs in now; a device that was not seen before is told by mail.

    The first log-in of an account is no news. To be called before the session is stored.
    """
    known = user.last_login is None or _device(context.address, context.browser) in _devices(
        context.session, user.id
    )
    kind = SecurityEventKind.LOGGED_IN if known else SecurityEventKind.NEW_DEVICE
    record_security_event(context, user, kind)


def security_events(user_id: int) -> Select[tuple[SecurityEvent]]:
    """The events of an account, the newest first."""
    return select(SecurityEvent).where(SecurityEvent.user_id == user_id).order_by(SecurityEvent.id.desc())


def _add(context: AccountContext, user: User, kind: SecurityEventKind, details: dict) -> SecurityEvent:
    of_owner = not details.get("staff")
    event = SecurityEvent(
        user_id=user.id,
        at=clock.now(),
        kind=kind,
        address=context.address if of_owner else "",
        browser=printable(context.browser)[:BROWSER_LENGTH] if of_owner else "",
        details=details,
    )
    context.session.add(event)
    context.session.flush()
    return event


def _may_mail(session: Session, event: SecurityEvent) -> bool:
    lately = select(func.count()).where(
        SecurityEvent.user_id == event.user_id,
        SecurityEvent.kind == event.kind,
        SecurityEvent.at > event.at - PERIOD,
    )
    return session.scalar(lately) <= MAILS_PER_KIND


def _mail(context: AccountContext, user: User, event: SecurityEvent, to: str) -> None:
    link = make_link(context.session, user, NOT_ME, to, NOT_ME_LIFETIME)
    letter = security_letter(user, event, link.secret)
    kind = f"security_{event.kind}"
    queue(context.session, context.settings, letter, user=user, to=to, kind=kind, until=link.row.expires)


# Those that tell from where an account was used.
DEVICE_EVENTS = (SecurityEventKind.LOGGED_IN, SecurityEventKind.NEW_DEVICE)


def _devices(session: Session, user_id: int) -> set[str]:
    """The devices that an account was used with, as far as that is kept."""
    rows = session.execute(
        select(LoginSession.address, LoginSession.browser)
        .where(LoginSession.user_id == user_id)
        .union(
            select(SecurityEvent.address, SecurityEvent.browser).where(
                SecurityEvent.user_id == user_id, SecurityEvent.kind.in_(DEVICE_EVENTS)
            )
        )
    )
    return {_device(address, browser) for address, browser in rows}


def _device(address: str, browser: str) -> str:
    """What tells devices apart: the browser without the numbers of its version, and the network."""
    return f"{place(address)} {re.sub(r'[0-9._]+', '', printable(browser)[:BROWSER_LENGTH])}"


def place(address: str) -> str:
    """The network that an address belongs to: what of it stays the same from one day to the next."""
    try:
        return str(ip_network(f"{address}/{48 if ':' in address else 24}", strict=False))
    except ValueError:
        return address
