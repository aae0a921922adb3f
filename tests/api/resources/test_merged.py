"""Merged objects in the API: reads get a permanent redirect to the survivor, writes a 404 with its id."""

import pytest

from comicsdb.catalog.maintenance.merge import merge
from tests.api.bodies import BASE
from tests.conftest import record_statements

KINDS = ("publisher", "imprint", "universe", "creator", "team", "character", "arc", "series", "issue")


@pytest.fixture
def merged(make, catalog, session):
    """`merged(kind)`: merge two new objects; returns the id that is gone, and the survivor."""

    def made(kind):
        needed = {"publisher": make.publisher()} if kind in {"imprint", "universe"} else {}
        kept, other = (getattr(make, kind)(**needed) for _ in range(2))
        gone = other.id
        merge(catalog, kept, other)
        session.commit()
        return gone, kept

    return made


@pytest.mark.parametrize("kind", KINDS)
def test_a_merged_id_leads_to_the_survivor(api, merged, kind):
    gone, kept = merged(kind)
    answer = api.get(f"/api/{kind}/{gone}/?page=1", 301)
    assert answer.headers["Location"] == f"{BASE}/api/{kind}/{kept.id}/?page=1"
    name = kind.title()
    assert answer.json == {
        "detail": f"No {name} matches the given query. It was merged into {kind} {kept.id}.",
        "id": kept.id,
        "resource_url": f"{BASE}/{kind}/{kept.slug}/",
    }
    assert answer.content_type == "application/json"
    assert "GET" in answer.headers["Allow"]
    assert api.json(answer.headers["Location"].removeprefix(BASE))["id"] == kept.id
    assert (
        api.call("HEAD", f"/api/{kind}/{gone}/", 301).headers["Location"] == f"{BASE}/api/{kind}/{kept.id}/"
    )


@pytest.mark.parametrize(
    ("kind", "action"), [("series", "issue_list"), ("arc", "issue_list"), ("publisher", "series_list")]
)
def test_lists_below_it_lead_to_those_of_the_survivor(api, merged, kind, action):
    gone, kept = merged(kind)
    answer = api.get(f"/api/{kind}/{gone}/{action}/", 301)
    assert answer.headers["Location"] == f"{BASE}/api/{kind}/{kept.id}/{action}/"
    assert api.json(f"/api/{kind}/{kept.id}/{action}/")["count"] >= 0


@pytest.mark.parametrize("suffix", ["comicinfo", "metroninfo"])
def test_the_survivor_is_in_the_format_that_was_asked_for(api, merged, suffix):
    gone, kept = merged("issue")
    for path in (f"/api/issue/{gone}.{suffix}", f"/api/issue/{gone}.{suffix}/"):
        location = api.get(f"{path}?x=1", 301).headers["Location"]
        assert location == f"{BASE}/api/issue/{kept.id}.{suffix}?x=1"
        assert api.get(location.removeprefix(BASE)).body == api.get(f"/api/issue/{kept.id}.{suffix}").body
    assert api.get(f"/api/issue/{gone}.json", 301).headers["Location"] == f"{BASE}/api/issue/{kept.id}/"


def test_a_chain_of_merges_ends_at_the_last_survivor_or_where_that_is_gone(api, make, catalog, session):
    first, second, last = (make.arc() for _ in range(3))
    ids = [first.id, second.id]
    merge(catalog, second, first)
    merge(catalog, last, second)
    session.commit()
    for each in ids:
        assert api.get(f"/api/arc/{each}/", 301).json["id"] == last.id
    catalog.delete(last)
    session.commit()
    for each in ids:
        assert api.json(f"/api/arc/{each}/", 404) == {"detail": "No Arc matches the given query."}


def test_a_write_to_a_merged_id_is_told_where_it_is_and_changes_nothing(editor, merged, session):
    gone, kept = merged("arc")
    before = kept.modified
    for method in ("PUT", "PATCH"):
        answer = editor.testapp.request(
            f"/api/arc/{gone}/",
            method=method,
            POST=b"name=Other",
            headers=editor.headers | {"Content-Type": "application/x-www-form-urlencoded"},
            expect_errors=True,
        )
        assert (answer.status_int, answer.json["id"]) == (404, kept.id)
        assert "Location" not in answer.headers
    session.expire_all()
    assert (kept.modified, kept.name != "Other") == (before, True)


def test_the_list_and_the_detail_have_new_tags_after_a_merge(api, make, catalog, session):
    kept, other, team = make.creator(), make.creator(), None
    team = make.team(creators=[other])
    addresses = ["/api/creator/", f"/api/creator/{kept.id}/", f"/api/team/{team.id}/"]
    before = {each: api.get(each).headers["ETag"] for each in addresses}
    gone, other_name = other.id, other.name
    catalog.update(kept, {"alias": []})
    merge(catalog, kept, other)
    session.commit()
    for each in addresses:
        answer = api.get(each, headers={"If-None-Match": before[each]})
        assert answer.status_int == 200
    assert api.json(addresses[1])["alias"] == [other_name]
    assert [each["id"] for each in api.json(addresses[2])["creators"]] == [kept.id]
    assert gone not in [each["id"] for each in api.json("/api/creator/")["results"]]


def test_the_look_up_costs_readers_of_what_is_there_nothing(api, merged, connection):
    gone, kept = merged("arc")
    api.get(f"/api/arc/{kept.id}/")
    with record_statements(connection) as statements:
        api.get(f"/api/arc/{kept.id}/")
    assert not any("tombstone" in each for each in statements), statements
    with record_statements(connection) as statements:
        api.get(f"/api/arc/{gone}/", 301)
    assert len([each for each in statements if "tombstone" in each]) == 1, statements
