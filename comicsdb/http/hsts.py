"""Strict-Transport-Security on all responses of an https site."""

from collections.abc import Mapping

from comicsdb.http.execution_policies import wrap_execution_policy

HEADER = "Strict-Transport-Security"


class HstsPolicy:
    """An execution policy around all others, so that pictures, errors and 304s have the header too.

    A site with an https base URL always sends it, regardless of the scheme that a proxy reports; others only
    over https.
    """

    def __init__(self, registry, inner):
        self._value = registry.settings["comicsdb.hsts"]
        self._always = is_https(registry.settings)
        self._inner = inner

    def __call__(self, environ, router):
        """Add the header to the response."""
        response = self._inner(environ, router)
        if self._always or environ["wsgi.url_scheme"] == "https":
            response.headers[HEADER] = self._value
        return response


def is_https(settings: Mapping) -> bool:
    """Whether the site's base URL is an https URL."""
    return settings["comicsdb.base_url"].startswith("https://")


def server_headers(settings: Mapping) -> list[tuple[str, str]]:
    """Headers for responses that the server sends without the application."""
    return [(HEADER, settings["comicsdb.hsts"])] if is_https(settings) else []


def includeme(config):
    """Add the header around all other policies."""
    wrap_execution_policy(config, HstsPolicy)
