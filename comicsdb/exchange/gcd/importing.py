"""Import of a dump of the Grand Comics Database, a few series at a time, each batch in its own transaction.

- A piece holds series with their issues, and everything they refer to that was not imported before. So an
  import of chosen series need not search for what these use.
- Progress is stored with each piece: an import that was stopped or killed continues with the next one.
- Reprints and associated series follow when all issues have been imported.
- The same dump can be imported again, and so can a newer one: objects are found by their ids at GCD, and
  updated unless somebody has edited them (`storing.update`).
- Memory depends on the size of a piece, not on that of the dump.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog.public_tables import tables_of
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.exchange.gcd import dump, plan, reading, storing
from comicsdb.exchange.gcd.dump import Dump
from comicsdb.exchange.gcd.mapping import Mapper, Record
from comicsdb.exchange.gcd.plan import Choices
from comicsdb.exchange.gcd.report import Review
from comicsdb.exchange.gcd.stored_catalog import KINDS, StoredCatalog
from comicsdb.exchange.importing import LOCK
from comicsdb.exchange.run import ImportRun, SilentProgress
from comicsdb.models import GcdImport

SERIES, ASSOCIATED, REPRINTS, DONE = "series", "associated", "reprints", "done"
LINKS_BATCH = 5000  # rows of a link table that one transaction reads
BOND_TYPES = (1, 2, 3, 5)  # gcd_series_bond_type: continuations under another name or publisher
# Types of stories whose reprints do not make the issue a reprint: ads, promotion, previews, columns.
IGNORED_STORY_TYPES = (2, 16, 26, 28, 29)

_SERIES_BONDS = f"""
SELECT id, origin_id, target_id FROM gcd_series_bond
WHERE id > ? AND bond_type_id IN ({", ".join(map(str, BOND_TYPES))}) ORDER BY id LIMIT {LINKS_BATCH}
"""
_IGNORED_TYPES = ", ".join(map(str, IGNORED_STORY_TYPES))
_BASE = "(SELECT coalesce(i.variant_of_id, i.id) FROM gcd_issue i WHERE i.id = r.{})"
_REPRINTS = f"""
SELECT r.id, {_BASE.format("origin_issue_id")}, {_BASE.format("target_issue_id")} FROM gcd_reprint r
WHERE r.id > ? AND NOT EXISTS (
    SELECT 1 FROM gcd_story s WHERE s.id IN (r.origin_id, r.target_id) AND s.type_id IN ({_IGNORED_TYPES})
) ORDER BY r.id LIMIT {LINKS_BATCH}
"""


class AnotherImportError(Exception):
    """Another import of the Grand Comics Database is running."""


@dataclass
class Outcome:
    """The outcome of an import: objects by kind, and what is left for review."""

    review: Review
    read: int = 0  # series
    new: Counter = field(default_factory=Counter)
    changed: Counter = field(default_factory=Counter)
    unchanged: Counter = field(default_factory=Counter)
    seconds: float = 0.0
    dry_run: bool = False
    resumed: bool = False

    def lines(self) -> list[str]:
        """The outcome as text."""
        lines = [f"{'':16}{'new':>12}{'changed':>12}{'unchanged':>12}"]
        for kind in dict.fromkeys((*self.new, *self.changed, *self.unchanged)):
            numbers = (each[kind] for each in (self.new, self.changed, self.unchanged))
            lines.append(f"{kind:16}" + "".join(f"{number:>12,}" for number in numbers))
        went = "It went on where it had been stopped. " if self.resumed else ""
        lines.append(f"{went}{self.seconds:.1f} s")
        if self.dry_run:
            lines.append("Nothing was stored.")
        return [*lines, *self.review.lines()]

    def as_json(self) -> dict:
        """The part that is stored with the progress."""
        return {
            "new": self.new,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "rules": self.review.counts,
        }


def import_dump(
    session: Session,
    path: Path,
    choices: Choices,
    *,
    working: Path,
    report: Path,
    dry_run: bool = False,
    today: date | None = None,
    progress: SilentProgress | None = None,
) -> Outcome:
    """Import a dump; commits after each piece. With `dry_run`, only the report is written.

    Raises DumpError, ChoiceError or AnotherImportError.
    """
    begun = time.monotonic()
    progress = progress or SilentProgress()
    with dump.open_dump(path, working, progress.step) as source:
        series = plan.plan_series(source, choices)
        importer = Importer(session, source, choices, report, dry_run=dry_run, today=today)
        progress.start(len(series))
        importer.run(series, progress.read)
    if not dry_run:
        dump.remove_copy(path, working)
    importer.outcome.seconds = time.monotonic() - begun
    return importer.outcome


class Importer:
    """One import; it resumes an unfinished one of the same dump with the same choices."""

    def __init__(
        self,
        session: Session,
        source: Dump,
        choices: Choices,
        report: Path,
        *,
        dry_run: bool,
        today: date | None,
    ):
        self._session = session
        self._dump = source
        self._choices = choices
        self._dry_run = dry_run
        self._today = today or clock.now().date()
        self._progress = self._load_progress()
        counts = self._progress.counts
        self._review = Review(report, self._progress.reported, counts.get("rules", {}))
        self.outcome = Outcome(
            self._review,
            new=Counter(counts.get("new", {})),
            changed=Counter(counts.get("changed", {})),
            unchanged=Counter(counts.get("unchanged", {})),
            dry_run=dry_run,
            resumed=bool(self._progress.position or self._progress.phase != SERIES),
        )
        self._catalog = StoredCatalog(session)
        self._mapper = Mapper(source, choices, self._review, self._catalog, dry_run=dry_run)

    def _load_progress(self) -> GcdImport:
        """The stored progress of an unfinished import of this dump, or a new one."""
        known = {"fingerprint": dump.fingerprint(self._dump.path), "choices": self._choices.as_json()}
        if not self._dry_run:
            stopped = self._session.scalar(
                select(GcdImport)
                .where(
                    GcdImport.fingerprint == known["fingerprint"],
                    GcdImport.choices == known["choices"],
                    GcdImport.finished.is_(None),
                )
                .order_by(GcdImport.begun.desc(), GcdImport.id.desc())
                .limit(1)
            )
            if stopped:
                return stopped
        made = GcdImport(
            file=self._dump.path.name[:255], **known, phase=SERIES, position=0, reported=0, counts={}
        )
        if not self._dry_run:
            self._session.add(made)
            self._session.commit()
        return made

    def run(self, series: list[plan.PlannedSeries], report_progress: Callable[[int], None]) -> None:
        """Import the rest of the plan."""
        if self._progress.phase == SERIES:
            report_progress(sum(each.id <= self._progress.position for each in series))
            for number, piece in enumerate(plan.pieces(series, self._progress.position), 1):
                self._store_piece(piece)
                if not number & (number - 1) and not self._dry_run:  # whenever the number has doubled
                    self._analyze()
                report_progress(len(piece))
            self._begin_phase(ASSOCIATED)
        for phase, following, statement, kind, field_name in (
            (ASSOCIATED, REPRINTS, _SERIES_BONDS, "series", "associated"),
            (REPRINTS, DONE, _REPRINTS, "issue", "reprints"),
        ):
            if self._progress.phase == phase:
                if not self._dry_run:  # in a dry run, the objects were not stored
                    for rows in self._links(statement):
                        self._store_links(kind, field_name, rows)
                self._begin_phase(following)

    def _analyze(self) -> None:
        """Update the statistics of the tables earlier than PostgreSQL would by itself."""
        tables = {name for kind in KINDS for name in tables_of(kind)} | {"history"}
        self._session.execute(text(f"ANALYZE {', '.join(sorted(tables))}"))
        self._session.commit()

    def _links(self, statement: str) -> Iterator[list[tuple]]:
        while rows := self._dump.rows(statement, self._progress.position):
            yield rows

    def _store_piece(self, piece: list[plan.PlannedSeries]) -> None:
        rows = reading.read_piece(self._dump, [each.id for each in piece])
        self._lock()
        records = self._mapper.records(piece, rows)
        new = [record for record in records if not record.found]
        found = [record for record in records if record.found]
        self.outcome.new.update(record.kind for record in new)
        if new and not self._dry_run:
            self._insert(new)  # first, as existing objects may refer to new ones
        changed = storing.update(self._session, found, self._review, dry_run=self._dry_run)
        self.outcome.changed.update(changed)
        self.outcome.unchanged.update(record.kind for record in found)
        self.outcome.unchanged.subtract(changed)
        self._finish(piece[-1].id)

    def _insert(self, records: list[Record]) -> None:
        with self._session.connection().connection.cursor() as cursor:
            run = ImportRun(
                session=self._session,
                cursor=cursor,
                folder=Path(),
                storage=None,
                accounts=False,
                keep_ids=False,
                today=self._today,
                progress=SilentProgress(),
            )
            storing.insert(run, records)

    def _store_links(self, kind: str, field_name: str, rows: list[tuple]) -> None:
        self._lock()
        found = self._catalog.find(kind, {each for _, *pair in rows for each in pair if each})
        pairs = [(found[one], found[other]) for _, one, other in rows if one in found and other in found]
        self.outcome.new[field_name] += storing.link(self._session, kind, field_name, pairs)
        self._finish(rows[-1][0])

    def _lock(self) -> None:
        """Wait for other writers; raises AnotherImportError if another import has advanced meanwhile."""
        if self._dry_run:
            return
        at = (self._progress.phase, self._progress.position)
        self._session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
        unit = UnitOfWork.of(self._session)
        unit.acquire_write_lock()
        unit.actor_id, unit.reason = None, storing.REASON
        self._session.refresh(self._progress)
        if (self._progress.phase, self._progress.position) != at:
            raise AnotherImportError("Another import of this dump is running.")

    def _finish(self, position: int) -> None:
        """Commit a piece with its position and its rows of the report."""
        self._review.write()
        self._progress.position = position
        if self._dry_run:
            self._session.rollback()
            return
        self._progress.reported = self._review.length
        self._progress.counts = self.outcome.as_json()
        self._session.commit()
        self._session.expunge_all()
        self._progress = self._session.get(GcdImport, self._progress.id)

    def _begin_phase(self, phase: str) -> None:
        self._progress.phase, self._progress.position = phase, 0
        if phase == DONE:
            self._progress.finished = clock.now()
        if not self._dry_run:
            self._session.commit()
