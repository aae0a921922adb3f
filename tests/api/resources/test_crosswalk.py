"""The crosswalk: from ids of other databases to ours, and from ours to all others."""

import pytest

from comicsdb.catalog.maintenance.merge import merge
from tests.conftest import record_statements


@pytest.fixture
def known(make):
    """An issue and a series with the same number at Comic Vine, and a team with two ids of one source."""
    metron = {"source": "metron", "external_id": "88", "scope": "issue"}
    issue = make.issue(
        cv_id=4010,
        gcd_id=7,
        isbn="0-306-40615-2",
        external_ids=[metron, {"source": "comicvine", "external_id": "4011"}],
    )
    series = make.series(cv_id=4010)
    team = make.team(
        external_ids=[{"source": "wikidata", "external_id": each} for each in ("Q1", "Q2")],
    )
    return issue, series, team


def asked(writer, source, *ids, status=200, **more):
    """The response for ids of a source."""
    return writer.post("/api/crosswalk/", status, json={"source": source, "ids": list(ids), **more})


def places(body):
    """The results of a response: the id asked for, kind and id."""
    return [(each["asked"], each["kind"], each["id"]) for each in body["results"]]


def test_ids_of_a_source_lead_to_objects_with_all_their_ids(writer, known):
    issue, series, team = known
    body = asked(writer, "comicvine", "4000-4010", 4010, "4011", "12", "x", "99999999999")
    assert places(body) == [
        ("4000-4010", "issue", issue.id),
        ("4000-4010", "series", series.id),
        ("4010", "issue", issue.id),
        ("4010", "series", series.id),
        ("4011", "issue", issue.id),
    ]
    assert body["unknown"] == ["12", "x", "99999999999"]
    told = [
        (each["source"], each["external_id"], each["scope"]) for each in body["results"][0]["external_ids"]
    ]
    assert told == [
        ("comicvine", "4010", ""),
        ("comicvine", "4011", ""),
        ("gcd", "7", ""),
        ("metron", "88", "issue"),
        ("isbn", "0306406152", ""),
    ]
    assert body["results"][0]["external_ids"][2]["url"] == "https://www.comics.org/issue/7/"
    assert places(asked(writer, "comicvine", "4010", kind="series")) == [("4010", "series", series.id)]
    assert places(asked(writer, "isbn", "978-0-306-40615-7")) == [("978-0-306-40615-7", "issue", issue.id)]
    assert places(asked(writer, "wikidata", "q2", "Q1")) == [("q2", "team", team.id), ("Q1", "team", team.id)]


def test_our_own_ids_lead_to_all_others_and_merged_ones_to_the_survivor(writer, known, make):
    _issue, _series, team = known
    other = make.team(cv_id=5)
    gone = other.id
    merge(make.catalog, team, other)
    body = asked(writer, "comicsdb", team.id, gone, gone + 99, "0", "x", kind="team")
    assert places(body) == [(str(team.id), "team", team.id), (str(gone), "team", team.id)]
    assert [each["is_merged"] for each in body["results"]] == [False, True]
    assert body["unknown"] == [str(gone + 99), "0", "x"]
    ids = [(each["source"], each["external_id"]) for each in body["results"][1]["external_ids"]]
    assert ids == [("comicvine", "5"), ("wikidata", "Q1"), ("wikidata", "Q2")]


def test_a_thousand_ids_take_as_many_statements_as_one(writer, known, connection):
    issue, _series, _team = known
    asked(writer, "comicvine", "1")
    counts = []
    for ids in (["4010"], range(3011, 4011)):
        with record_statements(connection) as statements:
            assert places(asked(writer, "comicvine", *ids, kind="issue")) == [("4010", "issue", issue.id)]
        counts.append(len(statements))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"source": "nowhere", "ids": ["1"]}, "source"),
        ({"source": "metron"}, "ids"),
        ({"source": "metron", "ids": []}, "ids"),
        ({"source": "metron", "ids": ["1"], "kind": "role"}, "kind"),
        ({"source": "comicsdb", "ids": ["1"]}, "kind"),
        ({"source": "metron", "ids": [str(each) for each in range(1001)]}, "ids"),
    ],
)
def test_what_cannot_be_asked_is_told(writer, body, field):
    assert list(writer.post("/api/crosswalk/", 400, json=body)) == [field]


def test_the_sources_are_listed_with_the_form_of_their_ids(api):
    sources = api.json("/api/crosswalk/")["sources"]
    assert sources[0] == {"source": "comicvine", "name": "Comic Vine", "pattern": "^([1-9][0-9]{0,9})$"}
