"""Entries of imported reading lists whose issues are not certainly in the catalog.

They keep their positions among the issues of their list. When an issue that certainly matches is in the
catalog, the entry becomes an item: the daily job looks for it, and so does the next import into the list.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta

from sqlalchemy import Select, delete, insert, or_, select, update
from sqlalchemy.orm import Session, sessionmaker

from comicsdb import clock
from comicsdb.catalog import rules
from comicsdb.library.reading_lists import LockedList, expire_stamps, items, links
from comicsdb.library.transfer.matching import MatchQuery, match_rows
from comicsdb.models import Issue, PendingEntry, ReadingList
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import ID_COLUMNS
from comicsdb.values import split_name

BATCH = 500  # entries per transaction of the daily job
DAILY_MAX = 50_000  # entries that the daily job looks for
PAUSE = timedelta(hours=12)  # before an entry is looked for again
_FIELDS = (
    *("series", "number", "volume", "year_began", "year", "cover_date", "cover_date_precision"),
    *("publisher", "upc", "ids", "issue_type"),
)


def can_wait(query: MatchQuery) -> bool:
    """Whether an entry says enough to be found later: ids of ours that do not exist never will."""
    return bool(query.series or query.cv_id or query.gcd_id or query.upc or query.ids)


def values_of(query: MatchQuery) -> dict:
    """The columns of an entry."""
    main = {source: getattr(query, column) for source, column in ID_COLUMNS.items()}
    ids = [f"{source} {number}" for source, number in main.items() if number] + (
        [query.ids] if query.ids else []
    )
    return {
        "series": query.written or query.series,
        "number": query.number,
        "volume": query.volume,
        "year_began": query.year,
        "year": query.published,
        "cover_date": query.cover_date,
        "cover_date_precision": query.cover_date_precision,
        "publisher": query.publisher,
        "upc": query.upc,
        "ids": " ".join(ids),
    }


def ids_of(entry) -> dict[str, str]:
    """The ids of an entry by source."""
    words = entry.ids.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def query_of(entry: PendingEntry) -> MatchQuery:
    """The description by which the issue of an entry is looked for."""
    ids, (name, year, volume) = ids_of(entry), split_name(entry.series)
    main = {column: int(ids.pop(source, 0)) for source, column in ID_COLUMNS.items()}
    main = {column: number for column, number in main.items() if 0 < number <= INTEGER_MAX}
    return MatchQuery(
        series=name,
        number=entry.number,
        volume=volume if entry.volume is None else entry.volume,
        year=entry.year_began or year,
        publisher=entry.publisher,
        cover_date=entry.cover_date,
        cover_date_precision=entry.cover_date_precision,
        published=entry.year,
        upc=entry.upc,
        written=entry.series if name != entry.series else "",
        ids=" ".join(f"{source} {number}" for source, number in ids.items()),
        **main,
    )


def of_list(list_id: int) -> Select:
    """The entries of a list in their order."""
    entries = select(PendingEntry).where(PendingEntry.reading_list_id == list_id)
    return entries.order_by(PendingEntry.position, PendingEntry.id)


def in_order(listed: Iterable, entries: Iterable) -> Iterator:
    """The items of a list and its pending entries, both in their order, in the order of the whole list."""
    waiting, place = deque(entries), 0
    for item in listed:
        place += 1
        while waiting and waiting[0].position <= place:
            yield waiting.popleft()
            place += 1
        yield item
    yield from waiting


def add(
    locked: LockedList, sequence: Sequence[int | tuple[MatchQuery, dict]], present: Collection[int]
) -> tuple[int, int]:
    """Add entries that were imported with the issues between them; returns how many are new and repeated.

    `sequence` has the ids of the issues, and the descriptions and values of entries. The issues `present`
    were in the list before; what is new comes after them.
    """
    if all(isinstance(part, int) for part in sequence):
        return 0, 0
    session, reading_list = locked
    before = session.scalars(of_list(reading_list.id)).all()
    seen = {_key({name: getattr(entry, name) for name in _FIELDS}) for entry in before}
    last = max((entry.position for entry in before), default=0)
    position, listed = max(len(present) + len(before), last), set(present)
    fresh, own, repeated = [], set(), 0
    for part in sequence:
        if isinstance(part, int):
            position += part not in listed
            listed.add(part)
            continue
        query, values = part
        row = values_of(query) | {"issue_type": values.get("issue_type", "")}
        key = _key(row)
        repeated += key in own
        own.add(key)
        if key not in seen:
            seen.add(key)
            position += 1
            added = {"added_on": values["added"]} if "added" in values else {"added_on": clock.now()}
            fresh.append(row | {"reading_list_id": reading_list.id, "position": position} | added)
    if fresh:
        session.execute(insert(PendingEntry), fresh)
        expire_stamps(session)
    return len(fresh), repeated


def _key(row: dict) -> tuple:
    return tuple(row[name] for name in _FIELDS)


def remove(locked: LockedList, ids: Collection[int]) -> int:
    """Remove entries of a list by their ids; returns how many."""
    session, reading_list = locked
    chosen = PendingEntry.reading_list_id == reading_list.id, PendingEntry.id.in_(ids)
    removed = session.execute(delete(PendingEntry).where(*chosen)).rowcount
    expire_stamps(session)
    return removed


def resolve(locked: LockedList) -> int:
    """Let entries of a list whose issues are in the catalog become items; returns how many."""
    entries = locked.session.scalars(of_list(locked.row.id)).all()
    return _become_items(locked, entries, _matches(locked.session, entries))


def resolve_all(factory: sessionmaker[Session]) -> int:
    """Let all entries whose issues are in the catalog become items, in batches: part of the daily job.

    Each entry is looked for once in PAUSE, those that have waited longest first.
    """
    resolved, since = 0, clock.now() - PAUSE
    due = or_(PendingEntry.tried_on.is_(None), PendingEntry.tried_on < since)
    for _batch in range(DAILY_MAX // BATCH):
        with factory() as session:
            order = (PendingEntry.tried_on.nulls_first(), PendingEntry.id)
            entries = session.scalars(select(PendingEntry).where(due).order_by(*order).limit(BATCH)).all()
            if not entries:
                break
            tried = update(PendingEntry).where(PendingEntry.id.in_([entry.id for entry in entries]))
            session.execute(
                tried.values(tried_on=clock.now()), execution_options={"synchronize_session": False}
            )
            matches = _matches(session, entries)
            by_list = defaultdict(list)
            for entry in entries:
                if entry.id in matches:
                    by_list[entry.reading_list_id].append(entry)
            session.commit()  # so that no rows of entries are locked before those of their lists
            for list_id in sorted(by_list):
                resolved += _resolve_list(session, list_id, matches)
                session.commit()
    return resolved


def _resolve_list(session: Session, list_id: int, matches: dict[int, int]) -> int:
    links.lock(session, links.with_neighbours(session, {list_id}))
    reading_list = session.get(ReadingList, list_id, populate_existing=True)
    if reading_list is None:
        return 0
    entries = session.scalars(of_list(list_id).execution_options(populate_existing=True)).all()
    return _become_items(LockedList(session, reading_list), entries, matches)


def _matches(session: Session, entries: Sequence[PendingEntry]) -> dict[int, int]:
    """The issues that certainly match, by the ids of entries."""
    found = match_rows(session, [(False, query_of(entry)) for entry in entries])
    return {entry.id: match.id for entry, match in zip(entries, found, strict=True) if match.id is not None}


def _become_items(locked: LockedList, entries: Sequence[PendingEntry], matches: dict[int, int]) -> int:
    """Replace entries, all of a list in their order, by the matching issues."""
    session, reading_list = locked
    existing = rules.existing_ids(session, Issue, matches.values())
    positions, types, gone, waiting = {}, {}, [], 0
    for entry in entries:
        issue_id = matches.get(entry.id)
        if issue_id not in existing:
            waiting += 1
            continue
        gone.append(entry.id)
        if issue_id not in positions:
            positions[issue_id], types[issue_id] = max(entry.position - waiting, 1), entry.issue_type
    if not gone:
        return 0
    session.execute(
        delete(PendingEntry).where(
            PendingEntry.reading_list_id == reading_list.id, PendingEntry.id.in_(gone)
        ),
        execution_options={"synchronize_session": False},
    )
    return items.insert_at(locked, positions, types)
