"""How long PostgreSQL takes for the first page of filtered lists, counting included, at 100,000 issues.

    python bench/filter_times.py [ISSUES]

Starts a PostgreSQL of its own in a temporary folder, fills it (tests/large.py), sends each request of
tests/api/resource/test_filters_plans.py once, and lets PostgreSQL carry out its statement again: the best of
five runs in milliseconds, the slowest requests last. The last column names the tables that were read whole.
"""

import sys
import tempfile
from pathlib import Path

from sqlalchemy import create_engine

sys.path.insert(0, str(Path(__file__).parent.parent))  # the tests are not an installed package

from comicsdb.cli.database import upgrade
from comicsdb.db import dev_cluster
from tests import large
from tests.api.api_client import asked
from tests.api.resource.test_filters_plans import LARGE, QUERIES, nodes, pairs, rows

RUNS = 5


def main(issues: int) -> None:
    """Fill the database, measure and print."""
    with tempfile.TemporaryDirectory() as scratch:
        cluster = dev_cluster.start(Path(scratch) / "postgres", durable=False)
        cluster.ensure_database("template")
        engine = create_engine(cluster.url("template"))
        upgrade(engine)
        engine.dispose()
        with asked(cluster, "template", "times", Path(scratch) / "media") as site:
            with site.session.get_bind().connect() as connection:
                large.fill(connection, issues)
            found = [measured(site, kind, query) for kind, queries in QUERIES.items() for query in queries]
        cluster.discard()
    for milliseconds, kind, query, whole in sorted(found):
        print(f"{milliseconds:8.1f} ms  {kind:10} {query:60} {' '.join(whole)}".rstrip())


def measured(site, kind: str, query: str) -> tuple[float, str, str, list[str]]:
    """Return the best time, and the large tables that were scanned sequentially."""
    runs = site.explained(kind, *pairs(query), runs=RUNS)
    whole = {
        node["Relation Name"]
        for run in runs
        for node in nodes(run["Plan"])
        if node["Node Type"] == "Seq Scan" and rows(node) > LARGE
    }
    return min(run["Execution Time"] for run in runs), kind, query, sorted(whole)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else large.ISSUES)
