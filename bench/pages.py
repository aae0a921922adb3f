"""Measures pages for anonymous visitors: repeat and first visits, compared with a constant view.

    python -m bench.pages [--data FOLDER] [--issues 20000] [--seconds 2] [--rounds 5]

Our application and a Pyramid application that returns the bytes of a page run behind the same server with two
processes. All rows are measured in each round, forwards and backwards in turn, as in `bench.reads`.
"""

import argparse
import re
import sys
from pathlib import Path

from bench import constant
from bench.harness import Harness, running_harness
from bench.loader import Load
from bench.reads import OMITTED_HEADERS, WORKERS, check, measure, report
from bench.scenarios import ALONE, HIT, HITS, MISS, Scenario, Target, issue_paths

CONSTANT, ISSUE, LIST, HOME = (
    "constant view, issue page",
    "issue page, again",
    "issue list, again",
    "home, again",
)
TAG, FIRST, API = "issue page, 304 by ETag", "issue page, first visit", "API detail miss"
TARGETS = (
    Target("repeat visit to a constant view", ISSUE, CONSTANT, 0.5),
    Target("repeat visit to a list", LIST, CONSTANT, 0.3),
    Target("repeat visit to the home page", HOME, CONSTANT, 0.3),
    Target("304 to a constant view", TAG, CONSTANT, 0),
    Target("first visit to an issue to its API miss", FIRST + ALONE, API + ALONE, 5, times=True),
)


def rows(harness: Harness) -> list[Scenario]:
    """Return the rows of the table."""
    ours = harness.serve("ours", harness.app_settings(), WORKERS)
    slugs = harness.column("SELECT slug FROM issue ORDER BY md5(slug) LIMIT 2000")
    pages = tuple(f"/issue/{each}/" for each in slugs)
    status, headers, body = ours.get(pages[0], {})
    if status != 200:
        raise RuntimeError(f"{pages[0]}: {status} {body[:200]}")
    kept = [each for each in headers if each[0] not in OMITTED_HEADERS]
    for name in constant.PATHS:
        constant.write(harness.folder, name, kept, body)
    given = {"use": "call:bench.constant:cornice_app", "bodies": str(harness.folder)}
    floor = harness.serve("constant", given, WORKERS)

    def asked(server, paths, headers=None, **more) -> dict:
        return {"server": server, "load": Load(server.port, tuple(paths), headers or {}, **more)}

    few, tag = pages[:HITS], {"If-None-Match": dict(headers)["etag"]}
    alone = {"fresh": True, "connections": 1}
    return [
        Scenario(CONSTANT, **asked(floor, [issue_paths(harness)[0]])),
        Scenario(ISSUE, **asked(ours, few), cache=HIT),
        Scenario(LIST, **asked(ours, ["/issue/"]), cache=HIT),
        Scenario(HOME, **asked(ours, ["/"]), cache=HIT),
        Scenario(TAG, **asked(ours, few[:1], tag), status=304),
        Scenario(FIRST + ALONE, **asked(ours, pages, **alone), cache=MISS),
        Scenario(API + ALONE, **asked(ours, issue_paths(harness), harness.credentials, **alone), cache=MISS),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--issues", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="a regular expression: which rows")
    options = parser.parse_args()
    with running_harness(options.data, options.issues) as harness:
        measured = [each for each in rows(harness) if re.search(options.only, each.name)]
        for row in measured:
            check(row)
            print(f"checked: {row.name}", file=sys.stderr)
        report(measured, measure(harness, measured, {}, options), options, TARGETS)


if __name__ == "__main__":
    main()
