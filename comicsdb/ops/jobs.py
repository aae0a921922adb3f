"""Locks of jobs that must not run twice at the same time, on any machine."""

from contextlib import contextmanager

from sqlalchemy import Engine, func, select

# Keys of PostgreSQL's advisory locks; those ending in 412 and 413 belong to commits and imports.
DONATIONS, NOTICES, MEDIA, BACKUP, ACTS, DUMP = range(7_240_414, 7_240_420)
MIRROR = 7_240_420


class AlreadyRunningError(Exception):
    """The job is already running."""


@contextmanager
def job_lock(engine: Engine, key: int):
    """Hold the lock of a job; raises AlreadyRunningError. PostgreSQL releases it if the job dies."""
    # A transaction lock: a connection pooler may switch connections between transactions.
    own = engine.execution_options(isolation_level="READ COMMITTED")
    with own.connect() as connection, connection.begin():
        if not connection.scalar(select(func.pg_try_advisory_xact_lock(key))):
            raise AlreadyRunningError(
                "The command, or one that must not run at the same time, is already running."
            )
        # The savepoint ends the SELECT, whose snapshot would keep PostgreSQL from removing dead rows.
        with connection.begin_nested():
            yield
