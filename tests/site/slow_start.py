"""A package that takes longer to load than granian waits for a new worker."""

import time

SECONDS = 6


def includeme(_config):
    """Wait."""
    time.sleep(SECONDS)
