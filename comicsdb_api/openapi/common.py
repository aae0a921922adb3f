"""The parts of the OpenAPI document that many operations share: headers, parameters and errors."""

from collections.abc import Iterable

from comicsdb_api.openapi.schemas import INTEGER_MAX, reference
from comicsdb_api.resource.filters import Filter, Parameter
from comicsdb_api.resource.paging import PAGE_MAX
from comicsdb_api.responses import CROSS_ORIGIN, HEADERS, PROBLEM, SEE_ERRORS
from comicsdb_api.retirement import NOTICE

TEXT = {"type": "string"}
JSON = "application/json"

_TAG = {"type": "string", "pattern": '^"[0-9a-f]+"$'}
_DATE = {"type": "string", "examples": ["Sat, 21 Nov 2026 02:36:05 GMT"]}


def _header(schema: dict, description: str, *, required: bool = True) -> dict:
    return {"description": description, "required": required, "schema": schema}


FOR_OTHER_SITES = "On answers to reads, so that scripts of other sites may see them."
# On every response.
COMMON_HEADERS = {
    "Allow": _header(TEXT | {"examples": ["GET, HEAD, OPTIONS"]}, "The methods that the address offers."),
    **{name: _header({"const": value}, "The same on every answer.") for name, value in HEADERS},
    **{name: _header({"const": value}, FOR_OTHER_SITES, required=False) for name, value in CROSS_ORIGIN},
}
MORE_HEADERS = {
    "ETag": _header(_TAG, "Tag of the body, for `If-None-Match` and `If-Match`."),
    "Last-Modified": _header(_DATE, "When what the body shows last changed, in seconds."),
    "X-Cache": _header(
        TEXT | {"enum": ["HIT", "MISS"]},
        "Whether the body came out of the cache or was made for this answer.",
    ),
    "WWW-Authenticate": _header(TEXT, "How to say who one is."),
    "Idempotent-Replayed": _header(
        {"const": "true"}, "The answer is that to an earlier request with the same key.", required=False
    ),
    "Location": _header({"type": "string", "format": "uri"}, "Where the object lives on."),
    "Retry-After": _header({"type": "integer", "minimum": 1}, "How many seconds to wait."),
    "Content-Disposition": _header(TEXT, "The name of a file to keep it in."),
}
NEXT_PAGE = _header(
    TEXT,
    "By cursor: the next page (`next`, RFC 8288). What there is to read about the end of HTTP Basic.",
    required=False,
)
_FIGURES = {
    "Limit": "How many requests there may be in any {}.",
    "Remaining": "How many requests are left in this {}.",
    "Reset": "When the next place of this {} becomes free, in seconds since 1970.",
}
# On every response to requests by HTTP Basic, once its end is announced.
RETIREMENT_HEADERS = {
    "Deprecation": _header(
        TEXT | {"pattern": "^@[0-9]+$"}, "Since when HTTP Basic is deprecated (RFC 9745).", required=False
    ),
    "Sunset": _header(_DATE, "When HTTP Basic ends (RFC 8594).", required=False),
    "Link": _header(TEXT, "What there is to read about that: `deprecation` and `sunset`.", required=False),
    NOTICE: _header(TEXT, "The same in words, when the end is near.", required=False),
}
# On every response to callers with permission, if the site has rate limits.
LIMIT_HEADERS = {
    f"X-RateLimit-{scope}-{figure}": _header(
        {"type": "integer", "minimum": 0}, told.format(period), required=False
    )
    for scope, period in (("Burst", "minute"), ("Sustained", "day"))
    for figure, told in _FIGURES.items()
} | {
    "X-RateLimit-Cost": _header(
        {"type": "integer", "minimum": 0},
        "What this answer cost of the day's requests.",
        required=False,
    ),
    "RateLimit-Policy": _header(
        TEXT | {"examples": ['"burst";q=20;w=60, "sustained";q=5000;w=86400']},
        "The limits: requests (`q`) in seconds (`w`).",
        required=False,
    ),
    "RateLimit": _header(
        TEXT | {"examples": ['"burst";r=19;t=60, "sustained";r=4999;t=86400']},
        "What is left of them (`r`), and in how many seconds there is more (`t`).",
        required=False,
    ),
}


# Headers for all callers, for authenticated ones, and for those whose requests are counted.
PUBLIC_HEADERS = tuple(COMMON_HEADERS)
ACCOUNT_HEADERS = (*PUBLIC_HEADERS, *RETIREMENT_HEADERS)
COUNTED_HEADERS = (*ACCOUNT_HEADERS, *LIMIT_HEADERS)
HEADER_OBJECTS = COMMON_HEADERS | RETIREMENT_HEADERS | LIMIT_HEADERS | MORE_HEADERS


def headers(*names: str, common: tuple[str, ...] = COUNTED_HEADERS) -> dict:
    """References to the named headers and to those that responses have in common."""
    return {name: reference("headers", name) for name in (*names, *common)}


def challenge(value: str) -> dict:
    """The header `WWW-Authenticate` with its current value."""
    return MORE_HEADERS["WWW-Authenticate"] | {"schema": {"const": value}}


def _parameter(name: str, place: str, schema: dict, description: str, **more) -> dict:
    return {"name": name, "in": place, "description": description, "schema": schema} | more


def query_parameters(declared: Iterable[Filter]) -> list[dict]:
    """The parameters of filters and options."""
    return [_query_parameter(parameter) for each in declared for parameter in each.openapi_parameters()]


def _query_parameter(parameter: Parameter) -> dict:
    described = {
        "name": parameter.name,
        "in": "query",
        "description": parameter.description,
        "schema": parameter.schema,
    }
    if parameter.schema["type"] == "array":
        described |= {"style": "form", "explode": False}
    return described


def integer(low: int, high: int) -> dict:
    """The schema of integers from `low` to `high`, both inclusive."""
    return {"type": "integer", "minimum": low, "maximum": high}


PARAMETERS = {
    "id": _parameter(
        "id", "path", integer(1, INTEGER_MAX), "Number of the object.", required=True, example=1
    ),
    "page": _parameter(
        "page",
        "query",
        {"anyOf": [integer(1, PAGE_MAX), {"const": "last"}]},
        "Number of the page, from 1 on, or `last`.",
        example=1,
    ),
    "strict": _parameter(
        "strict",
        "query",
        {"type": "boolean"},
        "Whether parameters that this address does not know are refused (400) instead of ignored.",
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
    "Idempotency-Key": _parameter(
        "Idempotency-Key",
        "header",
        {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
        "A text made up for this request: repeated with it, it is done once and answered as the first time.",
    ),
    "X-CSRFToken": _parameter(
        "X-CSRFToken", "header", TEXT, "With the session of a browser: the token of the site's forms."
    ),
}
TAG_CONDITIONS = ("If-None-Match", "If-Match")
DATE_CONDITIONS = ("If-Modified-Since", "If-Unmodified-Since")

SCHEMAS = {
    "Error": {
        "type": "object",
        "description": "One sentence about what went wrong.",
        "properties": {"detail": TEXT | {"description": "The sentence.", "examples": ["Not found."]}},
        "required": ["detail"],
        "examples": [{"detail": "Not found."}],
    },
    "ProblemDetails": {
        "type": "object",
        "description": f"An error as problem details (RFC 9457), where `Accept` names `{PROBLEM}`.",
        "properties": {
            "type": {"const": "about:blank", "description": "The status says what sort of problem it is."},
            "title": TEXT | {"description": "The phrase of the status."},
            "status": {"type": "integer", "description": "The status."},
            "detail": TEXT | {"description": "What went wrong, in a sentence."},
            "errors": {"description": "What is wrong by parameter or field, as without problem details."},
        },
        "required": ["type", "title", "status", "detail"],
        "examples": [
            {
                "type": "about:blank",
                "title": "Bad Request",
                "status": 400,
                "detail": SEE_ERRORS,
                "errors": {"modified_gt": ["Enter a valid date/time."]},
            }
        ],
    },
    "Problems": {
        "type": "object",
        "description": "What is wrong, by parameter; both ends of a range are reported by the range's name.",
        "additionalProperties": {"type": "array", "items": TEXT, "minItems": 1},
        "examples": [{"modified_gt": ["Enter a valid date/time."]}],
    },
}
# For callers who may write.
WRITE_SCHEMAS = {
    "Faults": {
        "type": "object",
        "description": "What is wrong, by field; in a list, by the place in it first.",
        "additionalProperties": {
            "anyOf": [{"type": "array", "items": TEXT, "minItems": 1}, {"type": "object"}, TEXT]
        },
        "examples": [{"name": ["This field is required."], "alias": {"0": ["This field may not be blank."]}}],
    },
}


def _error_response(
    description: str, shape: str = "Error", *more: str, common: tuple[str, ...] = COUNTED_HEADERS
) -> dict:
    return {
        "description": description,
        "headers": headers(*more, common=common),
        "content": error_content(reference("schemas", shape)),
    }


def error_content(schema: dict) -> dict:
    """The content of an error response, which is also available as problem details."""
    return {JSON: {"schema": schema}, PROBLEM: {"schema": reference("schemas", "ProblemDetails")}}


def _empty_response(description: str, *more: str) -> dict:
    return {"description": description, "headers": headers(*more)}


def _dated_response(description: str) -> dict:
    """A response without a body; `ETag` is optional, as it is missing if only dates were compared."""
    optional = {"ETag": MORE_HEADERS["ETag"] | {"required": False}}
    return {"description": description, "headers": optional | headers("Last-Modified")}


UNCHANGED, CHANGED = "Nothing has changed. No body.", "Something has changed. No body."
RESPONSES = {
    "NotModified": _empty_response(UNCHANGED, "ETag"),
    "NotModifiedSince": _dated_response(UNCHANGED),
    "PreconditionFailed": _empty_response(CHANGED, "ETag"),
    "ModifiedSince": _dated_response(CHANGED),
    "BadRequest": _error_response(
        "A parameter has a value that cannot be read, or with `strict` it is not known.", "Problems"
    ),
    "Unauthorized": _error_response(
        "No credentials, or wrong ones.", "Error", "WWW-Authenticate", common=PUBLIC_HEADERS
    ),
    "Forbidden": _error_response(
        "The account may not do this, or the scope of its token does not suffice: `WWW-Authenticate`"
        " names the one that does.",
        common=ACCOUNT_HEADERS,
    ),
    "Merged": {
        "description": "The object was merged: the body names the other one by `id` and `resource_url`.",
        "headers": headers("Location"),
        "content": {JSON: {"schema": reference("schemas", "Error")}},
    },
    "NotFound": _error_response("There is no such object, page or format."),
    "MethodNotAllowed": _error_response("The address does not offer the method; see `Allow`."),
    "NotAcceptable": _error_response("Nothing that can be sent is acceptable.", common=PUBLIC_HEADERS),
    "TooManyRequests": _error_response("Too many requests: wait.", "Error", "Retry-After"),
}
RESPONSES["Forbidden"]["headers"]["WWW-Authenticate"] = _header(
    TEXT, "Where a token of a wider scope would do: which one (RFC 6750).", required=False
)
WRITE_RESPONSES = {
    "Faulty": _error_response("The body cannot be parsed (`detail`), or cannot be written.", "Faults"),
    "Unchangeable": _empty_response(
        "It has changed, by a condition of the request. No body; nothing was written."
    ),
    "TooLarge": _error_response("The body has too many bytes or fields."),
    "UnsupportedType": _error_response("The body is of a type that the address does not take."),
    "KeyUsed": _error_response("The `Idempotency-Key` was used for another request."),
}


def error_schemas(*, writes: bool) -> dict:
    """The schemas of errors, for callers who may write or may only read."""
    return SCHEMAS | WRITE_SCHEMAS if writes else SCHEMAS
