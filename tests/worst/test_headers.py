"""No header, however extreme, is a server error: all that the sources read, on every route."""

from dataclasses import replace

import pytest
from PIL import Image

from tests.pictures import encoded
from tests.worst.measuring import Case

DATES = (
    "Sat, 21 Nov 99999 02:36:05 GMT",
    "Sat, 31 Dec 9999 23:59:59 -2359",
    "Mon, 01 Jan 0001 00:00:00 +2359",
    "Sat, 21 Nov 2026 02:36:05 +99999999999",
    "Sat, 32 Foo 2026 25:61:61 GMT",
    " GMT",
    "-1",
    "9" * 4000,
)
RANGES = (
    "bytes=0-0",
    "bytes=-0",
    "bytes=0-99999999999999999999",
    "bytes=5-1",
    f"bytes=-{'9' * 4000}",
    "bytes=²-",
)
TAGS = ('"', "*", '"\\' * 2000, "\xff", "W/" * 2000)
NUMBERS = ("nan", "0x1", "1;q=" + "9" * 4000, "a/b;q=nan", ",,,")
EXTREMES = (*DATES, *RANGES, *TAGS, *NUMBERS)
# These decide whether, or by which route, a request is answered at all.
DECIDING = {"Content-Length", "Transfer-Encoding", "Host", "Authorization", "Cookie", "X-Fragment", "Origin"}
RANGE = "bytes=0-9"


@pytest.fixture
def paths(survey, media_folder):
    """An address of each route that is read, among them those of pictures, which are no pages."""
    key = "issue/2026/01/02/extreme.png"
    (media_folder / key).parent.mkdir(parents=True, exist_ok=True)
    (media_folder / key).write_bytes(encoded(Image.new("RGB", (60, 90))))
    by_kind = {survey.kind_of_route(path): path for path in survey.reads}
    return [
        f"/media/{key}",
        f"/media/thumb/cover/{key}.webp",
        "/.well-known/comicsdb.json",
        *by_kind.values(),
    ]


def test_extreme_header_on_any_route_is_no_server_error(client, survey, paths):
    """All headers have the extreme at once, and those of conditions also by themselves, with a range.

    Pages and JSON have conditions of their own, and get a part of the extremes; files get all.
    """
    names = sorted(set(survey.headers) - DECIDING)
    assert {"If-Modified-Since", "If-Range", "Range", "If-None-Match", "Accept"} <= set(names)
    conditions = [name for name in names if name.startswith("If-")]
    for turn, path in enumerate(paths):
        response = client.get(path, member=True)
        if response.status_int != 200:
            continue
        assert response.body  # read, which closes its file
        is_file = response.content_type not in {"text/html", "application/json"}
        for number, extreme in enumerate(EXTREMES):
            if not is_file and (number + turn) % 6:
                continue
            case = Case("GET", path, "all headers", extreme[:40], headers=dict.fromkeys(names, extreme))
            client.try_one(case)
            name = conditions[(number + turn) % len(conditions)]
            client.try_one(replace(case, place=name, headers={name: extreme, "Range": RANGE}))
    client.check()
