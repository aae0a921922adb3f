"""Authentication in the OpenAPI document, which depends on the current phase of HTTP Basic's retirement."""

from collections.abc import Mapping

from comicsdb.accounts.letters import TOKENS
from comicsdb.security import session_cookie
from comicsdb_api.openapi.field_descriptions import BASE
from comicsdb_api.retirement import ENDING, BasicRetirement

BY_TOKEN = "knoxApiToken"  # noqa: S105  (the name of a scheme)
_ABOUT_TOKENS = (
    "A token of the account, which has a scope: `read` reads the catalogue, `library` also reads and writes"
    " what the account keeps, and `edit` may do all that the account may. Operations name the scope that they"
    " need."
)
_BASIC = {"type": "http", "scheme": "basic", "description": "Name and password of the account."}


def schemes(retirement: BasicRetirement, settings: Mapping) -> dict:
    """The security schemes, each of which is sufficient.

    OpenAPI 3.1 cannot mark one as deprecated, so the description says it, and an extension field.
    """
    basic = {"basicAuth": _BASIC}
    if retirement.is_over:
        basic = {}
    elif retirement.is_announced:
        told = f"{_BASIC['description']} Deprecated since {retirement.deprecated}{_end(retirement)}."
        basic = {"basicAuth": _BASIC | {"description": told, "x-deprecated": True}}
    return basic | {
        "cookieAuth": {
            "type": "apiKey",
            "in": "cookie",
            "name": session_cookie(settings),
            "description": "The session of a browser on the site; what writes also needs `X-CSRFToken`.",
        },
        BY_TOKEN: {"type": "http", "scheme": "bearer", "description": _ABOUT_TOKENS},
    }


def _end(retirement: BasicRetirement) -> str:
    return f" and ends on {retirement.sunset}" if retirement.sunset else ""


def about_basic(retirement: BasicRetirement, settings: Mapping) -> str:
    """The guide's paragraphs about HTTP Basic, in Markdown."""
    token = f"Make a token for each of your programs at `{TOKENS}`."
    if retirement.is_over:
        return (
            f"HTTP Basic, the name and the password of an account with every request, ended on"
            f" {retirement.sunset}. It is answered 401, whatever the password. {token}"
        )
    if not retirement.is_announced:
        return (
            "The name and the password of the account work as well as a token:\n\n"
            f"    curl -u NAME:PASSWORD {BASE}/api/issue/1/\n\n"
            "New programs should send a token: it opens the API alone, and can be revoked alone. HTTP Basic"
            " will end; long before, answers to it will say so in `Deprecation`, `Sunset` and `Link`, and"
            " those who use it get a mail."
        )
    names = ", ".join(f"`{name}`" for name in retirement.header_names)
    told = (
        "HTTP Basic, the name and the password of the account with every request, is deprecated since"
        f" {retirement.deprecated}{_end(retirement)}. {token} Answers to it say so in {names}."
    )
    if retirement.phase == ENDING:
        limits = (settings[f"comicsdb_api.throttle.basic_{name}"] for name in ("burst", "sustained"))
        minute, day = (f"{limit:,}" for limit in limits)
        told += (
            f" Until the end it may ask at most {minute} times in any minute and {day} times in any 24 hours."
        )
    return told
