"""Compares bulk requests with requests for one object at a time, as clients of Metron send them.

    python -m bench.bulk [--issues 20000] [--only REGEX]

Each row does the same work in both ways, with other objects for each call. Printed are the calls and the CPU
time of web server and PostgreSQL (and of the conversion, if the client has to write XML itself), and how many
times as much single requests take. If hundreds of single calls would be necessary, only a part of them is
measured.
"""

import argparse
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import httpx

from bench.harness import Harness, Server, running_harness
from comicsdb_client import comicinfo

BATCH = 100
CODES = 1000  # ids in one call of the crosswalk
BATCHES = 5  # each bulk figure is the mean of so many
SINGLES = 100
WORDS = ("silver", "harbor", "robot", "spider", "storm", "secret", "electric", "night", "crimson", "signal")
NAMED = ("arc", "character", "creator", "imprint", "publisher", "series", "team", "universe")
ISSUES = """
SELECT i.id, s.name, i.number, s.year_began FROM issue i JOIN series s ON s.id = i.series_id
"""
LONG = """
SELECT series_id FROM issue GROUP BY series_id HAVING count(*) <= 500 ORDER BY count(*) DESC, 1 LIMIT 1
"""
HASHES = """
INSERT INTO picture_hash (picture, phash, dhash, early_dhash, ahash)
SELECT image, ('x' || cover_hash)::bit(64)::bigint, hashint8extended(id, 1), hashint8extended(id, 2),
    hashint8extended(id, 3)
FROM issue
"""


@dataclass(frozen=True)
class Call:
    """A request below `/api/`, and the conversion that the client has to apply to the response."""

    path: str
    json: object = None
    convert: Callable[[httpx.Response], object] | None = None


@dataclass(frozen=True)
class Row:
    """The same work in two ways: the calls, and how many times these do the work of the row."""

    name: str
    bulk: list[Call]
    single: list[Call]
    bulk_times: float = 1.0
    single_times: float = 1.0


def rows(harness: Harness) -> Iterator[Row]:
    """All rows; ids and values are drawn from the catalog."""
    dice = Random(18)

    def drawn(statement: str, number: int) -> list:
        with harness.engine.connect() as connection:
            found = connection.exec_driver_sql(statement).all()
        return dice.sample(found, number)

    comics = drawn(ISSUES, (BATCHES + 1) * BATCH)
    batches = [comics[begin : begin + BATCH] for begin in range(0, BATCHES * BATCH, BATCH)]
    others = comics[BATCHES * BATCH :]
    descriptors = [
        [{"series": name, "number": number, "year_began": year} for _, name, number, year in batch]
        for batch in batches
    ]
    yield Row(
        "100 comics by series and number: match, or a list by `series_name` and `number` each",
        [Call("match/", {"descriptors": each}) for each in descriptors],
        [
            Call(f"issue/?{httpx.QueryParams(series_name=name, number=number)}")
            for _, name, number, _ in others
        ],
        BATCHES,
    )
    yield Row(
        "100 issues in full: `ids` with `include=all`, or their details",
        [Call(f"issue/?include=all&ids={','.join(str(row.id) for row in batch)}") for batch in batches],
        [Call(f"issue/{row.id}/") for row in others],
        BATCHES,
    )
    pages = -(-len(harness.column("SELECT id FROM issue")) // 100)
    yield Row(
        "all issues: by `cursor`, 500 a page, or by numbers of pages",
        [Call("issue/?cursor=*&page_size=500")],
        [Call(f"issue/?page={number}") for number in range(1, pages + 1)],
    )
    yield Row(
        "a word in all kinds: search, or a list of each kind",
        [Call(f"search/?q={word}") for word in WORDS],
        [
            Call(f"{kind}/?name={word}" if kind != "issue" else f"issue/?series_name={word}")
            for word in WORDS
            for kind in (*NAMED, "issue")
        ],
        len(WORDS),
        len(WORDS),
    )
    typed = [word[:length] for word in WORDS for length in (3, 4, 5)]
    yield Row(
        "a word while it is typed: `typeahead`, or a page of issues by `series_name`",
        [Call(f"search/?typeahead=1&q={each}") for each in typed],
        [Call(f"issue/?series_name={each}") for each in typed],
        len(typed),
        len(typed),
    )
    upcs = [row[0] for row in drawn("SELECT upc FROM issue WHERE upc <> ''", 2 * SINGLES)]
    yield Row(
        "a scanned barcode, whichever it is: `gtin`, or `upc`, `upc_starts_with` and `isbn`",
        [Call(f"gtin/?code={code}") for code in upcs[:SINGLES]],
        [
            Call(f"issue/?{name}={code[: 12 if name == 'upc_starts_with' else 13 if name == 'isbn' else 17]}")
            for code in upcs[SINGLES : SINGLES + SINGLES // 2]
            for name in ("upc", "upc_starts_with", "isbn")
        ],
        SINGLES,
        SINGLES / 2,
    )
    numbers = [
        str(row[0]) for row in drawn("SELECT cv_id FROM issue WHERE cv_id > 0", BATCHES * CODES + SINGLES)
    ]
    yield Row(
        "1,000 ids of Comic Vine: crosswalk, or `cv_id` each",
        [
            Call(
                "crosswalk/", {"source": "comicvine", "kind": "issue", "ids": numbers[begin : begin + CODES]}
            )
            for begin in range(0, BATCHES * CODES, CODES)
        ],
        [Call(f"issue/?cv_id={each}") for each in numbers[BATCHES * CODES :]],
        BATCHES,
        SINGLES / CODES,
    )
    hashes = [row[0] for row in drawn("SELECT cover_hash FROM issue", 2 * SINGLES)]
    yield Row(
        "a cover: near hashes, or `cover_hash`, which finds equal ones alone",
        [Call(f"cover/?phash={each}&max=8") for each in hashes[:SINGLES]],
        [Call(f"issue/?cover_hash={each}") for each in hashes[SINGLES:]],
        SINGLES,
        SINGLES,
    )
    ids = [row.id for row in comics[: 2 * SINGLES]]
    yield Row(
        "tags of an issue: ComicInfo, or the detail and one's own conversion",
        [Call(f"issue/{each}.comicinfo") for each in ids[:SINGLES]],
        [Call(f"issue/{each}/?include=external_ids", convert=_converted) for each in ids[SINGLES:]],
        SINGLES,
        SINGLES,
    )
    (long,) = harness.column(LONG)
    members = harness.column(f"SELECT id FROM issue WHERE series_id = {long}")
    yield Row(
        f"tags of the {len(members)} issues of a series: the archive, or details and one's own conversion",
        [Call(f"series/{long}/comicinfo/")],
        [Call(f"issue/{each}/?include=external_ids", convert=_converted) for each in members[:SINGLES]],
        1,
        min(SINGLES, len(members)) / len(members),
    )


def _converted(answer: httpx.Response) -> object:
    return comicinfo.write(answer.json(), "https://comics.example")


class Meter:
    """Makes calls, and measures the CPU time that they take."""

    def __init__(self, harness: Harness, server: Server):
        self._stand, self._server = harness, server
        self._http = httpx.Client(
            base_url=f"http://127.0.0.1:{server.port}/api/", headers=harness.credentials, timeout=600
        )

    def run(self, calls: list[Call]) -> tuple[int, float]:
        """Make the calls, following `Link` headers; returns the number of calls, and CPU milliseconds."""
        before, conversion, number = self._cpu, 0.0, 0
        for call in calls:
            path: str | None = call.path
            while path:
                answer = self._http.request("POST" if call.json else "GET", path, json=call.json)
                answer.raise_for_status()
                number += 1
                if call.convert:
                    begin = time.process_time()
                    call.convert(answer)
                    conversion += time.process_time() - begin
                following = answer.links.get("next", {}).get("url") if "cursor" in path else None
                path = following and "issue/?" + following.partition("?")[2]
        return number, (self._cpu - before + conversion) * 1000

    @property
    def _cpu(self) -> float:
        return self._server.cpu + self._stand.database_cpu


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--issues", type=int, default=20_000)
    parser.add_argument("--only", default="", help="a regular expression: which rows")
    options = parser.parse_args()
    with running_harness(None, options.issues) as harness:
        with harness.engine.begin() as connection:
            connection.exec_driver_sql(HASHES)
            connection.exec_driver_sql("ANALYZE picture_hash")
        meter = Meter(harness, harness.serve("bulk", harness.app_settings(), {"workers": "1"}))
        print("| work | calls | CPU, ms | one by one: calls | CPU, ms | times the calls | times the CPU |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for row in rows(harness):
            if re.search(options.only, row.name):
                _report(meter, row)


def _report(meter: Meter, row: Row) -> None:
    figures = []
    for calls, times in ((row.bulk, row.bulk_times), (row.single, row.single_times)):
        meter.run(calls[-1:])  # warm-up: compiles statements
        number, cpu = meter.run(calls)
        figures += [number / times, cpu / times]
    many, cpu, singles, single_cpu = figures
    print(
        f"| {row.name} | {many:,.0f} | {cpu:,.1f} | {singles:,.0f} | {single_cpu:,.1f}"
        f" | {singles / many:,.0f} | {single_cpu / max(cpu, 0.1):,.1f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
