"""The business day: what "today" is, in the time zone of the site (model.md 0)."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo


def business_day(zone: ZoneInfo, now: datetime | None = None) -> date:
    """The date in `zone` at the moment `now`, by default the present one."""
    return (now or datetime.now(UTC)).astimezone(zone).date()


def _today(request) -> date:
    return business_day(request.registry.settings["comicsdb.timezone"])


def includeme(config):
    """`request.today`: computed per request, never at start."""
    config.add_request_method(_today, "today", reify=True)
