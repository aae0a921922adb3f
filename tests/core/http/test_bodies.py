"""Parsing of forms: valid and invalid ones, in time proportional to their length."""

from contextlib import suppress
from urllib.parse import parse_qsl

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from comicsdb.http import bodies
from tests.cpu import assert_cpu

SLOW = 0.2  # seconds of CPU that parsing a form must not take
BOUNDARY = "----WebKitFormBoundaryabc"
NAME = b'Content-Disposition: form-data; name="'


def multipart(*parts: tuple[bytes, bytes]) -> bytes:
    """A multipart form whose parts have these headers and contents."""
    line = f"--{BOUNDARY}".encode()
    return b"".join(line + b"\r\n" + head + b"\r\n\r\n" + content + b"\r\n" for head, content in parts) + (
        line + b"--\r\n"
    )


def form_of(body: bytes, kind=f"multipart/form-data; boundary={BOUNDARY}", **environ):
    """The fields of a form from a client that claims to be logged in."""
    request = bodies.FormRequest.blank("/", method="POST", body=body, content_type=kind)
    request.environ |= {"HTTP_AUTHORIZATION": "Bearer x", **environ}
    request.registry = RegistryStub
    return bodies.form(request)


class RegistryStub:
    """The part of a registry that `bodies` uses."""

    settings = {"comicsdb.secure_cookies": False}


LINE = f"--{BOUNDARY}".encode()


@pytest.mark.parametrize(
    "body",
    [
        multipart(*[(NAME + b'a"', b"x")] * 4990),
        multipart(*[(NAME + b";" * 980 + b'"', b"x")] * 4990),
        multipart(*[(NAME + b";" * 7900 + b'"', b"x")] * 2400),
        multipart(*[(NAME + b'a"' + b"; a" * 320, b"x")] * 4990),
        multipart(*[(NAME + b'a"' + b'; a="' * 190, b"x")] * 4990),
        multipart(*[(NAME + b'a"; a="' + b"\\" * 970, b"x")] * 4990),
        multipart(*[(NAME + b'a"; ' + b" " * 970, b"x")] * 4990),
        multipart(*[(NAME + b'a"\r\nContent-Type: a' + b"; b= " * 190, b"x")] * 4990),
        (LINE + b" " * 4000 + b"\r\n") * 4990,
        LINE + b"\r\n" + b"a: b\r\n" * 300_000,
        LINE + b"\r\n" + b"\n" * 2_000_000,
        b"\r\n" * 2_000_000,
        multipart((NAME + b'a"; filename="x"', b"\r\n" * 5_000_000)),
        multipart((NAME + b'a"; filename="x"', (b"\r\n" + LINE[:-1]) * 300_000)),
    ],
    ids=lambda body: repr(body[-60:-40] + body[60:80]),
)
def test_forms_in_parts_are_read_in_time_by_their_length(body):
    def read():
        with suppress(bodies.BodyError):
            form_of(body)

    assert_cpu(read, SLOW)


def test_a_form_in_parts_is_read_as_browsers_send_it():
    fields = form_of(
        multipart(
            (NAME + 'größe"'.encode(), "ü".encode()),
            (NAME + b'none"; filename=""\r\nContent-Type: application/octet-stream', b""),
            (NAME + b'image"; filename="a;b.png"\r\nContent-Type: image/png', b"\x89\r\n--\xff"),
            (b"content-disposition: form-data; name=unquoted", b"1"),
            (NAME + b"image\"; filename*=utf-8''%c3%a9.png", b"\xff"),
        )
    )
    assert list(fields) == ["größe", "none", "image", "unquoted", "image"]
    assert (fields["größe"], fields["none"], fields["unquoted"]) == ("ü", b"", "1")
    first, second = fields.getall("image")
    assert (first.filename, first.file.read(), second.file.read()) == ("a;b.png", b"\x89\r\n--\xff", b"\xff")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (multipart((NAME + b'csrf_token"', b"x")), f"multipart/form-data ; boundary={BOUNDARY}"),
        (multipart((NAME + b'csrf_token"', b"x")), f"Multipart/Form-Data; boundary={BOUNDARY}"),
        (b"csrf_token=x", f"{bodies.FORM} ; charset=utf-8"),
        (b"csrf_token=x", bodies.FORM.upper()),
    ],
)
def test_media_types_are_compared_as_http_says(body, kind):
    """In any case, and with spaces before their parameters."""
    assert dict(form_of(body, kind)) == {"csrf_token": "x"}


@pytest.mark.parametrize(
    ("body", "kind", "error"),
    [
        (multipart((NAME + b'a"', b"\xff")), None, bodies.UnreadableError),
        (multipart((NAME + b'\xff"', b"x")), None, bodies.UnreadableError),
        (
            multipart((NAME + b'a"\r\nContent-Type: multipart/mixed; boundary=b', b"x")),
            None,
            bodies.UnreadableError,
        ),
        (
            multipart((NAME + b'a"\r\nContent-Type: Multipart/Mixed; boundary=b', b"x")),
            None,
            bodies.UnreadableError,
        ),
        (
            multipart((NAME + b'a"\r\nContent-Transfer-Encoding: base64', b"eA==")),
            None,
            bodies.UnreadableError,
        ),
        (multipart((NAME + b"a" * 1024 + b'"', b"x")), None, bodies.UnreadableError),
        (
            multipart((NAME + b'a"\r\nX: ' + b"a" * 600 + b"\r\nY: " + b"a" * 600, b"x")),
            None,
            bodies.UnreadableError,
        ),
        (multipart((NAME + b'a"; filename="' + b"\\" * 21 + b'"', b"x")), None, bodies.UnreadableError),
        (multipart((b"Content-Disposition: form-data", b"x")), None, bodies.UnreadableError),
        (LINE + b"\r\n\r\nx\r\n" + LINE + b"--\r\n", None, bodies.UnreadableError),
        (multipart((NAME + b'a"', b"x"))[:-30], None, bodies.UnreadableError),
        (multipart(), "multipart/form-data", bodies.UnreadableError),
        (multipart(*[(NAME + b'a"', b"x")] * 5001), None, bodies.TooManyFieldsError),
        (b"a=%ff", bodies.FORM, bodies.UnreadableError),
        (b"a=\xff", bodies.FORM, bodies.UnreadableError),
        (b"a=1", f"{bodies.FORM}; charset=klingon", bodies.UnreadableError),
        (b"&".join([b"a=1"] * 5001), bodies.FORM, bodies.TooManyFieldsError),
        (b"a=" + b"x" * bodies.TEXT_MAX, bodies.FORM, bodies.TooLargeError),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_form_says_so(body, kind, error):
    with pytest.raises(error):
        form_of(body, **({"kind": kind} if kind else {}))


PIECES = st.sampled_from(
    (
        *"&=+;%aF0",
        "%4",
        "%zz",
        "%%41",
        "%c3",
        "%C3",
        "%A9",
        "%a9",
        "%26",
        "%3d",
        "%2B",
        "%25",
        "%00",
        "é",
        "\0",
    )
)


@given(st.lists(PIECES, max_size=20).map("".join) | st.text(st.characters(codec="utf-8")))
@example("%C3é%A9")
@example("%C3+%A9&%C3=%A9")
def test_a_form_is_read_as_the_standard_library_reads_it(text):
    try:
        expected = parse_qsl(text, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        with pytest.raises(bodies.UnreadableError):
            form_of(text.encode(), bodies.FORM)
    else:
        assert list(form_of(text.encode(), bodies.FORM).items()) == expected


@pytest.mark.parametrize("piece", [b"%", b"%41", b"+", b"%4"])
def test_escapes_are_read_in_time_by_their_length(piece):
    body = b"a=" + piece * ((bodies.TEXT_MAX - 2) // len(piece))
    assert_cpu(lambda: form_of(body, bodies.FORM), SLOW)


def test_who_does_not_claim_to_be_somebody_sends_small_forms():
    body = b"&".join([b"a=1"] * 300)
    assert len(form_of(body, bodies.FORM)) == 300
    request = bodies.FormRequest.blank("/", method="POST", body=body, content_type=bodies.FORM)
    request.registry = RegistryStub
    with pytest.raises(bodies.TooManyFieldsError):
        bodies.form(request)
