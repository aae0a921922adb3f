"""A sliding window: the events of one client that count for one limit, and their encoding.

The times of 150 events are stored. Of more, those within one 96th of the period (a quarter of an hour of a
day) get one time, that of the last: no more events are admitted than the limit says, but the next one may be
admitted later by as much.
"""

import struct
from array import array
from bisect import bisect_left, bisect_right
from typing import NamedTuple

EXACT = 150
STEPS = 96
HEADER = struct.Struct("<BQI")  # the length of the name, the period, the number of times


class Window(NamedTuple):
    """`counts` events at each of `times`, the oldest first; each counts for `period`. All in microseconds."""

    period: int
    times: array = array("q")
    counts: array = array("I")

    @property
    def latest(self) -> int:
        """When the last event was, 0 without any."""
        return self.times[-1] if self.times else 0

    @property
    def end(self) -> int:
        """When the last event stops counting."""
        return self.latest + self.period

    def after(self, now: int) -> "Window":
        """The window without what no longer counts."""
        first = bisect_right(self.times, now - self.period)
        return self if first == 0 else Window(self.period, self.times[first:], self.counts[first:])

    def free(self, size: int, now: int) -> int:
        """When an event is admitted again, or would be after one event `now`.

        Where the limit was lowered, more than the oldest event has to leave before that.
        """
        too_many = sum(self.counts) - size
        for moment, count in zip(self.times, self.counts, strict=True):
            if too_many < count:
                return moment + self.period
            too_many -= count
        return now + self.period

    def plus(self, now: int) -> "Window":
        """With one more event."""
        times, counts = self.times + array("q", (now,)), self.counts + array("I", (1,))
        if len(times) <= EXACT:
            return Window(self.period, times, counts)
        steps: dict[int, list[int]] = {}
        for moment, count in zip(times, counts, strict=True):
            step = steps.setdefault(self._step(moment), [0, 0])
            step[:] = moment, step[1] + count
        last, sums = zip(*steps.values(), strict=True)
        return Window(self.period, array("q", last), array("I", sums))

    def minus(self, moment: int) -> "Window":
        """Without the very event of a moment; the same if it does not count any more."""
        place = bisect_left(self.times, moment)
        if place == len(self.times):
            return self
        at, count = self.times[place], self.counts[place]
        if at != moment and (count == 1 or self._step(at) != self._step(moment)):
            return self
        times, counts = self.times[:], self.counts[:]
        if count > 1:
            counts[place] -= 1
        else:
            del times[place], counts[place]
        return Window(self.period, times, counts)

    def _step(self, moment: int) -> int:
        return moment // (self.period // STEPS)


def pack(windows: dict[str, Window]) -> bytes:
    """The windows of a client as bytes; numbers are little-endian, as on all machines that are in use."""
    parts = []
    for name, window in windows.items():
        encoded = name.encode()
        parts += HEADER.pack(len(encoded), window.period, len(window.times)), encoded
        parts += window.times.tobytes(), window.counts.tobytes()
    return b"".join(parts)


def unpack(packed: bytes) -> dict[str, Window]:
    """What `pack` wrote."""
    windows, position = {}, 0

    def take(length: int) -> bytes:
        nonlocal position
        position += length
        return packed[position - length : position]

    while position < len(packed):
        length, period, number = HEADER.unpack(take(HEADER.size))
        name = take(length).decode()
        windows[name] = Window(period, array("q", take(8 * number)), array("I", take(4 * number)))
    return windows
