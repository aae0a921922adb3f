"""Previous and next lists of reading lists, kept symmetric, and the stamps that change with them.

Making B the next list of A also makes A the previous list of B, if the account manages both; otherwise the
link is one-sided.
"""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, func, or_, select, text, update
from sqlalchemy.orm import Session

from comicsdb.models import ReadingList

PREVIOUS, NEXT = "previous", "next"
OPPOSITE = {PREVIOUS: NEXT, NEXT: PREVIOUS}


def has_neighbour(list_id: int) -> ColumnElement[bool]:
    """The condition that a list has the given list as a neighbour."""
    return or_(ReadingList.previous_id == list_id, ReadingList.next_id == list_id)


def update_with_stamp(session: Session, which: ColumnElement[bool], values: dict | None = None) -> None:
    """Update columns of lists together with their stamp `modified`."""
    tick = text("interval '1 microsecond'")
    later = func.greatest(func.clock_timestamp(), ReadingList.modified + tick, ReadingList.rated + tick)
    moved = {"modified": later, "modified_before": ReadingList.modified, **(values or {})}
    changed = update(ReadingList).where(which).values(moved)
    session.execute(changed.execution_options(synchronize_session=False))


def with_neighbours(session: Session, ids: set[int]) -> set[int]:
    """The ids of lists and of their neighbours in either direction."""
    near = select(ReadingList.id, ReadingList.previous_id, ReadingList.next_id)
    shown_by = or_(ReadingList.previous_id.in_(ids), ReadingList.next_id.in_(ids))
    found = set(ids)
    for row in session.execute(near.where(or_(ReadingList.id.in_(ids), shown_by))):
        found |= {each for each in row if each is not None} if row.id in ids else {row.id}
    return found


def lock(session: Session, ids: Iterable[int]) -> None:
    """Lock lists in the order of their ids."""
    wanted = select(ReadingList.id).where(ReadingList.id.in_(set(ids))).order_by(ReadingList.id)
    session.execute(wanted.with_for_update(key_share=True))


def is_free(session: Session, found: ReadingList, side: str, partner: int) -> bool:
    """Whether a list has no neighbour on a side, and would not displace one of another list of its owner."""
    if getattr(found, f"{side}_id") is not None:
        return False
    back = getattr(ReadingList, f"{OPPOSITE[side]}_id")
    taken = select(ReadingList.id).where(
        ReadingList.id == partner, ReadingList.user_id == found.user_id, back.is_not(None), back != found.id
    )
    return session.scalar(taken) is None


def set_neighbours(
    session: Session, list_id: int, partners: dict[str, int | None], manageable: ColumnElement[bool]
) -> None:
    """Set neighbours of a locked list: `partners` maps PREVIOUS, NEXT or both to an id or None.

    `manageable` partners are updated too: the former one loses its link back, and the new one gets a link
    back, replacing its earlier neighbour.
    """
    if not partners:
        return
    at, mine = _lock_neighbours(session, list_id, partners, manageable)
    before = {each: dict(place) for each, place in at.items()}
    for side, partner in partners.items():
        back = OPPOSITE[side]
        _unlink(at, mine, at[list_id][side], back, list_id)
        at[list_id][side] = partner
        if partner in mine:
            _unlink(at, mine, at[partner][back], side, partner)
            if at[partner][side] == list_id:  # a list cannot be on both sides
                at[partner][side] = None
            at[partner][back] = list_id
    for each in sorted(at):
        if at[each] != before[each]:
            update_with_stamp(
                session, ReadingList.id == each, {f"{side}_id": other for side, other in at[each].items()}
            )


def _unlink(at: dict, mine: set[int], who: int | None, side: str, partner: int) -> None:
    """Remove the link of a manageable list to a partner, if it still has it."""
    if who in mine and at[who][side] == partner:
        at[who][side] = None


def _lock_neighbours(session: Session, list_id: int, partners: dict, manageable) -> tuple[dict, set[int]]:
    """Lock all lists that may change; returns the neighbours of each, and which are manageable."""
    first = {list_id, *filter(None, partners.values())}
    near = select(ReadingList.previous_id, ReadingList.next_id).where(ReadingList.id.in_(first))
    ids = first | {each for row in session.execute(near) for each in row if each is not None}
    lock(session, ids)
    columns = (ReadingList.id, ReadingList.previous_id, ReadingList.next_id, manageable.label("mine"))
    rows = session.execute(select(*columns).where(ReadingList.id.in_(ids))).all()
    at = {row.id: {PREVIOUS: row.previous_id, NEXT: row.next_id} for row in rows}
    return at, {row.id for row in rows if row.mine}
