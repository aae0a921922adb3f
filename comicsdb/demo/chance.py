"""Numbers that look drawn by lot and are always the same: seeds are texts, such as a picture's path."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_MASK = (1 << 64) - 1


def digest(*words: object) -> int:
    """A large number that belongs to some words."""
    joined = "\x1f".join(str(word) for word in words)
    return int.from_bytes(hashlib.sha256(joined.encode()).digest(), "big")


class Dice:
    """A small generator (SplitMix64) that no release of Python changes."""

    def __init__(self, *seed: object):
        self._state = digest(*seed) & _MASK

    def real(self, low: float = 0.0, high: float = 1.0) -> float:
        """A number from `low` up to, not including, `high`."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
        return low + (high - low) * ((z ^ (z >> 31)) >> 11) / (1 << 53)

    def whole(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self.real() * (high - low + 1))

    def pick(self, things: Sequence[T]) -> T:
        """One of some things."""
        return things[int(self.real() * len(things))]

    def happens(self, probability: float) -> bool:
        """Yes, in this share of the cases."""
        return self.real() < probability
