"""What the account functions need to know of a request and of the site."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from comicsdb.accounts.guard import Guard
from comicsdb.accounts.passwords import Passwords
from comicsdb.http.client_address import client_ip
from comicsdb.mail.letter import printable
from comicsdb.media.storage import Storage


@dataclass(frozen=True)
class AccountContext:
    """Somebody at the site: from an address (IP), with a browser, reading pages in a language.

    `apart` opens a session whose commits are independent of the request's: for what must be kept of a request
    that is refused.
    """

    session: Session
    apart: Callable[[], Session]
    passwords: Passwords
    guard: Guard
    storage: Storage
    settings: Mapping
    address: str
    browser: str
    language: str

    def log(self, logger: logging.Logger, what: str, username: str, level: int = logging.INFO) -> None:
        """Write a line in the one form that names account and address."""
        name = printable(username)[:150] or "-"
        extra = {"username": name, "ip": self.address}
        logger.log(level, "%s (user=%s, ip=%s)", what, name, self.address, extra=extra)


def of_command(session: Session, settings: Mapping) -> AccountContext:
    """For an administrator's command, which has no address and checks no passwords."""
    return AccountContext(session, None, None, None, None, settings, address="", browser="", language="")


def of_request(request) -> AccountContext:
    """For a request; nothing is read from the database yet."""
    registry = request.registry
    return AccountContext(
        session=request.dbsession,
        apart=registry["comicsdb.session_factory"],
        passwords=request.passwords,
        guard=registry["comicsdb.guard"],
        storage=request.media,
        settings=registry.settings,
        address=client_ip(request),
        browser=request.user_agent or "",
        language=request.locale_name,
    )
