"""External ids in the bodies of writes."""

import json

import pytest


def ids_of(writer, kind, object_id):
    """The external ids of an object, as the crosswalk lists them."""
    body = writer.post("/api/crosswalk/", 200, json={"source": "comicsdb", "kind": kind, "ids": [object_id]})
    return [(each["source"], each["external_id"]) for each in body["results"][0]["external_ids"]]


def test_json_replaces_the_ids_of_an_object_and_leaves_them_out_of_its_answer(writer, make):
    series = make.series(cv_id=3)
    metron = {"source": "metron", "external_id": 12}
    answer = writer.patch(
        f"/api/series/{series.id}/",
        json={"external_ids": [metron, {"source": "wikidata", "external_id": "q5", "scope": "work"}]},
    )
    assert "external_ids" not in answer
    assert ids_of(writer, "series", series.id) == [
        ("comicvine", "3"),
        ("metron", "12"),
        ("wikidata", "Q5"),
    ]
    writer.patch(f"/api/series/{series.id}/", json={"desc": "Still known."})
    assert len(ids_of(writer, "series", series.id)) == 3
    writer.patch(f"/api/series/{series.id}/", json={"external_ids": []})
    assert ids_of(writer, "series", series.id) == [("comicvine", "3")]


def test_a_form_has_an_object_of_json_for_each_id(writer, make):
    team = make.team()
    sent = [json.dumps({"source": "metron", "external_id": each}) for each in ("1", "2")]
    writer.patch(f"/api/team/{team.id}/", form={"external_ids": sent})
    assert ids_of(writer, "team", team.id) == [("metron", "1"), ("metron", "2")]


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ([{"source": "x", "external_id": "1"}], {"0": {"source": ['"x" is not a valid choice.']}}),
        (
            [{"source": "metron", "external_id": "q"}],
            {"0": {"external_id": ["This is not a valid ID for this source."]}},
        ),
        ([{"source": "metron"}], {"0": {"external_id": ["This field is required."]}}),
        ([7], {"0": ["Invalid data. Expected a dictionary, but got int."]}),
        (7, ['Expected a list of items but got type "int".']),
    ],
)
def test_what_is_wrong_with_an_id_is_told(writer, make, sent, told):
    body = writer.patch(f"/api/series/{make.series().id}/", 400, json={"external_ids": sent})
    assert body == {"external_ids": told}
