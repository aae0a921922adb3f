"""A very small catalog for tests of readers' libraries, such as pull list, wish list and feeds."""

from datetime import date
from types import SimpleNamespace


def small_catalog(make) -> SimpleNamespace:
    """A publisher with two series, one with three issues and one without issues."""
    w = SimpleNamespace()
    with make.single_commit():
        w.publisher = make.publisher(name="Harbor House")
        named = {"publisher": w.publisher, "year_began": 2019}
        w.series = make.series(name="Lamplight", sort_name="Lamplight", **named)
        w.book = make.series(
            name="Lamplight Collected", sort_name="Lamplight Collected", series_type=10, **named
        )
        w.first = make.issue(series=w.series, number="1", cover_date=date(2019, 5, 1))
        w.second = make.issue(series=w.series, number="2", cover_date=date(2019, 6, 1))
        w.third = make.issue(series=w.series, number="3", cover_date=date(2019, 7, 1))
    return w
