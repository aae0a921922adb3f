"""The collection of an account: adding, scrobbling, stars, removing, and privacy."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
from sqlalchemy import select

from comicsdb import clock
from comicsdb.clock import business_day
from comicsdb.library import ratings
from comicsdb.models import CollectionItem, IssueRating

TODAY = date(2026, 3, 4)
DETAIL = (
    "id user issue quantity book_format grade grading_company purchase_date purchase_price purchase_store"
    " storage_location notes is_read date_read read_dates read_count rating resource_url created_on modified"
    " variant tags"
).split()
ROW = (
    "id user issue quantity book_format grade grading_company purchase_date is_read read_dates read_count"
    " rating modified variant tags"
).split()
DATETIME = (
    "Datetime has wrong format. Use one of these formats instead: "
    "YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
)
NO_ITEM = {"detail": "No CollectionItem matches the given query."}


@pytest.fixture
def issue(make):
    series = make.series(name="Harbor Lights", volume=1, year_began=2019)
    return make.issue(series=series, number="3", cover_date=date(2019, 6, 1), store_date=date(2019, 4, 17))


def stars(make, issue):
    """The community rating of an issue, by account."""
    rows = select(IssueRating.user_id, IssueRating.rating).where(IssueRating.issue_id == issue.id)
    return dict(make.session.execute(rows).all())


def test_an_item_is_shown_with_all_that_was_said_of_it(mine, reader, issue):
    sent = {
        "issue_id": issue.id,
        "quantity": 2,
        "book_format": "BOTH",
        "grade": "9.8",
        "grading_company": "CGC",
        "purchase_date": "2026-01-02",
        "purchase_price": "4.5",
        "purchase_price_currency": "EUR",
        "purchase_store": " Corner Shop ",
        "storage_location": "Box 3",
        "tags": ["To sell", " signed ", "SIGNED"],
        "notes": "Ex libris",
        "is_read": True,
        "rating": 5,
    }
    made = mine.post("/api/collection/add/", json=sent)
    assert list(made) == DETAIL
    number = made["id"]
    assert made == mine.json(f"/api/collection/{number}/")
    assert made["user"] == {"id": reader.id, "username": "reader"}
    shown = mine.json(f"/api/issue/{issue.id}/")
    assert made["issue"] == {
        "id": issue.id,
        "series": {"id": issue.series_id, "name": "Harbor Lights", "volume": 1, "year_began": 2019},
        "number": "3",
        "cover_date": "2019-06-01",
        "store_date": "2019-04-17",
        "modified": shown["modified"],
    }
    assert {name: made[name] for name in (*DETAIL[3:-4], "tags")} == {
        "quantity": 2,
        "book_format": "Both",
        "grade": 9.8,
        "grading_company": "CGC (Certified Guaranty Company)",
        "purchase_date": "2026-01-02",
        "purchase_price": "4.50",
        "purchase_store": "Corner Shop",
        "storage_location": "Box 3",
        "notes": "Ex libris",
        "is_read": False,
        "date_read": None,
        "read_dates": [],
        "read_count": 0,
        "rating": None,
        "resource_url": f"http://localhost/collection/{number}/",
        "tags": ["signed", "To sell"],
    }
    (row,) = mine.json("/api/collection/")["results"]
    assert list(row) == ROW
    assert row == {name: made[name] for name in ROW}


def test_only_the_issue_is_required(mine, make, issue):
    made = mine.post(
        "/api/collection/add/", form={"issue_id": str(issue.id), "grade": "", "purchase_date": ""}
    )
    plain = (made["quantity"], made["book_format"], made["grade"], made["grading_company"])
    assert plain == (1, "Print", None, "")
    assert (made["purchase_date"], made["purchase_price"]) == (None, None)
    assert made["modified"].endswith("Z")
    assert make.session.scalar(select(CollectionItem.purchase_currency)) == "USD"


@pytest.mark.parametrize(("sent", "shown"), [(6, "6.0"), ("10.0", "10.0"), (0.5, "0.5")])
def test_grades_are_numbers_with_one_decimal(mine, issue, sent, shown):
    answer = mine.write("POST", "/api/collection/add/", 201, json={"issue_id": issue.id, "grade": sent})
    assert f'"grade":{shown},' in answer.text


def test_nothing_paid_is_no_price(mine, issue):
    made = mine.post("/api/collection/add/", json={"issue_id": issue.id, "purchase_price": 0})
    assert made["purchase_price"] is None


def test_an_issue_that_is_there_is_given_back_as_it_is(mine, issue):
    first = mine.post("/api/collection/add/", json={"issue_id": issue.id, "quantity": 3, "notes": "Mine"})
    again = mine.post("/api/collection/add/", 200, json={"issue_id": issue.id, "quantity": 9, "grade": 9.8})
    assert again == first


def test_the_stars_an_issue_has_come_with_it(mine, make, reader, issue):
    ratings.rate(make.session, issue, reader.id, 4, today=TODAY)
    make.session.commit()
    assert mine.post("/api/collection/add/", json={"issue_id": issue.id})["rating"] == 4
    assert stars(make, issue) == {reader.id: 4}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("issue_id", None, "This field may not be null."),
        ("issue_id", "x", "A valid integer is required."),
        ("issue_id", 999_999, "Issue with id 999999 does not exist."),
        ("issue_id", 0, "Issue with id 0 does not exist."),
        ("issue_id", 10**20, f"Issue with id {10**20} does not exist."),
        ("quantity", 0, "Ensure this value is greater than or equal to 1."),
        ("quantity", 32768, "Ensure this value is less than or equal to 32767."),
        ("quantity", None, "This field may not be null."),
        ("book_format", "Print", '"Print" is not a valid choice.'),
        ("grade", "9.7", '"9.7" is not a valid choice.'),
        ("grade", "good", "A valid number is required."),
        ("grading_company", "XYZ", '"XYZ" is not a valid choice.'),
        ("purchase_date", "2026", "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."),
        ("purchase_price", "-1", "Ensure this value is greater than or equal to 0."),
        ("purchase_price", "123456789.00", "Ensure that there are no more than 10 digits in total."),
        ("purchase_price", "4.505", "Ensure that there are no more than 2 decimal places."),
        ("purchase_price_currency", "YEN", '"YEN" is not a valid choice.'),
        ("purchase_store", None, "This field may not be null."),
        ("storage_location", "x" * 256, "Ensure this field has no more than 255 characters."),
        ("tags", ["a,b"], "A tag cannot contain a comma."),
        ("tags", [str(n) for n in range(21)], "Ensure this field has no more than 20 elements."),
        ("notes", [], "Not a valid string."),
    ],
)
def test_what_cannot_be_added_is_named(mine, make, issue, field, value, message):
    sent = {"issue_id": issue.id} | {field: value}
    assert mine.post("/api/collection/add/", 400, json=sent) == {field: [message]}
    assert make.session.scalar(select(CollectionItem.id)) is None


def test_everything_that_is_wrong_is_told_at_once(mine):
    wrong = mine.post("/api/collection/add/", 400, json={"quantity": 0, "grade": "x"})
    assert list(wrong) == ["quantity", "grade", "issue_id"]
    assert wrong["issue_id"] == ["This field is required."]
    several = mine.post("/api/collection/add/", 400, json=[])
    assert several == {"non_field_errors": ["Invalid data. Expected a dictionary, but got list."]}


# Scrobbling.


def test_a_scrobble_brings_an_issue_into_the_collection_as_one_digital_copy(mine, make, issue):
    sent = {"issue_id": issue.id, "date_read": "2026-02-01 20:00:00+00:00", "rating": 4}
    made = mine.post("/api/collection/scrobble/", json=sent)
    assert list(made) == ["id", "issue", "is_read", "date_read", "rating", "modified", "created"]
    detail = mine.json(f"/api/collection/{made['id']}/")
    assert made == {name: detail[name] for name in list(made)[:-1]} | {"created": True}
    assert (made["is_read"], made["date_read"], made["rating"]) == (True, "2026-02-01T20:00:00Z", 4)
    assert (detail["quantity"], detail["book_format"], detail["read_count"]) == (1, "Digital", 1)
    (read,) = detail["read_dates"]
    assert list(read) == ["id", "read_date", "created_on"]
    assert list(stars(make, issue).values()) == [4]


def test_every_scrobble_appends_a_date_and_the_latest_counts(mine, make, issue):
    owned = mine.post(
        "/api/collection/add/", json={"issue_id": issue.id, "quantity": 2, "book_format": "BOTH"}
    )
    path, moved = f"/api/collection/{owned['id']}/", owned["modified"]
    for sent in ("2026-02-01T20:00:00Z", "2020-01-01T00:00:00Z", "2026-02-01T20:00:00Z"):
        answer = mine.post("/api/collection/scrobble/", 200, form={"issue_id": issue.id, "date_read": sent})
        assert (answer["created"], answer["date_read"]) == (False, "2026-02-01T20:00:00Z")
        assert answer["modified"] > moved
        moved = answer["modified"]
    item = mine.json(path)
    assert [each["read_date"] for each in item["read_dates"]] == [
        "2026-02-01T20:00:00Z",
        "2026-02-01T20:00:00Z",
        "2020-01-01T00:00:00Z",
    ]
    assert (item["read_count"], item["quantity"], item["book_format"]) == (3, 2, "Both")


def test_a_scrobble_without_a_date_is_of_now_and_without_stars_keeps_them(mine, make, issue):
    before = datetime.now(UTC)
    mine.post("/api/collection/scrobble/", json={"issue_id": issue.id, "rating": 5})
    again = mine.post(
        "/api/collection/scrobble/", 200, json={"issue_id": issue.id, "date_read": None, "rating": None}
    )
    assert again["rating"] == 5
    assert before <= datetime.fromisoformat(again["date_read"]) <= datetime.now(UTC)
    assert list(stars(make, issue).values()) == [5]


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("2026-07-01", "2026-07-01T04:00:00Z"),
        ("2026-07-01T12:00", "2026-07-01T16:00:00Z"),
        ("2026-07-01T12:00:00.5+02:00", "2026-07-01T10:00:00.500000Z"),
    ],
)
def test_a_date_without_a_zone_is_one_of_the_site(mine, issue, sent, read):
    answer = mine.post("/api/collection/scrobble/", json={"issue_id": issue.id, "date_read": sent})
    assert answer["date_read"] == read


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("issue_id", 999_999, "Issue with id 999999 does not exist."),
        ("date_read", "yesterday", DATETIME),
        ("date_read", "2026-02-30", DATETIME),
        ("date_read", "9999-12-31T23:59:59-10:00", DATETIME),
        ("date_read", "2026-02-01T20:00:00+16:00", "The offset from UTC must be less than 16 hours."),
        ("date_read", "2026-02-01T20:00:00-23:59", "The offset from UTC must be less than 16 hours."),
        ("rating", 6, "Ensure this value is less than or equal to 5."),
        ("rating", 0, "Ensure this value is greater than or equal to 1."),
        ("rating", "x", "A valid integer is required."),
    ],
)
def test_what_cannot_be_scrobbled_is_named_and_nothing_is_kept(mine, make, issue, field, value, message):
    sent = {"issue_id": issue.id} | {field: value}
    assert mine.post("/api/collection/scrobble/", 400, json=sent) == {field: [message]}
    assert make.session.scalar(select(CollectionItem.id)) is None


def test_a_scrobble_with_a_key_is_done_once(mine, issue):
    key = {"Idempotency-Key": "k1"}
    made = mine.post("/api/collection/scrobble/", json={"issue_id": issue.id}, headers=key)
    again = mine.write("POST", "/api/collection/scrobble/", 201, json={"issue_id": issue.id}, headers=key)
    assert (again.json, again.headers["Idempotent-Replayed"]) == (made, "true")
    assert mine.json(f"/api/collection/{made['id']}/")["read_count"] == 1
    found = mine.write(
        "POST", "/api/collection/add/", 200, json={"issue_id": issue.id}, headers={"Idempotency-Key": "k2"}
    )
    replayed = mine.write(
        "POST", "/api/collection/add/", 200, json={"issue_id": issue.id}, headers={"Idempotency-Key": "k2"}
    )
    assert replayed.body == found.body


# Stars.


def test_stars_are_those_of_the_issue_too(mine, make, reader, issue):
    owned = mine.post("/api/collection/add/", json={"issue_id": issue.id, "notes": "Mine"})
    path = f"/api/collection/{owned['id']}/"
    given = mine.patch(path, json={"rating": "5", "notes": "lost", "quantity": 0})
    assert list(given) == ["id", "rating", "modified"]
    assert (given["id"], given["rating"]) == (owned["id"], 5)
    assert given["modified"] > owned["modified"]
    assert mine.json(path) == owned | {"rating": 5, "modified": given["modified"]}
    assert mine.json(f"/api/issue/{issue.id}/")["average_rating"] == 5
    assert mine.put(path, form={"rating": "2"})["rating"] == 2
    assert stars(make, issue) == {reader.id: 2}
    cleared = mine.put(path, json={"rating": None})
    assert (cleared["rating"], stars(make, issue)) == (None, {})


def test_a_change_without_stars_moves_the_stamp_alone(mine, make, reader, issue):
    owned = mine.post("/api/collection/scrobble/", json={"issue_id": issue.id, "rating": 3})
    path = f"/api/collection/{owned['id']}/"
    for method in (mine.patch, mine.put):
        before = mine.json(path)
        answer = method(path, json={})
        assert answer["modified"] > before["modified"]
        assert mine.json(path) == before | {"modified": answer["modified"]}
    assert stars(make, issue) == {reader.id: 3}


@pytest.mark.parametrize("wrong", [6, 0, "x", True])
def test_stars_other_than_1_to_5_are_refused(mine, make, issue, wrong):
    owned = mine.post("/api/collection/add/", json={"issue_id": issue.id})
    answer = mine.patch(f"/api/collection/{owned['id']}/", 400, json={"rating": wrong})
    assert answer == {"rating": [f'"{wrong}" is not a valid choice.']}
    assert stars(make, issue) == {}


def test_stars_for_an_issue_that_is_not_out_count_from_its_store_date_on(
    mine, make, reader, wsgi, monkeypatch
):
    zone = wsgi.registry.settings["comicsdb.timezone"]
    out = business_day(zone) + timedelta(days=30)
    early = make.issue(store_date=out)
    path = f"/api/issue/{early.id}/"
    read = {"issue_id": early.id, "rating": 4, "date_read": "2026-02-01T20:00:00Z"}
    made = mine.post("/api/collection/scrobble/", json=read)
    assert (made["is_read"], made["rating"]) == (True, 4)
    assert mine.patch(f"/api/collection/{made['id']}/", json={"rating": 5})["rating"] == 5
    assert stars(make, early) == {reader.id: 5}
    first = mine.get(path)
    assert (first.json["average_rating"], first.json["rating_count"]) == (None, 0)
    for days, status in ((-1, 304), (0, 200), (1, 200)):
        noon = datetime.combine(out + timedelta(days=days), time(12), zone)
        monkeypatch.setattr(clock, "now", lambda noon=noon: noon.astimezone(UTC))
        again = mine.get(path, status, {"If-None-Match": first.headers["ETag"]})
    assert again.json["rating_count"] == 1
    assert (again.json["average_rating"], again.json["modified"]) == (5, first.json["modified"])
    series = mine.json(f"/api/series/{early.series_id}/")
    assert (series["average_rating"], series["rating_count"]) == (5, 1)


def test_another_store_date_makes_stars_count_at_once(mine, make, catalog):
    early = make.issue(store_date=date(2199, 1, 1))
    mine.post("/api/collection/scrobble/", json={"issue_id": early.id, "rating": 4})
    catalog.update(early, {"store_date": date(2198, 1, 1)})
    assert mine.json(f"/api/issue/{early.id}/")["rating_count"] == 0
    catalog.update(early, {"store_date": date(2020, 1, 1)})
    make.session.commit()
    assert mine.json(f"/api/issue/{early.id}/")["rating_count"] == 1


# Removing.


def test_a_removed_item_is_gone_and_its_issue_is_still_read(mine, make, reader, issue):
    owned = mine.post("/api/collection/scrobble/", json={"issue_id": issue.id, "rating": 3})
    path = f"/api/collection/{owned['id']}/"
    answer = mine.call("DELETE", path, 204)
    assert answer.body == b""
    assert mine.json(path, 404) == mine.call("DELETE", path, 404).json == NO_ITEM
    assert mine.json("/api/read/")["count"] == 1
    assert stars(make, issue) == {reader.id: 3}


# Several copies, and reads without a copy.


def test_an_issue_is_owned_in_several_copies(mine, make, issue):
    foil, strange = make.variant(issue, name="Foil"), make.variant(make.issue())
    add = "/api/collection/add/"
    first = mine.post(add, 201, json={"issue_id": issue.id, "purchase_price": "2"})
    foils = mine.post(add, 201, json={"issue_id": issue.id, "variant_id": foil.id, "quantity": 3})
    for sent, known in (({}, first), ({"variant_id": foil.id}, foils), ({"another_copy": False}, first)):
        assert mine.post(add, 200, json={"issue_id": issue.id} | sent) == known
    again = mine.post(add, 201, json={"issue_id": issue.id, "another_copy": True, "is_read": True})
    assert [each["variant"] for each in (first, foils, again)] == [
        None,
        {"id": foil.id, "name": "Foil"},
        None,
    ]
    refused = mine.post(add, 400, json={"issue_id": issue.id, "variant_id": strange.id})
    assert refused == {"variant_id": ["This is not a variant of the issue."]}
    mine.post("/api/collection/scrobble/", 200, json={"issue_id": issue.id, "rating": 4})
    rows = mine.json("/api/collection/")["results"]
    assert [each["id"] for each in rows] == [first["id"], foils["id"], again["id"]]
    assert [(each["is_read"], each["read_count"], each["rating"]) for each in rows] == [(True, 1, 4)] * 3
    told = mine.json("/api/collection/stats/")
    assert (told["total_items"], told["total_quantity"], told["read_count"]) == (1, 5, 1)
    assert (told["total_value"], told["by_format"]) == ("2.00", [{"book_format": "PRINT", "count": 1}])
    make.catalog.update(issue, {"variants": []})
    assert mine.json(f"/api/collection/{foils['id']}/")["variant"] is None


def test_reading_needs_no_copy(mine, other, make, issue):
    known = mine.post("/api/read/add/", 201, json={"issue_id": issue.id, "read_date": "2020-01-02T03:04:05Z"})
    unknown = mine.post("/api/read/add/", 201, json={"issue_id": issue.id, "read_date": None})
    assert (known["read_date"], unknown["read_date"]) == ("2020-01-02T03:04:05Z", None)
    elsewhere = mine.post("/api/read/add/", 201, form={"issue_id": make.issue().id})
    assert mine.json("/api/collection/")["count"] == 0
    assert mine.json("/api/read/")["results"] == [elsewhere, known, unknown]
    assert mine.json(f"/api/read/?issue_id={issue.id}&read_date_lt=2021-01-01")["results"] == [known]
    item = mine.post("/api/collection/add/", 201, json={"issue_id": issue.id})
    assert (item["is_read"], item["date_read"], item["read_count"]) == (True, known["read_date"], 2)
    assert [each["id"] for each in item["read_dates"]] == [known["id"]]
    remove = f"/api/read/{known['id']}/remove/"
    for who, status in ((other, 404), (mine, 204), (mine, 404)):
        who.call("DELETE", remove, status)
    item = mine.json(f"/api/collection/{item['id']}/")
    assert (item["is_read"], item["date_read"], item["read_dates"]) == (True, None, [])
    wrong = mine.post("/api/read/add/", 400, json={"issue_id": 2**30, "read_date": "soon"})
    assert wrong == {"read_date": [DATETIME]}
    wrong = mine.post("/api/read/add/", 400, json={"issue_id": 2**30})
    assert wrong == {"issue_id": [f"Issue with id {2**30} does not exist."]}


# Privacy.


def test_what_others_own_is_not_there(mine, other, make, issue):
    owned = mine.post("/api/collection/scrobble/", json={"issue_id": issue.id})
    path = f"/api/collection/{owned['id']}/"
    before = mine.json(path)
    for method in ("GET", "HEAD", "DELETE"):
        other.call(method, path, 404)
    assert other.json(path, 404) == NO_ITEM
    assert other.patch(path, 404, json={"rating": 9}) == NO_ITEM
    assert other.put(path, 404, json={"rating": 1}, headers={"If-Match": "*"}) == NO_ITEM
    other.get(path, 404, {"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"})
    for address in ("", f"?issue__series={issue.series_id}", "missing_series/"):
        assert other.json(f"/api/collection/{address}")["count"] == 0
    assert other.json("/api/collection/stats/")["total_items"] == 0
    assert other.json(f"/api/collection/missing_issues/{issue.series_id}/")["count"] == 1
    assert mine.json(path) == before


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("", "GET, HEAD, OPTIONS"),
        ("{id}/", "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"),
        ("add/", "POST, OPTIONS"),
        ("scrobble/", "POST, OPTIONS"),
        ("stats/", "GET, HEAD, OPTIONS"),
        ("missing_series/", "GET, HEAD, OPTIONS"),
        ("missing_issues/1/", "GET, HEAD, OPTIONS"),
    ],
)
def test_nobody_unknown_gets_in_and_every_method_has_its_answer(mine, admin, anonymous, issue, path, allowed):
    owned = mine.post("/api/collection/add/", json={"issue_id": issue.id})
    path = f"/api/collection/{path.format(**owned)}"
    assert mine.call("OPTIONS", path).headers["Allow"] == allowed
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        anonymous.call(method, path, 401)
        if method not in allowed.split(", "):
            for client in (mine, admin):
                body = client.call(method, path, 405).json
                assert body == {"detail": f'Method "{method}" not allowed.'}
    if "GET" in allowed:
        seen, head = mine.get(path), mine.call("HEAD", path)
        assert (head.body, head.headers["ETag"]) == (b"", seen.headers["ETag"])
        assert "X-Cache" not in seen.headers
        mine.get(path, 304, {"If-None-Match": seen.headers["ETag"]})


@pytest.mark.parametrize("number", ["0", "-1", "99999999999999999999", "2147483648"])
def test_an_id_of_no_item_is_not_found(mine, number):
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        assert mine.call(method, f"/api/collection/{number}/", 404).json == NO_ITEM
    assert mine.json("/api/collection/x/", 404) == {"detail": "Not found."}
    assert mine.json("/api/collection/missing_issues/x/", 404) == {"detail": "Not found."}


def test_an_item_goes_with_its_issue(mine, make, catalog, issue):
    owned = mine.post("/api/collection/scrobble/", json={"issue_id": issue.id})
    catalog.delete(issue)
    make.session.commit()
    assert mine.json(f"/api/collection/{owned['id']}/", 404) == NO_ITEM
