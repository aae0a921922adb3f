"""What an import did: counts per file, pictures, advice, and how long it took."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

EXAMPLES = 5  # places named per kind of advice


@dataclass
class Advice:
    """A rule that some rows do not keep and that import does not enforce; the first few places."""

    count: int = 0
    places: list[str] = field(default_factory=list)


@dataclass
class Report:
    """The result of a run. `counts` maps a file to "read", "new", "changed" and "unchanged" rows."""

    counts: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))
    advice: dict[str, Advice] = field(default_factory=lambda: defaultdict(Advice))
    left: list[str] = field(default_factory=list)  # files that were not read, with the reason
    notes: list[str] = field(default_factory=list)
    pictures: int = 0
    seconds: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)  # seconds each

    def count(self, file: str, what: str, number: int = 1) -> None:
        """Add to a count of a file."""
        self.counts[file][what] += number

    def advise(self, rule: str, file: str, line: int, words: str, number: int = 1) -> None:
        """Note that a row does not keep an advisory rule."""
        advice = self.advice[rule]
        advice.count += number
        if len(advice.places) < EXAMPLES:
            advice.places.append(f"{file}:{line}: {words}" if words else f"{file}:{line}")

    @property
    def rows(self) -> int:
        """Records read."""
        return sum(counts["read"] for counts in self.counts.values())

    @property
    def changed_anything(self) -> bool:
        """Whether the database is another than before."""
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
        lines += [f"Not read: {left}" for left in self.left]
        return lines
