"""What is there and what a file says of it, put together: mine stays, or the file's replaces it."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime

import orjson
from sqlalchemy.orm import Session

from comicsdb.security import Identity

MONEY = (("purchase_price", "purchase_currency"), ("max_price", "max_currency"))


@dataclass(frozen=True)
class Storing:
    """An import that is being stored: for whom, in which way, and what it came to so far."""

    session: Session
    identity: Identity
    official: str
    take_file: bool
    add_up: bool
    today: date
    counted: Counter = field(default_factory=Counter)

    @property
    def user_id(self) -> int:
        """The account whose library it is."""
        return self.identity.user_id


def plain(row: dict) -> dict:
    """A row of the database as files say it: amounts and dates as texts."""
    return {
        name: value if value is None or isinstance(value, bool | int | str | datetime) else str(value)
        for name, value in row.items()
    }


def merge(row: dict, said: dict, fields: dict, take_file: bool) -> dict:
    """A row that is there with what a file says of it: where it is blank, or everywhere with `take_file`.

    A currency goes with its amount.
    """
    row = plain(row)
    merged = dict(row)
    currencies = {currency for _amount, currency in MONEY}
    for name, value in said.items():
        if name in fields and name not in currencies and (take_file or row[name] in (None, "")):
            merged[name] = value
    for amount, currency in MONEY:
        taken = amount in row and amount in said and merged[amount] == said[amount]
        if taken and (take_file or row[amount] is None):
            merged[currency] = said.get(currency, row[currency])
    return merged


def packed(records: list[dict]) -> str:
    """Records for `json_to_recordset`."""
    return orjson.dumps(records).decode()
