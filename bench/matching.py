"""Measures how well and how fast comics are recognised by their file names (`POST /api/match/`).

    python -m bench.matching [--issues 100000] [--names 10000] [--seed 1] [--wrong KIND]

Fills a catalog with realistic names: relaunches under the same name, annuals, collections, Italian and
Japanese titles. File names are made from a sample of its issues (bench/noisy_names.py), and from issues and
series that the catalog does not have. Each call has 100 of them. Printed are, by kind of noise: names, the
share whose first candidate is right, the share that is certain, and how many of the certain are right; then
how often first candidates are right by score, which results were certain but wrong, and the CPU time of web
server and PostgreSQL per call.
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from random import Random

import orjson
from pyramid.request import Request
from sqlalchemy import Connection, Engine, insert, select, text

import comicsdb
from bench.filename_parser import normalized_series
from bench.harness import Harness, running_harness
from bench.noisy_names import EXAMPLES, Issue, NoisyName, noisy_names
from comicsdb.models import Issue as IssueModel
from comicsdb.models import Publisher, Series, SeriesType
from comicsdb.models.choices import SeriesTypeCode

NAMES_PER_CALL = 100
YEARS_APART = 2
ABSENT_SHARE = 0.1  # the share of names of series and issues that the catalog does not have
HEROES = (
    "Night Heron|Captain Meridian|The Iron Wasp|Doctor Umbra|Scarlet Fox|Moonstalker|The Amazing Locust|Vixen"
    "|Green Sentinel|Lady Tempest|Ghost Harbor|Star Rangers|Steel Legion|The Uncanny Five|Blue Marauder|Cobra"
    "|Silver Lynx|Thunder Girl|Wild Dogs|Black Orchard|Professor Zero|The Invisibles of Mars|Red Tornado Kid"
    "|Power Couple|Bone Collector|Hawk & Sparrow|Dark Nebula|Kid Cosmos|Mister Mercury|Omega Squad"
).split("|")
THINGS = (
    "Adventures|Unlimited|: Year One|: Origins|Chronicles|: The Last Stand|Team-Up|: Dark Reign|Tales|2099"
    "|'66|: Blood and Honor|Forever|: Rebirth|: A Love Story|vs. the World|and Friends|: Endgame|Confidential"
    "|: Life and Death|Family|: First Contact|: Black & White|: Red Dawn|Quarterly|: War of Shadows"
).split("|")
FIRST = (
    "Broken|Silent|Crimson|Lost|Savage|Electric|Hollow|Golden|Frozen|Hidden|Burning|Paper|Little|Cold".split(
        "|"
    )
)
SECOND = (
    "Harbor|Empire|Kingdom|Garden|Mirror|Planet|Circus|River|Machine|City|Winter|Theory|Bride|Road".split("|")
)
ITALIAN = (
    ("Il mistero|La maschera|L'ombra|Le avventure|Il ritorno|La leggenda|I segreti|La notte".split("|")),
    ("di Zagor|del Corvo|della Luna|dei Pirati|di Maremma|delle Ombre|del Drago|d'Oriente".split("|")),
)
JAPANESE = (
    "銀河|黒い|青の|魔法|鉄の|風の|最後の|夜の|機動|東京".split("|"),
    "騎士|猫|少年|戦記|探偵|物語|剣|列車|天使|ハンター".split("|"),
)
PUBLISHERS = "Marvel|DC Comics|Image|Dark Horse|IDW|Vertigo|Boom! Studios|Dynamite|Titan|Valiant".split("|")
TITLES = "The Fall|Homecoming|Into the Dark|No Way Out|Bad Blood|The Long Night|Ashes|Reunion".split("|")


def catalog(issues: int, random: Random) -> list[list[Issue]]:
    """The issues by series, about as many as requested: those of EXAMPLES, then generated ones."""
    runs: dict[tuple, list[Issue]] = defaultdict(list)
    for issue in EXAMPLES:
        runs[issue.series, issue.year_began, issue.series_type].append(issue)
    found = [_completed(run) for run in runs.values()]
    taken = {_key(run[0]) for run in found}
    years: dict[tuple[str, str], list[int]] = defaultdict(list)
    for run in found:
        years[normalized_series(run[0].series), run[0].series_type].append(run[0].year_began)
    count = sum(map(len, found))
    while count < issues:
        for run in _make_runs(random):
            same = years[normalized_series(run[0].series), run[0].series_type]
            # Series of the same name rarely begin at about the same time.
            if _key(run[0]) not in taken and all(
                abs(run[0].year_began - year) > YEARS_APART for year in same
            ):
                taken.add(_key(run[0]))
                same.append(run[0].year_began)
                found.append(run)
                count += len(run)
    return found


def _key(issue: Issue) -> tuple:
    return issue.series, issue.volume, issue.publisher, issue.series_type


def _completed(run: list[Issue]) -> list[Issue]:
    """A run with the issues between those of the examples."""
    known = {issue.number for issue in run}
    numbers = [int(issue.number) for issue in run if issue.number.isdigit()]
    last = max(numbers, default=0)
    more = [
        replace(run[0], number=str(number), cover_date=_month(run[0].year_began, number - 1), title="")
        for number in range(1, min(last, 300) + 1)
        if str(number) not in known
    ]
    return [*run, *more]


def _month(year: int, months: int) -> date:
    return date(year + months // 12, months % 12 + 1, 1)


def _make_runs(random: Random) -> list[list[Issue]]:
    """A series with its relaunches, annuals and collections."""
    draw = random.random()
    if draw < 0.1:
        name = " ".join(map(random.choice, ITALIAN))
        return [_run(random, name, "Sergio Bonelli Editore", "it", random.randrange(1960, 2015), 90)]
    if draw < 0.2:
        name = "".join(map(random.choice, JAPANESE)) + random.choice(("", "", "伝", "Z", "外伝"))
        return [_run(random, name, "講談社", "ja", random.randrange(1975, 2018), 30)]
    hero = random.choice(HEROES)
    name = hero if random.random() < 0.25 else f"{hero}{_joined(random.choice(THINGS))}"
    if random.random() < 0.4:
        name = f"{random.choice(('', '', 'The '))}{random.choice(FIRST)} {random.choice(SECOND)}"
        name += random.choice(("", "", "", " II", _joined(random.choice(THINGS))))
    publisher, year, found = random.choice(PUBLISHERS), random.randrange(1962, 2012), []
    for volume in range(1, random.choice((1, 1, 1, 2, 3)) + 1):
        found.append(
            _run(random, name, publisher, "en", year, random.choice((5, 6, 12, 40, 60, 120)), volume)
        )
        year = max(found[-1][-1].cover_date.year, year + YEARS_APART) + random.randrange(1, 5)
        if year > 2022:
            break
    first = found[0]
    if len(first) > 30 and random.random() < 0.4:
        found.append(
            _run(random, f"{name} Annual", publisher, "en", first[0].year_began + 1, 8, kind="annual")
        )
    if random.random() < 0.25:
        kind = random.choice(("trade_paperback", "trade_paperback", "hardcover", "omnibus"))
        found.append(_run(random, name, publisher, "en", first[0].year_began + 1, 6, kind=kind))
    if random.random() < 0.1:
        found.append(_run(random, f"{name} Special", publisher, "en", year, 1, kind="one_shot"))
    return found


def _joined(ending: str) -> str:
    return ending if ending[0] == ":" else f" {ending}"


def _run(random: Random, name: str, publisher: str, language: str, year: int, length: int,
         volume: int = 1, kind: str = "single_issue") -> list[Issue]:  # fmt: skip
    length = random.randrange(max(1, length // 2), length + 1)
    gap = 12 if kind == "annual" else 6 if kind != "single_issue" else 1
    numbers = [str(number) for number in range(1, length + 1)]
    if kind == "single_issue" and language == "en" and random.random() < 0.1:
        numbers += ["0", "½", "1.1"][: random.randrange(1, 4)]
    count = length if length < 13 and kind == "single_issue" and random.random() < 0.5 else None
    return [
        Issue(
            name, number, _month(year, place * gap), year, volume, kind, publisher, language,
            title=random.choice(TITLES) if random.random() < 0.1 else "", count=count,
        )
        for place, number in enumerate(numbers)
    ]  # fmt: skip


def fill_database(engine: Engine, runs: list[list[Issue]]) -> dict[Issue, int]:
    """Write the catalog; returns the ids of issues."""
    with engine.begin() as connection:
        ids = insert_catalog(connection, runs)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
    return ids


def insert_catalog(connection: Connection, runs: list[list[Issue]]) -> dict[Issue, int]:
    """The same within a transaction."""
    ids: dict[Issue, int] = {}
    connection.execute(text("SET LOCAL session_replication_role = replica"))
    types = dict(connection.execute(select(SeriesType.code, SeriesType.id)).all())
    names = list(dict.fromkeys(run[0].publisher or "Nobody" for run in runs))
    publishers = {name: number for number, name in enumerate(names, 1)}
    rows = [{"id": number, "slug": f"p{number}", "name": name} for name, number in publishers.items()]
    connection.execute(insert(Publisher), rows)
    series, issues = [], []
    for number, run in enumerate(runs, 1):
        first = run[0]
        series.append({
            "id": number, "slug": f"s{number}", "name": first.series, "sort_name": first.series,
            "language": first.language, "volume": first.volume, "year_began": first.year_began,
            "year_end": max(issue.cover_date for issue in run).year,
            "series_type_id": types[SeriesTypeCode(first.series_type)],
            "publisher_id": publishers[first.publisher or "Nobody"],
        })  # fmt: skip
        for issue in {each.number: each for each in run}.values():
            ids[issue] = len(ids) + 1
            issues.append({
                "id": ids[issue], "slug": f"i{ids[issue]}", "series_id": number, "number": issue.number,
                "cover_date": issue.cover_date, "title": issue.title,
            })  # fmt: skip
    connection.execute(insert(Series), series)
    # With RETURNING, one statement inserts many rows; without it, each row would need its own.
    connection.execute(insert(IssueModel).returning(IssueModel.id), issues)
    return ids


def sample(runs: list[list[Issue]], names: int, seed: int) -> tuple[list[list[Issue]], list[NoisyName]]:
    """The runs for the catalog, without some of the issues, and names that are also made from these."""
    random = Random(seed)
    absent = {number for number in range(len(runs)) if random.random() < ABSENT_SHARE}
    asked = [random.choice(run) for run in random.choices(runs, k=names)]
    kept = [
        [issue for issue in run if not (issue.number.isdigit() and int(issue.number) % 20 == 13)]
        for number, run in enumerate(runs)
        if number not in absent
    ]
    # Names distinguish all series of the same name, including those left out of the catalog.
    everything = [issue for run in runs for issue in run[:1]]
    made = list(noisy_names([*asked, *everything], seed=seed))[: len(asked)]
    random.shuffle(made)
    return [run for run in kept if run], made


@dataclass
class Tally:
    """The counts of results."""

    total: Counter = field(default_factory=Counter)
    first: Counter = field(default_factory=Counter)
    certain: Counter = field(default_factory=Counter)
    certain_right: Counter = field(default_factory=Counter)
    scores: dict[int, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    wrong: list[str] = field(default_factory=list)

    def add(self, noisy: NoisyName, wanted: int | None, result: dict) -> bool:
        """Count a result; returns whether its first candidate is right."""
        best = result["candidates"][0] if result["candidates"] else None
        right = best is not None and best["issue"]["id"] == wanted
        kinds = {*noisy.kinds, "all"} if wanted is not None else {"not in the catalog"}
        self.total.update(kinds)
        self.first.update(kinds if right else ())
        if best:
            counted = self.scores[min(int(best["score"] * 10), 9)]
            counted[0] += right
            counted[1] += 1
        if result["certain"]:
            self.certain.update({*kinds, "everything"})
            if right:
                self.certain_right.update({*kinds, "everything"})
            else:
                self.wrong.append(
                    f"{noisy.name}: {best['issue']['issue']}, not {_label(noisy.issue, wanted)}"
                )
        return right


def _label(issue: Issue, wanted: int | None) -> str:
    missing = "" if wanted is not None else ", which the catalog does not have"
    kind = "" if issue.series_type == "single_issue" else f", {issue.series_type}"
    return f"{issue.series} ({issue.year_began}{kind}) #{issue.number} of {issue.cover_date}{missing}"


def match_client(url: str) -> Callable[[bytes, dict], bytes]:
    """A function that posts descriptors to the application, in this process."""
    app = comicsdb.main(
        {},
        **{
            "sqlalchemy.url": url,
            "comicsdb.secret": "for the bench only: it guards nothing but made up rows",
            "comicsdb.base_url": "http://127.0.0.1",
            "comicsdb_api.throttle": "off",
            "pyramid.includes": "comicsdb_api comicsdb_web",
        },
    )

    def post(body: bytes, headers: dict) -> bytes:
        request = Request.blank("/api/match/", method="POST", body=body, content_type="application/json")
        request.headers.update(headers)
        answer = request.get_response(app)
        if answer.status_int != 200:
            raise RuntimeError(answer.text)
        return answer.body

    return post


def measure(
    harness: Harness, names: list[NoisyName], ids: dict[Issue, int], wrong: str
) -> tuple[Tally, list[float]]:
    """Send all names; returns the counts, and the CPU milliseconds of each call."""
    post, tally, figures = match_client(harness.url), Tally(), []
    for begin in range(0, len(names), NAMES_PER_CALL):
        batch = names[begin : begin + NAMES_PER_CALL]
        body = orjson.dumps({"descriptors": [{"file_name": each.name} for each in batch]})
        cpu, database = time.process_time(), harness.database_cpu
        answer = post(body, harness.credentials)
        figures.append(((time.process_time() - cpu) * 1000, (harness.database_cpu - database) * 1000))
        for noisy, result in zip(batch, orjson.loads(answer)["results"], strict=True):
            wanted = ids.get(noisy.issue)
            right = tally.add(noisy, wanted, result)
            if not right and wanted and (wrong == "all" or wrong in noisy.kinds):
                shown = [(each["issue"]["issue"], each["score"]) for each in result["candidates"][:3]]
                print(noisy.name, _label(noisy.issue, wanted), shown, sep="\n    ")
    return tally, figures


def report(tally: Tally, figures: list) -> None:
    """Print the tables."""
    print(f"{'noise':22}{'names':>8}{'first':>8}{'certain':>9}{'of these right':>16}")
    for kind, count in tally.total.most_common():
        right = f"{tally.certain_right[kind] / tally.certain[kind]:.2%}" if tally.certain[kind] else "-"
        first = f"{tally.first[kind] / count:.1%}" if kind != "not in the catalog" else "-"
        print(f"{kind:22}{count:8,}{first:>8}{tally.certain[kind] / count:9.1%}{right:>16}")
    everything = tally.certain["everything"]
    print(f"certain: {everything:,}, right {tally.certain_right['everything'] / max(1, everything):.3%}")
    print("score    first candidates    right")
    for tenth, (right, count) in sorted(tally.scores.items()):
        print(f"{tenth / 10:.1f}-{tenth / 10 + 0.1:.1f}{count:16,}{right / count:12.1%}")
    print("certain, but wrong:", *tally.wrong, sep="\n    ")
    web, database = (sum(each) / len(figures) for each in zip(*figures[1:], strict=True))
    print(f"CPU a call of {NAMES_PER_CALL}: {web:.0f} ms in Python, {database:.0f} ms in PostgreSQL")


def main() -> None:
    """Fill the database, send the names and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--issues", type=int, default=100_000)
    parser.add_argument("--names", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wrong", default="")
    options = parser.parse_args()
    runs, names = sample(catalog(options.issues, Random(options.seed)), options.names, options.seed)
    with running_harness(None, 0) as harness:
        ids = fill_database(harness.engine, runs)
        print(f"{len(ids):,} issues of {len(runs):,} series")
        report(*measure(harness, names, ids, options.wrong))


if __name__ == "__main__":
    main()
