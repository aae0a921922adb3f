"""Declarations, for the OpenAPI document, of writes that neither create nor change an object of a kind."""

from dataclasses import dataclass, field

from comicsdb.schemas import ObjectSchema
from comicsdb_api.resource.filters import Filter


@dataclass(frozen=True)
class ResponseBody:
    """The body of a response: the name of its schema, and SQL expressions by field."""

    name: str
    fields: dict


@dataclass(frozen=True)
class Operation:
    """A method of a resource.

    `results` maps status codes to a sentence and the body of the response, or None; `body_name` is the name
    of the request body's schema.
    """

    summary: str
    results: dict[int, tuple[str, ResponseBody | None]]
    body_schema: type[ObjectSchema] | None = None
    body_name: str = ""
    error_responses: dict[str, str] = field(default_factory=dict)  # further responses: status → name
    header_parameters: tuple[str, ...] = ()  # supported request headers, as names of parameters
    query_parameters: tuple[Filter, ...] = ()  # parameters of the query
    requires_picture: bool = False  # whether a form must include one


def existing_or_new(body: ResponseBody, existing: str, new: str) -> dict[int, tuple[str, ResponseBody]]:
    """The results of an operation that finds or creates an object, by two sentences."""
    return {200: (existing, body), 201: (new, body)}
