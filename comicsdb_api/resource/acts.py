"""The API's description of writes that neither create nor change an object of a kind."""

from dataclasses import dataclass, field

from comicsdb.schemas import ObjectSchema
from comicsdb_api.resource.filters import Filter


@dataclass(frozen=True)
class Body:
    """The body of an answer: the name of its shape, and SQL expressions by field."""

    name: str
    fields: dict


@dataclass(frozen=True)
class Act:
    """A method of an address.

    `takes` is the schema of the request's body, if any, `name` the name of its shape; `gives` maps statuses
    to a sentence and the body of the answer, or None.
    """

    summary: str
    gives: dict[int, tuple[str, Body | None]]
    takes: type[ObjectSchema] | None = None
    name: str = ""
    refusals: dict[str, str] = field(default_factory=dict)  # further errors: status → name of the response
    asks: tuple[str, ...] = ()  # supported request headers, as parameters of the description
    options: tuple[Filter, ...] = ()  # parameters of the query
    sends_picture: bool = False  # whether a form has to have one
