"""Helpers for the tests of attacks: an address for every route, and forms submitted as by a browser."""

import re

from tests.web.conftest import form_to, form_with

OTHERS = {"static", "media", "media.thumbnail"}  # these routes only match GET and HEAD


def path_of(route) -> str:
    """An address that a route matches, with plausible values for its parameters."""
    words = {"id": "1", "user": "1", "username": "Nora", "kind": "creator", "digest": "x", "subpath": "x"}
    pattern = re.sub(r"\*(\w+)", r"{\1}", route.pattern)
    return re.sub(r"\{(\w+)(?::([^}]*))?\}", lambda found: words.get(found[1]) or _of(found[2]), pattern)


def _of(kind: str | None) -> str:
    """A value that the pattern of a parameter matches: a digit, or the first of its alternatives."""
    if not kind:
        return "x"
    return "1" if kind.startswith("[0-9]") else kind.split("|")[0]


def routes_of_the_site(wsgi):
    """Yield every route except for those of the API and of files, with the methods that its view supports."""
    known = wsgi.registry["comicsdb_web.methods"]
    for route in wsgi.routes_mapper.get_routes():
        if not route.name.startswith("api.") and route.name not in OTHERS:
            yield route, known.get(route.name, ())


def token_of(response) -> str:
    """The CSRF token of a page's forms."""
    return form_with(response, "csrf_token")["csrf_token"].value


def sign_up(testapp, username, **fields):
    """Sign up as a browser does."""
    form = form_to(testapp.get("/accounts/signup/"), "/accounts/signup/")
    values = {"username": username, "email": f"{username}@example.org"} | fields
    for name, value in values.items():
        form[name] = value
    form["password"] = form["password_again"] = "seven horses"
    return form.submit(status=303)


def path_in(link: str) -> str:
    """The path of a link in a mail."""
    return re.sub("^https?://[^/]*", "", link)
