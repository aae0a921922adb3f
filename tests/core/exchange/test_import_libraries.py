"""Import and export of accounts' libraries: collections, reads, reading lists, pull and wish lists."""

from datetime import UTC, datetime

from tests.dataset import rating, read_set, small_set

AT = "2025-06-01T10:00:00.000000Z"
LATER = "2025-06-03T11:30:00.000123Z"
STAMPS = {"created_on": AT, "modified": LATER}


def copy(identifier: int, user_id: int, issue_id: int, **more) -> dict:
    """A row of collection_items.jsonl."""
    return {
        "id": identifier,
        "user_id": user_id,
        "issue_id": issue_id,
        "copy": 1,
        "variant_id": None,
        "quantity": 1,
        "book_format": "PRINT",
        "grade": None,
        "grading_company": "",
        "purchase_date": None,
        "purchase_price": None,
        "purchase_currency": "USD",
        "purchase_store": "",
        "storage_location": "",
        "tags": [],
        "notes": "",
        "is_read": False,
        "rating": None,
        **STAMPS,
        **more,
    }


def read(identifier: int, user_id: int, issue_id: int, moment: str | None) -> dict:
    """A row of read_dates.jsonl."""
    return {"id": identifier, "user_id": user_id, "issue_id": issue_id, "read_on": moment, "created_on": AT}


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
        "file_source": "orders.cbl",
        "start_year": 1961,
        "previous_id": None,
        "next_id": None,
        "forked_from_id": None,
        "items": [
            {
                "id": 100 * identifier + place,
                "issue_id": each,
                "order": place,
                "issue_type": "CORE",
                "added_on": LATER,
            }
            for place, each in enumerate(issues, 1)
        ],
        "pending": [
            {
                "id": 100 * identifier,
                "position": 2,
                "series": "Unheard of (1961)",
                "number": "7AU",
                "volume": 2,
                "year_began": 1961,
                "year": 1962,
                "cover_date": "1962-03-01",
                "cover_date_precision": "month",
                "publisher": "Nobody",
                "upc": "75960608936900111",
                "ids": "comicvine 9 metron 17",
                "issue_type": "CORE",
                "added_on": LATER,
            }
        ],
        "ratings": [],
        "likes": [],
        **STAMPS,
        **more,
    }


def libraries() -> dict[str, list[dict]]:
    """The small set with libraries that contain every kind of data.

    The rating of copy 11 differs from the account's rating of the issue, that of copy 12 is the same, and
    copy 14 has none. Copy 13 is of a variant of the issue of copy 11. One issue was read without a copy, at
    an unknown time.
    """
    wish = {"status": "FOUND", "priority": 2, "desired_grade": "9.8", "max_price": "4.00", "currency": "EUR"}
    source = {"attribution_source": "CBRO", "attribution_url": "https://example.org/orders/2"}
    dates = ["2025-06-02T20:00:00.000000Z", "2025-07-02T20:00:00.000000Z"]
    owned = {"quantity": 2, "grade": "9.8", "grading_company": "CGC", "purchase_date": "2024-02-29"}
    owned |= {"purchase_price": "3.50", "purchase_currency": "GBP", "notes": "Signed: “B. L.”"}
    owned |= {
        "purchase_store": "Corner Shop",
        "storage_location": "Box 3",
        "book_format": "BOTH",
        "tags": ["signed"],
    }
    rated = {"id": 31, "user_id": 2, "rating": 4, "created_on": LATER}
    liked = {"id": 41, "user_id": 2, "created_on": LATER}
    return small_set() | {
        "collection_items": [
            copy(11, 3, 1, **owned, is_read=True, rating=3),
            copy(12, 3, 2, rating=4, purchase_currency="ITL"),
            copy(13, 3, 1, copy=2, variant_id=1, is_read=True, rating=3),
            copy(14, 2, 1),
        ],
        "read_dates": [
            *(read(51 + place, 3, 1, each) for place, each in enumerate(dates)),
            read(53, 3, 3, None),
        ],
        "reading_lists": [
            reading_list(
                *(4, 3, "First", [3, 1, 2]),
                desc="In order.",
                list_type="CHARACTERS",
                next_id=5,
                ratings=[rated],
                likes=[liked],
            ),
            reading_list(5, 2, "Second", [2], previous_id=4, **source),
            reading_list(7, 2, "Mine", [1], is_private=True, slug="p0123456789", next_id=4, forked_from_id=4),
        ],
        "pull_lists": [
            {"id": 5, "user_id": 2, "series": [], **STAMPS},
            {
                "id": 6,
                "user_id": 3,
                "series": [
                    {"id": 21, "series_id": 2, "pulled": "VARIANTS", "variant_words": "foil", "added_on": AT}
                ],
                **STAMPS,
            },
        ],
        "wish_lists": [
            {
                "id": 8,
                "user_id": 3,
                "items": [
                    {
                        "id": 41,
                        "issue_id": 3,
                        "variant_id": 3,
                        **wish,
                        "notes": "",
                        "added_on": AT,
                        "modified": LATER,
                    }
                ],
                **STAMPS,
            }
        ],
    }


OF_ACCOUNTS = ("read_dates", "collection_items", "reading_lists", "pull_lists", "wish_lists")


def kept(rows: dict[str, list[dict]]) -> dict[str, list[dict]]:
    """The files of accounts' libraries, in a fixed order."""
    return {name: rows[name] for name in OF_ACCOUNTS}


def test_what_accounts_keep_comes_in_and_goes_out_as_it_is(importer):
    report = importer.run(libraries())
    assert {name: (each["read"], each["new"]) for name, each in list(report.counts.items())[-8:]} == {
        "collection_items": (4, 4),
        "reading_lists": (3, 3),
        "reading_list_items": (5, 5),
        "reading_list_pending": (3, 3),
        "reading_list_ratings": (1, 1),
        "reading_list_likes": (1, 1),
        "pull_lists": (1, 1),
        "wish_lists": (1, 1),
    }
    exported = read_set(importer.export("out", accounts=True))
    assert kept(exported) == kept(libraries())
    assert [list(each) for each in exported["collection_items"]] == [  # keys in the order of the format
        list(each) for each in libraries()["collection_items"]
    ]
    assert exported["issue_ratings"] == libraries()["issue_ratings"]
    read = importer.query("SELECT date_read, rating FROM collection_item WHERE is_read")
    assert read == [(datetime(2025, 7, 2, 20, tzinfo=UTC), 3)] * 2
    everything = importer.everything()
    assert not importer.run(importer.folder / "out").changed_anything
    assert not importer.run(libraries()).changed_anything
    assert importer.everything() == everything
    importer.query("UPDATE reading_list_rating SET rating = 1")
    assert not importer.run(libraries()).changed_anything
    assert importer.one("SELECT rating FROM reading_list_rating") == 1
    assert importer.one("INSERT INTO collection_item (user_id, issue_id) VALUES (2, 2) RETURNING id") == 15


def test_sets_without_the_ids_of_entries_come_in_too(importer):
    rows = libraries()
    for name, inside in (
        ("reading_lists", ("items", "pending", "ratings", "likes")),
        ("pull_lists", ("series",)),
        ("wish_lists", ("items",)),
    ):
        for record in rows[name]:
            if name != "reading_lists":
                del record["id"]
            for each in (each for key in inside for each in record[key]):
                del each["id"]
    report = importer.run(rows)
    assert {name: each["new"] for name, each in list(report.counts.items())[-8:]} == {
        "collection_items": 4,
        "reading_lists": 3,
        "reading_list_items": 5,
        "reading_list_pending": 3,
        "reading_list_ratings": 1,
        "reading_list_likes": 1,
        "pull_lists": 1,
        "wish_lists": 1,
    }
    assert not importer.run(rows).changed_anything


def test_what_an_account_has_stays_and_ids_are_the_catalogs(importer):
    importer.query("SELECT setval('issue_id_seq', 500), setval('series_id_seq', 500)")
    importer.query("SELECT setval('publisher_id_seq', 500)")
    importer.run(small_set() | {"issue_ratings": []})
    importer.query(
        "INSERT INTO collection_item (user_id, issue_id, notes)"
        " SELECT 3, id, 'Mine' FROM issue WHERE number = '½'"
    )
    importer.query("INSERT INTO reading_list (user_id, name, slug) VALUES (3, 'Other', 'list-5')")
    unrated = libraries() | {"issue_ratings": []}
    report = importer.run(unrated)
    assert report.counts["collection_items"] == {"read": 4, "new": 3, "changed": 1, "unchanged": 0}
    assert importer.one("SELECT count(*) FROM issue_rating") == 0
    assert importer.query("SELECT rating, notes FROM collection_item c WHERE notes = 'Mine'") == [(4, "Mine")]
    exported = read_set(importer.export("out", accounts=True))
    assert [each["modified"] for each in exported["collection_items"][1:]] == [LATER] * 3
    assert [
        (each["name"], each["slug"], each["modified"] == LATER) for each in exported["reading_lists"]
    ] == [
        ("Other", "list-5", False),
        ("First", "list-4", True),
        ("Second", "second", True),
        ("Mine", "p0123456789", True),
    ]
    assert not importer.run(unrated).changed_anything
    # A new rating of the issue also replaces the rating of the account's copy.
    unrated["issue_ratings"] = [rating(1, 2, 3, 1, AT)]
    importer.run(unrated)
    assert importer.one("SELECT rating FROM collection_item WHERE notes = 'Mine'") == 1


def test_blanks_of_what_an_account_has_are_filled_in(importer):
    rows = libraries()
    for name, key in (("reading_lists", "items"), ("wish_lists", "items"), ("pull_lists", "series")):
        rows[name] = [each | {key: each[key][:1]} for each in rows[name]]
    # Older sets have read dates, or only the fact that an issue was read, in the rows of the collection.
    rows["collection_items"] = [
        copy(11, 3, 1, purchase_store="Fair", read_dates=[AT], is_read=True),
        copy(14, 2, 1, is_read=True),
    ]
    del rows["read_dates"], rows["collection_items"][0]["copy"], rows["collection_items"][0]["variant_id"]
    rows["wish_lists"][0]["items"][0] |= {"desired_grade": None, "max_price": None, "currency": "USD"}
    rows["wish_lists"][0]["items"][0] |= {"priority": 5}
    importer.run(rows)
    report = importer.run(libraries())
    assert {name: (each["new"], each["changed"]) for name, each in list(report.counts.items())[-8:]} == {
        "collection_items": (2, 1),
        "reading_lists": (0, 0),
        "reading_list_items": (2, 0),
        "reading_list_pending": (0, 0),
        "reading_list_ratings": (0, 0),
        "reading_list_likes": (0, 0),
        "pull_lists": (0, 0),
        "wish_lists": (0, 1),
    }
    exported = read_set(importer.export("out", accounts=True))
    [item] = [each for each in exported["collection_items"] if each["id"] == 11]
    [wish] = exported["wish_lists"][0]["items"]
    [full] = [each for each in libraries()["collection_items"] if each["id"] == 11]
    assert item.pop("modified") > LATER < wish["modified"]
    assert item == {key: value for key, value in full.items() if key != "modified"} | {
        "quantity": 1,
        "book_format": "PRINT",
        "purchase_store": "Fair",
    }
    reads = [(each["user_id"], each["issue_id"], each["read_on"]) for each in exported["read_dates"]]
    assert reads[:2] == [(3, 1, AT), (2, 1, None)]
    assert reads[2:] == [tuple(each.values())[1:4] for each in libraries()["read_dates"]]
    assert (wish["desired_grade"], wish["max_price"], wish["currency"], wish["priority"]) == (
        "9.8",
        "4.00",
        "EUR",
        5,
    )
    assert [[each["issue_id"] for each in found["items"]] for found in exported["reading_lists"]] == [
        [3, 1, 2],
        [2],
        [1],
    ]
    assert not importer.run(libraries()).changed_anything


def test_stars_for_what_is_not_out_yet_come_in_and_do_not_count(importer):
    rows = libraries()
    rows["issues"][1]["store_date"] = "2999-01-01"
    report = importer.run(rows)
    assert report.counts["issue_ratings"]["new"] == len(rows["issue_ratings"])
    exported = read_set(importer.export("out", accounts=True))
    assert (exported["issue_ratings"], kept(exported)) == (rows["issue_ratings"], kept(rows))
    early = sum(each["issue_id"] == 2 for each in rows["issue_ratings"])
    assert early
    assert importer.query("SELECT rating_count, rating_sum FROM issue WHERE id = 2") == [(0, 0)]
    assert importer.one("SELECT sum(rating_count) FROM series") == len(rows["issue_ratings"]) - early
    assert not importer.run(rows).changed_anything
    rows["issues"][1]["store_date"] = None
    importer.run(rows)
    assert importer.one("SELECT rating_count FROM issue WHERE id = 2") == early
    assert importer.one("SELECT sum(rating_count) FROM series") == len(rows["issue_ratings"])


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
    assert report.unread_files[-5:] == [
        f"{name}.jsonl (only with accounts)"
        for name in ("read_dates", "collection_items", "reading_lists", "pull_lists", "wish_lists")
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
        reading_list(24, 2, "Mine", [8], next_id=6),
        reading_list(25, 2, "", [1], items=[{"issue_id": 1, "order": 0, "issue_type": "SOON"}]),
        reading_list(7, 3, "Again", [1, 1], slug="list-4"),
        reading_list(27, 3, "Alone", [], previous_id=27),
    ]
    rows["pull_lists"].append({"id": 7, "user_id": 2, "series": 4, **STAMPS})
    rows["wish_lists"][0]["items"][0] |= {"priority": 6, "max_price": "-1"}
    assert sorted(importer.problems(rows)) == [
        "collection_items.jsonl:5: grade: takes one of 10.0, 9.9, 9.8, 9.6, 9.4, 9.2, 9.0, 8.5, 8.0, 7.5,"
        " 7.0, 6.5 ..., not '9.7'",
        "collection_items.jsonl:5: quantity: takes a number from 1 to 32,767, not 0",
        "collection_items.jsonl:5: read_dates: takes an instant YYYY-MM-DDTHH:MM:SS.ffffffZ, not 'yesterday'",
        "collection_items.jsonl:6: issue_id and copy: 1, 1 was used on line 1 already",
        "collection_items.jsonl:7: issue_id: issues.jsonl has no id 77",
        "collection_items.jsonl:7: user_id: users.jsonl has no id 9",
        "collection_items.jsonl:8: is not a JSON object on one line",
        "pull_lists.jsonl:3: series: takes a list of objects",
        "reading_lists.jsonl:4: issue_id: issues.jsonl has no id 8",
        "reading_lists.jsonl:4: name: Mine was used on line 3 already",
        "reading_lists.jsonl:4: next_id: reading_lists.jsonl has no id 6",
        'reading_lists.jsonl:5: items[0].issue_type: takes one of "", PROLOGUE, CORE, TIE_IN, EPILOGUE,'
        " not 'SOON'",
        "reading_lists.jsonl:5: items[0].order: takes a number from 1 to 2,147,483,647, not 0",
        "reading_lists.jsonl:5: name: must not be empty",
        "reading_lists.jsonl:6: id: 7 was used on line 3 already",
        "reading_lists.jsonl:6: items: 1 was used on line 6 already",
        "reading_lists.jsonl:6: items: 701 was used on line 3 already",
        "reading_lists.jsonl:6: pending: 700 was used on line 3 already",
        "reading_lists.jsonl:6: slug: list-4 was used on line 1 already",
        "reading_lists.jsonl:7: next_id: the list, the one before it and the one after it are three",
        "wish_lists.jsonl:1: items[0].max_price: takes an amount of at most 9 digits and 3 decimals,"
        " not '-1'",
        "wish_lists.jsonl:1: items[0].priority: takes a number from 1 to 5, not 6",
    ]
    assert importer.one("SELECT count(*) FROM issue") == 0
