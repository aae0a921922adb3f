"""The clock: what moment it is, and what "today" is in the time zone of the site."""

from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

OFFSET_LIMIT = timedelta(hours=16)  # PostgreSQL takes no instant whose offset from UTC is as wide


def has_possible_offset(moment: datetime) -> bool:
    """Whether PostgreSQL takes the offset of a moment; one without an offset has none to refuse."""
    return abs(moment.utcoffset() or timedelta()) < OFFSET_LIMIT


@cache
def zone_names() -> tuple[str, ...]:
    """The time zones of the world, in the order of their names."""
    return tuple(sorted(available_timezones()))


def now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)


def business_day(zone: ZoneInfo, moment: datetime | None = None) -> date:
    """The date in `zone` at a moment, by default the present one."""
    return (moment or now()).astimezone(zone).date()


def monday_of(day: date) -> date:
    """The first day of the week of a day; weeks do not care where years end."""
    return day - timedelta(days=day.weekday())


def _today(request) -> date:
    return business_day(request.registry.settings["comicsdb.timezone"])


def includeme(config):
    """`request.today`: computed per request, never at start."""
    config.add_request_method(_today, "today", reify=True)
