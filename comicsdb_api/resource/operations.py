"""The API's description of writes that neither create nor change an object of a kind."""

from dataclasses import dataclass, field

from comicsdb.schemas import ObjectSchema
from comicsdb_api.resource.filters import Filter


@dataclass(frozen=True)
class ResponseBody:
    """The body of an answer: the name of its shape, and SQL expressions by field."""

    name: str
    fields: dict


@dataclass(frozen=True)
class Operation:
    """A method of an address.

    `results` maps statuses to a sentence and the body of the answer, or None; `body_name` is the name of the
    request body's shape.
    """

    summary: str
    results: dict[int, tuple[str, ResponseBody | None]]
    body_schema: type[ObjectSchema] | None = None
    body_name: str = ""
    error_responses: dict[str, str] = field(default_factory=dict)  # further ones: status → name
    header_parameters: tuple[str, ...] = ()  # supported request headers, as parameters of the description
    query_parameters: tuple[Filter, ...] = ()  # parameters of the query
    requires_picture: bool = False  # whether a form has to have one
