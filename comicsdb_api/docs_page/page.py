"""Renders the OpenAPI document as the reference page, in HTML without scripts."""

import json

from comicsdb_api.docs_page import markdown
from comicsdb_api.docs_page.html import Html, element, joined, void
from comicsdb_api.docs_page.shapes import Shapes, place
from comicsdb_api.openapi.common import BY_DATE, BY_TAG, JSON, MORE_HEADERS
from comicsdb_api.openapi.examples import Examples
from comicsdb_api.openapi.words import BASE
from comicsdb_api.responses import PATH_PREFIX, PROBLEM

SIGNED_IN = "-H 'Authorization: Bearer TOKEN' "
PLACES = {"path": ", in the path", "header": ", a header"}  # of parameters; others are in the query
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
ERRORS, ASKING_AGAIN = markdown.slug("Errors"), markdown.slug("Asking again")


class Page:
    """The page for an OpenAPI document."""

    def __init__(self, document: dict):
        self.document = document
        self.shapes = Shapes(document)
        self.examples = Examples(self.shapes.schemas)
        self.resources: dict[str, dict[str, dict]] = {}
        for path, item in document["paths"].items():
            kind = path.removeprefix(PATH_PREFIX).partition("/")[0]
            self.resources.setdefault(kind, {})[path] = item

    def html(self, static: str, home: str | None) -> str:
        """Return the page; `static` is the URL of its files, `home` that of the site, if there is one."""
        info = self.document["info"]
        mark = f"{static}/mark.svg"
        head = element(
            "head",
            void("meta", charset="utf-8"),
            void("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("title", f"Reference · {info['title']}"),
            void("meta", name="description", content=info["summary"]),
            void("meta", name="theme-color", content="#17141a"),
            void("link", rel="icon", type="image/svg+xml", href=mark),
            void("link", rel="stylesheet", href=f"{static}/docs.css"),
        )
        body = element(
            "body",
            element("a", "Skip to the content", class_="skip", href="#content"),
            _masthead(home, void("img", src=mark, alt="", width="34", height="34")),
            element("div", self._contents(), self._main(), class_="frame"),
            element("footer", element("p", "Made from the API's own description.")),
        )
        return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"

    def _contents(self) -> Html:
        guide = markdown.headings(self.document["info"]["description"])
        parts = {
            "Guide": [(heading, markdown.slug(heading)) for heading in guide],
            "Resources": [(_title(kind), _place(kind)) for kind in self.resources],
            "Shapes": [(name, place(name)) for name in self.shapes.schemas],
        }
        lists = []
        for title, entries in parts.items():
            items = [element("li", element("a", text, href=f"#{target}")) for text, target in entries]
            lists += [element("h2", title), element("ul", items, role="list")]
        # Collapsed on phones; the style sheet shows it beside the text on wide screens.
        folded = element("details", element("summary", "Contents"), element("div", lists))
        return element("nav", folded, class_="contents", aria_label="Contents")

    def _main(self) -> Html:
        info = self.document["info"]
        licence = element("a", info["license"]["name"], href=info["license"]["url"])
        forms = [
            element("a", form.upper(), href=f"../api/schema/?format={form}") for form in ("yaml", "json")
        ]
        about = ["Version ", info["version"], ". The data come under ", licence, ". This page as OpenAPI: "]
        return element(
            "main",
            element("h1", info["title"]),
            element("p", info["summary"], class_="lead"),
            element("p", about, joined(forms, " or "), ".", class_="about"),
            markdown.blocks(info["description"]),
            [self._resource(kind, items) for kind, items in self.resources.items()],
            [self._shape(name, schema) for name, schema in self.shapes.schemas.items()],
            id="content",
            tabindex="-1",
        )

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
            element("h2", _title(kind), id=_place(kind)),
            element("p", about) if about else None,
            operations,
            class_="resource",
            aria_labelledby=_place(kind),
        )

    def _operation(self, path: str, method: str, operation: dict, shared: list[dict]) -> Html:
        name, description = operation["operationId"], operation.get("description")
        parameters = [self._resolved(each) for each in (*shared, *operation.get("parameters", ()))]
        conditional = (*BY_TAG, *BY_DATE)
        asked = [each for each in parameters if each["name"] not in conditional]
        conditions = [element("code", each["name"]) for each in parameters if each["name"] in conditional]
        words = element("span", method.upper(), class_="method")
        return element(
            "article",
            element("h3", words, " ", element("code", path, class_="path"), id=name),
            element("p", operation["summary"], ".", f" {description}" if description else None),
            markdown.code(_curl(path, method, asked, operation) + self._sent(operation)),
            self._parameters(asked),
            self._body(operation),
            self._conditions(conditions),
            self._answers(operation["responses"]),
            aria_labelledby=name,
        )

    def _resolved(self, value: dict) -> dict:
        if "$ref" not in value:
            return value
        _, _, section, name = value["$ref"].split("/")
        return self.document["components"][section][name]

    def _parameters(self, parameters: list[dict]) -> Html | None:
        if not parameters:
            return None
        fields = []
        for each in parameters:
            kind = [self.shapes.words(each["schema"]), PLACES.get(each["in"])]
            fields.append(_field(each["name"], joined(kind), each.get("description")))
        return joined([element("h4", "Parameters"), element("dl", fields, class_="fields")])

    def _body(self, operation: dict) -> Html | None:
        if "requestBody" not in operation:
            return None
        content = operation["requestBody"]["content"]
        fields = [_field(kind, self.shapes.words(each["schema"]), None) for kind, each in content.items()]
        return joined([element("h4", "Body"), element("dl", fields, class_="fields")])

    def _sent(self, operation: dict) -> str:
        """Return the curl options for a minimal body: JSON if accepted, else a form."""
        content = operation.get("requestBody", {}).get("content", {})
        if not content:
            return ""
        if JSON in content:
            example = json.dumps(self.examples.least(content[JSON]["schema"]), ensure_ascii=False)
            return f" \\\n  -H 'Content-Type: {JSON}' -d '{example}'"
        fields = self.examples.least(next(iter(content.values()))["schema"])
        return " \\\n  " + " ".join(f"-F '{name}={value}'" for name, value in fields.items())

    def _conditions(self, names: list[Html]) -> Html | None:
        if not names:
            return None
        link = element("a", "Conditions", href=f"#{ASKING_AGAIN}")
        return joined([element("h4", link), element("p", joined(names, " "), class_="names")])

    def _answers(self, responses: dict) -> Html:
        items = []
        for status, reference in responses.items():
            answer = self._resolved(reference)
            code = element("b", f"{status} {TITLES.get(status, '')}".strip())
            if status >= "400":
                code = element("a", code, href=f"#{ERRORS}")
            offered = answer.get("content", {}).items()
            schemas = [each.get("schema", {}) for media_type, each in offered if media_type != PROBLEM]
            shapes = list(dict.fromkeys(self.shapes.words(each) for each in schemas))
            description = [markdown.inline(answer["description"].rstrip("."))]
            description += [": ", joined(shapes, " or "), "."] if shapes else ["."]
            for each in answer.get("headers", {}):
                description += [" ", element("code", each)] if each in MORE_HEADERS else []
            items.append(element("div", element("dt", code), element("dd", description)))
        return joined([element("h4", "Answers"), element("dl", items, class_="answers")])

    def _shape(self, name: str, schema: dict) -> Html:
        fields = [
            _field(key, self.shapes.words(value), value.get("description"))
            for key, value in schema.get("properties", {}).items()
        ]
        example = json.dumps(self.examples.of(schema), indent=2, ensure_ascii=False)
        return element(
            "section",
            element("h2", element("code", name), id=place(name)),
            element("p", schema["description"]) if "description" in schema else None,
            element("dl", fields, class_="fields") if fields else element("p", self.shapes.words(schema)),
            element("h3", "Example"),
            markdown.code(example),
            class_="shape",
            aria_labelledby=place(name),
        )


def _masthead(home: str | None, mark: Html) -> Html:
    name = element("span", "comics", element("b", "db"), class_="brand-name")
    brand = element("a" if home else "span", mark, name, class_="brand", href=home)
    schema = element("a", "OpenAPI", href="../api/schema/", class_="button")
    bar = element("div", brand, element("span", "API", class_="where"), schema, class_="top-bar")
    return element("header", bar, class_="top")


def _field(name: str, kind: Html, description: str | None) -> Html:
    term = element("dt", element("code", name), " ", element("span", kind, class_="kind"))
    return element("div", term, element("dd", markdown.inline(description or "")))


def _title(kind: str) -> str:
    words = kind.replace("_", " ") or "root"
    return words[0].upper() + words[1:]


def _place(kind: str) -> str:
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
    signed = "" if {} in operation.get("security", ()) else SIGNED_IN
    return f"curl {verb}{signed}{BASE}{path}"
