"""Writes iCalendar files (RFC 5545) with all-day events."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

CONTENT_TYPE = "text/calendar"
PRODUCT = "-//comicsdb//releases//EN"
OCTETS_MAX = 75  # of a line
REFRESH = "PT6H"


@dataclass(frozen=True)
class Event:
    """An all-day event; `uid` is permanent, `changed` is the time of its last change."""

    uid: str
    day: date
    title: str
    text: str
    address: str
    changed: datetime


def calendar(name: str, events: Iterable[Event]) -> bytes:
    """Return a calendar as bytes."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:{PRODUCT}",
        "CALSCALE:GREGORIAN",
        f"NAME:{escaped(name)}",
        f"X-WR-CALNAME:{escaped(name)}",
        f"REFRESH-INTERVAL;VALUE=DURATION:{REFRESH}",
        f"X-PUBLISHED-TTL:{REFRESH}",
        *(line for event in events for line in _event(event)),
        "END:VCALENDAR",
    ]
    return b"".join(folded(line) for line in lines)


def _event(event: Event) -> list[str]:
    changed = f"{event.changed.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    return [
        "BEGIN:VEVENT",
        f"UID:{escaped(event.uid)}",
        f"DTSTAMP:{changed}",
        f"DTSTART;VALUE=DATE:{event.day:%Y%m%d}",
        f"DTEND;VALUE=DATE:{event.day + timedelta(days=1):%Y%m%d}",
        f"SUMMARY:{escaped(event.title)}",
        f"DESCRIPTION:{escaped(event.text)}",
        f"URL:{event.address}",
        f"LAST-MODIFIED:{changed}",
        "TRANSP:TRANSPARENT",  # does not block time
        "END:VEVENT",
    ]


def escaped(text: str) -> str:
    """Escape a text (section 3.3.11) and remove control characters."""
    for plain, written in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\r\n", "\n"), ("\n", "\\n")):
        text = text.replace(plain, written)
    return "".join(each for each in text if each >= " " and each != "\x7f")


def folded(line: str) -> bytes:
    """Fold a line after at most 75 octets, without splitting characters (section 3.1)."""
    pieces, piece = [], b""
    for character in line:
        octets = character.encode()
        if len(piece) + len(octets) > OCTETS_MAX:
            pieces.append(piece)
            piece = b" "
        piece += octets
    return b"\r\n".join([*pieces, piece]) + b"\r\n"
