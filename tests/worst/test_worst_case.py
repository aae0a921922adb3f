"""Every route must stay cheap with texts and files in the worst shapes, as long as they may be.

All in one file, as the survey of routes, parameters and forms is made once per module, which takes a while.
"""

import json
from collections import defaultdict
from dataclasses import replace
from functools import partial
from itertools import cycle, product

from tests.soak import SOAK
from tests.worst.files import FILE_SIZE, FILES, TEXTS_IN
from tests.worst.measuring import Case, escaped, form, quoted
from tests.worst.pictures import PICTURES
from tests.worst.places import API
from tests.worst.shapes import HEADERS, TEXTS

# Queries, paths and headers, over all routes.

# A case is sent with increasing sizes until the application refuses it as too long. No proxy accepts longer
# ones. As requests are refused for their length before anything parses them, normal runs send few long ones.
ADDRESSES = (8_000, 65_000)
LENGTHS = (4_000, 30_000, 400_000)
SIZES_TRIED = len(LENGTHS) if SOAK else 1
SHAPES_TRIED = len(TEXTS) if SOAK else 1
PAIRS = ("a&", "page=1&", "&", "=", "q=a;", "%ff=%ff&", "q=a&")


def test_queries(client, survey):
    """Each parameter by itself, on the site and in the API; all those of a page together; and many of them.

    A soak run sends each by itself to a page of each sort, and many of them to every page.
    """
    shapes, pairs, done, routes_done = cycle(TEXTS), cycle(PAIRS), set(), set()
    for path, names in survey.reads.items():
        group = survey.kind_of_route(path) if SOAK else path.startswith(API)
        untried = [[name] for name in sorted(names) if (name, group) not in done]
        done |= {(name, group) for name in names}
        for each in (*untried, sorted(names) or ["x"]):
            for _ in range(SHAPES_TRIED):
                shape = next(shapes)
                case = Case("GET", path, f"query {', '.join(each)}", shape, member=True)
                client.try_longer(
                    case, ADDRESSES[:SIZES_TRIED], partial(with_query, path, each, TEXTS[shape])
                )
        if survey.kind_of_route(path) in routes_done and not SOAK:
            continue
        routes_done.add(survey.kind_of_route(path))
        pair = next(pairs)
        case = Case("GET", path, "query", f"many {pair}", member=True)
        client.try_longer(
            case,
            ADDRESSES,
            lambda size, path=path, pair=pair: {"path": f"{path}?{pair * (size // len(pair))}"},
        )
    client.check()


def with_query(path: str, names: list[str], made, size: int) -> dict:
    """A path with the same text in each of these parameters."""
    max_bytes = (size - len(path)) // len(names) - max(map(len, names)) - 2
    text = made(max_bytes)
    value = quoted(text, b"/")
    if len(value) > max_bytes:  # quoted bytes take three characters
        value = quoted(made(max(1, max_bytes * len(text) // len(value))), b"/")
    return {"path": f"{path}?{'&'.join(f'{name}={value}' for name in names)}"}


def test_paths(client, survey):
    """Any text as each part of a path."""
    shapes, done = cycle(TEXTS), set()
    for path in survey.reads:
        parts = path.strip("/").split("/")
        for place in range(len(parts)):
            known = (survey.kind_of_route(path), place)
            if known in done and not SOAK:
                continue
            done.add(known)
            for turn in range(3 * SHAPES_TRIED):
                shape = next(shapes)

                def made(size, shape=shape, parts=parts, place=place):
                    text = TEXTS[shape](size).replace("?", "")
                    return {"path": f"/{'/'.join((*parts[:place], text, *parts[place + 1 :]))}/"}

                case = Case("GET", "", f"part {place + 1}", shape, member=bool(place % 2))
                client.try_longer(case, ADDRESSES[: SIZES_TRIED + (turn == 0)], made)
    client.check()


GETS = (
    *(
        (path, member)
        for path in ("/", "/issue/", "/api/", "/api/issue/1/", "/api/issue/")
        for member in (False, True)
    ),
    ("/feeds/releases.atom", False),
    ("/media/a.png", False),
    ("/no/", False),
)
POSTS = ("/accounts/login/", "/api/issue/", "/no/")


def test_headers(client, survey):
    """Each header by itself, with requests that are processed differently, and all headers with each address.

    Only a soak run sends all shapes in each header; others send the first and every other one (Referer: all).
    """
    requests = [Case("GET", path, member=member) for path, member in GETS]
    requests += [Case("POST", path, body=b"a=1", member=True) for path in POSTS]
    turn, number = cycle(requests), len(requests) if SOAK else 1
    for header, name in enumerate(survey.headers):
        for place, (shape, made) in enumerate(HEADERS.items()):
            if place and (header + place) % 2 and name != "Referer" and not SOAK:
                continue
            lengths = LENGTHS[: SIZES_TRIED if place and name != "Referer" else None]
            for _ in range(number):
                case = replace(next(turn), place=name, shape=shape)
                client.try_longer(
                    case, lengths, lambda size, name=name, made=made: {"headers": {name: made(size)}}
                )
        next(turn)  # so that each header is sent with each kind of request
    shapes = cycle(HEADERS)
    for path in survey.reads:
        shape = next(shapes)

        def made(size, shape=shape):
            return {"headers": dict.fromkeys(survey.headers, HEADERS[shape](size // len(survey.headers)))}

        client.try_longer(Case("GET", path, "all headers", shape), LENGTHS if SOAK else LENGTHS[1:2], made)
    client.check()


# Forms, parts and JSON, as large as bodies may be, for every route that accepts them.

JSON = "application/json"
# Bytes of a body without files. A fifth of the maximum is enough to reveal quadratic time.
BODY_SIZE = 2_000_000 if SOAK else 400_000
HEAD_SIZE = 8_000  # bytes of a part's headers
LONG_TEXT = 100_000  # characters for a field without a maximum length
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


def test_what_is_saved(client, survey):
    """Each text field at its maximum length, and then the pages that show what was saved."""
    shapes, done = cycle(TEXTS), set()
    for each in survey.forms.values():
        for name in sorted(each.text_fields):
            known = (survey.kind_of_route(each.path), name)
            if known not in done or SOAK:
                done.add(known)
                save_and_read(client, survey, each, name, shapes)
    client.check()


def save_and_read(client, survey, each, name, shapes):
    """Save two texts in turn, as pages compare them; then read the page that follows, or all pages below it.

    The second save is a conflict if the form contains the version that it is based on.
    """
    size, location = each.max_lengths.get(name, LONG_TEXT), None
    with client.undone_together():
        for _ in range(2):
            shape = next(shapes)
            text = TEXTS[shape](size)[:size]
            body, headers = form(survey.filled(each) | {name: text})
            case = Case("POST", each.path, name, shape, len(text), body, headers, each.member)
            client.try_one(case)
            if client.status == 303:
                location = client.location
        if location is None:
            return
        where = location.removeprefix("http://localhost").partition("?")[0]
        for path in survey.reads:
            if path == where or (size >= LONG_TEXT and path.startswith(where)):
                client.try_one(replace(case, method="GET", path=path, body=b"", headers={}))


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
    for each in survey.forms.values():
        shape, body = next(turn)
        client.try_one(Case("POST", each.path, "parts", shape, len(body), body, headers, member=True))
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
            body = form(dict.fromkeys(names, text))[0]
            if kind == JSON:
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
    """Each picture in one form of the site and one of the API, and one picture in every other form."""
    turn, done, sent_in = cycle(PICTURES), set(), defaultdict(list)
    for case, fields in uploads(survey, pictures=True):
        in_api = case.path.startswith("/api/")
        for shape in [next(turn)] if in_api in done and not SOAK else list(PICTURES):
            sent_in[shape].append((replace(case, shape=shape), fields))
        done.add(in_api)
    for shape, made in PICTURES.items():
        content = made()  # some take longer to make than to decode
        for case, fields in sent_in[shape]:
            client.try_one(replace(case, size=len(content), body=multipart(fields, case.place, content)))
    client.check()
