"""Late stamps: updates of stamps that would block other writers too long in one transaction.

A rename can affect all issues of a long series. The transaction that writes it then only notes their ids
(`models.LateStamps`); the stamps move after its commit, in transactions of their own. Until then, the time of
the note is a validator of everything that has stamps (`readcache.validators.late`), so cached responses show
the change from its commit on. Clients that ask for recently modified objects find each object as soon as its
stamp has moved, with a time after the change.
"""

import logging

from sqlalchemy import delete, event, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from comicsdb.catalog import piecewise, unit_of_work
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.models import LateStamps

logger = logging.getLogger(__name__)


def move_stamps(session: Session, note_id: int) -> None:
    """Move the stamps of a note, in transactions separate from the session's, and remove the note."""
    with piecewise.separate_session(session) as own:
        note = own.execute(select(LateStamps.kind, LateStamps.ids).where(LateStamps.id == note_id)).first()
    if note is None:
        return

    def write(own: Session, ids: set[int]) -> None:
        UnitOfWork.of(own).changes.touched[note.kind] |= ids
        UnitOfWork.of(own).propagate()

    most = unit_of_work.IMMEDIATE_MAX  # the stamps of more would be late again
    piecewise.in_pieces(session, note.ids, write, most=most)
    with piecewise.separate_session(session) as own:
        own.execute(delete(LateStamps).where(LateStamps.id == note_id))
        UnitOfWork.of(own).record_outdated(note.kind)  # invalidates responses validated by the note


def resume_interrupted(factory: sessionmaker[Session], pause) -> None:
    """Move the stamps of notes older than a pause, as the processes that made them were interrupted."""
    with factory() as session:
        for each in session.scalars(select(LateStamps.id).where(LateStamps.at < func.now() - pause)).all():
            move_stamps(session, each)


def _after_commit(session: Session) -> None:
    if session.in_nested_transaction():
        return
    for each in UnitOfWork.of(session).changes.notes:
        try:
            move_stamps(session, each)
        except SQLAlchemyError:  # the change is committed already, so this must not fail
            logger.warning("The stamps of note %d will move later.", each, exc_info=True)


def register_listeners(factory: sessionmaker[Session]) -> None:
    """Add the listener to the sessions of a factory; must run after the unit of work added its own."""
    event.listen(factory, "after_commit", _after_commit)
