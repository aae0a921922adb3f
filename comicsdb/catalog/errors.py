"""Errors of the catalog, independent of HTTP."""

from collections.abc import Mapping


class CatalogError(Exception):
    """Base class of the catalog's errors."""


class NotFoundError(CatalogError):
    """No object of this kind has, or ever had, this id or slug."""

    def __init__(self, kind: str, key):
        super().__init__(f"No {kind} {key!r}.")
        self.kind = kind
        self.key = key


class GoneError(CatalogError):
    """The object was deleted; `tombstone` has the time and the reason."""

    def __init__(self, tombstone):
        super().__init__(f"The {tombstone.kind} {tombstone.object_id} was deleted.")
        self.tombstone = tombstone


class ForbiddenError(CatalogError):
    """The account may see the object, but may not do this."""


class MovedError(CatalogError):
    """The id or slug is a former one: the object was merged into `entity`, or `entity` has a new slug."""

    def __init__(self, entity):
        super().__init__(f"See {entity.__tablename__} {entity.id}.")
        self.entity = entity


class InvalidError(CatalogError):
    """Values break rules; `errors` maps each field, or `__all__` for several, to its messages."""

    def __init__(self, errors: dict[str, list[str]]):
        super().__init__(
            "; ".join(f"{field}: {' '.join(map(str, messages))}" for field, messages in errors.items())
        )
        self.errors = errors


def raise_errors(errors: Mapping[str, list]) -> None:
    """Raise InvalidError for the fields that have problems, if any do."""
    found = {field: problems for field, problems in errors.items() if problems}
    if found:
        raise InvalidError(found)


class InvalidRowsError(CatalogError):
    """Some of several objects break rules; `errors` has their errors by index."""

    def __init__(self, errors: dict[int, dict[str, list[str]]]):
        super().__init__("; ".join(f"{index}: {InvalidError(each)}" for index, each in errors.items()))
        self.errors = errors


class ConflictError(CatalogError):
    """Another object already has these values of `fields`, which are unique together.

    `holder` is the slug of that object, None if it is not known.
    """

    def __init__(self, kind: str, fields: tuple[str, ...], holder: str | None = None):
        super().__init__(f"Another {kind} has the same {', '.join(fields)}.")
        self.kind = kind
        self.fields = fields
        self.holder = holder
