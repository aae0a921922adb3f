"""How long property tests run: briefly in the suite; with COMICSDB_SOAK, for that many sequences."""

import os

from hypothesis import HealthCheck, settings

SOAK = int(os.environ.get("COMICSDB_SOAK", "0"))


def sequences(examples: int, steps: int) -> settings:
    """Settings of a test with random writes: the same sequences in every run, new ones with COMICSDB_SOAK."""
    return settings(
        max_examples=SOAK or examples,
        stateful_step_count=steps,
        derandomize=not SOAK,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
