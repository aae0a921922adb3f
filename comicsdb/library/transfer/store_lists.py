"""Storing the reading lists of an import: new ones made, those of the same name completed."""

from collections import defaultdict

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import items
from comicsdb.library.reading_lists.links import is_free
from comicsdb.library.transfer.combine import Storing, packed
from comicsdb.library.transfer.format import ITEMS, LISTS
from comicsdb.models import ReadingList
from comicsdb.schemas.attribution import is_web_address
from comicsdb.security import Identity, Permission, may

_SOURCE = ("attribution_source", "attribution_url")
_SIDES = ("previous", "next")
_SAID = ("desc", "is_private", "list_type", *_SOURCE)


def store_lists(storing: Storing, lists: list[dict], rows: list) -> None:
    """Store reading lists and their items; a list of the account with the same name and source is the same.

    Items it lacks come to its end; with `take_file` it gets the order, types and description of the file, and
    what it alone has comes last. Raises InvalidError as `reading_lists.create` does.
    """
    session, identity, official = storing.session, storing.identity, storing.official
    by_list = defaultdict(
        dict
    )  # ids of issues with what is said of them, each once, in the order of the file
    for row in rows:
        by_list[row.list].setdefault(row.id, row.values)
    made = {}
    for place, said in enumerate(lists):
        values = _allowed(identity, said)
        found = _own(session, identity, values)
        if found is None:
            found = reading_lists.create(session, identity, official, values)
            storing.counted[f"{LISTS}_added"] += 1
        elif storing.take_file and (changes := _changes(found, values)):
            found = reading_lists.update(session, identity, official, found, changes)
            storing.counted[f"{LISTS}_changed"] += 1
        made[place + 1] = found
        if by_list[place]:
            _store_items(storing, found, by_list[place])
    for place, said in enumerate(lists, 1):
        _tie(storing, made, place, said)


def _allowed(identity: Identity, said: dict) -> dict:
    """The values of a list that the account may give it; sources are the staff's to say."""
    values = {name: said[name] for name in ("name", *_SAID) if name in said}
    if not may(identity, Permission.LIST_SOURCES):
        values = {name: value for name, value in values.items() if name not in _SOURCE}
    if not is_web_address(values.get("attribution_url", "")):
        values.pop("attribution_url", None)
    return values


def _own(session: Session, identity: Identity, values: dict) -> ReadingList | None:
    return session.scalar(
        select(ReadingList).where(
            ReadingList.user_id == identity.user_id,
            ReadingList.name == values["name"],
            ReadingList.attribution_source == values.get("attribution_source", ""),
        )
    )


def _changes(found: ReadingList, values: dict) -> dict:
    return {name: values[name] for name in _SAID if name in values and values[name] != getattr(found, name)}


def _store_items(storing: Storing, found: ReadingList, said: dict[int, dict]) -> None:
    session = storing.session
    held = reading_lists.lock_list(session, storing.identity, storing.official, found)
    types = {each: values["issue_type"] for each, values in said.items() if "issue_type" in values}
    before = set(_issues(session, found.id))
    added = items.add_issues(held, list(said), types=types).added
    _date_back(session, found.id, {each: said[each] for each in said if each not in before})
    storing.counted[f"{ITEMS}_added"] += added
    if storing.take_file and before:
        items.reorder(held, list(said))
        session.execute(
            text(
                "UPDATE reading_list_item i SET issue_type = said.kind"
                " FROM json_to_recordset(CAST(:rows AS json)) AS said (issue_id integer, kind text)"
                " WHERE i.reading_list_id = :list AND i.issue_id = said.issue_id"
                " AND i.issue_type <> said.kind"
            ),
            {"list": found.id, "rows": packed([{"issue_id": each, "kind": types[each]} for each in types])},
        )
        reading_lists.forget_stamps(session)


def _issues(session: Session, list_id: int) -> list[int]:
    rows = text('SELECT issue_id FROM reading_list_item WHERE reading_list_id = :list ORDER BY "order"')
    return list(session.scalars(rows, {"list": list_id}))


def _date_back(session: Session, list_id: int, said: dict[int, dict]) -> None:
    """New items came into the list when the file says they did."""
    rows = [
        {"issue_id": each, "added": values["added"]} for each, values in said.items() if "added" in values
    ]
    if rows:
        session.execute(
            text(
                "UPDATE reading_list_item i SET added_on = said.added"
                " FROM json_to_recordset(CAST(:rows AS json)) AS said (issue_id integer, added timestamptz)"
                " WHERE i.reading_list_id = :list AND i.issue_id = said.issue_id"
            ),
            {"list": list_id, "rows": packed(rows)},
        )
        reading_lists.forget_stamps(session)


def _tie(storing: Storing, made: dict[int, ReadingList], place: int, said: dict) -> None:
    """Give a list the neighbours that the file says, where it has none or those of the file are wanted."""
    found = storing.session.get_one(ReadingList, made[place].id, populate_existing=True)
    wanted = {
        side: made[said[side]].id
        for side in _SIDES
        if said.get(side) in made and made[said[side]].id not in (found.id, getattr(found, f"{side}_id"))
    }
    if not storing.take_file:
        wanted = {side: each for side, each in wanted.items() if is_free(storing.session, found, side, each)}
    after = [wanted.get(side, getattr(found, f"{side}_id")) for side in _SIDES]
    if wanted and after[0] != after[1]:
        reading_lists.update(storing.session, storing.identity, storing.official, found, wanted)
