"""What the body of a request may be: measured before anything is made of it, for forms and the API alike."""

import re

BODY_MAX = 20 * 1024 * 1024  # bytes, with a picture
TEXT_MAX = 2 * 1024 * 1024  # bytes without files
FIELDS_MAX = 5000  # an issue with several hundred credits has fewer
LINES_MAX = 300_000  # read one by one; the bytes of a picture are as good as random, and so make fewer
HEAD_MAX = 8192  # bytes that a part says of itself, before its content
FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data"

_BOUNDARY = re.compile(r'boundary="?([^";,]+)', re.IGNORECASE)
_BLANK_LINE = re.compile(rb"\n\s*\n")
# A part that is a form of its own: its fields would not be counted.
_NESTED = re.compile(rb"^content-type:\s*(multipart/|application/x-www-form)", re.IGNORECASE | re.MULTILINE)
_SUBSTITUTE = "\ufffd"  # stands in for bytes that are no text, unless it was sent itself:
_SENT = (_SUBSTITUTE.encode(), b"%ef%bf%bd")


class BodyError(ValueError):
    """A body that is not read; the text says why."""


class TooLarge(BodyError):  # noqa: N818
    """It has too many bytes or lines."""


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
    UTF-8. Files are at their beginning.
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
    for each in fields.values():
        if hasattr(each, "file"):  # a file field that was left empty has none
            each.file.seek(0)  # WebOb keeps the form, and a request that is tried again has read the file
    return fields


def boundary(request) -> bytes:
    """What stands between the parts of a form; a client makes up another for each request."""
    found = _BOUNDARY.search(request.headers.get("Content-Type", ""))
    return found[1].strip().encode("latin-1") if found else b""


def _measure(request, body: bytes) -> None:
    """Refuse a form that would take long to read, or each of whose many fields would become objects."""
    count = body.count(b"&") + 1
    if request.content_type == PARTS:
        between = b"--" + boundary(request)
        count = body.count(between)
        if body.count(b"\n") > LINES_MAX:
            raise TooLarge(f"The form has more than {LINES_MAX} lines.")
    if count > FIELDS_MAX:
        raise TooManyFields(f"The form has more than {FIELDS_MAX} fields.")
    if request.content_type == PARTS:
        for part in re.split(rb"(?m)^" + re.escape(between) + rb"[^\S\n]*\n", body)[1:]:
            _check_head(part)


def _check_head(part: bytes) -> None:
    start = b"\n" + part[:HEAD_MAX]
    end = _BLANK_LINE.search(start)
    if end is None and len(part) > HEAD_MAX:
        raise Unreadable("A part of the form has no content.")
    if _NESTED.search(start[: end.start()] if end else start):
        raise Unreadable("A part of the form has parts of its own.")
