"""Jobs that run at the same time, each on a separate connection and in a separate transaction."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

from psycopg.errors import DeadlockDetected
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from comicsdb.catalog import Catalog, ConflictError
from tests.waiting import wait_until

ATTEMPTS = 5  # the same number as for a request


def run_concurrently(factory, *jobs):
    """Run jobs that start together, each with its own catalog, commit them, and return their results.

    A job that ends in a conflict is rolled back, and the conflict is its result. A job that meets a deadlock
    is tried again, as a request would be.
    """
    barrier = threading.Barrier(len(jobs))

    def run(job):
        barrier.wait()
        for attempt in range(ATTEMPTS):
            with factory() as session:
                try:
                    answer = job(Catalog(session))
                    session.commit()
                except ConflictError as conflict:
                    session.rollback()
                    return conflict
                except OperationalError as error:
                    session.rollback()
                    if not isinstance(error.orig, DeadlockDetected) or attempt == ATTEMPTS - 1:
                        raise
                else:
                    return answer
        return None  # never reached: the last attempt returns or raises

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))


def second_waits(factory, first, second) -> Future:
    """Write in two transactions at once, of which the second must wait for the first; returns the second."""

    def write():
        with factory() as session:
            second(session)
            session.commit()

    # Not pg_stat_activity, which shows the same connections throughout a transaction.
    blocked = text(
        "SELECT EXISTS (SELECT FROM pg_locks"
        " WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid)))"
    )
    with factory() as session, ThreadPoolExecutor(1) as pool:
        first(session)
        waiting = pool.submit(write)
        wait_until(lambda: waiting.done() or session.scalar(blocked))
        assert not waiting.done()
        session.commit()
    return waiting
