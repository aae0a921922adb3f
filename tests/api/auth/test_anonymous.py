"""Reading the public catalog without an account, and what still needs one."""

import pytest

from tests.api.auth.test_auth import NOT_GIVEN
from tests.conftest import record_statements


@pytest.fixture
def issue(make):
    """An issue with an arc."""
    return make.issue(arcs=[make.arc()])


def test_the_answers_are_those_of_an_account(api, anonymous, issue):
    for path in (f"/api/issue/{issue.id}/", "/api/issue/", "/api/arc/?name=a", "/api/role/", "/api/"):
        assert anonymous.get(path).body == api.get(path).body, path
    path = f"/api/issue/{issue.id}/"
    tag = anonymous.get(path).headers["ETag"]
    assert anonymous.get(path, 304, {"If-None-Match": tag}).body == b""
    assert anonymous.get("/api/issue/999999/", 404).json == {"detail": "No Issue matches the given query."}
    assert anonymous.get("/api/issue/?page=9", 404).json == {"detail": "Invalid page."}


def test_nothing_old_is_served(anonymous, make):
    arc = make.arc(name="Dusk")
    path = f"/api/arc/{arc.id}/"
    assert [anonymous.get(path).headers["X-Cache"] for _ in range(2)] == ["MISS", "HIT"]
    make.catalog.update(arc, {"name": "Dawn"})
    make.session.commit()
    assert anonymous.json(path)["name"] == "Dawn"
    make.catalog.delete(arc)
    make.session.commit()
    anonymous.get(path, 404)


def test_a_hit_costs_what_it_costs_an_account(api, anonymous, issue, connection):
    """One statement: for the epoch, or for epoch and stamps if the stamps are not remembered."""
    paths = (f"/api/issue/{issue.id}/", "/api/issue/", f"/api/series/{issue.series_id}/issue_list/")
    for path in paths:
        api.get(path)
        first = anonymous.get(path)
        with record_statements(connection) as statements:
            second = anonymous.get(path)
        assert [each.headers["X-Cache"] for each in (first, second)] == ["HIT", "HIT"]
        assert len(statements) == 1, statements
        assert "user_account" not in statements[0]


def test_what_belongs_to_people_needs_an_account(anonymous, issue):
    for path in (
        *("/api/collection/", "/api/pull_list/", "/api/wish_list/", "/api/read/", "/api/reading_list/"),
        *(f"/api/issue/{issue.id}/history/", "/api/change/?user=reader", "/api/cover/?phash=0"),
        f"/api/series/{issue.series_id}/comicinfo/",
    ):
        answer = anonymous.get(path, 401)
        assert answer.json == NOT_GIVEN, path
        assert answer.headers["WWW-Authenticate"] == 'Basic realm="api"'
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert anonymous.call(method, f"/api/issue/{issue.id}/", 401).json == NOT_GIVEN
