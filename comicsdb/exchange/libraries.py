"""What accounts keep, out of a data set: read and judged as its other files, stored by the library itself.

It comes in with accounts alone, for each as if its owner imported it (`library.portable_store`): what an
account has stays as it is, and what it lacks is added. So a set may be imported again. Nothing but the rows
of one account is in memory.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache

import orjson
from sqlalchemy import select
from sqlalchemy.orm import selectinload

from comicsdb.exchange.library_format import FILES, LIST_STARS, Kept, entries
from comicsdb.exchange.run import Run
from comicsdb.exchange.staging import records
from comicsdb.library import list_ratings, reading_lists
from comicsdb.library.portable import COLLECTION, ITEMS, LISTS, PULL, WISHES
from comicsdb.library.portable_merge import Storing
from comicsdb.library.portable_store import Chosen, store
from comicsdb.library.reading_list_links import BACK, is_free
from comicsdb.models import ReadingList, ReadingListRating, User
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
_COLUMNS = "file, line, part, place, user_id, object_id, list_id, said"
# What must be there: the key that points, the part and the column it stands in, the file it points into.
_POINTERS = (
    ("user_id", tuple(REPORTED), "user_id", "users"),
    ("issue_id", (COLLECTION, ITEMS, WISHES), "object_id", "issues"),
    ("series_id", (PULL,), "object_id", "series"),
)
# What must be said once: the key, the parts, the column that holds it, and those within which it is one.
_ONCE = (
    ("issue_id", (COLLECTION, WISHES), "object_id", "part, user_id"),
    ("series_id", (PULL,), "object_id", "user_id"),
    ("id", (LISTS,), "object_id", "part"),
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
            f" AND s.said ? '{side}_id' AND NOT EXISTS (SELECT FROM staged_library t WHERE t.part = s.part"
            f" AND t.object_id = (s.said->>'{side}_id')::integer) ORDER BY 1, 2 LIMIT %s",
            (LISTS, run.problems.room),
        )
        for file, line, missing in run.cursor.fetchall():
            run.problems.add(file, line, f"{side}_id", f"{file} has no id {missing}")
    for key, parts, column, within in _ONCE:
        run.cursor.execute(
            f"SELECT file, line, earlier, value FROM (SELECT file, line, {column} AS value,"
            " row_number() OVER w AS n, first_value(line) OVER w AS earlier FROM staged_library"
            f" WHERE part = ANY(%s) WINDOW w AS (PARTITION BY {within}, {column} ORDER BY line, place)) x"
            " WHERE n > 1 ORDER BY 1, 2 LIMIT %s",
            (list(parts), run.problems.room),
        )
        for file, line, earlier, value in run.cursor.fetchall():
            run.problems.add(file, line, key, f"{value} was used on line {earlier} already")


def store_all(run: Run, today: date) -> None:
    """Store what was read, account by account; `today` tells issues that are out, which alone have stars."""
    run.cursor.execute(
        "SELECT u.db_id FROM staged_users u WHERE EXISTS"
        " (SELECT FROM staged_library s WHERE s.user_id = u.id) ORDER BY 1"
    )
    owners = [each for (each,) in run.cursor]
    made: dict[int, int] = {}  # reading lists: ids of the set and of the database
    identity_of = cache(lambda user_id: _identity(run, user_id))
    for user_id in owners:
        _store_account(run, identity_of(user_id), today, made)
    _tie(run, identity_of, made)
    _store_list_stars(run, identity_of, made)


def _identity(run: Run, user_id: int) -> Identity:
    """The account with the rights of the staff, who imports it: it may say where a list was taken from."""
    user = run.session.scalar(select(User).options(selectinload(User.groups)).where(User.id == user_id))
    return replace(identify(user, "import"), is_staff=True)


def _store_account(run: Run, identity: Identity, today: date, made: dict[int, int]) -> None:
    user_id = identity.user_id
    run.cursor.execute(
        "SELECT s.part, coalesce(i.db_id, r.db_id, s.object_id), s.list_id, s.said FROM staged_library s"
        " JOIN staged_users u ON u.id = s.user_id"
        " LEFT JOIN staged_series r ON s.part = %s AND r.id = s.object_id"
        " LEFT JOIN staged_issues i ON s.part = ANY(%s) AND i.id = s.object_id"
        " WHERE u.db_id = %s AND s.part <> %s"
        " ORDER BY s.file, s.line, (s.said->>'order')::integer, s.place",
        (PULL, [COLLECTION, ITEMS, WISHES], user_id, LIST_STARS),
    )
    found = run.cursor.fetchall()
    lists = {object_id: said for part, object_id, _list, said in found if part == LISTS}
    places = {each: place for place, each in enumerate(lists)}
    rows = [
        Chosen(part, object_id, said, None if list_id is None else places[list_id])
        for part, object_id, list_id, said in found
        if part != LISTS
    ]
    storing = Storing(run.session, identity, OFFICIAL, take_file=False, add_up=False, today=today)
    names = {f"{side}_id" for side in BACK}  # neighbours may be of other accounts: they come at the end
    words = [{name: said[name] for name in said.keys() - names} for said in lists.values()]
    counted = store(storing, rows, words)
    _report(run, Counter(part for part, *_rest in found), counted)
    run.report.early += counted["early"]
    for each, said in lists.items():
        made[each] = run.session.scalar(
            select(ReadingList.id).where(
                ReadingList.user_id == user_id,
                ReadingList.name == said["name"],
                ReadingList.attribution_source == said.get("attribution_source", ""),
            )
        )


def _report(run: Run, read: Counter, counted: Counter) -> None:
    for part, number in read.items():
        new, changed = counted[f"{part}_added"], counted[f"{part}_changed"]
        run.report.count(REPORTED[part], "new", new)
        run.report.count(REPORTED[part], "changed", changed)
        run.report.count(REPORTED[part], "unchanged", number - new - changed)


def _tie(run: Run, identity_of: Identities, made: dict[int, int]) -> None:
    """Give lists the neighbours of the set where they have none and their owners may see them."""
    run.cursor.execute(
        "SELECT u.db_id, s.object_id, s.said FROM staged_library s JOIN staged_users u ON u.id = s.user_id"
        " WHERE s.part = %s AND s.said ?| %s ORDER BY s.line",
        (LISTS, [f"{side}_id" for side in BACK]),
    )
    for user_id, object_id, said in run.cursor.fetchall():
        identity = identity_of(user_id)
        found = reading_lists.find(run.session, identity, OFFICIAL, made[object_id])
        visible = reading_lists.visible_to(identity, OFFICIAL)
        for side in BACK:
            partner = made.get(said.get(f"{side}_id"))
            taken = {found.id, found.previous_id, found.next_id}
            if partner is None or partner in taken or not is_free(run.session, found, side, partner):
                continue
            if run.session.scalar(select(ReadingList.id).where(ReadingList.id == partner, visible)):
                found = reading_lists.update(run.session, identity, OFFICIAL, found, {side: partner})


def _store_list_stars(run: Run, identity_of: Identities, made: dict[int, int]) -> None:
    """Give the lists of others the stars of the set, where the account gave none yet.

    Those for own lists and for private ones are left out.
    """
    run.cursor.execute(
        "SELECT u.db_id, s.object_id, (s.said->>'rating')::integer FROM staged_library s"
        " JOIN staged_users u ON u.id = s.user_id WHERE s.part = %s ORDER BY s.line, s.place",
        (LIST_STARS,),
    )
    stars_of = ReadingListRating
    for user_id, object_id, stars in run.cursor.fetchall():
        rated = run.session.get_one(ReadingList, made[object_id])
        given = select(stars_of.id).where(stars_of.reading_list_id == rated.id, stars_of.user_id == user_id)
        if rated.is_private or rated.user_id == user_id or run.session.scalar(given):
            run.report.count(LIST_STARS, "unchanged")
            continue
        list_ratings.rate(run.session, identity_of(user_id), OFFICIAL, rated, stars)
        run.report.count(LIST_STARS, "new")
