"""Releases: the issues that come into stores in a week, later, and on the days of a month."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta

from babel import dates
from pyramid.httpexceptions import HTTPFound, HTTPNotFound
from sqlalchemy import func, select

from comicsdb.catalog import search
from comicsdb.catalog.filters import Condition, at_least, at_most
from comicsdb.clock import monday_of
from comicsdb.models import Issue
from comicsdb.models.choices import EARLIEST_YEAR
from comicsdb.values import iso_day
from comicsdb_web.http.routing import query_with, with_query
from comicsdb_web.lists import cards
from comicsdb_web.pages.catalog.base import list_parameters, list_policy
from comicsdb_web.pages.catalog.issue import IssueViews
from comicsdb_web.rendering.locales import _, locale_of

FROM, UNTIL = Condition(at_least, Issue.store_date), Condition(at_most, Issue.store_date)
WEEK = timedelta(days=7)
YEARS = range(EARLIEST_YEAR, 9999)  # years whose weeks and months have neighbours
SHOWN = 3  # issues of a day in the calendar; a link leads to all of them


@dataclass(frozen=True)
class CalendarDay:
    """A day of the calendar: its first issues, their total number, and the path of the list of all."""

    date: date
    issues: list[Issue]
    number: int
    href: str


class ReleaseViews(IssueViews):
    """Issues by the day on which they come into stores, counted in the time zone of the site."""

    def this_week(self):
        """Monday to Sunday of the current week."""
        return self._week(self._monday, _("This week"))

    def next_week(self):
        """The seven days after the current week."""
        return self._week(self._monday + WEEK, _("Next week"))

    def week(self):
        """Any week by its Monday; other days redirect to it."""
        day = iso_day(self.request.matchdict["day"])
        if day is None or monday_of(day).year not in YEARS:
            raise HTTPNotFound(_("This week does not exist."))
        if day.weekday():
            path = self.request.route_path("issue.week", day=monday_of(day).isoformat())
            return HTTPFound(with_query(self.request, path))
        return self._week(day, "")

    def future(self):
        """All releases after next week."""
        monday = self._monday + 2 * WEEK
        values = {"name": _("Future releases"), "monday": monday, "is_open": True}
        before = {"before": self._week_path(monday - WEEK), "after": None}
        return self._filtered(FROM.clause("begin", monday), **values, **before)

    def month(self):
        """The days of a month, each with the first issues of its list; one statement."""
        first = self._month_asked_for()
        following = (first + timedelta(days=31)).replace(day=1)
        found = self._by_day(first, following - timedelta(days=1))
        days = [
            self._calendar_day(first + timedelta(days=each), found)
            for each in range((following - first).days)
        ]
        return {
            "month": first,
            "days": days,
            "total": sum(each.number for each in days),
            "weekdays": self._weekdays(),
            "before": self._month_path(first - timedelta(days=1)),
            "after": self._month_path(following),
        }

    @property
    def _monday(self) -> date:
        return monday_of(self.request.today)

    def _week(self, monday: date, name):
        values = {"name": name, "monday": monday, "is_open": False}
        ways = {"before": self._week_path(monday - WEEK), "after": self._week_path(monday + WEEK)}
        during = FROM.clause("begin", monday), UNTIL.clause("end", monday + timedelta(days=6))
        return self._filtered(*during, **values, **ways)

    def _week_path(self, monday: date) -> str | None:
        """The URL of a week with the filters of this page, None if its year is not in YEARS."""
        if monday.year not in YEARS:
            return None
        name = {self._monday: "issue.thisweek", self._monday + WEEK: "issue.nextweek"}.get(monday)
        words = {} if name else {"day": monday.isoformat()}
        path = self.request.route_path(name or "issue.week", **words)
        return path + query_with(self.request, page=None)

    def _month_asked_for(self) -> date:
        """The first day of the month in the path, by default of the current month."""
        text = self.request.matchdict.get("month")
        day = iso_day(f"{text}-01") if text else self.request.today
        if day is None or day.year not in YEARS:
            raise HTTPNotFound(_("This month does not exist."))
        return day.replace(day=1)

    def _month_path(self, day: date) -> str | None:
        if day.year not in YEARS:
            return None
        return self.request.route_path("issue.month", month=f"{day:%Y-%m}")

    def _by_day(self, first: date, last: date) -> dict:
        """The first issues of each day, by date; each has the number of all in `of_day`."""
        of_day = {"partition_by": Issue.store_date}
        ranked = (
            select(
                Issue.id,
                func.row_number().over(**of_day, order_by=search.order_columns(Issue)).label("place"),
                func.count().over(**of_day).label("number"),
            )
            .join(Issue.series)
            .where(Issue.store_date.between(first, last))
            .subquery()
        )
        rows = (
            cards.statement(Issue)
            .add_columns(ranked.c.number.label("of_day"))
            .join(ranked, ranked.c.id == Issue.id)
            .where(ranked.c.place <= SHOWN)
            .order_by(Issue.store_date, ranked.c.place)
        )
        found = defaultdict(list)
        for issue in cards.load(self.session, Issue, rows):
            found[issue.store_date].append(issue)
        return found

    def _calendar_day(self, day: date, found: dict) -> CalendarDay:
        rows = found.get(day, [])
        only = {"store_date_after": day.isoformat(), "store_date_before": day.isoformat()}
        href = self.request.route_path("issue.week", day=monday_of(day).isoformat(), _query=only)
        return CalendarDay(day, rows, rows[0].of_day if rows else 0, href)

    def _weekdays(self) -> list[str]:
        """The names of the days, Monday first."""
        names = dates.get_day_names("abbreviated", "stand-alone", locale=locale_of(self.request))
        return [names[each] for each in range(7)]


def includeme(config):
    """Add the pages; the pages of issues, whose slugs may be any other word, must come later."""
    shown = list_policy(ReleaseViews)
    pages = {
        "thisweek": ("/issue/thisweek", "this_week"),
        "nextweek": ("/issue/nextweek", "next_week"),
        "future": ("/issue/future", "future"),
        "week": ("/issue/week/{day}/", "week"),
    }
    listed = {"renderer": "release/week.jinja2", "shows": shown}
    listed["parameters"] = list_parameters(Issue, ReleaseViews.filters)
    for name, (address, attr) in pages.items():
        config.add_page(f"issue.{name}", address, ReleaseViews, attr=attr, **listed)
    for name, address in {"calendar": "/issue/calendar/", "month": "/issue/calendar/{month}/"}.items():
        config.add_page(
            f"issue.{name}", address, ReleaseViews, attr="month", renderer="release/month.jinja2", shows=shown
        )
