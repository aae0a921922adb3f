"""The journal of accounts' changes to their own lists: the acts of the last day, which `library.undo` undoes.

Triggers record the changes (`alembic/baseline/library_acts.sql`) of every transaction that names an account:
everything it changes is one act. `locks.lock_account` names the account; code that does not take that lock
calls `begin`. Merges, deletions and imports of the catalog name no account: they are not acts of a reader.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import Select, Text, cast, delete, func, insert, select, text
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog.references import Reference, References
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.models import LibraryAct, LibraryChange, ReadingList

RETENTION = timedelta(days=1)
UNDO, IMPORT = "undo", "import"  # values of `LibraryAct.what`
SUBJECTS_SHOWN = 3  # objects of each sort that are named for an act
ABOUT_MAX = 100  # length of a file name in `about`

_LIST = ReadingList.__tablename__
_NEIGHBOURS = {"previous_id", "next_id"}  # columns that also change when another list is removed

STARTED_KEY = "library.act"  # key in `session.info`, set while changes are recorded

# An expression that makes triggers record all further changes of the transaction as an act of `:account`.
BEGIN_SQL = "set_config('comicsdb.account', CAST(:account AS text), true)"


def begin(session: Session, user_id: int) -> None:
    """Record all further changes of the transaction as an act of an account."""
    session.execute(text(f"SELECT {BEGIN_SQL}"), {"account": user_id})
    session.info[STARTED_KEY] = True


def begin_as(
    session: Session, user_id: int, what: str, *, about: str = "", undoes_id: int | None = None
) -> int:
    """Begin an act of a special kind, UNDO or IMPORT; returns its id."""
    values = {"user_id": user_id, "what": what, "about": about[-ABOUT_MAX:], "undoes_id": undoes_id}
    act = insert(LibraryAct).values(values).returning(LibraryAct.id).cte("act")
    account = func.set_config("comicsdb.account", str(user_id), True)
    session.info[STARTED_KEY] = True
    return session.scalar(
        select(act.c.id, account, func.set_config("comicsdb.act", cast(act.c.id, Text), True))
    )


def resume(session: Session, user_id: int, act_id: int) -> None:
    """Continue an act in another transaction."""
    named = text(f"SELECT {BEGIN_SQL}, set_config('comicsdb.act', CAST(:act AS text), true)")
    session.execute(named, {"account": user_id, "act": act_id})
    session.info[STARTED_KEY] = True


def current_id(session: Session) -> int | None:
    """The id of the transaction's act, None if it has not changed anything yet.

    This executes a statement only if changes are being recorded.
    """
    if STARTED_KEY not in session.info:
        return None
    found = session.scalar(text("SELECT current_setting('comicsdb.act', true)"))
    return int(found) if found else None


def undoable_since() -> datetime:
    """The time after which an act can still be undone."""
    return clock.now() - RETENTION


def of_account(user_id: int) -> Select:
    """The acts of an account that can still be undone, newest first."""
    acts = select(LibraryAct).where(LibraryAct.user_id == user_id, LibraryAct.at > undoable_since())
    return acts.order_by(LibraryAct.id.desc())


@dataclass
class Subjects:
    """The subjects of an act, by id: some issues, series, and names of reading lists.

    All of them may have been deleted or merged since.
    """

    issues: dict[int, Reference | None] = field(default_factory=dict)
    series: dict[int, Reference | None] = field(default_factory=dict)
    lists: dict[int, str | None] = field(default_factory=dict)
    more: bool = False  # whether there are more issues or series


# The first and last changes of each act; a list that was removed with its items is among the last.
_SUBJECTS = text("""
    SELECT change.* FROM unnest(CAST(:acts AS bigint[])) AS act (id) CROSS JOIN LATERAL (
        (SELECT act_id, id, issue_id, series_id, list_id, table_name, before, after FROM library_change
         WHERE act_id = act.id ORDER BY id LIMIT 20)
        UNION
        (SELECT act_id, id, issue_id, series_id, list_id, table_name, before, after FROM library_change
         WHERE act_id = act.id ORDER BY id DESC LIMIT 2)
    ) change ORDER BY change.act_id, change.id
""")


def subjects(session: Session, act_ids: Sequence[int]) -> dict[int, Subjects]:
    """The subjects of acts, up to three objects of each sort; takes at most five statements."""
    found = {each: Subjects() for each in act_ids}
    for row in session.execute(_SUBJECTS, {"acts": list(act_ids)}) if act_ids else ():
        about = found[row.act_id]
        for known, each in ((about.issues, row.issue_id), (about.series, row.series_id)):
            if each is not None and each not in known:
                about.more |= len(known) == SUBJECTS_SHOWN
                if len(known) < SUBJECTS_SHOWN:
                    known[each] = None
        known = about.lists
        if row.list_id is not None and (row.list_id in known or len(known) < SUBJECTS_SHOWN):
            values = (row.after or {}) | (row.before or {}) if row.table_name == _LIST else {}
            if not values or _is_more_than_neighbours(row):
                known[row.list_id] = values.get("name") or known.get(row.list_id)
    _load_names(session, found.values())
    return found


def _is_more_than_neighbours(row) -> bool:
    """Whether a list itself was changed, not only its neighbours by the removal of another list."""
    before, after = row.before or {}, row.after or {}
    return any(before.get(name) != after.get(name) for name in {*before, *after} - _NEIGHBOURS)


def _load_names(session: Session, found: Collection[Subjects]) -> None:
    wanted = {
        "issue": {each for about in found for each in about.issues},
        "series": {each for about in found for each in about.series},
    }
    references = References(session, wanted)
    for about in found:
        about.issues = {each: references.to("issue", each) for each in about.issues}
        about.series = {each: references.to("series", each) for each in about.series}
    ids = {each for about in found for each, name in about.lists.items() if name is None}
    lists = select(ReadingList.id, ReadingList.name).where(ReadingList.id.in_(ids))
    names = dict(session.execute(lists).all()) if ids else {}
    for about in found:
        about.lists = {each: name or names.get(each) for each, name in about.lists.items()}


def clean(session: Session) -> int:
    """Delete acts that are too old to undo; returns their number. A sweep deletes pictures kept for them."""
    old = delete(LibraryAct).where(LibraryAct.at <= undoable_since())
    return session.execute(old.execution_options(synchronize_session=False)).rowcount


def release_pictures(session: Session, user_id: int) -> None:
    """Delete, after the commit, the pictures of reading lists that only the acts of an account refer to."""
    change = LibraryChange
    key = change.before["image"].astext
    named = select(key).join(LibraryAct, LibraryAct.id == change.act_id)
    named = named.where(LibraryAct.user_id == user_id, change.table_name == _LIST, key != "")
    named = named.where(key.not_in(select(ReadingList.image).where(ReadingList.image != "")))
    UnitOfWork.of(session).release_files(session.scalars(named).all())
