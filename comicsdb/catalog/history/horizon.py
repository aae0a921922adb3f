"""The horizon of the change feed: removal of old rows, and a record of where the remaining ones begin.

Clients that ask for removed rows can therefore be told so.
"""

from datetime import timedelta

from sqlalchemy import delete, func, literal_column, select, update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog.history.touched import OLDEST_RUNNING_XID
from comicsdb.models import Change, FeedHorizon, TouchedObject
from comicsdb.models.base import BIG_MAX

TOUCHED_TIME = timedelta(days=30)  # for which the feed knows objects that changed without an entry


def remove_older(session: Session, lines: timedelta | None, touched: timedelta = TOUCHED_TIME) -> int:
    """Remove log lines and touched objects older than these times; returns the number of rows.

    `lines` is None to keep all log lines. What remains has no gaps, even if the clock was set back: all rows
    before the first one that is young enough are removed.
    """
    counted = 0
    if lines is not None:
        young = select(func.min(Change.seq)).where(Change.at >= clock.now() - lines)
        old = Change.seq < func.coalesce(young.scalar_subquery(), BIG_MAX)
        seq, at = session.execute(select(func.max(Change.seq), func.max(Change.at)).where(old)).one()
        if seq is not None:
            counted += session.execute(delete(Change).where(Change.seq <= seq)).rowcount
            session.execute(update(FeedHorizon).values(seq=seq, at=at))
    young = select(func.min(TouchedObject.xid)).where(TouchedObject.at >= clock.now() - touched)
    old = TouchedObject.xid < func.coalesce(young.scalar_subquery(), literal_column(OLDEST_RUNNING_XID))
    xid = session.scalar(select(func.max(TouchedObject.xid)).where(old))
    if xid is not None:
        counted += session.execute(delete(TouchedObject).where(TouchedObject.xid <= xid)).rowcount
        session.execute(update(FeedHorizon).values(xid=xid + 1))
    return counted
