"""The state that the steps of an import share: its transaction, problems and report."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from pathlib import Path

import psycopg
from sqlalchemy.orm import Session

from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.exchange.compression import SUFFIX
from comicsdb.exchange.downloads import MANIFEST
from comicsdb.exchange.format import File
from comicsdb.media.storage import Storage
from comicsdb.models.base import INTEGER_MAX

EXAMPLES_MAX = 5  # per kind of problem, and per advisory rule in the report
BROKEN_MAX = 100_000  # ids of invalid rows per file that are kept
_VALUES = re.compile(
    r", not .*|images/\S+|U\+[0-9A-F]+|\d+", re.DOTALL
)  # what differs between messages of one kind
_PLACE = re.compile(r"\[\d+\]")


@dataclass(frozen=True)
class Problem:
    """An invalid value: the file, its line (0 for the whole file), the field, and a message."""

    file: str
    line: int
    field: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.field}: {self.message}" if self.field else f"{place}: {self.message}"


@dataclass
class ProblemKind:
    """Problems of one kind: a title, their number, and the first ones."""

    title: str
    count: int = 0
    examples: list[Problem] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The problems as text; a title with the number comes first unless all are listed."""
        examples = [str(problem) for problem in self.examples]
        if self.count <= len(examples):
            return examples
        return [f"{self.title}: {self.count:,} times, first:", *(f"  {example}" for example in examples)]


class ImportFailedError(Exception):
    """A data set is invalid, and none of it was stored; the text lists the problems by kind."""

    def __init__(self, problems: list[Problem], kinds: Iterable[ProblemKind] = ()):
        lines = [line for kind in kinds for line in kind.lines()]
        super().__init__("\n".join(lines or map(str, problems)))
        self.problems = problems


class Problems:
    """Collects problems by kind: file, field and rule. It keeps the number and the first few of each kind."""

    def __init__(self):
        self._kinds: dict[tuple[str, str, str], ProblemKind] = {}
        self._broken: dict[str, set[int]] = {}

    def add(self, file: str, line: int, field: str, message: str, rule: str = "") -> None:
        """Add a problem; `rule` is what messages of the kind have in common, by default all but values."""
        rule = rule or _VALUES.sub("…", message)
        self.add_rows(file, field, rule, [(line, message)], 1)

    def add_rows(self, file: str, field: str, rule: str, rows: Iterable[tuple[int, str]], count: int) -> None:
        """Add `count` problems of one kind, of which `rows` are the first ones: line and message."""
        field_of_all = _PLACE.sub("[]", field)
        key = (file, field_of_all, rule)
        title = f"{file}: {field_of_all}" if field else file
        kind = self._kinds.setdefault(key, ProblemKind(title))
        kind.count += count
        room = EXAMPLES_MAX - len(kind.examples)
        kind.examples += [Problem(file, line, field, message) for line, message in islice(rows, room)]

    def mark_broken(self, file: str, identifier) -> None:
        """Mark the row with an id as invalid, so that references to it are not reported as well."""
        broken = self._broken.setdefault(file, set())
        if type(identifier) is int and 0 < identifier <= INTEGER_MAX and len(broken) <= BROKEN_MAX:
            broken.add(identifier)

    def broken(self, file: str) -> list[int] | None:
        """The ids of the rows that are in the file, but invalid; None if there are too many."""
        broken = self._broken.get(file, ())
        return None if len(broken) > BROKEN_MAX else list(broken)

    def stop_if_any(self) -> None:
        """Raise ImportFailedError if there are problems."""
        if self._kinds:
            problems = [problem for kind in self._kinds.values() for problem in kind.examples]
            raise ImportFailedError(problems, self._kinds.values())


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
    keep_ids: bool  # use the ids of the set, as the catalogue is empty
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
