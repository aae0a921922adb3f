"""Stores an import: its matched rows are added to the library by set-based statements.

Existing values are not overwritten unless `take_file` is set. Importing the same file again changes nothing.
The number of statements depends only on the number of reading lists.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

import orjson
from sqlalchemy import ARRAY, Integer, String, any_, cast, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from comicsdb.library import collection, ratings, reading_lists
from comicsdb.library.locks import default_list, lock_account
from comicsdb.library.reading_lists import items
from comicsdb.library.reading_lists.links import is_free
from comicsdb.library.transfer import pending
from comicsdb.library.transfer.format import (
    COLLECTION,
    ITEMS,
    LISTS,
    PARTS,
    PULL,
    RATINGS,
    READS,
    VALUE_FIELDS,
    WISHES,
)
from comicsdb.library.transfer.matching import MatchQuery
from comicsdb.models import CollectionItem, PullList, ReadingList, WishList, WishListItem
from comicsdb.models.base import SMALL_MAX
from comicsdb.schemas.attribution import is_web_address
from comicsdb.security import Identity, Permission, has_permission

# SET clause that updates the stamps of items of collections and wish lists.
TOUCH = (
    "modified_before = t.modified,"
    " modified = greatest(clock_timestamp(), t.modified + interval '1 microsecond')"
)
_DIALECT = postgresql.dialect()
WISH_FIELDS = tuple(name for name in VALUE_FIELDS[WISHES] if name not in ("variant", "added"))
_DETAILS = tuple(name for name in collection.FIELDS if name != "quantity")
_SOURCE = ("attribution_source", "attribution_url")
_SIDES = ("previous", "next")
_LIST_FIELDS = ("desc", "is_private", "list_type", "file_source", "start_year", *_SOURCE)


@dataclass(frozen=True)
class ImportContext:
    """An import that is being stored: its account, its options, and its counts so far."""

    session: Session
    identity: Identity
    official: str
    take_file: bool
    rows_are_copies: bool
    today: date
    counted: Counter = field(default_factory=Counter)

    @property
    def user_id(self) -> int:
        """The id of the account."""
        return self.identity.user_id

    def execute(self, statement: str, rows: Iterable[dict] = (), **parameters):
        """Execute SQL with the parameters `:rows`, the records as JSON, and `:user`, the account's id."""
        given = {"rows": orjson.dumps(list(rows)).decode(), "user": self.user_id, **parameters}
        return self.session.execute(text(statement), given)


@dataclass(frozen=True)
class ResolvedRow:
    """A row to store, with the id of its issue or, on the pull list, of its series.

    `index` is its place in the file.
    """

    part: str
    id: int
    values: dict
    list: int | None = None
    index: int = 0


@dataclass(frozen=True)
class PendingRow:
    """An entry of a reading list that stays in it without an issue."""

    query: MatchQuery
    values: dict
    list: int
    index: int


def pending_rows(index: int, wanted: dict, values: dict, place: int) -> list[PendingRow]:
    """The pending entry for a row of an import that has no issue; none if it does not say enough."""
    query = MatchQuery.from_json(wanted)
    return [PendingRow(query, values, place, index)] if pending.can_wait(query) else []


def store(
    context: ImportContext,
    rows: Iterable[ResolvedRow],
    lists: list[dict],
    waiting: Sequence[PendingRow] = (),
) -> Counter:
    """Store rows, reading lists and their pending entries for an account; does not commit.

    With `rows_are_copies`, several rows of one issue are several copies. Returns the counts "PART_added" and
    "PART_changed" for each part, and "gone" for rows whose issue or series has been deleted. Raises
    InvalidError for an invalid reading list.
    """
    lock_account(context.session, context.user_id)
    rows = _existing_rows(context, list(rows))
    by_part = {part: [row for row in rows if row.part == part] for part in PARTS}
    _resolve_variants(context, by_part[COLLECTION] + by_part[WISHES])
    _store_stars(context, by_part[COLLECTION] + by_part[RATINGS])
    newly_read = _store_reads(context, by_part[COLLECTION] + by_part[READS])
    context.counted["reads_added"] += len(newly_read & {row.id for row in by_part[READS]})
    if by_part[COLLECTION]:
        _store_collection(context, _by_copy(by_part[COLLECTION], context.rows_are_copies), newly_read)
    if by_part[PULL]:
        _store_pull_list(context, {row.id: row.values for row in reversed(by_part[PULL])})
    if by_part[WISHES]:
        _store_wishes(context, by_part[WISHES])
    _store_lists(context, lists, by_part[ITEMS], waiting)
    return context.counted


def _existing_rows(context: ImportContext, rows: list[ResolvedRow]) -> list[ResolvedRow]:
    """The rows whose issue or series still exists, locked against deletion; merged ids are replaced."""
    found = {}
    for kind in ("series", "issue"):  # all code locks rows in this order
        ids = sorted({row.id for row in rows if (row.part == PULL) == (kind == "series")})
        if ids:
            found[kind] = _current_ids(context, kind, ids)
    kept = []
    for row in rows:
        now = found["series" if row.part == PULL else "issue"].get(row.id)
        if now is None:
            context.counted["gone"] += 1
        else:
            kept.append(replace(row, id=now))
    return kept


def _current_ids(context: ImportContext, kind: str, ids: list[int]) -> dict[int, int]:
    """The current id for each id, following merges; deleted ones are missing."""
    merged = context.execute(
        f"SELECT object_id, survivor_id FROM tombstone WHERE kind = '{kind}' AND object_id = ANY(:ids)",
        ids=ids,
    )
    meant = {each: each for each in ids} | dict(merged.all())
    there = context.execute(
        f"SELECT id FROM {kind} WHERE id = ANY(:ids) ORDER BY id FOR KEY SHARE",
        ids=[each for each in meant.values() if each is not None],
    )
    there = set(there.scalars())
    return {each: now for each, now in meant.items() if now in there}


# Collection and wish list.


def _resolve_variants(context: ImportContext, rows: list[ResolvedRow]) -> None:
    """Set `variant_id` of rows that name a variant of their issue by id or name; discard unknown variants."""
    wanted = [row for row in rows if "variant_id" in row.values or "variant" in row.values]
    if not wanted:
        return
    of_issue = defaultdict(dict)
    for variant_id, issue_id, name in context.execute(
        "SELECT id, issue_id, name FROM variant WHERE issue_id = ANY(:ids) ORDER BY id DESC FOR KEY SHARE",
        ids=[row.id for row in wanted],
    ):
        of_issue[issue_id][name] = of_issue[issue_id][variant_id] = variant_id
    for row in wanted:
        known = of_issue[row.id]
        asked = row.values.pop("variant_id", None), row.values.pop("variant", None)
        found = next((known[each] for each in asked if each in known), None)
        if found is not None:
            row.values["variant_id"] = found


def _store_reads(context: ImportContext, rows: list[ResolvedRow]) -> set[int]:
    """Add missing reads, undated if the file has no dates; returns the issues with new ones."""
    dates = defaultdict(set)
    for row in rows:
        if row.part == READS or row.values.get("is_read") or row.values.get("read_dates"):
            dates[row.id].update(row.values.get("read_dates", ()))
    added = context.execute(
        "INSERT INTO read_date (user_id, issue_id, read_on) SELECT :user, s.issue_id, s.moment"
        " FROM json_to_recordset(CAST(:rows AS json)) AS s (issue_id integer, moment timestamptz)"
        " WHERE NOT EXISTS (SELECT FROM read_date d WHERE d.user_id = :user AND d.issue_id = s.issue_id"
        " AND (s.moment IS NULL OR d.read_on = s.moment))"
        " ORDER BY s.issue_id, s.moment RETURNING issue_id",
        [
            {"issue_id": issue_id, "moment": moment}
            for issue_id, moments in dates.items()
            for moment in (sorted(moments) or [None])
        ],
    )
    return set(added.scalars())


def update_statement(
    model, names: Iterable[str], source: str, condition: str, *, take_file: bool = False
) -> str:
    """An UPDATE of rows t of a model from the matching rows s; returns the ids of changed rows.

    `names` are columns of both; null in s means "not given". Values of s fill in blank ones, or with
    `take_file` replace existing ones; a currency changes together with its amount.
    """
    changes = {}
    for name in names:
        column, mine, theirs = model.__table__.columns[name], f"t.{name}", f"s.{name}"
        if name == "purchase_price":
            theirs = f"nullif({theirs}, 0)"  # zero means that there is no price
        if name.endswith("_price"):
            currency = name.replace("price", "currency")
            blank = "" if take_file else f" AND {mine} IS NULL"
            changes[currency] = (
                f"CASE WHEN {theirs} IS NOT NULL{blank} THEN coalesce(s.{currency}, t.{currency})"
                f" ELSE t.{currency} END"
            )
        if take_file:
            changes.setdefault(name, f"coalesce({theirs}, {mine})")
        elif isinstance(column.type, String | ARRAY):
            none = "'{}'" if isinstance(column.type, ARRAY) else "''"
            changes.setdefault(name, f"coalesce(nullif({mine}, {none}), {theirs}, {none})")
        elif column.nullable:
            changes[name] = f"coalesce({mine}, {theirs})"
    differs = (
        f"({', '.join(f't.{name}' for name in changes)}) IS DISTINCT FROM ({', '.join(changes.values())})"
    )
    return (
        f"UPDATE {model.__tablename__} t SET {', '.join(f'{name} = {new}' for name, new in changes.items())},"
        f" {TOUCH} FROM {source} WHERE {condition} AND {differs} RETURNING t.id"
    )


def _recordset(model, names: Iterable[str]) -> str:
    """FROM item that reads `:rows` as rows s: columns of a model, `item_id`, `issue_id` and `added`."""
    columns = model.__table__.columns
    types = ", ".join(f"{name} {columns[name].type.compile(dialect=_DIALECT)}" for name in names)
    return (
        "json_to_recordset(CAST(:rows AS json))"
        f" AS s (item_id bigint, issue_id integer, added timestamptz, {types})"
    )


def _store_collection(
    context: ImportContext, by_copy: dict[tuple[int, int], dict], newly_read: set[int]
) -> None:
    """Store collection items; ratings and reads were stored before, as new items show those of their issues.

    The second copy of an issue in the file is the second item of the issue, regardless of its other values.
    With `rows_are_copies`, an issue of which there are as many copies as in the file gets no further items,
    as one item may stand for copies that differ, unless the quantities are replaced by `take_file`.
    """
    present, there, given = {}, Counter(), Counter()
    for item_id, issue_id, copy, quantity in context.execute(
        "SELECT id, issue_id, row_number() OVER (PARTITION BY issue_id ORDER BY id), quantity"
        " FROM collection_item WHERE user_id = :user AND issue_id = ANY(:ids)",
        ids=list({issue_id for issue_id, _copy in by_copy}),
    ):
        present[issue_id, copy] = item_id
        there[issue_id] += quantity
    if context.rows_are_copies and not context.take_file:
        for (issue_id, _copy), values in by_copy.items():
            given[issue_id] += values["quantity"]
    new = [
        (key[0], _new_item(by_copy[key]))
        for key in sorted(by_copy)
        if key not in present and not 0 < given[key[0]] <= there[key[0]]
    ]
    context.counted["collection_added"] += collection.add_copies(context.session, context.user_id, new)
    changed = context.execute(
        update_statement(
            CollectionItem,
            collection.FIELDS,
            _recordset(CollectionItem, collection.FIELDS),
            "t.id = s.item_id",
            take_file=context.take_file,
        ),
        [{"item_id": present[key], **values} for key, values in by_copy.items() if key in present],
    )
    read = {item_id for (issue_id, _copy), item_id in present.items() if issue_id in newly_read}
    context.counted["collection_changed"] += len(read.union(changed.scalars()))


def _by_copy(rows: list[ResolvedRow], rows_are_copies: bool) -> dict[tuple[int, int], dict]:
    """The values by issue and copy: the first row with a value counts.

    With `rows_are_copies`, the quantities of equal rows are added up, and rows that differ in anything else
    are copies of their own; one that says nothing else is counted with the first.
    """
    by_copy: dict[tuple[int, int], dict] = {}
    copies_of: dict[int, dict[str, int]] = defaultdict(dict)
    for row in rows:
        copy, of_issue = row.values.get("copy", 1), copies_of[row.id]
        details = [row.values.get(name) for name in _DETAILS]
        if rows_are_copies and any(details):
            copy = of_issue.setdefault(str(details), len(of_issue) + 1)
        values = by_copy.setdefault((row.id, copy), {})
        if rows_are_copies:
            copies = values.get("quantity", 0) + row.values.get("quantity", 1)
            values["quantity"] = min(copies, SMALL_MAX)
        for name, value in row.values.items():
            values.setdefault(name, value)
    return by_copy


def _new_item(values: dict) -> dict:
    """The values of a new item for `collection.add_copies`; ratings and reads are already stored."""
    made = {name: value for name, value in values.items() if name in (*collection.FIELDS, "added")}
    if "purchase_price" in made:
        made["purchase_price"] = Decimal(made["purchase_price"])
    return made


def _store_wishes(context: ImportContext, given: list[ResolvedRow]) -> None:
    wishes = default_list(context.session, WishList, context.user_id).id
    first = {(row.id, row.values.get("variant_id")): row.values for row in reversed(given)}
    rows = [{"issue_id": issue_id, **values} for (issue_id, _variant), values in first.items()]
    columns, source = WishListItem.__table__.columns, _recordset(WishListItem, WISH_FIELDS)
    defaults = {name: columns[name].default for name in WISH_FIELDS}
    values = ", ".join(
        f"coalesce(s.{name}, '{default.arg}')" if default else f"s.{name}"
        for name, default in defaults.items()
    )
    added = context.execute(
        f"INSERT INTO wish_list_item (wish_list_id, issue_id, added_on, {', '.join(WISH_FIELDS)})"
        f" SELECT :list, s.issue_id, coalesce(s.added, clock_timestamp()), {values} FROM {source}"
        " ORDER BY s.issue_id ON CONFLICT DO NOTHING",
        rows,
        list=wishes,
    )
    changed = context.execute(
        update_statement(
            WishListItem,
            WISH_FIELDS,
            source,
            "t.wish_list_id = :list AND t.issue_id = s.issue_id"
            " AND t.variant_id IS NOT DISTINCT FROM s.variant_id",
            take_file=context.take_file,
        ),
        rows,
        list=wishes,
    )
    context.counted["wish_list_added"] += added.rowcount
    context.counted["wish_list_changed"] += len(changed.all())


def _backdate(
    context: ImportContext, update: str, condition: str, by_issue: dict[int, dict], **parameters
) -> bool:
    """Set the creation time of new rows t to the one in the file; returns whether the file has any."""
    rows = [
        {"issue_id": each, "added": values["added"]} for each, values in by_issue.items() if "added" in values
    ]
    if rows:
        source = "json_to_recordset(CAST(:rows AS json)) AS s (issue_id integer, added timestamptz)"
        context.execute(f"{update} FROM {source} WHERE {condition}", rows, **parameters)
    return bool(rows)


# Stars and the pull list.


def _store_stars(context: ImportContext, rows: list[ResolvedRow]) -> None:
    """Store the ratings of the file; existing ones are replaced only with `take_file`."""
    wanted = {row.id: row for row in reversed(rows) if "rating" in row.values}
    if not wanted:
        return
    known = context.execute(
        "SELECT i.id, r.rating FROM issue i"
        " LEFT JOIN issue_rating r ON r.issue_id = i.id AND r.user_id = :user WHERE i.id = ANY(:ids)",
        ids=list(wanted),
    ).all()
    added = {row.id: row.values for row in rows if row.part == RATINGS and "added" in row.values}
    stars, fresh = {}, {}
    for issue_id, given in known:
        asked = wanted[issue_id].values["rating"]
        if given == asked or (given is not None and not context.take_file):
            continue
        stars[issue_id] = asked
        if given is None and issue_id in added:
            fresh[issue_id] = added[issue_id]
        context.counted["ratings_changed" if given is not None else "ratings_added"] += 1
    if not stars:
        return
    ratings.rate_issues(context.session, context.user_id, stars, today=context.today)
    rated = CollectionItem.issue_id == any_(cast(list(stars), ARRAY(Integer)))
    ratings.copy_to_items(context.session, CollectionItem.user_id == context.user_id, rated)
    _backdate(
        context,
        "UPDATE issue_rating t SET created_on = s.added",
        "t.user_id = :user AND t.issue_id = s.issue_id",
        fresh,
    )


def _store_pull_list(context: ImportContext, wanted: dict[int, dict]) -> None:
    """Follow series since the time `added`, or from now on if there is none.

    What is pulled of followed ones is replaced only with `take_file`.
    """
    rows = [values | {"series_id": each} for each, values in wanted.items()]
    pulls = default_list(context.session, PullList, context.user_id).id
    source = (
        "json_to_recordset(CAST(:rows AS json))"
        " AS s (series_id integer, pulled text, variant_words text, added timestamptz)"
    )
    if context.take_file:
        changed = context.execute(
            "UPDATE pull_list_series t SET pulled = coalesce(s.pulled, t.pulled),"
            f" variant_words = coalesce(s.variant_words, t.variant_words) FROM {source}"
            " WHERE t.pull_list_id = :list AND t.series_id = s.series_id AND (t.pulled, t.variant_words)"
            " <> (coalesce(s.pulled, t.pulled), coalesce(s.variant_words, t.variant_words))",
            rows,
            list=pulls,
        )
        context.counted["pull_list_changed"] += changed.rowcount
    made = context.execute(
        "INSERT INTO pull_list_series (pull_list_id, series_id, pulled, variant_words, added_on)"
        " SELECT :list, s.series_id, coalesce(s.pulled, 'COVER'), coalesce(s.variant_words, ''),"
        f" coalesce(s.added, clock_timestamp()) FROM {source}"
        " ORDER BY s.series_id ON CONFLICT DO NOTHING",
        rows,
        list=pulls,
    )
    context.counted["pull_list_added"] += made.rowcount


# Reading lists.


def _store_lists(
    context: ImportContext, lists: list[dict], rows: list[ResolvedRow], waiting: Sequence[PendingRow]
) -> None:
    """Store reading lists and their items; a list with the name and source of an existing one extends that.

    Missing items are appended. With `take_file` the existing list gets the order, types and description of
    the file, followed by its other items. Raises InvalidError like `reading_lists.create`.
    """
    session, identity, official = context.session, context.identity, context.official
    # By list: values by issue id, in the order of the file.
    by_list = defaultdict(dict)
    for row in rows:
        if row.id in by_list[row.list]:
            context.counted[f"{ITEMS}_repeated"] += 1
        by_list[row.list].setdefault(row.id, row.values)
    sequences = defaultdict(list)  # by list, in the order of the file
    for row in sorted([*rows, *waiting], key=lambda row: row.index):
        is_pending = isinstance(row, PendingRow)
        sequences[row.list].append((row.query, row.values) if is_pending else row.id)
    made = {}
    for place, given in enumerate(lists):
        values = _allowed_values(identity, given)
        found = session.scalar(
            select(ReadingList).where(
                ReadingList.user_id == identity.user_id,
                ReadingList.name == values["name"],
                ReadingList.attribution_source == values.get("attribution_source", ""),
            )
        )
        changes = {
            name: values[name]
            for name in _LIST_FIELDS
            if name in values and values[name] != getattr(found, name, None)
        }
        if found is None:
            found = reading_lists.create(session, identity, official, values)
            context.counted[f"{LISTS}_added"] += 1
        elif context.take_file and any(changes[name] != getattr(found, name) for name in changes):
            found = reading_lists.update(session, identity, official, found, changes)
            context.counted[f"{LISTS}_changed"] += 1
        made[place + 1] = found
        if sequences[place]:
            _store_items(context, found, by_list[place], sequences[place])
    for place, given in enumerate(lists, 1):
        if not given.keys().isdisjoint(_SIDES):
            _set_neighbours(context, made, place, given)


def _allowed_values(identity: Identity, given: dict) -> dict:
    """The values of a list that the account may set; only staff may set the source."""
    values = {name: given[name] for name in ("name", *_LIST_FIELDS) if name in given}
    if not has_permission(identity, Permission.LIST_SOURCES):
        values = {name: value for name, value in values.items() if name not in _SOURCE}
    if not is_web_address(values.get("attribution_url", "")):
        values.pop("attribution_url", None)
    return values


def _store_items(
    context: ImportContext, found: ReadingList, by_issue: dict[int, dict], sequence: list
) -> None:
    locked = reading_lists.lock_list(context.session, context.identity, context.official, found)
    pending.resolve(locked)  # the issues get the places of their entries
    types = {each: values["issue_type"] for each, values in by_issue.items() if "issue_type" in values}
    before = set(
        context.execute(
            "SELECT issue_id FROM reading_list_item WHERE reading_list_id = :list", list=found.id
        ).scalars()
    )
    context.counted[f"{ITEMS}_added"] += items.add_issues(locked, list(by_issue), types=types).added
    added, repeated = pending.add(locked, sequence, before)
    context.counted[f"{ITEMS}_pending"] += added
    context.counted[f"{ITEMS}_repeated"] += repeated
    dated = _backdate(
        context,
        "UPDATE reading_list_item t SET added_on = s.added",
        "t.reading_list_id = :list AND t.issue_id = s.issue_id",
        {each: by_issue[each] for each in by_issue if each not in before},
        list=found.id,
    )
    if context.take_file and before:
        items.reorder(locked, list(by_issue))
        context.execute(
            "UPDATE reading_list_item i SET issue_type = s.kind"
            " FROM json_to_recordset(CAST(:rows AS json)) AS s (issue_id integer, kind text)"
            " WHERE i.reading_list_id = :list AND i.issue_id = s.issue_id AND i.issue_type <> s.kind",
            [{"issue_id": each, "kind": types[each]} for each in types],
            list=found.id,
        )
    if dated or (context.take_file and before):
        reading_lists.expire_stamps(context.session)


def _set_neighbours(context: ImportContext, made: dict[int, ReadingList], place: int, given: dict) -> None:
    """Set the previous and next list as in the file; existing ones are replaced only with `take_file`."""
    found = context.session.get_one(ReadingList, made[place].id, populate_existing=True)
    wanted = {
        side: made[given[side]].id
        for side in _SIDES
        if given.get(side) in made and made[given[side]].id not in (found.id, getattr(found, f"{side}_id"))
    }
    if not context.take_file:
        wanted = {side: each for side, each in wanted.items() if is_free(context.session, found, side, each)}
    after = [wanted.get(side, getattr(found, f"{side}_id")) for side in _SIDES]
    if wanted and after[0] != after[1]:
        reading_lists.update(context.session, context.identity, context.official, found, wanted)
