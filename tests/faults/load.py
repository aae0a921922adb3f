"""A load of writes while faults happen: writers that retry, and a check of the responses they got."""

import json
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from urllib.parse import urlencode

from sqlalchemy import create_engine, text

from tests.serving import add_account, connected, fetch
from tests.site.test_plugin import MAKE_EDITOR
from tests.waiting import wait_until

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
WRITERS = 3


class Load:
    """Writers that create publishers and read them back until the end of the block `with load.running()`.

    A writer sends the same request with the same Idempotency-Key until it gets 201, and then expects to read
    what it wrote. `statuses` counts responses by method and status, "lost" if there was none; `wrong` has
    the incorrect ones.
    """

    def __init__(self, bases: list[str], database: str):
        self._bases = bases
        self._database = database
        self.basic = add_account(database, "ed")
        with connected(database) as connection:
            connection.execute(text(MAKE_EDITOR))
        self._ended = threading.Event()
        self.statuses: Counter[tuple[str, object]] = Counter()
        self.wrong: list[tuple] = []
        self.written: dict[str, int] = {}

    @contextmanager
    def running(self):
        """Run the writers during the block; they finish what they have begun."""
        threads = [threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._ended.set()
            for thread in threads:
                thread.join()

    def progress(self, more: int = 10) -> None:
        """Wait until this many more writes have succeeded."""
        wanted = len(self.written) + more
        wait_until(lambda: self.wrong or len(self.written) >= wanted)
        assert not self.wrong, self.wrong[0]

    def _ask(self, number: int, path: str, **asked) -> tuple[int, bytes]:
        base = self._bases[number % len(self._bases)]
        method = asked.get("method", "GET")
        try:
            status, _, body = fetch(f"{base}{path}", Authorization=self.basic, **asked)
        except OSError:
            status, body = "lost", b""
        self.statuses[method, status] += 1
        return status, body

    def _write(self, writer: int) -> None:
        number = 0
        while not self._ended.is_set():
            number += 1
            name = f"Publisher {writer}-{number}"
            self._write_one(writer, name)

    def _write_one(self, writer: int, name: str) -> None:
        headers = FORM | {"Idempotency-Key": name.replace(" ", "-")}
        for attempt in range(1000):
            status, body = self._ask(
                writer + attempt, "/api/publisher/", method="POST", data=urlencode({"name": name}), **headers
            )
            if status == 201:
                break
            if status != "lost" and status < 500:
                self.wrong.append((name, status, body))
                return
            time.sleep(0.1)
        made = json.loads(body)["id"]
        self.written[name] = made
        status, body = self._ask(writer, f"/api/publisher/{made}/")
        if status == 200 and json.loads(body)["name"] != name:
            self.wrong.append((name, status, body))
        if status == 404:
            self.wrong.append((name, status, body))

    def check(self) -> None:
        """No response was wrong, and every acknowledged write is in the database once."""
        assert not self.wrong, self.wrong[0]
        engine = create_engine(self._database)
        with engine.connect() as connection:
            rows = connection.execute(
                text("SELECT name, id FROM publisher WHERE name LIKE 'Publisher %'")
            ).all()
        engine.dispose()
        assert len(rows) == len(dict(rows))
        assert dict(rows) == self.written
        assert len(rows) >= 10
        sys.stdout.write(f"\n{len(rows)} writes; answers: {dict(sorted(self.statuses.items(), key=str))}\n")
