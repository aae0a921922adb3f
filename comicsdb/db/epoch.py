"""The epoch: one row that every commit changes after which a reader might be told something else.

What was read at an epoch is still so while the epoch is the same (`models.Epoch`).
"""

from sqlalchemy import select

from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.models import Epoch

EPOCH_NOW = select(Epoch.value)
EPOCH = CompiledQuery.of(EPOCH_NOW)


class EpochMovedError(Exception):
    """What was read at an earlier epoch may not hold any more."""


def check_epoch(read_pool: ReadPool, epoch: int | None) -> None:
    """Raise EpochMovedError unless an epoch, if one is given, is the present one."""
    if epoch is not None and read_pool.fetch(EPOCH, {})[0] != epoch:
        raise EpochMovedError
