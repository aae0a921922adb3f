"""Public profiles of readers: shelf, favourites and reading diary, if their owners publish them.

No page is cached. What is not public gets the same response as an unknown account; owners see all of their
own profile.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby

from pyramid.httpexceptions import HTTPMovedPermanently, HTTPNotFound
from sqlalchemy import func, select

from comicsdb.catalog import NotFoundError
from comicsdb.community import follows, profiles
from comicsdb.community.profiles import DIARY, FAVOURITES, SHELF, Entry, Favourite, ProfileView
from comicsdb.library.collection.figures import owned_issues
from comicsdb.models import Issue, Series
from comicsdb.values import iso_day
from comicsdb_web.http.routing import with_query
from comicsdb_web.lists import cards
from comicsdb_web.lists.paging import Page, paginate, requested_page
from comicsdb_web.pages.library.collection import private
from comicsdb_web.rendering.row_views import RowView, row_view

LATEST = 8  # issues of shelf and diary on the profile itself
PER_PAGE = 56


def find_profile(request, part: str | None = None) -> ProfileView:
    """The profile in the path; raises NotFoundError if the viewer may not see it, or the part."""
    wanted = request.matchdict["username"]
    viewer = request.identity.user_id if request.identity is not None else None
    profile = profiles.find(request.dbsession, wanted, viewer)
    if part is not None and not profile.shows(part):
        raise NotFoundError(profiles.KIND, wanted)
    if profile.user.username != wanted:
        words = request.matchdict | {"username": profile.user.username}
        raise HTTPMovedPermanently(
            with_query(request, request.route_path(request.matched_route.name, **words))
        )
    return profile


def profile(request):
    """A profile, with the beginning of each part."""
    reader = find_profile(request)
    session, user_id = request.dbsession, reader.user.id
    shelf, owned = [], 0
    if reader.shows(SHELF):
        ids = owned_issues(user_id)
        owned = session.scalar(select(func.count(ids.subquery().c.issue_id.distinct())))
        rows = cards.statement(Issue).where(Issue.id.in_(_latest_owned(user_id)))
        shelf = cards.load(session, Issue, rows.order_by(*cards.order(Issue)))
    read = []
    if reader.shows(DIARY):
        latest = profiles.entries(session, user_id, site_zone(request), limit=LATEST)
        read = list(cards_by_id(session, Issue, (each.issue_id for each in latest)).values())
    favourites = profiles.favourites(session, user_id) if reader.shows(FAVOURITES) else []
    return {
        "reader": reader,
        "favourites": [card for _id, card in favourite_cards(session, favourites)],
        "shelf": shelf,
        "owned": owned,
        "read": read,
        "follows": request.identity is not None
        and follows.follows(session, request.identity.user_id, user_id),
    }


def _latest_owned(user_id: int):
    """The ids of the issues that were added to a collection last."""
    owned = owned_issues(user_id)
    column = owned.selected_columns.issue_id
    table = column.table
    latest = owned.group_by(column).order_by(func.max(table.c.id).desc()).limit(LATEST)
    return latest.subquery().select()


def favourite_cards(session, favourites: Iterable[Favourite]) -> list[tuple[int, RowView]]:
    """The cards of favourites in their order, each with the id of the favourite."""
    favourites = list(favourites)
    by_kind = {
        model: cards_by_id(session, model, [getattr(each, name) for each in favourites])
        for model, name in ((Issue, "issue_id"), (Series, "series_id"))
    }
    chosen = (
        (each.id, by_kind[Issue].get(each.issue_id) or by_kind[Series].get(each.series_id))
        for each in favourites
    )
    return [(number, card) for number, card in chosen if card is not None]


def cards_by_id(session, model, ids: Iterable[int | None]) -> dict[int, RowView]:
    """Cards by the ids of their objects, in the order of the ids."""
    wanted = [each for each in ids if each is not None]
    if not wanted:
        return {}
    loaded = cards.load(session, model, cards.statement(model).where(model.id.in_(wanted)))
    by_id = {each.id: each for each in loaded}
    return {each: by_id[each] for each in wanted if each in by_id}


def shelf(request):
    """The issues that a reader owns, without any details of the copies."""
    reader = find_profile(request, SHELF)
    owned = Issue.id.in_(owned_issues(reader.user.id))
    ids = cards.id_statement(Issue).where(owned).order_by(*cards.order(Issue))
    count = select(func.count()).select_from(Issue).where(owned)
    rows = cards.statement(Issue).order_by(*cards.order(Issue))
    page = paginate(request, rows, ids, count, PER_PAGE)
    return {
        "reader": reader,
        "page": page,
        "issues": [row_view("issue", row._mapping) for row in page.rows],
    }


@dataclass(frozen=True)
class Diary:
    """A month of a diary: its days with the issues read, and the nearest months with reads on both sides."""

    month: profiles.Month
    earlier: profiles.Month | None
    later: profiles.Month | None
    days: list[tuple[date, list[RowView]]] = field(default_factory=list)


def diary(request):
    """The issues that a reader read in a month, by day; by default in the latest month with reads."""
    reader = find_profile(request, DIARY)
    months = profiles.months(request.dbsession, reader.user.id, site_zone(request))
    if not months:
        return {"reader": reader, "diary": None, "months": [], "page": None}
    wanted = request.GET.get("month")
    first = months[0].first if wanted is None else iso_day(f"{wanted}-01")
    place = next((place for place, each in enumerate(months) if each.first == first), None)
    if place is None:
        raise HTTPNotFound
    month = months[place]
    span = month.first, month_after(month.first)
    total = profiles.entry_count(request.dbsession, reader.user.id, site_zone(request), span)
    number, pages = requested_page(request, total, PER_PAGE)
    entries = profiles.entries(
        request.dbsession,
        reader.user.id,
        site_zone(request),
        limit=PER_PAGE,
        offset=(number - 1) * PER_PAGE,
        span=span,
    )
    return {
        "reader": reader,
        "months": months,
        "page": Page(entries, number, total, pages),
        "diary": Diary(
            month,
            months[place + 1] if place + 1 < len(months) else None,
            months[place - 1] if place else None,
            _days(request, entries),
        ),
    }


def _days(request, entries: list[Entry]) -> list[tuple[date, list[RowView]]]:
    issues = cards_by_id(request.dbsession, Issue, (each.issue_id for each in entries))
    return [
        (day, [issues[each.issue_id] for each in group if each.issue_id in issues])
        for day, group in groupby(entries, key=lambda each: each.day)
    ]


def month_after(first: date) -> date:
    """The first day of the next month, given the first day of a month."""
    return date(first.year + first.month // 12, first.month % 12 + 1, 1)


def site_zone(request):
    """The site's time zone: a diary has the same days for everybody."""
    return request.registry.settings["comicsdb.timezone"]


def add_reader_page(config, name, pattern, view, **options):
    """Directive: add the route `reader.NAME` below /readers/, which is never cached."""
    config.add_page(f"reader{name}", f"/readers/{{username}}/{pattern}", view, decorator=private, **options)


def includeme(config):
    """Add the pages."""
    config.add_directive("add_reader_page", add_reader_page)
    config.add_reader_page("", "", profile, renderer="reader/profile.jinja2", parameters=())
    config.add_reader_page(".shelf", "shelf/", shelf, renderer="reader/shelf.jinja2", parameters=("page",))
    config.add_reader_page(
        ".diary", "diary/", diary, renderer="reader/diary.jinja2", parameters=("month", "page")
    )
