"""What the demo's reader keeps: a collection read over the last year, a pull list and some wishes."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from comicsdb.demo.chance import Dice
from comicsdb.library import collection, pull, wish
from comicsdb.models import Issue, Series, User
from comicsdb.models.choices import GRADES, BookFormat, GradingCompany

READER = "reader"
SERIES = 8  # of which the reader has issues: those with most
FOLLOWED = 6
WISHES = 12
GAP = 0.2  # how often an issue of such a series is missing
STORES = ("The Panel Shop", "Fumetteria Centrale", "Con, 2025")
PLACES = ("Box 1", "Box 2", "Shelf by the window")


def add_library(session: Session, today: date, zone: ZoneInfo) -> int:
    """Fill the library of the demo's reader and give the number of items; commits nothing."""
    reader = session.scalar(select(User).where(User.username == READER))
    if reader is None:
        return 0
    series = session.scalars(
        select(Series.id)
        .join(Issue, Issue.series_id == Series.id)
        .group_by(Series.id)
        .order_by(func.count().desc(), Series.id)
        .limit(SERIES)
    ).all()
    issues = session.scalars(
        select(Issue).where(Issue.series_id.in_(series)).order_by(Issue.cover_date, Issue.id)
    ).all()
    dice = Dice("library", READER)
    owned = [issue for issue in issues if not dice.happens(GAP)]
    rows = [(issue.id, _values(issue, today, zone)) for issue in owned if issue.is_released(today)]
    made = collection.add_many(session, reader.id, rows, today=today)
    for each in series[:FOLLOWED]:
        pull.add(session, reader.id, each)
    missing = [issue.id for issue in issues if issue.id not in made]
    for place, issue_id in enumerate(missing[-WISHES:]):
        wish.add(session, reader.id, issue_id, {"priority": 1 + place % 5})
    return len(made)


def _values(issue: Issue, today: date, zone: ZoneInfo) -> dict:
    """A copy of an issue: how it was bought, graded and read is the same whenever it is asked."""
    dice = Dice("copy", issue.slug)
    values = {
        "book_format": dice.pick((BookFormat.PRINT, BookFormat.PRINT, BookFormat.DIGITAL)).value,
        "quantity": 2 if dice.happens(0.05) else 1,
        "storage_location": dice.pick(PLACES),
        "purchase_store": dice.pick(STORES),
        "purchase_date": min(today, issue.cover_date + timedelta(days=dice.whole(0, 60))),
    }
    if dice.happens(0.8):
        values["purchase_price"] = Decimal(dice.whole(199, 999)) / 100
        values["purchase_currency"] = dice.pick(("USD", "USD", "EUR"))
    if dice.happens(0.4):
        values["grade"] = dice.pick(list(GRADES)[2:12])
        values["grading_company"] = GradingCompany.CGC.value if dice.happens(0.3) else ""
    if dice.happens(0.7):
        days = [today - timedelta(days=dice.whole(0, 330)) for _time in range(dice.whole(1, 2))]
        values["read_dates"] = [datetime.combine(day, time(20), zone) for day in sorted(set(days))]
        values["is_read"] = True
        if dice.happens(0.6):
            values["rating"] = dice.whole(2, 5)
    return values
