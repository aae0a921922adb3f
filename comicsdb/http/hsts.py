"""Strict-Transport-Security on all answers of an https site."""

from collections.abc import Mapping

from comicsdb.http.execution_policies import OUTERMOST, wrap_execution_policy

HEADER = "Strict-Transport-Security"


class HstsPolicy:
    """An execution policy around all others, which adds the header also to pictures, errors and 304s.

    A site with an https base URL always sends it, whatever scheme a proxy reports; others only over https.
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
    """Whether the site's base URL has https."""
    return settings["comicsdb.base_url"].startswith("https://")


def server_headers(settings: Mapping) -> list[tuple[str, str]]:
    """Headers for answers that the server gives without the application."""
    return [(HEADER, settings["comicsdb.hsts"])] if is_https(settings) else []


def includeme(config):
    """Add the header around all other policies."""
    wrap_execution_policy(config, HstsPolicy, OUTERMOST + 1)
