"""The current time, and the current date in the site's time zone."""

from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from sqlalchemy import ColumnElement, or_

SKEW = timedelta(minutes=5)  # between the clocks of the machines of a site


@cache
def zone_names() -> tuple[str, ...]:
    """Return the names of all time zones, sorted."""
    return tuple(sorted(available_timezones()))


def now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)


def latest() -> datetime:
    """Return the latest time that can have been stored; a later one was stored while the clock was wrong."""
    return now() + SKEW


def is_due(column: ColumnElement, longest: timedelta) -> ColumnElement[bool]:
    """Return the condition that a stored time has come.

    A time further ahead than work is ever postponed was stored while the clock was wrong.
    """
    moment = now()
    return or_(column <= moment, column > moment + longest)


def business_day(zone: ZoneInfo, moment: datetime | None = None) -> date:
    """Return the date in `zone` at a moment, by default now."""
    return (moment or now()).astimezone(zone).date()


def monday_of(day: date) -> date:
    """Return the Monday of the week that contains a day."""
    return day - timedelta(days=day.weekday())


def first_of_month(day: date, back: int) -> date:
    """Return the first day of the month that is `back` months before that of a day."""
    months = day.year * 12 + day.month - 1 - back
    return date(months // 12, months % 12 + 1, 1)


def _today(request) -> date:
    return business_day(request.registry.settings["comicsdb.timezone"])


def includeme(config):
    """Add `request.today`, computed for each request."""
    config.add_request_method(_today, "today", reify=True)
