"""Object storage, or the origin of a mirror, that answers slowly does not make other requests wait."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from comicsdb.http.streams import PICTURE_WAITERS_MAX
from comicsdb.media import decoding, waiting
from tests.cases import for_each
from tests.http_service import http_service
from tests.s3_server import KEYS
from tests.serving import fetch, free_port, serving
from tests.site.test_production import production

READERS = 100  # connections: more than two processes let wait
SECONDS = 8.0
ANSWER_SECONDS = 2.0
LONGEST = 1.0  # seconds for a page meanwhile


def s3(url: str) -> dict[str, str]:
    """Settings of a site with pictures in object storage at a URL."""
    return {
        "COMICSDB_MEDIA_STORAGE": "s3",
        "COMICSDB_MEDIA_BUCKET": "pictures",
        "COMICSDB_MEDIA_ENDPOINT": url,
        "COMICSDB_MEDIA_REGION": "x",
        "COMICSDB_MEDIA_ACCESS_KEY": KEYS["access_key"],
        "COMICSDB_MEDIA_SECRET_KEY": KEYS["secret_key"],
    }


def mirror(url: str) -> dict[str, str]:
    """Settings of a mirror of the site at a URL."""
    return {"COMICSDB_MIRROR_ORIGIN": url}


def answer_slowly(path: str):
    """Say after a while that there is no such picture."""
    if "/issue/" in path:
        time.sleep(ANSWER_SECONDS)
    return 404, {}, b""


@for_each("settings", [s3, mirror])
def test_health_while_pictures_come_slowly_answers_within_a_second(cluster, template, tmp_path, settings):
    name = f"slow_{settings.__name__}"
    cluster.clone_database(template, name)
    folder, port, numbers = tmp_path / name, free_port(), iter(range(10**6))
    folder.mkdir()
    ini, environment = production(folder, cluster.url(name), port)
    answers, lock, stopped = Counter(), threading.Lock(), threading.Event()

    def look() -> None:
        while not stopped.is_set():
            with lock:
                number = next(numbers)
            status, headers, _body = fetch(f"{base}/media/issue/{number}.png")
            with lock:
                answers[status, "retry-after" in {name.lower() for name in headers}] += 1
            stopped.wait(0.5 if status == 503 else 0)

    with (
        http_service(answer_slowly) as (url, _asked),
        serving(ini, port, **environment | settings(url)),
        ThreadPoolExecutor(READERS) as pool,
    ):
        base = f"http://127.0.0.1:{port}"
        readers = [pool.submit(look) for _number in range(READERS)]
        seconds, end = [], time.monotonic() + SECONDS
        while time.monotonic() < end:
            begun = time.monotonic()
            assert fetch(f"{base}/health/")[0] == 200
            seconds.append(time.monotonic() - begun)
            time.sleep(0.1)
        stopped.set()
        for reader in readers:
            reader.result()
    assert set(answers) == {(404, False), (503, True)}, answers
    assert max(seconds) < LONGEST, (max(seconds), answers)
    cluster.drop_database(name)


def test_rooms_for_pictures_have_threads_for_all_their_places():
    rooms = decoding.UPLOADS_MAX + decoding.THUMBNAILS_MAX + waiting.READ_PLACES + waiting.WRITE_PLACES
    assert rooms <= PICTURE_WAITERS_MAX
