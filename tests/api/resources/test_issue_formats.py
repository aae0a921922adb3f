"""Issues as ComicInfo and MetronInfo: by suffix, parameter and Accept, cached and conditional like JSON."""

import pytest

from comicsdb.tags import FORMATS
from tests.tag_schemas import valid_comicinfo, valid_metroninfo

VALID = {"comicinfo": valid_comicinfo, "metroninfo": valid_metroninfo}
ANY = pytest.mark.parametrize("format_", FORMATS, ids=lambda each: each.name)


@pytest.fixture
def issue(make):
    """An issue with a story."""
    return make.issue(number="3", name=["Low & Water"], cv_id=51)


@ANY
def test_all_ways_to_ask_give_the_same(api, issue, format_):
    path = f"/api/issue/{issue.id}"
    answers = [
        api.get(f"{path}.{format_.name}"),
        api.get(f"{path}.{format_.name}/"),
        api.get(f"{path}/?format={format_.name}"),
        api.get(f"{path}/", headers={"Accept": format_.media_type}),
        api.get(f"{path}/", headers={"Accept": f"*/*, {format_.media_type.upper()}"}),
        api.get(f"{path}/", headers={"Accept": f"application/json;q=0.5, {format_.media_type}"}),
        api.get(f"{path}.{format_.name}", headers={"Accept": "application/json"}),
    ]
    assert {each.headers["Content-Type"] for each in answers} == {format_.media_type}
    assert len({each.body for each in answers}) == 1
    assert "Accept" in answers[0].headers["Vary"]
    VALID[format_.name](answers[0].body)


@ANY
def test_json_is_what_everybody_else_gets(api, issue, format_):
    path = f"/api/issue/{issue.id}/"
    for accept in (
        "*/*",
        "application/json",
        f"{format_.media_type};q=0",
        "text/html, application/xml;q=0.9",
    ):
        sent = f"{accept}, application/json"
        assert api.get(path, headers={"Accept": sent}).content_type == "application/json"
    assert (
        api.get(f"{path}?format=json", headers={"Accept": f"{format_.media_type}, */*"}).json["number"] == "3"
    )
    api.get(path, 406, {"Accept": "application/xml"})


@ANY
def test_it_is_cached_and_conditional_beside_json(api, issue, format_):
    path = f"/api/issue/{issue.id}.{format_.name}"
    plain = api.get(f"/api/issue/{issue.id}/")
    first = api.get(path)
    assert first.headers["X-Cache"] == "MISS"
    assert api.get(path).headers["X-Cache"] == "HIT"
    assert first.headers["ETag"] != plain.headers["ETag"]
    assert first.headers["Last-Modified"] == plain.headers["Last-Modified"]
    api.get(path, 304, {"If-None-Match": first.headers["ETag"]})
    api.get(path, 200, {"If-None-Match": plain.headers["ETag"]})
    api.get(path, 412, {"If-Match": plain.headers["ETag"]})
    assert api.call("HEAD", path).headers["Content-Length"] == str(len(first.body))
    assert api.get(f"/api/issue/{issue.id}/").body == plain.body


@ANY
def test_a_write_shows_at_once(api, make, issue, format_):
    path = f"/api/issue/{issue.id}.{format_.name}"
    api.get(path)
    make.catalog.update(issue, {"name": ["High Tide"]})
    make.session.commit()
    assert b"High Tide" in api.get(path).body


@ANY
def test_only_reads_of_one_issue_have_it(api, writer, issue, format_):
    for path in (
        f"/api/issue.{format_.name}",
        f"/api/series/{issue.series_id}.{format_.name}",
        f"/api/series/{issue.series_id}/issue_list.{format_.name}",
        f"/api/issue/{issue.id}.{format_.name}x",
    ):
        api.get(path, 404)
    api.get("/api/issue/", 406, {"Accept": format_.media_type})
    api.get(f"/api/issue/999999.{format_.name}", 404)
    writer.call("PATCH", f"/api/issue/{issue.id}.{format_.name}", 404)


@ANY
def test_all_external_ids_are_written(api, make, issue, format_):
    path = f"/api/issue/{issue.id}.{format_.name}"
    api.get(path)
    ids = [
        {"source": source, "external_id": each, "scope": ""}
        for source, each in (("metron", "81"), ("asin", "B000000001"))
    ]
    make.catalog.update(issue, {"external_ids": ids})
    make.session.commit()
    found = api.get(path)
    VALID[format_.name](found.body)
    expected = f"Ids: comicsdb {issue.id}, Comic Vine 51, Amazon B000000001, Metron 81. [CVDB51]"
    assert expected in found.text
    assert "https://metron.cloud/issue/81/" in found.text
    assert ('source="Metron">81<' in found.text) == (format_.name == "metroninfo")
    assert "external_ids" not in api.json(f"/api/issue/{issue.id}/")
