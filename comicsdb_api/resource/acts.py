"""The API's description of writes that neither create nor change an object of a kind."""

from dataclasses import dataclass, field

from comicsdb.schemas import ObjectSchema


@dataclass(frozen=True)
class Body:
    """A body of an answer: the word for its shape, and field → SQL expression."""

    name: str
    fields: dict


@dataclass(frozen=True)
class Act:
    """One method of one address.

    `takes` is what judges the body, if there is any, `name` the word for that; `gives` maps each status to a
    sentence and the body of the answer, None without one.
    """

    summary: str
    gives: dict[int, tuple[str, Body | None]]
    takes: type[ObjectSchema] | None = None
    name: str = ""
    refusals: dict[str, str] = field(default_factory=dict)  # further ones: status → name of the response
    asks: tuple[str, ...] = ()  # headers of the request that it obeys, as parameters of the description
