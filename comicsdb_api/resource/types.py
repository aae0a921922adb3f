"""SQL types for values in JSON: an instant, an address, an amount, an object, a list.

They change nothing in SQL. The description of the API reads them (`openapi`).
"""

from collections.abc import Callable

from sqlalchemy import JSON, String


class Instant(String):
    """A moment in UTC, ISO 8601 with Z."""


class Address(String):
    """An absolute URL."""


class Money(String):
    """An amount with the decimals of its currency."""


class CurrencyCode(String):
    """A code of ISO 4217; `blank`: or nothing."""

    def __init__(self, *, blank: bool = False):
        super().__init__()
        self.blank = blank


class Choice(String):
    """One of a few words; `words` lists them."""

    def __init__(self, *words: str):
        super().__init__()
        self.choices = words


class ObjectOf(JSON):
    """An object; `shape` maps its keys to SQL expressions, `name` is the word for it if it has one."""

    def __init__(self, fields: dict, name: str = ""):
        super().__init__()
        self.shape = fields
        self.name = name


class SelectedOf(ObjectOf):
    """An object that `fields` and `include` may give other fields."""


class Changes(JSON):
    """An object whose keys are those fields that differ; each value has `old` and `new`, of any type."""


class ListOf(JSON):
    """A list; `element` is the SQL expression of one element, `of` makes the list of another one."""

    def __init__(self, item, again: Callable | None = None):
        super().__init__()
        self.element = item
        self.of = again
