"""Entries of reading lists made from real issues, as CBL files have them, matched as an import does.

`measure_lists` prints, for each way to name an issue, how many entries an import takes by itself, how many of
these are wrong, for how many the right issue is the first or any of the candidates, and the reasons why the
others are not taken.
"""

import csv
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb.library.transfer.cbl import BOOKS_MAX, read_cbl
from comicsdb.library.transfer.matching import MATCHED, match_issues

NAMES, OTHERS = "issues.tsv", "other_descriptions.tsv"
# Ways to name an issue: the table with its names, and what an entry has in addition to series and number.
WAYS = {
    "name, first year, year": (NAMES, ("Volume", "Year")),
    "name, first year": (NAMES, ("Volume",)),
    "name, year": (NAMES, ("Year",)),
    "as others write it": (OTHERS, ("Volume", "Year")),
    "the same with Comic Vine id": (OTHERS, ("Volume", "Year", "cv")),
    "the same with Metron id": (OTHERS, ("Volume", "Year", "metron")),
}


def measure_lists(session: Session, folder: Path, *, shows_misses: bool) -> None:
    """Match all entries in each way, and print the shares."""
    issues = _identify_issues(session, folder)
    print(f"{'entries':30}{'number':>8}{'taken':>8}{'wrong':>7}{'first':>8}{'offered':>9}  causes")
    for way, (table, parts) in WAYS.items():
        rows = [row for row in _rows(folder / table) if row["comicvine_issue"] in issues]
        tally, causes = Counter(), Counter()
        for start in range(0, len(rows), BOOKS_MAX):
            batch = rows[start : start + BOOKS_MAX]
            upload = read_cbl(_cbl(batch, parts, issues), rows=BOOKS_MAX)
            matches = match_issues(session, [row.wanted for row in upload.rows])
            for row, match in zip(batch, matches, strict=True):
                issue = issues[row["comicvine_issue"]]
                tally["taken"] += match.state == MATCHED
                tally["wrong"] += match.state == MATCHED and match.id != issue
                tally["first"] += match.candidates[:1] == (issue,)
                tally["offered"] += issue in match.candidates
                if match.id != issue:
                    causes[match.reason or "wrong"] += 1
                    if shows_misses:
                        print(f"    {match.reason or 'wrong'}: {dict(row)}: {match.candidates}, not {issue}")
        taken, first, offered = (tally[name] / (len(rows) or 1) for name in ("taken", "first", "offered"))
        shown = ", ".join(f"{cause} {count}" for cause, count in causes.most_common())
        print(f"{way:30}{len(rows):8,}{taken:8.2%}{tally['wrong']:7}{first:8.2%}{offered:9.2%}  {shown}")


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _identify_issues(session: Session, folder: Path) -> dict[str, int]:
    """Give issues ids of Comic Vine, and of Metron the same behind a 7; ours by those of Comic Vine."""
    named = {
        (name, number, began): issue
        for issue, name, number, began in session.execute(
            text(
                "SELECT issue.id, series.name, number, year_began FROM issue"
                " JOIN series ON series.id = series_id"
            )
        )
    }
    issues = {}
    for row in _rows(folder / NAMES):
        issue = named.get((row["series"], row["number"], int(row["start_year"] or 0)))
        if issue and row["comicvine_issue"].isdigit():
            issues.setdefault(row["comicvine_issue"], issue)
    values = {"cv": list(map(int, issues)), "ids": list(issues.values())}
    session.execute(
        text(
            "UPDATE issue SET cv_id = given.cv FROM unnest(CAST(:cv AS integer[]), CAST(:ids AS integer[]))"
            " given (cv, id) WHERE issue.id = given.id"
        ),
        values,
    )
    session.execute(
        text(
            "INSERT INTO external_id (source, external_id, issue_id)"
            " SELECT 'metron', '7' || cv_id, id FROM issue WHERE cv_id IS NOT NULL"
        )
    )
    session.execute(text("ANALYZE issue, external_id"))
    return issues


def _cbl(rows: list[dict[str, str]], parts: tuple[str, ...], issues: dict[str, int]) -> bytes:
    """A CBL file with the rows; `parts` are the attributes of books, and the databases of their ids."""
    root = ET.Element("ReadingList")
    books = ET.SubElement(root, "Books")
    for row in rows:
        values = {"Volume": row["start_year"], "Year": row["year"]}
        written = {name: values[name] for name in parts if values.get(name)}
        book = ET.SubElement(books, "Book", Series=row["series"], Number=row["number"], **written)
        for source, prefix in (("cv", ""), ("metron", "7")):
            if source in parts and row["comicvine_issue"] in issues:
                ET.SubElement(book, "Database", Name=source, Issue=prefix + row["comicvine_issue"])
    return ET.tostring(root, encoding="utf-8")
