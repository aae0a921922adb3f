"""Queries, paths and headers in the worst shapes, as long as they are taken, over all routes."""

from dataclasses import replace
from functools import partial
from itertools import cycle
from urllib.parse import quote

from tests.soak import SOAK
from tests.worst.asking import Case
from tests.worst.places import API
from tests.worst.shapes import HEADERS, TEXTS

# What the application refuses is not sent any longer. No server in front of it takes longer ones. What is
# refused for its length alone is so before anything looks at it: who does not soak sends few so long.
ADDRESSES = (8_000, 65_000)
LENGTHS = (4_000, 30_000, 400_000)
TAKEN = len(LENGTHS) if SOAK else 1
SOME = len(TEXTS) if SOAK else 1
PAIRS = ("a&", "page=1&", "&", "=", "q=a;", "%ff=%ff&", "q=a&")


def test_queries(asker, survey):
    """Each parameter by itself, on the site and in the API; all those of a page together; and many of them.

    Who soaks sees each by itself in a page of each sort.
    """
    shapes, pairs, done = cycle(TEXTS), cycle(PAIRS), set()
    for path, names in survey.reads.items():
        sort = survey.sort_of(path) if SOAK else path.startswith(API)
        alone = [[name] for name in sorted(names) if (name, sort) not in done]
        done |= {(name, sort) for name in names}
        for each in (*alone, sorted(names) or ["x"]):
            for _ in range(SOME):
                shape = next(shapes)
                case = Case("GET", path, f"query {', '.join(each)}", shape, member=True)
                asker.try_longer(case, ADDRESSES[:TAKEN], partial(with_query, path, each, TEXTS[shape]))
        pair = next(pairs)
        case = Case("GET", path, "query", f"many {pair}", member=True)
        asker.try_longer(
            case,
            ADDRESSES,
            lambda size, path=path, pair=pair: {"path": f"{path}?{pair * (size // len(pair))}"},
        )
    asker.check()


def with_query(path: str, names: list[str], made, size: int) -> dict:
    """A path with one text in these parameters."""
    room = (size - len(path)) // len(names) - max(map(len, names)) - 2
    text = made(room)
    value = quote(text)
    if len(value) > room:  # as each byte takes three characters
        value = quote(made(max(1, room * len(text) // len(value))))
    return {"path": f"{path}?{'&'.join(f'{name}={value}' for name in names)}"}


def test_paths(asker, survey):
    """Each part of an address, which may be any text."""
    shapes, done = cycle(TEXTS), set()
    for path in survey.reads:
        parts = path.strip("/").split("/")
        for place in range(len(parts)):
            known = (survey.sort_of(path), place)
            if known in done and not SOAK:
                continue
            done.add(known)
            for turn in range(3 * SOME):
                shape = next(shapes)

                def made(size, shape=shape, parts=parts, place=place):
                    text = TEXTS[shape](size).replace("?", "")
                    return {"path": f"/{'/'.join((*parts[:place], text, *parts[place + 1 :]))}/"}

                case = Case("GET", "", f"part {place + 1}", shape, member=bool(place % 2))
                asker.try_longer(case, ADDRESSES[: TAKEN + (turn == 0)], made)
    asker.check()


WAYS = (
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


def test_headers(asker, survey):
    """Each header by itself, where requests go different ways, and all of them in each address."""
    ways = [Case("GET", path, member=member) for path, member in WAYS]
    ways += [Case("POST", path, body=b"a=1", member=True) for path in POSTS]
    turn, number = cycle(ways), len(ways) if SOAK else 1
    for name in survey.headers:
        for place, (shape, made) in enumerate(HEADERS.items()):
            lengths = LENGTHS[: TAKEN if place and name != "Referer" else None]
            for _ in range(number):
                case = replace(next(turn), place=name, shape=shape)
                asker.try_longer(
                    case, lengths, lambda size, name=name, made=made: {"headers": {name: made(size)}}
                )
        next(turn)  # so that each header goes each way
    shapes = cycle(HEADERS)
    for path in survey.reads:
        shape = next(shapes)

        def made(size, shape=shape):
            return {"headers": dict.fromkeys(survey.headers, HEADERS[shape](size // len(survey.headers)))}

        asker.try_longer(Case("GET", path, "all headers", shape), LENGTHS if SOAK else LENGTHS[1:2], made)
    asker.check()
