"""The track bar of an issue and the progress in a series: members' own data on cards.

A bar has buttons for own, read, want and stars, which belong to one form in the layout. As rendered cards are
cached for all readers, an HTML comment is the placeholder of a bar or progress. `fill_marks` replaces the
placeholders of a page, with one statement for all its issues and one for all its series.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from markupsafe import Markup, escape
from pyramid.renderers import render
from sqlalchemy import ARRAY, Integer, Select, Text, any_, bindparam, cast, exists, func, select

from comicsdb.db.read_pool import CompiledQuery
from comicsdb.models import CollectionItem, Issue, IssueRating, ReadDate, WishList, WishListItem
from comicsdb_web.rendering.json_columns import rows_of

BAR_PLACEHOLDER = re.compile(
    r"<!--track (\d+) (\S+) (wide|small|run) (.*?)-->", re.DOTALL
)  # the label has no "<", as it is escaped
PROGRESS_PLACEHOLDER = re.compile(r"<!--progress (\d+)-->")
SLUG_PLACEHOLDER = "--slug--"  # in the buttons that are cached for a state
ENTRY_BYTES = 300  # besides the text


class Marks(NamedTuple):
    """The state of an issue in the library of a member."""

    owned: bool = False
    read: bool = False
    wanted: bool = False
    stars: int | None = None


@cache
def _statement() -> Select:
    """The statement for the marks of issues as a JSON list; `ids` is an array as text."""
    ids, user_id = bindparam("ids", type_=Text), bindparam("user_id", type_=Integer)
    issues = func.unnest(cast(ids, ARRAY(Integer))).table_valued("id").render_derived("issues")
    issue = issues.c.id
    owned = exists().where(CollectionItem.issue_id == issue, CollectionItem.user_id == user_id)
    read = exists().where(ReadDate.issue_id == issue, ReadDate.user_id == user_id)
    wish = exists().where(WishListItem.issue_id == issue, WishListItem.wish_list_id == WishList.id)
    wish = wish.where(WishList.user_id == user_id)
    rating = select(IssueRating.rating).where(IssueRating.issue_id == issue, IssueRating.user_id == user_id)
    marks = select(
        issue,
        owned.correlate(issues).label("owned"),
        read.correlate(issues).label("read"),
        wish.correlate(issues).label("wanted"),
        rating.correlate(issues).scalar_subquery().label("stars"),
    )
    return select(rows_of(marks))


@cache
def _query() -> CompiledQuery:
    return CompiledQuery.of(_statement())


@cache
def _progress() -> CompiledQuery:
    """The numbers of all, read and owned issues of series; without series that have none read or owned."""
    ids, user_id = bindparam("ids", type_=Text), bindparam("user_id", type_=Integer)
    read = func.count().filter(exists().where(ReadDate.issue_id == Issue.id, ReadDate.user_id == user_id))
    owned = exists().where(CollectionItem.issue_id == Issue.id, CollectionItem.user_id == user_id)
    counts = Issue.series_id, func.count().label("total"), read.label("read")
    counted = select(*counts, func.count().filter(owned).label("owned")).group_by(Issue.series_id)
    each = counted.where(Issue.series_id == any_(cast(ids, ARRAY(Integer)))).subquery()
    return CompiledQuery.of(select(rows_of(select(each).where(each.c.read + each.c.owned > 0))))


def _parameters(request, ids: Iterable[int]) -> dict:
    return {"ids": "{" + ",".join(map(str, sorted(ids))) + "}", "user_id": request.identity.user_id}


def _by_issue(rows: list[dict]) -> dict[int, Marks]:
    return {row.pop("id"): Marks(**row) for row in rows}


def marks_of(request, ids: Iterable[int]) -> dict[int, Marks]:
    """The reader's marks of issues, read in the current transaction."""
    return _by_issue(request.dbsession.scalar(_statement(), _parameters(request, ids)))


def track_bar(_request, issue, size: str = "small") -> Markup:
    """The placeholder of an issue's bar: `wide` has text; `run` can also mark earlier issues as read."""
    return Markup(f"<!--track {issue.id} {issue.slug} {size} {escape(issue.label)}-->")  # noqa: S704


def buttons(request, marks: Marks | None, slug: str, *, in_run: bool = False) -> Markup:
    """The buttons in the bar of an issue, rendered once for each state."""
    key = ("track_bar", request.locale_name, request.script_name, marks, in_run)
    kept = request.cache.lru.get(key)
    if kept is None or request.registry["comicsdb_web.reloads_templates"]:
        kept = render(
            "frame/track_bar.jinja2",
            {"slug": SLUG_PLACEHOLDER, "marks": marks or Marks(), "in_run": in_run},
            request=request,
        )
        kept = kept.strip()
        request.cache.lru.set(key, kept, ENTRY_BYTES + len(kept))
    return Markup(kept.replace(SLUG_PLACEHOLDER, slug))  # noqa: S704


def progress_line(_request, series) -> Markup:
    """The placeholder of the reader's progress in a series."""
    return Markup(f"<!--progress {series.id}-->")  # noqa: S704


def fill_marks(request, page: str) -> Markup:
    """Replace the placeholders in a page or fragment with bars and progress; members see their own data."""
    return Markup(_fill_progress(request, _fill_bars(request, page)))  # noqa: S704


def _fill_bars(request, page: str) -> str:
    found = {int(each[0]) for each in BAR_PLACEHOLDER.findall(page)}
    marks = {}
    if found and request.identity is not None:
        (rows,) = request.read_pool.fetch(_query(), _parameters(request, found))
        marks = _by_issue(rows)

    def bar(place: re.Match) -> str:
        issue_id, slug, size, label = place.groups()
        in_run = size == "run" and request.identity is not None
        size = "wide" if size == "wide" else "small"
        found = buttons(request, marks.get(int(issue_id)), slug, in_run=in_run)
        return _bar(issue_id, size, label, found)

    return BAR_PLACEHOLDER.sub(bar, page)


def _fill_progress(request, page: str) -> str:
    found = {int(each) for each in PROGRESS_PLACEHOLDER.findall(page)}
    counts = {}
    if found and request.identity is not None:
        (rows,) = request.read_pool.fetch(_progress(), _parameters(request, found))
        counts = {row["series_id"]: row for row in rows}

    def line(place: re.Match) -> str:
        counted = counts.get(int(place[1]))
        return render("frame/progress.jinja2", counted, request=request).strip() if counted else ""

    return PROGRESS_PLACEHOLDER.sub(line, page)


def marked_track_bar(request, issue, marks: Marks) -> Markup:
    """The wide bar of an issue whose marks are known."""
    bar = _bar(str(issue.id), "wide", str(escape(issue.label)), buttons(request, marks, issue.slug))
    return Markup(bar)  # noqa: S704


def _bar(issue_id: str, size: str, label: str, content: str) -> str:
    return (
        f'<div class="track track-{size}" role="group" aria-label="{label}" data-part="track-{issue_id}">'
        f"{content}</div>"
    )


def includeme(config):
    """Add `request.track_bar`, `.marked_track_bar`, `.progress_line` and `.fill_marks`."""
    config.add_request_method(track_bar)
    config.add_request_method(marked_track_bar)
    config.add_request_method(progress_line)
    config.add_request_method(fill_marks)
