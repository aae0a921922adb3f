"""The pull list through the API: every route, for its owner alone."""

from datetime import date

import pytest

from comicsdb.library import pull_list
from tests.api.bodies import api_timestamp
from tests.api.conftest import Client

LIST = ["id", "series_count", "series_url", "modified"]
ENTRY = ["id", "series", "added_on"]
SERIES = ["id", "series", "year_began", "year_end", "volume", "modified"]
ISSUE = ["id", "number", "issue", "cover_date"]
ISSUE += ["cover_date_precision", "store_date", "foc_date", "image", "modified"]


@pytest.fixture
def writer(mine):
    return mine


def add(writer, series, status=201):
    return writer.post("/api/pull_list/series/add/", status, json={"series_id": series.id})


@pytest.mark.parametrize(
    "path", ["/api/pull_list/", "/api/pull_list/series/", "/api/pull_list/issues/", "/api/pull_list/1/"]
)
def test_the_list_is_made_by_the_first_look_at_any_route(api, path):
    api.get(path, 404 if path.endswith("/1/") else 200)
    page = api.json("/api/pull_list/")
    assert (page["count"], page["next"], page["previous"]) == (1, None, None)
    (own,) = page["results"]
    assert list(own) == LIST
    assert (own["series_count"], own["series_url"]) == (0, "http://localhost/api/pull_list/series/")
    assert api.json(f"/api/pull_list/{own['id']}/") == own


def test_a_series_is_followed_once(writer, make):
    series = make.series(name="Harbor Lights", year_began=2019, year_end=2021)
    made = add(writer, series)
    assert (list(made), list(made["series"])) == (ENTRY, SERIES)
    assert made["series"] == {
        "id": series.id,
        "series": "Harbor Lights (2019)",
        "year_began": 2019,
        "year_end": 2021,
        "volume": 1,
        "modified": api_timestamp(series.modified),
    }
    assert add(writer, series, 200) == made
    assert writer.json("/api/pull_list/series/")["results"] == [made]
    assert writer.json("/api/pull_list/")["results"][0]["series_count"] == 1


def test_forms_add_too_and_the_query_does_not(writer, make):
    series = make.series()
    path = "/api/pull_list/series/add/"
    assert writer.post(path, form={"series_id": series.id})["series"]["id"] == series.id
    assert writer.post(path, 200, form={"series_id": series.id}, files=[])["series"]["id"] == series.id
    answer = writer.post(f"{path}?series_id={series.id}", 400, json={})
    assert answer == {"detail": "series_id is required."}
    writer.post("/api/pull_list/series/add", 200, json={"series_id": str(series.id)})  # without the slash


@pytest.mark.parametrize("body", [{}, {"series_id": None}, {"series_id": ""}, {"series_id": 0}, {"id": 3}])
def test_without_a_series_nothing_is_added(writer, body):
    assert writer.post("/api/pull_list/series/add/", 400, json=body) == {"detail": "series_id is required."}


@pytest.mark.parametrize(
    ("body", "status", "answer"),
    [
        ({"series_id": 999}, 404, {"detail": "Series with id 999 not found."}),
        ({"series_id": -1}, 404, {"detail": "Series with id -1 not found."}),
        ({"series_id": 2**40}, 404, {"detail": f"Series with id {2**40} not found."}),
        ({"series_id": "x"}, 400, {"series_id": ["A valid integer is required."]}),
        ({"series_id": True}, 400, {"series_id": ["A valid integer is required."]}),
        ({"series_id": [3]}, 400, {"series_id": ["A valid integer is required."]}),
        ([88], 400, {"non_field_errors": ["Invalid data. Expected a dictionary, but got list."]}),
    ],
)
def test_what_is_no_series_is_refused(writer, body, status, answer):
    assert writer.post("/api/pull_list/series/add/", status, json=body) == answer
    assert writer.json("/api/pull_list/series/")["count"] == 0


def test_a_series_is_removed_by_its_own_number(writer, make):
    series, kept = make.series(), make.series()
    add(writer, kept)
    add(writer, series)
    answer = writer.call("DELETE", f"/api/pull_list/series/{series.id}/remove/", 204)
    assert answer.body == b""
    gone = {"detail": "Series not found in pull list."}
    for number in (series.id, 0, 2**40, "9" * 5000):
        assert writer.call("DELETE", f"/api/pull_list/series/{number}/remove/", 404).json == gone
    assert writer.call("DELETE", "/api/pull_list/series/x/remove/", 404).json == {"detail": "Not found."}
    (left,) = writer.json("/api/pull_list/series/")["results"]
    assert left["series"]["id"] == kept.id


def test_entries_stand_by_sort_name(writer, make):
    for name in ("Zebra", "écume", "Apple"):
        add(writer, make.series(name=name, sort_name=name))
    found = [each["series"]["series"] for each in writer.json("/api/pull_list/series/")["results"]]
    assert found == ["Apple (2020)", "écume (2020)", "Zebra (2020)"]


@pytest.fixture
def followed(writer, make):
    """Issues of two followed series, with store dates in March or without one; and one of another series."""
    with make.single_commit():
        one, two = make.series(name="B", sort_name="B"), make.series(name="A", sort_name="A")
        for series in (one, two):
            add(writer, series)
        make.issue(store_date=date(2026, 3, 4))
        make.issue(series=one, number="1", store_date=date(2026, 3, 4), image="issue/2026/a.jpg")
        make.issue(series=one, number="10", store_date=date(2026, 3, 4))
        make.issue(series=one, number="2", store_date=None)
        make.issue(series=two, number="7", store_date=date(2026, 3, 4))
        make.issue(series=two, number="8", store_date=date(2026, 3, 11))


def test_issues_of_followed_series_by_store_date(writer, followed):
    rows = writer.json("/api/pull_list/issues/")["results"]
    assert [each["number"] for each in rows] == ["7", "1", "10", "8", "2"]
    assert [name for name in rows[0] if name != "series"] == ISSUE
    assert list(rows[0]["series"]) == ["id", "name", "volume", "year_began"]
    assert rows[1]["image"].endswith("/media/issue/2026/a.jpg")
    (first,) = writer.json("/api/issue/?number=7")["results"]
    assert rows[0] == {name: first[name] for name in first if name != "cover_hash"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("store_date_after=2026-03-04", ["7", "1", "10", "8"]),
        ("store_date_after=2026-03-05", ["8"]),
        ("store_date_before=2026-03-04", ["7", "1", "10"]),
        ("store_date_after=2026-03-05&store_date_before=2026-03-10", []),
        ("store_date_after=&store_date_before=", ["7", "1", "10", "8", "2"]),
        ("number=8", ["7", "1", "10", "8", "2"]),
    ],
)
def test_issues_between_days(writer, followed, query, found):
    page = writer.json(f"/api/pull_list/issues/?{query}")
    assert ([each["number"] for each in page["results"]], page["count"]) == (found, len(found))


def test_a_bad_day_is_reported_by_the_name_of_its_parameter(writer):
    answer = writer.json("/api/pull_list/issues/?store_date_after=x&store_date_before=2026-02-30", 400)
    assert answer == {name: ["Enter a valid date."] for name in ("store_date_after", "store_date_before")}


def test_pages_are_pages(writer, make, session, reader):
    series = make.series()
    for number in range(101):
        make.issue(series=series, number=str(number))
    pull_list.add(session, reader.id, series.id)
    session.commit()
    page = writer.json("/api/pull_list/issues/?page=last&store_date_after=&x=1")
    assert (page["count"], len(page["results"]), page["next"]) == (101, 1, None)
    assert page["previous"] == "http://localhost/api/pull_list/issues/?store_date_after="
    writer.get("/api/pull_list/issues/?page=3", 404)


def test_a_change_moves_the_stamp_and_the_tag(writer, make):
    (own,) = writer.json("/api/pull_list/")["results"]
    path = f"/api/pull_list/{own['id']}/"
    before = writer.get(path)
    assert writer.get(path, 304, {"If-None-Match": before.headers["ETag"]}).body == b""
    assert writer.get(path, 304, {"If-Modified-Since": before.headers["Last-Modified"]}).body == b""
    assert "Last-Modified" not in writer.get("/api/pull_list/").headers
    series = make.series()
    stamps = [own["modified"]]
    add(writer, series)
    stamps.append(writer.get(path, 200, {"If-None-Match": before.headers["ETag"]}).json["modified"])
    add(writer, series, 200)  # changes nothing
    assert writer.json(path)["modified"] == stamps[1]
    writer.call("DELETE", f"/api/pull_list/series/{series.id}/remove/", 204)
    stamps.append(writer.json(path)["modified"])
    assert stamps == sorted(set(stamps))
    while stamps[-1][:19] != stamps[-2][:19]:  # until the last two lie within one second
        add(writer, series)
        stamps.append(writer.json(path)["modified"])
        writer.call("DELETE", f"/api/pull_list/series/{series.id}/remove/", 204)
        stamps.append(writer.json(path)["modified"])
    # A date proves nothing if there were two changes in its second.
    writer.get(path, 200, {"If-Modified-Since": writer.get(path).headers["Last-Modified"]})


def test_nobody_else_sees_a_trace(writer, other, make):
    add(writer, make.series())
    (own,) = writer.json("/api/pull_list/")["results"]
    absent = {"detail": "No PullList matches the given query."}
    for path in (f"/api/pull_list/{own['id']}/", "/api/pull_list/999999/", "/api/pull_list/0/"):
        assert other.json(path, 404) == absent
    assert other.get(f"/api/pull_list/{own['id']}/", 404, {"If-None-Match": "*"}).json == absent
    assert other.json("/api/pull_list/x/", 404) == {"detail": "Not found."}
    (foreign,) = other.json("/api/pull_list/")["results"]
    assert (foreign["id"] != own["id"], foreign["series_count"]) == (True, 0)
    assert other.json("/api/pull_list/series/")["count"] == other.json("/api/pull_list/issues/")["count"] == 0


def test_nobody_at_all_is_told_so(anonymous):
    for method, path in (
        ("GET", ""),
        ("GET", "1/"),
        ("GET", "series/"),
        ("POST", "series/add/"),
        ("DELETE", "series/1/remove/"),
        ("GET", "issues/"),
    ):
        assert anonymous.call(method, f"/api/pull_list/{path}", 401).json == {
            "detail": "Authentication credentials were not provided."
        }


@pytest.mark.parametrize(
    ("path", "allow"),
    [
        ("", "GET, HEAD, OPTIONS"),
        ("1/", "GET, HEAD, OPTIONS"),
        ("series/", "GET, HEAD, OPTIONS"),
        ("series/add/", "POST, OPTIONS"),
        ("series/1/remove/", "DELETE, OPTIONS"),
        ("issues/", "GET, HEAD, OPTIONS"),
    ],
)
def test_methods_that_are_not_offered(api, path, allow):
    offered = allow.split(", ")
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        if method not in offered:
            answer = api.call(method, f"/api/pull_list/{path}", 405)
            assert answer.json == {"detail": f'Method "{method}" not allowed.'}
            assert answer.headers["Allow"] == allow
    assert list(api.call("OPTIONS", f"/api/pull_list/{path}").json) == [
        "name",
        "description",
        "renders",
        "parses",
    ]
    if "HEAD" in offered and path != "1/":
        assert api.call("HEAD", f"/api/pull_list/{path}").body == b""


def test_it_is_never_cached(writer):
    assert "X-Cache" not in writer.get("/api/pull_list/").headers
    assert isinstance(writer, Client)
