"""The public part of the database: tables and columns of dumps, of objects in the feed, and of mirrors.

Every table and column of the models is either listed in `PUBLIC_COLUMNS`, or listed as private with the
reason; a test compares both with the models. Nothing in `PUBLIC_COLUMNS` is about people who use the site.

Of tables that also have rows of objects of other kinds, such as private reading lists, only the rows in
`PUBLIC_ROWS` are public. Rows have the same values everywhere (`json_value`).

The state of an object is a dictionary from table to rows: its own row, and those of its parts, links, former
slugs and picture hashes. `states_query` selects it; `remove_objects` and `insert_objects` write it to another
database.
"""

from collections.abc import Iterable
from functools import cache

import orjson
from sqlalchemy import Connection, text

from comicsdb.catalog.kinds import KINDS
from comicsdb.models import metadata
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import sql_type

_ROW = "id slug modified modified_before created_on desc cv_id gcd_id name"
_PICTURE = "image image_width image_height"
_ISSUES = "issues_modified issues_modified_before"
_RATED = "rating_count rating_sum rated rated_before"
_OWNED = " ".join(f"{kind}_id" for kind in OWNERS)

# Ordered so that every row comes after those that it refers to.
PUBLIC_COLUMNS: dict[str, tuple[str, ...]] = {
    table: tuple(columns.split())
    for table, columns in {
        "age_rating": "id name names short_description description modified",
        "genre": "id name names desc modified",
        "role": "id name names order is_writer is_artist is_featured is_cover notes modified",
        "series_type": "id name names code notes modified",
        "publisher": f"{_ROW} alt_names founded country {_PICTURE}",
        "imprint": f"{_ROW} publisher_id founded {_PICTURE}",
        "universe": f"{_ROW} publisher_id designation name_changed {_PICTURE}",
        "creator": f"{_ROW} birth birth_precision death death_precision alias name_changed {_PICTURE}",
        "team": f"{_ROW} name_changed {_ISSUES} {_PICTURE}",
        "character": f"{_ROW} alias name_changed {_ISSUES} {_PICTURE}",
        "arc": f"{_ROW} name_changed {_ISSUES} {_PICTURE}",
        "series": f"{_ROW} sort_name alt_names language volume year_began year_end series_type_id status"
        f" publisher_id imprint_id collection issue_count last_cover_date {_ISSUES} {_RATED}",
        "issue": "id slug modified modified_before created_on desc cv_id gcd_id series_id number number_key"
        " series_order alt_number title name cover_date cover_date_precision store_date foc_date rating_id"
        f" sku isbn upc page desc_is_solicitation cover_hash price currency {_RATED} {_PICTURE}",
        "variant": f"id issue_id name sku upc price currency cover_hash {_PICTURE}",
        "credit": "id issue_id creator_id modified",
        "credit_role": "credit_id role_id issue_id creator_id",
        "character_creator": "character_id creator_id",
        "character_team": "character_id team_id",
        "character_universe": "character_id universe_id",
        "team_creator": "team_id creator_id",
        "team_universe": "team_id universe_id",
        "series_genre": "series_id genre_id",
        "series_associated": "series_id associated_id",
        "issue_arc": "issue_id arc_id",
        "issue_character": "issue_id character_id",
        "issue_team": "issue_id team_id",
        "issue_universe": "issue_id universe_id",
        "issue_reprint": "issue_id reprint_id",
        "attribution": f"id source url {_OWNED}",
        "external_id": f"id source external_id scope said_on {_OWNED}",
        "former_slug": "kind slug object_id since",
        "tombstone": "kind object_id slug label gone survivor_id",
        "picture_hash": "picture phash dhash early_dhash ahash",
        "change_log": "seq at kind object_id action fields survivor_id",
    }.items()
}
_ACCOUNT = "an account"
# Columns of public tables that are not published, with the reason.
PRIVATE_COLUMNS: dict[str, dict[str, str]] = {
    **{kind: {"created_by_id": _ACCOUNT, "edited_by_id": _ACCOUNT} for kind in OWNERS},
    "external_id": {"said_by_id": _ACCOUNT},
    "tombstone": {"user_id": _ACCOUNT, "reason": "what an account wrote to staff"},
    "change_log": {"user_id": _ACCOUNT},
}
# Tables that are not published, with the reason.
PRIVATE_TABLES: dict[str, str] = {
    table: reason
    for reason, tables in {
        "accounts": "account_link api_token feed_address login_session passkey recovery_code totp"
        " security_event spent_challenge user_account user_group user_group_member donation public_profile"
        " throttle_notice signup_settings outgoing_mail webhook webhook_delivery",
        "what readers keep, rate and write": "collection_item read_date wish_list wish_list_item pull_list"
        " pull_list_series library_act library_change library_import library_import_row import_mapping"
        " favourite follow reading_list reading_list_item reading_list_like reading_list_rating tagged_file"
        " issue_rating reading_list_pending review review_report",
        "the site's own": "announcement poll poll_choice poll_vote",
        "work that is going on": "form_draft picture_draft idempotency_key unfinished_act late_stamps"
        " rate_limit daily_count gcd_import",
        "who changed what; the change log tells what changed": "history",
        "of this database's feed; a mirror has its own": "touched_object feed_horizon",
        "who administers": "staff_action",
        "of this database alone": "epoch version",
        "what a mirror knows of its origin": "mirror received_line received_state",
    }.items()
    for table in tables.split()
}
SHARED_TABLES = ("picture_hash", "change_log")  # tables with rows that do not belong to a single object
PUBLIC_KINDS = tuple(name for name in PUBLIC_COLUMNS if name in KINDS)  # in the order of their tables
_OF_PUBLIC_KIND = "r.kind IN ({})".format(", ".join(f"'{kind}'" for kind in PUBLIC_KINDS))
# Conditions on rows r; all rows of other public tables are public.
PUBLIC_ROWS: dict[str, str] = {
    "picture_hash": " OR ".join(
        f"EXISTS (SELECT FROM {table} WHERE image = r.picture)" for table in ("issue", "variant")
    ),
    **{table: _OF_PUBLIC_KIND for table, columns in PUBLIC_COLUMNS.items() if "kind" in columns},
}
_INSTANT = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""


@cache
def tables_of(kind: str) -> dict[str, str]:
    """The tables with rows of an object, each with an SQL condition on the row r for the id o.id.

    A deleted object only has its tombstone.
    """
    owner, declared = f"{kind}_id", KINDS[kind]
    found = {kind: "r.id = o.id"}
    if "credits" in declared.parts:
        owned = f"r.{owner} = o.id"
        found |= {"variant": owned, "credit": owned, "credit_role": owned}
    found |= {link.table.name: f"r.{link.own} = o.id" for link in declared.links}
    if kind in OWNERS:
        found |= dict.fromkeys(("attribution", "external_id"), f"r.{owner} = o.id")
        found |= dict.fromkeys(("former_slug", "tombstone"), f"r.kind = '{kind}' AND r.object_id = o.id")
    if "image" in declared.fields:
        pictures = f"SELECT image FROM {kind} WHERE id = o.id"
        if kind == "issue":
            pictures += " UNION SELECT image FROM variant WHERE issue_id = o.id"
        found["picture_hash"] = f"r.picture IN ({pictures})"
    return {table: found[table] for table in PUBLIC_COLUMNS if table in found}


def json_value(expression: str, type_: str) -> str:
    """The SQL expression for a value in JSON, in dumps, data sets and the feed.

    Times are text in UTC with microseconds, dates and amounts text, so that no digit is lost.
    """
    if type_.startswith("TIMESTAMP"):
        return _INSTANT.format(expression)
    return f"{expression}::text" if type_.startswith(("DATE", "NUMERIC")) else expression


def public_rows(table: str) -> str:
    """The FROM and ORDER BY clauses for the public rows r of a table, in the order of its primary key."""
    return f'FROM "{table}" r WHERE {PUBLIC_ROWS.get(table, "true")} ORDER BY {primary_key_order(table)}'


def json_columns(table: str) -> str:
    """The public columns of rows r of a table, with their values in JSON, as an SQL list."""
    columns = metadata.tables[table].columns
    types = {f'r."{name}"': sql_type(columns[name]) for name in PUBLIC_COLUMNS[table]}
    return ", ".join(f"{json_value(name, type_)} AS {name[2:]}" for name, type_ in types.items())


def primary_key_order(table: str) -> str:
    """The ORDER BY expressions of a table's primary key, for rows r."""
    return ", ".join(f'r."{column.name}"' for column in metadata.tables[table].primary_key)


@cache
def states_query(kind: str, ids: str) -> str:
    """A query for the states of the objects whose ids are the rows of `ids`: rows of id and state."""
    pairs = [
        f"'{table}', (SELECT coalesce(json_agg(x), '[]') FROM"
        f' (SELECT {json_columns(table)} FROM "{table}" r WHERE {condition}'
        f" ORDER BY {primary_key_order(table)}) x)"
        for table, condition in tables_of(kind).items()
    ]
    return f"SELECT o.id, json_build_object({', '.join(pairs)}) AS state FROM {ids} o (id)"


def remove_objects(connection: Connection, kind: str, ids: list[int], gone: list[int]) -> None:
    """Remove all public rows of objects, before `insert_objects` writes the new ones in the same transaction.

    For objects in `gone`, links from other objects are removed as well.

    The connection's role has to be a superuser: triggers and foreign keys are disabled in this transaction,
    as states may arrive in any order, and are only consistent once those of all objects at one moment are
    written.
    """
    connection.execute(text("SET LOCAL session_replication_role = replica"))
    for table, condition in reversed(tables_of(kind).items()):
        if table not in SHARED_TABLES:
            objects = f"unnest(CAST(:ids AS integer[])) o (id) WHERE {condition}"
            removed = connection.execute(text(f'DELETE FROM "{table}" r USING {objects}'), {"ids": ids})
    _add_to_version(connection, kind, -removed.rowcount)  # the last table is the kind's own
    for table in PUBLIC_COLUMNS:
        for key in metadata.tables[table].foreign_keys:
            if gone and table not in KINDS and key.column.table.name == kind:
                statement = f'DELETE FROM "{table}" WHERE "{key.parent.name}" = ANY(:gone)'
                connection.execute(text(statement), {"gone": gone})


def insert_objects(connection: Connection, kind: str, found: Iterable[dict]) -> None:
    """Write the states of objects unchanged, including stamps."""
    found = list(found)
    for table in tables_of(kind):
        insert_rows(connection, table, [row for each in found for row in each[table]])
    _add_to_version(connection, kind, sum(len(each[kind]) for each in found))


def remove_private_rows(connection: Connection) -> None:
    """Remove rows about objects of kinds that are not public, which dumps of older versions have."""
    connection.execute(text("SET LOCAL session_replication_role = replica"))
    for table, columns in PUBLIC_COLUMNS.items():
        if "kind" in columns:
            connection.execute(text(f'DELETE FROM "{table}" r WHERE NOT ({PUBLIC_ROWS[table]})'))


def _add_to_version(connection: Connection, kind: str, more: int) -> None:
    """Increment the version of the kind's lists, and adjust the stored number of its objects."""
    statement = (
        "INSERT INTO version (kind) VALUES (:kind)"  # the first one of a kind of reference data
        " ON CONFLICT (kind) DO UPDATE SET value = version.value + 1, number = version.number + :more"
    )
    connection.execute(text(statement), {"kind": kind, "more": more})


def insert_rows(connection: Connection, table: str, rows: Iterable[dict]) -> None:
    """Insert rows into a public table, with the columns they have; `SHARED_TABLES` skip existing rows."""
    if not (rows := list(rows)):
        return
    columns = ", ".join(f'"{column}"' for column in PUBLIC_COLUMNS[table] if column in rows[0])
    known = " ON CONFLICT DO NOTHING" if table in SHARED_TABLES else ""
    override = " OVERRIDING SYSTEM VALUE" if table == "change_log" else ""
    connection.execute(
        text(
            f'INSERT INTO "{table}" ({columns}){override}'
            f' SELECT {columns} FROM json_populate_recordset(NULL::"{table}", CAST(:rows AS json)){known}'
        ),
        {"rows": orjson.dumps(rows).decode()},
    )
