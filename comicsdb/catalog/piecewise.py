"""Work on many objects, in transactions that each hold the writers' lock for a fraction of a second."""

import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager

from psycopg.errors import DeadlockDetected
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from comicsdb.catalog.unit_of_work import UnitOfWork

SIZE_MIN, SIZE_MAX = 25, 500  # objects per transaction
TARGET_SECONDS = 0.1  # how long a transaction should hold the lock
ATTEMPTS_MAX = 5  # attempts of a transaction that fails by a deadlock


def in_pieces(
    session: Session,
    ids: Iterable[int],
    write: Callable[[Session, set[int]], object],
    *,
    most: int | None = None,
) -> None:
    """Call `write` for pieces of ids, each with a `separate_session`; retries after deadlocks.

    A piece has at most `most` ids, by default SIZE_MAX.
    """
    largest = min(SIZE_MAX, most or SIZE_MAX)
    left, size, attempts = sorted(ids), SIZE_MIN, 0
    while left:
        piece, attempts = left[:size], attempts + 1
        try:
            with separate_session(session) as own:
                begun = time.monotonic()
                write(own, set(piece))
        except OperationalError as error:
            if not isinstance(error.orig, DeadlockDetected) or attempts == ATTEMPTS_MAX:
                raise
        else:
            took = max(time.monotonic() - begun, 0.001)
            left, attempts = left[size:], 0
            size = max(SIZE_MIN, min(largest, 2 * size, int(len(piece) * TARGET_SECONDS / took)))


@contextmanager
def separate_session(session: Session):
    """A session like a given one, in a transaction of its own that holds the writers' lock.

    The transaction is committed at the end of the block.
    """
    with type(session)(session.get_bind()) as own:
        if "media" in session.info:  # the storage, which deletes pictures after the commit
            own.info["media"] = session.info["media"]
        UnitOfWork.of(own).acquire_write_lock()
        yield own
        own.commit()
