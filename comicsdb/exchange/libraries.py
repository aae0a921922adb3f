"""What accounts keep, out of a data set: read and judged as its other files, and stored.

It comes in with accounts alone. What an account lacks is stored as the set has it (`library_writing`). What
it has stays: the set fills in blanks, adds dates of reading and puts issues to the end of lists, as when the
account imports a file itself (`library.portable_store`). So a set may be imported again. Nothing but the rows
of one account is in memory.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import orjson
from sqlalchemy import select
from sqlalchemy.orm import selectinload

from comicsdb.exchange import library_writing
from comicsdb.exchange.library_format import (
    FILES,
    LIST_STARS,
    OWN_PULL,
    OWN_WISHES,
    Kept,
    entries,
    filled,
)
from comicsdb.exchange.run import Run
from comicsdb.exchange.staging import records
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists.links import BACK, is_free
from comicsdb.library.transfer.combine import Storing
from comicsdb.library.transfer.format import COLLECTION, ITEMS, LISTS, PULL, WISHES
from comicsdb.library.transfer.store import Chosen, store
from comicsdb.models import ReadingList, User
from comicsdb.security import Identity, identify

Identities = Callable[[int], Identity]  # by account
OFFICIAL = ""  # lists are their owners': nobody writes for the official account but itself
# Parts as the report names them, in its order.
REPORTED = {
    COLLECTION: "collection_items",
    LISTS: "reading_lists",
    ITEMS: ITEMS,
    LIST_STARS: LIST_STARS,
    PULL: "pull_lists",
    WISHES: "wish_lists",
}
_PARTS = (*REPORTED, OWN_PULL, OWN_WISHES)
_COLUMNS = "file, line, part, place, user_id, object_id, list_id, said"
# What must be there: the key that points, the part and the column it stands in, the file it points into.
_POINTERS = (
    ("user_id", _PARTS, "user_id", "users"),
    ("issue_id", (COLLECTION, ITEMS, WISHES), "object_id", "issues"),
    ("series_id", (PULL,), "object_id", "series"),
)
# What must be said once: the key, the parts, the column that holds it, and those within which it is one.
_ONCE = (
    ("issue_id", (COLLECTION, WISHES), "object_id", "part, user_id"),
    ("series_id", (PULL,), "object_id", "user_id"),
    ("id", (COLLECTION, LISTS), "said->>'id'", "part"),
    ("items", (ITEMS, WISHES), "said->>'id'", "part"),
    ("series", (PULL,), "said->>'id'", "part"),
    ("ratings", (LIST_STARS,), "said->>'id'", "part"),
    ("slug", (LISTS,), "said->>'slug'", "part"),
    ("name", (LISTS,), "said->>'name'", "user_id, said->>'attribution_source'"),
    ("items", (ITEMS,), "object_id", "line"),
    ("items", (ITEMS,), "said->>'order'", "line"),
    ("ratings", (LIST_STARS,), "user_id", "line"),
)


def stage(run: Run) -> None:
    """Read the files into one temporary table; says in the report what is left without accounts."""
    run.cursor.execute(
        "CREATE TEMP TABLE staged_library (file text, line integer, part text, place integer,"
        " user_id integer, object_id integer, list_id integer, said jsonb) ON COMMIT DROP"
    )
    for file in FILES:
        path = run.folder / file.file_name
        if path.is_file() and not run.accounts:
            run.report.left.append(f"{file.file_name} (only with accounts)")
        elif path.is_file():
            _copy(run, file)
    run.cursor.execute("CREATE INDEX ON staged_library (user_id)")
    run.cursor.execute("ANALYZE staged_library")


def _copy(run: Run, file: Kept) -> None:
    with run.cursor.copy(f"COPY staged_library ({_COLUMNS}) FROM STDIN") as copy:
        for line, record in records(run.folder, file, run.problems, run.progress):

            def wrong(key: str, what: str, line=line) -> None:
                run.problems.add(file.file_name, line, key, what)

            def unknown(key: str, line=line) -> None:
                run.report.advise("unknown field, not read", file.file_name, line, key)

            for each in entries(file, record, wrong, unknown):
                if each.part in REPORTED:
                    run.report.count(REPORTED[each.part], "read")
                said = orjson.dumps(each.said).decode()
                about = (each.part, each.place, each.user_id, each.object_id, each.list_id)
                copy.write_row((file.file_name, line, *about, said))


def check(run: Run) -> None:
    """Note ids that point nowhere, and what is said twice."""
    for key, parts, column, target in _POINTERS:
        run.cursor.execute(
            f"SELECT s.file, s.line, s.{column} FROM staged_library s WHERE s.part = ANY(%s)"
            f" AND NOT EXISTS (SELECT FROM staged_{target} t WHERE t.id = s.{column})"
            " ORDER BY 1, 2, 3 LIMIT %s",
            (list(parts), run.problems.room),
        )
        for file, line, missing in dict.fromkeys(run.cursor.fetchall()):
            if not run.problems.is_broken(target, missing):
                run.problems.add(file, line, key, f"{target}.jsonl has no id {missing}")
    for side in BACK:
        run.cursor.execute(
            f"SELECT s.file, s.line, s.said->>'{side}_id' FROM staged_library s WHERE s.part = %s"
            f" AND s.said->>'{side}_id' IS NOT NULL AND NOT EXISTS (SELECT FROM staged_library t"
            f" WHERE t.part = s.part AND t.object_id = (s.said->>'{side}_id')::integer)"
            " ORDER BY 1, 2 LIMIT %s",
            (LISTS, run.problems.room),
        )
        for file, line, missing in run.cursor.fetchall():
            run.problems.add(file, line, f"{side}_id", f"{file} has no id {missing}")
    run.cursor.execute(
        "SELECT s.file, s.line FROM staged_library s WHERE s.part = %s AND (s.said->>'id' IN"
        " (s.said->>'previous_id', s.said->>'next_id') OR s.said->>'previous_id' = s.said->>'next_id')"
        " ORDER BY 2 LIMIT %s",
        (LISTS, run.problems.room),
    )
    for file, line in run.cursor.fetchall():
        run.problems.add(file, line, "next_id", "the list, the one before it and the one after it are three")
    for key, parts, column, within in _ONCE:
        run.cursor.execute(
            f"SELECT file, line, earlier, value FROM (SELECT file, line, {column} AS value,"
            " row_number() OVER w AS n, first_value(line) OVER w AS earlier FROM staged_library"
            f" WHERE part = ANY(%s) AND {column} IS NOT NULL"
            f" WINDOW w AS (PARTITION BY {within}, {column} ORDER BY line, place)) x"
            " WHERE n > 1 ORDER BY 1, 2 LIMIT %s",
            (list(parts), run.problems.room),
        )
        for file, line, earlier, value in run.cursor.fetchall():
            run.problems.add(file, line, key, f"{value} was used on line {earlier} already")


def store_all(run: Run) -> None:
    """Store what was read: what accounts lack, then account by account what is put together with theirs."""
    library_writing.find(run)
    new = library_writing.write_new(run)
    changed: Counter = Counter()
    identity_of = cache(lambda user_id: _identity(run, user_id))
    run.cursor.execute(
        "SELECT DISTINCT user_id FROM staged_library WHERE found AND part = ANY(%s) ORDER BY 1",
        ([COLLECTION, WISHES, LISTS, ITEMS],),
    )
    for (user_id,) in run.cursor.fetchall():
        changed += _merge(run, identity_of(user_id))
    changed[COLLECTION] += _fill_stars(run)
    _tie(run, identity_of)
    library_writing.restore_stamps(run)
    _report(run, new, changed)


def _identity(run: Run, user_id: int) -> Identity:
    """The account with the rights of the staff, who imports it: it may say where a list was taken from."""
    user = run.session.scalar(select(User).options(selectinload(User.groups)).where(User.id == user_id))
    return replace(identify(user, "import"), is_staff=True)


def _merge(run: Run, identity: Identity) -> Counter:
    """Put together what an account has and what the set says of the same; counts what changed, by part."""
    run.cursor.execute(
        "SELECT part, object_id, list_id, said FROM staged_library WHERE user_id = %s AND found"
        " AND part = ANY(%s) ORDER BY file, line, (said->>'order')::integer, place",
        (identity.user_id, [COLLECTION, WISHES, LISTS, ITEMS]),
    )
    found = [(part, about, list_id, filled(said)) for part, about, list_id, said in run.cursor.fetchall()]
    lists = {about: said for part, about, _list, said in found if part == LISTS}
    places = {each: place for place, each in enumerate(lists)}
    rows = [
        Chosen(part, about, {name: said[name] for name in said.keys() - {"rating"}}, places.get(list_id))
        for part, about, list_id, said in found
        if part != LISTS
    ]
    storing = Storing(run.session, identity, OFFICIAL, take_file=False, add_up=False, today=run.today)
    names = {f"{side}_id" for side in BACK}  # neighbours may be of other accounts: they come at the end
    words = [{name: said[name] for name in said.keys() - names} for said in lists.values()]
    counted = store(storing, rows, words)
    return Counter({part: counted[f"{part}_added"] + counted[f"{part}_changed"] for part in REPORTED})


def _fill_stars(run: Run) -> int:
    """Items of before that have no stars get those of the set; gives how many did."""
    run.cursor.execute(
        "UPDATE collection_item c SET rating = (s.said->>'rating')::smallint, modified_before = c.modified,"
        " modified = greatest(clock_timestamp(), c.modified + interval '1 microsecond')"
        " FROM staged_library s WHERE s.part = %s AND s.found AND c.id = s.db_id"
        " AND c.rating IS NULL AND s.said->>'rating' IS NOT NULL",
        (COLLECTION,),
    )
    return run.cursor.rowcount


def _report(run: Run, new: dict[str, int], changed: Counter) -> None:
    for part, name in REPORTED.items():
        counts = run.report.counts[name]
        counts["new"] = new[part] + (changed.pop(ITEMS, 0) if part == ITEMS else 0)
        counts["changed"] = min(changed[part], counts["read"] - counts["new"])
        counts["unchanged"] = counts["read"] - counts["new"] - counts["changed"]


def _tie(run: Run, identity_of: Identities) -> None:
    """Give lists the neighbours of the set where either was there before, if nothing stands in the way.

    They must have none there, and their owners may see them.
    """
    run.cursor.execute(
        "SELECT s.user_id, s.db_id, p.db_id, n.db_id FROM staged_library s"
        " LEFT JOIN staged_library p ON p.part = s.part AND p.object_id = (s.said->>'previous_id')::integer"
        " LEFT JOIN staged_library n ON n.part = s.part AND n.object_id = (s.said->>'next_id')::integer"
        " WHERE s.part = %s AND (p.found OR n.found OR s.found AND coalesce(p.db_id, n.db_id) > 0)"
        " ORDER BY s.line",
        (LISTS,),
    )
    for user_id, list_id, *partners in run.cursor.fetchall():
        identity = identity_of(user_id)
        found = reading_lists.find(run.session, identity, OFFICIAL, list_id)
        visible = reading_lists.visible_to(identity, OFFICIAL)
        for side, partner in zip(BACK, partners, strict=True):
            taken = {found.id, found.previous_id, found.next_id}
            if partner is None or partner in taken or not is_free(run.session, found, side, partner):
                continue
            if run.session.scalar(select(ReadingList.id).where(ReadingList.id == partner, visible)):
                found = reading_lists.update(run.session, identity, OFFICIAL, found, {side: partner})
