"""What the services of a reader's library share: locks, stamps, the default lists, and looking up rows."""

from collections.abc import Iterable

from sqlalchemy import ARRAY, Integer, Select, any_, cast, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import NotFoundError
from comicsdb.library import acts
from comicsdb.models import Issue, PullList, Series, User, Variant, WishList
from comicsdb.models.base import INTEGER_MAX, max_value

_LIBRARY = 0x6C696272  # first key of the advisory locks; the second is the account's id


def lock_account(session: Session, user_id: int) -> None:
    """Serialise writers of an account's collection and ratings until the transaction ends.

    All further changes of the transaction are recorded as an act of the account (`library.acts`). This lock
    is taken before locks of rows.
    """
    locked = text(f"SELECT pg_advisory_xact_lock(:library, :account), {acts.BEGIN_SQL}")
    session.execute(locked, {"library": _LIBRARY, "account": user_id})
    session.info[acts.STARTED_KEY] = True


def lock_deleted_account(session: Session, user_id: int) -> None:
    """Lock an account that is being deleted with its acts, after `UnitOfWork.acquire_write_lock`."""
    locked = text("SELECT pg_advisory_xact_lock(:library, :account)")
    session.execute(locked, {"library": _LIBRARY, "account": user_id})


def check_account(session: Session, user_id: int) -> None:
    """Raise NoResultFound for an account that was just deleted, so that the request is retried."""
    session.get_one(User, user_id, populate_existing=True)


def stamp_values(model) -> dict:
    """The values that update a row's stamp: `modified` strictly increases, and its previous value is kept."""
    later = func.greatest(func.clock_timestamp(), model.modified + text("interval '1 microsecond'"))
    return {"modified": later, "modified_before": model.modified}


def find_row(session: Session, rows: Select, column, key: int, kind: str):
    """The one of some rows that has an id; raises NotFoundError, also for numbers that are no ids."""
    found = session.scalar(rows.where(column == key)) if 0 < key <= max_value(column.type) else None
    if found is None:
        raise NotFoundError(kind, key)
    return found


def default_list(session: Session, model: type, user_id: int) -> PullList | WishList:
    """The default list of an account, created on first use; safe with concurrent requests."""
    wanted = select(model).where(model.user_id == user_id).execution_options(populate_existing=True)
    found = session.scalar(wanted)
    if found is None:
        making = insert(model).values(user_id=user_id).on_conflict_do_nothing(index_elements=[model.user_id])
        session.execute(making)
        found = session.scalars(wanted).one()
    return found


def lock_rows(session: Session, model, ids: Iterable[int]) -> set[int]:
    """Lock rows against deletion until the transaction ends; returns the ids of those that exist."""
    wanted = [each for each in ids if 0 < each <= INTEGER_MAX]
    rows = select(model.id).where(model.id == any_(cast(wanted, ARRAY(Integer)))).order_by(model.id)
    return set(session.scalars(rows.with_for_update(read=True, key_share=True)))


def lock_series(session: Session, series_id: int) -> bool:
    """Lock a series against deletion until the transaction ends; False if there is none."""
    return bool(lock_rows(session, Series, [series_id]))


def lock_issue(session: Session, issue_id: int) -> bool:
    """Lock an issue and its series against deletion until the transaction ends; False if there is none."""
    known = 0 < issue_id <= INTEGER_MAX
    series_id = session.scalar(select(Issue.series_id).where(Issue.id == issue_id)) if known else None
    if series_id is None:
        return False
    lock_series(session, series_id)
    return bool(lock_rows(session, Issue, [issue_id]))


def lock_variant(session: Session, issue_id: int, variant_id: int) -> bool:
    """Lock a variant against deletion until the transaction ends; False if the issue has no such variant."""
    if not 0 < variant_id <= INTEGER_MAX:
        return False
    locked = select(Variant.id).where(Variant.id == variant_id, Variant.issue_id == issue_id)
    return session.scalar(locked.with_for_update(key_share=True, read=True)) is not None
