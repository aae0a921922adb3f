"""Measures a mirror of a site that is written to all the time, while the mirror is killed repeatedly.

    python -m bench.mirror DATA [--writes 5000] [--kills 20]

DATA is the folder of a data set. Prints how long the dump and its loading took, how far behind the mirror
was, and whether all public rows and a sample of the API's responses are equal in the end.
"""

import argparse
import random
import signal
import tempfile
import threading
import time
from contextlib import ExitStack
from datetime import date
from pathlib import Path

from sqlalchemy import create_engine, func, select, text

from comicsdb.catalog import Catalog
from comicsdb.catalog.errors import CatalogError
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.cli.database import upgrade
from comicsdb.db import dev_cluster
from comicsdb.library import ratings
from comicsdb.models import Arc, Character, Creator, Issue, Publisher, Series, User
from tests.importer import Importer
from tests.serving import free_port, serving
from tests.site.test_mirror import LISTS, MirrorProcess, Origin, await_equal, body_of

SAMPLE = 100  # details of each kind
SEED = 20


class Writer:
    """Random writes of all sorts."""

    def __init__(self, importer: Importer):
        self.importer = importer
        self.random = random.Random(SEED)
        self.done: dict[str, int] = {}

    def write(self) -> None:
        """Do a random write; those that the catalog rejects count as well."""
        acts = (
            self.rename,
            self.create,
            self.edit,
            self.edit,
            self.edit,
            self.rate,
            self.rate,
            self.remove,
            self.merge,
        )
        act = self.random.choice(acts)
        with self.importer.factory() as session:
            try:
                act(Catalog(session, None))
                session.commit()
            except CatalogError:
                session.rollback()
        self.done[act.__name__] = self.done.get(act.__name__, 0) + 1

    def random_object(self, catalog, model):
        """A random object of a kind."""
        greatest = catalog.session.scalar(select(func.max(model.id)))
        after = model.id >= self.random.randint(1, greatest)
        return catalog.session.scalars(select(model).where(after).order_by(model.id).limit(1)).one()

    def rename(self, catalog) -> None:
        """Rename an object that many others show."""
        model = self.random.choice([Publisher, Series, Creator, Character, Arc])
        catalog.update(self.random_object(catalog, model), {"name": f"Renamed {self.random.random()}"})

    def create(self, catalog) -> None:
        """Add an issue with credits and links."""
        creator, arc = self.random_object(catalog, Creator), self.random_object(catalog, Arc)
        values = {
            "series": self.random_object(catalog, Series).id,
            "number": f"N{self.random.randrange(10**9)}",
            "cover_date": date(2026, 1 + self.random.randrange(12), 1),
            "arcs": [arc.id],
            "credits": [{"creator": creator.id, "roles": [1]}],
        }
        catalog.create(Issue, values)

    def edit(self, catalog) -> None:
        """Change an issue."""
        issue = self.random_object(catalog, Issue)
        catalog.update(
            issue, {"desc": f"Edited {self.random.random()}", "arcs": [self.random_object(catalog, Arc).id]}
        )

    def rate(self, catalog) -> None:
        """Rate an issue."""
        reader = catalog.session.scalar(select(func.max(User.id)))
        stars = self.random.randint(1, 5)
        ratings.rate(
            catalog.session, self.random_object(catalog, Issue), reader, stars, today=date(2030, 1, 1)
        )

    def remove(self, catalog) -> None:
        """Delete an object."""
        catalog.delete(self.random_object(catalog, self.random.choice([Issue, Arc, Character])))

    def merge(self, catalog) -> None:
        """Merge two objects of a kind."""
        model = self.random.choice([Creator, Character, Arc])
        merge(catalog, self.random_object(catalog, model), self.random_object(catalog, model))


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--writes", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        cluster = dev_cluster.start(folder / "postgres", durable=False)
        stack.callback(cluster.discard)
        cluster.ensure_database("origin")
        engine = create_engine(cluster.url("origin"))
        upgrade(engine)
        engine.dispose()
        importer = Importer(cluster.url("origin"), folder)
        began = time.monotonic()
        importer.run(options.data)
        print(f"{time.monotonic() - began:8.1f} s  to import the data set at the origin")
        origin = Origin(importer, folder, port := free_port())
        began = time.monotonic()
        origin.command("dump")
        size = sum(each.stat().st_size for each in (folder / "dumps").rglob("*") if each.is_file())
        print(f"{time.monotonic() - began:8.1f} s  to dump it: {size:,} bytes")
        stack.enter_context(serving(origin.ini, port))
        mirror = MirrorProcess(folder / "mirror", origin.url)
        stack.callback(mirror.discard)
        began = time.monotonic()
        mirror.start()
        print(f"{time.monotonic() - began:8.1f} s  until the mirror served it")
        _write_and_compare(origin, mirror, options.writes, options.kills)


def _write_and_compare(origin: Origin, mirror: MirrorProcess, writes: int, kills: int) -> None:
    writer, lags, over = Writer(origin.importer), [], threading.Event()
    watching = threading.Thread(target=_record_lags, args=[origin, mirror, lags, over])
    watching.start()
    began = time.monotonic()
    for number in range(1, writes + 1):
        writer.write()
        if number % (writes // kills) == 0:
            mirror.end(signal.SIGKILL)
            mirror.start()
    print(f"{time.monotonic() - began:8.1f} s  for {writes:,} writes and {kills} kills: {writer.done}")
    began = time.monotonic()
    await_equal(origin, mirror)
    print(f"{time.monotonic() - began:8.1f} s  after the last write, every public row was equal")
    over.set()
    watching.join()
    lags.sort()
    shown = ", ".join(f"{lags[int(len(lags) * part)]:.1f}" for part in (0.5, 0.9, 0.99))
    print(f"Lag in seconds while it ran and was started again (median, 90 %, 99 %): {shown}")
    unlike = [path for path in _sample(origin) if body_of(origin.url, path) != body_of(mirror.url, path)]
    print(f"{len(_sample(origin)):,} answers of the API compared, {len(unlike)} differ {unlike[:5]}")


def _record_lags(origin: Origin, mirror: MirrorProcess, lags: list[float], over: threading.Event) -> None:
    """Record twice a second how old the first change is that the mirror does not have yet."""
    newest = text("SELECT coalesce(max(seq), 0) FROM change_log")
    missing = text("SELECT extract(epoch FROM clock_timestamp() - min(at)) FROM change_log WHERE seq > :seq")
    with mirror.engine() as here:
        while not over.wait(0.5):
            with here.connect() as connection:
                known = connection.scalar(newest)
            with origin.importer.engine.connect() as connection:
                lags.append(float(connection.scalar(missing, {"seq": known}) or 0))


def _sample(origin: Origin) -> list[str]:
    paths = []
    for kind in LISTS:
        ids = [
            number
            for (number,) in origin.importer.query(
                f"SELECT id FROM {kind} ORDER BY md5(id::text) LIMIT {SAMPLE}"
            )
        ]
        paths += [f"/api/{kind}/{number}/" for number in ids]
        paths += [f"/api/{kind}/?page={page}" for page in range(1, 6)]
        gone = origin.importer.query(f"SELECT object_id FROM tombstone WHERE kind = '{kind}' LIMIT 20")
        paths += [f"/api/{kind}/{number}/" for (number,) in gone]
    return paths


if __name__ == "__main__":
    main()
