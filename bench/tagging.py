"""Measures our client: a library of CBZ files with noisy names is identified and tagged.

    python -m bench.tagging [--files 20000] [--issues 100000] [--seed 1]

The catalog and the names are those of `bench.matching`, so a tenth of the series are not in the catalog.
The resulting tags are read back from the files. The server's limits are never reached; the default ones would
let 20 calls pass in a minute. "One by one" are the calls of a program that looks for one comic at a time: a
search of the series, one of the issue, and its detail.
"""

import argparse
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path
from random import Random

from bench.harness import Harness, running_harness
from bench.matching import catalog, fill_database, sample
from bench.noisy_names import Issue, NoisyName
from comicsdb_client import Client, archive, comicinfo, tagging, xml
from comicsdb_client.tagging import Outcome

PAGES = {f"page {number}.jpg": bytes(range(256)) * 8 for number in range(3)}
ONE_BY_ONE = 3  # calls for each comic


def make_library(folder: Path, names: list[NoisyName], most: int) -> dict[Path, NoisyName]:
    """Write at most `most` archives; of several comics of the same name only the first."""
    found: dict[Path, NoisyName] = {}
    for each in names:
        if len(found) == most:
            break
        path = (folder / each.name).with_suffix(".cbz")
        if path not in found:
            path.parent.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(path, "w") as file:
                for page, data in PAGES.items():
                    file.writestr(page, data)
            found[path] = each
    return found


def tag(client: Client, folder: Path) -> tuple[Counter[Outcome], dict[Path, int]]:
    """Tag the library as the command does; returns counts of outcomes, and the files' first candidates."""
    outcomes: Counter[Outcome] = Counter()
    first = {}
    for report in tagging.tag_comics(client, folder, tagging.find_comics(folder), tag=True):
        outcomes[report.outcome] += 1
        if report.match and report.match.best:
            first[report.path] = report.match.best.issue["id"]
    return outcomes, first


def read_back(
    library: dict[Path, NoisyName], ids: dict[Issue, int], first: dict[Path, int], server: str
) -> Counter[str]:
    """Compare the tags of the files, and the first candidates, with the issues that the files stand for."""
    counts: Counter[str] = Counter()
    for path, noisy in library.items():
        found = archive.read_contents(path, tagging.NAMES)
        notes = comicinfo.identifying_values(found.tags.get("comicinfo.xml")).get("Notes", "")
        tagged, wanted = xml.tagged_issue_id(notes, server), ids.get(noisy.issue)
        counts["known"] += wanted is not None
        counts["first"] += wanted is not None and first.get(path) == wanted
        counts["tagged"] += tagged is not None
        counts["right"] += tagged is not None and tagged == wanted
        if tagged is not None and tagged != wanted:
            print(f"wrong: {noisy.name} is {wanted or 'not in the catalog'}, tagged as {tagged}")
    return counts


def measure(harness: Harness, files: dict[Path, NoisyName], ids: dict[Issue, int], folder: Path) -> None:
    """Tag, and print the figures."""
    server = harness.serve("tagging", harness.app_settings())
    url = f"http://127.0.0.1:{server.port}"
    begin, own, web, database = time.monotonic(), time.process_time(), server.cpu, harness.database_cpu
    with Client(url, token=harness.token) as client:
        outcomes, first = tag(client, folder)
        seconds, calls = time.monotonic() - begin, client.calls
        web, database, own = server.cpu - web, harness.database_cpu - database, time.process_time() - own
        again, _ = tag(client, folder)
        left = client.calls - calls
    counts, total = read_back(files, ids, first, url), len(files)
    single = ONE_BY_ONE * total
    rows = {
        "files": f"{total:,}, of which {counts['known']:,} are in the catalog",
        "outcomes": ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items()),
        "calls": f"{calls:,}; one by one {single:,}, {single / calls:,.0f} times as many",
        "time": f"{seconds:,.0f} s; with limits at least {calls / 20:,.0f} minutes",
        "CPU": f"client {own:,.1f} s, server {web:,.1f} s, PostgreSQL {database:,.1f} s",
        "precision of tags": f"{counts['right'] / max(1, counts['tagged']):.3%}",
        "recall of tags": f"{counts['right'] / max(1, counts['known']):.2%}",
        "recall of first candidates": f"{counts['first'] / max(1, counts['known']):.2%}",
        "again": f"{left:,} calls, {again[Outcome.TAGGED_BEFORE]:,} files left as they were",
    }
    print("| | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows.items()), sep="\n")


def main() -> None:
    """Fill the database, write the files, tag them and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--issues", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    runs, names = sample(catalog(options.issues, Random(options.seed)), 2 * options.files, options.seed)
    with running_harness(None, 0) as harness, tempfile.TemporaryDirectory() as folder:
        ids = fill_database(harness.engine, runs)
        print(f"{len(ids):,} issues of {len(runs):,} series")
        measure(harness, make_library(Path(folder), names, options.files), ids, Path(folder))


if __name__ == "__main__":
    main()
