"""Measures search and matching on real comics: a folder with tables that are not part of this repository.

    python -m bench.real FOLDER [--section search] [--names 300] [--seed 1] [--misses]

`FOLDER/issues.tsv` has a line for each issue, with the columns `series`, `start_year`, `number` and `year`.
They fill a catalog of one publisher. `FOLDER/other_descriptions.tsv` has issues as others write them; the
column `comicvine_issue` tells which. Each section is a function of SECTIONS that sends requests to the
application and prints tables; `--misses` also prints what was not found first.
"""

import argparse
import csv
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import orjson
from pyramid.request import Request
from sqlalchemy import text
from sqlalchemy.orm import Session

import comicsdb
from bench.harness import Harness, running_harness
from bench.matching import fill_database
from bench.noisy_names import Issue
from bench.real_lists import measure_lists
from bench.real_names import measure_names
from comicsdb.matching.words import ARTICLES

PUBLISHER = "Harbor House"
YEARS = range(1900, 2100)
RESULTS = 5  # a result among so many is found "in five"
GENERATED = 100_000  # issues of the generated catalog that costs are also measured with
_ARTICLE = re.compile(
    "^(?:" + "|".join(each if each.endswith("'") else f"{each} " for each in ARTICLES) + ")", re.IGNORECASE
)
_SERIES_LINK = re.compile(r'href="[^"]*/series/s(\d+)/"')


@dataclass
class Run:
    """A series with its issues, and its id in the catalog."""

    id: int
    name: str
    year: int
    issues: list[Issue]


class Data:
    """The comics of a folder, and the application that serves them."""

    def __init__(self, folder: Path, harness: Harness):
        self.folder, self.harness = folder, harness
        self.runs = _read_runs(folder / "issues.tsv")
        self.issue_ids = fill_database(harness.engine, [run.issues for run in self.runs])
        with harness.engine.begin() as connection:  # triggers count issues, but not while they are loaded
            counted = "SELECT series_id, count(*) AS issues FROM issue GROUP BY series_id"
            connection.execute(
                text(f"UPDATE series SET issue_count = issues FROM ({counted}) counted WHERE id = series_id")
            )
        with harness.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE series"))
        print(f"{len(self.issue_ids):,} issues of {len(self.runs):,} series")

    @cached_property
    def app(self) -> Callable:
        """The application, in this process."""
        return make_app(self.harness.url)

    @cached_property
    def namesakes(self) -> dict[str, set[int]]:
        """The ids of series by name."""
        ids = defaultdict(set)
        for run in self.runs:
            ids[run.name.casefold()].add(run.id)
        return ids


def make_app(url: str) -> Callable:
    """The application for a database, without limits, and without caches of what it reads."""
    return comicsdb.main(
        {},
        **{
            "sqlalchemy.url": url,
            "comicsdb.secret": "for the bench only: it guards nothing but made up rows",
            "comicsdb.base_url": "http://127.0.0.1",
            "comicsdb.cache.url": "",
            "comicsdb_api.throttle": "off",
            "pyramid.includes": "comicsdb_api comicsdb_web",
        },
    )


def _read_runs(path: Path) -> list[Run]:
    """The series of a table; namesakes are volumes in the order of their years."""
    rows = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            rows[row["series"], int(row["start_year"] or 0), row.get("comicvine_series", "")].append(row)
    volumes, runs = Counter(), []
    for (name, year, _source), lines in sorted(rows.items()):
        volumes[name] += 1
        began = year if year in YEARS else _year_of(lines[0], 2000)
        issues = [
            Issue(
                name, line["number"], date(_year_of(line, began), 1 + place % 12, 1), began, volumes[name],
                "single_issue", PUBLISHER, "en",
            )
            for place, line in enumerate(lines)
        ]  # fmt: skip
        runs.append(Run(len(runs) + 1, name, began, issues))
    return runs


def _year_of(row: dict[str, str], default: int) -> int:
    return int(row["year"]) if row["year"].isdigit() and int(row["year"]) in YEARS else default


# Search


def without_punctuation(name: str, _random: Random) -> str:
    """A name of only letters, digits and blanks, as typed on a phone."""
    return " ".join(re.sub(r"[^\w\s]|_", " ", re.sub(r"['’.]", "", name)).split()).lower() or name


def without_hyphens(name: str, _random: Random) -> str:
    """A name whose hyphens and other signs join words."""
    return " ".join(re.sub(r"[^\w\s]|_", "", name).split()).lower() or name


def without_article(name: str, _random: Random) -> str:
    """A name without its first word if that is an article."""
    return _ARTICLE.sub("", name) or name


def with_typo(name: str, random: Random) -> str:
    """A name in which one letter is missing, doubled, wrong or exchanged with the next one."""
    places = [place for place, letter in enumerate(name) if letter.isalpha()]
    if not places:
        return name
    place = random.choice(places)
    before, letter, after = name[:place], name[place], name[place + 1 :]
    change = random.randrange(4)
    if change == 0:
        return before + after if len(places) > 2 else before + letter + letter + after
    if change == 1:
        return before + letter + letter + after
    if change == 2 and after[:1].isalpha() and after[0].lower() != letter.lower():
        return before + after[0] + letter + after[1:]
    return before + random.choice([each for each in "aeiorstlnm" if each != letter.lower()]) + after


TYPED = {
    "as is": lambda name, _random: name,
    "no punctuation": without_punctuation,
    "signs join words": without_hyphens,
    "no article": without_article,
    "one typo": with_typo,
}


def _api_ids(results: Iterable[dict]) -> list[int | None]:
    return [each["id"] if each["kind"] == "series" else None for each in results]


def search_api(app: Callable, query: str, **more) -> list[int | None]:
    """The ids of the series among the results of the API; None stands for a result of another kind."""
    answer = _get(app, f"/api/search/?{urlencode({'q': query, **more})}")
    return _api_ids(orjson.loads(answer.body)["results"])


def search_site(app: Callable, query: str) -> list[int | None]:
    """The same for the page of the site, which shows results by kind."""
    answer = _get(app, f"/search/?{urlencode({'q': query, 'all': 1})}")
    return list(dict.fromkeys(map(int, _SERIES_LINK.findall(answer.text))))


def search_suggestions(app: Callable, query: str) -> list[int | None]:
    """The same for the suggestions of browsers."""
    addresses = orjson.loads(_get(app, f"/search/suggestions?{urlencode({'q': query})}").body)[3]
    found = (re.search(r"/series/s(\d+)/$", address) for address in addresses)
    return [int(match[1]) if match else None for match in found]


SURFACES = {
    "/api/search/": search_api,
    "/api/search/?typeahead=1": lambda app, query: search_api(app, query, typeahead=1),
    "/search/": search_site,
    "/search/suggestions": search_suggestions,
}


def _get(app: Callable, address: str):
    answer = Request.blank(address).get_response(app)
    if answer.status_int != 200:
        raise RuntimeError(f"{address}: {answer.status} {answer.text}")
    return answer


def measure_search(data: Data, options: argparse.Namespace) -> None:
    """Type the names of series, drawn by their numbers of issues, in several ways."""
    asked = {typed: _asked(data.runs, change, options) for typed, change in TYPED.items()}
    print(f"{'':26}{'typed':18}{'this first':>11}{'in five':>9}{'name first':>12}{'in five':>9}{'ms':>7}")
    for surface, search in SURFACES.items():
        for typed in TYPED:
            tally, missed, begin = Counter(), Counter(), time.perf_counter()
            for run, query in asked[typed]:
                ids = search(data.app, query)
                for column, right in (("this", {run.id}), ("name", data.namesakes[run.name.casefold()])):
                    tally[column, 1] += bool(right.intersection(ids[:1]))
                    tally[column, RESULTS] += bool(right.intersection(ids[:RESULTS]))
                if not right.intersection(ids[:1]):
                    missed[query, run.name, run.year, _cause(ids, right)] += 1
            shares = [
                tally[column, most] / options.names for column in ("this", "name") for most in (1, RESULTS)
            ]
            spent = (time.perf_counter() - begin) / options.names * 1000
            print(f"{surface:26}{typed:18}{{:11.1%}}{{:9.1%}}{{:12.1%}}{{:9.1%}}{spent:7.1f}".format(*shares))
            for (query, name, year, cause), count in missed.most_common() if options.misses else ():
                print(f"    {count} × {query!r}: {name} ({year}): {cause}")


def _asked(runs: list[Run], change: Callable, options: argparse.Namespace) -> list[tuple[Run, str]]:
    """Series drawn by their numbers of issues, with the text typed: only names that the change alters."""
    random = Random(options.seed)
    altered = [
        run
        for run in runs
        if change is TYPED["as is"] or change(run.name, random).lower() != run.name.lower()
    ]
    drawn = random.choices(altered, [len(run.issues) for run in altered], k=options.names)
    return [(run, change(run.name, random)) for run in drawn]


def _cause(ids: list[int | None], right: set[int]) -> str:
    place = next((place for place, each in enumerate(ids, 1) if each in right), None)
    if place:
        return f"at place {place}"
    return f"not among {len(ids)} results" if ids else "nothing is found"


def measure_cost(data: Data, options: argparse.Namespace) -> None:
    """Measure the milliseconds of a search, here and in a generated catalog."""
    _print_cost("these comics", data.app, [run.name for run in data.runs], options)
    with running_harness(None, GENERATED) as harness:
        names = harness.column("SELECT name FROM series ORDER BY id")
        _print_cost(f"{GENERATED:,} issues", make_app(harness.url), names, options)


def _print_cost(title: str, app: Callable, names: list[str], options: argparse.Namespace) -> None:
    changes = {
        **TYPED,
        "first two letters": lambda name, _random: name[:2],
        "half of the name": lambda name, _random: name[: len(name) // 2 + 1],
        "one word": lambda name, _random: max(name.split(), key=len),
        "nothing alike": lambda name, _random: f"{name[::-1]} qx",
    }
    random = Random(options.seed)
    print(f"{title:26}{'typed':18}{'median':>9}{'nine in ten':>13}{'slowest':>9} ms")
    for surface, search in SURFACES.items():
        for typed, change in changes.items():
            spent = []
            for name in random.sample(names, min(options.names, len(names))):
                begin = time.perf_counter()
                search(app, change(name, random))
                spent.append((time.perf_counter() - begin) * 1000)
            spent.sort()
            shown = spent[len(spent) // 2], spent[len(spent) * 9 // 10], spent[-1]
            print(f"{surface:26}{typed:18}{{:9.1f}}{{:13.1f}}{{:9.1f}}".format(*shown))


def measure_matching(data: Data, options: argparse.Namespace) -> None:
    """Match names of files and descriptors in the conventions of people and programs."""
    with Session(data.harness.engine) as session:
        measure_names(session, names=options.names, seed=options.seed, shows_misses=options.misses)


def measure_reading_lists(data: Data, options: argparse.Namespace) -> None:
    """Match the entries of reading lists, by names and by ids."""
    with Session(data.harness.engine) as session:
        measure_lists(session, data.folder, shows_misses=options.misses)


SECTIONS: dict[str, Callable[[Data, argparse.Namespace], None]] = {
    "search": measure_search,
    "cost": measure_cost,
    "names": measure_matching,
    "lists": measure_reading_lists,
}


def main() -> None:
    """Load the comics and run the sections."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--section", choices=SECTIONS, action="append")
    parser.add_argument("--names", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    with running_harness(None, 0) as harness:
        data = Data(options.folder, harness)
        for section in options.section or SECTIONS:
            SECTIONS[section](data, options)


if __name__ == "__main__":
    main()
