"""Measures how long PostgreSQL takes for the first page of filtered lists, including the count.

    python bench/filter_times.py [SIZE ...] [--folder FOLDER]

For each number of issues (100,000 by default), each request of tests/api/resource/test_filters_plans.py is
sent for a generated catalog (tests/large.py), and PostgreSQL executes its statement again. Printed are the
best of five runs in milliseconds, the slowest requests last; how many rows are found; and which tables were
read by a sequential scan at the last size. With --folder, the databases are kept there for other runs.
"""

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import create_engine

sys.path.insert(0, str(Path(__file__).parent.parent))  # the tests are not an installed package

from comicsdb.cli.database import upgrade
from comicsdb.db import dev_cluster
from tests import large
from tests.api.api_client import serve_catalog
from tests.api.resource.test_filters_plans import LARGE, QUERIES, nodes, pairs, rows

RUNS = 5


def main() -> None:
    """Fill the databases, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[large.ISSUES])
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        Path(scratch).chmod(0o755)  # for the user that runs PostgreSQL
        cluster = dev_cluster.start((options.folder or Path(scratch)) / "postgres", durable=False)
        stack.callback(cluster.release if options.folder else cluster.discard)
        found: dict[tuple[str, str], list] = {}
        for size in options.sizes:
            for kind, query, figures in measure(cluster, size, Path(scratch) / "media"):
                found.setdefault((kind, query), []).append(figures)
    print(" ".join(f"{size:>12,}" for size in options.sizes))
    for (kind, query), columns in sorted(found.items(), key=lambda each: each[1][-1][0]):
        times = " ".join(f"{ms:8.1f} ms" + ("*" if ms > SLOW else " ") for ms, _, _ in columns)
        answers = "/".join(str(number) for _, number, _ in columns)
        print(f"{times}  {kind:10} {query:60} {answers:12} {' '.join(columns[-1][2])}".rstrip())


SLOW = 50  # milliseconds; slower requests are marked


def measure(cluster, size: int, media: Path):
    """Yield kind, query, and the figures of each request: milliseconds, rows, and tables read whole."""
    name = f"filters_{size}"
    if cluster.ensure_database(name):
        engine = create_engine(cluster.url(name))
        upgrade(engine)
        with engine.connect() as connection:
            large.fill(connection, size)
        engine.dispose()
    with serve_catalog(cluster, name, "times", media) as site:
        for kind, queries in QUERIES.items():
            for query in queries:
                runs = site.explain(kind, *pairs(query), runs=RUNS)
                whole = {
                    node["Relation Name"]
                    for run in runs
                    for node in nodes(run["Plan"])
                    if node["Node Type"] == "Seq Scan" and rows(node) > LARGE
                }
                count = site.client.json(site.path(kind, *pairs(query)))["count"]
                yield kind, query, (min(run["Execution Time"] for run in runs), count, sorted(whole))


if __name__ == "__main__":
    main()
