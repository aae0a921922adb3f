"""Publishers without a country and universes without a publisher, which Metron's client reads too."""

import mokkari.schemas.publisher
import mokkari.schemas.universe

from comicsdb.models import Publisher, Universe


def test_a_publisher_without_a_country(writer):
    made = writer.post("/api/publisher/", json={"name": "A", "country": ""})
    detail = writer.json(f"/api/publisher/{made['id']}/")
    assert (made["country"], mokkari.schemas.publisher.Publisher.model_validate(detail).country) == ("", "")
    assert writer.post("/api/publisher/", form={"name": "B", "country": ""})["country"] == "US"


def test_a_universe_without_a_publisher(writer, make):
    body = {"name": "Adrift", "designation": "A-1", "publisher": None}
    made = writer.post("/api/universe/", json=body)
    assert mokkari.schemas.universe.UniversePostResponse.model_validate(made).publisher is None
    detail = writer.json(f"/api/universe/{made['id']}/")
    shown = mokkari.schemas.universe.Universe.model_validate(detail)
    assert (shown.publisher.id, shown.publisher.name) == (0, "")
    unique = "The fields publisher, name, designation must make a unique set."
    assert writer.post("/api/universe/", 400, json=body) == {"non_field_errors": [unique]}
    assert writer.post("/api/universe/", 400, json={"name": "B"}) == {
        "publisher": ["This field is required."]
    }
    house = make.publisher()
    path = f"/api/universe/{made['id']}/"
    assert writer.patch(path, json={"publisher": house.id})["publisher"] == house.id
    assert writer.patch(path, form={"publisher": ""})["publisher"] is None


def test_their_pages(writer, make, testapp):
    house, adrift = make.publisher(country=""), make.universe(publisher=make.publisher(), name="Adrift")
    make.catalog.update(adrift, {"publisher": None})
    make.session.commit()
    facts = testapp.get(f"/publisher/{house.slug}/").html.get_text()
    assert "Country" not in facts
    assert "Adrift" in testapp.get(f"/universe/{adrift.slug}/").html.h1.get_text()
    assert [each.country for each in make.session.query(Publisher).filter_by(id=house.id)] == [""]
    assert [each.publisher_id for each in make.session.query(Universe).filter_by(id=adrift.id)] == [None]
