"""The meaning of forms: repeated and indexed fields, empty texts, and links that a PUT leaves out."""

import pytest

from comicsdb.models import Character, Publisher


@pytest.fixture
def gale(make):
    """A character with aliases, an external id and links of each sort."""
    links = {"creators": [make.creator()], "teams": [make.team()], "universes": [make.universe()]}
    return make.character(name="Gale", alias=["A", "B"], cv_id=5, **links)


@pytest.mark.parametrize(
    ("form", "alias"),
    [
        ([("alias", "x"), ("alias", "y")], ["x", "y"]),
        ([("alias[1]", "y"), ("alias[0]", "x")], ["x", "y"]),
        ([("alias[10]", "y"), ("alias[9]", "x")], ["x", "y"]),
        ([("alias", "x, y; z")], ["x, y; z"]),
        ([("alias", "x"), ("alias[0]", "y")], ["x"]),
        ([("alias[]", "x"), ("alias[-1]", "y"), ("alias[a]", "z")], ["A", "B"]),
        ([("alias[" + "9" * 900 + "]", "x")], ["A", "B"]),
    ],
)
@pytest.mark.parametrize("files", [None, []])
def test_a_list_is_repeated_or_indexed(writer, gale, form, alias, files):
    path = f"/api/character/{gale.id}/"
    assert writer.patch(path, form=form, files=files)["alias"] == alias


def test_links_are_lists_too(writer, make, gale):
    teams = [make.team().id, make.team().id]
    path = f"/api/character/{gale.id}/"
    form = [("teams", teams[1]), ("teams", teams[0]), ("teams", teams[1])]
    assert writer.patch(path, form=form)["teams"] == teams
    assert writer.patch(path, form={"teams[0]": teams[0]})["teams"] == teams[:1]
    assert writer.patch(path, 400, form={"teams": ""}) == {"teams": ["This field may not be null."]}
    assert writer.patch(path, 400, form={"teams": f"{teams[0]},{teams[1]}"}) == {
        "teams": ["Incorrect type. Expected pk value, received str."]
    }


def test_faults_of_texts_have_their_place(writer, gale):
    said = writer.patch(f"/api/character/{gale.id}/", 400, form=[("alias", ""), ("alias", "x" * 101)])
    assert said == {
        "alias": {
            "0": ["This field may not be blank."],
            "1": ["Ensure this field has no more than 100 characters."],
        }
    }


def test_put_clears_the_links_that_a_form_leaves_out_and_nothing_else(writer, session, gale):
    path, before = f"/api/character/{gale.id}/", writer.json(f"/api/character/{gale.id}/")
    assert all(before[field] for field in ("creators", "teams", "universes"))
    assert writer.patch(path, form={"name": "Gale"})["teams"] == [before["teams"][0]["id"]]
    after = writer.put(path, form={"name": "Gale Harrow"})
    assert after["creators"] == after["teams"] == after["universes"] == []
    assert (after["alias"], after["cv_id"]) == (["A", "B"], 5)
    session.expire_all()
    assert session.get(Character, gale.id).name == "Gale Harrow"


def test_put_as_json_leaves_links_alone(writer, make):
    arc = make.arc()
    issue = make.issue(arcs=[arc])
    sent = {"series": issue.series_id, "number": "1", "cover_date": "2020-05-01"}
    path = f"/api/issue/{issue.id}/"
    assert writer.put(path, json=sent)["arcs"] == [arc.id]
    assert writer.put(path, form=sent)["arcs"] == []


def test_an_empty_text_is_null_where_that_can_be(writer, make, session):
    publisher = make.publisher(founded=1975, cv_id=5, desc="x", country="IT")
    form = {"founded": "", "cv_id": "", "gcd_id": "", "desc": "", "country": ""}
    answer = writer.patch(f"/api/publisher/{publisher.id}/", form=form)
    assert [answer[field] for field in ("founded", "cv_id", "gcd_id", "desc")] == [None, None, None, ""]
    assert answer["country"] == "US"
    path = f"/api/publisher/{publisher.id}/"
    assert writer.put(path, form={"name": "A", "country": "it"})["country"] == "IT"
    assert writer.put(path, form={"name": "A"})["country"] == "IT"
    assert writer.put(path, form={"name": "A", "country": ""}, files=[])["country"] == "US"
    assert writer.post("/api/publisher/", form={"name": "A", "country": ""})["country"] == "US"
    assert writer.patch(path, json={"country": ""})["country"] == ""  # an unknown country
    issue = make.issue(page=3)
    path = f"/api/issue/{issue.id}/"
    assert writer.patch(path, form={"page": "", "store_date": "", "price": ""})["page"] is None
    assert writer.patch(path, 400, json={"page": ""}) == {"page": ["A valid integer is required."]}
    assert session.query(Publisher).filter_by(founded=None).count() >= 2


def test_a_price_is_text_or_json_in_a_form(writer, make):
    path = f"/api/issue/{make.issue().id}/"
    assert writer.patch(path, form={"price": '{"amount": "3.99", "currency": "EUR"}'})["price"] == "3.99"
    assert writer.json(path)["price_currency"] == "EUR"
    assert writer.patch(path, form={"price": "2"}, files=[])["price"] == "2.00"
    assert writer.json(path)["price_currency"] == "USD"


def test_the_last_of_several_single_values_counts(writer, make):
    arc = make.arc()
    assert writer.patch(f"/api/arc/{arc.id}/", form=[("name", "A"), ("name", "B")])["name"] == "B"


def test_a_file_is_no_text(writer, make):
    issue = make.issue()
    files = [(field, "x.txt", b"1") for field in ("sku", "page", "rating", "price", "arcs")]
    assert writer.patch(f"/api/issue/{issue.id}/", 400, files=files) == {
        "sku": ["Not a valid string."],
        "page": ["A valid integer is required."],
        "rating": ["Incorrect type. Expected pk value, received File."],
        "price": ["Invalid price format: x.txt. Examples: 3.99, 3,99 €, $3.99."],
        "arcs": ["Incorrect type. Expected pk value, received File."],
    }
