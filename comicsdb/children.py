"""Child processes that read untrusted files: their environment, which has no secrets, and their limits."""

import os
import resource
from contextlib import suppress

# Environment variables that a child gets; others may be secrets.
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_", "LD_", "DYLD_", "PYTHON", "VIRTUAL_ENV", "TMPDIR", "TZ")


def environment() -> dict[str, str]:
    """The environment of a child."""
    return {name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)}


def limit_memory(memory_bytes: int) -> None:
    """Limit the memory of this process, which may also write no file."""
    for limit, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        with suppress(ValueError, OSError):  # not supported here, or a lower limit is set
            resource.setrlimit(limit, (most, most))


def limit_cpu(seconds: int) -> None:
    """Let the kernel end this process after further seconds of CPU time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    until = int(used.ru_utime + used.ru_stime) + seconds  # may be almost a second less
    resource.setrlimit(resource.RLIMIT_CPU, (until if hard < 0 else min(until, hard), hard))
