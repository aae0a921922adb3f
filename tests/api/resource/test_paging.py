"""Pages: near and far, first and last, their links, and how many statements they take."""

from itertools import product
from urllib.parse import urlsplit

import pytest

from comicsdb.db import keyset
from comicsdb_api.resource import listing
from tests.api.bodies import BASE
from tests.api.bulk_rows import (
    ARCS,
    DEEP_PAGE,
    ISSUES,
    ISSUES_IN_ARC,
    NAMES,
    PAGE_SIZE,
    ROW_COUNT,
    SERIES,
    UNIVERSES,
    BulkRows,
    expected_summary,
    page_count,
    page_summary,
    with_page,
)
from tests.api.resource.test_statements import AGAIN
from tests.cases import for_each
from tests.conftest import record_statements

NO_PAGE = {"detail": "Invalid page."}


@pytest.fixture
def many(make):
    """Rows in bulk."""
    return BulkRows(make)


# All pages together are the list.


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 200, 501, 600, ROW_COUNT])
def test_pages_begin_and_end_where_they_should(api, many, count):
    many.add("issue", count)
    ids = many.ids(ISSUES.format(""))
    assert len(ids) == count
    pages = page_count(count)
    for path in ("/api/issue/", "/api/issue/?cover_year=2020"):
        for page in (*range(pages, 0, -1), "last"):  # far ones first, while nothing about the list is cached
            body = api.json(with_page(path, page))
            assert list(body) == ["count", "next", "previous", "results"]
            assert page_summary(body) == expected_summary(ids, page)
        for page in (pages + 1, pages + 2, pages + 10, 10**6):
            assert api.json(with_page(path, page), 404) == NO_PAGE


LISTS = {
    "/api/arc/": ("arc", ARCS.format("")),
    "/api/arc/?name=%C3%81": ("arc", ARCS.format("WHERE fold(name) LIKE '%a%'")),
    "/api/universe/": ("universe", UNIVERSES),
    "/api/series/": ("series", SERIES.format("")),
    "/api/series/?year_began=2001": ("series", SERIES.format("WHERE s.year_began = 2001")),
    "/api/publisher/{publisher}/series_list/": ("series", SERIES.format("")),
    "/api/issue/": ("issue", ISSUES.format("")),
    "/api/issue/?cover_month=2": ("issue", ISSUES.format("WHERE extract('month' FROM i.cover_date) = 2")),
    "/api/arc/{arc}/issue_list/": ("issue", ISSUES_IN_ARC),
}


@pytest.mark.parametrize("path", LISTS)
def test_far_pages_are_those_that_walking_would_reach(api, many, monkeypatch, path):
    monkeypatch.setattr(listing, "OFFSET_PAGES_MAX", 2)
    kind, statement = LISTS[path]
    many.add(kind, 1100 if "?" in path else 353)
    path = path.format(publisher=many.publisher.id, arc=many.arc.id)
    ids = many.ids(statement)
    pages = page_count(len(ids))
    assert pages > 3
    for pages_in_turn in (range(pages, 0, -1), range(1, pages + 1)):
        for page in pages_in_turn:
            assert page_summary(api.json(with_page(path, page))) == expected_summary(ids, page)
        assert page_summary(api.json(with_page(path, "last"))) == expected_summary(ids, pages)
        assert api.json(with_page(path, pages + 1), 404) == NO_PAGE
        many.bump_versions()


def test_following_next_visits_everything_once_and_previous_leads_back(api, many):
    many.add("issue", ROW_COUNT)
    ids, link, seen = many.ids(ISSUES.format("")), f"{BASE}/api/issue/?page=&format=json", []
    while link:
        address = urlsplit(link)
        body = api.json(f"{address.path}?{address.query}")
        seen += page_summary(body)[1]
        link = body["next"]
    assert seen == ids
    back = []
    while body["previous"]:
        body = api.json(body["previous"].removeprefix(BASE))
        back = page_summary(body)[1] + back
    assert back == ids[: 7 * PAGE_SIZE]


# Links.


@pytest.mark.parametrize("query", ["", "strict=&strict=0", "format=json&strict=%C3%A9+"])
def test_links_of_far_pages_keep_the_other_parameters(api, many, query):
    many.add("issue", ROW_COUNT)
    for path in ("/api/issue/", f"/api/arc/{many.arc.id}/issue_list/"):
        body = api.json(f"{path}?page={DEEP_PAGE}&{query}")
        for link, number in ((body["next"], DEEP_PAGE + 1), (body["previous"], DEEP_PAGE - 1)):
            parts = [*filter(None, query.split("&")), f"page={number}"]
            assert link == f"{BASE}{path}?{'&'.join(sorted(parts, key=lambda part: part.split('=')[0]))}"


def test_links_repeat_the_address_that_was_asked(api, many):
    many.add("issue", PAGE_SIZE + 1)
    for number in (f"00{many.arc.id}", str(many.arc.id), f"0{many.arc.id}"):
        path = f"/api/arc/{number}/issue_list/"
        assert api.json(path)["next"] == f"{BASE}{path}?page=2"
        assert api.json(f"{path}?page=last")["previous"] == BASE + path


# Pages that do not exist.


@for_each("path", ["/api/arc/", "/api/arc/{}/issue_list/", "/api/arc/?name=z", "/api/role/"])
@for_each("page", [2, 5, 6, 7, 99_999, 2**31 // 100 + 2, 10**9 - 1, 10**9, 10**19])
def test_a_page_past_the_end_however_far(api, many, path, page):
    assert api.json(with_page(path.format(many.arc.id), page), 404) == NO_PAGE


def test_what_is_no_page(api, many):
    many.add("issue", 2 * PAGE_SIZE + 1)
    paths = ["/api/issue/", f"/api/arc/{many.arc.id}/issue_list/", "/api/role/"]
    for page in ("0", "-1", "x", "1.0", "%202", "2%20", "Last", "last,1", "%D9%A2", "%00"):
        many.bump_versions()
        for path, known in product(paths, (False, True)):
            assert api.json(with_page(path, page), 404) == NO_PAGE, (path, page, known)
            api.get(path)


# Costs.


@pytest.mark.parametrize("path", ["/api/issue/", "/api/arc/{}/issue_list/", "/api/issue/?cover_year=2020"])
def test_places_are_looked_for_once(api, many, connection, path):
    many.add("issue", ROW_COUNT)
    path = path.format(many.arc.id)
    api.get(with_page(path, DEEP_PAGE))
    for page in (DEEP_PAGE + 1, "last"):
        with record_statements(connection) as statements:
            api.get(with_page(path, page))
        assert len(statements) == AGAIN, statements
        assert "count(" not in statements[-1]


@pytest.mark.parametrize("path", ["/api/issue/", "/api/arc/{}/issue_list/", "/api/issue/?cover_year=2020"])
def test_from_a_place_few_rows_are_passed_by(api, many, monkeypatch, path):
    many.add("issue", ROW_COUNT)
    passed, rows = [], listing.Listing._rows

    def noted(listed, request, wanted, number, known):
        place = keyset.nearest_place(known.places, (number - 1) * PAGE_SIZE) if known else None
        passed.append((number - 1) * PAGE_SIZE - (place[0] if place else 0))
        return rows(listed, request, wanted, number, known)

    monkeypatch.setattr(listing.Listing, "_rows", noted)
    for page in (DEEP_PAGE, DEEP_PAGE + 1, DEEP_PAGE + 2):
        api.get(with_page(path.format(many.arc.id), page))
    groups = 2 if "issue_list" in path else len(NAMES)  # cover dates, series
    assert max(passed) <= listing.PAGES_PER_POSITION * PAGE_SIZE + ROW_COUNT / groups, passed


@pytest.mark.parametrize("path", ["/api/issue/", "/api/arc/{}/issue_list/", "/api/issue/?cover_year=2020"])
def test_the_rows_of_a_list_are_counted_once(api, many, connection, path):
    many.add("issue", 3 * PAGE_SIZE + 1)
    counted = []
    for page in (1, 2, 3):
        with record_statements(connection) as statements:
            api.get(with_page(path.format(many.arc.id), page))
        counted.append("count(" in statements[-1])
    assert counted == [True, False, False]
