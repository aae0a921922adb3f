"""JSON Schema in a reader's words."""

from comicsdb_api.docs_page.html import Html, element, joined

MOST_WORDS = 12  # of a closed set that are written out


class Shapes:
    """The named shapes of a description."""

    def __init__(self, document: dict):
        self.schemas: dict[str, dict] = document["components"]["schemas"]

    def words(self, schema: dict) -> Html:
        """What a value is, with links to the shapes it is made of."""
        if "$ref" in schema:
            name = name_of(schema)
            return element("a", name, href=f"#{place(name)}")
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return joined([self.words(each) for each in schema[choice]], " or ")
        if "const" in schema:
            return joined([_value(schema["const"])])
        kinds = schema.get("type", "anything")
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return joined([self._kind(kind, schema) for kind in kinds], " or ")

    def _kind(self, kind: str, schema: dict) -> Html:
        if kind == "null":
            return element("span", "null", class_="null")
        if kind == "array":
            return joined(["list of ", self.words(schema["items"])])
        if kind == "object" and "additionalProperties" in schema:
            return joined(["object of ", self.words(schema["additionalProperties"])])
        if kind == "object" and "properties" in schema:
            return joined(["object with ", _listed(list(schema["properties"]))])
        if kind == "object":
            return joined(["object"])
        values = [each for each in schema.get("enum", ()) if each is not None]
        return joined([kind, ": ", _listed(values)]) if values else joined([kind, _limits(schema)])


def name_of(reference: dict) -> str:
    """The name of the component that is referred to."""
    return reference["$ref"].rpartition("/")[2]


def place(name: str) -> str:
    """The place of a shape in the page."""
    return f"shape-{name}"


def _listed(values: list) -> Html:
    shown = [_value(each) for each in values[:MOST_WORDS]]
    more = f" and {len(values) - len(shown)} more" if len(values) > len(shown) else ""
    return joined([joined(shown, ", "), more])


def _value(value) -> Html:
    return element("code", str(value) or '""')


def _limits(schema: dict) -> str:
    parts = []
    if "format" in schema:
        parts.append(schema["format"])
    if "pattern" in schema:
        parts.append("two decimals")
    if "maxLength" in schema:
        parts.append(f"up to {schema['maxLength']} characters")
    low, high = schema.get("minimum"), schema.get("maximum")
    if high is not None:
        parts.append(f"{low:,} to {high:,}".replace(",", "\u202f"))
    elif low is not None:
        parts.append(f"from {low} on")
    return "".join(f", {part}" for part in parts)
