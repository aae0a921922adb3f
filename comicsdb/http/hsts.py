"""Strict-Transport-Security on every answer of an https site, whoever makes it."""

from collections.abc import Mapping

from comicsdb.http.execution_policies import OUTERMOST, wrap_execution_policy

HEADER = "Strict-Transport-Security"


class StrictTransport:
    """An execution policy around all others, so that pages, pictures, API answers, errors and 304s have it.

    A site whose address begins with https always sends it, whatever scheme a proxy reports; others do over
    https.
    """

    def __init__(self, registry, inner):
        self._value = registry.settings["comicsdb.hsts"]
        self._always = is_https(registry.settings)
        self._inner = inner

    def __call__(self, environ, router):
        """The response, with the header."""
        response = self._inner(environ, router)
        if self._always or environ["wsgi.url_scheme"] == "https":
            response.headers[HEADER] = self._value
        return response


def is_https(settings: Mapping) -> bool:
    """Whether the site's address is an https one."""
    return settings["comicsdb.base_url"].startswith("https://")


def server_headers(settings: Mapping) -> list[tuple[str, str]]:
    """Headers of the answers that the server gives without the application."""
    return [(HEADER, settings["comicsdb.hsts"])] if is_https(settings) else []


def includeme(config):
    """Add the header around all other policies."""
    wrap_execution_policy(config, StrictTransport, OUTERMOST + 1)
