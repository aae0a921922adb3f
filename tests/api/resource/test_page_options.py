"""Lists with `page_size`, `sort` and `cursor`."""

from base64 import urlsafe_b64encode

import orjson
import pytest
from sqlalchemy import text

from comicsdb_api.resource import listing
from tests.api.bodies import BASE
from tests.api.bulk_rows import ISSUES, BulkRows
from tests.api.resource.test_paging import LISTS
from tests.api.resource.test_selection import contract  # noqa: F401  (a fixture)
from tests.api.resource.test_statements import AGAIN
from tests.conftest import record_statements


@pytest.fixture
def many(make):
    """Rows in bulk."""
    return BulkRows(make)


def path_with(path, query):
    """A path with parameters added to its query."""
    return f"{path}{'&' if '?' in path else '?'}{query}"


def followed(api, path):
    """The ids of each page, following cursors from the first page on."""
    link = f"{BASE}{path_with(path, 'cursor=*')}"
    while link:
        answer = api.get(link.removeprefix(BASE))
        body = answer.json
        assert list(body) == ["count", "next", "previous", "results"]
        assert (body["count"], body["previous"]) == (None, None)
        yield [row["id"] for row in body["results"]]
        link = body["next"]
        assert answer.headers.get("Link") == (f'<{link}>; rel="next"' if link else None)


@pytest.mark.parametrize("path", LISTS)
def test_cursors_lead_through_a_list_in_its_order(api, many, path):
    kind, statement = LISTS[path]
    many.add(kind, 203)
    path = path.format(publisher=many.publisher.id, arc=many.arc.id)
    ids = many.ids(statement)
    for size in (100, 37, 500):
        pages = list(followed(api, path_with(path, f"page_size={size}")))
        assert [each for page in pages for each in page] == ids
        assert all(len(page) == size for page in pages[:-1])
    assert list(followed(api, path_with(path, f"page_size={len(ids)}"))) == [ids]


@pytest.mark.parametrize("page", ["", "page=last&"])
def test_an_empty_list_is_one_page(api, page):
    assert list(followed(api, f"/api/arc/?{page}name=nobody")) == [[]]


def test_rows_that_stay_come_once_while_others_write(api, many, session):
    many.add("issue", 90)
    stay = many.ids(ISSUES.format(""))
    gone = set(stay[3::4])
    seen = []
    for page in followed(api, "/api/issue/?page_size=10"):
        seen += page
        many.add("issue", 7)  # some before the place of the cursor, some after it
        leaving = list(gone)[:3]
        session.execute(text("DELETE FROM issue WHERE id = ANY(:ids)"), {"ids": leaving})
        gone.difference_update(leaving)
        many.bump_versions()
    assert len(seen) == len(set(seen))
    stayed = [each for each in stay if each not in set(stay[3::4])]
    assert [each for each in seen if each in set(stayed)] == stayed


ORDERS = {
    "id": lambda row: row["id"],
    "modified": lambda row: (row["modified"], row["id"]),
    "cover_date": lambda row: (row["cover_date"], row["id"]),
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("sign", ["", "-"])
def test_orders(api, many, session, monkeypatch, name, sign):
    monkeypatch.setattr(listing, "OFFSET_PAGES_MAX", 2)
    many.add("issue", 130)
    session.execute(text("UPDATE issue SET modified = now() - (id * 7 % 11) * interval '1.5 ms'"))
    many.bump_versions()
    rows = api.json("/api/issue/?page_size=500")["results"]
    expected = [row["id"] for row in sorted(rows, key=ORDERS[name], reverse=bool(sign))]
    path = f"/api/issue/?sort={sign}{name}&page_size=20"
    for page in (5, 1, 7):
        shown = api.json(f"{path}&page={page}")
        assert [row["id"] for row in shown["results"]] == expected[20 * page - 20 : 20 * page]
    assert [row["id"] for row in api.json(f"{path}&page=last")["results"]] == expected[120:]
    assert [each for page in followed(api, path) for each in page] == expected
    below = f"/api/arc/{many.arc.id}/issue_list/?sort={sign}{name}&page_size=200"
    assert [row["id"] for row in api.json(below)["results"]] == expected


def test_sizes_of_pages(api, many):
    many.add("arc", 30)
    usual = api.json("/api/arc/")
    for size in (1, 7, 31, 500):
        body = api.json(f"/api/arc/?page_size={size}")
        assert (body["count"], body["results"]) == (31, usual["results"][:size])
        last = api.json(f"/api/arc/?page_size={size}&page=last")
        assert last["results"][-1] == usual["results"][-1]
    link = api.json("/api/arc/?page_size=7&fields=id&sort=id&page=2")["next"]
    assert link == f"{BASE}/api/arc/?fields=id&page=3&page_size=7&sort=id"
    assert api.json("/api/arc/?page_size=31&page=2", 404) == {"detail": "Invalid page."}


def test_bad_options_are_told_together(api):
    for size in ("0", "501", "x", "-1", "1.5", "9" * 5000):
        found = api.json(f"/api/arc/?page_size={size}&sort=name&cv_id=x", 400)
        assert found["page_size"] == ["Enter a whole number from 1 to 500."]
        assert found["sort"] == ["Unknown: name. Known: id, -id, modified, -modified."]
        assert "cv_id" in found


def cursor(*values):
    """A cursor with these values."""
    return urlsafe_b64encode(orjson.dumps(values)).decode().rstrip("=")


BAD = [
    "x",
    "%F0%9F%98%80",
    "AAAA",
    cursor(),
    cursor(""),
    cursor("", "a", "b"),
    cursor("id", "a", "b", 1),
    cursor("", "a", "b", 2**31),
    cursor("", "a", "b", True),
    cursor("", "a", "b", 1.5),
    cursor("", "a", "b\0", 1),
    cursor("", 1, "b", 1),
    cursor("", "a", "b", 1, 1),
    urlsafe_b64encode(b'{"a":1}').decode(),
]
BAD_TIMES = ["x", "2020-13-01T00:00:00Z", "0001-01-01T00:00:00+15:00", "infinity", 5, None]


def test_bad_cursors_are_not_found(api, make):
    make.arc()
    for bad in BAD:
        assert api.json(f"/api/arc/?cursor={bad}", 404) == {"detail": "Invalid cursor."}
    for bad in BAD_TIMES:
        assert api.json(f"/api/arc/?sort=modified&cursor={cursor('modified', bad, 1)}", 404)
    for bad in ("x", "2020-02-30", 7, "", None):
        assert api.json(f"/api/issue/?sort=cover_date&cursor={cursor('cover_date', bad, 1)}", 404)
    assert api.json(f"/api/arc/?cursor={cursor('', 'a', 'b', 2**31 - 1)}")["results"]


def test_a_cursor_of_another_order_is_not_found(api, many):
    many.add("arc", 3)
    link = api.json("/api/arc/?cursor=*&page_size=1&sort=modified")["next"].removeprefix(BASE)
    assert api.json(link)["results"]
    for other in ("", "-modified", "id"):
        assert api.json(link.replace("sort=modified", f"sort={other}"), 404) == {"detail": "Invalid cursor."}


def test_answers_by_cursor_are_as_described_and_not_cached(api, many, contract):  # noqa: F811
    many.add("issue", 5)
    for path, place in (("/api/issue/", ""), ("/api/arc/{id}/issue_list/", many.arc.id)):
        operation = contract.read(path)
        answer = api.get(f"{path.format(id=place)}?cursor=*&page_size=2&include=credits")
        contract.check_response(operation, answer, selected=True)
        assert "X-Cache" not in answer.headers
        api.get(answer.json["next"].removeprefix(BASE), 304, {"If-None-Match": "*"})
    assert api.json("/api/arc/999999/issue_list/?cursor=*", 404)


def test_a_page_by_cursor_costs_one_statement(api, many, connection):
    many.add("issue", 120)
    link = api.json("/api/issue/?cursor=*&page_size=50")["next"].removeprefix(BASE)
    api.get(link)
    with record_statements(connection) as statements:
        assert len(api.json(link)["results"]) == 50
    assert len(statements) == AGAIN


def test_other_sizes_and_orders_are_cached_like_the_list(api, many, make):
    many.add("arc", 5)
    for query in ("page_size=2", "sort=-id", "fields=id"):
        assert [api.get(f"/api/arc/?{query}").headers["X-Cache"] for _ in range(2)] == ["MISS", "HIT"]
    newest = make.arc()
    assert api.json("/api/arc/?sort=-id")["results"][0]["id"] == newest.id
