"""What all stores of rate limits share: limits, and how a client stands with one."""

from collections.abc import Sequence
from typing import NamedTuple

SECOND = 1_000_000  # microseconds, in which all times are given


class Limit(NamedTuple):
    """At most `most` events in any `seconds` seconds; the events are counted under its name."""

    name: str
    most: int
    seconds: int


class WindowState(NamedTuple):
    """How a client stands with a limit at the time `now`, after an event was judged.

    `count` places are taken; at the time `free` one becomes free that can be used. An event that was not
    refused need not have taken a place.
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
        """How many places are left."""
        return max(0, self.limit.most - self.count)

    @property
    def reset(self) -> int:
        """When the next place becomes free, in seconds since 1970, rounded up."""
        return -(-self.free // SECOND)

    @property
    def wait(self) -> int:
        """Seconds until then, rounded up."""
        return -((self.now - self.free) // SECOND)


# Limits, each with the client whose events it counts. `7 token:5` is a part of the client `7`, counted apart.
Asked = Sequence[tuple[Limit, str]]
