"""What account functions need from a request and from the application."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from comicsdb.accounts.guard import Guard
from comicsdb.accounts.passwords import Passwords
from comicsdb.http.client_address import client_ip
from comicsdb.log_lines import printable
from comicsdb.media.storage import Storage


@dataclass(frozen=True)
class AccountContext:
    """A visitor: their session, IP address, browser and language, and the services of the application.

    `independent_session` opens a session that commits on its own: for data that must persist even if the
    request is rejected.
    """

    session: Session
    independent_session: Callable[[], Session]
    passwords: Passwords
    guard: Guard
    storage: Storage
    settings: Mapping
    address: str
    browser: str
    language: str

    def log(self, logger: logging.Logger, what: str, username: str, level: int = logging.INFO) -> None:
        """Log a line with the account and the IP address, in the format shared by all account functions."""
        name = printable(username)[:150] or "-"
        extra = {"username": name, "ip": self.address}
        logger.log(level, "%s (user=%s, ip=%s)", what, name, self.address, extra=extra)


def command_context(session: Session, settings: Mapping) -> AccountContext:
    """The context of a command, which has no address and checks no passwords."""
    return AccountContext(session, None, None, None, None, settings, address="", browser="", language="")


def request_context(request) -> AccountContext:
    """The context of a request; makes no query."""
    registry = request.registry
    return AccountContext(
        session=request.dbsession,
        independent_session=registry["comicsdb.session_factory"],
        passwords=request.passwords,
        guard=registry["comicsdb.guard"],
        storage=request.media,
        settings=registry.settings,
        address=client_ip(request),
        browser=request.user_agent or "",
        language=request.locale_name,
    )
