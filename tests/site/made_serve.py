"""`make serve` with the demo catalog, for the tests of the published clients."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from comicsdb.db.dev_cluster import Cluster
from comicsdb.exchange.format import FILES, LIBRARY
from comicsdb_demo import DATA
from tests import dataset
from tests.serving import clean_environment, free_port

ROOT = Path(__file__).parent.parent.parent
READY = "Press Ctrl-C to stop."


def demo_rows() -> dict[str, list[dict]]:
    """The rows of the demo catalog by file, without libraries, and two series with odd issue numbers."""
    there = dataset.read_set(DATA)
    made = {file.name: there[file.name] for file in FILES if file not in LIBRARY}
    common = {"publisher_id": 1, "genre_ids": [], "associated_ids": []}
    made["series"] += [
        dataset.series(9001, "Été at the Harbor", "ete-2020", alt_names=["Summer Tides"], **common),
        dataset.series(9002, "Été at the Harbor", "ete-2021", volume=2, year_began=2021, **common),
    ]
    numbers = [(9001, "½"), (9001, "1 MU"), (9001, "1"), (9001, "10"), (9002, "1"), (9002, "-1"), (9002, "0")]
    made["issues"] += [
        dataset.issue(9100 + n, series_id, number, cv_id=55_000 + n)
        for n, (series_id, number) in enumerate(numbers)
    ]
    return made


def write_set(made: dict[str, list[dict]], folder: Path) -> None:
    """Write rows as a data set, with the pictures of the demo."""
    for name, lines in made.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    (folder / "images").symlink_to(DATA / "images")


def cluster_folder(url: str) -> Path:
    """The folder in an `embedded:` address."""
    return Path(url.removeprefix("embedded:").partition("?")[0])


@contextmanager
def make_serve(folder: Path, database: str):
    """Run `make serve` with a data set and an `embedded:` database, until the block ends; yields its address.

    The installed environment is used as it is, and nothing in the working copy is changed.
    """
    port = free_port()
    Cluster(cluster_folder(database)).discard()  # left by a killed run under the same name
    environment = {key: value for key, value in clean_environment().items() if "MAKE" not in key}
    environment |= {"COMICSDB_MEDIA_FOLDER": str(folder / "media"), "COMICSDB_PASSWORD_COST": "fast"}
    command = ["make", "serve", f"VENV={sys.prefix}", f"DATA={folder}", f"DB={database}", f"PORT={port}"]
    log = folder / "serve.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--old-file", f"{sys.prefix}/.serve"],
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        until = time.monotonic() + 180
        while READY not in log.read_text() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        assert READY in log.read_text(), log.read_text()[-3000:]
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)
        Cluster(cluster_folder(database)).discard()
    assert "Traceback" not in log.read_text()
