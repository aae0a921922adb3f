"""The wish list through the API: every route, for its owner alone."""

from datetime import date

import pytest
from sqlalchemy import select, update

from comicsdb.library import collection, wish_list
from comicsdb.models import CollectionItem, Issue, PullList, WishListItem
from tests.api.bodies import api_timestamp

LIST = ["id", "item_count", "items_url", "modified"]
ROW = ["id", "issue", "status", "priority", "desired_grade", "modified", "variant"]
WHOLE = [*ROW[:-2], "max_price", "max_price_currency", "notes", "added_on", *ROW[-2:]]
ISSUE = ["id", "series", "number", "cover_date", "store_date", "modified"]
TODAY = date(2026, 3, 4)
LARGEST = 2**63 - 1


@pytest.fixture
def writer(mine):
    return mine


def add(writer, issue, status=201, **values):
    return writer.post("/api/wish_list/items/add/", status, json={"issue_id": issue.id, **values})


def acquire(writer, item, status=200, **body):
    return writer.post(f"/api/wish_list/items/{item['id']}/acquire/", status, json=body)


@pytest.mark.parametrize("path", ["/api/wish_list/", "/api/wish_list/items/", "/api/wish_list/1/"])
def test_the_list_is_made_by_the_first_look_at_any_route(api, path):
    api.get(path, 404 if path.endswith("/1/") else 200)
    page = api.json("/api/wish_list/")
    (own,) = page["results"]
    assert (page["count"], list(own)) == (1, LIST)
    assert (own["item_count"], own["items_url"]) == (0, "http://localhost/api/wish_list/items/")
    assert api.json(f"/api/wish_list/{own['id']}/") == own


def test_an_issue_is_wished_for_once(writer, make):
    issue = make.issue(number="3", store_date=date(2019, 4, 17))
    series = make.session.get(Issue, issue.id).series_id
    made = add(writer, issue, priority=1, desired_grade=6, max_price="50", max_price_currency="GBP")
    assert (list(made), list(made["issue"])) == (WHOLE, ISSUE)
    assert made["issue"] | {"series": made["issue"]["series"]["id"]} == {
        "id": issue.id,
        "series": series,
        "number": "3",
        "cover_date": "2020-05-01",
        "store_date": "2019-04-17",
        "modified": api_timestamp(issue.modified),
    }
    assert list(made["issue"]["series"]) == ["id", "name", "volume", "year_began"]
    told = {name: made[name] for name in WHOLE[2:8]}
    assert told == {
        "status": "Wanted",
        "priority": 1,
        "desired_grade": 6.0,
        "max_price": "50.00",
        "max_price_currency": "GBP",
        "notes": "",
    }
    assert add(writer, issue, 200, priority=5, notes="other") == made
    rows = writer.json("/api/wish_list/items/")["results"]
    assert rows == [{name: made[name] for name in ROW}]
    assert writer.json("/api/wish_list/")["results"][0]["item_count"] == 1


def test_defaults(writer, make):
    made = add(writer, make.issue())
    assert {name: made[name] for name in WHOLE[2:8]} == {
        "status": "Wanted",
        "priority": 3,
        "desired_grade": None,
        "max_price": None,
        "max_price_currency": None,
        "notes": "",
    }
    free = add(writer, make.issue(), max_price=0, max_price_currency="EUR")
    assert (free["max_price"], free["max_price_currency"]) == (None, None)


def test_forms_add_too(writer, make):
    form = {"issue_id": make.issue().id, "desired_grade": "", "max_price": "12.5", "notes": " x "}
    refused = writer.post("/api/wish_list/items/add/", 400, form=form | {"priority": ""})
    assert refused == {"priority": ["A valid integer is required."]}  # it cannot be null
    for files in (None, []):
        form["issue_id"] = make.issue().id
        made = writer.post("/api/wish_list/items/add/", form=form, files=files)
        assert (made["desired_grade"], made["max_price"], made["max_price_currency"]) == (
            None,
            "12.50",
            "USD",
        )
        assert made["notes"] == "x"


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"issue_id": None}, {"issue_id": ["This field may not be null."]}),
        ({"issue_id": "x"}, {"issue_id": ["A valid integer is required."]}),
        ({"issue_id": 999}, {"issue_id": ["Issue with id 999 does not exist."]}),
        ({"priority": 6}, {"priority": ["Ensure this value is less than or equal to 5."]}),
        ({"priority": 0}, {"priority": ["Ensure this value is greater than or equal to 1."]}),
        ({"desired_grade": "9.7"}, {"desired_grade": ['"9.7" is not a valid choice.']}),
        ({"desired_grade": "x"}, {"desired_grade": ["A valid number is required."]}),
        ({"max_price": "-1"}, {"max_price": ["Ensure this value is greater than or equal to 0."]}),
        (
            {"max_price": "12345678901"},
            {"max_price": ["Ensure that there are no more than 10 digits in total."]},
        ),
        ({"max_price": "1.234"}, {"max_price": ["Ensure that there are no more than 2 decimal places."]}),
        ({"max_price_currency": "XYZ"}, {"max_price_currency": ['"XYZ" is not a valid choice.']}),
        ({"notes": None}, {"notes": ["This field may not be null."]}),
        (
            {"priority": "x", "notes": []},
            {"priority": ["A valid integer is required."], "notes": ["Not a valid string."]},
        ),
    ],
)
def test_what_is_wrong_is_told_by_field(writer, make, body, errors):
    sent = {"issue_id": make.issue().id} | body
    assert writer.post("/api/wish_list/items/add/", 400, json=sent) == errors
    assert writer.json("/api/wish_list/items/")["count"] == 0


def test_an_issue_must_be_named(writer):
    required = {"issue_id": ["This field is required."]}
    assert writer.post("/api/wish_list/items/add/", 400, json={}) == required
    assert writer.post("/api/wish_list/items/add/", 400, form={"notes": "x"}) == required
    (message,) = writer.post("/api/wish_list/items/add/", 400, json=[1])["non_field_errors"]
    assert message == "Invalid data. Expected a dictionary, but got list."


def test_the_largest_price_of_all(writer, make):
    assert add(writer, make.issue(), max_price="99999999.99")["max_price"] == "99999999.99"


def test_items_stand_by_priority_series_and_cover_date(writer, make):
    one, two = make.series(name="A", sort_name="A"), make.series(name="B", sort_name="B")
    for series, number, cover, priority in (
        (two, "1", date(2020, 1, 1), 2),
        (one, "2", date(2021, 1, 1), 2),
        (one, "3", date(2020, 1, 1), 2),
        (two, "4", date(2022, 1, 1), 1),
    ):
        add(writer, make.issue(series=series, number=number, cover_date=cover), priority=priority)
    rows = writer.json("/api/wish_list/items/")["results"]
    assert [each["issue"]["number"] for each in rows] == ["4", "3", "2", "1"]


def test_what_is_acquired_comes_into_the_collection(writer, make, session, reader):
    issue = make.issue()
    item = add(writer, issue, desired_grade=9.8)
    answer = acquire(
        writer,
        item,
        purchase_date="2026-01-02",
        purchase_price="4.5",
        purchase_price_currency="EUR",
        purchase_store="Corner Shop",
        notes="signed",
    )
    owned = session.scalars(select(CollectionItem)).one()
    assert answer == {
        "wish_list_item_id": item["id"],
        "collection_item_id": owned.id,
        "created": True,
        "status": "Acquired",
    }
    assert (owned.user_id, owned.issue_id, owned.quantity, owned.book_format) == (
        reader.id,
        issue.id,
        1,
        "PRINT",
    )
    bought = (owned.purchase_date, owned.purchase_price, owned.purchase_currency, owned.purchase_store)
    assert [str(each) for each in bought] == ["2026-01-02", "4.50", "EUR", "Corner Shop"]
    assert (str(owned.grade), owned.notes, owned.is_read) == ("9.8", "signed", False)
    (row,) = writer.json("/api/wish_list/items/")["results"]
    assert row["status"] == "Acquired"
    assert row["modified"] > item["modified"]
    again = acquire(writer, item, purchase_store="Elsewhere")
    assert again == answer | {"created": False}
    session.refresh(owned)
    assert owned.purchase_store == "Corner Shop"


def test_a_purchase_needs_no_details(writer, make, session):
    item = add(writer, make.issue())
    answer = writer.raw("POST", f"/api/wish_list/items/{item['id']}/acquire/", 200, b"", "application/json")
    assert answer.json["created"] is True
    other = add(writer, make.issue())
    assert writer.post(f"/api/wish_list/items/{other['id']}/acquire/", 200, form={})["created"] is True
    owned = session.scalars(select(CollectionItem).order_by(CollectionItem.id)).all()
    assert [each.grade for each in owned] == [None, None]


def test_what_was_owned_before_stays_as_it_is(writer, make, session, reader):
    issue = make.issue()
    owned, _ = collection.add(session, reader.id, issue.id, {"quantity": 3, "notes": "old"})
    session.commit()
    answer = acquire(writer, add(writer, issue, desired_grade=9.8), notes="new")
    assert (answer["created"], answer["collection_item_id"]) == (False, owned.id)
    session.refresh(owned)
    assert (owned.quantity, owned.notes, owned.grade) == (3, "old", None)


def test_a_wrong_purchase_changes_nothing(writer, make, session):
    item = add(writer, make.issue())
    errors = acquire(writer, item, 400, purchase_date="soon", purchase_price="x", purchase_store="s" * 256)
    assert set(errors) == {"purchase_date", "purchase_price", "purchase_store"}
    (row,) = writer.json("/api/wish_list/items/")["results"]
    assert row == {name: item[name] for name in ROW}
    assert session.scalar(select(CollectionItem)) is None
    absent = {"detail": "No WishListItem matches the given query."}
    sent = {"purchase_date": "soon"}  # 404 takes precedence over errors in the body
    assert writer.post("/api/wish_list/items/999999/acquire/", 404, json=sent) == absent


def test_an_item_is_removed(writer, make):
    item, kept = add(writer, make.issue()), add(writer, make.issue())
    path = f"/api/wish_list/items/{item['id']}/remove/"
    assert writer.call("DELETE", path, 204).body == b""
    absent = {"detail": "No WishListItem matches the given query."}
    for number in (item["id"], 0, 2**40, 2**70):
        assert writer.call("DELETE", f"/api/wish_list/items/{number}/remove/", 404).json == absent
        assert writer.call("POST", f"/api/wish_list/items/{number}/acquire/", 404).json == absent
    for verb, method in (("remove", "DELETE"), ("acquire", "POST")):
        answer = writer.call(method, f"/api/wish_list/items/x/{verb}/", 404)
        assert answer.json == {"detail": "Not found."}
    assert [each["id"] for each in writer.json("/api/wish_list/items/")["results"]] == [kept["id"]]


def test_numbers_of_what_readers_keep_have_64_bits(writer, make, session):
    acquire(writer, add(writer, make.issue()))
    writer.json("/api/pull_list/")
    for model in (CollectionItem, WishListItem, PullList):
        session.execute(update(model).values(id=LARGEST))
    session.commit()
    for path in ("/api/collection", "/api/pull_list"):
        assert writer.json(f"{path}/{LARGEST}/")["id"] == LARGEST
        writer.json(f"{path}/{LARGEST + 1}/", 404)
    assert writer.patch(f"/api/collection/{LARGEST}/", json={"rating": 4})["rating"] == 4
    item = f"/api/wish_list/items/{LARGEST}"
    assert writer.post(f"{item}/acquire/", 200)["wish_list_item_id"] == LARGEST
    writer.call("DELETE", f"{item}/remove/", 204)
    described = writer.json("/api/schema/?format=json")
    assert described["components"]["schemas"]["CollectionItem"]["properties"]["id"]["maximum"] == LARGEST
    paths = ("/api/collection/{id}/", "/api/wish_list/items/{item_id}/remove/")
    numbers = [described["paths"][path]["parameters"][0]["schema"]["maximum"] for path in paths]
    assert numbers == [LARGEST, LARGEST]


def test_every_change_moves_the_stamp_of_the_list(writer, make, session, reader):
    (own,) = writer.json("/api/wish_list/")["results"]
    path = f"/api/wish_list/{own['id']}/"
    before = writer.get(path)
    assert writer.get(path, 304, {"If-None-Match": before.headers["ETag"]}).body == b""
    assert writer.get(path, 304, {"If-Modified-Since": before.headers["Last-Modified"]}).body == b""
    stamps = [own["modified"]]
    item = add(writer, make.issue())
    for change in (
        lambda: None,
        lambda: wish_list.change(session, reader.id, item["id"], {"priority": 1}),
        lambda: acquire(writer, item),
        lambda: writer.call("DELETE", f"/api/wish_list/items/{item['id']}/remove/", 204),
    ):
        change()
        session.commit()
        stamps.append(writer.json(path)["modified"])
    assert stamps == sorted(set(stamps))


def test_nobody_else_sees_a_trace(writer, other, make):
    item = add(writer, make.issue())
    (own,) = writer.json("/api/wish_list/")["results"]
    assert other.json(f"/api/wish_list/{own['id']}/", 404) == {
        "detail": "No WishList matches the given query."
    }
    assert other.json("/api/wish_list/items/")["count"] == 0
    absent = {"detail": "No WishListItem matches the given query."}
    assert acquire(other, item, 404) == absent
    assert other.call("DELETE", f"/api/wish_list/items/{item['id']}/remove/", 404).json == absent
    (row,) = writer.json("/api/wish_list/items/")["results"]
    assert row["status"] == "Wanted"


@pytest.mark.parametrize(
    ("path", "allow"),
    [
        ("", "GET, HEAD, OPTIONS"),
        ("1/", "GET, HEAD, OPTIONS"),
        ("items/", "GET, HEAD, OPTIONS"),
        ("items/add/", "POST, OPTIONS"),
        ("items/1/acquire/", "POST, OPTIONS"),
        ("items/1/remove/", "DELETE, OPTIONS"),
    ],
)
def test_methods_that_are_not_offered(api, anonymous, path, allow):
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        anonymous.call(method, f"/api/wish_list/{path}", 401)
        if method not in allow.split(", "):
            answer = api.call(method, f"/api/wish_list/{path}", 405)
            assert answer.json == {"detail": f'Method "{method}" not allowed.'}
            assert answer.headers["Allow"] == allow
    assert api.call("OPTIONS", f"/api/wish_list/{path}").status_int == 200


def test_it_is_never_cached(writer):
    assert "X-Cache" not in writer.get("/api/wish_list/").headers
