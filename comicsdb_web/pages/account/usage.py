"""How much of its API calls an account has used, as its own pages show it."""

from typing import NamedTuple

HIGH, FULL = 0.7, 0.9  # shares of the limit


class Usage(NamedTuple):
    """Calls in the last 24 hours, and how many there may be."""

    used: int
    limit: int

    @property
    def level(self) -> str:
        """How it is coloured: low, high or full."""
        share = self.used / self.limit
        return "full" if share >= FULL else "high" if share >= HIGH else "low"


def api_usage(request) -> Usage | None:
    """How the caller's account stands with the daily limit of the API; None where there are no limits."""
    limits = request.registry["comicsdb.api_limits"]
    if not limits.on:
        return None
    _minute, day = limits.states(request.identity)
    return Usage(day.count, day.limit.most)
