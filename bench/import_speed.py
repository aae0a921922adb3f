"""Measures time and memory of an import, and where the time goes.

    python bench/import_speed.py FOLDER

Starts a PostgreSQL of its own in a temporary folder, imports FOLDER with its accounts, then once more.
"""

import resource
import sys
import tempfile
from pathlib import Path

from sqlalchemy import create_engine

from comicsdb.accounts.passwords import Passwords
from comicsdb.cli.database import upgrade
from comicsdb.db import dev_cluster, session_factory
from comicsdb.exchange.importing import import_set
from comicsdb.media.storage import FolderStorage


def main(folder: Path) -> None:
    """Import a data set twice and print the figures."""
    with tempfile.TemporaryDirectory() as scratch:
        cluster = dev_cluster.start(Path(scratch) / "postgres")
        cluster.ensure_database("speed")
        engine = create_engine(cluster.url("speed"))
        upgrade(engine)
        for title in ("into an empty catalog", "once more"):
            with session_factory(engine)() as session:
                report = import_set(session, folder, FolderStorage(Path(scratch) / "media"), Passwords())
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{title}: {report.rows:,} rows in {report.seconds:.1f} s", end="")
            print(f" = {report.rows / report.seconds:,.0f} rows/s; peak {peak:.0f} MB so far")
            for phase, seconds in report.phases.items():
                print(f"    {phase:20}{seconds:8.1f} s")
        engine.dispose()
        cluster.discard()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
