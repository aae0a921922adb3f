"""SQL types for values in JSON: instants, URLs, amounts, objects, lists.

They change nothing in SQL, but tell `openapi` the schemas of values. SQL expressions cannot be part of
SQLAlchemy's cache keys of types, so constructor parameters for them are not named like the attributes.
"""

from collections.abc import Callable

from sqlalchemy import JSON, String


class Instant(String):
    """A time in UTC, in ISO 8601 with Z."""


class Url(String):
    """An absolute URL."""


class Money(String):
    """An amount with the decimals of its currency."""


class CurrencyCode(String):
    """An ISO 4217 code; with `blank`, it may be empty."""

    def __init__(self, *, blank: bool = False):
        super().__init__()
        self.blank = blank


class ChoiceText(String):
    """One of a few words; `words` lists them."""

    def __init__(self, *words: str):
        super().__init__()
        self.choices = words


class JsonObject(JSON):
    """An object; `fields` maps its keys to SQL expressions, `name` is the name of its schema or empty."""

    def __init__(self, members: dict, name: str = ""):
        super().__init__()
        self.fields = members
        self.name = name


class SelectableObject(JsonObject):
    """An object whose fields can be selected with `fields` and `include`."""


class JsonChanges(JSON):
    """An object whose keys are the fields that differ; each value has `old` and `new`, of any type."""


class JsonList(JSON):
    """A list; `element` is the SQL expression of an element, `rebuild` returns the list of another one."""

    def __init__(self, item, rebuild_with: Callable | None = None):
        super().__init__()
        self.element = item
        self.rebuild = rebuild_with
