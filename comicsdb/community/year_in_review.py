"""A year in review: what a reader read and rated in a year."""

from dataclasses import dataclass
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from sqlalchemy import Date, cast, func, select
from sqlalchemy.orm import Session

from comicsdb.models import Creator, Credit, Issue, IssueRating, Publisher, ReadDate, Series

TOP = 8
COVERS = 5  # covers in the picture for sharing


@dataclass(frozen=True)
class YearInReview:
    """The figures of a year: an issue that was read several times counts once, but once in each month.

    `publishers` and `creators` are those with the most issues read (slug, name, number); `run` is the series
    of which most issues were read (id, number). `ratings` has the number of issues by stars given in the
    year, and `covers` are those of the issues read last.
    """

    issues: int
    by_month: list[tuple[date, int]]
    publishers: list[tuple[str, str, int]]
    creators: list[tuple[str, str, int]]
    run: tuple[int, int] | None
    ratings: dict[int, int]
    covers: list[str]


def year_in_review_of(session: Session, user_id: int, year: int, zone: ZoneInfo) -> YearInReview:
    """A reader's year, whose days are those of a time zone."""
    first, last = (datetime.combine(date(each, 1, 1), time(), zone) for each in (year, year + 1))
    in_year = (ReadDate.user_id == user_id, ReadDate.read_on >= first, ReadDate.read_on < last)
    read = select(ReadDate.issue_id, func.max(ReadDate.read_on).label("at")).where(*in_year)
    read = read.group_by(ReadDate.issue_id).subquery()
    month = cast(func.date_trunc("month", func.timezone(zone.key, ReadDate.read_on)), Date)
    number = func.count(ReadDate.issue_id.distinct())
    by_month = dict(session.execute(select(month, number).where(*in_year).group_by(month)).all())
    issues = func.count(Issue.id.distinct())
    of_series = select(Series.id, issues).join(Issue, Issue.series_id == Series.id)
    of_series = of_series.join(read, read.c.issue_id == Issue.id).group_by(Series.id)
    run = session.execute(of_series.order_by(issues.desc(), func.max(read.c.at).desc()).limit(1)).first()
    publishers = (
        select(Publisher.slug, Publisher.name, issues)
        .join(Series, Series.publisher_id == Publisher.id)
        .join(Issue, Issue.series_id == Series.id)
    )
    creators = (
        select(Creator.slug, Creator.name, issues)
        .join(Credit, Credit.creator_id == Creator.id)
        .join(Issue, Issue.id == Credit.issue_id)
    )
    tops = []
    for rows, model in ((publishers, Publisher), (creators, Creator)):
        counted = rows.join(read, read.c.issue_id == Issue.id).group_by(model.id)
        counted = counted.order_by(issues.desc(), model.folded, model.id).limit(TOP)
        tops.append([tuple(row) for row in session.execute(counted)])
    stars = select(IssueRating.rating, func.count()).where(
        IssueRating.user_id == user_id, IssueRating.created_on >= first, IssueRating.created_on < last
    )
    covers = select(Issue.image).join(read, read.c.issue_id == Issue.id)
    covers = covers.where(Issue.image != "").order_by(read.c.at.desc(), Issue.id).limit(COVERS)
    return YearInReview(
        session.scalar(select(func.count()).select_from(read)),
        [(date(year, each, 1), by_month.get(date(year, each, 1), 0)) for each in range(1, 13)],
        *tops,
        run=run and tuple(run),
        ratings=dict(session.execute(stars.group_by(IssueRating.rating)).all()),
        covers=list(session.scalars(covers)),
    )
