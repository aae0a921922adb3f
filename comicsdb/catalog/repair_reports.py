"""What may need repair: series that are there twice, a day's changes, and ids of other databases."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session, joinedload

from comicsdb.models import Change, Issue, Series, SeriesType, User
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb.models.choices import SeriesTypeCode

# Types of which a series may share name and volume with the run it belongs to.
BESIDE = (
    SeriesTypeCode.ANNUAL,
    SeriesTypeCode.DIGITAL_CHAPTER,
    SeriesTypeCode.GRAPHIC_NOVEL,
    SeriesTypeCode.HARDCOVER,
    SeriesTypeCode.OMNIBUS,
    SeriesTypeCode.TRADE_PAPERBACK,
)


def bad_volumes(session: Session) -> list[list[Series]]:
    """Groups of series of one publisher with the same name and volume; annuals and books by type."""
    sort = case((SeriesType.code.in_(BESIDE), SeriesType.id), else_=0)
    key = (Series.publisher_id, Series.folded, Series.volume, sort)
    ids = (
        select(func.array_agg(Series.id))
        .join(SeriesType, SeriesType.id == Series.series_type_id)
        .group_by(*key)
        .having(func.count() > 1)
        .order_by(func.min(Series.id))
    )
    groups = [sorted(group) for group in session.scalars(ids)]
    wanted = {each for group in groups for each in group}
    found = session.scalars(
        select(Series)
        .where(Series.id.in_(wanted))
        .options(joinedload(Series.series_type), joinedload(Series.publisher))
    )
    by_id = {each.id: each for each in found}
    return [[by_id[each] for each in group] for group in groups]


def changes_of(session: Session, day: date, zone: ZoneInfo) -> list:
    """What people did on a day of the site, the system account apart, as rows, one per object and person.

    A row has kind, object_id, username, actions (in their order) and last (a moment).
    """
    begin = datetime.combine(day, time(), zone)
    end = datetime.combine(day + timedelta(days=1), time(), zone)
    rows = (
        select(
            Change.kind,
            Change.object_id,
            User.username,
            func.array_agg(Change.action).label("actions"),
            func.max(Change.at).label("last"),
        )
        .join(User, User.id == Change.user_id)
        .where(Change.at >= begin, Change.at < end, Change.user_id != SYSTEM_USER_ID)
        .group_by(Change.kind, Change.object_id, User.username)
        .order_by(Change.kind, Change.object_id, User.username)
    )
    return session.execute(rows).all()


def external_ids(session: Session) -> dict[str, int]:
    """How many issues there are, and how many have an id of Comic Vine, of the GCD, of both, of neither."""
    cv, gcd = Issue.cv_id.is_not(None), Issue.gcd_id.is_not(None)
    return dict(
        session.execute(
            select(
                func.count().label("issues"),
                func.count().filter(cv).label("cv_id"),
                func.count().filter(gcd).label("gcd_id"),
                func.count().filter(cv & gcd).label("both"),
                func.count().filter(~cv & ~gcd).label("neither"),
            )
        )
        .mappings()
        .one()
    )
