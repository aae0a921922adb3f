"""Import of the libraries of accounts: collections, reading lists, pull lists and wish lists.

Missing rows are stored as given, with the ids of the set if the table was empty. Existing rows keep their
values: the set only fills in blank ones, adds read dates and appends issues to lists, so it can be imported
again. Nothing is derived: a collection item's rating is stored as given, and the account's rating of the
issue comes from its own file.
"""

from collections.abc import Iterable
from functools import cache

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from comicsdb.exchange.format import (
    BY_NAME,
    COLLECTION_ITEMS,
    LIBRARY,
    PULL_LISTS,
    READING_LISTS,
    WISH_LIST_ITEMS,
    WISH_LISTS,
    File,
)
from comicsdb.exchange.matching import assign_ids, free_slugs, map_references, match_columns
from comicsdb.exchange.run import ImportRun
from comicsdb.exchange.storing import insert
from comicsdb.library import collection, reading_lists
from comicsdb.library.reading_lists.links import OPPOSITE, is_free
from comicsdb.library.transfer.storing import WISH_FIELDS, update_statement
from comicsdb.models import ReadingList, User
from comicsdb.security import Identity, make_identity

# The items in the database, each numbered among its owner's items of the same issue.
_COPIES = (
    "(SELECT *, row_number() OVER (PARTITION BY user_id, issue_id ORDER BY id) AS copy FROM collection_item)"
)
OFFICIAL = ""  # no account counts as the official one: each list is written as its owner's


def store(run: ImportRun) -> None:
    """Store the libraries of the set and count new, changed and unchanged rows."""
    for file in LIBRARY:
        map_references(run, file)
    _add_older_reads(run)
    for file in LIBRARY:
        if file.owner:
            run.cursor.execute(
                f"UPDATE {file.staged} s SET {file.parent} = p.db_id FROM {BY_NAME[file.owner].staged} p"
                " WHERE p.line = s.line"
            )
        match_columns(run, file, _COPIES if file is COLLECTION_ITEMS else "")
        _assign_ids(run, file)
    free_slugs(run, READING_LISTS, lambda _slug, list_id: _slugs_for(run, list_id))
    for file in LIBRARY:
        insert(run, file)
    changed = {
        COLLECTION_ITEMS: _update(run, COLLECTION_ITEMS, (*collection.FIELDS, "rating"))
        | run.ids(
            "SELECT s.db_id FROM staged_collection_items s JOIN staged_read_dates r"
            " ON r.user_id = s.user_id AND r.issue_id = s.issue_id WHERE s.found AND NOT r.found"
        ),
        WISH_LIST_ITEMS: _update(run, WISH_LIST_ITEMS, WISH_FIELDS),
    }
    _set_neighbours(run)
    run.cursor.execute(
        "UPDATE reading_list l SET forked_from_id = o.db_id FROM staged_reading_lists s"
        " JOIN staged_reading_lists o ON o.id = s.forked_from_id WHERE NOT s.found AND l.id = s.db_id"
    )
    _restore_stamps(run)
    for file in filter(lambda file: file.reported, LIBRARY):
        counts = run.report.counts[file.reported]
        counts["changed"] = len(changed.get(file, ()))
        counts["unchanged"] = counts["read"] - counts["new"] - counts["changed"]


def _assign_ids(run: ImportRun, file: File) -> None:
    """Assign ids to new rows: those of the set, if it has any and the table is empty."""
    if run.rows(f"SELECT FROM {file.kind} LIMIT 1"):
        assign_ids(run, file)
        return
    run.cursor.execute(
        f"SELECT setval(pg_get_serial_sequence('{file.kind}', 'id'), max(id)) FROM {file.staged}"
        " HAVING max(id) IS NOT NULL"
    )
    assign_ids(run, file, "db_id IS NULL")


def _slugs_for(run: ImportRun, list_id: int) -> Iterable[str]:
    [(name, private)] = run.rows("SELECT name, is_private FROM staged_reading_lists WHERE id = %s", list_id)
    return reading_lists.slugs_for(run.session, name, list_id, private=private)


def _update(run: ImportRun, file: File, names: Iterable[str]) -> set[int]:
    """Fill in blank values of matched rows; returns the ids of changed rows."""
    return run.ids(update_statement(file.model, names, f"{file.staged} s", "s.found AND s.db_id = t.id"))


def _add_older_reads(run: ImportRun) -> None:
    """Stage the reads that older sets store with items; undated ones if an item only has `is_read`."""
    columns = "INSERT INTO staged_read_dates (line, user_id, issue_id, read_on, created_on)"
    run.cursor.execute(
        f"{columns} SELECT line, user_id, issue_id, moment, clock_timestamp()"
        " FROM staged_collection_items, unnest(read_dates) AS moment"
    )
    run.cursor.execute(
        f"{columns} SELECT DISTINCT ON (user_id, issue_id) line, user_id, issue_id, NULL::timestamptz,"
        " created_on FROM staged_collection_items s WHERE is_read"
        " AND NOT EXISTS (SELECT FROM staged_read_dates WHERE (user_id, issue_id) = (s.user_id, s.issue_id))"
        " AND NOT EXISTS (SELECT FROM read_date WHERE (user_id, issue_id) = (s.user_id, s.issue_id))"
        " ORDER BY user_id, issue_id, line"
    )


def _set_neighbours(run: ImportRun) -> None:
    """Set the previous and next lists.

    Between new lists they are set as given. If either list existed before, they are set only if both sides
    are free and the owner may see the other list.
    """
    for side in ("previous_id", "next_id"):
        run.cursor.execute(
            f"UPDATE reading_list l SET {side} = n.db_id FROM staged_reading_lists s"
            f" JOIN staged_reading_lists n ON n.id = s.{side} AND NOT n.found"
            " WHERE NOT s.found AND l.id = s.db_id"
        )
    identity_of = cache(lambda user_id: _identity(run, user_id))
    for user_id, list_id, *partners in run.rows(
        "SELECT s.user_id, s.db_id, p.db_id, n.db_id FROM staged_reading_lists s"
        " LEFT JOIN staged_reading_lists p ON p.id = s.previous_id"
        " LEFT JOIN staged_reading_lists n ON n.id = s.next_id"
        " WHERE p.found OR n.found OR s.found AND coalesce(p.db_id, n.db_id) > 0 ORDER BY s.line"
    ):
        identity = identity_of(user_id)
        found = reading_lists.find(run.session, identity, OFFICIAL, list_id)
        visible = reading_lists.visible_to(identity, OFFICIAL)
        for side, partner in zip(OPPOSITE, partners, strict=True):
            taken = {found.id, found.previous_id, found.next_id}
            if partner is None or partner in taken or not is_free(run.session, found, side, partner):
                continue
            if run.session.scalar(select(ReadingList.id).where(ReadingList.id == partner, visible)):
                found = reading_lists.update(run.session, identity, OFFICIAL, found, {side: partner})


def _identity(run: ImportRun, user_id: int) -> Identity:
    """The identity of an account, with staff rights, so that the import can set the source of a list."""
    user = run.session.scalar(select(User).options(selectinload(User.groups)).where(User.id == user_id))
    return make_identity(user, "import")._replace(is_staff=True)


def _restore_stamps(run: ImportRun) -> None:
    """Reset the stamps of new lists to those of the set, as triggers on their items have changed them."""
    for file in (PULL_LISTS, WISH_LISTS, READING_LISTS):
        run.cursor.execute(
            f"UPDATE {file.kind} t SET modified = s.modified, modified_before = NULL"
            f" FROM {file.staged} s WHERE NOT s.found AND t.id = s.db_id"
        )
    run.cursor.execute(
        "UPDATE reading_list t SET rated = (SELECT max(created_on) FROM reading_list_rating"
        " WHERE reading_list_id = t.id), rated_before = NULL"
        " FROM staged_reading_lists s WHERE NOT s.found AND t.id = s.db_id"
    )
