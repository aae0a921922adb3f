"""Authentication in the OpenAPI document, which depends on the current phase of HTTP Basic's retirement."""

from collections.abc import Mapping

from comicsdb.accounts.letters import TOKENS
from comicsdb.http.session_cookie import session_cookie
from comicsdb.ratelimit.api import BASIC_MAX
from comicsdb_api.openapi.field_descriptions import BASE
from comicsdb_api.retirement import ENDING, BasicRetirement

BY_TOKEN = "knoxApiToken"  # noqa: S105  (the name of a scheme)
_ABOUT_TOKENS = (
    "A token of the account. Its scope limits it: `read` reads the catalog, `library` also reads and writes"
    " the account's collection, pull list and wish list, `edit` does everything that the account may do. Each"
    " operation names the scope that it needs."
)
_BASIC = {"type": "http", "scheme": "basic", "description": "User name and password of the account."}


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
            "description": "The session of a browser on the site; writes also need `X-CSRFToken`.",
        },
        BY_TOKEN: {"type": "http", "scheme": "bearer", "description": _ABOUT_TOKENS},
    }


def _end(retirement: BasicRetirement) -> str:
    return f" and ends on {retirement.sunset}" if retirement.sunset else ""


def about_basic(retirement: BasicRetirement) -> str:
    """The guide's paragraphs about HTTP Basic, in Markdown."""
    token = f"Create a token for each of your programs at `{TOKENS}`."
    if retirement.is_over:
        return (
            f"HTTP Basic, the user name and password of an account with every request, ended on"
            f" {retirement.sunset}. It always gets 401, even with the right password. {token}"
        )
    if not retirement.is_announced:
        return (
            "The user name and password of the account can be used instead of a token:\n\n"
            f"    curl -u NAME:PASSWORD {BASE}/api/issue/1/\n\n"
            "New programs should use a token: it only works for the API, and can be revoked on its own. HTTP"
            " Basic will end; long before, responses to it will announce the end in `Deprecation`, `Sunset`"
            " and `Link`, and accounts that use it will get a mail."
        )
    names = ", ".join(f"`{name}`" for name in retirement.header_names)
    told = (
        "HTTP Basic, the user name and password of the account with every request, is deprecated since"
        f" {retirement.deprecated}{_end(retirement)}. {token} Responses to it announce this in {names}."
    )
    if retirement.phase == ENDING:
        minute, day = (f"{limit:,}" for limit in BASIC_MAX)
        told += f" Until then, its limits are {minute} requests in any minute and {day} in any 24 hours."
    return told
