"""What many operations of the description share: headers, parameters, refusals and security schemes."""

from comicsdb_api.errors import CHALLENGE
from comicsdb_api.openapi.schemas import INTEGER_MAX, reference
from comicsdb_api.paging import MOST_DIGITS
from comicsdb_api.responses import HEADERS

TEXT = {"type": "string"}
JSON = "application/json"

SECURITY_SCHEMES = {
    "basicAuth": {"type": "http", "scheme": "basic", "description": "Name and password of the account."},
    "knoxApiToken": {"type": "http", "scheme": "bearer", "description": "A token of the account."},
}
SECURITY = [{name: []} for name in SECURITY_SCHEMES]

_TAG = {"type": "string", "pattern": '^"[0-9a-f]+"$'}
_DATE = {"type": "string", "examples": ["Sat, 21 Nov 2026 02:36:05 GMT"]}


def _header(schema: dict, description: str) -> dict:
    return {"description": description, "required": True, "schema": schema}


# On every answer.
COMMON_HEADERS = {
    "Allow": _header(TEXT | {"examples": ["GET, HEAD, OPTIONS"]}, "The methods that the address offers."),
    **{name: _header({"const": value}, "The same on every answer.") for name, value in HEADERS},
}
MORE_HEADERS = {
    "ETag": _header(_TAG, "Tag of the body, for `If-None-Match` and `If-Match`."),
    "Last-Modified": _header(_DATE, "When what the body shows last changed, in seconds."),
    "X-Cache": _header(
        TEXT | {"enum": ["HIT", "MISS"]},
        "Whether the body came out of the cache or was made for this answer.",
    ),
    "WWW-Authenticate": _header({"const": CHALLENGE[1]}, "How to say who one is."),
    "Content-Disposition": _header(TEXT, "The name of a file to keep it in."),
    "Cache-Control": _header(TEXT, "A copy may be kept, but has to be asked for again by its tag."),
}


def headers(*names: str) -> dict:
    """References to the headers of every answer and to some more."""
    return {name: reference("headers", name) for name in (*names, *COMMON_HEADERS)}


def _parameter(name: str, place: str, schema: dict, description: str, **more) -> dict:
    return {"name": name, "in": place, "description": description, "schema": schema} | more


def integer(low: int, high: int) -> dict:
    """Whole numbers between two bounds, both included."""
    return {"type": "integer", "minimum": low, "maximum": high}


PARAMETERS = {
    "id": _parameter(
        "id", "path", integer(1, INTEGER_MAX), "Number of the object.", required=True, example=1
    ),
    "page": _parameter(
        "page",
        "query",
        {"anyOf": [integer(1, 10**MOST_DIGITS - 1), {"const": "last"}]},
        "Number of the page, from 1 on, or `last`.",
        example=1,
    ),
    "If-None-Match": _parameter(
        "If-None-Match", "header", TEXT, "Tags of bodies that are known, or `*`: 304 if it is one of them."
    ),
    "If-Match": _parameter("If-Match", "header", TEXT, "Tags, or `*`: 412 if the body is none of these."),
    "If-Modified-Since": _parameter(
        "If-Modified-Since",
        "header",
        TEXT,
        "A date: 304 if nothing has changed since. Not heeded beside `If-None-Match`.",
    ),
    "If-Unmodified-Since": _parameter(
        "If-Unmodified-Since",
        "header",
        TEXT,
        "A date: 412 if something has changed since. Not heeded beside `If-Match`.",
    ),
}
BY_TAG = ("If-None-Match", "If-Match")
BY_DATE = ("If-Modified-Since", "If-Unmodified-Since")

SCHEMAS = {
    "Error": {
        "type": "object",
        "description": "One sentence about what went wrong.",
        "properties": {"detail": TEXT | {"description": "The sentence.", "examples": ["Not found."]}},
        "required": ["detail"],
    },
    "Problems": {
        "type": "object",
        "description": "What is wrong, by parameter; both ends of a range are reported by the range's name.",
        "additionalProperties": {"type": "array", "items": TEXT, "minItems": 1},
        "examples": [{"modified_gt": ["Enter a valid date/time."]}],
    },
}


def _refusal(description: str, shape: str = "Error", *more: str) -> dict:
    content = {JSON: {"schema": reference("schemas", shape)}}
    return {"description": description, "headers": headers(*more), "content": content}


def _empty(description: str, *more: str) -> dict:
    return {"description": description, "headers": headers(*more)}


def _by_date(description: str) -> dict:
    """An answer without a body which dates alone may have decided: there is no tag then."""
    optional = {"ETag": MORE_HEADERS["ETag"] | {"required": False}}
    return {"description": description, "headers": optional | headers("Last-Modified")}


UNCHANGED, CHANGED = "Nothing has changed. No body.", "Something has changed. No body."
RESPONSES = {
    "NotModified": _empty(UNCHANGED, "ETag"),
    "NotModifiedSince": _by_date(UNCHANGED),
    "PreconditionFailed": _empty(CHANGED, "ETag"),
    "ModifiedSince": _by_date(CHANGED),
    "BadRequest": _refusal("A parameter has a value that cannot be read.", "Problems"),
    "Unauthorized": _refusal("No credentials, or wrong ones.", "Error", "WWW-Authenticate"),
    "Forbidden": _refusal("The account may not do this."),
    "NotFound": _refusal("There is no such object, page or format."),
    "MethodNotAllowed": _refusal("The address does not offer the method; see `Allow`."),
    "NotAcceptable": _refusal("Nothing that can be sent is acceptable."),
}
