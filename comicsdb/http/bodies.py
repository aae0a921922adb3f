"""Parsing the bodies of requests within limits, for forms and the API."""

import re
from binascii import unhexlify
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header
from pyramid.request import Request
from webob.multidict import MultiDict

from comicsdb.http.session_cookie import session_identifier

BODY_MAX = 20 * 1024 * 1024  # bytes of a body that may contain a picture
TEXT_MAX = 2 * 1024 * 1024  # bytes of a body without files
FIELDS_MAX = 5000  # more than an issue with several hundred credits needs
ANONYMOUS_FIELDS_MAX = 200  # for requests without credentials
HEAD_MAX = 1024  # bytes of the headers of a part
PARAMETERS_MAX = 20  # parameters, and escaped characters, in such a header
FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data"
UTF_8 = ("utf-8", "utf8", "us-ascii", "ascii")
ESCAPED = re.compile(rb"%[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2})*")  # the literal start is fast to find
UNENCODED = ("binary", "8bit", "7bit")  # transfer encodings that leave content as it is


class BodyError(ValueError):
    """A body is rejected; the text says why, `code` is the HTTP status."""

    code = 400


class TooLargeError(BodyError):
    """The body has too many bytes."""

    code = 413


class TooManyFieldsError(BodyError):
    """A form has too many fields."""

    code = 413


class UnreadableError(BodyError):
    """The body does not match its declared content type."""


@dataclass(frozen=True)
class UploadedFile:
    """An uploaded file, with the name that the client sent."""

    filename: str
    file: BytesIO


class FormRequest(Request):
    """A request whose forms are parsed by `form`, as WebOb would take hours for some of them."""

    @property
    def POST(self):  # noqa: N802  (WebOb's name)
        """The fields of the form; raises BodyError."""
        return form(self)


def media_type(request) -> str:
    """The media type of the body, without parameters; clients may write it in any case."""
    return request.content_type.strip().lower()


def read(request) -> bytes:
    """The unparsed body; raises TooLargeError before reading it."""
    most = BODY_MAX if media_type(request) == PARTS else TEXT_MAX
    if (request.content_length or 0) > most:
        raise TooLargeError(f"The body is larger than {most // 1024**2} MB.")
    return request.body


def form(request) -> MultiDict:
    """The fields of a form: texts, and files positioned at their start; none if the body is not a form.

    A file field without a file is b"". Raises BodyError for too many bytes or fields, a missing boundary,
    nested parts, and text that is not UTF-8.
    """
    kept, source = request.environ.get("comicsdb.form", (None, None))
    if kept is None or source is not request.body_file_raw:
        kept = MultiDict(_fields(request))
        request.environ["comicsdb.form"] = kept, request.body_file_raw
    for each in kept.values():
        if isinstance(each, UploadedFile):
            each.file.seek(0)  # an earlier attempt of the request has read it
    return kept


def boundary(request) -> bytes:
    """The boundary between the parts of a form, which clients choose for each request."""
    return _options(request).get("boundary", "").encode("latin-1")


def _options(request) -> dict[str, str]:
    return parse_options_header(request.environ.get("CONTENT_TYPE", ""))[1]


def _fields(request) -> list[tuple[str, str | bytes | UploadedFile]]:
    kind = media_type(request)
    body = read(request) if kind in (FORM, PARTS, "") else b""
    if not body:
        return []
    if _options(request).get("charset", "utf-8").lower() not in UTF_8:
        raise UnreadableError("The form is not valid UTF-8.")
    known = session_identifier(request) or "HTTP_AUTHORIZATION" in request.environ
    most = FIELDS_MAX if known else ANONYMOUS_FIELDS_MAX
    separator, more = (b"--" + boundary(request), 0) if kind == PARTS else (b"&", 1)
    if body.count(separator) + more > most:
        raise TooManyFieldsError(f"The form has more than {most} fields.")
    try:
        if kind == PARTS:
            return list(_parts(body, boundary(request)))
        return list(_pairs(body))
    except UnicodeDecodeError as error:
        raise UnreadableError("The form is not valid UTF-8.") from error
    except MultipartError as error:
        raise UnreadableError(f"The body is not a valid form: {error}.") from error


def _pairs(body: bytes) -> Iterator[tuple[str, str]]:
    """Names and values like those of `urllib.parse.parse_qsl`, which unescapes byte by byte."""
    for each in body.replace(b"+", b" ").split(b"&"):
        if each:
            name, _, value = each.partition(b"=")
            yield _unescaped(name), _unescaped(value)


def _unescaped(text: bytes) -> str:
    return ESCAPED.sub(lambda run: unhexlify(run[0].replace(b"%", b"")), text).decode()


class _Parser(PushMultipartParser):
    """The library's parser, which first rejects headers that would take long to parse."""

    def _create_segment(self, headerlist: list[tuple[str, str]]) -> MultipartSegment:
        size = sum(len(name) + len(value) for name, value in headerlist)
        many = any(value.count(each) > PARAMETERS_MAX for _, value in headerlist for each in ";\\")
        if size > HEAD_MAX or many:
            raise UnreadableError("The headers of a part of the form are too long.")
        return super()._create_segment(headerlist)


def _parts(body: bytes, between: bytes) -> Iterator[tuple[str, str | bytes | UploadedFile]]:
    """The name and value of each part."""
    segment, content = None, []
    with _Parser(between, max_header_size=HEAD_MAX, max_header_count=4, strict=True) as parser:
        for event in parser.parse(body):  # headers, pieces of content, and None at the end of a part
            if isinstance(event, MultipartSegment):
                segment, content = event, []
            elif event is not None:
                content.append(event)
            else:
                yield segment.name, _value(segment, b"".join(content))


def _value(segment: MultipartSegment, content: bytes) -> str | bytes | UploadedFile:
    if (segment.content_type or "").strip().lower().startswith(("multipart/", FORM)):
        raise UnreadableError("A part of the form is itself multipart; nested parts are not supported.")
    if segment.header("Content-Transfer-Encoding", "binary").strip().lower() not in UNENCODED:
        raise UnreadableError("A part of the form has a Content-Transfer-Encoding, which is not supported.")
    name = segment.filename
    if name is None and "filename*=" in segment.header("Content-Disposition", ""):
        name = "file"  # some clients send `filename*`, which browsers do not
    if name is None:
        if (segment.charset or "utf-8").lower() not in UTF_8:
            raise UnreadableError("The form is not valid UTF-8.")
        return content.decode()
    return UploadedFile(name, BytesIO(content)) if name or content else b""


def includeme(config):
    """Set the request factory."""
    config.set_request_factory(FormRequest)
