"""Locks of jobs that must not run twice at the same time, on any machine."""

from contextlib import contextmanager

from sqlalchemy import Engine, func, select

# Keys of PostgreSQL's advisory locks; 412 and 413 are those of commits and imports.
DONATIONS, NOTICES, MEDIA, BACKUP, ACTS, DUMP = range(7_240_414, 7_240_420)
MIRROR = 7_240_420


class AlreadyRunningError(Exception):
    """The job is running already."""


@contextmanager
def job_lock(engine: Engine, key: int):
    """Hold the lock of a job; raises AlreadyRunningError. PostgreSQL releases it when the job dies."""
    # A transaction lock: a connection pooler may switch connections between transactions.
    own = engine.execution_options(isolation_level="READ COMMITTED")
    with own.connect() as connection, connection.begin():
        if not connection.scalar(select(func.pg_try_advisory_xact_lock(key))):
            raise AlreadyRunningError
        # The savepoint ends the SELECT: PostgreSQL would keep all rows that it could see.
        with connection.begin_nested():
            yield
