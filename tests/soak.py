"""How long the property tests look: briefly in the suite, and with COMICSDB_SOAK for so many sequences."""

import os

from hypothesis import HealthCheck, settings

SOAK = int(os.environ.get("COMICSDB_SOAK", "0"))


def sequences(examples: int, steps: int) -> settings:
    """Settings of a test by random writes: the same sequences on every run, new ones when soaking."""
    return settings(
        max_examples=SOAK or examples,
        stateful_step_count=steps,
        derandomize=not SOAK,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
