"""Request bodies: JSON or forms, read within limits and converted for validation by schemas."""

import re
from dataclasses import dataclass
from hashlib import sha256

from webob.multidict import MultiDict

from comicsdb.http import bodies
from comicsdb.http.bodies import FORM, PARTS
from comicsdb.json_text import parse_json
from comicsdb.schemas import ObjectSchema
from comicsdb.schemas.types import ListOf
from comicsdb_api.errors import RefusedError

JSON = "application/json"
FORM_MEDIA_TYPES = (PARTS, FORM)
MEDIA_TYPES = (JSON, *FORM_MEDIA_TYPES)
ABSENT = object()

# `alias[0]` is the first alias; in a form of several objects, `[0]issue` is a field of the first.
_ELEMENT = re.compile(r"(.+)\[([0-9]{1,9})\]")
_ROW_FIELD = re.compile(r"\[([0-9]{1,9})\](.+)")
_COMPRESSIONS = ("gzip", "x-gzip", "deflate", "compress", "br", "zstd")
_MEDIA_TYPE_SHOWN = 100  # characters of a media type, in a message


@dataclass(frozen=True)
class File:
    """An uploaded file; its name is only used in messages."""

    name: str
    data: bytes

    def __str__(self):
        return self.name


@dataclass(frozen=True)
class ParsedBody:
    """A parsed body: the value of JSON, or the fields of a form; `digest` is that of the bytes."""

    data: object
    is_form: bool
    digest: str

    def values(self, schema: ObjectSchema, *, whole: bool):
        """The body as input for `schema`. With `whole`, links that a form omits are cleared."""
        return _form_values(self.data, schema, whole=whole) if self.is_form else self.data

    def rows(self, schema: ObjectSchema):
        """The objects in a body; none in a form without indexed fields."""
        if not self.is_form:
            return self.data
        rows: dict[int, MultiDict] = {}
        for key, value in self.data.items():
            if found := _ROW_FIELD.fullmatch(key):
                rows.setdefault(int(found[1]), MultiDict()).add(found[2], value)
        return [_form_values(rows[index], schema, whole=True) for index in sorted(rows)]

    def field(self, name: str):
        """The last value of a field, unparsed, or ABSENT."""
        return self.data.get(name, ABSENT) if isinstance(self.data, dict | MultiDict) else ABSENT


def parse_body(request, accepted: tuple[str, ...]) -> ParsedBody:
    """Parse the body of a request; raises RefusedError (415, or 400 for invalid JSON) and BodyError.

    An empty body of any type is an object without fields. A file without name and content, which browsers
    send if none was chosen, is omitted.
    """
    media_type = bodies.media_type(request)
    body = bodies.read(request)
    digest = _digest(request, body)
    if not body:
        return ParsedBody(
            MultiDict() if media_type in FORM_MEDIA_TYPES else {}, media_type in FORM_MEDIA_TYPES, digest
        )
    if request.headers.get("Content-Encoding", "").strip().lower() in _COMPRESSIONS:
        raise RefusedError(415, "Compressed bodies are not accepted: send it without Content-Encoding.")
    if media_type not in accepted:
        said = request.headers.get("Content-Type", "")[:_MEDIA_TYPE_SHOWN]
        raise RefusedError(415, f'Unsupported media type "{said}" in request.')
    if media_type == JSON:
        return ParsedBody(_json(body), False, digest)
    fields = ((name, _form_value(value)) for name, value in bodies.form(request).items())
    return ParsedBody(MultiDict((name, value) for name, value in fields if value is not None), True, digest)


def _digest(request, body: bytes) -> str:
    """The digest of a body; for a multipart form it does not depend on the boundary."""
    media_type = bodies.media_type(request)
    between = bodies.boundary(request) if media_type == PARTS else b""
    same = body.replace(between, b"") if between else body
    return sha256(media_type.encode() + b"\0" + same).hexdigest()


def _json(body: bytes):
    try:
        return parse_json(body.decode())
    except UnicodeDecodeError as error:
        raise RefusedError(400, "JSON parse error - the body is not valid UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, f"JSON parse error - {error}") from error


def _form_value(value) -> str | File | None:
    """The value of a form field: text, or the bytes of a file, None if none was chosen."""
    if isinstance(value, str):
        return value
    return File(value.filename, value.file.read()) if value else None


def _form_values(fields: MultiDict, schema: ObjectSchema, *, whole: bool) -> dict:
    elements: dict[str, dict[int, object]] = {}
    for key, value in fields.items():
        if found := _ELEMENT.fullmatch(key):
            elements.setdefault(found[1], {})[int(found[2])] = value
    values = {}
    for node in schema.children:
        name = node.name
        if not isinstance(node.typ, ListOf):
            if name in fields:
                values[name] = fields[name]
        elif name in fields:
            values[name] = fields.getall(name)
        elif name in elements:
            values[name] = [value for _, value in sorted(elements[name].items())]
        elif whole and node.typ.of_ids:
            values[name] = []
    return values
