"""The end of HTTP Basic with the API: who still uses it is reminded by mail."""

import logging
from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, sessionmaker

from comicsdb import clock
from comicsdb.accounts import letters
from comicsdb.mail import queue
from comicsdb.models import User

log = logging.getLogger(__name__)

FIRST, FINAL = 1, 2  # the phases in which reminders are sent
RECENT = timedelta(days=30)  # who used it before that has probably changed over


def remind_basic_users(factory: sessionmaker[Session], settings: Mapping, *, dry_run: bool) -> list[str]:
    """Write to all who used HTTP Basic lately, and since the last reminder; gives their names.

    Nobody is written to twice within the days of `comicsdb.basic_remind_days`. Each mail is stored in a
    transaction of its own together with the note of it. In phases 0 and 3 there is nothing to say.
    """
    if settings["comicsdb.basic_phase"] not in (FIRST, FINAL):
        return []
    with factory() as session:
        found = session.execute(_due(settings).order_by(User.username)).all()
    if dry_run:
        return [username for _user_id, username in found]
    return [username for user_id, username in found if _remind(factory, settings, user_id)]


def _due(settings: Mapping):
    now = clock.now()
    long_ago = now - timedelta(days=settings["comicsdb.basic_remind_days"])
    return select(User.id, User.username).where(
        User.is_active,
        User.email_confirmed,
        User.basic_used >= (now - RECENT).date(),
        or_(
            User.basic_reminded.is_(None),
            (User.basic_reminded <= long_ago)
            & (User.basic_used > func.date(func.timezone("UTC", User.basic_reminded))),
        ),
    )


def _remind(factory: sessionmaker[Session], settings: Mapping, user_id: int) -> bool:
    """Write to one account, unless somebody else is just doing so or has done so."""
    with factory() as session:
        due = _due(settings).where(User.id == user_id).with_for_update(skip_locked=True)
        if session.execute(due).first() is None:
            return False
        user = session.get_one(User, user_id)
        letter = letters.basic_reminder(
            user, settings["comicsdb.basic_phase"], user.basic_used, settings["comicsdb.basic_sunset"]
        )
        queue(session, settings, letter, user=user, kind="basic_reminder")
        user.basic_reminded = clock.now()
        session.commit()
    log.info("Reminded of the end of HTTP Basic (user=%s, ip=-)", user.username)
    return True
