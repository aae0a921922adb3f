"""Validators: the stamps and versions that determine whether a cached body is up to date.

They change in the transaction of every write that affects the body. The epoch (`models.Epoch`) changes with
any of them, and is selected with them in one statement, from one snapshot: as long as the epoch is the same,
so are the validators. Comparing the epoch only takes reading a single row, which is several times cheaper.
"""

from collections.abc import Hashable
from typing import NamedTuple

from sqlalchemy import BigInteger, Select, String, bindparam, cast, func, literal_column, null, select

from comicsdb.models import LateStamps, Version
from comicsdb.readcache.memory import Lru

MEMORY_BYTES = 4 * 2**20  # bytes for accounts and validators
ENTRY_BYTES = 1000  # approximate size of an entry with its key


def microseconds(column):
    """A timestamp as an integer, in microseconds since 1970."""
    return cast(func.extract("epoch", column) * literal_column("1000000"), BigInteger)


def select_stamps(table, name: str, *more: str) -> Select:
    """The stamps of the row with the parameter `id`, each followed by its former value; `late` is second."""
    first, *others = (_with_former(table, each) for each in (name, *more))
    ever = (late_stamp().label("late"), cast(null(), BigInteger).label("late_before"))
    columns = (*first, *ever, *(column for pair in others for column in pair))
    return select(*columns).where(table.c.id == bindparam("id"))


def _with_former(table, name: str) -> tuple:
    return tuple(microseconds(table.c[each]).label(each) for each in (name, f"{name}_before"))


def late_stamp():
    """The time of the latest change with stamps still to be updated (`catalog.late_stamps`), or NULL."""
    return select(func.max(microseconds(LateStamps.__table__.c.at))).scalar_subquery()


def version_columns(*kinds: str) -> list:
    """The versions of the lists of kinds; 0 for a kind that has never been written."""
    version = Version.__table__
    columns = []
    for kind in kinds:
        word = literal_column("'" + kind.replace("'", "''") + "'", String)
        value = select(version.c.value).where(version.c.kind == word).scalar_subquery()
        columns.append(func.coalesce(value, literal_column("0")).label(kind))
    return columns


def select_versions(*kinds: str) -> Select:
    """The versions of the lists of kinds, as one row."""
    return select(*version_columns(*kinds))


class Entry(NamedTuple):
    """The columns of a row as of an epoch."""

    epoch: int
    columns: tuple


class AccountAndValidators(NamedTuple):
    """The account of a request and the validators of its body, as of one epoch."""

    epoch: int
    account: tuple
    validators: tuple


class ValidatorCache:
    """Accounts and validators with their epoch, in the memory of this process; thread-safe.

    Writes do not remove entries: callers compare the epoch.
    """

    def __init__(self):
        self.lru = Lru(MEMORY_BYTES)

    def get(self, account: Hashable, subject: Hashable) -> AccountAndValidators | None:
        """The entries of two keys, if both are of the same epoch."""
        validators = self.lru.get(subject)
        known = self.lru.get(account) if account is not None else validators
        if validators is None or known is None or validators.epoch != known.epoch:
            return None
        return AccountAndValidators(
            known.epoch, known.columns if account is not None else (), validators.columns
        )

    def put(self, account: Hashable, subject: Hashable, found: AccountAndValidators) -> None:
        """Store entries; if the object is missing (all columns None), only the account's."""
        if account is not None:
            self.lru.set(account, Entry(found.epoch, found.account), ENTRY_BYTES)
        if found.validators[:1] != (None,):
            self.lru.set(subject, Entry(found.epoch, found.validators), ENTRY_BYTES)

    def clear(self) -> None:
        """Remove all entries."""
        self.lru.clear()
