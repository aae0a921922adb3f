"""Variants: responses, stored values, refusals, and the effects on their issue."""

from datetime import date

import mokkari.schemas.issue
import pytest
from mokkari.schemas.variant import VariantPostResponse

from comicsdb.library import collection, ratings, wish_list
from comicsdb.models import Change, History, Issue, Variant
from tests.api.bodies import assert_same_json
from tests.api.writing import PICTURE_FILES, picture

NOT_THERE = 'Invalid pk "{}" - object does not exist.'
REFUSED = {"detail": "No Variant matches the given query."}


@pytest.fixture
def issue(make):
    """An issue."""
    return make.issue()


@pytest.fixture
def made(writer, issue):
    """A variant of the issue, as the response to the request that made it."""
    form = {
        "issue": issue.id,
        "name": "Foil",
        "price": "5.99",
        "price_currency": "GBP",
        "sku": "S",
        "upc": "1",
    }
    return writer.post("/api/variant/", form=form, files=PICTURE_FILES)


def test_the_answer(writer, made, issue):
    expected = {"id": made["id"], "image": made["image"], "name": "Foil", "price_currency": "GBP"}
    assert_same_json(made, expected | {"price": "5.99", "sku": "S", "upc": "1", "issue": issue.id})
    (shown,) = writer.json(f"/api/issue/{issue.id}/")["variants"]
    assert shown == {key: made[key] for key in ("name", "price", "sku", "upc", "image")}
    plain = writer.post("/api/variant/", form={"issue": issue.id}, files=PICTURE_FILES)
    assert (plain["name"], plain["price"], plain["price_currency"]) == ("", None, "USD")


def test_a_variant_without_a_picture(writer, made, issue):
    bare = writer.post("/api/variant/", json={"issue": issue.id, "name": "Bare", "price": "3", "sku": "T"})
    assert VariantPostResponse.model_validate(bare).image is None
    detail = writer.json(f"/api/issue/{issue.id}/?include=all_variants")
    assert [each.name for each in mokkari.schemas.issue.Issue.model_validate(detail).variants] == ["Foil"]
    plain = {"id": bare["id"], "name": "Bare", "price": "3.00", "price_currency": "USD", "sku": "T"}
    assert detail["all_variants"][0] == plain | {"upc": "", "image": None}
    assert [each["image"] for each in detail["all_variants"]] == [None, made["image"]]
    (row,) = writer.json("/api/issue/?fields=all_variants.name")["results"]
    assert row == {"all_variants": [{"name": "Bare"}, {"name": "Foil"}]}
    pictured = writer.patch(f"/api/variant/{bare['id']}/", form={}, files=PICTURE_FILES)
    assert pictured["image"].startswith("http")
    assert len(writer.json(f"/api/issue/{issue.id}/")["variants"]) == 2


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"price": "7", "price_currency": "EUR"}, ("7.00", "EUR")),
        ({"price": 7.5}, ("7.50", "USD")),
        ({"price_currency": "EUR"}, ("5.99", "GBP")),
        ({"price": None}, (None, "USD")),
        ({}, ("5.99", "GBP")),
    ],
)
def test_a_currency_goes_with_its_price(writer, made, sent, kept):
    answer = writer.patch(f"/api/variant/{made['id']}/", json=sent)
    assert (answer["price"], answer["price_currency"]) == kept
    assert (answer["name"], answer["image"]) == (made["name"], made["image"])


def test_put_needs_an_issue(writer, made, issue):
    path = f"/api/variant/{made['id']}/"
    assert writer.put(path, 400, form={"name": "A"}) == {"issue": ["This field is required."]}
    for body in ({"form": {"issue": issue.id, "image": ""}}, {"json": {"issue": issue.id}}):
        assert writer.put(path, **body)["image"] == made["image"]
    files = [("image", "y.png", picture((1, 2, 3)))]
    answer = writer.put(path, form={"issue": issue.id, "name": "A"}, files=files)
    assert (answer["name"], answer["sku"]) == ("A", "S")
    assert answer["image"] != made["image"]


def test_all_that_is_wrong_is_said_at_once(writer, made):
    form = {"issue": 999, "name": "x" * 256, "price": "1.234", "price_currency": "XYZ", "sku": "x" * 13}
    wrong = {
        "issue": [NOT_THERE.format(999)],
        "name": ["Ensure this field has no more than 255 characters."],
        "price": ["Ensure that there are no more than 2 decimal places."],
        "price_currency": ['"XYZ" is not a valid choice.'],
        "sku": ["Ensure this field has no more than 12 characters."],
    }
    assert writer.post("/api/variant/", 400, form=form) == wrong
    assert writer.patch(f"/api/variant/{made['id']}/", 400, form=form) == wrong
    path = f"/api/variant/{made['id']}/"
    assert writer.patch(path, 400, json={"price": {"amount": 1}}) == {
        "price": ["A valid number is required. Examples: 3.99, 3,99 €, $3.99."]
    }
    null = ["This field may not be null."]
    said = writer.patch(path, 400, json={"image": None, "issue": None})
    assert said == {"image": null, "issue": null}


def test_what_follows_for_the_issue(writer, session, made, issue):
    session.expire_all()
    before = issue.modified
    assert issue.edited_by_id != issue.created_by_id
    writer.call("PATCH", f"/api/variant/{made['id']}/")
    session.expire_all()
    assert issue.modified > before
    written = session.query(History).filter_by(kind="issue", object_id=issue.id).count()
    writer.patch(f"/api/variant/{made['id']}/", json={"name": "Gold"})
    session.expire_all()
    last = session.query(History).filter_by(kind="issue").order_by(History.id.desc()).first()
    assert [each["name"] for each in last.snapshot["variants"]] == ["Gold"]
    assert session.query(History).filter_by(kind="issue", object_id=issue.id).count() == written + 1
    assert last.user_id == issue.edited_by_id
    change = session.query(Change).order_by(Change.seq.desc()).first()
    assert (change.kind, change.object_id, change.fields) == ("issue", issue.id, ["variants"])


def test_a_variant_may_go_to_another_issue(writer, session, make, made, issue):
    other = make.issue()
    stamps = {
        each.id: session.get(Issue, each.id, populate_existing=True).modified for each in (issue, other)
    }
    assert writer.patch(f"/api/variant/{made['id']}/", json={"issue": other.id})["issue"] == other.id
    session.expire_all()
    assert all(session.get(Issue, object_id).modified > stamp for object_id, stamp in stamps.items())
    assert writer.json(f"/api/issue/{issue.id}/")["variants"] == []
    assert len(writer.json(f"/api/issue/{other.id}/")["variants"]) == 1


def test_copies_and_wishes_follow_their_variant_to_another_issue(writer, session, make, made, issue):
    other, reader, today = make.issue(), make.user().id, date(2026, 11, 23)
    ratings.rate(session, other, reader, 4, today=today)
    item, _new = collection.add(session, reader, issue.id, {"variant_id": made["id"]})
    wish, _new = wish_list.add(session, reader, issue.id, {"variant_id": made["id"]})
    kept, _new = wish_list.add(session, reader, issue.id, {})
    session.commit()
    stamp = item.modified
    writer.patch(f"/api/variant/{made['id']}/", json={"issue": other.id})
    session.expire_all()
    assert [each.issue_id for each in (item, wish, kept)] == [other.id, other.id, issue.id]
    assert (item.rating, item.modified > stamp) == (4, True)
    _wish, owned, is_new = wish_list.acquire(session, reader, wish.id, {})
    assert (owned.id, is_new) == (item.id, False)


def test_variants_that_are_not_there(writer, session, make, made, issue):
    for object_id in (999_999, 0, 2**31):
        for method in ("PUT", "PATCH"):
            assert writer.write(method, f"/api/variant/{object_id}/", 404, json={}).json == REFUSED
    assert writer.patch("/api/variant/x/", 404, json={}) == {"detail": "Not found."}
    make.catalog.delete(session.get(Issue, issue.id))
    session.commit()
    assert writer.patch(f"/api/variant/{made['id']}/", 404, json={}) == REFUSED
    assert session.query(Variant).count() == 0
