"""Bodies stay cheap in the worst shapes and as large as they may be, for every route that accepts them."""

import json
from collections import defaultdict
from dataclasses import replace
from itertools import cycle, product

from tests.soak import SOAK
from tests.worst.files import FILE_SIZE, FILES, TEXTS_IN
from tests.worst.measuring import Case, escaped, form
from tests.worst.pictures import PICTURES
from tests.worst.places import API
from tests.worst.shapes import SHAPES_TRIED, TEXTS

JSON = "application/json"
# Bytes of a body without files. A fifth of the maximum is enough to reveal quadratic time.
BODY_SIZE = 2_000_000 if SOAK else 400_000
HEAD_SIZE = 8_000  # bytes of a part's headers
REQUIRED_FIELDS = {"csrf_token", "modified", "form_key"}  # forms are refused without these fields


def test_forms(client, survey):
    """All text fields of a form at once, then all its other fields."""
    shapes, done = cycle(TEXTS), set()
    for each in survey.forms.values():
        others = set(each.fields) - each.text_fields - REQUIRED_FIELDS
        for names in (each.text_fields, others or {"x"}):
            known = {(survey.kind_of_route(each.path), name) for name in names}
            if known <= done and not SOAK:
                continue
            done |= known
            for _ in range(SHAPES_TRIED):
                shape = next(shapes)
                text = text_of_size(shape, BODY_SIZE // len(names) - 50)
                body, headers = form(survey.filled(each) | dict.fromkeys(names, text))
                place = ", ".join(sorted(names))
                client.try_one(Case("POST", each.path, place, shape, len(text), body, headers, each.member))
    client.check()


def text_of_size(shape: str, max_bytes: int) -> str:
    """A text that takes at most `room` bytes in the body of a form."""
    text = TEXTS[shape](max_bytes)
    data = text.encode()
    needed = len(data) + 2 * len(escaped(data, b" "))
    return text if needed <= max_bytes else TEXTS[shape](max_bytes * len(text) // needed)


# Parts.

PART = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'


def part(head: bytes, content: bytes = b"b") -> bytes:
    return b"--x\r\n" + head + b"\r\n\r\n" + content + b"\r\n"


def disposition(name: bytes, *, end: bytes = b'"') -> bytes:
    return b'Content-Disposition: form-data; name="' + name[:HEAD_SIZE] + end


def repeated_body(repeated: bytes, size: int = 2_000_000) -> bytes:
    return repeated * (size // len(repeated)) + b"--x--\r\n"


PARTS = {
    "semicolons in a name": repeated_body(part(disposition(b";" * HEAD_SIZE))),
    "escaped quotes in a name": repeated_body(part(disposition(b'\\"' * HEAD_SIZE))),
    "backslashes in a name": repeated_body(part(disposition(b"\\" * HEAD_SIZE, end=b""))),
    "quotes in a name": repeated_body(part(disposition(b'"' * HEAD_SIZE))),
    "parameters": repeated_body(part(disposition(b'a"' + b";a=b" * (HEAD_SIZE // 4), end=b""))),
    "parameters that go on": repeated_body(
        part(disposition(b'a"' + b";name*0*=b" * (HEAD_SIZE // 10), end=b""))
    ),
    "blanks in a head": repeated_body(part(b"Content-Disposition:" + b" " * HEAD_SIZE + b"form-data")),
    "many heads": repeated_body(part(b"\r\n".join([disposition(b"a")] + [b"A: b"] * (HEAD_SIZE // 6)))),
    "folded heads": repeated_body(part(disposition(b"a") + b"\r\n " * (HEAD_SIZE // 3) + b"b")),
    "a type of many parameters": repeated_body(
        part(disposition(b"a") + b"\r\nContent-Type: text/plain" + b';a="' * (HEAD_SIZE // 4))
    ),
    "a long charset": repeated_body(
        part(disposition(b"a") + b"\r\nContent-Type: text/plain; charset=" + b"a" * HEAD_SIZE)
    ),
    "base64": repeated_body(part(disposition(b"a") + b"\r\nContent-Transfer-Encoding: base64", b"YQ" * 2000)),
    "quoted printable": repeated_body(
        part(disposition(b"a") + b"\r\nContent-Transfer-Encoding: quoted-printable", b"=3D" * 2000)
    ),
    "lengths": repeated_body(part(disposition(b"a") + b"\r\nContent-Length: " + b"9" * 7000)),
    "small parts": PART * 4990 + b"--x--\r\n",
    "files": repeated_body(part(disposition(b'a"; filename="b')))[: 4990 * 60] + b"--x--\r\n",
    "blanks behind boundaries": repeated_body(b"--x" + b" " * 4000 + b"\r\n" + PART[5:]),
    "boundaries with more behind": repeated_body(b"--xa\r\n", 500_000) + PART,
    "what begins like a boundary": PART + repeated_body(b"\r\n--", 500_000),
    "lines": part(disposition(b'a"; filename="b'), b"\r\n" * 290_000) + b"--x--\r\n",
    "a line without an end": part(disposition(b'a"; filename="b'), b"a" * 19_000_000) + b"--x--\r\n",
    "returns": part(disposition(b"a"), b"\r" * (BODY_SIZE - 500)) + b"--x--\r\n",
    "hyphens": part(disposition(b"a"), b"-" * (BODY_SIZE - 500)) + b"--x--\r\n",
    "a head without an end": b"--x\r\n" + b"A: b\r\n" * 300_000,
    "bytes that are no text": part(disposition(b"a"), b"\xff" * (BODY_SIZE - 500)) + b"--x--\r\n",
}


def test_parts(client, survey):
    """Each shape on routes that process forms differently, and one shape for each form."""
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    for path in ("/accounts/login/", "/api/issue/", "/api/variant/"):
        for member in (False, True):
            for shape, body in PARTS.items():
                client.try_one(Case("POST", path, "parts", shape, len(body), body, headers, member))
    turn = cycle(PARTS.items())
    for page_form in survey.forms.values():
        if page_form.path.startswith("/reading-lists/") and page_form.path.endswith("/rate/"):
            continue  # its owner may not rate a list, whatever is sent
        shape, body = next(turn)
        client.try_one(Case("POST", page_form.path, "parts", shape, len(body), body, headers, member=True))
    client.check()


# JSON and forms of the API.

VALUES = {
    "a large number": "1" * 1_000_000,
    "a number with an exponent": "1e999999999",
    "a number of many decimals": "0." + "1" * 1_000_000,
    "deep lists": "[" * 900_000 + "]" * 900_000,
    "deep lists within bounds": "[" * 900 + "]" * 900,
    "deep objects": '{"a":' * 300_000 + "1" + "}" * 300_000,
    "a long list": "[" + ",".join(["1"] * 900_000) + "]",
    "a list of texts": "[" + ",".join(f'"{number}"' for number in range(200_000)) + "]",
    "a list of objects": "[" + ",".join(['{"id":1}'] * 200_000) + "]",
    "a list of lists": "[" + ",".join(["[]"] * 600_000) + "]",
    "escapes": '"' + "\\u0000" * 300_000 + '"',
    "lone surrogates": '"' + "\\ud800" * 300_000 + '"',
    "names": "{" + ",".join(f'"a{number}":1' for number in range(120_000)) + "}",
    "an object of many names in a list": "[{" + ",".join(f'"a{number}":1' for number in range(90_000)) + "}]",
    "ids of many members": '[{"IDS":[' + ",".join(['{"@source":"a","#text":"1"}'] * 30_000) + "]}]",
    "the same name": "{" + ",".join(['"name":"a"'] * 160_000) + "}",
}


def test_bodies_of_the_api(client, survey):
    """Each property by itself, all properties of a body together, and other JSON as the whole body."""
    shapes, values, done = cycle(TEXTS), cycle(VALUES.items()), set()
    for method, path, kind, properties in survey.writes():
        if kind == "multipart/form-data":
            continue
        case = Case(method, path, headers={"Content-Type": kind}, member=True)
        untried = [[name] for name in properties if SOAK or (name, kind) not in done]
        done |= {(name, kind) for name in properties}
        for names in (*untried, list(properties)) if untried else ():
            shape = next(shapes)
            text = text_of_size(shape, BODY_SIZE // max(1, len(names)) - 50)
            if kind != JSON:
                body = form(dict.fromkeys(names, text))[0]
            else:
                body = json.dumps(dict.fromkeys(names, text), ensure_ascii=False).encode()[:BODY_SIZE]
                shape, value = next(values)
                some = names[: max(1, BODY_SIZE // (len(value) + 50))]
                other = "{" + ",".join(f'"{name}":{value}' for name in some) + "}"
                place = f"values of {', '.join(some)}"
                client.try_one(replace(case, place=place, shape=shape, size=len(value), body=other.encode()))
            place = f"{kind} {', '.join(names)}"
            client.try_one(replace(case, place=place, shape=shape, size=len(text), body=body))
        if kind == JSON:
            shape, value = next(values)
            client.try_one(replace(case, place="body", shape=shape, size=len(value), body=value.encode()))
    client.check()


def test_descriptors_of_many_members(client):
    """Members that a descriptor does not have, and ids, as many as JSON may have."""
    case = Case("POST", "/api/match/", "descriptors", headers={"Content-Type": JSON}, member=True)
    for shape in ("an object of many names in a list", "ids of many members"):
        body = f'{{"descriptors":{VALUES[shape]}}}'.encode()
        client.try_one(replace(case, shape=shape, size=len(body), body=body))
        assert client.status == 200
    client.check()


# Pictures and imports, in every form with a file.

FILE_HEAD = b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n'
PICTURE = "image"  # the name of picture fields


def multipart(fields: dict[str, str], name: str, content: bytes) -> bytes:
    """A form with a file, as a browser sends it."""
    parts = [FILE_HEAD % (each.encode(), b"") + value.encode() + b"\r\n" for each, value in fields.items()]
    return b"".join((*parts, FILE_HEAD % (name.encode(), b'; filename="a"'), content, b"\r\n--x--\r\n"))


def uploads(survey, *, pictures: bool):
    """A case for each form with a file, whose place is the file's field, and its other fields."""
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    for each in survey.forms.values():
        for name in sorted(each.files):
            if name.endswith(PICTURE) == pictures:
                yield (
                    Case("POST", each.path, name, headers=headers, member=True, uploads=pictures),
                    survey.filled(each),
                )
    for method, path, kind, properties in survey.writes():
        if pictures and kind == "multipart/form-data" and PICTURE in properties:
            yield Case(method, path, PICTURE, headers=headers, member=True, uploads=True), {}


def test_imports(client, survey):
    """Every file in one form of the site; a soak run sends them to all, with each text in each place."""
    for number, (case, fields) in enumerate(uploads(survey, pictures=False)):
        for turn, ((place, made), (shape, text)) in enumerate(product(TEXTS_IN.items(), TEXTS.items())):
            if SOAK or (number == 0 and turn % 2 == 0):  # each text in every other place
                send_file(
                    client,
                    replace(case, shape=shape),
                    f"{case.place}: {place}",
                    fields,
                    made(text(FILE_SIZE)),
                )
        for shape, make in FILES.items():
            if number == 0 or SOAK:
                send_file(client, replace(case, shape=shape), case.place, fields, make())
    client.check()


def send_file(client, case, place, fields, content):
    """Send a file, and read the page where the import is reviewed."""
    body = multipart(fields, case.place, content)
    with client.undone_together():
        client.try_one(replace(case, place=place, size=len(content), body=body))
        if client.status == 303:
            path = client.location.removeprefix("http://localhost")
            client.try_one(replace(case, method="GET", path=path, place=f"{place}, its review", headers={}))


def test_pictures(client, survey):
    """A picture in every form, and each picture in a form of the site and in one of the API."""
    turns, sent_in = {True: cycle(PICTURES), False: cycle(PICTURES)}, defaultdict(list)
    for case, fields in uploads(survey, pictures=True):
        turn = turns[case.path.startswith(API)]
        for shape in PICTURES if SOAK else [next(turn)]:
            sent_in[shape].append((replace(case, shape=shape), fields))
    for shape, made in PICTURES.items():
        assert {case.path.startswith(API) for case, _ in sent_in[shape]} == {True, False}
        content = made()  # some take longer to make than to decode
        for case, fields in sent_in[shape]:
            client.try_one(replace(case, size=len(content), body=multipart(fields, case.place, content)))
    client.check()
