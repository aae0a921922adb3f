"""The set-up of a new site: a link, printed at its start, with which its first administrator is created.

Each link replaces the one before. None is valid once an account is a superuser.
"""

import logging
import secrets
from collections.abc import Mapping

from pyramid.interfaces import IRoutesMapper
from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from comicsdb.accounts.errors import BadLinkError
from comicsdb.accounts.letters import SET_UP
from comicsdb.accounts.passwords import digest, secrets_equal
from comicsdb.models import SignupSettings, User

log = logging.getLogger(__name__)

ROUTE = "account.set_up"  # of the page, which only a site has
INVITATION = "The site has no administrator yet. Set it up, and create the first one, at %s"


def make_setup_link(session: Session, settings: Mapping) -> str | None:
    """A new link, which replaces the one before; None if the site has an administrator or is a mirror."""
    if settings["comicsdb.mirror.origin"] or _has_administrator(session):
        return None
    secret = secrets.token_urlsafe(32)
    _locked_settings(session).setup_digest = digest(secret)
    return settings["comicsdb.base_url"] + SET_UP.format(secret=secret)


def log_setup_link(registry: Registry) -> None:
    """Log a new link, if the application has a site without administrator.

    A start does not fail without the database.
    """
    if registry.getUtility(IRoutesMapper).get_route(ROUTE) is None:
        return
    try:
        with registry["comicsdb.session_factory"]() as session:
            link = make_setup_link(session, registry.settings)
            session.commit()
    except DBAPIError:  # the requests will say so
        return
    if link:
        log.warning(INVITATION, link)


def check_setup_link(session: Session, secret: str) -> None:
    """Raise BadLinkError unless a link is valid; other set-ups wait until the transaction ends."""
    expected = _locked_settings(session).setup_digest
    if not expected or not secrets_equal(expected, digest(secret)) or _has_administrator(session):
        raise BadLinkError


def end_setup(session: Session) -> None:
    """Make the link invalid."""
    _locked_settings(session).setup_digest = ""


def _locked_settings(session: Session) -> SignupSettings:
    return session.get_one(SignupSettings, 1, with_for_update=True, populate_existing=True)


def _has_administrator(session: Session) -> bool:
    return session.scalar(select(User.id).where(User.is_superuser).limit(1)) is not None
