"""Security events of an account, which its owner can read, and the mails about them."""

import re
from datetime import timedelta
from ipaddress import ip_network

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.letters import mailed_text, security_letter
from comicsdb.accounts.links import make_link
from comicsdb.log_lines import printable
from comicsdb.mail import queue
from comicsdb.models import LoginSession, SecurityEvent, SecurityEventKind, User
from comicsdb.models.account import NOT_ME

BROWSER_LENGTH = 255
NOT_ME_LIFETIME = timedelta(days=7)
# The maximum number of mails of one kind to an account per PERIOD.
MAILS_PER_KIND = 5
PERIOD = timedelta(hours=1)


def record_security_event(
    context: AccountContext, user: User, kind: SecurityEventKind, **details
) -> SecurityEvent:
    """Record an event of an account, and mail its owner if events of that kind are mailed.

    Both are part of the caller's transaction. `details` are small JSON values, such as a `name`; the owner
    sees them, so they must not hold secrets. `staff=True` marks actions of the administrators, whose address
    and browser are not recorded.
    """
    event = _add(context, user, kind, details)
    if mailed_text(event) and _may_mail(context.session, event):
        _mail(context, user, event, user.email)
    return event


def record_address_change(context: AccountContext, user: User, before: str, **details) -> None:
    """Record a new mail address and mail both if confirmed; `before` is "" if the old one was unconfirmed.

    Only the mail to the old address has a link to reclaim the account, as the new one may be an intruder's.
    `details` are those of `record_security_event`.
    """
    addresses = {"old": before, "new": user.email}
    event = _add(context, user, SecurityEventKind.ADDRESS_CHANGED, addresses | details)
    if before:
        _mail(context, user, event, before)
    if user.email_confirmed:
        letter = security_letter(user, event, secret="")
        queue(context.session, context.settings, letter, user=user, kind="security_address_changed")


def record_log_in(context: AccountContext, user: User) -> None:
    """Record a log-in; the owner gets a mail about a new device, except about the account's first log-in.

    Must be called before the session is stored.
    """
    known = user.last_login is None or _device(context.address, context.browser) in _devices(
        context.session, user.id
    )
    kind = SecurityEventKind.LOGGED_IN if known else SecurityEventKind.NEW_DEVICE
    record_security_event(context, user, kind)


def security_events(user_id: int) -> Select[tuple[SecurityEvent]]:
    """The events of an account, newest first."""
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


# Events that record where an account was used from.
DEVICE_EVENTS = (SecurityEventKind.LOGGED_IN, SecurityEventKind.NEW_DEVICE)


def _devices(session: Session, user_id: int) -> set[str]:
    """The devices that an account was used with, from its sessions and events."""
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
    """The identity of a device: its network, and the browser without version numbers."""
    return f"{network_prefix(address)} {re.sub(r'[0-9._]+', '', printable(browser)[:BROWSER_LENGTH])}"


def network_prefix(address: str) -> str:
    """The network of an address (/24 for IPv4, /48 for IPv6), which rarely changes from day to day."""
    try:
        return str(ip_network(f"{address}/{48 if ':' in address else 24}", strict=False))
    except ValueError:
        return address
