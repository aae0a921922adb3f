"""Rate limits in this process's memory: limits, how a client stands with one, and the times that are kept."""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Collection, Sequence
from typing import NamedTuple

from limits.storage import MemoryStorage

SECOND = 1_000_000  # microseconds, in which all times are given
CLIENTS_MOST = 100_000  # more, all within their periods, are only seen in an attack: the idlest are forgotten


class Limit(NamedTuple):
    """At most `most` events in any `seconds` seconds; the events are counted under its name."""

    name: str
    most: int
    seconds: int


class Standing(NamedTuple):
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


Asked = Sequence[tuple[Limit, str]]  # limits, each with the client whose events it counts


class TimesInMemory(MemoryStorage):
    """The library's storage in memory, which also judges an event by several limits at once.

    Times are kept in order, the oldest first. Clients who are idle are forgotten when their period is over.
    """

    def __init__(self):
        super().__init__()
        self._times: OrderedDict[tuple[str, str], tuple[deque[int], int]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, asked: Asked, together: bool, free: Collection[str]) -> tuple[Standing, ...]:
        """Judge an event by several limits and keep its time for each that lets it through.

        With `together` it is kept only if all let it through; for the limits named in `free` it is not kept.
        """
        with self._lock:
            kept = [self._times.get((limit.name, who), _NOTHING)[0] for limit, who in asked]
            now = time.time_ns() // 1000
            for times in kept:  # should the clock be set back, it stands still until it has caught up
                if times and times[-1] > now:
                    now = times[-1]
            refused = []
            for (limit, _), times in zip(asked, kept, strict=True):
                until = now - limit.seconds * SECOND
                while times and times[0] <= until:
                    times.popleft()
                refused.append(len(times) >= limit.most)
            none = together and True in refused
            standings = []
            for (limit, who), times, refusing in zip(asked, kept, refused, strict=True):
                placed = not (refusing or none or limit.name in free)
                if placed:
                    times = self._keep(limit, who, now)  # noqa: PLW2901
                count, moment = _state(times, limit, now)
                standings.append(Standing(limit, who, refusing, placed, now, count, moment))
            self._sweep(now)
        return tuple(standings)

    def give_back(self, standing: Standing) -> Standing:
        """Take out the very event after which a client stood so, and how it stands without."""
        limit, who, now = standing.limit, standing.who, standing.now
        with self._lock:
            times = self._times.get((limit.name, who), _NOTHING)[0]
            for position in range(len(times) - 1, -1, -1):  # it is among the last
                if times[position] == now:
                    del times[position]
                    break
            count, free = _state(times, limit, now)
        return standing._replace(placed=False, count=count, free=free)

    def _keep(self, limit: Limit, who: str, now: int) -> deque[int]:
        key = limit.name, who
        times = self._times.get(key, _NOTHING)[0] or deque()
        times.append(now)
        self._times[key] = times, limit.seconds
        self._times.move_to_end(key)
        return times

    def _sweep(self, now: int) -> None:
        """Forget who is idle; they stand in front, as every event puts its client to the end."""
        while self._times:
            times, seconds = next(iter(self._times.values()))
            idle = not times or times[-1] <= now - seconds * SECOND
            if not idle and len(self._times) <= CLIENTS_MOST:
                return
            self._times.popitem(last=False)

    def reset(self) -> int:
        """Forget everything; gives how many clients were known."""
        with self._lock:
            known = len(self._times)
            self._times.clear()
        return known + (super().reset() or 0)


_NOTHING: tuple[deque[int], int] = (deque(maxlen=0), 0)


def _state(times: deque[int], limit: Limit, now: int) -> tuple[int, int]:
    """How many places are taken, and when the next becomes free that can be used.

    Where a limit was lowered, more may be taken than it has: then not the oldest decides.
    """
    count = len(times)
    first = times[max(0, count - limit.most)] if times else now
    return count, first + limit.seconds * SECOND
