"""Accounts and stamps as the database told them, remembered until anything changes: one number tells.

The epoch (`comicsdb.models.Epoch`) is read with what is remembered, in one statement, which is one snapshot.
While a later look finds the same epoch, asking again would give the same. That look is a single row, several
times cheaper than the account with its groups and the stamps of what is asked for.
"""

from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import select, true

from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.readcache.validators import EPOCH, EPOCH_NOW, MOST, Kept
from comicsdb_api import auth
from comicsdb_api.claims import Claim
from comicsdb_api.resource.cached_reads import Read
from comicsdb_api.resource.listing import Detail, Listing

ACCOUNT_COLUMNS = len(auth.Account.__dataclass_fields__)


@dataclass(frozen=True)
class Place:
    """One cached address, by what it serves."""

    served: Listing | Detail

    @property
    def read(self) -> Read:
        """What it reads."""
        return self.served.read

    @cached_property
    def sentences(self) -> dict[str, CompiledQuery]:
        """By method of authentication the statement for the epoch, the account, and if any the stamps."""
        sentences = {}
        for method, account in auth.ACCOUNTS.items():
            who, what = account.subquery("account"), self.read.stamps.subquery("stamps")
            both = select(EPOCH_NOW.scalar_subquery(), *who.c, *what.c).select_from(
                who.outerjoin(what, true())
            )
            sentences[method] = CompiledQuery.of(both)
        return sentences


class Remembered:
    """What this process remembers; any number of threads may ask."""

    def __init__(self, most: int = MOST):
        self._most = most
        self._accounts: dict[tuple, Kept] = {}
        self._stamps: dict[tuple, Kept] = {}

    def find(self, read_pool: ReadPool, place: Place, claimed: Claim, object_id: int | None):
        """The account that a claim is about and the stamps of a read, as they are now; None without account.

        The stamps are all None where the object is not there.
        """
        parameters = claimed.parameters
        who, what = (claimed.method, *parameters.values()), (place.read.route, object_id)
        account, stamps = self._accounts.get(who), self._stamps.get(what)
        if account is not None and stamps is not None and account.epoch == stamps.epoch:
            (epoch,) = read_pool.fetch(EPOCH, {})
            if epoch == account.epoch:
                return account.value, stamps.value
        found = read_pool.fetch(place.sentences[claimed.method], {**parameters, "id": object_id})
        if found is None:
            return None
        epoch, *columns = found
        account, stamps = auth.Account(*columns[:ACCOUNT_COLUMNS]), tuple(columns[ACCOUNT_COLUMNS:])
        self._keep(self._accounts, who, Kept(epoch, account))  # `recognised` looks at the token's expiry
        if stamps[0] is not None:
            self._keep(self._stamps, what, Kept(epoch, stamps))
        return account, stamps

    def forget(self) -> None:
        """Forget everything."""
        self._accounts.clear()
        self._stamps.clear()

    def _keep(self, memory: dict, key: tuple, kept: Kept) -> None:
        if len(memory) >= self._most:
            memory.clear()
        memory[key] = kept
