"""What the body of a request may be: measured before anything is made of it, for forms and the API alike."""

import re

BODY_MAX = 20 * 1024 * 1024  # bytes, with a picture
TEXT_MAX = 2 * 1024 * 1024  # bytes without files
FIELDS_MAX = 5000  # an issue with several hundred credits has fewer
FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data"

_BOUNDARY = re.compile(r'boundary="?([^";,]+)', re.IGNORECASE)
# A part that is a form of its own: its fields would not be counted.
_NESTED = re.compile(rb"^content-type:\s*(multipart/|application/x-www-form)", re.IGNORECASE | re.MULTILINE)
_SUBSTITUTE = "\ufffd"  # stands in for bytes that are no text, unless it was sent itself:
_SENT = (_SUBSTITUTE.encode(), b"%ef%bf%bd")


class BodyError(ValueError):
    """A body that is not read; the text says why."""


class TooLarge(BodyError):  # noqa: N818
    """It has too many bytes."""


class TooManyFields(BodyError):  # noqa: N818
    """It is a form with too many fields."""


class Unreadable(BodyError):  # noqa: N818
    """It is not the form that it says it is."""


def read(request) -> bytes:
    """The body as it came; raises TooLarge without having read it."""
    most = BODY_MAX if request.content_type == PARTS else TEXT_MAX
    if (request.content_length or 0) > most:
        raise TooLarge(f"The body is larger than {most // 1024**2} MB.")
    return request.body


def form(request):
    """The fields of a form, as WebOb gives them, files among them; raises BodyError.

    Refused are too many bytes or fields, parts without a boundary or with parts of their own, and what is not
    UTF-8.
    """
    body = read(request)
    _measure(request, body)
    try:
        fields = request.POST
    except (ValueError, LookupError, DeprecationWarning) as error:  # the last is WebOb's word for a charset
        raise Unreadable("The body is not a form that can be read.") from error
    texts = (each for pair in fields.items() for each in pair if isinstance(each, str))
    if any(_SUBSTITUTE in each for each in texts) and not any(sent in body.lower() for sent in _SENT):
        raise Unreadable("The form is not UTF-8.")
    return fields


def boundary(request) -> bytes:
    """What stands between the parts of a form; a client makes up another for each request."""
    found = _BOUNDARY.search(request.headers.get("Content-Type", ""))
    return found[1].strip().encode("latin-1") if found else b""


def _measure(request, body: bytes) -> None:
    """Refuse a form with too many fields, before each of them becomes several objects."""
    count = body.count(b"&") + 1
    if request.content_type == PARTS:
        between = b"--" + boundary(request)
        count = body.count(between)
        heads = re.compile(re.escape(between) + rb"\r?\n(.*?)\n\s*\n", re.DOTALL)
        if count <= FIELDS_MAX and any(_NESTED.search(head[1]) for head in heads.finditer(body)):
            raise Unreadable("A part of the form has parts of its own.")
    if count > FIELDS_MAX:
        raise TooManyFields(f"The form has more than {FIELDS_MAX} fields.")
