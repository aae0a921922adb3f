"""Folders of dumps and of backups, which are named by the second in which they were made."""

import re
import shutil
from datetime import datetime, timedelta
from pathlib import Path

from comicsdb import clock

NAME = re.compile(r"\d{8}T\d{6}Z")
TIME_FORMAT = "%Y%m%dT%H%M%SZ"
PARTIAL = ".partial"  # ending of the name of an unfinished folder
CLOCK_ERROR = timedelta(minutes=5)  # by which the clocks of machines may differ


def by_age(folder: Path) -> tuple[bool, str]:
    """Return the sort key by which folders come oldest first, after those of a clock that was ahead."""
    return folder.name <= (clock.now() + CLOCK_ERROR).strftime(TIME_FORMAT), folder.name


def begin(folder: Path, *, mode: int = 0o777) -> tuple[datetime, Path]:
    """Create an unfinished folder below `folder`; returns its time and path.

    Unfinished ones of processes that were killed are removed, but nothing of other programs.
    """
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    for left in folder.glob(f"*{PARTIAL}"):
        if NAME.fullmatch(left.stem):
            shutil.rmtree(left)
    made = clock.now()
    while (folder / made.strftime(TIME_FORMAT)).exists():  # the name has the resolution of a second
        made += timedelta(seconds=1)
    partial = folder / f"{made.strftime(TIME_FORMAT)}{PARTIAL}"
    partial.mkdir(mode=mode)
    return made, partial


def delete_older(found: list[Path], days: int) -> list[Path]:
    """Delete old folders and those of a clock that was ahead, but never the newest; returns them.

    Old ones have more than `days` days.
    """
    limit = (clock.now() - timedelta(days=days)).strftime(TIME_FORMAT)
    *others, _newest = sorted(found, key=by_age) or [None]
    old = [each for each in others if by_age(each) < (True, limit)]
    for each in old:
        partial = each.rename(each.with_name(f"{each.name}{PARTIAL}"))  # nothing reads what is half deleted
        shutil.rmtree(partial)
    return old
