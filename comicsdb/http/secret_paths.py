"""Addresses with a secret in their path: all are below one prefix, which every log masks."""

import re

SECRET_PATHS = "/s/"  # noqa: S105
# Prefixes of former addresses: mailed links, and feeds that are still subscribed to.
FORMER = (
    "/feeds/private/",
    "/accounts/activate/",
    "/accounts/reset/",
    "/accounts/email/confirm/",
    "/accounts/not-me/",
    "/accounts/login/link/",
)

_SECRET = re.compile(f"({'|'.join(map(re.escape, (SECRET_PATHS, *FORMER)))}).*", re.DOTALL)


def without_secret(address: str) -> str:
    """A path or URL for a log: what follows the prefix of secrets is replaced."""
    return _SECRET.sub(r"\1…", address)
