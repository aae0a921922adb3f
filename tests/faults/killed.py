"""Commands in processes of their own that are killed at random moments, and what a database then holds."""

import random
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

from sqlalchemy import NullPool, create_engine, text

from comicsdb.cli import main
from tests.soak import SOAK

ROUNDS = SOAK or 4
# Values that differ between two runs of the same work: times, numbers of transactions, sizes of pieces.
VOLATILE = {"timestamp with time zone", "xid8"}
BOOKKEEPING = {"epoch", "version", "touched_object", "late_stamps", "feed_horizon", "unfinished_act"}


class KilledWork:
    """Work in a forked process, as importing would take longest; its output is appended to a log."""

    def __init__(self, log: Path):
        self.log = log
        self.chance = random.Random(time.time_ns())
        self.seconds = 0.0  # that the last whole run has taken
        self.kills = 0  # of processes that were still working

    def begin(self, work: Callable, *arguments):
        """Start a process that calls `work`."""
        process = get_context("fork").Process(target=_logged, args=(self.log, work, arguments))
        process.start()
        return process

    def kill(self, work: Callable, *arguments, share: float = 1.1) -> bool:
        """Do work, and kill it within a share of its time; returns whether it was still working."""
        begun, process = time.monotonic(), self.begin(work, *arguments)
        process.join(self.chance.uniform(0, share * self.seconds))
        if process.exitcode == 0:
            self.seconds = time.monotonic() - begun
        process.kill()
        process.join()
        self.kills += process.exitcode != 0
        assert process.exitcode in {0, -9}, self.log.read_text()[-3000:]
        return process.exitcode != 0

    def complete(self, work: Callable, *arguments) -> None:
        """Do the work without interruption."""
        begun = time.monotonic()
        process = self.begin(work, *arguments)
        process.join()
        assert process.exitcode == 0, self.log.read_text()[-3000:]
        self.seconds = time.monotonic() - begun


def _logged(log: Path, work: Callable, arguments) -> None:
    sys.stdout = sys.stderr = log.open("a")
    work(*arguments)


def command(*words: str) -> None:
    """Run `comicsdb` in this process."""
    main(words, standalone_mode=False)


def contents(
    url: str, leave_out: set[str] = frozenset(), only: set[str] = frozenset()
) -> dict[str, list[str]]:
    """The rows of all tables, or some, without what differs between two runs of the same work."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        tables: dict[str, list[str]] = {}
        for table, column, form in connection.execute(
            text(
                "SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c"
                " JOIN information_schema.tables t USING (table_schema, table_name)"
                " WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1, c.ordinal_position"
            )
        ):
            tables.setdefault(table, []).extend([column] if form in VOLATILE else [])
        return {
            table: sorted(
                connection.scalars(
                    text(f'SELECT (to_jsonb(t) - CAST(:columns AS text[]))::text FROM "{table}" t'),
                    {"columns": columns},
                )
            )
            for table, columns in tables.items()
            if table not in BOOKKEEPING | leave_out and (not only or table in only)
        }
