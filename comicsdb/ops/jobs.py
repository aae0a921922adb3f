"""Jobs that may not run twice at once, on whatever machine: the second is told so."""

from contextlib import contextmanager

from sqlalchemy import Engine, func, select

# Keys of PostgreSQL's advisory locks; 412 and 413 are those of commits and imports.
DONATIONS, NOTICES, MEDIA, BACKUP = 7_240_414, 7_240_415, 7_240_416, 7_240_417


class AlreadyRunningError(Exception):
    """Somebody else is at it."""


@contextmanager
def alone(engine: Engine, key: int):
    """Hold the lock of a job; raises AlreadyRunningError where it is held. A job that dies gives it back."""
    # Of a transaction, not of a session: a proxy may lend the connection to others between transactions.
    own = engine.execution_options(isolation_level="READ COMMITTED")
    with own.connect() as connection, connection.begin():
        if not connection.scalar(select(func.pg_try_advisory_xact_lock(key))):
            raise AlreadyRunningError
        yield
