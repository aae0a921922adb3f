"""The track bar of an issue: buttons for own, read, want and stars, on cards, rows and pages.

Members see their marks. As cards are rendered once for all who see the same, the place of a bar is a comment
of HTML, and `fill_track_bars` replaces those of a page, with one statement for the marks of all its issues.
The buttons belong to one form, which the layout writes.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from markupsafe import Markup, escape
from pyramid.renderers import render
from sqlalchemy import ARRAY, Integer, Select, Text, bindparam, cast, exists, func, select

from comicsdb.db.read_pool import CompiledQuery
from comicsdb.models import CollectionItem, IssueRating, ReadDate, WishList, WishListItem
from comicsdb_web.lists.parts import rows_of

PLACE = re.compile(
    r"<!--track (\d+) (\S+) (wide|small) (.*?)-->", re.DOTALL
)  # text has no "<", as it is escaped
SLUG = "--slug--"  # in the buttons that are kept for a state
ENTRY_BYTES = 300  # beside the text


class Marks(NamedTuple):
    """What a member has of an issue."""

    owned: bool = False
    read: bool = False
    wanted: bool = False
    stars: int | None = None


@cache
def _statement() -> Select:
    """The marks of issues, whose `ids` are an array in text, as a JSON list."""
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


def _parameters(request, ids: Iterable[int]) -> dict:
    return {"ids": "{" + ",".join(map(str, sorted(ids))) + "}", "user_id": request.identity.user_id}


def _by_issue(rows: list[dict]) -> dict[int, Marks]:
    return {row.pop("id"): Marks(**row) for row in rows}


def marks_of(request, issue_id: int) -> Marks:
    """The reader's marks of an issue in the present transaction."""
    rows = request.dbsession.scalar(_statement(), _parameters(request, [issue_id]))
    return _by_issue(rows)[issue_id]


def track_bar(_request, issue, *, wide: bool = False) -> Markup:
    """The place of the bar of an issue, `wide` with words."""
    size = "wide" if wide else "small"
    return Markup(f"<!--track {issue.id} {issue.slug} {size} {escape(issue.label)}-->")  # noqa: S704


def buttons(request, marks: Marks | None, slug: str) -> Markup:
    """What the bar of an issue contains, made once for each state."""
    key = ("track_bar", request.locale_name, request.script_name, marks)
    kept = request.cache.lru.get(key)
    if kept is None or request.registry["comicsdb_web.reloads_templates"]:
        kept = render("frame/track_bar.jinja2", {"slug": SLUG, "marks": marks or Marks()}, request=request)
        kept = kept.strip()
        request.cache.lru.set(key, kept, ENTRY_BYTES + len(kept))
    return Markup(kept.replace(SLUG, slug))  # noqa: S704


def fill_track_bars(request, page: str) -> Markup:
    """A page or a part of one with the bars at their places; one statement for members, if there are any."""
    found = {int(each[0]) for each in PLACE.findall(page)}
    marks = {}
    if found and request.identity is not None:
        (rows,) = request.read_pool.fetch(_query(), _parameters(request, found))
        marks = _by_issue(rows)

    def bar(place: re.Match) -> str:
        issue_id, slug, size, label = place.groups()
        return (
            f'<div class="track track-{size}" role="group" aria-label="{label}" data-part="track-{issue_id}">'
            f"{buttons(request, marks.get(int(issue_id)), slug)}</div>"
        )

    return Markup(PLACE.sub(bar, page))  # noqa: S704


def includeme(config):
    """Add `request.track_bar` and `request.fill_track_bars`."""
    config.add_request_method(track_bar)
    config.add_request_method(fill_track_bars)
