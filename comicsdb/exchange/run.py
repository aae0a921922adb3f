"""The state that the steps of an import share: its transaction, problems and report."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import psycopg
from sqlalchemy.orm import Session

from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.exchange.compression import SUFFIX
from comicsdb.exchange.downloads import MANIFEST
from comicsdb.exchange.format import File
from comicsdb.media.storage import Storage
from comicsdb.problems import EXAMPLES_MAX, Problems


@dataclass
class Advice:
    """The rows that violate an advisory rule: how many there are, and the first few locations."""

    count: int = 0
    places: list[str] = field(default_factory=list)


@dataclass
class Report:
    """The result of an import. `counts` maps a file to "read", "new", "changed" and "unchanged" rows."""

    counts: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))
    advice: dict[str, Advice] = field(default_factory=lambda: defaultdict(Advice))
    unread_files: list[str] = field(default_factory=list)  # names of files, with reasons
    notes: list[str] = field(default_factory=list)
    pictures: int = 0
    seconds: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)  # seconds by phase

    def count(self, file: str, what: str, number: int = 1) -> None:
        """Add to a count of a file."""
        self.counts[file][what] += number

    def advise(self, rule: str, file: str, line: int, words: str) -> None:
        """Record that a row violates an advisory rule."""
        advice = self.advice[rule]
        advice.count += 1
        if len(advice.places) < EXAMPLES_MAX:
            advice.places.append(f"{file}:{line}: {words}" if words else f"{file}:{line}")

    @property
    def rows(self) -> int:
        """Records read."""
        return sum(counts["read"] for counts in self.counts.values())

    @property
    def changed_anything(self) -> bool:
        """Whether the import changed the database."""
        return any(counts["new"] or counts["changed"] for counts in self.counts.values())

    def lines(self) -> list[str]:
        """The report as text."""
        lines = [f"{'':16}{'read':>10}{'new':>10}{'changed':>10}{'unchanged':>11}"]
        for file, counts in self.counts.items():
            if not counts["read"]:
                continue
            numbers = (f"{counts[what]:>10,}" for what in ("read", "new", "changed"))
            lines.append(f"{file:16}{''.join(numbers)}{counts['unchanged']:>11,}")
        speed = self.rows / self.seconds if self.seconds else 0
        lines.append(f"{self.rows:,} rows in {self.seconds:.1f} s, {speed:,.0f} rows/s")
        if self.pictures:
            lines.append(f"{self.pictures:,} pictures stored")
        if not self.changed_anything:
            lines.append("Nothing had to be changed.")
        lines += self.notes
        for rule, advice in self.advice.items():
            lines.append(f"{advice.count:,} x {rule}, such as:")
            lines += [f"    {place}" for place in advice.places]
        lines += [f"Not read: {file}" for file in self.unread_files]
        return lines


class SilentProgress:
    """Progress that is not shown; commands have a subclass with a progress bar."""

    def start(self, size: int) -> None:
        """Start reading `size` bytes."""

    def read(self, size: int) -> None:
        """Report that `size` more bytes were read."""

    def step(self, words: str) -> None:
        """Report the next step, after reading."""


@dataclass
class ImportRun:
    """One import: its data set, its transaction, and its results so far.

    `cursor` is a psycopg cursor of the session's connection, for COPY and set-based statements in the same
    transaction.
    """

    session: Session
    cursor: psycopg.Cursor
    folder: Path
    storage: Storage
    accounts: bool
    keep_ids: bool  # use the ids of the set, as the catalog is empty
    today: date  # the business day: ratings of issues that are not out yet are not counted
    progress: SilentProgress
    problems: Problems = field(default_factory=Problems)
    report: Report = field(default_factory=Report)
    replaced_pictures: list[str] = field(default_factory=list)  # deleted after the commit

    @property
    def unit(self) -> UnitOfWork:
        """The unit of work of the session."""
        return UnitOfWork.of(self.session)

    def has(self, file: File) -> bool:
        """Whether the data set has a file."""
        return self.path(file).is_file()

    def path(self, file: File) -> Path:
        """The path of a file of the data set, or of the compressed file if only that exists."""
        plain = self.folder / file.file_name
        compressed = plain.with_name(plain.name + SUFFIX)
        return compressed if compressed.is_file() and not plain.is_file() else plain

    @property
    def is_dump(self) -> bool:
        """Whether the data set is a dump, whose pictures may be stored elsewhere."""
        return (self.folder / MANIFEST).is_file()

    def rows(self, statement: str, *parameters) -> list[tuple]:
        """Execute a statement and return its rows."""
        self.cursor.execute(statement, parameters or None)
        return self.cursor.fetchall()

    def ids(self, statement: str, *parameters) -> set[int]:
        """Execute a statement that returns ids."""
        return {each for (each,) in self.rows(statement, *parameters)}
