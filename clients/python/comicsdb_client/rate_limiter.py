"""Pacing: no request is sent before the server's rate limits allow it."""

import re
import time
from collections.abc import Callable, Mapping

_LIMIT = re.compile(r'"(?P<name>[^"]*)"((?:;[a-z]+=[0-9]+)*)')


DAY = "sustained"  # the name of the limit that requests without a cost do not count towards


class RateLimiter:
    """Computes when the next request may be sent, from the header `RateLimit` of the latest responses."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._next = {True: 0.0, False: 0.0}  # for requests that cost none of the day's, and for others

    def seconds_to_wait(self, *, is_free: bool = False) -> float:
        """The number of seconds to wait before the next request; `is_free` if it costs none of the day's."""
        return max(0.0, self._next[is_free] - self._clock())

    def update(self, headers: Mapping[str, str]) -> None:
        """Read the state of the limits from a response: `"burst";r=0;t=12` allows the next in 12 seconds."""
        for found in _LIMIT.finditer(headers.get("RateLimit", "")):
            values = dict(part.split("=") for part in found[2].split(";") if part)
            if values.get("r") == "0":
                self.pause(float(values.get("t", 0)), with_free=found["name"] != DAY)

    def pause(self, seconds: float, *, with_free: bool = True) -> None:
        """Allow no request for this many seconds, or none but those that cost none of the day's."""
        for is_free in {False, with_free}:
            self._next[is_free] = max(self._next[is_free], self._clock() + seconds)
