"""Names of comic files and descriptors, made from real issues in the conventions of people and programs.

`measure_names` matches a sample of each with the catalog that `bench.real` has filled, and prints how many
first candidates are right, how many are certain, and how many of these are wrong, by convention.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from sqlalchemy.orm import Session

from comicsdb.matching.descriptors import build_descriptor
from comicsdb.matching.scoring import Match
from comicsdb.matching.service import match
from comicsdb.schemas.match import DescriptorSchema

BATCH = 100


@dataclass(frozen=True, slots=True)
class RealIssue:
    """An issue of the catalog, with its series; `position` is that in the series."""

    id: int
    series_id: int
    series: str
    start_year: int
    number: str
    year: int
    volume: int
    position: int
    count: int


def padded(number: str, digits: int = 3) -> str:
    """The number with leading zeros, as scanners write it."""
    match = re.fullmatch(r"(-?)([0-9]+)(.*)", number)
    return f"{match[1]}{match[2].zfill(digits)}{match[3]}" if match else number


def as_file(name: str) -> str:
    """A name without the characters that file systems refuse."""
    return re.sub(r'[/\\:*?"<>|]', "", name)


def dashed(name: str) -> str:
    """A name with a dash instead of a colon."""
    return as_file(name.replace(": ", " - "))


def article_last(name: str) -> str:
    """`Harbor, The` for `The Harbor`."""
    article, _, rest = name.partition(" ")
    return f"{rest}, {article}" if article in ("The", "A", "An") and rest else name


def bare(name: str) -> str:
    """A name without accents and punctuation."""
    decomposed = unicodedata.normalize("NFKD", name)
    ascii_name = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(re.sub(r"[^\w\s]|_", " ", ascii_name.replace("'", "")).split()) or name


def misspelled(name: str, random: Random) -> str:
    """A name with two letters of its longest word swapped, one doubled, or one left out."""
    word = max(re.findall(r"[^\W\d_]+", name) or [""], key=len)
    if len(word) < 4:
        return name
    at = random.randrange(1, len(word) - 1)
    edits = (word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:])
    return name.replace(word, random.choice(edits), 1)


# How the issue's file is named; a name that says too little is not expected to be certain.
FULL: dict[str, Callable[[RealIssue], str]] = {
    "scan": lambda i: f"{as_file(i.series)} {padded(i.number)} ({i.year}) (Digital) (Zone-Empire).cbz",
    "plain": lambda i: f"{as_file(i.series)} {padded(i.number)} ({i.year}).cbz",
    "hash": lambda i: f"{as_file(i.series)} #{i.number} ({i.year}).cbr",
    "hash padded": lambda i: f"{as_file(i.series)} #{padded(i.number)} ({i.year}).cbz",
    "two digits": lambda i: f"{as_file(i.series)} {padded(i.number, 2)} ({i.year}) (c2c).cbr",
    "month": lambda i: f"{as_file(i.series)} {padded(i.number)} (Jun {i.year}) (digital).cbz",
    "dated": lambda i: f"{as_file(i.series)} {padded(i.number)} ({i.year}-06).cbz",
    "dash": lambda i: f"{as_file(i.series)} - {padded(i.number)} ({i.year}).cbz",
    "dash hash": lambda i: f"{as_file(i.series)} - #{i.number} ({i.year}).cbz",
    "issue word": lambda i: f"{as_file(i.series)} - Issue {i.number} ({i.year}).cbz",
    "colon dash": lambda i: f"{dashed(i.series)} {padded(i.number)} ({i.year}) (digital).cbz",
    "colon underscore": lambda i: f"{as_file(i.series.replace(':', '_'))} {padded(i.number)} ({i.year}).cbz",
    "article last": lambda i: f"{as_file(article_last(i.series))} {padded(i.number)} ({i.year}).cbz",
    "no article": lambda i: f"{as_file(i.series).removeprefix('The ')} {padded(i.number)} ({i.year}).cbz",
    "no punctuation": lambda i: f"{bare(i.series)} {padded(i.number)} ({i.year}).cbz",
    "lower case": lambda i: f"{as_file(i.series).lower()} {padded(i.number)} ({i.year}).cbz",
    "and": lambda i: f"{as_file(i.series.replace('&', 'and'))} {padded(i.number)} ({i.year}).cbz",
    "underscores": lambda i: f"{as_file(i.series)}_{padded(i.number)}_({i.year}).cbz".replace(" ", "_"),
    "underscored volume": lambda i: (
        f"{as_file(i.series)}_v{i.volume:02}_{padded(i.number)}_({i.year}).cbz".replace(" ", "_")
    ),
    "dots": lambda i: f"{bare(i.series)}.{padded(i.number)}.({i.year}).(Digital).cbz".replace(" ", "."),
    "year first": lambda i: f"{as_file(i.series)} ({i.year}) {padded(i.number)}.cbz",
    "year bare": lambda i: f"{as_file(i.series)} {padded(i.number)} {i.year}.cbz",
    "brackets": lambda i: f"{as_file(i.series)} {padded(i.number)} [{i.year}] [Digital].cbz",
    "count": lambda i: f"{as_file(i.series)} {padded(i.number)} (of {i.count:02}) ({i.year}).cbz",
    "part": lambda i: f"{as_file(i.series)} {padded(i.number)} - Part 1 of 5 ({i.year}) (Digital).cbz",
    "covers": lambda i: f"{as_file(i.series)} {padded(i.number)} ({i.year}) (2 covers) (1920px).cbz",
    "volume year": lambda i: f"{as_file(i.series)} V{i.start_year} #{padded(i.number)} ({i.year}).cbz",
    "volume": lambda i: f"{as_file(i.series)} v{i.volume} #{padded(i.number)} ({i.year}).cbz",
    "both years": lambda i: f"{as_file(i.series)} ({i.start_year}) {padded(i.number)} ({i.year}).cbz",
    "folder": lambda i: (
        f"{as_file(i.series)} ({i.start_year})/{as_file(i.series)} {padded(i.number)} ({i.year}).cbz"
    ),
    "publisher folder": lambda i: (
        f"Harbor House/{as_file(i.series)} ({i.start_year})/"
        f"{as_file(i.series)} {padded(i.number)} ({i.year}).cbz"
    ),
    "year in front": lambda i: f"{i.year} - {as_file(i.series)} {padded(i.number)}.cbz",
    "order in front": lambda i: (
        f"{i.id % 400 + 1:03} - {as_file(i.series)} {padded(i.number)} ({i.year}).cbz"
    ),
    "publisher in front": lambda i: f"Harbor House - {as_file(i.series)} {padded(i.number)} ({i.year}).cbz",
    "comicsdb label": lambda i: f"{i.series} ({i.start_year}) #{i.number}",
    "label as file": lambda i: f"{as_file(i.series)} ({i.start_year}) #{i.number}.cbz",
    "series year": lambda i: f"{as_file(i.series)} ({i.start_year}) {padded(i.number)}.cbz",
    "volume and issue": lambda i: (
        f"{as_file(i.series)} ({i.start_year}) Volume {i.volume:02} Issue {padded(i.number)}.cbz"
    ),
    "series folder": lambda i: (
        f"{as_file(i.series)} ({i.start_year})/{as_file(i.series)} {padded(i.number)}.cbz"
    ),
    "number in folder": lambda i: f"{as_file(i.series)} ({i.start_year})/{padded(i.number)}.cbz",
    "issue in folder": lambda i: f"{as_file(i.series)} ({i.start_year})/Issue #{i.number}.cbz",
    "hash in folder": lambda i: f"{as_file(i.series)} ({i.start_year})/#{padded(i.number)} ({i.year}).cbz",
}
VAGUE: dict[str, Callable[[RealIssue], str]] = {
    "no year": lambda i: f"{as_file(i.series)} {padded(i.number)}.cbz",
    "no year, hash": lambda i: f"{as_file(i.series)} #{i.number}.cbz",
    "repeating folder": lambda i: f"{as_file(i.series)}/{as_file(i.series)} {padded(i.number)}.cbz",
    "typo": lambda i: f"{misspelled(as_file(i.series), Random(i.id))} {padded(i.number)} ({i.year}).cbz",
    "no blanks": lambda i: f"{bare(i.series).title().replace(' ', '')}{padded(i.number)} ({i.year}).cbz",
}
DESCRIPTORS: dict[str, Callable[[RealIssue], dict]] = {
    "series, number, year": lambda i: {"series": i.series, "number": i.number, "year": i.year},
    "with first year": lambda i: {
        "series": i.series, "number": i.number, "year": i.year, "year_began": i.start_year,
    },
    "ComicTagger volume": lambda i: {
        "Series": i.series, "Number": i.number, "Volume": i.start_year, "Year": i.year,
    },
    "label as series": lambda i: {"series": f"{i.series} ({i.start_year})", "number": i.number},
    "bare name": lambda i: {"series": bare(i.series), "number": i.number, "year": i.year},
}  # fmt: skip


def real_issues(session: Session) -> list[RealIssue]:
    """All issues of the catalog that `bench.real` filled."""
    rows = session.connection().exec_driver_sql(
        "SELECT issue.id, series_id, series.name, year_began, number, extract(year FROM cover_date)::int,"
        " volume, row_number() OVER (PARTITION BY series_id ORDER BY cover_date, issue.id),"
        " count(*) OVER (PARTITION BY series_id)"
        " FROM issue JOIN series ON series.id = series_id ORDER BY issue.id"
    )
    return [RealIssue(*row) for row in rows]


def measure_names(session: Session, *, names: int, seed: int, shows_misses: bool) -> None:
    """Match the names of a sample of issues in each convention, and print the shares."""
    issues = real_issues(session)
    print(f"{'convention':26}{'names':>7}{'first':>8}{'certain':>9}{'certain but wrong':>19}")
    for conventions in (FULL, VAGUE, DESCRIPTORS):
        for name, convention in conventions.items():
            sample = Random(f"{seed} {name}").sample(issues, min(names, len(issues)))
            right, certain, wrong, misses = 0, 0, 0, []
            for start in range(0, len(sample), BATCH):
                batch = sample[start : start + BATCH]
                descriptors = [_descriptor(convention(issue)) for issue in batch]
                for issue, result in zip(batch, match(session, descriptors, 5), strict=True):
                    is_right = bool(result.candidates) and result.candidates[0].issue.id == issue.id
                    right += is_right
                    certain += result.certain
                    wrong += result.certain and not is_right
                    if not is_right:
                        misses.append(_miss(convention(issue), issue, result))
            share = len(sample) or 1
            print(f"{name:26}{len(sample):7}{right / share:8.1%}{certain / share:9.1%}{wrong:19}")
            for miss in misses if shows_misses else ():
                print(miss)


def _descriptor(described: str | dict):
    """The descriptor for a file's name, or for fields as programs send them."""
    facts = {"file_name": described} if isinstance(described, str) else described
    return build_descriptor(DescriptorSchema().deserialize(facts))


def _miss(described: str | dict, issue: RealIssue, result: Match) -> str:
    """A line about a name whose first candidate is not its issue."""
    best = result.candidates[0].issue if result.candidates else None
    label = f"{best.series} ({best.year_began}) #{best.number}" if best else "nothing"
    verdict = "certain" if result.certain else "not certain"
    return f"    {described}: {label}, {verdict}; not {issue.series} ({issue.start_year}) #{issue.number}"
