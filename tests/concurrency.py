"""Jobs that run at the same time, each on a connection and in a transaction of its own."""

import threading
from concurrent.futures import ThreadPoolExecutor

from comicsdb.catalog import Catalog, Conflict


def at_once(factory, *jobs):
    """Run jobs that start together, each with a catalogue of its own, and commit; gives their results.

    A job that ends in a Conflict is rolled back, and the conflict is its result.
    """
    barrier = threading.Barrier(len(jobs))

    def run(job):
        with factory() as session:
            catalog = Catalog(session)
            barrier.wait()
            try:
                answer = job(catalog)
                session.commit()
            except Conflict as conflict:
                session.rollback()
                return conflict
            return answer

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))
