"""Import and export of what accounts keep: it comes in as the library stores it, and goes out again."""

import json
from datetime import UTC, datetime

import pytest

from tests.dataset import read_set, small_set
from tests.importer import Importer

AT = "2025-06-01T10:00:00.000000Z"
STAMPS = {"created_on": AT, "modified": AT}


@pytest.fixture
def importer(database, tmp_path):
    """An empty catalogue of its own, and a folder for pictures."""
    importer = Importer(database, tmp_path)
    yield importer
    importer.engine.dispose()


def copy(identifier: int, user_id: int, issue_id: int, **more) -> dict:
    """A row of collection_items.jsonl."""
    return {
        "id": identifier,
        "user_id": user_id,
        "issue_id": issue_id,
        "quantity": 1,
        "book_format": "PRINT",
        "grade": None,
        "grading_company": "",
        "purchase_date": None,
        "purchase_price": None,
        "purchase_currency": "USD",
        "purchase_store": "",
        "storage_location": "",
        "notes": "",
        "is_read": False,
        "read_dates": [],
        "rating": None,
        **STAMPS,
        **more,
    }


def reading_list(identifier: int, user_id: int, name: str, issues, **more) -> dict:
    """A row of reading_lists.jsonl."""
    return {
        "id": identifier,
        "user_id": user_id,
        "name": name,
        "slug": f"list-{identifier}",
        "desc": "",
        "is_private": False,
        "list_type": "EVENT",
        "attribution_source": "",
        "attribution_url": "",
        "previous_id": None,
        "next_id": None,
        "items": [
            {"issue_id": each, "order": place, "issue_type": "CORE"} for place, each in enumerate(issues, 1)
        ],
        "ratings": [],
        **STAMPS,
        **more,
    }


def libraries() -> dict[str, list[dict]]:
    """The small set with a library; the reader's stars for issue 2 are in both places, as everywhere."""
    wish = {"status": "FOUND", "priority": 2, "desired_grade": "9.8", "max_price": "4.00", "currency": "EUR"}
    source = {"attribution_source": "CBRO", "attribution_url": "https://example.org/orders/2"}
    dates = ["2025-07-02T20:00:00.000000Z", "2025-06-02T20:00:00.000000Z"]
    owned = {"quantity": 2, "grade": "9.8", "grading_company": "CGC", "purchase_date": "2024-02-29"}
    owned |= {"purchase_price": "3.50", "purchase_currency": "GBP", "notes": "Signed: “B. L.”"}
    return small_set() | {
        "collection_items": [
            copy(1, 3, 1, **owned, is_read=True, read_dates=dates, rating=2),
            copy(2, 3, 2, rating=4),
            copy(3, 2, 1, rating=5),
        ],
        "reading_lists": [
            reading_list(1, 3, "First", [3, 1, 2], next_id=2, ratings=[{"user_id": 2, "rating": 4}]),
            reading_list(2, 2, "Second", [2], previous_id=1, **source),
            reading_list(3, 2, "Mine", [1], is_private=True),
        ],
        "pull_lists": [{"user_id": 3, "series": [{"series_id": 2, "added_on": AT}], **STAMPS}],
        "wish_lists": [
            {
                "user_id": 3,
                "items": [{"issue_id": 3, **wish, "notes": "", "added_on": AT, "modified": AT}],
                **STAMPS,
            }
        ],
    }


def told(rows: dict[str, list[dict]]) -> dict[str, list[dict]]:
    """What readers say, without what the library gives: ids, slugs and stamps of its rows."""

    def kept(record):
        if isinstance(record, list):
            return [kept(each) for each in record]
        if isinstance(record, dict):
            return {
                key: kept(value)
                for key, value in record.items()
                if key not in {"id", "slug", "modified", "previous_id", "next_id"}
            }
        return record

    files = ("collection_items", "reading_lists", "pull_lists", "wish_lists")
    named = {name: [kept(each) for each in rows[name]] for name in files}
    for name in ("reading_lists", "pull_lists", "wish_lists"):
        for record in named[name]:
            del record["created_on"]
    return {name: sorted(each, key=json.dumps) for name, each in named.items()}


def test_what_accounts_keep_comes_in_and_goes_out_again(importer):
    report = importer.run(libraries())
    assert {name: (each["read"], each["new"]) for name, each in list(report.counts.items())[-6:]} == {
        "collection_items": (3, 3),
        "reading_lists": (3, 3),
        "reading_list_items": (5, 5),
        "reading_list_ratings": (1, 1),
        "pull_lists": (1, 1),
        "wish_lists": (1, 1),
    }
    exported = read_set(importer.export("out", accounts=True))
    assert told(exported) == told(libraries())
    by_name = {row["name"]: row for row in exported["reading_lists"]}
    assert by_name["First"]["next_id"] == by_name["Second"]["id"]
    assert by_name["Second"]["previous_id"] == by_name["First"]["id"]
    read = importer.query("SELECT date_read, rating FROM collection_item WHERE is_read")
    assert read == [(datetime(2025, 7, 2, 20, tzinfo=UTC), 2)]
    assert not importer.run(importer.folder / "out").changed_anything
    assert not importer.run(libraries()).changed_anything
    importer.query("UPDATE reading_list_rating SET rating = 1")
    assert not importer.run(libraries()).changed_anything
    assert importer.one("SELECT rating FROM reading_list_rating") == 1


def test_what_an_account_has_stays_and_ids_are_the_catalogues(importer):
    importer.query("SELECT setval('issue_id_seq', 500), setval('series_id_seq', 500)")
    importer.query("SELECT setval('publisher_id_seq', 500)")
    importer.run(small_set() | {"issue_ratings": []})
    importer.query("UPDATE issue SET store_date = '2999-01-01' WHERE number = '½'")
    importer.query(
        "INSERT INTO collection_item (user_id, issue_id, notes)"
        " SELECT 3, id, 'Mine' FROM issue WHERE number = '½'"
    )
    rows = libraries() | {"issue_ratings": []}
    rows["issues"][1]["store_date"] = "2999-01-01"
    report = importer.run(rows)
    assert report.early == 1
    assert "1 stars for issues that are not out yet were left out" in report.lines()
    assert report.counts["collection_items"] == {"read": 3, "new": 2, "changed": 0, "unchanged": 1}
    assert importer.one("SELECT notes FROM collection_item c WHERE notes = 'Mine'") == "Mine"


def test_neighbours_that_an_account_has_set_since_stay(importer):
    rows = libraries()
    rows["reading_lists"] = [
        reading_list(1, 3, "First", [1], next_id=2),
        reading_list(2, 3, "Second", [2], previous_id=1),
        reading_list(3, 3, "Third", [3]),
    ]
    importer.run(rows)
    ties = "SELECT name, previous_id, next_id FROM reading_list ORDER BY name"
    first, second, third = (each for (each,) in importer.query("SELECT id FROM reading_list ORDER BY name"))
    assert importer.query(ties) == [("First", None, second), ("Second", first, None), ("Third", None, None)]
    importer.query(
        "UPDATE reading_list SET next_id = CASE name WHEN 'Third' THEN :second END,"
        " previous_id = CASE name WHEN 'Second' THEN :third END",
        second=second,
        third=third,
    )
    importer.run(rows)
    assert importer.query(ties) == [("First", None, None), ("Second", third, None), ("Third", None, second)]


def test_without_accounts_nobody_keeps_anything(importer):
    report = importer.run(libraries(), accounts=False)
    assert report.left[-4:] == [
        f"{name}.jsonl (only with accounts)"
        for name in ("collection_items", "reading_lists", "pull_lists", "wish_lists")
    ]
    assert importer.one("SELECT count(*) FROM collection_item") == 0


def test_what_is_wrong_is_named_by_file_line_and_field(importer):
    rows = libraries()
    rows["collection_items"] += [
        copy(4, 3, 3, quantity=0, grade="9.7", read_dates=["yesterday"]),
        copy(5, 3, 1),
        copy(6, 9, 77),
        "{",
    ]
    rows["reading_lists"] += [
        reading_list(4, 2, "Mine", [8], next_id=6),
        reading_list(5, 2, "", [1], items=[{"issue_id": 1, "order": 0, "issue_type": "SOON"}]),
        reading_list(3, 3, "Again", [1, 1]),
    ]
    rows["pull_lists"].append({"user_id": 2, "series": 4, **STAMPS})
    rows["wish_lists"][0]["items"][0] |= {"priority": 6, "max_price": "-1"}
    assert sorted(importer.problems(rows)) == [
        "collection_items.jsonl:4: grade: takes one of 10.0, 9.9, 9.8, 9.6, 9.4, 9.2, 9.0, 8.5, 8.0, 7.5,"
        " 7.0, 6.5 ..., not '9.7'",
        "collection_items.jsonl:4: quantity: takes a number from 1 to 32,767, not 0",
        "collection_items.jsonl:4: read_dates: takes an instant YYYY-MM-DDTHH:MM:SS.ffffffZ, not 'yesterday'",
        "collection_items.jsonl:5: issue_id: 1 was used on line 1 already",
        "collection_items.jsonl:6: issue_id: issues.jsonl has no id 77",
        "collection_items.jsonl:6: user_id: users.jsonl has no id 9",
        "collection_items.jsonl:7: is not a JSON object on one line",
        "pull_lists.jsonl:2: series: takes a list of objects",
        "reading_lists.jsonl:4: issue_id: issues.jsonl has no id 8",
        "reading_lists.jsonl:4: name: Mine was used on line 3 already",
        "reading_lists.jsonl:4: next_id: reading_lists.jsonl has no id 6",
        'reading_lists.jsonl:5: items[0].issue_type: takes one of "", PROLOGUE, CORE, TIE_IN, EPILOGUE,'
        " not 'SOON'",
        "reading_lists.jsonl:5: items[0].order: takes a number from 1 to 2,147,483,647, not 0",
        "reading_lists.jsonl:5: name: must not be empty",
        "reading_lists.jsonl:6: id: 3 was used on line 3 already",
        "reading_lists.jsonl:6: items: 1 was used on line 6 already",
        "wish_lists.jsonl:1: items[0].max_price: takes an amount of at most 8 digits and 2 decimals,"
        " not '-1'",
        "wish_lists.jsonl:1: items[0].priority: takes a number from 1 to 5, not 6",
    ]
    assert importer.one("SELECT count(*) FROM issue") == 0
