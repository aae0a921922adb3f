"""Storing an import: rows whose issues and series are known come into the library, set by set.

What is there is not overwritten unless that is asked for, and nothing comes in twice: the same file, imported
again, changes nothing. The number of statements depends on that of reading lists alone.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.library import ratings
from comicsdb.library.default_lists import own_list
from comicsdb.library.locks import lock_account
from comicsdb.library.transfer.combine import Storing, merge, packed, plain
from comicsdb.library.transfer.format import COLLECTION, ITEMS, PARTS, PULL, RATINGS, WISHES
from comicsdb.library.transfer.store_collection import store_collection
from comicsdb.library.transfer.store_lists import store_lists
from comicsdb.models import PullList, WishList
from comicsdb.models.choices import DEFAULT_PRIORITY, Currency, WishStatus

# Of a wish: the value where nothing is said, and its type in PostgreSQL.
_WISH = {
    "status": (WishStatus.WANTED.value, "text"),
    "priority": (DEFAULT_PRIORITY, "smallint"),
    "desired_grade": (None, "numeric"),
    "max_price": (None, "numeric"),
    "max_currency": (Currency.USD.value, "text"),
    "notes": ("", "text"),
}


@dataclass(frozen=True)
class Chosen:
    """A row whose meaning is known: the id of its issue, or of its series on the pull list."""

    part: str
    id: int
    values: dict
    list: int | None = None


def store(storing: Storing, rows: Iterable[Chosen], lists: list[dict]) -> Counter:
    """Store rows and reading lists for an account; nothing is committed here.

    `add_up`: several rows of one issue are several copies. Counts "PART_added" and "PART_changed" for each
    part, "gone" for what is not in the catalogue any more.
    Raises InvalidError where a reading list cannot be made.
    """
    UnitOfWork.of(storing.session).acquire_write_lock()
    lock_account(storing.session, storing.user_id)
    rows = _still_there(storing, list(rows))
    by_part = {part: [row for row in rows if row.part == part] for part in PARTS}
    _store_stars(storing, by_part[COLLECTION] + by_part[RATINGS])
    store_collection(storing, by_part[COLLECTION])
    _store_pull_list(storing, by_part[PULL])
    _store_wishes(storing, by_part[WISHES])
    store_lists(storing, lists, by_part[ITEMS])
    return storing.counted


def _still_there(storing: Storing, rows: list[Chosen]) -> list[Chosen]:
    """The rows whose issue or series is there and will stay; merged ones mean what they became."""
    found = {}
    for kind in ("series", "issue"):  # in the order of all who lock
        ids = sorted({row.id for row in rows if (row.part == PULL) == (kind == "series")})
        if ids:
            found[kind] = _now(storing.session, kind, ids)
    kept = []
    for row in rows:
        now = found["series" if row.part == PULL else "issue"].get(row.id)
        if now is None:
            storing.counted["gone"] += 1
        else:
            kept.append(Chosen(row.part, now, row.values, row.list))
    return kept


def _now(session: Session, kind: str, ids: list[int]) -> dict[int, int]:
    """What ids stand for now, by id."""
    merged = session.execute(
        text("SELECT object_id, survivor_id FROM tombstone WHERE kind = :kind AND object_id = ANY(:ids)"),
        {"kind": kind, "ids": ids},
    )
    meant = dict.fromkeys(ids)
    meant = {each: each for each in meant} | dict(merged.all())
    there = session.scalars(
        text(f"SELECT id FROM {kind} WHERE id = ANY(:ids) ORDER BY id FOR KEY SHARE"),
        {"ids": [each for each in meant.values() if each is not None]},
    )
    there = set(there)
    return {each: now for each, now in meant.items() if now in there}


def _store_stars(storing: Storing, rows: list[Chosen]) -> None:
    """Give the stars of the file, where there are no own ones that stay."""
    wanted = {row.id: row for row in reversed(rows) if "rating" in row.values}
    if not wanted:
        return
    known = storing.session.execute(
        text(
            "SELECT i.id, r.rating FROM issue i"
            " LEFT JOIN issue_rating r ON r.issue_id = i.id AND r.user_id = :user WHERE i.id = ANY(:ids)"
        ),
        {"user": storing.user_id, "ids": list(wanted)},
    ).all()
    added = {row.id: row.values["added"] for row in rows if row.part == RATINGS and "added" in row.values}
    stars, fresh = {}, {}
    for issue_id, given in known:
        asked = wanted[issue_id].values["rating"]
        if given == asked or (given is not None and not storing.take_file):
            continue
        stars[issue_id] = asked
        if given is None and issue_id in added:
            fresh[issue_id] = added[issue_id]
        storing.counted["ratings_changed" if given is not None else "ratings_added"] += 1
    if not stars:
        return
    ratings.give(storing.session, storing.user_id, stars, today=storing.today)
    _stars_to_items(storing.session, storing.user_id, list(stars))
    if fresh:
        storing.session.execute(
            text(
                "UPDATE issue_rating r SET created_on = said.added"
                " FROM json_to_recordset(CAST(:rows AS json)) AS said (issue_id integer, added timestamptz)"
                " WHERE r.user_id = :user AND r.issue_id = said.issue_id"
            ),
            {
                "user": storing.user_id,
                "rows": packed([{"issue_id": each, "added": at} for each, at in fresh.items()]),
            },
        )


def _stars_to_items(session: Session, user_id: int, issue_ids: list[int]) -> None:
    """The items of the collection get the stars that their issues have now."""
    session.execute(
        text(
            "UPDATE collection_item c SET rating = r.rating, modified_before = c.modified,"
            " modified = greatest(clock_timestamp(), c.modified + interval '1 microsecond')"
            " FROM issue_rating r WHERE r.user_id = :user AND r.issue_id = c.issue_id AND c.user_id = :user"
            " AND c.issue_id = ANY(:ids) AND c.rating IS DISTINCT FROM r.rating"
        ),
        {"user": user_id, "ids": issue_ids},
    )


def _store_pull_list(storing: Storing, rows: list[Chosen]) -> None:
    if not rows:
        return
    followed = own_list(storing.session, PullList, storing.user_id)
    records = {row.id: {"series_id": row.id, "added": row.values.get("added")} for row in reversed(rows)}
    made = storing.session.execute(
        text(
            "INSERT INTO pull_list_series (pull_list_id, series_id, added_on)"
            " SELECT :list, said.series_id, coalesce(said.added, clock_timestamp())"
            " FROM json_to_recordset(CAST(:rows AS json)) AS said (series_id integer, added timestamptz)"
            " ORDER BY said.series_id ON CONFLICT DO NOTHING"
        ),
        {"list": followed.id, "rows": packed(list(records.values()))},
    )
    storing.counted["pull_list_added"] += made.rowcount


def _store_wishes(storing: Storing, rows: list[Chosen]) -> None:
    if not rows:
        return
    wishes = own_list(storing.session, WishList, storing.user_id)
    said = {row.id: row.values for row in reversed(rows)}
    present = storing.session.execute(
        text(
            f"SELECT issue_id, {', '.join(_WISH)} FROM wish_list_item"
            " WHERE wish_list_id = :list AND issue_id = ANY(:ids) ORDER BY id FOR UPDATE"
        ),
        {"list": wishes.id, "ids": list(said)},
    ).mappings()
    known = {row["issue_id"]: dict(row) for row in present}
    new = [_wish(issue_id, values) for issue_id, values in said.items() if issue_id not in known]
    changed = [
        merged
        for issue_id, row in known.items()
        if (merged := merge(row, said[issue_id], _WISH, storing.take_file)) != plain(row)
    ]
    columns, types = ", ".join(_WISH), ", ".join(f"{name} {type_}" for name, (_, type_) in _WISH.items())
    of_rows = f"json_to_recordset(CAST(:rows AS json)) AS said (issue_id integer, added timestamptz, {types})"
    if new:
        storing.session.execute(
            text(
                f"INSERT INTO wish_list_item (wish_list_id, issue_id, added_on, {columns})"
                " SELECT :list, issue_id, coalesce(added, clock_timestamp()),"
                f" {columns} FROM {of_rows} ORDER BY issue_id"
            ),
            {"list": wishes.id, "rows": packed(new)},
        )
    if changed:
        changes = ", ".join(f"{name} = said.{name}" for name in _WISH)
        storing.session.execute(
            text(
                f"UPDATE wish_list_item w SET {changes}, modified_before = w.modified,"
                " modified = greatest(clock_timestamp(), w.modified + interval '1 microsecond')"
                f" FROM {of_rows} WHERE w.wish_list_id = :list AND w.issue_id = said.issue_id"
            ),
            {"list": wishes.id, "rows": packed(changed)},
        )
    storing.counted["wish_list_added"] += len(new)
    storing.counted["wish_list_changed"] += len(changed)


def _wish(issue_id: int, values: dict) -> dict:
    said = {name: values.get(name, default) for name, (default, _type) in _WISH.items()}
    return {"issue_id": issue_id, "added": values.get("added"), **said}
