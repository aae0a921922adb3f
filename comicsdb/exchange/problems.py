"""What is wrong with a data set: places and reasons, several of them collected before giving up."""

from dataclasses import dataclass

LIMIT = 50  # so many are told at once


@dataclass(frozen=True)
class Problem:
    """One thing wrong: the file, its line (0 where it is about the whole file), the field, and what."""

    file: str
    line: int
    field: str
    what: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.field}: {self.what}" if self.field else f"{place}: {self.what}"


class ImportFailedError(Exception):
    """A data set was refused; nothing of it was stored. `problems` says why, the text all of them."""

    def __init__(self, problems: list[Problem]):
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class Problems:
    """Collects problems; the fiftieth ends the run at once."""

    def __init__(self):
        self.found: list[Problem] = []
        self._broken: dict[str, set[int]] = {}

    @property
    def room(self) -> int:
        """How many more are collected."""
        return LIMIT - len(self.found)

    def add(self, file: str, line: int, field: str, what: str) -> None:
        """Note a problem; raises ImportFailedError when there are enough."""
        self.found.append(Problem(file, line, field, what))
        if not self.room:
            raise ImportFailedError(self.found)

    def broken(self, file: str, identifier) -> None:
        """Remember that the row with this id could not be read, so that nothing else is said about it."""
        if isinstance(identifier, int):
            self._broken.setdefault(file, set()).add(identifier)

    def is_broken(self, file: str, identifier: int) -> bool:
        """Whether the row was there but could not be read."""
        return identifier in self._broken.get(file, ())

    def stop_if_any(self) -> None:
        """Raise ImportFailedError when anything was found."""
        if self.found:
            raise ImportFailedError(self.found)
