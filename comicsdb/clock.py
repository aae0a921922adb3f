"""The clock: what moment it is, and what "today" is in the time zone of the site (model.md 0)."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo


def now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)


def business_day(zone: ZoneInfo, moment: datetime | None = None) -> date:
    """The date in `zone` at a moment, by default the present one."""
    return (moment or now()).astimezone(zone).date()


def _today(request) -> date:
    return business_day(request.registry.settings["comicsdb.timezone"])


def includeme(config):
    """`request.today`: computed per request, never at start."""
    config.add_request_method(_today, "today", reify=True)
