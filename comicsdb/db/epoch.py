"""The epoch: a number that changes with every commit that may change a response.

Data read at an epoch is up to date as long as the epoch is the same (`models.Epoch`).
"""

from sqlalchemy import BigInteger, cast, func, select

from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.models import Epoch

EPOCH_NOW = select(cast(func.sum(Epoch.__table__.c.value), BigInteger))
EPOCH = CompiledQuery.of(EPOCH_NOW)


class EpochMovedError(Exception):
    """Data read at an earlier epoch may be out of date."""


def check_epoch(read_pool: ReadPool, epoch: int | None) -> None:
    """Raise EpochMovedError if an epoch is given and is not the current one."""
    if epoch is not None and read_pool.fetch(EPOCH, {})[0] != epoch:
        raise EpochMovedError
