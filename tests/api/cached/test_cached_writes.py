"""What a write replaces in the cache immediately, and what stays cached.

Each test guards against a bug that was seen elsewhere.
"""

import pytest
from sqlalchemy import delete

from comicsdb.models import SeriesType, Version
from tests.api.cached.test_cached_reads import CACHED, cached, read
from tests.api.test_transport import KINDS


def write(make, entity, values):
    """Change an object and commit."""
    make.catalog.update(entity, values)
    make.session.commit()


def gone(api, path, kind):
    """Assert that an object no longer exists."""
    message = {"detail": f"No {kind.title()} matches the given query."}
    for _ in range(2):
        assert api.json(path, 404) == message
    assert api.call("HEAD", path, 404).body == b""


@pytest.mark.parametrize("kind", KINDS)
def test_a_deletion_is_seen_at_once(api, make, kind):
    entity = getattr(make, kind)()
    paths = [
        path.format(**{kind: entity.id}) for path in CACHED if path.startswith(f"/api/{kind}/{{{kind}}}/")
    ]
    listed = f"/api/{kind}/"
    for path in (*paths, listed):
        cached(api, path)
    make.catalog.delete(entity)
    make.session.commit()
    for path in paths:
        gone(api, path, kind)
    assert entity.id not in [row["id"] for row in api.json(listed)["results"]]


def test_roles_that_come_after_their_credit_are_seen(api, make):
    issue, creator = make.issue(), make.creator()
    path = f"/api/issue/{issue.id}/"
    write(make, issue, {"credits": [{"creator": creator.id, "roles": []}]})
    assert b'"role":[]' in cached(api, path)
    write(make, issue, {"credits": [{"creator": creator.id, "roles": [make.role("Writer").id]}]})
    assert api.json(path)["credits"][0]["role"] == [{"id": 1, "name": "Writer"}]


def test_an_edit_leaves_all_other_issues_in_the_cache(api, make):
    series = make.series()
    issues = [make.issue(series=series, number=str(number)) for number in range(3)]
    paths = [f"/api/issue/{issue.id}/" for issue in (*issues, make.issue())]
    for path in paths:
        cached(api, path)
    write(make, issues[0], {"title": "Other"})
    read(api, paths[0], "MISS")
    for path in paths[1:]:
        read(api, path, "HIT")


LINKS = {
    "arcs": "arc",
    "characters": "character",
    "teams": "team",
    "universes": "universe",
    "reprints": "issue",
}


@pytest.mark.parametrize("field", LINKS)
def test_links_of_an_issue_are_seen_when_they_come_and_go(api, make, field):
    issue, other = make.issue(), getattr(make, LINKS[field])()
    path = f"/api/issue/{issue.id}/"
    cached(api, path)
    for linked in ([other.id], []):
        write(make, issue, {field: linked})
        assert [each["id"] for each in api.json(path)[field]] == linked
        cached(api, path)


def test_both_issues_of_a_reprint_are_made_new(api, make):
    one, other = make.issue(), make.issue()
    paths = [f"/api/issue/{each.id}/" for each in (one, other)]
    for linked in ([other.id], []):
        for path in paths:
            cached(api, path)
        write(make, one, {"reprints": linked})
        assert [len(api.json(path)["reprints"]) for path in paths] == [len(linked)] * 2


def test_variants_and_credits_are_seen(api, make):
    issue = make.issue()
    path = f"/api/issue/{issue.id}/"
    for values in (
        {"variants": [{"name": "A", "image": "variants/a.jpg"}]},
        {"variants": []},
        {"credits": [{"creator": make.creator().id, "roles": [1]}]},
        {"credits": []},
    ):
        cached(api, path)
        write(make, issue, values)
        (field,) = values
        assert len(api.json(path)[field]) == len(values[field])


@pytest.mark.parametrize("kind", ["arc", "character", "team"])
def test_former_partners_are_made_new_too(api, make, kind):
    owner = getattr(make, kind)()
    issue = make.issue(**{f"{kind}s": [owner]})
    path = f"/api/{kind}/{owner.id}/issue_list/"
    assert b'"count":1' in cached(api, path)
    write(make, issue, {f"{kind}s": []})
    assert api.json(path)["count"] == 0


def test_an_issue_that_moves_changes_both_series(api, make):
    old, new = make.series(), make.series()
    issue = make.issue(series=old)
    for each in (old, new):
        cached(api, f"/api/series/{each.id}/")
        cached(api, f"/api/series/{each.id}/issue_list/")
    cached(api, f"/api/publisher/{old.publisher_id}/series_list/")
    write(make, issue, {"series": new.id})
    for each, count in ((old, 0), (new, 1)):
        assert api.json(f"/api/series/{each.id}/")["issue_count"] == count
        assert api.json(f"/api/series/{each.id}/issue_list/")["count"] == count
    rows = {row["id"]: row["issue_count"] for row in api.json("/api/series/")["results"]}
    assert rows == {old.id: 0, new.id: 1}
    assert api.json(f"/api/publisher/{old.publisher_id}/series_list/")["results"][0]["issue_count"] == 0


@pytest.mark.parametrize("renamed", ["publisher", "imprint", "series"])
def test_a_new_name_of_a_parent_reaches_what_shows_it(api, make, renamed):
    publisher = make.publisher()
    imprint = make.imprint(publisher=publisher)
    series = make.series(publisher=publisher, imprint=imprint)
    issue, universe = make.issue(series=series), make.universe(publisher=publisher)
    parent = {"publisher": publisher, "imprint": imprint, "series": series}[renamed]
    shown_by = {
        "publisher": [imprint, universe, series, issue],
        "imprint": [series, issue],
        "series": [issue],
    }[renamed]
    paths = [f"/api/{each.__tablename__}/{each.id}/" for each in shown_by]
    lists = [f"/api/{each}/" for each in ("series", "issue")]
    for path in (*paths, *lists, f"/api/series/{series.id}/issue_list/"):
        cached(api, path)
    write(make, parent, {"name": "Quite New"})
    for path in paths:
        assert api.json(path)[renamed]["name"] == "Quite New"
    assert api.json("/api/series/")["results"][0]["publisher"]["name"] == publisher.name
    assert api.json("/api/issue/")["results"][0]["series"]["name"] == series.name
    assert api.json(f"/api/series/{series.id}/issue_list/")["results"][0]["series"]["name"] == series.name


def test_what_nobody_else_shows_makes_nobody_else_new(api, make):
    publisher = make.publisher()
    series = make.series(publisher=publisher)
    issue, imprint = make.issue(series=series), make.imprint(publisher=publisher)
    paths = [f"/api/{each.__tablename__}/{each.id}/" for each in (series, issue, imprint)]
    paths += ["/api/series/", "/api/issue/", f"/api/publisher/{publisher.id}/series_list/"]
    for path in paths:
        cached(api, path)
    write(make, publisher, {"desc": "Told anew.", "founded": 1901})
    for path in paths:
        read(api, path, "HIT")
    write(make, publisher, {"name": "New"})
    for path in paths:
        read(api, path, "MISS")


def test_reference_data_that_are_renamed_are_seen_in_what_shows_them(api, make):
    series = make.series(series_type=13)
    issue = make.issue(series=series)
    paths = [f"/api/series/{series.id}/", f"/api/issue/{issue.id}/", "/api/series/"]
    for path in paths:
        cached(api, path)
    make.session.get(SeriesType, 13).name = "Floppy"
    make.session.commit()
    assert api.json(paths[0])["series_type"]["name"] == "Floppy"
    assert api.json(paths[1])["series"]["series_type"]["name"] == "Floppy"
    assert api.json(paths[2])["results"][0]["series_type"]["name"] == "Floppy"


def test_a_list_is_made_new_for_its_filters_and_pages_alike(api, make):
    queries = ["", "?name=a", "?page=last", "?name=b&page=1"]
    for each in queries:
        cached(api, f"/api/arc/{each}")
    make.arc(name="AB")
    for each in queries:
        assert api.json(f"/api/arc/{each}")["count"] == 1


def test_a_list_without_a_version_is_read_and_gets_one(api, make):
    make.session.execute(delete(Version))
    make.session.commit()
    assert b'"count":0' in cached(api, "/api/arc/")
    make.arc()
    assert b'"count":1' in cached(api, "/api/arc/")


def test_what_is_rolled_back_changes_nothing(api, make):
    arc = make.arc(name="Old")
    paths = [f"/api/arc/{arc.id}/", "/api/arc/"]
    for path in paths:
        cached(api, path)
    savepoint = make.session.begin_nested()
    make.catalog.update(arc, {"name": "New"})
    savepoint.rollback()
    make.session.commit()
    for path in paths:
        assert b"Old" in read(api, path, "HIT")
