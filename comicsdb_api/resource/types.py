"""SQL types for values in JSON: an instant, an address, an amount, an object, a list.

They change nothing in SQL. The description of the API reads them (`openapi`). SQL expressions are no part of
SQLAlchemy's cache keys of types, so parameters that take some are not named like the attributes.
"""

from collections.abc import Callable

from sqlalchemy import JSON, String


class Instant(String):
    """A moment in UTC, ISO 8601 with Z."""


class Url(String):
    """An absolute URL."""


class Money(String):
    """An amount with the decimals of its currency."""


class CurrencyCode(String):
    """A code of ISO 4217; `blank`: or nothing."""

    def __init__(self, *, blank: bool = False):
        super().__init__()
        self.blank = blank


class ChoiceText(String):
    """One of a few words; `words` lists them."""

    def __init__(self, *words: str):
        super().__init__()
        self.choices = words


class JsonObject(JSON):
    """An object; `fields` maps its keys to SQL expressions, `name` names its schema, if it has one."""

    def __init__(self, members: dict, name: str = ""):
        super().__init__()
        self.fields = members
        self.name = name


class SelectableObject(JsonObject):
    """An object that `fields` and `include` may give other fields."""


class JsonChanges(JSON):
    """An object whose keys are those fields that differ; each value has `old` and `new`, of any type."""


class JsonList(JSON):
    """A list; `element` is the SQL expression of one element, `rebuild` makes the list of another one."""

    def __init__(self, item, rebuild_with: Callable | None = None):
        super().__init__()
        self.element = item
        self.rebuild = rebuild_with
