"""Jobs that may not run twice at once, on whatever machine: the second is told so (web.md 19)."""

from contextlib import contextmanager

from sqlalchemy import Engine, func, select

# Keys of PostgreSQL's advisory locks; 412 and 413 are those of commits and imports.
DONATIONS, NOTICES, MEDIA = 7_240_414, 7_240_415, 7_240_416


class AlreadyRuns(Exception):  # noqa: N818  (a fact, not a fault)
    """Somebody else is at it."""


@contextmanager
def alone(engine: Engine, key: int):
    """Hold the lock of a job; raises AlreadyRuns where it is held. A job that dies gives it back."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if not connection.scalar(select(func.pg_try_advisory_lock(key))):
            raise AlreadyRuns
        try:
            yield
        finally:
            connection.scalar(select(func.pg_advisory_unlock(key)))
