"""Writing of the demo catalogue as a data set: JSON lines, meta.json and pictures."""

import hashlib
import io
import json
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from os import cpu_count
from pathlib import Path

from PIL import Image

from comicsdb.demo.build import Builder
from comicsdb.demo.codes import TODAY
from comicsdb.demo.draw import draw
from comicsdb.demo.pictures import Order
from comicsdb.demo.source import read
from comicsdb.media.phash import phash

FORMAT = 1
QUALITY = 74
BATCH = 16  # pictures that a process is given at a time
FILES = (
    "genres",
    "series_types",
    "roles",
    "age_ratings",
    "users",
    "publishers",
    "imprints",
    "universes",
    "creators",
    "teams",
    "characters",
    "arcs",
    "series",
    "issues",
    "credits",
    "variants",
    "attributions",
    "issue_ratings",
)

Progress = Callable[[int, int], None]


def rows() -> dict[str, list[dict]]:
    """The rows of all files, in their order; covers have no hashes yet."""
    made = Builder(read()).rows
    return {name: made[name] for name in FILES}


def orders() -> list[Order]:
    """The pictures that the rows name."""
    return list(Builder(read()).orders)


def picture(order: Order) -> tuple[str, bytes, str]:
    """Draw one picture: its path, the JPEG file, and the hash of what that file shows if it is a cover."""
    stream = io.BytesIO()
    draw(order).save(stream, "JPEG", quality=QUALITY)  # not `optimize`: twice the time for a 15th less
    cover_hash = ""
    if order.path.startswith("issue/"):
        with Image.open(stream) as stored:
            cover_hash = phash(stored)
    return order.path, stream.getvalue(), cover_hash


def write(folder: Path, progress: Progress | None = None, *, processes: int | None = None) -> Path:
    """Write the data set and give its folder, which is made if need be; what lies in it is overwritten.

    The same version of comicsdb and Pillow writes the same bytes. `progress` is told how many pictures of
    how many are drawn. `processes` (by default one a core) share the drawing; a script that calls this
    needs the usual guard (`if __name__ == "__main__"`) unless it asks for one.
    """
    folder = Path(folder)
    builder = Builder(read())
    hashes = {}
    for number, (path, content, cover_hash) in enumerate(_drawn(builder.orders, processes), 1):
        target = folder / "images" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        hashes[path] = cover_hash
        if progress:
            progress(number, len(builder.orders))
    for issue in builder.rows["issues"]:
        issue["cover_hash"] = hashes[issue["image"]]
    meta = {"format": FORMAT, "scale": "demo", "today": TODAY.isoformat(), "counts": {}, "sha256": {}}
    for name in FILES:
        content = b"".join(
            json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for row in builder.rows[name]
        )
        (folder / f"{name}.jsonl").write_bytes(content)
        meta["counts"][name] = len(builder.rows[name])
        meta["sha256"][name] = hashlib.sha256(content).hexdigest()
    (folder / "meta.json").write_text(json.dumps(meta, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return folder


def _drawn(todo: list[Order], processes: int | None) -> Iterator[tuple[str, bytes, str]]:
    """All pictures, in the order asked for."""
    workers = processes or cpu_count() or 1
    if workers == 1:
        yield from map(picture, todo)
        return
    spawning = multiprocessing.get_context("spawn")  # safe where the caller has threads
    with ProcessPoolExecutor(workers, mp_context=spawning) as pool:
        yield from pool.map(picture, todo, chunksize=BATCH)
