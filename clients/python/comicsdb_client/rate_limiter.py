"""Pacing: no request is sent before the server's rate limits allow it."""

import re
import time
from collections.abc import Callable, Mapping

_LIMIT = re.compile(r'"(?P<name>[^"]*)"((?:;[a-z]+=[0-9]+)*)')


class RateLimiter:
    """Computes when the next request may be sent, from the header `RateLimit` of the latest responses."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._next = 0.0

    def seconds_to_wait(self) -> float:
        """The number of seconds to wait before the next request."""
        return max(0.0, self._next - self._clock())

    def update(self, headers: Mapping[str, str]) -> None:
        """Read the state of the limits from a response: `"burst";r=0;t=12` allows the next in 12 seconds."""
        for found in _LIMIT.finditer(headers.get("RateLimit", "")):
            values = dict(part.split("=") for part in found[2].split(";") if part)
            if values.get("r") == "0":
                self.pause(float(values.get("t", 0)))

    def pause(self, seconds: float) -> None:
        """Allow no request for this many seconds."""
        self._next = max(self._next, self._clock() + seconds)
