"""Common parts of the stores of rate limits: limits, the state of a client's window, and their encoding."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

SECOND = 1_000_000  # microseconds, the unit of all times
VALUES = 5  # numbers for each limit in a store's response


class Limit(NamedTuple):
    """At most `max_events` events in any `seconds` seconds; the events are counted under its name."""

    name: str
    max_events: int
    seconds: int


class WindowState(NamedTuple):
    """The state of a limit for one client at the time `now`, after an event was checked.

    `count` events are counted; at the time `free_at` the next one will be admitted. `is_counted` says whether
    this event is among them, as not every admitted event is counted.
    """

    limit: Limit
    client: str
    refused: bool
    is_counted: bool
    now: int
    count: int
    free_at: int

    @property
    def remaining(self) -> int:
        """How many more events are admitted now."""
        return max(0, self.limit.max_events - self.count)

    @property
    def reset(self) -> int:
        """`free_at` in seconds since 1970, rounded up."""
        return -(-self.free_at // SECOND)

    @property
    def retry_after(self) -> int:
        """Seconds until `free_at`, rounded up."""
        return -((self.now - self.free_at) // SECOND)


# Limits, each with the client whose events it counts. `7 token:5` is a part of client `7`, counted
# separately.
ClientLimits = Sequence[tuple[Limit, str]]


def arguments(client_limits: ClientLimits, all_or_none: bool, uncounted: Collection[str]) -> list[int]:
    """Whether the limits count together; then for each its size, its period, and whether it counts."""
    values = [int(all_or_none)]
    for limit, _ in client_limits:
        values += limit.max_events, limit.seconds * SECOND, int(limit.name not in uncounted)
    return values


def states(client_limits: ClientLimits, answer: Sequence[int]) -> tuple[WindowState, ...]:
    """The states of limits from a store's response: VALUES integers for each, in the order of WindowState."""
    found = []
    for start, (limit, client) in zip(range(0, len(answer), VALUES), client_limits, strict=True):
        now, refused, counted, count, free_at = answer[start : start + VALUES]
        found.append(WindowState(limit, client, refused == 1, counted == 1, now, count, free_at))
    return tuple(found)
