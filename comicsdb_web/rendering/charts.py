"""Charts drawn on the server, by `macros/charts.jinja2`: their figures and their geometry."""

from dataclasses import dataclass
from datetime import date
from itertools import count
from math import ceil

from babel import Locale, dates

WEEK = 7  # days between the dates below a chart of days
MOST_TICKS = 4  # steps of an axis
FIRST = 7  # percent of the width of a column chart that its axis takes


@dataclass(frozen=True)
class Point:
    """A figure with what it stands for; `marks` are the lines written below its column, none for no words.

    Where there is little room, only a point that `begins` something keeps more than the first of them.
    """

    label: str
    value: int
    marks: tuple[str, ...] = ()
    begins: bool = False
    href: str = ""  # where its row in the table leads
    written: str = ""  # its figure in words, where it is more than a number


@dataclass(frozen=True)
class Chart:
    """Figures under a title; `text` says in words what is shown, `head` and `unit` stand above the table."""

    name: str  # its id on the page
    title: str
    text: str
    head: str
    unit: str
    points: list[Point]

    @property
    def total(self) -> int:
        """All figures together."""
        return sum(point.value for point in self.points)

    @property
    def ticks(self) -> list[int]:
        """The whole numbers at the axis, from 0 to one that no figure exceeds."""
        return axis(max((point.value for point in self.points), default=0))

    def share(self, value: int) -> float:
        """How far along the axis a figure reaches, in percent."""
        return round(100 * value / self.ticks[-1], 2)

    def column(self, index: int) -> tuple[float, float]:
        """Where the column of a point begins and how wide it is, in percent of the whole chart."""
        step = (100 - FIRST) / len(self.points)
        return round(FIRST + step * (index + 0.14), 2), round(step * 0.72, 2)

    def middle(self, index: int) -> float:
        """Where the words below a column have their middle, in percent."""
        begin, width = self.column(index)
        return round(begin + width / 2, 2)


def axis(peak: int) -> list[int]:
    """Whole numbers in equal, round steps from 0 to at least `peak`, at least 0 and 1."""
    steps = (lead * 10**power for power in count() for lead in (1, 2, 5))
    step = next(each for each in steps if each * MOST_TICKS >= peak)
    return [step * each for each in range(max(1, ceil(peak / step)) + 1)]


def with_rest(points: list[Point], most: int, label: str) -> list[Point]:
    """The first points, and all others as one with a label; never only one of them."""
    if len(points) <= most:
        return points
    return [*points[: most - 1], Point(label, sum(point.value for point in points[most - 1 :]))]


def days(locale: Locale, figures: list[tuple[date, int]]) -> list[Point]:
    """Figures by day, the latest last, with a date below each seventh, from the end on."""
    points = []
    for place, (day, value) in enumerate(reversed(figures)):
        marks = (dates.format_skeleton("MMMd", day, locale=locale),) if place % WEEK == 0 else ()
        points.append(Point(dates.format_date(day, "long", locale=locale), value, marks))
    return points[::-1]


def months(locale: Locale, figures: list[tuple[date, int]]) -> list[Point]:
    """Figures by month, each month given by its first day, with month and year below."""
    return [
        Point(
            dates.format_skeleton("yMMMM", month, locale=locale),
            value,
            (dates.format_date(month, "LLL", locale=locale), str(month.year)),
            begins=month.month == 1 or (place == 0 and month.month < 12),  # never two side by side
        )
        for place, (month, value) in enumerate(figures)
    ]
