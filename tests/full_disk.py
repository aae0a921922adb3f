"""A disk without space, for tests."""

import resource
import signal
import sys
from contextlib import contextmanager

ROOM = 16  # maximum bytes of a file


@contextmanager
def full_disk():
    """Limit the size of files to a few bytes, so that writing fails as on a full disk.

    Modules that are imported meanwhile leave no bytecode: it would be cut off, and fail later imports.
    """
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
        sys.dont_write_bytecode = bytecode
