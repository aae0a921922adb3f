"""CPU time of some work: what else a machine does, or another thread, is not counted."""

import gc
import re
import time
from collections.abc import Callable

import pytest

TRIES = 5
USUAL_LOOP = 0.025  # seconds that `loop` takes on the machines on which the limits of the tests were chosen


def loop() -> None:
    """Some work of the kinds that requests are made of: the interpreter's, of patterns and of texts."""
    pattern = re.compile(r"(\w+)=([^;]*);")
    text = "".join(f"name{number}=value {number};" for number in range(2000))
    for _ in range(36):
        found = {name: value.strip().casefold() for name, value in pattern.findall(text)}
        sorted(found.items(), key=lambda each: each[1])


def cpu_seconds(work: Callable[[], object], enough: float = 0.0) -> float:
    """The least seconds of CPU that `work` took, called up to five times until it takes `enough` or less.

    Nothing but disturbance makes a call take longer than another, the garbage collector's above all, which
    goes through everything that earlier tests have left.
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


def assert_cpu(work: Callable[[], object], most: float) -> None:
    """Fail if `work` takes more than `most` seconds of CPU; more while the machine is slower than usual.

    As its speed changes within seconds, work that took too long is measured again beside the loop.
    """
    for _ in range(TRIES):
        took = cpu_seconds(work, most)
        if took <= most:
            return
        slower = max(1.0, cpu_seconds(loop) / USUAL_LOOP)
        if took <= most * slower:
            return
    pytest.fail(f"{took:.3f} s of CPU, at most {most * slower:.3f}")
