"""Texts in the worst shapes, as long as they may be, stay cheap in each place of a request on every route."""

from dataclasses import replace
from functools import partial
from itertools import cycle

from tests.soak import SOAK
from tests.worst.measuring import Case, form, quoted
from tests.worst.places import API
from tests.worst.shapes import HEADERS, SHAPES_TRIED, TEXTS

# A case is sent with increasing sizes until the application refuses it as too long. No proxy accepts longer
# ones. As requests are refused for their length before anything parses them, normal runs send few long ones.
ADDRESSES = (8_000, 65_000)
LENGTHS = (4_000, 30_000, 400_000)
SIZES_TRIED = len(LENGTHS) if SOAK else 1
LONG_TEXT = 100_000  # characters for a field without a maximum length
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
