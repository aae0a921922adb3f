"""Data and geometry of charts, which `macros/charts.jinja2` draws as SVG."""

from dataclasses import dataclass
from datetime import date
from itertools import count
from math import ceil

from babel import Locale, dates

WEEK = 7  # days between the labels of a chart by day
STEPS_MAX = 4  # of an axis
AXIS_WIDTH = 7  # percent of the width of a column chart


@dataclass(frozen=True)
class Point:
    """A figure with its label; `marks` are the lines of text below its column.

    On narrow screens, all but the first line are hidden, unless the point `begins` something, such as a year.
    """

    label: str
    value: int
    marks: tuple[str, ...] = ()
    begins: bool = False
    href: str = ""  # the link of its row in the table
    written: str = ""  # its figure as text, if it is more than a number


@dataclass(frozen=True)
class Chart:
    """A chart with its title, a description (`text`), and the column heads of its table (`head`, `unit`)."""

    name: str  # its id on the page
    title: str
    text: str
    head: str
    unit: str
    points: list[Point]

    @property
    def ticks(self) -> list[int]:
        """Return the numbers of the axis, from 0 to at least the highest figure."""
        return axis(max((point.value for point in self.points), default=0))

    def share(self, value: int) -> float:
        """Return a figure as a percentage of the axis."""
        return round(100 * value / self.ticks[-1], 2)

    def column(self, index: int) -> tuple[float, float]:
        """Return position and width of the column of a point, in percent of the chart."""
        step = (100 - AXIS_WIDTH) / len(self.points)
        return round(AXIS_WIDTH + step * (index + 0.14), 2), round(step * 0.72, 2)

    def middle(self, index: int) -> float:
        """Return the centre of the labels below a column, in percent."""
        begin, width = self.column(index)
        return round(begin + width / 2, 2)


def axis(peak: int) -> list[int]:
    """Return integers in equal, round steps from 0 to at least `peak`; at least 0 and 1."""
    steps = (lead * 10**power for power in count() for lead in (1, 2, 5))
    step = next(each for each in steps if each * STEPS_MAX >= peak)
    return [step * each for each in range(max(1, ceil(peak / step)) + 1)]


def with_rest(points: list[Point], limit: int, label: str) -> list[Point]:
    """Return at most `limit` points; if there are more, the last one is the sum of the rest, with a label."""
    if len(points) <= limit:
        return points
    return [*points[: limit - 1], Point(label, sum(point.value for point in points[limit - 1 :]))]


def days(locale: Locale, figures: list[tuple[date, int]]) -> list[Point]:
    """Return points by day, the latest last, with a date below every seventh, counted from the end."""
    points = []
    for place, (day, value) in enumerate(reversed(figures)):
        marks = (dates.format_skeleton("MMMd", day, locale=locale),) if place % WEEK == 0 else ()
        points.append(Point(dates.format_date(day, "long", locale=locale), value, marks))
    return points[::-1]


def months(locale: Locale, figures: list[tuple[date, int]]) -> list[Point]:
    """Return points by month, each given by its first day, with month and year below."""
    return [
        Point(
            dates.format_skeleton("yMMMM", month, locale=locale),
            value,
            (dates.format_date(month, "LLL", locale=locale), str(month.year)),
            begins=month.month == 1 or (place == 0 and month.month < 12),  # avoids two adjacent years
        )
        for place, (month, value) in enumerate(figures)
    ]
