"""Costly pictures, and thumbnails that are not made yet, do not make other requests wait."""

import os
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from comicsdb.imaging.picture import SIZES
from tests.pictures import interlaced
from tests.serving import add_account, fetch
from tests.site.test_production import served

MEMBERS, ANONYMOUS = 3, 8  # members, and connections of anonymous visitors
PICTURES = 40
SECONDS = 12.0
LONGEST = 1.0  # seconds for a page meanwhile
BOUNDARY = "x" * 20
HEAD = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'


def test_health_while_costly_pictures_are_decoded_answers_within_a_second(cluster, template, tmp_path):
    cluster.clone_database(template, "attacked")
    url = cluster.url("attacked")
    members = [add_account(url, f"member{number}") for number in range(MEMBERS)]
    picture = interlaced(4000)
    folder = tmp_path / "media" / "issue"
    folder.mkdir(parents=True)
    (folder / "0.png").write_bytes(picture)
    for number in range(1, PICTURES):
        os.link(folder / "0.png", folder / f"{number}.png")
    thumbnails = (f"/media/thumb/{size}/issue/{n}.png.webp" for n in range(PICTURES) for size in SIZES)
    body = HEAD.encode() + picture + f"\r\n--{BOUNDARY}--\r\n".encode()
    form = {"method": "POST", "data": body, "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    answers, lock, stopped = Counter(), threading.Lock(), threading.Event()

    def count(what: str, answer: tuple[int, dict, bytes]) -> None:
        status, headers, _body = answer
        with lock:
            answers[what, status, "retry-after" in {name.lower() for name in headers}] += 1

    def upload(basic: str) -> None:
        while not stopped.is_set():
            count("upload", fetch(f"{base}/api/cover/", Authorization=basic, **form))

    def look() -> None:
        while not stopped.is_set():
            with lock:
                address = next(thumbnails)
            count("thumbnail", fetch(base + address))

    with served(tmp_path, url) as (_process, port, _log), ThreadPoolExecutor(2 * MEMBERS + ANONYMOUS) as pool:
        base = f"http://127.0.0.1:{port}"
        attack = [pool.submit(upload, basic) for basic in members * 2]
        attack += [pool.submit(look) for _number in range(ANONYMOUS)]
        seconds, end = [], time.monotonic() + SECONDS
        while time.monotonic() < end:
            begun = time.monotonic()
            assert fetch(f"{base}/health/")[0] == 200
            seconds.append(time.monotonic() - begun)
            time.sleep(0.05)
        stopped.set()
        for each in attack:
            each.result()
    cluster.drop_database("attacked")
    assert max(seconds) < LONGEST
    assert answers.keys() <= {
        ("upload", 200, False),
        ("upload", 503, True),
        ("thumbnail", 200, False),
        ("thumbnail", 503, True),
    }
    assert answers["upload", 200, False] >= 1
    assert answers["thumbnail", 200, False] >= 1
