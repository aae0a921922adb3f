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


FOR_OTHER_SITES = "On responses to reads, so that scripts of other sites can read them."
# On every response.
COMMON_HEADERS = {
    "Allow": _header(TEXT | {"examples": ["GET, HEAD, OPTIONS"]}, "The methods that the URL supports."),
    **{name: _header({"const": value}, "The same on every response.") for name, value in HEADERS},
    **{name: _header({"const": value}, FOR_OTHER_SITES, required=False) for name, value in CROSS_ORIGIN},
}
MORE_HEADERS = {
    "ETag": _header(_TAG, "Entity tag of the body, for `If-None-Match` and `If-Match`."),
    "Last-Modified": _header(_DATE, "Time of the last change to the content of the body, to the second."),
    "X-Cache": _header(
        TEXT | {"enum": ["HIT", "MISS"]},
        "Whether the body was served from the cache or generated for the request.",
    ),
    "WWW-Authenticate": _header(TEXT, "The authentication schemes that the server accepts."),
    "Idempotent-Replayed": _header(
        {"const": "true"}, "The response is that to an earlier request with the same key.", required=False
    ),
    "Location": _header({"type": "string", "format": "uri"}, "URL of the object that it was merged into."),
    "Retry-After": _header({"type": "integer", "minimum": 1}, "Number of seconds to wait."),
    "Content-Disposition": _header(TEXT, "Name for the downloaded file."),
}
NEXT_PAGE = _header(
    TEXT,
    "With `cursor`: URL of the next page (`next`, RFC 8288). Also documentation about the end of HTTP Basic.",
    required=False,
)
_FIGURES = {
    "Limit": "Number of requests allowed in any {}.",
    "Remaining": "Number of requests left in the current {}.",
    "Reset": "Unix time at which the next request of the {} becomes available.",
}
# On every response to requests by HTTP Basic, once its end is announced.
RETIREMENT_HEADERS = {
    "Deprecation": _header(
        TEXT | {"pattern": "^@[0-9]+$"},
        "Time since which HTTP Basic is deprecated (RFC 9745).",
        required=False,
    ),
    "Sunset": _header(_DATE, "Time at which HTTP Basic ends (RFC 8594).", required=False),
    "Link": _header(
        TEXT, "Documentation about the end of HTTP Basic: `deprecation` and `sunset`.", required=False
    ),
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
        "Number of the day's requests that this response cost.",
        required=False,
    ),
    "RateLimit-Policy": _header(
        TEXT | {"examples": ['"burst";q=20;w=60, "sustained";q=5000;w=86400']},
        "The limits: number of requests (`q`) in a number of seconds (`w`).",
        required=False,
    ),
    "RateLimit": _header(
        TEXT | {"examples": ['"burst";r=19;t=60, "sustained";r=4999;t=86400']},
        "Number of requests left (`r`), and of seconds until the next becomes available (`t`).",
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
    style = {"style": "form", "explode": False} if parameter.schema["type"] == "array" else {}
    return _parameter(parameter.name, "query", parameter.schema, parameter.description, **style)


def integer(low: int, high: int) -> dict:
    """The schema of integers from `low` to `high`, both inclusive."""
    return {"type": "integer", "minimum": low, "maximum": high}


PARAMETERS = {
    "id": _parameter("id", "path", integer(1, INTEGER_MAX), "Id of the object.", required=True, example=1),
    "page": _parameter(
        "page",
        "query",
        {"anyOf": [integer(1, PAGE_MAX), {"const": "last"}]},
        "Page number, from 1, or `last`.",
        example=1,
    ),
    "strict": _parameter(
        "strict",
        "query",
        {"type": "boolean"},
        "Whether unknown parameters are rejected (400) instead of ignored.",
    ),
    "If-None-Match": _parameter(
        "If-None-Match",
        "header",
        TEXT,
        "Entity tags of known bodies, or `*`: 304 if the body has one of them.",
    ),
    "If-Match": _parameter(
        "If-Match", "header", TEXT, "Entity tags, or `*`: 412 if the body has none of them."
    ),
    "If-Modified-Since": _parameter(
        "If-Modified-Since",
        "header",
        TEXT,
        "A date: 304 if nothing has changed since. Ignored if `If-None-Match` is sent.",
    ),
    "If-Unmodified-Since": _parameter(
        "If-Unmodified-Since",
        "header",
        TEXT,
        "A date: 412 if something has changed since. Ignored if `If-Match` is sent.",
    ),
    "Idempotency-Key": _parameter(
        "Idempotency-Key",
        "header",
        {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
        "A unique string for this request, which makes repeats safe: they get the first response again.",
    ),
    "X-CSRFToken": _parameter(
        "X-CSRFToken", "header", TEXT, "Only for sessions of browsers: the token of the site's forms."
    ),
}
TAG_CONDITIONS = ("If-None-Match", "If-Match")
DATE_CONDITIONS = ("If-Modified-Since", "If-Unmodified-Since")

SCHEMAS = {
    "Error": {
        "type": "object",
        "description": "An error as a message.",
        "properties": {"detail": TEXT | {"description": "The message.", "examples": ["Not found."]}},
        "required": ["detail"],
        "examples": [{"detail": "Not found."}],
    },
    "ProblemDetails": {
        "type": "object",
        "description": f"An error as problem details (RFC 9457), if `Accept` names `{PROBLEM}`.",
        "properties": {
            "type": {
                "const": "about:blank",
                "description": "Always the same: the status identifies the problem.",
            },
            "title": TEXT | {"description": "The reason phrase of the status."},
            "status": {"type": "integer", "description": "The status code."},
            "detail": TEXT | {"description": "The message."},
            "errors": {"description": "Messages by parameter or field, as without problem details."},
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
        "description": "Messages by parameter; for both ends of a range, by the name of the range.",
        "additionalProperties": {"type": "array", "items": TEXT, "minItems": 1},
        "examples": [{"modified_gt": ["Enter a valid date/time."]}],
    },
}
# For callers who may write.
WRITE_SCHEMAS = {
    "Faults": {
        "type": "object",
        "description": "Messages by field; in a list, first by index.",
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


UNCHANGED, CHANGED = "Not changed. No body.", "Changed. No body."
RESPONSES = {
    "NotModified": _empty_response(UNCHANGED, "ETag"),
    "NotModifiedSince": _dated_response(UNCHANGED),
    "PreconditionFailed": _empty_response(CHANGED, "ETag"),
    "ModifiedSince": _dated_response(CHANGED),
    "BadRequest": _error_response(
        "A parameter has an invalid value or, with `strict`, is unknown.", "Problems"
    ),
    "Unauthorized": _error_response(
        "Credentials are missing or wrong.", "Error", "WWW-Authenticate", common=PUBLIC_HEADERS
    ),
    "Forbidden": _error_response(
        "The account may not do this, or the scope of its token is too narrow: `WWW-Authenticate` names the"
        " scope that suffices.",
        common=ACCOUNT_HEADERS,
    ),
    "Merged": {
        "description": "The object was merged; the body names the other one by `id` and `resource_url`.",
        "headers": headers("Location"),
        "content": {JSON: {"schema": reference("schemas", "Error")}},
    },
    "NotFound": _error_response("No such object, page or format."),
    "MethodNotAllowed": _error_response("The URL does not support the method; see `Allow`."),
    "NotAcceptable": _error_response("No available media type is acceptable.", common=PUBLIC_HEADERS),
    "TooManyRequests": _error_response("Too many requests.", "Error", "Retry-After"),
}
RESPONSES["Forbidden"]["headers"]["WWW-Authenticate"] = _header(
    TEXT, "The scope that would suffice, if the token's is too narrow (RFC 6750).", required=False
)
WRITE_RESPONSES = {
    "Faulty": _error_response("The body cannot be parsed (`detail`), or its values are invalid.", "Faults"),
    "Unchangeable": _empty_response("A condition of the request is false. No body; nothing was written."),
    "TooLarge": _error_response("The body is too large, or has too many fields."),
    "UnsupportedType": _error_response("The URL does not accept bodies of this type."),
    "KeyUsed": _error_response("The `Idempotency-Key` was used for another request."),
}


def error_schemas(*, writes: bool) -> dict:
    """The schemas of errors, for callers who may write or may only read."""
    return SCHEMAS | WRITE_SCHEMAS if writes else SCHEMAS
