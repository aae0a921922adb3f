"""What all stores of rate limits share: limits, and the state of a client's window."""

from collections.abc import Sequence
from typing import NamedTuple

SECOND = 1_000_000  # microseconds, in which all times are given


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
