"""Jobs that run at the same time, each on a separate connection and in a separate transaction."""

import threading
from concurrent.futures import ThreadPoolExecutor

from psycopg.errors import DeadlockDetected
from sqlalchemy.exc import OperationalError

from comicsdb.catalog import Catalog, ConflictError

ATTEMPTS = 5  # the same number as for a request


def run_concurrently(factory, *jobs):
    """Run jobs that start together, each with its own catalogue, commit them, and return their results.

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
