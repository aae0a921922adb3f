"""All places for untrusted input, as found in routes, pages, the API's description and the sources.

So new routes, parameters, fields and headers are included automatically.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import webob
from lxml import html
from webob import Request
from webob.multidict import MultiDict

import comicsdb
import comicsdb_api
import comicsdb_web
from tests.web.addresses import addresses_of

API = "/api/"
_NAMED = re.compile(r"""HTTP_([A-Z_]+)|headers(?:\.get\(|\[|\.getall\()\s*["']([A-Za-z-]+)["']""")


@dataclass
class Form:
    """A form of a page: its fields with their initial values, and which of them are text fields or files."""

    method: str
    path: str
    member: bool
    fields: dict[str, str] = field(default_factory=dict)
    text_fields: set[str] = field(default_factory=set)
    max_lengths: dict[str, int] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)


class Survey:
    """All requests that the application supports.

    `reads` maps paths to the names of their parameters; `forms` are those on pages; `headers` are the names
    that code reads; `description` is the API's; `token` is the member's CSRF token.
    """

    def __init__(self, app, session, world, kept, client):
        self.app = app
        self._client = client
        self.description = client.get("/api/schema/?format=json", member=True).json
        numbers = {"series_id": world.series.id, "item_id": kept.wish.id}
        self.numbers = defaultdict(lambda: 1, numbers)
        self.headers = known_headers()
        login = html.fromstring(client.get("/accounts/update/", member=True).text)
        self.token = login.xpath("//input[@name='csrf_token']/@value")[0]
        self._route_kinds: dict[str, str] = {}
        self.reads: dict[str, set[str]] = {}
        self.forms: dict[tuple[str, str], Form] = {}
        for path in addresses_of(app, session, world, kept, kept.list):
            self._read(path)
        for path in addresses_of(app, session, world, kept, kept.list, method="POST"):
            self._form(Form("POST", path, member=True))
        for path, known in self.description["paths"].items():
            if "get" in known:
                self._described(self.path_of(path), known["get"])

    def path_of(self, pattern: str) -> str:
        """A path of the API's description, with ids filled in."""
        return re.sub(r"\{(\w+)\}", lambda found: str(self.numbers[found[1]]), pattern)

    def kind_of_route(self, path: str) -> str:
        """The kind of a path's route: on the site the last word of its name, in the API the whole name."""
        if path not in self._route_kinds:
            route = self.app.routes_mapper(Request.blank(quote(path)))["route"]
            name = route.name if route else path
            self._route_kinds[path] = name.rpartition(".")[2] if not path.startswith(API) else f"api {name}"
        return self._route_kinds[path]

    def _read(self, path: str) -> None:
        plain = path.partition("?")[0]
        names = self.reads.setdefault(plain, set())
        names |= {name for name, _value in parse_qsl(urlsplit(path).query, keep_blank_values=True)}
        for member in (True, False):
            with record_looked_up_names() as looked_up:
                answer = self._client.get(path, member=member)
            names |= looked_up
            if answer.status_int == 200:
                if answer.content_type == "text/html":
                    for each in forms_of(answer.text, plain, member=member):
                        self._form(each)
                return

    def _form(self, found: Form) -> None:
        if found.method == "GET":
            self.reads.setdefault(found.path, set()).update(found.fields)
            return
        known = self.forms.setdefault((found.method, found.path), found)
        known.fields = found.fields | known.fields
        known.text_fields |= found.text_fields
        known.max_lengths |= found.max_lengths
        known.files |= found.files

    def filled(self, form: Form) -> dict[str, str]:
        """The initial fields of a form; with a valid CSRF token for a member."""
        return form.fields | {"csrf_token": self.token} if form.member else form.fields

    def _described(self, path: str, known: dict) -> None:
        names = self.reads.setdefault(path, set())
        parameters = map(self.resolved, known.get("parameters", ()))
        names |= {each["name"] for each in parameters if each["in"] == "query"}

    def resolved(self, described: dict) -> dict:
        """The object of the description that a reference points to."""
        while "$ref" in described:
            found = self.description
            for name in described["$ref"].removeprefix("#/").split("/"):
                found = found[name]
            described = found
        return described

    def writes(self) -> Iterator[tuple[str, str, str, dict]]:
        """Method, path, media type and properties of every body of the API."""
        for path, known in self.description["paths"].items():
            for method, told in known.items():
                if not isinstance(told, dict):  # a key that applies to the whole path
                    continue
                for kind, content in told.get("requestBody", {}).get("content", {}).items():
                    schema = self.resolved(content["schema"])
                    if schema.get("type") == "array":
                        schema = self.resolved(schema["items"])
                    yield method.upper(), self.path_of(path), kind, schema.get("properties", {})


def forms_of(page: str, path: str, *, member: bool) -> Iterator[Form]:
    """The forms of a page."""
    for each in html.fromstring(page).forms:
        action = urlsplit(each.action or path)
        made = Form(each.method.upper(), action.path or path, member)
        for element in each.inputs:
            kind = element.get("type", element.tag)
            if not element.name or kind in {"submit", "button"}:
                continue
            if kind == "file":
                made.files.add(element.name)
                continue
            made.fields.setdefault(element.name, _value(element))
            if (element.get("maxlength") or "").isdigit():
                made.max_lengths[element.name] = int(element.get("maxlength"))
            if element.tag == "textarea" or kind in {"text", "search", "email", "password", "url", "tel"}:
                made.text_fields.add(element.name)
        yield made


def _value(element) -> str:
    if element.tag == "select" or element.get("type") in {"radio", "checkbox"}:
        value = element.get("value") or element.value
        return (
            next(iter(value), "") if isinstance(value, (set, list)) or hasattr(value, "add") else value or ""
        )
    return element.value or ""


@contextmanager
def record_looked_up_names() -> Iterator[set[str]]:
    """Record the names that are looked up in queries and forms during the block."""
    names: set[str] = set()
    methods = ("get", "getall", "getone", "__getitem__", "__contains__")
    before = {name: vars(MultiDict)[name] for name in methods if name in vars(MultiDict)}

    def recording(method):
        def recorded(self, name, *rest, **options):
            if isinstance(name, str):
                names.add(name)
            return method(self, name, *rest, **options)

        return recorded

    for name, method in before.items():
        setattr(MultiDict, name, recording(method))
    try:
        yield names
    finally:
        for name, method in before.items():
            setattr(MultiDict, name, method)


def known_headers() -> list[str]:
    """The headers that our sources and WebOb's read, spelled as in requests."""
    found = {"Content-Type", "Cookie"}
    for package in (comicsdb, comicsdb_api, comicsdb_web, webob):
        for source in Path(package.__file__).parent.rglob("*.py"):
            for environ, name in _NAMED.findall(source.read_text("utf-8")):
                found.add((environ.replace("_", "-") or name).title())
    return sorted(found)
