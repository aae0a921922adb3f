"""Renders the OpenAPI document as the pages of the reference: HTML without scripts."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from html import unescape

from comicsdb_api.docs_page import markdown
from comicsdb_api.docs_page.html import Html, element, join, void
from comicsdb_api.docs_page.named_schemas import NamedSchemas, anchor
from comicsdb_api.openapi.common import DATE_CONDITIONS, JSON, MORE_HEADERS, TAG_CONDITIONS
from comicsdb_api.openapi.examples import Examples
from comicsdb_api.openapi.field_descriptions import BASE
from comicsdb_api.responses import PATH_PREFIX, PROBLEM

AUTHORIZATION_OPTION = "-H 'Authorization: Bearer TOKEN' "
PARAMETER_LOCATIONS = {
    "path": ", in the path",
    "header": ", a header",
}  # of parameters; others are in the query
EXAMPLE_QUERY = ("modified_gt", "2026-02-11")
TITLES = {
    "200": "OK",
    "201": "Created",
    "304": "Not modified",
    "400": "Bad request",
    "401": "Unauthorized",
    "403": "Forbidden",
    "404": "Not found",
    "406": "Not acceptable",
    "410": "Gone",
    "412": "Precondition failed",
    "413": "Content too large",
    "415": "Unsupported media type",
    "422": "Unprocessable content",
    "429": "Too many requests",
}
SEARCH = "search"  # the name of the search page; no section has it
ERRORS, CONDITIONAL_REQUESTS = markdown.slug("Errors"), markdown.slug("Conditional requests")


GUIDE, RESOURCES, SHAPES = "Guide", "Resources", "Schemas"
RESULTS_MAX = 60  # results of a search
EXCERPT_LENGTH = 160  # characters of a result
TAGS, SPACES = re.compile(r"<[^>]+>"), re.compile(r"\s+")


@dataclass(frozen=True)
class Section:
    """A page of the reference: its name in URLs, its group in the menu, and the function that renders it.

    `operations` has the operations of a resource, as fragment identifiers and titles.
    """

    name: str
    group: str
    title: str
    content: Callable[[], Html]
    operations: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class SearchEntry:
    """A possible result of the search: its title, its address relative to any page below, and its text."""

    title: str
    address: str
    text: str


class Pages:
    """The pages for an OpenAPI document: an overview, and one for each section.

    Links are relative, as the host may have a prefix; `static` is the path of the files, relative to the
    overview.
    """

    def __init__(self, document: dict, static: str, home: str | None):
        self.document, self._static, self._home = document, static, home
        self.shapes = NamedSchemas(document)
        self.examples = Examples(self.shapes.schemas)
        resources: dict[str, dict[str, dict]] = {}
        for path, item in document["paths"].items():
            kind = path.removeprefix(PATH_PREFIX).partition("/")[0]
            resources.setdefault(kind, {})[path] = item
        self._before, guide = markdown.sections(document["info"]["description"])
        self._sections = [
            Section(markdown.slug(each), GUIDE, each, partial(Html, html)) for each, html in guide.items()
        ]
        self._sections += [
            Section(
                _resource_anchor(kind),
                RESOURCES,
                _title(kind),
                partial(self._resource, kind, items),
                _operations(items),
            )
            for kind, items in resources.items()
        ]
        self._sections += [
            Section(anchor(name), SHAPES, name, partial(self._shape, name, schema))
            for name, schema in self.shapes.schemas.items()
        ]
        self._numbers = {each.name: number for number, each in enumerate(self._sections)}
        self._rendered: dict[str, str] = {}

    @cached_property
    def _entries(self) -> list[SearchEntry]:
        return [entry for section in self._sections for entry in _search_entries(section)]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all pages but the search; the overview's is empty."""
        return "", *self._numbers

    def html(self, name: str) -> str | None:
        """Return the page with a name, which is rendered once, or None if there is none."""
        if name in self._rendered:
            return self._rendered[name]
        if name and name not in self._numbers:
            return None
        page = self._rendered[name] = self._section(name) if name else self._overview()
        return page

    def _section(self, name: str) -> str:
        number = self._numbers[name]
        before, each, after = [None, *self._sections, None][number : number + 3]
        content = [element("h1", each.group, class_="group"), each.content(), _neighbours(before, after)]
        return self._page(name, each.title, content)

    def search(self, query: str) -> str:
        """Return the page with the sections that contain all words of a query."""
        words = query.lower().split()
        entries = [each for each in self._entries if all(word in each.text.lower() for word in words)]
        entries.sort(key=lambda each: not all(word in each.title.lower() for word in words))
        content = [element("h1", "Search"), _search_form("../", query, "in-page")]
        if words:
            said = f"{len(entries)} results" if len(entries) != 1 else "1 result"
            more = f"; the first {RESULTS_MAX} are shown" if len(entries) > RESULTS_MAX else ""
            items = [
                element(
                    "li",
                    element("a", each.title, href=each.address),
                    element("p", _excerpt(each.text, words)),
                )
                for each in entries[:RESULTS_MAX]
            ]
            content += [element("p", f"{said}{more}.", class_="about", role="status")]
            content += [element("ul", items, role="list", class_="found")] if items else []
        return self._page(SEARCH, "Search", content)

    def _page(self, name: str, title: str, content) -> str:
        info, up = self.document["info"], "../" if name else ""
        static = f"{up}{self._static}"
        home = None if self._home is None else f"{up}{self._home}"
        mark = f"{static}/mark.svg"
        head = element(
            "head",
            void("meta", charset="utf-8"),
            void("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("title", f"{title} · {info['title']}" if name else f"Reference · {title}"),
            void("meta", name="description", content=info["summary"]),
            void("meta", name="robots", content="noindex") if name == SEARCH else None,
            void("meta", name="theme-color", content="#17141a"),
            void("link", rel="icon", type="image/svg+xml", href=mark),
            void("link", rel="stylesheet", href=f"{static}/docs.css"),
        )
        body = element(
            "body",
            element("a", "Skip to the content", class_="skip", href="#content"),
            _masthead(home, up, void("img", src=mark, alt="", width="34", height="34")),
            element(
                "div",
                self._menu(name, up),
                element("main", content, id="content", tabindex="-1"),
                class_="frame",
            ),
            element("footer", element("p", "Generated from the OpenAPI document.")),
        )
        return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"

    def _menu(self, current: str, up: str) -> Html:
        overview = element("a", "Overview", href=up or "./", aria_current=None if current else "page")
        lists = [element("ul", element("li", overview), role="list")]
        for group in (GUIDE, RESOURCES, SHAPES):
            items = [
                element(
                    "li",
                    element(
                        "a",
                        each.title,
                        href=f"{up}{each.name}/",
                        aria_current="page" if each.name == current else None,
                    ),
                )
                for each in self._sections
                if each.group == group
            ]
            lists += [element("h2", group), element("ul", items, role="list")]
        # Collapsed on phones; the style sheet shows it beside the text on wide screens.
        folded = element("details", element("summary", "Contents"), element("div", lists))
        return element("nav", _search_form(up, "", "menu"), folded, class_="contents", aria_label="Contents")

    def _overview(self) -> str:
        """Introduction and index; index entries have the same fragments as the sections."""
        info = self.document["info"]
        licence = element("a", info["license"]["name"], href=info["license"]["url"])
        forms = [
            element("a", form.upper(), href=f"../api/schema/?format={form}") for form in ("yaml", "json")
        ]
        about = ["Version ", info["version"], ". Licence of the data: ", licence, ". OpenAPI document: "]
        found = [
            element("h1", info["title"]),
            element("p", info["summary"], class_="lead"),
            element("p", about, join(forms, " or "), ".", class_="about"),
            *self._before,
        ]
        for group in (GUIDE, RESOURCES, SHAPES):
            items = [_index_entry(each) for each in self._sections if each.group == group]
            found.append(
                element("section", element("h2", group), element("ul", items, role="list", class_="index"))
            )
        return self._page("", info["title"], found)

    def _resource(self, kind: str, items: dict[str, dict]) -> Html:
        about = next(iter(items.values())).get("description")
        operations = [
            self._operation(path, method, operation, item.get("parameters", []))
            for path, item in items.items()
            for method, operation in item.items()
            if isinstance(operation, dict)
        ]
        return element(
            "section",
            element("h2", _title(kind), id=_resource_anchor(kind)),
            element("p", about) if about else None,
            operations,
            class_="resource",
            aria_labelledby=_resource_anchor(kind),
        )

    def _operation(self, path: str, method: str, operation: dict, shared: list[dict]) -> Html:
        name, description = operation["operationId"], operation.get("description")
        parameters = [self._resolve(each) for each in (*shared, *operation.get("parameters", ()))]
        conditional = (*TAG_CONDITIONS, *DATE_CONDITIONS)
        asked = [each for each in parameters if each["name"] not in conditional]
        conditions = [element("code", each["name"]) for each in parameters if each["name"] in conditional]
        words = element("span", method.upper(), class_="method")
        return element(
            "article",
            element("h3", words, " ", element("code", path, class_="path"), id=name),
            element("p", operation["summary"], ". ", markdown.inline(description or "")),
            markdown.code(_curl(path, method, asked, operation) + self._body_options(operation)),
            self._parameters(asked),
            self._body(operation),
            self._conditions(conditions),
            self._answers(operation["responses"]),
            aria_labelledby=name,
        )

    def _resolve(self, value: dict) -> dict:
        if "$ref" not in value:
            return value
        _, _, section, name = value["$ref"].split("/")
        return self.document["components"][section][name]

    def _parameters(self, parameters: list[dict]) -> Html | None:
        if not parameters:
            return None
        fields = []
        for each in parameters:
            kind = [self.shapes.describe(each["schema"]), PARAMETER_LOCATIONS.get(each["in"])]
            fields.append(_field(each["name"], join(kind), each.get("description")))
        return join([element("h4", "Parameters"), element("dl", fields, class_="fields")])

    def _body(self, operation: dict) -> Html | None:
        if "requestBody" not in operation:
            return None
        content = operation["requestBody"]["content"]
        fields = [_field(kind, self.shapes.describe(each["schema"]), None) for kind, each in content.items()]
        return join([element("h4", "Body"), element("dl", fields, class_="fields")])

    def _body_options(self, operation: dict) -> str:
        """Return the curl options for a minimal body: JSON if accepted, else a form."""
        content = operation.get("requestBody", {}).get("content", {})
        if not content:
            return ""
        if JSON in content:
            example = json.dumps(self.examples.minimal_value(content[JSON]["schema"]), ensure_ascii=False)
            return f" \\\n  -H 'Content-Type: {JSON}' -d '{example}'"
        fields = self.examples.minimal_value(next(iter(content.values()))["schema"])
        return " \\\n  " + " ".join(f"-F '{name}={value}'" for name, value in fields.items())

    def _conditions(self, names: list[Html]) -> Html | None:
        if not names:
            return None
        link = element("a", "Conditions", href=f"../{CONDITIONAL_REQUESTS}/")
        return join([element("h4", link), element("p", join(names, " "), class_="names")])

    def _answers(self, responses: dict) -> Html:
        items = []
        for status, reference in responses.items():
            answer = self._resolve(reference)
            code = element("b", f"{status} {TITLES.get(status, '')}".strip())
            if status >= "400":
                code = element("a", code, href=f"../{ERRORS}/")
            offered = answer.get("content", {}).items()
            schemas = [each.get("schema", {}) for media_type, each in offered if media_type != PROBLEM]
            shapes = list(dict.fromkeys(self.shapes.describe(each) for each in schemas))
            description = [markdown.inline(answer["description"].rstrip("."))]
            description += [": ", join(shapes, " or "), "."] if shapes else ["."]
            for each in answer.get("headers", {}):
                description += [" ", element("code", each)] if each in MORE_HEADERS else []
            items.append(element("div", element("dt", code), element("dd", description)))
        return join([element("h4", "Responses"), element("dl", items, class_="answers")])

    def _shape(self, name: str, schema: dict) -> Html:
        fields = [
            _field(key, self.shapes.describe(value), value.get("description"))
            for key, value in schema.get("properties", {}).items()
        ]
        example = json.dumps(self.examples.of(schema), indent=2, ensure_ascii=False)
        return element(
            "section",
            element("h2", element("code", name), id=anchor(name)),
            element("p", schema["description"]) if "description" in schema else None,
            element("dl", fields, class_="fields") if fields else element("p", self.shapes.describe(schema)),
            element("h3", "Example"),
            markdown.code(example),
            class_="shape",
            aria_labelledby=anchor(name),
        )


def _masthead(home: str | None, up: str, mark: Html) -> Html:
    name = element("span", "comics", element("b", "db"), class_="brand-name")
    brand = element("a" if home else "span", mark, name, class_="brand", href=home)
    schema = element("a", "OpenAPI", href=f"{up}../api/schema/", class_="button")
    bar = element("div", brand, element("span", "API", class_="where"), schema, class_="top-bar")
    return element("header", bar, class_="top")


def _search_form(up: str, query: str, name: str) -> Html:
    field = f"search-{name}"
    label = element("label", "Search the reference", for_=field)
    given = {"id": field, "type": "search", "name": "q", "value": query, "maxlength": "200"}
    button = element("button", "Search", type="submit")
    return element(
        "form", label, void("input", **given), button, role="search", action=f"{up}{SEARCH}/", class_="find"
    )


def _neighbours(before: Section | None, after: Section | None) -> Html:
    links = [
        each and element("a", f"{word}: {each.title}", href=f"../{each.name}/", rel=rel)
        for each, word, rel in ((before, "Previous", "prev"), (after, "Next", "next"))
    ]
    return element("nav", links, class_="around", aria_label="Previous and next")


def _index_entry(section: Section) -> Html:
    address = f"{section.name}/"
    operations = [
        element("li", element("a", title, href=f"{address}#{name}"), id=name)
        for name, title in section.operations
    ]
    below = element("ul", operations, role="list") if operations else None
    return element("li", element("a", section.title, href=address), below, id=section.name)


def _operations(items: dict[str, dict]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (operation["operationId"], f"{method.upper()} {path}")
        for path, item in items.items()
        for method, operation in item.items()
        if isinstance(operation, dict)
    )


def _search_entries(section: Section) -> Iterator[SearchEntry]:
    """The search entries of a section: one for itself, and one for each of its operations."""
    address = f"../{section.name}/"
    if not section.operations:
        yield SearchEntry(section.title, address, _text(section.content()))
        return
    about, *articles = section.content().split("<article")
    yield SearchEntry(section.title, address, _text(about))
    for (name, title), article in zip(section.operations, articles, strict=True):
        yield SearchEntry(title, f"{address}#{name}", _text(f"<article{article}"))


def _text(html: str) -> str:
    return SPACES.sub(" ", unescape(TAGS.sub(" ", html))).strip()


def _excerpt(text: str, words: list[str]) -> str:
    """The text around the word that is found first."""
    begin = max(0, min(text.lower().find(word) for word in words) - EXCERPT_LENGTH // 3)
    begin = text.rfind(" ", 0, begin) + 1
    end = begin + EXCERPT_LENGTH
    return f"{'… ' if begin else ''}{text[begin:end]}{' …' if end < len(text) else ''}"


def _field(name: str, kind: Html, description: str | None) -> Html:
    term = element("dt", element("code", name), " ", element("span", kind, class_="kind"))
    return element("div", term, element("dd", markdown.inline(description or "")))


def _title(kind: str) -> str:
    words = kind.replace("_", " ") or "root"
    return words[0].upper() + words[1:]


def _resource_anchor(kind: str) -> str:
    return f"resource-{kind or 'root'}"


def _curl(path: str, method: str, parameters: list[dict], operation: dict) -> str:
    """Return the curl command for an operation."""
    for each in parameters:
        if each["in"] == "path":
            path = path.replace(f"{{{each['name']}}}", str(each.get("example", 1)))
    name, value = EXAMPLE_QUERY
    if any(each["name"] == name for each in parameters):
        path += f"?{name}={value}"
    verb = "" if method == "get" else f"-X {method.upper()} "
    signed = "" if {} in operation.get("security", ()) else AUTHORIZATION_OPTION
    return f"curl {verb}{signed}{BASE}{path}"
