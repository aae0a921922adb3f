"""Complete examples of the bodies of requests and responses, composed of the examples of single fields."""

DAY, MOMENT = "2019-06-01", "2026-02-11T13:03:12.440105Z"  # for fields without an example
FORMATS = {"date": DAY, "date-time": MOMENT, "uri": "https://comics.example/"}


def add_examples(document: dict) -> None:
    """Add complete examples for the bodies of requests and responses to an OpenAPI document.

    They are added to the schemas: to named ones, which may be used in several places, and to inline ones.
    """
    schemas = document["components"]["schemas"]
    examples = Examples(schemas)
    for name, schema in schemas.items():
        schemas[name] = examples.with_example(schema)
    for item in document["paths"].values():
        operations = (each for each in item.values() if isinstance(each, dict))
        for operation in operations:
            for body in (operation.get("requestBody", {}), *operation["responses"].values()):
                for content in body.get("content", {}).values():
                    content["schema"] = examples.with_example(content.get("schema", {}))


class Examples:
    """Builds examples of values that fit a schema; `schemas` has the named schemas of the document."""

    def __init__(self, schemas: dict[str, dict]):
        self.schemas = schemas

    def with_example(self, schema: dict) -> dict:
        """The schema with a complete example, unless it has one or is only a reference."""
        if "examples" in schema or not ("properties" in schema or "items" in schema):
            return schema
        return schema | {"examples": [self.of(schema)]}

    def of(self, schema: dict):
        """A value that fits a schema."""
        if schema.get("examples"):
            return schema["examples"][0]
        if "$ref" in schema:
            return self.of(self.schemas[schema["$ref"].rpartition("/")[2]])
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return self.of(schema[choice][0])
        if "const" in schema:
            return schema["const"]
        return self._of_type(schema)

    def _of_type(self, schema: dict):
        match schema.get("type"):
            case "object":
                return {key: self.of(value) for key, value in schema.get("properties", {}).items()}
            case "array":
                return [self.of(schema["items"])]
            case "string":
                return schema.get("enum", [FORMATS.get(schema.get("format"), "…")])[0]
            case "integer" | "number":
                return schema.get("enum", [schema.get("minimum", 0)])[0]
            case "boolean":
                return True
        return None  # several types: one of them is null

    def minimal_value(self, schema: dict):
        """The smallest example of an object or a list of one: only the required fields, or else the first."""
        if "$ref" in schema:
            return self.minimal_value(self.schemas[schema["$ref"].rpartition("/")[2]])
        if schema["type"] == "array":
            return [self.minimal_value(schema["items"])]
        fields = schema["properties"]
        return {key: self.of(fields[key]) for key in schema.get("required") or list(fields)[:1]}
