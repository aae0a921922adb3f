"""`strict=1`: unknown parameters are refused."""

import pytest

from comicsdb_api.resource.strict import UNKNOWN


def refused(api, path):
    """The unknown parameters that a 400 names, and those that it says are known."""
    body = api.json(path, 400)
    (told,) = body.pop("strict")
    assert set(map(tuple, body.values())) == {(UNKNOWN,)}
    return sorted(body), told.removeprefix("Known parameters: ").removesuffix(".").split(", ")


@pytest.mark.parametrize("strict", ["1", "true", "TRUE"])
def test_an_unknown_parameter_is_refused_with_the_known_ones(api, strict):
    unknown, known = refused(api, f"/api/issue/?serie_name=harbor&number=1&limit=5&limit=6&strict={strict}")
    assert unknown == ["limit", "serie_name"]
    assert {"series_name", "upc", "cover_date_range_after", "page", "format", "strict"} <= set(known)
    assert known == sorted(known)


@pytest.mark.parametrize("more", ["", "&strict=", "&strict=0", "&strict=no", "&strict=1&strict=0"])
def test_otherwise_it_is_ignored(api, make, more):
    make.issue()
    assert api.json(f"/api/issue/?serie_name=harbor{more}")["count"] == 1


def test_what_is_known_is_let_through(api, make):
    issue = make.issue(number="7")
    assert api.json("/api/issue/?strict=1&number=7&page=1&format=json")["count"] == 1
    assert api.json(f"/api/issue/{issue.id}/?strict=1")["id"] == issue.id
    assert api.json(f"/api/series/{issue.series_id}/issue_list/?strict=1&page=1")["count"] == 1
    assert api.json("/api/change/?strict=1&after=0&kind=issue")["results"]


def test_every_address_knows_its_own_parameters(api, make):
    issue = make.issue()
    paths = {
        f"/api/issue/{issue.id}/": ["fields", "format", "include", "strict"],
        f"/api/series/{issue.series_id}/issue_list/": [
            *("cursor", "fields", "format", "include", "page", "page_size", "sort", "strict"),
        ],
        f"/api/issue/{issue.id}/history/": ["format", "page", "strict"],
        "/api/": ["format", "strict"],
        "/api/schema/": ["format", "strict"],
        "/api/collection/stats/": ["format", "strict"],
    }
    for path, expected in paths.items():
        api.get(f"{path}?odd=1")  # so that the response may be cached
        assert refused(api, f"{path}?odd=1&strict=1") == (["odd"], expected), path
    assert "after" in refused(api, "/api/change/?odd=1&strict=1")[1]


def test_links_to_other_pages_stay_strict(api, make):
    series = make.series()
    for number in range(101):
        make.issue(series=series, number=str(number))
    following = api.json("/api/issue/?strict=1")["next"].removeprefix("http://localhost")
    assert "strict=1" in following
    assert len(api.json(following)["results"]) == 1


def test_credentials_come_first(anonymous):
    anonymous.get("/api/collection/?odd=1&strict=1", 401)
    anonymous.get("/api/issue/?odd=1&strict=1", 400)
