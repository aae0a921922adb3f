"""Import of a data set, in one transaction; importing it again is safe.

`import_set` reads a folder in the format of `exchange.format`.

- Into an empty catalog, objects are imported with the ids of the set, and its reference data replaces the
  seeded rows (`exchange.reference`).
- Otherwise a row of the set matches a row of the database if both were created at the same microsecond and
  the slug of the set is the row's, a former one of it, or the row's without its number (`exchange.matching`).
  Matched rows are updated where they differ. All others are new: they get new ids, and a number after the
  slug if it is taken. So a set can be imported again, even if its rows got other ids the first time. Rows
  that are not in the set are never removed.
- Types, lengths, ranges, choices, references and unique sets are checked; problems are reported with file,
  line and field. Violations of advisory rules are counted in the report.
- Ids, slugs, stamps, hashes and ratings of new rows are stored as given.
- Missing rows are added to accounts' collections and lists; existing values stay (`exchange.libraries`).

Pictures are stored before the commit, and removed again if it fails.
"""

import time
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import orjson
import psycopg
from sqlalchemy import Text, cast, column, func, select, table, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog.advice import RULES
from comicsdb.exchange import accounts as accounts_step
from comicsdb.exchange import libraries, matching, reference, staging, storing
from comicsdb.exchange.compression import SUFFIX
from comicsdb.exchange.downloads import MANIFEST
from comicsdb.exchange.dump import DumpError, check_file
from comicsdb.exchange.format import (
    CATALOG,
    FILES,
    ISSUE_RATINGS,
    ISSUES,
    LIBRARY,
    OF_ACCOUNTS,
    PARTS,
    REFERENCE,
    SERIES,
    USERS,
    VARIANTS,
    VERSION,
    File,
)
from comicsdb.exchange.run import ImportRun, Report, SilentProgress
from comicsdb.library import ratings
from comicsdb.media.storage import Batch, Storage
from comicsdb.models import Tombstone
from comicsdb.problems import EXAMPLES_MAX, ImportFailedError, Problem

LOCK = 7_240_413  # key of the advisory lock: one import at a time


def import_set(
    session: Session,
    folder: Path,
    storage: Storage,
    passwords: Passwords | None = None,
    *,
    progress: SilentProgress | None = None,
    today: date | None = None,
) -> Report:
    """Import a data set and commit; accounts, ratings and libraries only if `passwords` is given.

    `today` is the business day, by default that of UTC; issues with a later store date are not out yet.
    Raises ImportFailedError with the problems by kind, in which case nothing is stored.
    """
    begun = time.monotonic()
    folder = Path(folder)
    _check_folder(folder)
    session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    session.execute(text("SET LOCAL work_mem = '64MB'"))
    with session.connection().connection.cursor() as cursor:
        run = ImportRun(
            session=session,
            cursor=cursor,
            folder=folder,
            storage=storage,
            accounts=passwords is not None and (folder / USERS.file_name).is_file(),
            keep_ids=is_empty(session),
            today=today or clock.now().date(),
            progress=progress or SilentProgress(),
        )
        with storage.batch() as batch:
            try:
                _read(run, batch, passwords)
                batch.sync()
                with _phase(run, "history and commit"):
                    session.commit()
            except (psycopg.errors.IntegrityError, IntegrityError) as error:
                session.rollback()
                refused = getattr(error, "orig", error).diag
                words = f"{refused.message_primary}: {refused.message_detail}"
                raise ImportFailedError([Problem(refused.table_name or "database", 0, "", words)]) from error
            except BaseException:
                session.rollback()
                raise
    storage.discard(run.replaced_pictures, limit=len(run.replaced_pictures))
    run.report.seconds = time.monotonic() - begun
    return run.report


def is_empty(session: Session) -> bool:
    """Whether the catalog has no rows, and no tombstones, whose ids must not be reused."""
    tables = [*(file.kind for file in CATALOG), Tombstone.__tablename__]
    exists = " OR ".join(f"EXISTS (SELECT FROM {table})" for table in tables)
    return not session.scalar(text(f"SELECT {exists}"))


def _check_folder(folder: Path) -> None:
    """Raise ImportFailedError for a folder without a data set or with one of another version."""
    names = [f"{file.file_name}{suffix}" for file in FILES for suffix in ("", SUFFIX)]
    if not any((folder / name).is_file() for name in names):
        raise ImportFailedError(
            [Problem(str(folder), 0, "", "holds no file of a data set, such as issues.jsonl")]
        )
    for name, key in (("meta.json", "format"), (MANIFEST, "data_set")):
        meta = folder / name
        if not meta.is_file():
            continue
        try:
            described = orjson.loads(meta.read_bytes())
            version = described[key]
        except (ValueError, KeyError, TypeError):
            version = None
        if version != VERSION:
            raise ImportFailedError([Problem(name, 0, key, f"takes {VERSION}, not {version}")])
        if name == MANIFEST:
            _check_digests(folder, described, names)


def _check_digests(folder: Path, manifest: dict, names: list[str]) -> None:
    """Raise ImportFailedError for files of a dump that differ from its manifest."""
    damaged = []
    try:
        listed = {str(each["name"]): each for each in manifest["files"]}
        for name in filter(listed.get, names):
            try:
                check_file(folder / name, listed[name])
            except DumpError as error:
                damaged.append(Problem(name, 0, "", str(error)))
    except (KeyError, TypeError):
        damaged.append(Problem(MANIFEST, 0, "files", "takes a list of files with name, bytes and sha256"))
    if damaged:
        raise ImportFailedError(damaged)


@contextmanager
def _phase(run: ImportRun, name: str):
    run.progress.step(name)
    begun = time.monotonic()
    yield
    run.report.phases[name] = run.report.phases.get(name, 0.0) + time.monotonic() - begun


def _read(run: ImportRun, batch: Batch, passwords: Passwords | None) -> None:
    """Run the steps of an import in order."""
    images = staging.Pictures(run.folder / "images", complete=not run.is_dump)
    with _phase(run, "reading"):
        files = _stage(run, passwords, images)
    with _phase(run, "checking"):
        staging.check(run, files)
        run.problems.stop_if_any()
        _complete_symmetric(run)
    with _phase(run, "matching"):
        _lock_tables(run)
        reference.match(run)
        if run.accounts:
            accounts_step.match(run)
        if run.keep_ids:
            matching.map_account_references(run)
        else:
            matching.match(run)
    with _phase(run, "pictures"):
        for file in (*CATALOG, VARIANTS):
            if file.has_picture:
                if not run.keep_ids:
                    storing.keep_pictures(run, file, images)
                images.store(run, file, batch)
            if file.has_cover:
                storing.store_hashes(run, file)
    with _phase(run, "storing"):
        storing.write_new(run)
        if not run.keep_ids:
            storing.update_matched(run)
        _record_new(run)
    with _phase(run, "advice"):
        _report_breaches(run)
    if run.accounts and any(run.has(file) for file in LIBRARY):
        with _phase(run, "libraries"):
            libraries.store(run)
    ratings.count_due(run.session, run.today)
    staging.drop_tables(run.cursor)


def _stage(run: ImportRun, passwords: Passwords | None, images: staging.Pictures) -> tuple[File, ...]:
    """Read the files into their staging tables; returns the files that were chosen."""
    files = _files(run)
    run.progress.start(sum(run.path(file).stat().st_size for file in files if run.has(file)))
    for file in FILES:
        if file not in files or not run.has(file):
            staging.create_table(run.cursor, file)  # other statements join it
        elif file is USERS:
            accounts_step.stage_users(run, passwords, images)
        else:
            staging.stage(run, file, images)
    return files


def _complete_symmetric(run: ImportRun) -> None:
    for file in (SERIES, ISSUES):
        for field in file.link_fields:
            completed = staging.complete_symmetric(run.cursor, file, field) if field.link.symmetric else 0
            if completed:
                run.report.notes.append(
                    f"{file.file_name}: {field.key} was completed in {completed:,} rows; it goes both ways."
                )


def _files(run: ImportRun) -> tuple[File, ...]:
    """The files to read; the others are listed in the report."""
    chosen = tuple(file for file in FILES if run.accounts or file not in OF_ACCOUNTS)
    for file in OF_ACCOUNTS:
        if file not in chosen and not file.owner and run.has(file):
            run.report.unread_files.append(f"{file.file_name} (only with accounts)")
    return chosen


def _lock_tables(run: ImportRun) -> None:
    """Block other writers, so that matches stay valid; readers are not blocked."""
    # This comes first, as all writers of the catalog take this lock before those of tables.
    run.unit.acquire_write_lock()
    files = (*REFERENCE, *CATALOG, *PARTS, ISSUE_RATINGS, *([USERS, *LIBRARY] if run.accounts else []))
    tables = [file.kind for file in files]
    run.cursor.execute(f"LOCK TABLE {', '.join(tables)} IN SHARE ROW EXCLUSIVE MODE")


def _record_new(run: ImportRun) -> None:
    """Record the new rows in the unit of work, for history, change log and versions."""
    for file in CATALOG:
        created = run.ids(f"SELECT db_id FROM {file.staged} WHERE NOT found")
        if created:
            run.unit.record_imported(file.kind, created)


def _report_breaches(run: ImportRun) -> None:
    """Count the stored rows that violate advisory rules in the report, with the first lines as examples."""
    files = {file.model: file for file in FILES}
    for rule in RULES:
        file = files[rule.model]
        staged = table(file.staged, column("line"), column("db_id"), column("slug"))
        named = staged.c.slug if hasattr(rule.model, "slug") else None
        found = func.coalesce(func.nullif(cast(rule.value, Text), ""), named)
        rows = run.session.execute(
            select(staged.c.line, found, func.count().over())
            .join_from(staged, rule.model, rule.model.id == staged.c.db_id)
            .where(rule.condition)
            .order_by(staged.c.line)
            .limit(EXAMPLES_MAX)
        ).all()
        for line, words, _number in rows:
            run.report.advise(str(rule.title), file.file_name, line, words)
        if rows:
            run.report.advice[str(rule.title)].count = rows[0][2]
