"""Figures of the whole site: how many objects there are, when they were added, and by whom.

They are plain data, so that the site can cache them.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import Date, cast, func, select
from sqlalchemy.orm import Session

from comicsdb.clock import first_of_month
from comicsdb.models import Arc, Character, Creator, Issue, Publisher, Series, Team, User
from comicsdb.models.base import SYSTEM_USER_ID

TOTALS = (Publisher, Series, Issue, Character, Creator, Team, Arc)
DAYS = 30
MONTHS = 12
YEARS = 5  # minimum number shown, so that there is a chart
PUBLISHERS = 9  # shown by name; the others are added up


def catalog_figures(session: Session, zone: ZoneInfo, today: date) -> dict:
    """The figures of the statistics page, in five statements; days are those of the site's time zone.

    totals: number of objects by kind. by_year, by_day, by_month: lists of [day, issues added] without gaps,
    where years and months are given by their first day. creators, characters: the same by month. publishers:
    [name, slug, issues] of the largest ones. others: the number of issues of all other publishers.
    """
    by_day = _added_by_day(session, Issue, zone)
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    months = [first_of_month(today, back) for back in reversed(range(MONTHS))]
    years = range(min(min(by_day, default=today).year, today.year - YEARS + 1), today.year + 1)
    by_year = Counter()
    for day, count in by_day.items():
        by_year[day.year] += count
    named = _publishers(session)
    totals = _totals(session)
    return {
        "totals": totals,
        "by_year": [[date(year, 1, 1).isoformat(), by_year[year]] for year in years],
        "by_day": [[day.isoformat(), by_day.get(day, 0)] for day in days],
        "by_month": _by_month(by_day, months),
        "creators": _by_month(_added_by_day(session, Creator, zone, months[0]), months),
        "characters": _by_month(_added_by_day(session, Character, zone, months[0]), months),
        "publishers": named,
        "others": max(0, totals["issue"] - sum(count for _name, _slug, count in named)),
    }


def count_added(
    session: Session, models: Iterable[type], zone: ZoneInfo, begin: date, end: date
) -> dict[str, int]:
    """The objects added from a day until before another, by table; the system account is not counted."""
    moments = [datetime.combine(day, time(), zone) for day in (begin, end)]
    counts = []
    for model in models:
        is_account = model is User
        added = model.date_joined if is_account else model.created_on
        rows = select(func.count()).select_from(model).where(added >= moments[0], added < moments[1])
        counts.append((rows.where(User.id != SYSTEM_USER_ID) if is_account else rows).scalar_subquery())
    numbers = session.execute(select(*counts)).one()
    return dict(zip((model.__tablename__ for model in models), numbers, strict=True))


def issues_by_account(session: Session) -> list[tuple[str, int]]:
    """The names of accounts with the number of issues that each added, most first."""
    number = func.count()
    rows = (
        select(User.username, number)
        .join(Issue, Issue.created_by_id == User.id)
        .group_by(User.id)
        .order_by(number.desc(), func.lower(User.username), User.id)
    )
    return [tuple(row) for row in session.execute(rows)]


def _totals(session: Session) -> dict[str, int]:
    counts = (select(func.count()).select_from(model).scalar_subquery() for model in TOTALS)
    numbers = session.execute(select(*counts)).one()
    return dict(zip((model.__tablename__ for model in TOTALS), numbers, strict=True))


def _added_by_day(session: Session, model, zone: ZoneInfo, first: date | None = None) -> dict[date, int]:
    """The number of objects of a kind added on each day, optionally from a first day on."""
    day = cast(func.timezone(zone.key, model.created_on), Date)
    rows = select(day, func.count()).group_by(day)
    if first is not None:
        rows = rows.where(model.created_on >= datetime.combine(first, time(), zone))
    return dict(session.execute(rows).all())


def _by_month(by_day: dict[date, int], months: list[date]) -> list[list]:
    counted = Counter()
    for day, count in by_day.items():
        counted[day.replace(day=1)] += count
    return [[month.isoformat(), counted[month]] for month in months]


def _publishers(session: Session) -> list[list]:
    """The publishers with the most issues, with their numbers of issues."""
    issues = (
        select(Series.publisher_id, func.count().label("issues"))
        .join(Issue, Issue.series_id == Series.id)
        .group_by(Series.publisher_id)
        .subquery()
    )
    rows = (
        select(Publisher.name, Publisher.slug, issues.c.issues)
        .join(issues, issues.c.publisher_id == Publisher.id)
        .order_by(issues.c.issues.desc(), Publisher.folded, Publisher.id)
        .limit(PUBLISHERS)
    )
    return [list(row) for row in session.execute(rows)]
