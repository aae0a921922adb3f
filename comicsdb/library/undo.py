"""Undoing an act of an account: its rows get their former values, unless they have been changed since.

Each table is restored by a few statements for all rows. A column is only reset if it still has the value that
the act gave it. Derived values (stamps, figures, positions) are recomputed. An undo is itself an act, so it
can be undone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from sqlalchemy import Table, UniqueConstraint, select, text, update
from sqlalchemy.orm import Session, selectinload, sessionmaker

from comicsdb import clock
from comicsdb.catalog.kinds import KINDS
from comicsdb.library import acts, ratings, reading_lists
from comicsdb.library.locks import find_row, lock_account
from comicsdb.library.reading_lists import links
from comicsdb.models import (
    CollectionItem,
    FormerSlug,
    LibraryAct,
    PendingEntry,
    PullListSeries,
    ReadDate,
    ReadingList,
    ReadingListItem,
    ReadingListLike,
    ReadingListRating,
    User,
    WishListItem,
)
from comicsdb.security import SESSION, Identity, make_identity

KIND = LibraryAct.__tablename__
# The tables in the order in which rows are added; `ratings.rate_issues` restores the ratings of issues.
TABLES: tuple[Table, ...] = tuple(
    model.__table__
    for model in (
        *(ReadingList, CollectionItem, ReadDate, PullListSeries),
        *(WishListItem, ReadingListItem, PendingEntry, ReadingListRating, ReadingListLike),
    )
)
LISTS, ITEMS = ReadingList.__tablename__, ReadingListItem.__tablename__
PENDING = PendingEntry.__tablename__
# Columns that are not restored but recomputed.
STAMPS = ("modified", "modified_before")
DERIVED = {
    CollectionItem.__tablename__: ("is_read", "date_read", "rating"),
    LISTS: ("rated", "rated_before", "rating_count", "rating_sum", "like_count"),
    ITEMS: ("order",),
    PENDING: ("tried_on",),
}
LARGE = 10_000  # acts that changed this many rows are undone in the background
DONE, GONE = "done", "gone"  # outcomes; rows without one of these were changed since, or exist again


@dataclass(frozen=True)
class UndoResult:
    """The number of rows that were restored, and of those that stay as they are.

    The latter were `changed` since or exist again, or something they refer to was deleted (`gone`).
    """

    restored: int
    changed: int
    gone: int


def undo(session: Session, identity: Identity, official: str, act_id: int, *, today: date) -> UndoResult:
    """Undo an act of an account, as far as possible.

    Raises NotFoundError for an act that is too old, already undone or of another account. If nothing can be
    undone, nothing is changed.
    """
    lock_account(session, identity.user_id)
    _find(session, identity.user_id, act_id)
    tables = _collect(session, act_id)
    _follow_variants(session, tables)
    _follow_merges(session, tables)
    _check_lists(session, identity, official)
    with session.begin_nested() as savepoint:
        acts.begin_as(session, identity.user_id, acts.UNDO, undoes_id=act_id)
        _restore(session, tables)
        _rate(session, identity.user_id, today)
        session.expire_all()
        outcomes = text("SELECT outcome, count(*) FROM undoing GROUP BY outcome")
        found = dict(session.execute(outcomes).all())
        restored = found.get(DONE, 0)
        if restored:
            undone = text("UPDATE library_act SET undone = :now WHERE id = :act")
            session.execute(undone, {"now": clock.now(), "act": act_id})
        else:
            savepoint.rollback()
    gone = found.get(GONE, 0)
    return UndoResult(restored, changed=sum(found.values()) - restored - gone, gone=gone)


def queue_if_large(session: Session, user_id: int, act_id: int) -> bool:
    """Queue an act for the background thread if it is large; returns whether it is. Raises NotFoundError."""
    act = _find(session, user_id, act_id)
    if sum(act.counts.values()) < LARGE:
        return False
    act.undo_asked = clock.now()
    session.flush()
    return True


def undo_queued(factory: sessionmaker[Session], settings: Mapping) -> bool:
    """Undo the large act that has waited longest, in one transaction; False if there is none.

    Others go first at the next call if that fails, for whatever reason.
    """
    with factory() as session:
        session.execute(text("SET LOCAL statement_timeout = 0"))
        session.execute(text("SET LOCAL jit = off"))
        asked = select(LibraryAct).where(
            LibraryAct.undo_asked.is_not(None), LibraryAct.at > acts.undoable_since()
        )
        asked = asked.order_by(LibraryAct.undo_asked).limit(1).with_for_update(skip_locked=True)
        act = session.scalar(asked)
        if act is None:
            return False
        act_id, act.undo_asked = act.id, None
        owner = select(User).where(User.id == act.user_id).options(selectinload(User.groups))
        identity = make_identity(session.scalars(owner).one(), SESSION)
        today = clock.business_day(settings["comicsdb.timezone"])
        try:
            undo(session, identity, settings["comicsdb.official_account"], act_id, today=today)
            session.commit()
        except Exception:
            session.rollback()
            last = update(LibraryAct).where(LibraryAct.id == act_id, LibraryAct.undo_asked.is_not(None))
            session.execute(last.values(undo_asked=clock.now()))
            session.commit()
            raise
    return True


def _find(session: Session, user_id: int, act_id: int) -> LibraryAct:
    rows = select(LibraryAct).where(
        LibraryAct.user_id == user_id, LibraryAct.undone.is_(None), LibraryAct.at > acts.undoable_since()
    )
    return find_row(session, rows.with_for_update(), LibraryAct.id, act_id, KIND)


def _collect(session: Session, act_id: int) -> list[Table]:
    """Fill the temporary table `undoing` with one row for each row that the act changed, once or repeatedly.

    `outcome` is null until it is known. Returns those of TABLES that have such rows, in their order.
    """
    for statement in (
        "DROP TABLE IF EXISTS pg_temp.undoing",
        f"""
        CREATE TEMP TABLE undoing ON COMMIT DROP AS
        SELECT table_name, row_id, min(issue_id) AS issue_id, min(list_id) AS list_id,
            bool_or(before IS NULL) AS added, bool_or(after IS NULL) AS removed,
            (array_agg(before ORDER BY id))[1] AS before, (array_agg(after ORDER BY id DESC))[1] AS after,
            CAST(NULL AS text) AS outcome
        FROM library_change WHERE act_id = {act_id} GROUP BY table_name, row_id
        HAVING NOT (bool_or(before IS NULL) AND bool_or(after IS NULL))
        """,
        "CREATE INDEX ON pg_temp.undoing (table_name, row_id)",
        "ANALYZE undoing",
    ):
        session.execute(text(statement))
    changed = set(session.scalars(text("SELECT DISTINCT table_name FROM undoing")))
    return [table for table in TABLES if table.name in changed]


def _follow_variants(session: Session, tables: list[Table]) -> None:
    """Let rows that get a variant back follow it to its issue, as others did when it went there.

    The variants are locked, so that none goes to another issue until the rows are restored.
    """
    changed = "u.before -> 'variant_id' IS DISTINCT FROM u.after -> 'variant_id'"
    for table in (each for each in tables if "variant_id" in each.columns):
        of_table = f"u.table_name = '{table.name}' AND NOT u.added"
        session.execute(  # a row may have followed the variant that it loses
            text(
                "UPDATE undoing u SET after = u.after || jsonb_build_object('issue_id', t.issue_id)"
                f" FROM {table.name} t WHERE {of_table} AND NOT u.removed AND {changed} AND t.id = u.row_id"
            )
        )
        session.execute(
            text(
                "UPDATE undoing u SET before = u.before || jsonb_build_object('issue_id', v.issue_id),"
                " issue_id = v.issue_id FROM ("
                "SELECT id, issue_id FROM variant WHERE id IN (SELECT (u.before ->> 'variant_id')::integer"
                f" FROM undoing u WHERE {of_table}) ORDER BY id FOR KEY SHARE"
                f") v WHERE {of_table} AND (u.removed OR {changed})"
                " AND (u.before ->> 'variant_id')::integer = v.id"
            )
        )


def _follow_merges(session: Session, tables: list[Table]) -> None:
    """Redirect rows to the survivors of merged objects, and clear references to deleted ones."""
    session.execute(
        text(
            "UPDATE undoing u SET issue_id = t.survivor_id FROM tombstone t"
            " WHERE t.kind = 'issue' AND t.object_id = u.issue_id AND t.survivor_id IS NOT NULL"
        )
    )
    for table in tables:
        for column, target in _references(table):
            said = f"(u.before ->> '{column.name}')::integer"
            for side in ("before", "after") if target in KINDS else ():
                session.execute(
                    text(
                        f"UPDATE undoing u SET {side} = u.{side}"
                        f" || jsonb_build_object('{column.name}', t.survivor_id)"
                        f" FROM tombstone t WHERE u.table_name = '{table.name}' AND t.kind = '{target}'"
                        f" AND t.object_id = (u.{side} ->> '{column.name}')::integer"
                        " AND t.survivor_id IS NOT NULL"
                    )
                )
            cleared = (
                f"before = u.before || '{{\"{column.name}\": null}}'"
                if column.nullable
                else f"outcome = '{GONE}'"
            )
            session.execute(
                text(
                    f"UPDATE undoing u SET {cleared} WHERE u.table_name = '{table.name}'"
                    f" AND {said} IS NOT NULL AND NOT EXISTS (SELECT FROM {target} WHERE id = {said})"
                    " AND NOT EXISTS (SELECT FROM undoing o"
                    f" WHERE o.table_name = '{target}' AND o.removed AND o.row_id = {said})"
                )
            )


def _references(table: Table) -> list:
    """The columns that refer to other tables, with the names of these tables."""
    return [(column, key.column.table.name) for column in table.columns for key in column.foreign_keys]


def _check_lists(session: Session, identity: Identity, official: str) -> None:
    """Lock the affected reading lists; lists that the account may not change stay as they are.

    So do lists whose names are now used by others. Slugs that are now used by others are replaced.
    """
    rows = session.scalars(text("SELECT DISTINCT list_id FROM undoing WHERE list_id IS NOT NULL"))
    ids = set(rows.all())
    if not ids:
        return
    links.lock(session, links.with_neighbours(session, ids))
    managed = reading_lists.manageable_by(identity, official)
    foreign = session.scalars(select(ReadingList.id).where(ReadingList.id.in_(ids), ~managed)).all()
    session.execute(
        text(
            f"UPDATE undoing SET outcome = '{GONE}'"
            f" WHERE table_name IN ('{LISTS}', '{ITEMS}', '{PENDING}') AND list_id = ANY(:foreign)"
        ),
        {"foreign": list(foreign)},
    )
    # A list of this name has been created in the meantime.
    session.execute(
        text(
            "UPDATE undoing u SET outcome = 'again' FROM reading_list l"
            f" WHERE u.table_name = '{LISTS}' AND u.before ? 'name' AND l.id <> u.row_id"
            " AND l.name = u.before ->> 'name' AND l.user_id = coalesce((u.before ->> 'user_id')::integer,"
            " (SELECT user_id FROM reading_list WHERE id = u.row_id))"
            " AND l.attribution_source = coalesce(u.before ->> 'attribution_source',"
            " (SELECT attribution_source FROM reading_list WHERE id = u.row_id))"
        )
    )
    removed = text(
        f"SELECT row_id, before ->> 'name' AS name, before ->> 'slug' AS slug,"
        f" coalesce((before ->> 'is_private')::boolean, l.is_private) AS private, l.name AS now"
        f" FROM undoing u LEFT JOIN reading_list l ON l.id = u.row_id"
        f" WHERE table_name = '{LISTS}' AND before ? 'slug' AND outcome IS NULL"
        " AND EXISTS (SELECT FROM reading_list o WHERE o.slug = before ->> 'slug' AND o.id <> row_id)"
    )
    for row in session.execute(removed).all():
        slug = next(reading_lists.slugs_for(session, row.name or row.now, row.row_id, private=row.private))
        session.execute(
            text(
                "UPDATE undoing SET before = before || jsonb_build_object('slug', CAST(:slug AS text))"
                f" WHERE table_name = '{LISTS}' AND row_id = :id"
            ),
            {"slug": slug, "id": row.row_id},
        )


# Restoring rows.


def _restore(session: Session, tables: list[Table]) -> None:
    """Restore all rows; positions in lists are compared first, and restored once all items exist."""
    session.execute(text("SET CONSTRAINTS uq_reading_list_item_reading_list_id_order DEFERRED"))
    for table in tables:
        if table.name != LISTS:
            _put_back_values(session, table)
    for table in reversed(tables):
        _remove_added(session, table)
    for table in tables:
        _add_removed(session, table)
    if ReadingList.__table__ in tables:
        _put_back_values(session, ReadingList.__table__)  # now their neighbours exist again
    session.execute(text(_RESTORE_POSITIONS))
    session.execute(text("SET CONSTRAINTS uq_reading_list_item_reading_list_id_order IMMEDIATE"))
    session.execute(text(_DELETE_FORMER_SLUGS))


def _restored_columns(table: Table) -> list[str]:
    """The columns to restore."""
    without = (*STAMPS, *DERIVED.get(table.name, ()), "id")
    return [f'"{each.name}"' for each in table.columns if each.computed is None and each.name not in without]


def _is_unchanged(table: Table) -> str:
    """The condition that a row t has the values that the act gave it, apart from references and DERIVED."""
    without = [*STAMPS, *DERIVED.get(table.name, ()), *(column.name for column, _ in _references(table))]
    return f"to_jsonb(t) || (u.after - '{{{','.join(without)}}}'::text[]) = to_jsonb(t)"


def _mark_done(table: Table, statement: str) -> str:
    """A statement that marks as done the rows whose ids `statement` returns."""
    return (
        f"WITH done AS ({statement}) UPDATE undoing u SET outcome = '{DONE}' FROM done"
        f" WHERE u.table_name = '{table.name}' AND u.row_id = done.id"
    )


def _put_back_values(session: Session, table: Table) -> None:
    """Reset the columns that the act changed and that still have the values it gave them."""
    columns = [*_restored_columns(table), *['"order"'] * (table.name == ITEMS)]
    stamps = {
        "modified": "greatest(clock_timestamp(), t.modified + interval '1 microsecond')",
        "modified_before": "t.modified",
    }
    values = {
        each: f"CASE WHEN b.{each} IS DISTINCT FROM a.{each} THEN b.{each} ELSE t.{each} END"
        for each in _restored_columns(table)
    }
    values |= {name: value for name, value in stamps.items() if name in table.columns}
    rows = (
        f"undoing u CROSS JOIN LATERAL jsonb_populate_record(CAST(NULL AS {table.name}), u.before) b"
        f" CROSS JOIN LATERAL jsonb_populate_record(CAST(NULL AS {table.name}), u.after) a"
    )
    changed = (
        f"UPDATE {table.name} t SET {', '.join(f'{name} = {value}' for name, value in values.items())}"
        f" FROM {rows} WHERE u.table_name = '{table.name}' AND NOT u.added AND NOT u.removed"
        f" AND u.outcome IS NULL AND t.id = u.row_id{_is_free(table, values)}{_is_valid(table, values)}"
        f"{_each_column(columns, 'b.{0} IS NOT DISTINCT FROM a.{0} OR t.{0} IS NOT DISTINCT FROM a.{0}')}"
        " RETURNING t.id"
    )
    session.execute(text(_mark_done(table, changed)))
    session.execute(  # others already have their former values, due to a cascade or a later act
        text(
            f"UPDATE undoing x SET outcome = '{DONE}' FROM {table.name} t, {rows}"
            f" WHERE u.table_name = '{table.name}' AND NOT u.added AND NOT u.removed AND u.outcome IS NULL"
            f" AND t.id = u.row_id AND x.table_name = u.table_name AND x.row_id = u.row_id"
            f"{_each_column(columns, 'b.{0} IS NOT DISTINCT FROM a.{0} OR t.{0} IS NOT DISTINCT FROM b.{0}')}"
        )
    )


def _is_free(table: Table, values: dict[str, str]) -> str:
    """The condition that no other row has the unique values that a row t gets."""
    unique = _unique(table)
    if unique == "id":
        return ""
    wanted = {each: values.get(f'"{each}"', f"t.{each}") for each in unique.split(", ")}
    same = " AND ".join(f"o.{each} IS NOT DISTINCT FROM {value}" for each, value in wanted.items())
    return f" AND NOT EXISTS (SELECT FROM {table.name} o WHERE o.id <> t.id AND {same})"


def _is_valid(table: Table, values: dict[str, str]) -> str:
    """The condition that a list that is a neighbour on one side since does not get it back on the other."""
    if table.name != LISTS:
        return ""
    previous, following = values['"previous_id"'], values['"next_id"']
    return f" AND (({previous}) IS DISTINCT FROM ({following}) OR ({previous}) IS NULL)"


def _each_column(columns: list[str], condition: str) -> str:
    return "".join(f" AND ({condition.format(each)})" for each in columns)


def _remove_added(session: Session, table: Table) -> None:
    """Remove the rows that the act added, unless later rows depend on them."""
    later = "".join(
        f" AND NOT EXISTS (SELECT FROM {child.name} c WHERE c.{column.name} = t.id AND NOT EXISTS ("
        f"SELECT FROM undoing x WHERE x.table_name = '{child.name}' AND x.row_id = c.id AND x.added))"
        for child in TABLES
        for column, target in _references(child)
        if target == table.name and not column.nullable
    )
    removed = (
        f"DELETE FROM {table.name} t USING undoing u WHERE u.table_name = '{table.name}' AND u.added"
        f" AND u.outcome IS NULL AND t.id = u.row_id AND {_is_unchanged(table)}{later} RETURNING t.id"
    )
    session.execute(text(_mark_done(table, removed)))
    session.execute(  # others are already gone, as they should be
        text(
            f"UPDATE undoing u SET outcome = '{DONE}' WHERE u.table_name = '{table.name}' AND u.added"
            f" AND NOT EXISTS (SELECT FROM {table.name} t WHERE t.id = u.row_id)"
        )
    )


def _add_removed(session: Session, table: Table) -> None:
    columns = ["id", *_restored_columns(table), *['"order"'] * (table.name == ITEMS)]
    columns += ["modified_before"] * ("modified_before" in table.columns)
    needed = "".join(
        f" AND EXISTS (SELECT FROM {target} p WHERE p.id = r.{column.name})"
        for column, target in _references(table)
        if not column.nullable
    )
    one = _unique(table)
    added = (
        f"INSERT INTO {table.name} ({', '.join(columns)}) SELECT {', '.join(f'r.{each}' for each in columns)}"
        f" FROM undoing u CROSS JOIN LATERAL jsonb_populate_record(CAST(NULL AS {table.name}), u.before) r"
        f" WHERE u.table_name = '{table.name}' AND u.removed AND u.outcome IS NULL{needed}"
        f" ORDER BY r.id ON CONFLICT ({one}) DO NOTHING RETURNING id"
    )
    session.execute(text(_mark_done(table, added)))


def _unique(table: Table) -> str:
    """The columns that identify a row that exists again; for reading lists, `_check_lists` checks that."""
    unique = [
        each for each in table.constraints if isinstance(each, UniqueConstraint) and not each.deferrable
    ]
    if table.name == LISTS or not unique:
        return "id"
    (one,) = unique
    return ", ".join(column.name for column in one.columns)


# Restored items get their positions back; all others fill the remaining ones, in their current order.
_RESTORE_POSITIONS = f"""
    WITH item AS (
        SELECT i.id, i.reading_list_id AS list, i."order",
            CASE WHEN u.before -> 'order' IS DISTINCT FROM u.after -> 'order'
                THEN (u.before ->> 'order')::integer END AS place,
            count(*) OVER (PARTITION BY i.reading_list_id) AS length
        FROM reading_list_item i
        LEFT JOIN undoing u ON u.table_name = '{ITEMS}' AND u.row_id = i.id AND u.outcome = '{DONE}'
        WHERE i.reading_list_id IN (
            SELECT list_id FROM undoing
            WHERE table_name = '{ITEMS}' AND outcome = '{DONE}' AND before ? 'order'
        )
    ), fixed AS (
        SELECT DISTINCT ON (list, place) id, list, place FROM item WHERE place <= length
        ORDER BY list, place, id
    ), other AS (
        SELECT id, list, row_number() OVER (PARTITION BY list ORDER BY "order", id) AS nth
        FROM item WHERE id NOT IN (SELECT id FROM fixed)
    ), free AS (
        SELECT list, place, row_number() OVER (PARTITION BY list ORDER BY place) AS nth FROM (
            SELECT list, generate_series(1, max(length)) AS place FROM item GROUP BY list
            EXCEPT SELECT list, place FROM fixed
        ) each
    )
    UPDATE reading_list_item i SET "order" = p.place FROM (
        SELECT id, place FROM fixed
        UNION ALL
        SELECT other.id, free.place FROM other JOIN free USING (list, nth)
    ) p WHERE i.id = p.id AND i."order" <> p.place
"""


# If a list has its former slug again, other lists must not redirect it.
_DELETE_FORMER_SLUGS = f"""
    DELETE FROM {FormerSlug.__tablename__} f USING reading_list l, undoing u
    WHERE f.kind = '{LISTS}' AND f.slug = l.slug AND l.id = u.row_id AND u.table_name = '{LISTS}'
        AND u.outcome = '{DONE}'
"""


# Ratings of issues, whose figures are recomputed.


def _rate(session: Session, user_id: int, today: date) -> None:
    """Restore ratings that are still as the act left them; items get the ratings of their issues."""
    rows = session.execute(
        text(
            "SELECT u.row_id, i.id AS issue_id,"
            " CASE WHEN NOT u.added THEN (u.before ->> 'rating')::integer END AS wanted"
            " FROM undoing u JOIN issue i ON i.id = u.issue_id"
            " LEFT JOIN issue_rating r ON r.user_id = :user AND r.issue_id = i.id"
            " WHERE u.table_name = 'issue_rating' AND CASE WHEN u.removed THEN r.id IS NULL"
            " ELSE r.id IS NULL AND u.added OR to_jsonb(r.rating) = u.after -> 'rating' END"
        ),
        {"user": user_id},
    ).all()
    if rows:
        ratings.rate_issues(session, user_id, {row.issue_id: row.wanted for row in rows}, today=today)
    done = text(
        "UPDATE undoing SET outcome = 'done' WHERE table_name = 'issue_rating' AND row_id = ANY(:rows)"
    )
    session.execute(done, {"rows": [row.row_id for row in rows]})
    restored = text(
        "collection_item.issue_id IN"
        " (SELECT u.issue_id FROM undoing u WHERE u.table_name IN ('issue_rating', 'collection_item'))"
    )
    ratings.copy_to_items(session, CollectionItem.user_id == user_id, restored)
