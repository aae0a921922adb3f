"""Options: parameters that select how a list or detail is shown, such as `ids`, `fields` and `include`.

Unlike filters, next to which they are declared, they are not conditions for rows.
"""

from collections.abc import Callable, Iterable
from functools import partial

from comicsdb.catalog.errors import InvalidError
from comicsdb.models.base import INTEGER_MAX
from comicsdb.values import whole_number
from comicsdb_api.negotiation import parameters
from comicsdb_api.resource.filters import BadValueError, Filter
from comicsdb_api.resource.selection import FIELDS, INCLUDE, parse_names, selectable_names

IDS, SORT, PAGE_SIZE, CURSOR = "ids", "sort", "page_size", "cursor"
IDS_MAX = 100
PAGE_SIZE_MAX = 500
ORDERS = "another order; `-` means descending, and ids break ties"


class Option(Filter):
    """A parameter that is not a condition; `read` parses its text, and raises ValueError."""

    def __init__(self, name: str, read: Callable[[str], object], schema: dict, description: str):
        super().__init__(name, None, description)
        self.read = read
        self.schema = schema

    def clauses(self, values, zone):  # noqa: ARG002
        """No conditions; only validates the value. Raises BadValueError."""
        self.value(values)
        return []

    def value(self, values: dict[str, str]):
        """The value of the parameter, None if there is none; raises BadValueError."""
        text = self.value_of(values, self.name)
        try:
            return self.read(text) if text else None
        except ValueError as error:
            raise BadValueError(self.name, str(error)) from error


def options_of(resource: type) -> tuple[Option, ...]:
    """The options that a resource's lists and details have in common."""
    if not resource.has_options:
        return ()
    known = selectable_names(resource)
    fields = Option(
        FIELDS,
        lambda text: parse_names(text, known[FIELDS]),
        _list_of({"enum": list(known[FIELDS])}),
        "only these fields; a dot selects fields of an object or of each object of a list",
    )
    include = Option(
        INCLUDE,
        lambda text: parse_names(text, known[INCLUDE]),
        _list_of({"enum": list(known[INCLUDE])}),
        "additional fields, as in a detail, or `all`",
    )
    return fields, include


def list_options_of(resource: type) -> tuple[Option, ...]:
    """The options of all lists of a resource."""
    if not resource.has_options:
        return ()
    known = [f"{sign}{name}" for name in resource.sort_orders() for sign in ("", "-")]
    sort = Option(SORT, partial(_known_sort, known), {"type": "string", "enum": known}, ORDERS)
    return (*options_of(resource), sort, *PAGE_OPTIONS)


def option_values(options: Iterable[Option], request) -> dict:
    """The values of the options sent, by name; raises InvalidError."""
    options = {each.name: each for each in options}
    sent = {name: text.strip() for name, text in parameters(request, options)}
    values, errors = {}, {}
    for name in sent:
        try:
            values[name] = options[name].value(sent)
        except BadValueError as error:
            errors[name] = [error.message]
    if errors:
        raise InvalidError(errors)
    return {name: value for name, value in values.items() if value}


def _read_ids(text: str) -> tuple[int, ...]:
    """The ids in the order sent, without duplicates."""
    items = [item for item in (each.strip() for each in text.split(",")) if item]
    if len(items) > IDS_MAX:
        raise ValueError(f"Send at most {IDS_MAX} ids.")
    numbers = [whole_number(item.lstrip("0"), 1) for item in items]
    if None in numbers:
        raise ValueError(f"Enter whole numbers from 1 to {INTEGER_MAX}.")
    return tuple(dict.fromkeys(numbers))


def _known_sort(known: list[str], text: str) -> str:
    if text not in known:
        raise ValueError(f"Unknown: {text}. Known: {', '.join(known)}.")
    return text


def read_size(most: int, text: str) -> int:
    """A number of rows from 1 to `most`; raises ValueError."""
    number = whole_number(text, 1, most)
    if number is None:
        raise ValueError(f"Enter a whole number from 1 to {most}.")
    return number


def _list_of(items: dict, **more) -> dict:
    return {"type": "array", "items": {"type": "string"} | items} | more


IDS_OPTION = Option(
    IDS,
    _read_ids,
    _list_of({"type": "integer", "minimum": 1, "maximum": INTEGER_MAX}, maxItems=IDS_MAX),
    f"objects with these ids, up to {IDS_MAX}, in this order, on one page",
)
PAGE_OPTIONS = (
    Option(
        PAGE_SIZE,
        partial(read_size, PAGE_SIZE_MAX),
        {"type": "integer", "minimum": 1, "maximum": PAGE_SIZE_MAX},
        "number of objects on a page",
    ),
    Option(
        CURSOR,
        str,
        {"type": "string", "examples": ["*"]},
        "`*` for the first page, then as in `next`: pages without `count` or numbers, stable during"
        " concurrent writes",
    ),
)
