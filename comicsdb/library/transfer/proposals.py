"""New issues proposed from the unmatched rows of an import, by series as the file names them."""

from collections import Counter
from dataclasses import dataclass, field

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from comicsdb.library.transfer.background import REVIEW
from comicsdb.library.transfer.format import PULL, series_label
from comicsdb.library.transfer.matching import MATCHED, UNKNOWN
from comicsdb.models import LibraryImport, LibraryImportRow
from comicsdb.values import partial_day_text

ISSUES_MAX = 100  # proposed at once


@dataclass
class Proposal:
    """An issue as the rows of a file describe it."""

    number: str
    cover_date: str
    store_date: str
    upc: str
    rows: list[int] = field(default_factory=list)


def series_of(session: Session, found: LibraryImport) -> list[tuple[str, int]]:
    """The series that unmatched rows name, with the number of these rows, most rows first."""
    counts = Counter(series_label(wanted) for _index, wanted in _unknown(session, found))
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def of_series(session: Session, found: LibraryImport, series: str) -> list[Proposal]:
    """The issues of a series as the file names it, without duplicates, in file order; at most ISSUES_MAX."""
    by_number: dict[str, Proposal] = {}
    for index, wanted in _unknown(session, found):
        if series_label(wanted) == series:
            day = partial_day_text(wanted["cover_date"], wanted.get("cover_date_precision"))
            proposal = Proposal(wanted["number"], day, wanted["store_date"] or "", wanted["upc"])
            by_number.setdefault(wanted["number"], proposal).rows.append(index)
    return list(by_number.values())[:ISSUES_MAX]


def _unknown(session: Session, found: LibraryImport) -> list[tuple[int, dict]]:
    """The unmatched rows with series and number: their indexes, and the values they were matched by."""
    if found.state != REVIEW:
        return []
    row = LibraryImportRow
    rows = select(row.index, row.part, row.wanted).where(row.import_id == found.id, row.state == UNKNOWN)
    rows = session.execute(rows.order_by(row.index)).all()
    return [(n, wanted) for n, part, wanted in rows if part != PULL and wanted["series"] and wanted["number"]]


def match(session: Session, found: LibraryImport, issues: dict[int, int]) -> None:
    """Match rows with issues; `issues` maps indexes of rows to ids."""
    for issue_id in set(issues.values()):
        rows = [index for index, each in issues.items() if each == issue_id]
        noted = update(LibraryImportRow).values(state=MATCHED, match_id=issue_id, reason="")
        noted = noted.where(LibraryImportRow.import_id == found.id, LibraryImportRow.index.in_(rows))
        session.execute(noted.execution_options(synchronize_session=False))
