"""Stamps: times and versions by which a cache knows whether a body still holds.

They move in the transaction of every write that changes what they stand for. The epoch moves with any of them
(`models.Epoch`), and is read with them in one statement, which is one snapshot: while a later look finds the
same epoch, asking again would give the same. That look is a single row, several times cheaper.
"""

from typing import NamedTuple

from sqlalchemy import BigInteger, Select, String, bindparam, cast, func, literal_column, select

from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.models import Epoch, Version

MOST = 50_000  # things that are remembered; a thing takes some hundred bytes

EPOCH_NOW = select(Epoch.value)
EPOCH = CompiledQuery.of(EPOCH_NOW)


def microseconds(column):
    """A moment as a stamp."""
    return cast(func.extract("epoch", column) * literal_column("1000000"), BigInteger)


def times(table, *names: str) -> Select:
    """The stamps of the row that is bound as `id`: each of `names` and the value it had before."""
    wanted = [column for name in names for column in (name, f"{name}_before")]
    columns = [microseconds(table.c[column]).label(column) for column in wanted]
    return select(*columns).where(table.c.id == bindparam("id"))


def version_columns(*kinds: str) -> list:
    """The versions of the lists of some kinds. A kind that was never written to has version 0."""
    version = Version.__table__
    columns = []
    for kind in kinds:
        word = literal_column("'" + kind.replace("'", "''") + "'", String)
        value = select(version.c.value).where(version.c.kind == word).scalar_subquery()
        columns.append(func.coalesce(value, literal_column("0")).label(kind))
    return columns


def versions(*kinds: str) -> Select:
    """The versions of the lists of some kinds: one row."""
    return select(*version_columns(*kinds))


class Kept(NamedTuple):
    """Something that was true at an epoch."""

    epoch: int
    value: object


class Remembered:
    """Stamps as the database told them, remembered until the epoch changes; any number of threads may ask.

    A statement for them selects the epoch first.
    """

    def __init__(self, most: int = MOST):
        self._most = most
        self._kept: dict[object, Kept] = {}

    def find(self, read_pool: ReadPool, what, sentence: CompiledQuery, parameters: dict) -> tuple | None:
        """The stamps of `what` as they are now, None where the statement finds no row."""
        kept = self._kept.get(what)
        if kept is not None and read_pool.fetch(EPOCH, {})[0] == kept.epoch:
            return kept.value
        found = read_pool.fetch(sentence, parameters)
        if found is None:
            return None
        epoch, *stamps = found
        if len(self._kept) >= self._most:
            self._kept.clear()
        self._kept[what] = Kept(epoch, tuple(stamps))
        return tuple(stamps)

    def forget(self) -> None:
        """Forget everything."""
        self._kept.clear()
