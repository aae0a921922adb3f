"""Fields of writes, kind by kind: responses, stored values and refusals."""

from decimal import Decimal

import pytest

from comicsdb.models import Issue, Publisher
from tests.api.bodies import BASE, assert_same_json

TAKEN = "The fields {} must make a unique set."
NOT_THERE = 'Invalid pk "{}" - object does not exist.'


@pytest.fixture
def nimbus(make):
    """A publisher."""
    return make.publisher(name="Nimbus Comics")


def series_of(publisher, **more):
    """The required fields of a new series."""
    needed = {"name": "Harbor Lights", "sort_name": "Harbor Lights", "volume": 1, "year_began": 2019}
    return needed | {"series_type": 13, "status": 4, "publisher": publisher.id} | more


def issue_of(series, **more):
    """The required fields of a new issue."""
    return {"series": series.id, "number": "3", "cover_date": "2019-06-01"} | more


def written(answer, **expected):
    """Assert that the response to a write is exactly this, in this order, with `modified` if it has one."""
    if "modified" in answer:
        expected["modified"] = answer["modified"]
    assert_same_json(answer, expected)


# Responses.


def test_the_small_kinds(writer, make, nimbus):
    ids = {"cv_id": 31, "gcd_id": 8801}
    page = f"{BASE}/{{}}/{{}}/".format
    common = {"image": None, **ids}
    arc = writer.post("/api/arc/", form={"name": " Salt Tide ", "desc": "Deep.", **ids})
    shown = {"id": arc["id"], "name": "Salt Tide", "desc": "Deep."}
    written(arc, **shown, **common, resource_url=page("arc", "salt-tide"))
    creator = writer.post(
        "/api/creator/", form={"name": "Ada", "birth": "1971-04-02", "death": "", "alias": ["A", "B"], **ids}
    )
    written(
        creator,
        id=creator["id"],
        name="Ada",
        birth="1971-04-02",
        birth_precision="day",
        death=None,
        death_precision="day",
        desc="",
        **{"image": None, "alias": ["A", "B"], **ids, "resource_url": page("creator", "ada")},
    )
    imprint = writer.post("/api/imprint/", form={"name": "Stratus", "publisher": nimbus.id, "founded": 1993})
    written(
        imprint,
        id=imprint["id"],
        name="Stratus",
        founded=1993,
        desc="",
        image=None,
        cv_id=None,
        gcd_id=None,
        publisher=nimbus.id,
        resource_url=page("imprint", "stratus"),
    )
    publisher = writer.post("/api/publisher/", form={"name": "Cloud", "alt_names": "C", "country": "it"})
    written(
        publisher,
        id=publisher["id"],
        name="Cloud",
        alt_names=["C"],
        founded=None,
        country="IT",
        desc="",
        image=None,
        cv_id=None,
        gcd_id=None,
        resource_url=page("publisher", "cloud"),
    )
    universe = writer.post("/api/universe/", form={"name": "Prime", "publisher": nimbus.id, "cv_id": 5})
    written(
        universe,
        id=universe["id"],
        publisher=nimbus.id,
        name="Prime",
        designation="",
        desc="",
        gcd_id=None,
        image=None,
        resource_url=page("universe", "prime"),
    )
    team = writer.post(
        "/api/team/", form={"name": "Wardens", "creators": creator["id"], "universes": universe["id"]}
    )
    linked = {"creators": [creator["id"]], "universes": [universe["id"]]}
    written(
        team,
        **{"id": team["id"], "name": "Wardens", "desc": "", "image": None, **linked},
        cv_id=None,
        gcd_id=None,
        resource_url=page("team", "wardens"),
    )
    character = writer.post(
        "/api/character/", form={"name": "Gale", "alias": "W", "teams": team["id"], **linked, **ids}
    )
    written(
        character,
        id=character["id"],
        name="Gale",
        alias=["W"],
        desc="",
        image=None,
        **{"creators": linked["creators"], "teams": [team["id"]], "universes": linked["universes"], **ids},
        resource_url=page("character", "gale"),
    )
    for kind, answer in {"arc": arc, "team": team, "character": character, "imprint": imprint}.items():
        shown = writer.json(f"/api/{kind}/{answer['id']}/")
        assert {key: shown[key] for key in ("name", "modified", "resource_url")} == {
            key: answer[key] for key in ("name", "modified", "resource_url")
        }


def test_a_series(writer, make, nimbus):
    imprint, other = make.imprint(publisher=nimbus), make.series()
    sent = series_of(nimbus, imprint=imprint.id, genres=[8, 1, 8], associated=[other.id], alt_names=["L"])
    made = writer.post("/api/series/", json=sent | {"year_end": 2021, "language": ""})
    written(
        made,
        id=made["id"],
        name="Harbor Lights",
        sort_name="Harbor Lights",
        alt_names=["L"],
        language="",
        volume=1,
        series_type=13,
        status=4,
        publisher=nimbus.id,
        imprint=imprint.id,
        year_began=2019,
        year_end=2021,
        desc="",
        genres=[1, 8],
        associated=[other.id],
        cv_id=None,
        gcd_id=None,
        resource_url=f"{BASE}/series/harbor-lights-2019/",
    )
    (back,) = writer.json(f"/api/series/{other.id}/")["associated"]
    assert back["id"] == made["id"]
    path = f"/api/series/{made['id']}/"
    assert writer.patch(path, json={"desc": "x", "status": "2"})["imprint"] == imprint.id
    assert writer.put(path, json=series_of(nimbus))["imprint"] is None
    assert writer.patch(path, json={"imprint": imprint.id})["genres"] == [1, 8]
    assert writer.patch(path, json={"imprint": None, "genres": []})["imprint"] is None
    assert writer.json(path)["status"] == "Ongoing"


def test_an_issue(writer, make, nimbus):
    series, arc, reprint = make.series(publisher=nimbus, name="Harbor"), make.arc(), make.issue()
    links = {"arcs": [arc.id], "characters": [], "teams": [make.team().id], "universes": []}
    sent = issue_of(series, price=3.995, name=["Low Water", " High "], isbn="978-3-16-148410-0", **links)
    made = writer.post("/api/issue/", json=sent | {"reprints": [reprint.id], "page": "32"})
    written(
        made,
        id=made["id"],
        series=series.id,
        number="3",
        alt_number="",
        title="",
        name=["Low Water", "High"],
        cover_date="2019-06-01",
        cover_date_precision="day",
        store_date=None,
        foc_date=None,
        price="4.00",
        rating=1,
        sku="",
        isbn="9783161484100",
        upc="",
        page=32,
        desc="",
        desc_is_solicitation=False,
        image=None,
        **links,
        reprints=[reprint.id],
        cv_id=None,
        gcd_id=None,
        resource_url=f"{BASE}/issue/harbor-2020-3/",
    )
    assert "modified" not in made
    assert writer.patch(f"/api/issue/{made['id']}/", json={"arcs": [], "rating": 3})["arcs"] == []
    kept = writer.put(f"/api/issue/{made['id']}/", json=issue_of(series))
    assert (kept["teams"], kept["rating"], kept["name"]) == (links["teams"], 3, ["Low Water", "High"])
    (back,) = writer.json(f"/api/issue/{reprint.id}/")["reprints"]
    assert back["id"] == made["id"]


def test_whether_a_description_is_an_announcement(writer, make):
    issue, field = make.issue(), "desc_is_solicitation"
    path = f"/api/issue/{issue.id}/"
    for way, sent, kept in [
        ("json", True, True),
        ("form", "", True),
        ("json", False, False),
        ("form", "true", True),
        ("form", "0", False),
        ("form", "1", True),
    ]:
        assert writer.patch(path, **{way: {field: sent}})[field] is kept, sent
        assert writer.json(path)[field] is kept
    whole = {"series": issue.series_id, "number": "1", "cover_date": "2020-01-01"}
    assert writer.put(path, form=whole)[field] is True
    assert writer.patch(path, 400, json={field: "soon"}) == {field: ["Must be a valid boolean."]}
    assert writer.patch(path, 400, json={field: None}) == {field: ["This field may not be null."]}
    assert writer.json(path)[field] is True


@pytest.mark.parametrize(
    ("price", "shown"),
    [
        ("3.99", ("3.99", "USD")),
        (4, ("4.00", "USD")),
        ({"amount": 3.99, "currency": "GBP"}, ("3.99", "GBP")),
        ({"amount": "1500"}, ("1500.00", "USD")),
        ('{"amount": "2", "currency": "EUR"}', ("2.00", "EUR")),
        (0, ("0.00", "")),
        (None, (None, "")),
        ("", (None, "")),
        ({}, (None, "")),
        ({"amount": 500, "currency": "JPY"}, ("500", "JPY")),
        ({"amount": 1.25, "currency": "KWD"}, ("1.250", "KWD")),
        ("¥500", ("500", "JPY")),
        ({"amount": "", "currency": "ITL"}, (None, "")),
    ],
)
def test_forms_of_a_price(writer, make, price, shown):
    issue = make.issue(price=Decimal("9.50"), currency="ITL")
    assert writer.patch(f"/api/issue/{issue.id}/", json={"price": price})["price"] == shown[0]
    detail = writer.json(f"/api/issue/{issue.id}/")
    assert (detail["price"], detail["price_currency"]) == shown


def test_prices_that_are_none(writer, make):
    path = f"/api/issue/{make.issue().id}/"
    for price, message in {
        "x": "Invalid price format: x. Examples: 3.99, 3,99 €, $3.99.",
        "-1": "Ensure this value is greater than or equal to 0.",
        "1000000": "Ensure that there are no more than 6 digits before the decimal point.",
        '{"amount": 1, "currency": "XYZ"}': "Invalid currency 'XYZ'. Expected a code of ISO 4217,"
        " such as USD, EUR or JPY.",
        '{"amount": "3.5", "currency": "JPY"}': "Prices in JPY have no decimals: enter a whole number.",
    }.items():
        assert writer.patch(path, 400, json={"price": price}) == {"price": [message]}


# Stored values, and the log.


def test_who_wrote_it_is_known(writer, session, make):
    made = writer.post("/api/publisher/", form={"name": "A"})
    publisher = session.get(Publisher, made["id"])
    editor_id = publisher.created_by_id
    assert editor_id == publisher.edited_by_id != 1
    other = make.publisher()
    writer.patch(f"/api/publisher/{other.id}/", form={"name": "B"})
    session.expire_all()
    assert (other.created_by_id, other.edited_by_id) == (1, editor_id)


def test_the_log_says_what_was_written_and_by_whom(writer, caplog):
    with caplog.at_level("INFO", logger="comicsdb.catalog"):
        made = writer.post("/api/arc/", form={"name": "Salt\u2028Tide"})  # a line end for some log readers
        writer.patch(f"/api/arc/{made['id']}/", form={"cv_id": 5})
        writer.patch(f"/api/arc/{made['id']}/", 400, form={"name": ""})
    said = [each.getMessage() for each in caplog.records if each.name == "comicsdb.catalog.unit_of_work"]
    assert said == [
        f"catalog create: arc {made['id']} Salt Tide (user=editor)",
        f"catalog update: arc {made['id']} Salt Tide (user=editor)",
    ]


# Refusals.


def test_all_that_is_wrong_is_said_at_once(writer, make, nimbus):
    """Errors found by the schema, by the catalog, by the database and in the file."""
    make.issue(cv_id=5, gcd_id=6)
    form = {"number": "", "series": 999, "cover_date": "1066-01-01", "page": "x", "cv_id": 5, "gcd_id": 6}
    assert writer.post("/api/issue/", 400, form=form, files=[("image", "x.png", b"no picture")]) == {
        "number": ["This field may not be blank."],
        "page": ["A valid integer is required."],
        "series": [NOT_THERE.format(999)],
        "cover_date": ["Dates before 1900 are not accepted."],
        "cv_id": ["issue with this Comic Vine ID already exists."],
        "gcd_id": ["issue with this GCD ID already exists."],
        "image": [
            "Upload a valid image. The file you uploaded was either not an image or a corrupted image."
        ],
    }
    one = make.series(publisher=nimbus, name="Run", cv_id=7)
    again = series_of(nimbus, name="Run", cv_id=7, genres=[1, 999, 998], year_end=1990)
    assert writer.post("/api/series/", 400, json=again) == {
        "cv_id": ["series with this Comic Vine ID already exists."],
        "genres": [NOT_THERE.format(998), NOT_THERE.format(999)],
        "year_end": ["A series cannot end before the year it began."],
        "non_field_errors": [
            TAKEN.format("publisher, name, volume, series_type"),
            f"The series {one.slug} has them.",
        ],
    }
    writer.patch(f"/api/series/{one.id}/", json={"cv_id": 7, "name": "Run"})  # the values are its own


def test_unique_sets(writer, make, nimbus):
    issue, universe = make.issue(number="1"), make.universe(publisher=nimbus, name="Prime")
    other = make.issue(series=issue.series_id, number="2")
    wrong = {"non_field_errors": [TAKEN.format("series, number"), f"The issue {issue.slug} has them."]}
    assert writer.post("/api/issue/", 400, json=issue_of(make.series()) | {
        "series": issue.series_id, "number": "1"}) == wrong  # fmt: skip
    assert writer.patch(f"/api/issue/{other.id}/", 400, json={"number": " #01 "}) == wrong
    assert writer.post("/api/universe/", 400, form={"name": "Prime", "publisher": nimbus.id}) == {
        "non_field_errors": [
            TAKEN.format("publisher, name, designation"),
            f"The universe {universe.slug} has them.",
        ]
    }
    writer.post("/api/universe/", form={"name": "Prime", "publisher": nimbus.id, "designation": "2"})
    assert universe.designation == ""


def test_links_and_parents(writer, make, nimbus):
    issue, imprint = make.issue(), make.imprint()
    path = f"/api/issue/{issue.id}/"
    assert writer.patch(path, 400, json={"reprints": [issue.id]}) == {
        "reprints": ["An entry cannot be linked to itself: choose another one."]
    }
    assert writer.patch(
        path, 400, json={"arcs": None, "teams": "1", "characters": ["x"], "universes": [9]}
    ) == {
        "arcs": ["This field may not be null."],
        "teams": ['Expected a list of items but got type "str".'],
        "characters": ["Incorrect type. Expected pk value, received str."],
        "universes": [NOT_THERE.format(9)],
    }
    assert writer.post("/api/series/", 400, json=series_of(nimbus, imprint=imprint.id)) == {
        "imprint": ["The imprint belongs to another publisher."]
    }
    said = writer.patch(path, 400, json={"series": None, "rating": 99, "image": None, "name": ["a", ""]})
    assert said == {
        "series": ["This field may not be null."],
        "rating": [NOT_THERE.format(99)],
        "image": ["This field may not be null."],
        "name": {"1": ["This field may not be blank."]},
    }


def test_nothing_of_what_is_refused_stays(writer, make, session):
    issue = make.issue(desc="before")
    before = writer.json(f"/api/issue/{issue.id}/")
    writer.patch(f"/api/issue/{issue.id}/", 400, json={"desc": "after", "arcs": [99]})
    writer.post(
        "/api/issue/", 400, json={"series": issue.series_id, "number": "1", "cover_date": "2020-01-01"}
    )
    assert writer.json(f"/api/issue/{issue.id}/") == before
    assert session.query(Issue).count() == 1


def test_objects_that_are_gone(writer, make):
    arc = make.arc()
    make.catalog.delete(arc)
    make.session.commit()
    for method in ("PUT", "PATCH"):
        for object_id in (arc.id, 0, -1, 2**31, "9" * 4000):
            said = writer.write(method, f"/api/arc/{object_id}/", 404, form={"name": "A"}).json
            assert said == {"detail": "No Arc matches the given query."}
