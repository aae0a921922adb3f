"""CPU time of some work: what else a machine does, or another thread, is not counted."""

import gc
import time
from collections.abc import Callable

TRIES = 3


def cpu_seconds(work: Callable[[], object], enough: float = 0.0) -> float:
    """The least seconds of CPU that `work` took, called up to three times until it takes `enough` or less.

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
