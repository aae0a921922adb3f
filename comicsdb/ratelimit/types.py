"""What all stores of rate limits share: limits, the state of a client's window, and what a store is sent."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

SECOND = 1_000_000  # microseconds, in which all times are given
VALUES = 5  # in the answer of a store, for each limit


class Limit(NamedTuple):
    """At most `most` events in any `seconds` seconds; the events are counted under its name."""

    name: str
    most: int
    seconds: int


class WindowState(NamedTuple):
    """The state of a limit for one client at the time `now`, after an event was judged.

    `count` events are counted; at the time `free` the next one is admitted again. `placed`: whether this
    event was counted, which one that was not refused need not be.
    """

    limit: Limit
    who: str
    refused: bool
    placed: bool
    now: int
    count: int
    free: int

    @property
    def remaining(self) -> int:
        """How many more events are admitted now."""
        return max(0, self.limit.most - self.count)

    @property
    def reset(self) -> int:
        """`free` in seconds since 1970, rounded up."""
        return -(-self.free // SECOND)

    @property
    def wait(self) -> int:
        """Seconds until `free`, rounded up."""
        return -((self.now - self.free) // SECOND)


# Limits, each with the client whose events it counts. `7 token:5` is a part of the client `7`, counted apart.
Asked = Sequence[tuple[Limit, str]]


def arguments(asked: Asked, together: bool, free: Collection[str]) -> list[int]:
    """Whether the limits count together; then of each its size, its period, and whether it counts."""
    values = [int(together)]
    for limit, _ in asked:
        values += limit.most, limit.seconds * SECOND, int(limit.name not in free)
    return values


def states(asked: Asked, answer: Sequence[int]) -> tuple[WindowState, ...]:
    """The states of limits by the answer of a store: `now`, `refused`, `placed`, `count`, `free` of each."""
    found = []
    for start, (limit, who) in zip(range(0, len(answer), VALUES), asked, strict=True):
        now, refused, placed, count, free = answer[start : start + VALUES]
        found.append(WindowState(limit, who, refused == 1, placed == 1, now, count, free))
    return tuple(found)
