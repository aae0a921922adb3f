"""What the services of readers' libraries share: the lock of one reader, and stamps that move."""

from sqlalchemy import func, text
from sqlalchemy.orm import Session

from comicsdb.models import User

_LIBRARY = 0x6C696272  # the advisory locks of this module; the second number is the account


def lock_account(session: Session, user_id: int) -> None:
    """Wait for who writes this account's collection or stars; others wait until the transaction ends.

    Taken after `UnitOfWork.acquire_write_lock` where both are needed, and before any row.
    """
    session.execute(
        text("SELECT pg_advisory_xact_lock(:library, :account)"), {"library": _LIBRARY, "account": user_id}
    )


def check_account(session: Session, user_id: int) -> None:
    """Raise NoResultFound for an account that was deleted a moment ago: the request is tried again then."""
    session.get_one(User, user_id, populate_existing=True)


def moved(model) -> dict:
    """The values of an update that moves `modified`, which grows strictly, and keeps what it was."""
    later = func.greatest(func.clock_timestamp(), model.modified + text("interval '1 microsecond'"))
    return {"modified": later, "modified_before": model.modified}
