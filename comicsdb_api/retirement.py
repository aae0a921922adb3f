"""The end of HTTP Basic in phases: headers that announce it, and refusal in the last phase.

| phase | what happens to a request with name and password |
| --- | --- |
| 0 | nothing |
| 1 | the response has `Deprecation` (RFC 9745), `Sunset` (RFC 8594) if the day is set, and `Link` |
| 2 | also `X-Deprecation-Notice`, a text for people who read logs; limits are tighter |
| 3 | 401, without checking the password |

`Warning: 299` would have been the header for such a text, but RFC 9111 (5.5) has made it obsolete.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from email.utils import format_datetime

from comicsdb.accounts.letters import HELP_BASIC, TOKENS
from comicsdb.config import BASIC_DEPRECATED, BASIC_PHASE, BASIC_SUNSET
from comicsdb.security import BASIC, Identity

KEY = "comicsdb_api.retirement"
DEPRECATED, ENDING, OVER = 1, 2, 3  # phases
NOTICE = "X-Deprecation-Notice"


class BasicRetirement:
    """The current phase, with its headers and messages."""

    def __init__(self, settings: Mapping):
        self.phase: int = settings[BASIC_PHASE]
        self.deprecated: date | None = settings[BASIC_DEPRECATED]
        self.sunset: date | None = settings[BASIC_SUNSET]
        self._base: str = settings["comicsdb.base_url"]

    @property
    def is_over(self) -> bool:
        """Whether passwords are refused."""
        return self.phase >= OVER

    @property
    def challenge(self) -> tuple[str, str]:
        """Return the challenge of all 401 responses, regardless of the scheme used."""
        return "WWW-Authenticate", f'{"Bearer" if self.is_over else "Basic"} realm="api"'

    @property
    def is_announced(self) -> bool:
        """Whether responses to HTTP Basic announce its end."""
        return DEPRECATED <= self.phase < OVER

    @property
    def header_names(self) -> list[str]:
        """Return the names of the headers that announce it."""
        return [name for name, _value in self.headers("")]

    def headers(self, application_url: str) -> list[tuple[str, str]]:
        """Return the headers that announce it; `application_url` is used if the settings have no base URL."""
        if not self.is_announced:
            return []
        site = self._base or application_url
        page = f'<{site}{HELP_BASIC}>; type="text/html"; rel='
        headers = [("Deprecation", f"@{int(_midnight(self.deprecated).timestamp())}")]
        if self.sunset:
            headers.append(("Sunset", format_datetime(_midnight(self.sunset), usegmt=True)))
        headers.append(("Link", f'{page}"deprecation", {page}"sunset"'))
        if self.phase == ENDING:
            headers.append((NOTICE, f"Passwords end on {self.sunset}. Create a token now: {site}{TOKENS}"))
        return headers

    def refusal(self, application_url: str) -> str:
        """Return the error message for passwords in the last phase."""
        site = self._base or application_url
        return (
            f"Passwords have not been accepted since {self.sunset}."
            f" Create a token at {site}{TOKENS} and send it as Authorization: Bearer TOKEN."
        )


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def add_headers(request, identity: Identity, response) -> None:
    """Add the headers to a response if the caller used HTTP Basic."""
    retirement: BasicRetirement = request.registry[KEY]
    if identity.method == BASIC and retirement.is_announced:
        response.headerlist.extend(retirement.headers(request.application_url))


def includeme(config):
    """Add `registry["comicsdb_api.retirement"]`."""
    config.registry[KEY] = BasicRetirement(config.get_settings())
