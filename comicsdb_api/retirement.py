"""The end of HTTP Basic: what answers to it say, phase by phase, and its refusal in the last.

| phase | what happens to a request with name and password |
| --- | --- |
| 0 | nothing |
| 1 | its answer carries `Deprecation` (RFC 9745), `Sunset` (RFC 8594) once the day is set, and `Link` |
| 2 | `X-Deprecation-Notice` too, one sentence for people who read logs; `limits_api` has tighter limits |
| 3 | it is answered 401 before anybody looks at the password |

`Warning: 299` would have been the header for such a sentence, but RFC 9111 (5.5) has retired it.
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


class Retirement:
    """The present phase, and what is to be said in it."""

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
        """The header of every 401, whatever scheme was tried."""
        return "WWW-Authenticate", f'{"Bearer" if self.is_over else "Basic"} realm="api"'

    @property
    def is_announced(self) -> bool:
        """Whether answers to HTTP Basic tell of its end."""
        return DEPRECATED <= self.phase < OVER

    @property
    def names(self) -> list[str]:
        """The headers that these answers carry."""
        return [name for name, _value in self.headers("")]

    def headers(self, application_url: str) -> list[tuple[str, str]]:
        """These headers; the address stands in where the settings do not tell the site's."""
        if not self.is_announced:
            return []
        site = self._base or application_url
        page = f'<{site}{HELP_BASIC}>; type="text/html"; rel='
        told = [("Deprecation", f"@{int(_midnight(self.deprecated).timestamp())}")]
        if self.sunset:
            told.append(("Sunset", format_datetime(_midnight(self.sunset), usegmt=True)))
        told.append(("Link", f'{page}"deprecation", {page}"sunset"'))
        if self.phase == ENDING:
            told.append((NOTICE, f"Passwords end on {self.sunset}. Make a token now: {site}{TOKENS}"))
        return told

    def refusal(self, application_url: str) -> str:
        """Why a password is not even looked at, and what to do instead."""
        site = self._base or application_url
        return (
            f"Passwords are no longer accepted since {self.sunset}."
            f" Make a token at {site}{TOKENS} and send it as Authorization: Bearer TOKEN."
        )


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def tell(request, identity: Identity, response) -> None:
    """Put on the answer to somebody who signed in by HTTP Basic what is to be said of its end."""
    retirement: Retirement = request.registry[KEY]
    if identity.method == BASIC and retirement.is_announced:
        response.headerlist.extend(retirement.headers(request.application_url))


def includeme(config):
    """`registry["comicsdb_api.retirement"]`."""
    config.registry[KEY] = Retirement(config.get_settings())
