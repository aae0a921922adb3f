"""Reports for maintainers: duplicate series, a day's changes, external ids, and counts of problems."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Select, case, exists, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by, distinct_on
from sqlalchemy.orm import Session, joinedload

from comicsdb.catalog.advice import RULES, breaches
from comicsdb.models import Change, Credit, Issue, Series, SeriesType, User
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb.models.choices import SeriesTypeCode

# Types of series that may have the same name and volume as the main series.
DISTINCT_TYPES = (
    SeriesTypeCode.ANNUAL,
    SeriesTypeCode.DIGITAL_CHAPTER,
    SeriesTypeCode.GRAPHIC_NOVEL,
    SeriesTypeCode.HARDCOVER,
    SeriesTypeCode.OMNIBUS,
    SeriesTypeCode.TRADE_PAPERBACK,
)


def _duplicate_groups() -> Select:
    """The ids of series with the same publisher, name and volume."""
    sort = case((SeriesType.code.in_(DISTINCT_TYPES), SeriesType.id), else_=0)
    return (
        select(func.array_agg(Series.id))
        .join(SeriesType, SeriesType.id == Series.series_type_id)
        .group_by(Series.publisher_id, Series.folded, Series.volume, sort)
        .having(func.count() > 1)
    )


def find_duplicate_volumes(session: Session) -> list[list[Series]]:
    """Groups of series with the same publisher, name and volume; annuals and books only within their type."""
    ids = _duplicate_groups().order_by(func.min(Series.id))
    groups = [sorted(group) for group in session.scalars(ids)]
    wanted = {each for group in groups for each in group}
    found = session.scalars(
        select(Series)
        .where(Series.id.in_(wanted))
        .options(joinedload(Series.series_type), joinedload(Series.publisher))
    )
    by_id = {each.id: each for each in found}
    return [[by_id[each] for each in group] for group in groups]


def changes_on_day(session: Session, day: date, zone: ZoneInfo) -> list:
    """The changes of a day in a time zone, one row per object and user; without the system account's.

    A row has kind, object_id, username, actions (a list) and last (a time).
    """
    begin = datetime.combine(day, time(), zone)
    end = datetime.combine(day + timedelta(days=1), time(), zone)
    rows = (
        select(
            Change.kind,
            Change.object_id,
            User.username,
            func.array_agg(aggregate_order_by(Change.action, Change.seq)).label("actions"),
            func.max(Change.at).label("last"),
        )
        .join(User, User.id == Change.user_id)
        .where(Change.at >= begin, Change.at < end, Change.user_id != SYSTEM_USER_ID)
        .group_by(Change.kind, Change.object_id, User.username)
        .order_by(Change.kind, Change.object_id, User.username)
    )
    return session.execute(rows).all()


def count_external_ids(session: Session) -> dict[str, int]:
    """The number of issues, and of those with an id of Comic Vine, of the GCD, of both, and of neither."""
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


NO_COVER = Issue.image == ""
NO_CREDITS = ~exists().where(Credit.issue_id == Issue.id)


def _without_credits() -> ColumnElement[int]:
    """The number of issues that meet NO_CREDITS: all issues minus those in the index of credits."""
    credited = select(Credit.issue_id).ext(distinct_on(Credit.issue_id)).order_by(Credit.issue_id).subquery()
    issues, with_credits = (select(func.count()).select_from(rows) for rows in (Issue, credited))
    return issues.scalar_subquery() - with_credits.scalar_subquery()


def count_problems(session: Session) -> dict[str, int]:
    """Counts of objects that need work, by problem; runs two statements.

    "covers" and "credits" count issues that have none, "duplicates" counts groups of
    `find_duplicate_volumes`. Each broken advisory rule (`advice.RULES`) has its number of breaches, by its
    name.
    """
    counts = (
        select(func.count()).select_from(Issue).where(NO_COVER).scalar_subquery(),
        _without_credits(),
        select(func.count()).select_from(_duplicate_groups().subquery()).scalar_subquery(),
    )
    wanting = dict(
        zip(("covers", "credits", "duplicates"), session.execute(select(*counts)).one(), strict=True)
    )
    found = breaches()
    broken = session.execute(select(found.c.place, func.count()).group_by(found.c.place)).all()
    rules = {RULES[place].name: count for place, count in sorted(tuple(row) for row in broken)}
    return wanting | rules
