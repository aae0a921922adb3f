"""Storing what accounts keep as the set has it: the rows that accounts lack, with their stamps.

Ids are the set's in tables that were empty. Nothing is derived: an item of a collection has the stars that
the set says, and the account's stars for its issue are those of their own file.
"""

from dataclasses import dataclass

from comicsdb.exchange.library_format import LIST_STARS, OWN_PULL, OWN_WISHES
from comicsdb.exchange.run import Run
from comicsdb.library import collection, reading_lists
from comicsdb.library.transfer.format import COLLECTION, ITEMS, LISTS, PULL, WISHES

# Ids of accounts, issues and series become those of the database.
_TRANSLATED = (
    "UPDATE staged_library s SET user_id = u.db_id FROM staged_users u WHERE u.id = s.user_id",
    "UPDATE staged_library s SET object_id = i.db_id FROM staged_issues i"
    f" WHERE i.id = s.object_id AND s.part IN ('{COLLECTION}', '{ITEMS}', '{WISHES}')",
    "UPDATE staged_library s SET object_id = r.db_id FROM staged_series r"
    f" WHERE r.id = s.object_id AND s.part = '{PULL}'",
)
# What the database has already, by part: the tables and conditions that lead from a staged row s to a row t.
_FOUND = {
    COLLECTION: "collection_item t WHERE t.user_id = s.user_id AND t.issue_id = s.object_id",
    LISTS: "reading_list t WHERE t.user_id = s.user_id AND t.name = s.said->>'name'"
    " AND t.attribution_source = s.said->>'attribution_source'",
    OWN_PULL: "pull_list t WHERE t.user_id = s.user_id",
    OWN_WISHES: "wish_list t WHERE t.user_id = s.user_id",
    PULL: "pull_list p, pull_list_series t WHERE p.user_id = s.user_id AND t.pull_list_id = p.id"
    " AND t.series_id = s.object_id",
    WISHES: "wish_list w, wish_list_item t WHERE w.user_id = s.user_id AND t.wish_list_id = w.id"
    " AND t.issue_id = s.object_id",
}
# An item that was read, nobody knows when, was read when it came into the collection.
_READS = (
    "CASE WHEN s.said->'read_dates' = '[]' AND (s.said->>'is_read')::boolean"
    " THEN jsonb_build_array(s.said->'added') ELSE s.said->'read_dates' END"
)
_FIELDS = ", ".join(collection.FIELDS)
_FIELD_TYPES = ", ".join(f"{name} {type_}" for name, (_default, type_) in collection.FIELDS.items())
_WISH = "status, priority, desired_grade, max_price, max_currency, notes"
_LIST = 'name, slug, "desc", is_private, list_type, attribution_source, attribution_url'


@dataclass(frozen=True)
class Insert:
    """How rows of a part are written: `values` of `columns` out of staged rows s, and `source` beside them.

    The id is not among the columns. `repeated`: the table may have such a row already, which stays.
    """

    table: str
    columns: str
    values: str
    source: str
    where: str = "true"
    repeated: bool = False


# In the order of writing.
_INSERTS = {
    COLLECTION: Insert(
        "collection_item",
        f"user_id, issue_id, {_FIELDS}, rating, is_read, date_read, created_on, modified",
        f"s.user_id, s.object_id, {_FIELDS}, rating, latest IS NOT NULL, latest, added, modified",
        f"jsonb_to_record(s.said) AS r ({_FIELD_TYPES}, rating smallint, added timestamptz,"
        " modified timestamptz),"
        f" LATERAL (SELECT max(x::timestamptz) AS latest FROM jsonb_array_elements_text({_READS}) x) reads",
    ),
    OWN_PULL: Insert(
        "pull_list",
        "user_id, created_on, modified",
        "s.user_id, added, modified",
        "jsonb_to_record(s.said) AS r (added timestamptz, modified timestamptz)",
        repeated=True,
    ),
    PULL: Insert(
        "pull_list_series",
        "pull_list_id, series_id, added_on",
        "p.id, s.object_id, (s.said->>'added')::timestamptz",
        "pull_list p",
        "p.user_id = s.user_id",
    ),
    OWN_WISHES: Insert(
        "wish_list",
        "user_id, created_on, modified",
        "s.user_id, added, modified",
        "jsonb_to_record(s.said) AS r (added timestamptz, modified timestamptz)",
        repeated=True,
    ),
    WISHES: Insert(
        "wish_list_item",
        f"wish_list_id, issue_id, {_WISH}, added_on, modified",
        f"w.id, s.object_id, {_WISH}, added, r.modified",
        "wish_list w, jsonb_to_record(s.said) AS r (status varchar, priority smallint, desired_grade numeric,"
        " max_price numeric, max_currency varchar, notes text, added timestamptz, modified timestamptz)",
        "w.user_id = s.user_id",
    ),
    LISTS: Insert(
        "reading_list",
        f"user_id, {_LIST}, created_on, modified",
        f"s.user_id, {_LIST}, added, modified",
        'jsonb_to_record(s.said) AS r (name varchar, slug varchar, "desc" text, is_private boolean,'
        " list_type varchar, attribution_source varchar, attribution_url varchar, added timestamptz,"
        " modified timestamptz)",
    ),
    ITEMS: Insert(
        "reading_list_item",
        'reading_list_id, issue_id, "order", issue_type, added_on',
        'l.db_id, s.object_id, row_number() OVER (PARTITION BY s.line ORDER BY r."order"),'
        " r.issue_type, coalesce(r.added, now())",
        'staged_library l, jsonb_to_record(s.said) AS r ("order" integer, issue_type varchar,'
        " added timestamptz)",
        f"l.part = '{LISTS}' AND l.object_id = s.list_id",
    ),
    LIST_STARS: Insert(
        "reading_list_rating",
        "reading_list_id, user_id, rating, created_on, modified",
        "l.db_id, s.user_id, r.rating, coalesce(r.added, now()), coalesce(r.added, now())",
        "staged_library l, jsonb_to_record(s.said) AS r (rating smallint, added timestamptz)",
        f"l.part = '{LISTS}' AND l.object_id = s.list_id",
        repeated=True,
    ),
}


def find(run: Run) -> None:
    """Note which rows the database has (`found`, `db_id`); ids of all else become the database's."""
    run.cursor.execute(
        "ALTER TABLE staged_library ADD db_id bigint, ADD found boolean NOT NULL DEFAULT false"
    )
    for statement in _TRANSLATED:
        run.cursor.execute(statement)
    for part, rows in _FOUND.items():
        source, condition = rows.split(" WHERE ")
        run.cursor.execute(
            f"UPDATE staged_library s SET found = true, db_id = t.id FROM {source}"
            f" WHERE s.part = %s AND {condition}",
            (part,),
        )
    # Items and stars of lists that are there are put together with what these have.
    run.cursor.execute(
        "UPDATE staged_library s SET found = true FROM staged_library l WHERE s.part = %s AND l.part = %s"
        " AND l.object_id = s.list_id AND l.found",
        (ITEMS, LISTS),
    )


def write_new(run: Run) -> dict[str, int]:
    """Insert what was not found; gives the number of new rows by part."""
    _free_slugs(run)
    new = {}
    for part, how in _INSERTS.items():
        new[part] = _insert(run, part, how)
        if part == LISTS:
            run.cursor.execute(
                "UPDATE staged_library s SET db_id = l.id FROM reading_list l"
                " WHERE s.part = %s AND NOT s.found AND l.slug = s.said->>'slug'",
                (LISTS,),
            )
    run.cursor.execute(
        "INSERT INTO read_date (collection_item_id, read_date)"
        " SELECT c.id, x::timestamptz FROM staged_library s"
        " JOIN collection_item c ON c.user_id = s.user_id AND c.issue_id = s.object_id,"
        f" jsonb_array_elements_text({_READS}) x WHERE s.part = %s AND NOT s.found ORDER BY c.id, 2",
        (COLLECTION,),
    )
    _name_neighbours(run)
    return new


def _insert(run: Run, part: str, how: Insert) -> int:
    """Insert the new rows of a part, with their ids where the table is empty."""
    identifier = sequence = f"nextval(pg_get_serial_sequence('{how.table}', 'id'))"
    run.cursor.execute(f"SELECT NOT EXISTS (SELECT FROM {how.table})")
    if run.cursor.fetchone()[0]:
        run.cursor.execute(
            f"SELECT setval(pg_get_serial_sequence('{how.table}', 'id'), max((said->>'id')::bigint))"
            " FROM staged_library WHERE part = %s HAVING max((said->>'id')::bigint) IS NOT NULL",
            (part,),
        )
        identifier = f"coalesce((s.said->>'id')::bigint, {sequence})"
    run.cursor.execute(
        f"INSERT INTO {how.table} (id, {how.columns}) SELECT {identifier}, {how.values}"
        f" FROM staged_library s, {how.source} WHERE s.part = %s AND NOT s.found AND {how.where}"
        f" ORDER BY s.file, s.line, s.place{' ON CONFLICT DO NOTHING' * how.repeated}",
        (part,),
    )
    return run.cursor.rowcount


def _free_slugs(run: Run) -> None:
    """Give new lists whose slugs are taken the next free ones."""
    run.cursor.execute(
        "SELECT s.object_id, s.said->>'name', (s.said->>'is_private')::boolean FROM staged_library s"
        " WHERE s.part = %s AND NOT s.found"
        " AND (EXISTS (SELECT FROM reading_list t WHERE t.slug = s.said->>'slug')"
        " OR EXISTS (SELECT FROM former_slug f WHERE f.kind = 'reading_list' AND f.slug = s.said->>'slug'))"
        " ORDER BY s.line",
        (LISTS,),
    )
    for list_id, name, private in run.cursor.fetchall():
        for candidate in reading_lists.slugs_for(run.session, name, list_id, private=private):
            run.cursor.execute(
                "SELECT EXISTS (SELECT FROM staged_library WHERE part = %s AND said->>'slug' = %s)",
                (LISTS, candidate),
            )
            if not run.cursor.fetchone()[0]:
                break
        run.cursor.execute(
            "UPDATE staged_library SET said = said || jsonb_build_object('slug', %s::text)"
            " WHERE part = %s AND object_id = %s",
            (candidate, LISTS, list_id),
        )


def _name_neighbours(run: Run) -> None:
    """New lists get the new neighbours that the set says, on the side on which it says so."""
    for side in ("previous_id", "next_id"):
        run.cursor.execute(
            f"UPDATE reading_list l SET {side} = n.db_id FROM staged_library s JOIN staged_library n"
            f" ON n.part = s.part AND n.object_id = (s.said->>'{side}')::integer AND NOT n.found"
            " WHERE s.part = %s AND NOT s.found AND l.id = s.db_id",
            (LISTS,),
        )


def restore_stamps(run: Run) -> None:
    """New lists get the stamps of the set, which writing what is in them has moved."""
    for part, table in ((OWN_PULL, "pull_list"), (OWN_WISHES, "wish_list"), (LISTS, "reading_list")):
        key = "l.id = s.db_id" if part == LISTS else "l.user_id = s.user_id"
        run.cursor.execute(
            f"UPDATE {table} l SET modified = (s.said->>'modified')::timestamptz, modified_before = NULL"
            f" FROM staged_library s WHERE s.part = %s AND NOT s.found AND {key}",
            (part,),
        )
    run.cursor.execute(
        "UPDATE reading_list l SET rated = (SELECT max(created_on) FROM reading_list_rating"
        " WHERE reading_list_id = l.id), rated_before = NULL"
        " FROM staged_library s WHERE s.part = %s AND NOT s.found AND l.id = s.db_id",
        (LISTS,),
    )
