"""What the Authorization header of a request claims, before anybody looks whether it is true."""

import base64
import binascii
from dataclasses import dataclass

from comicsdb import accounts
from comicsdb.accounts.passwords import digest
from comicsdb.security import BASIC, TOKEN, AuthenticationError, InvalidTokenError


@dataclass(frozen=True)
class Claim:
    """What an Authorization header claims: a method, and who somebody is by it."""

    method: str
    name: str = ""
    password: str = ""
    token: str = ""

    @property
    def parameters(self) -> dict[str, str]:
        """What the statement in ACCOUNTS wants to know."""
        return {"name": self.name} if self.method == BASIC else {"digest": digest(self.token)}


def claim(environ) -> Claim | None:
    """What the Authorization header says; None without one, and for other schemes.

    Raises AuthenticationError with a text that clients of the Metron API know.
    """
    scheme, *credentials = environ.get("HTTP_AUTHORIZATION", "").split() or ("",)
    match scheme.lower():
        case "basic":
            if not credentials:
                raise AuthenticationError("Invalid basic header. No credentials provided.")
            if len(credentials) > 1:
                raise AuthenticationError(
                    "Invalid basic header. Credentials string should not contain spaces."
                )
            name, password = _decoded(credentials[0])
            return Claim(BASIC, name=name, password=password)
        case "bearer":
            if not credentials:
                raise AuthenticationError("Invalid token header. No credentials provided.")
            if len(credentials) > 1:
                raise AuthenticationError("Invalid token header. Token string should not contain spaces.")
            if accounts.is_malformed(credentials[0]):
                raise InvalidTokenError("Invalid token. It is mistyped or incomplete.")
            return Claim(TOKEN, token=credentials[0])
    return None


def _decoded(credentials: str) -> tuple[str, str]:
    try:
        decoded = base64.b64decode(credentials, validate=True)
    except (binascii.Error, ValueError) as error:
        raise AuthenticationError(
            "Invalid basic header. Credentials not correctly base64 encoded."
        ) from error
    try:
        text = decoded.decode()
    except UnicodeDecodeError:
        text = decoded.decode("latin-1")  # as older clients send it
    name, _, password = text.partition(":")
    return name, password


def name_in(environ) -> str:
    """The user name that a Basic header brings, empty where it cannot be read."""
    try:
        return claim(environ).name
    except AuthenticationError:
        return ""


def is_basic(environ) -> bool:
    """Whether the request brings HTTP Basic, right or wrong."""
    return environ.get("HTTP_AUTHORIZATION", "").lower().split(maxsplit=1)[:1] == [BASIC]
