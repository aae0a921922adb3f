"""Describes JSON Schemas in words."""

from comicsdb_api.docs_page.html import Html, element, join

VALUES_MAX = 12  # values shown of an enumeration


class NamedSchemas:
    """The named schemas of an OpenAPI document."""

    def __init__(self, document: dict):
        self.schemas: dict[str, dict] = document["components"]["schemas"]

    def describe(self, schema: dict) -> Html:
        """Describe a schema, with links to named schemas."""
        if "$ref" in schema:
            name = schema_name(schema)
            return element("a", name, href=f"../{anchor(name)}/")
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return join([self.describe(each) for each in schema[choice]], " or ")
        if "const" in schema:
            return join([_value(schema["const"])])
        kinds = schema.get("type", "anything")
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return join([self._kind(kind, schema) for kind in kinds], " or ")

    def _kind(self, kind: str, schema: dict) -> Html:
        if kind == "null":
            return element("span", "null", class_="null")
        if kind == "array":
            return join(["list of ", self.describe(schema["items"])])
        if kind == "object" and "additionalProperties" in schema:
            return join(["object of ", self.describe(schema["additionalProperties"])])
        if kind == "object" and "properties" in schema:
            return join(["object with ", _listed(list(schema["properties"]))])
        if kind == "object":
            return join(["object"])
        values = [each for each in schema.get("enum", ()) if each is not None]
        return join([kind, ": ", _listed(values)]) if values else join([kind, _limits(schema)])


def schema_name(reference: dict) -> str:
    """Return the name of the referenced component."""
    return reference["$ref"].rpartition("/")[2]


def anchor(name: str) -> str:
    """Return the name of the page of a named schema."""
    return f"shape-{name}"


def _listed(values: list) -> Html:
    shown = [_value(each) for each in values[:VALUES_MAX]]
    more = f" and {len(values) - len(shown)} more" if len(values) > len(shown) else ""
    return join([join(shown, ", "), more])


def _value(value) -> Html:
    return element("code", str(value) or '""')


def _limits(schema: dict) -> str:
    parts = []
    if "format" in schema:
        parts.append(schema["format"])
    if "pattern" in schema:
        parts.append("fixed format")
    if "maxLength" in schema:
        parts.append(f"up to {schema['maxLength']} characters")
    low, high = schema.get("minimum"), schema.get("maximum")
    if high is not None:
        parts.append(f"{low:,} to {high:,}".replace(",", "\u202f"))
    elif low is not None:
        parts.append(f"at least {low}")
    return "".join(f", {part}" for part in parts)
