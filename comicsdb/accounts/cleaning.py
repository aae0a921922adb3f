"""What accounts leave over: sessions, links, drafts, imports whose time is up, sign-ups never completed."""

from collections import Counter
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.deletion import remove_account
from comicsdb.accounts.form_drafts import remove_old_form_drafts
from comicsdb.accounts.picture_drafts import remove_old_pictures
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.library.transfer import imports
from comicsdb.models import AccountLink, LoginSession, SecurityEvent, SpentChallenge, User
from comicsdb.models.account import ACTIVATE

KEPT = timedelta(days=7)  # for which the name of a sign-up that was not completed is kept
EVENTS_KEPT = timedelta(days=365)


def clean(session: Session) -> Counter:
    """Remove what is of no use any more; counts each: "sessions", "drafts" and so on."""
    now = clock.now()
    counted = Counter()
    ended = delete(LoginSession).where(LoginSession.expires <= now)
    counted["sessions"] = session.execute(ended).rowcount
    still_waiting = select(AccountLink.user_id).where(
        AccountLink.purpose == ACTIVATE, AccountLink.expires > now - KEPT
    )
    never_active = select(User).where(
        ~User.is_active,
        ~User.email_confirmed,
        User.id.in_(select(AccountLink.user_id).where(AccountLink.purpose == ACTIVATE)),
        User.id.not_in(still_waiting),
    )
    for user in session.scalars(never_active.with_for_update(skip_locked=True)):
        remove_account(session, user)
        counted["accounts"] += 1
    waiting = select(User.id).where(~User.is_active, ~User.email_confirmed)
    spent = delete(AccountLink).where(AccountLink.expires <= now - KEPT, AccountLink.user_id.not_in(waiting))
    counted["links"] = session.execute(spent.execution_options(synchronize_session=False)).rowcount
    counted["events"] = session.execute(
        delete(SecurityEvent).where(SecurityEvent.at <= now - EVENTS_KEPT)
    ).rowcount
    pictures = remove_old_pictures(session)
    UnitOfWork.of(session).release_files(pictures)
    counted["drafts"] = remove_old_form_drafts(session) + len(pictures)
    session.execute(delete(SpentChallenge).where(SpentChallenge.expires <= now))
    counted["imports"] = imports.clean(session)
    return counted
