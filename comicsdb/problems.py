"""Problems of a file that is imported: counted by kind, with the first ones of each."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

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

    @property
    def kinds(self) -> dict[tuple[str, str, str], ProblemKind]:
        """The problems by file, field and rule."""
        return self._kinds

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
