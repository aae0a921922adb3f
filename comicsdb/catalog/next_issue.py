"""Proposed values for the next issue of a series, derived from the issues before it."""

import re
from calendar import monthrange
from datetime import date, timedelta
from itertools import pairwise
from statistics import median_low

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from comicsdb.issue_numbers import number_key
from comicsdb.models import Issue
from comicsdb.models.choices import YEARS, Precision

RECENT_ISSUES = 7  # issues from which intervals and values are derived
TRIED_MAX = 50  # numbers tried until one is free
MONTHLY_MIN = 27  # days between issues from which a series counts as monthly
WEEK = 7
MONTH_KNOWN = (Precision.DAY, Precision.MONTH)
_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})")
FIRST_NUMBER = "1"


def propose_next_issue(session: Session, series_id: int, after: int | None = None) -> dict:
    """Values by field for the issue that follows the last one of a series, or the issue with the id `after`.

    A field is missing if the earlier issues do not determine it. Runs two statements.
    """
    statement = select(Issue).where(Issue.series_id == series_id)
    if after is not None:
        last = select(Issue.series_order, Issue.id).where(Issue.id == after).scalar_subquery()
        statement = statement.where(tuple_(Issue.series_order, Issue.id) <= last)
    run = session.scalars(
        statement.order_by(Issue.series_order.desc(), Issue.id.desc()).limit(RECENT_ISSUES)
    ).all()
    if not run:
        return {"number": FIRST_NUMBER}
    values = {"number": _free_number(session, series_id, run[0].number), "rating": run[0].rating_id}
    if values["number"] and values["number"] == _incremented(run[0].number, 1):
        values["alt_number"] = _incremented(run[0].alt_number, 1)
    values |= _dates(run)
    priced = next((each for each in run if each.price is not None), None)
    if priced:
        values |= {"price": priced.price, "currency": priced.currency}
    values["page"] = next((each.page for each in run if each.page), None)
    return {name: value for name, value in values.items() if value not in (None, "")}


def _incremented(number: str, more: int) -> str:
    """A number some steps later, such as `009` after `008`; empty if the number does not end in digits."""
    found = _NUMBERED.fullmatch(number)
    return f"{found[1]}{int(found[2]) + more:0{len(found[2])}}" if found else ""


def _free_number(session: Session, series_id: int, number: str) -> str:
    later = filter(None, (_incremented(number, more) for more in range(1, TRIED_MAX)))
    numbers = {number_key(number): number for number in later}
    is_taken = (Issue.series_id == series_id) & Issue.number_key.in_(numbers)
    taken = set(session.scalars(select(Issue.number_key).where(is_taken)))
    return next((number for key, number in numbers.items() if key not in taken), "")


def _dates(run: list[Issue]) -> dict[str, date | Precision]:
    """The dates of the next issue; `run` has the earlier issues, latest first.

    The cover date is known as precisely as the last one; if that has no month, none is proposed.
    """
    dated = [each for each in run if each.cover_date_precision in MONTH_KNOWN]
    interval = _cover_interval(dated)
    stores = [each.store_date for each in run if each.store_date]
    months, days = _interval(stores) if len(stores) > 1 else interval
    if not (months or days):
        months, days = interval
    found, precision = {}, run[0].cover_date_precision
    if precision in MONTH_KNOWN:
        found["cover_date"] = _add_interval(dated[0].cover_date, *interval)
    if run[0].store_date:
        found["store_date"] = _add_interval(run[0].store_date, months, days, same_weekday=True)
        if run[0].foc_date:
            found["foc_date"] = found["store_date"] - (run[0].store_date - run[0].foc_date)
    found = {name: day for name, day in found.items() if YEARS[0] <= day.year <= YEARS[1]}
    if "cover_date" in found and precision == Precision.MONTH:
        found["cover_date_precision"] = Precision.MONTH
    return found


def _cover_interval(dated: list[Issue]) -> tuple[int, int]:
    """The usual time between cover dates, by those that are known to the day if the last one is."""
    if dated and dated[0].cover_date_precision == Precision.DAY:
        exact = [
            (later.cover_date - earlier.cover_date).days
            for later, earlier in pairwise(dated)
            if {later.cover_date_precision, earlier.cover_date_precision} == {Precision.DAY}
        ]
        if exact:
            return _usual(exact)
    return _interval([each.cover_date.replace(day=1) for each in dated])


def _interval(days: list[date]) -> tuple[int, int]:
    """The usual time between dates, latest first."""
    return _usual([(later - earlier).days for later, earlier in pairwise(days)])


def _usual(gaps: list[int]) -> tuple[int, int]:
    """The usual one of some gaps of days, in months or else in days; without gaps a month."""
    usual = median_low(gaps) if gaps else MONTHLY_MIN
    if usual < MONTHLY_MIN:
        return 0, max(usual, 0)
    return max(1, round(usual / 30.44)), 0


def _add_interval(day: date, months: int, days: int, *, same_weekday: bool = False) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    month += 1
    if year > YEARS[1]:
        return date.max
    last = monthrange(year, month)[1]
    is_last = day.day == monthrange(day.year, day.month)[1] and day.day > 28
    found = day.replace(year=year, month=month, day=last if is_last else min(day.day, last))
    if months and same_weekday:
        shift = (day.weekday() - found.weekday()) % WEEK
        found += timedelta(shift if shift <= WEEK // 2 else shift - WEEK)
    return found + timedelta(days)
