"""CPU time of some work, without that of other processes and threads."""

import gc
import re
import time
from collections.abc import Callable

import pytest

TRIES = 5
REFERENCE_LOOP_SECONDS = (
    0.025  # seconds that `loop` takes on the machines for which the tests' limits were chosen
)


def loop() -> None:
    """Do some work that is typical of requests: interpreted code, regular expressions, and strings."""
    pattern = re.compile(r"(\w+)=([^;]*);")
    text = "".join(f"name{number}=value {number};" for number in range(2000))
    for _ in range(36):
        found = {name: value.strip().casefold() for name, value in pattern.findall(text)}
        sorted(found.items(), key=lambda each: each[1])


def cpu_seconds(work: Callable[[], object], enough: float = 0.0) -> float:
    """The minimum CPU seconds of `work`, called up to five times until it takes `enough` or less.

    Calls differ only because of disturbances, mainly by the garbage collector, which traverses everything
    that earlier tests have left.
    """
    least = float("inf")
    for _ in range(TRIES):
        gc.collect(0)
        gc.disable()
        begun = time.thread_time()
        try:
            work()
            least = min(least, time.thread_time() - begun)
        finally:
            gc.enable()
        if least <= enough:
            break
    return least


def assert_cpu(work: Callable[[], object], limit: float) -> None:
    """Fail if `work` takes more than `limit` seconds of CPU; allow more while the machine is slow.

    As its speed changes within seconds, work that took too long is measured again, compared with the loop.
    """
    for _ in range(TRIES):
        took = cpu_seconds(work, limit)
        if took <= limit:
            return
        slower = max(1.0, cpu_seconds(loop) / REFERENCE_LOOP_SECONDS)
        if took <= limit * slower:
            return
    pytest.fail(f"{took:.3f} s of CPU, at most {limit * slower:.3f}")
