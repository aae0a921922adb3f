"""Import into a catalog with existing rows: of the same set, of an older one, or of its own."""

from datetime import UTC, datetime

import pytest

from tests.dataset import entity, issue, picture, pictures, series, small_set

# The same set again.


def test_running_the_same_set_again_changes_nothing_and_says_so(filled):
    before, files = filled.everything(), filled.files()
    report = filled.run(small_set())
    assert not report.changed_anything
    assert "Nothing had to be changed." in report.lines()
    assert report.counts["issues"]["unchanged"] == 3
    assert report.counts["users"]["unchanged"] == 3
    assert filled.everything() == before
    assert filled.files() == files


def test_issues_without_a_cover_date_are_the_same_again(importer):
    rows = small_set()
    rows["issues"][0] |= {"cover_date": None}  # with a store date, which orders it
    rows["issues"][1] |= {"cover_date": None, "cover_date_precision": "none"}
    rows["issues"][2] |= {"cover_date_precision": "none"}
    importer.run(rows)
    before = importer.everything()
    assert not importer.run(rows).changed_anything
    assert importer.everything() == before
    rows["issues"][0]["store_date"] = "2020-04-05"
    rows["issues"][1] |= {"cover_date": "2020-06-01", "cover_date_precision": "month"}
    rows["issues"][2] |= {"cover_date": "1999-01-01"}
    assert importer.run(rows).counts["issues"]["changed"] == 2
    dates = importer.query("SELECT cover_date::text, cover_date_precision FROM issue ORDER BY id")
    assert dates == [("2020-04-05", "none"), ("2020-06-01", "month"), ("1990-01-01", "none")]
    rows["issues"][1] |= {"cover_date": None, "cover_date_precision": "day"}
    assert importer.run(rows).counts["issues"]["changed"] == 1
    assert importer.query("SELECT cover_date::text, cover_date_precision FROM issue WHERE id = 2") == [
        ("2020-01-01", "none")
    ]


def test_a_changed_row_is_brought_up_to_date_and_its_stamps_move(filled):
    rows = small_set()
    rows["characters"][0]["name"] = "Salt II"
    report = filled.run(rows)
    assert report.counts["characters"]["changed"] == 1
    assert filled.one("SELECT name FROM character WHERE id = 1") == "Salt II"
    imported = datetime(2025, 2, 3, 4, 5, 6, 1, UTC)
    [(modified, before, name_changed)] = filled.query(
        "SELECT modified, modified_before, name_changed FROM character WHERE id = 1"
    )
    assert (before, modified > imported, name_changed > imported) == (imported, True, True)
    # The stamp of the issue that shows the name changes, that of the next issue does not.
    assert filled.one("SELECT modified > created_on + interval '2 years' FROM issue WHERE id = 1")
    assert filled.one("SELECT modified FROM issue WHERE id = 2") == datetime(2025, 4, 3, 4, 5, 6, 2, UTC)
    assert filled.query(
        "SELECT type FROM history WHERE kind = 'character' AND object_id = 1 ORDER BY id"
    ) == [
        ("+",),
        ("~",),
    ]
    assert filled.query("SELECT fields FROM change_log WHERE action = 'update'") == [(["name"],)]


def test_another_first_year_of_a_series_is_a_change_of_its_undated_issues(filled):
    rows = small_set()
    undated = rows["issues"][0]
    undated |= {"cover_date": "2020-01-01", "cover_date_precision": "none", "store_date": None}
    filled.run(rows)
    began = filled.one("SELECT max(seq) FROM change_log")
    (run,) = (each for each in rows["series"] if each["id"] == undated["series_id"])
    run["year_began"], undated["cover_date"] = 2019, "2019-01-01"
    filled.run(rows)
    lines = filled.query(
        "SELECT kind, object_id, fields FROM change_log WHERE seq > :n ORDER BY seq", n=began
    )
    assert lines == [("series", run["id"], ["year_began"]), ("issue", undated["id"], ["cover_date"])]


def test_links_and_parts_are_brought_up_to_date(filled):
    rows = small_set()
    rows["issues"][0] |= {"character_ids": [2], "reprint_ids": []}
    rows["issues"][2]["reprint_ids"] = []
    rows["credits"][0]["role_ids"] = [1]
    rows["variants"][0]["name"] = "Foil II"
    rows["attributions"][0]["url"] = "https://example.org/changed"
    rows["external_ids"][0]["external_id"] = "4712"
    rows["issue_ratings"][0]["rating"] = 1
    report = filled.run(rows)
    assert filled.query("SELECT character_id FROM issue_character") == [(2,)]
    assert filled.query("SELECT * FROM issue_reprint") == []
    assert filled.query("SELECT role_id FROM credit_role WHERE credit_id = 1") == [(1,)]
    assert filled.query("SELECT name FROM variant ORDER BY id") == [("Foil II",), ("",), ("",)]
    assert filled.query("SELECT url FROM attribution ORDER BY id")[0] == ("https://example.org/changed",)
    numbers = filled.query("SELECT external_id FROM external_id ORDER BY id")
    assert numbers == [("4712",), ("Q42",)]
    assert filled.query("SELECT rating_sum FROM issue WHERE id = 1") == [(3,)]
    assert filled.query("SELECT rating_sum FROM series WHERE id = 1") == [(7,)]
    changed = {name: counts["changed"] for name, counts in report.counts.items() if counts["changed"]}
    parts = dict.fromkeys(("credits", "variants", "attributions", "external_ids", "issue_ratings"), 1)
    assert changed == {"issues": 2, **parts}
    # The character that lost the issue has another list of issues now.
    assert filled.one("SELECT issues_modified > '2026-01-01' FROM character WHERE id = 1")


def test_a_replaced_picture_goes_once_the_new_one_is_there(filled):
    former = filled.one("SELECT image FROM issue WHERE id = 1")
    images = pictures() | {"covers/new.png": picture("black", (10, 10))}
    rows = small_set()
    rows["issues"][0]["image"] = "covers/new.png"
    rows["issues"][2]["image"] = ""  # the set has no picture, so the existing one stays
    kept = filled.one("SELECT image FROM issue WHERE id = 3")
    filled.run(rows, images=images)
    now = filled.one("SELECT image FROM issue WHERE id = 1")
    assert now != former
    assert not filled.storage.exists(former)
    assert filled.storage.path(now).read_bytes() == images["covers/new.png"]
    assert filled.query("SELECT image_width FROM issue WHERE id = 1") == [(10,)]
    assert filled.one("SELECT image FROM issue WHERE id = 3") == kept
    assert filled.storage.exists(kept)


def test_rows_of_the_site_that_a_set_lacks_are_not_removed(filled):
    rows = small_set()
    rows["variants"] = rows["variants"][:1]
    rows["credits"] = rows["credits"][:1]
    rows["attributions"] = []
    report = filled.run(rows)
    assert not report.changed_anything
    assert filled.one("SELECT count(*) FROM variant") == 3


def test_a_row_whose_slug_was_changed_since_is_still_the_same_row(filled):
    filled.query("UPDATE arc SET slug = 'neap-tide'")
    filled.query("INSERT INTO former_slug (kind, slug, object_id) VALUES ('arc', 'low-tide', 1)")
    report = filled.run(small_set())
    assert not report.changed_anything
    assert filled.query("SELECT id, slug FROM arc") == [(1, "neap-tide")]


# Into a catalog that has rows of its own.


@pytest.fixture
def occupied(importer):
    """A catalog with a publisher, a series and an issue that are not in the set."""
    importer.run(
        {
            "series_types": small_set()["series_types"],
            "age_ratings": small_set()["age_ratings"],
            "publishers": [
                entity(1, "Tandem", "tandem", image="", created_on="2020-01-01T00:00:00.000000Z"),
            ],
            "series": [
                series(1, "Own", "the-lighthouse-2020", created_on="2020-01-01T00:00:00.000000Z"),
            ],
            "issues": [issue(1, 1, "1", created_on="2020-01-01T00:00:00.000000Z")],
        }
    )
    return importer


def test_a_set_comes_in_beside_the_rows_that_are_there(occupied):
    report = occupied.run(small_set())
    assert report.counts["issues"] == {"read": 3, "new": 3, "changed": 0, "unchanged": 0}
    assert occupied.query("SELECT id, name, slug FROM publisher ORDER BY id") == [
        (1, "Tandem", "tandem"),
        (2, "Éditions du Port", "editions-du-port"),
        (3, "Tandem", "tandem-1"),
    ]
    assert occupied.query("SELECT id, slug, publisher_id FROM series ORDER BY id") == [
        (1, "the-lighthouse-2020", 1),
        (2, "the-lighthouse-2020-1", 2),
        (3, "il-faro-1990", 2),
        (4, "faro-tutto-2001", 3),
    ]
    assert occupied.query("SELECT id, series_id, slug FROM issue ORDER BY id") == [
        (1, 1, "issue-1"),
        (2, 2, "issue-1-1"),
        (3, 2, "issue-2"),
        (4, 3, "issue-3"),
    ]
    assert occupied.query("SELECT * FROM issue_reprint ORDER BY 1") == [(2, 4), (4, 2)]
    assert occupied.query("SELECT issue_id, creator_id FROM credit ORDER BY id") == [(2, 1), (2, 2), (4, 3)]
    assert occupied.query("SELECT issue_id FROM variant ORDER BY id") == [(2,), (2,), (4,)]
    assert occupied.query("SELECT issue_id, character_id FROM attribution ORDER BY id") == [
        (2, None),
        (None, 2),
    ]
    assert occupied.query("SELECT rating_sum FROM series ORDER BY id") == [(0,), (11,), (0,), (0,)]


def test_a_set_with_new_ids_is_recognised_the_second_time(occupied):
    occupied.run(small_set())
    before = occupied.everything()
    assert not occupied.run(small_set()).changed_anything
    after = occupied.everything()
    assert after == before


def test_new_issues_touch_the_rows_they_belong_to(filled):
    rows = small_set()
    rows["issues"].append(issue(4, 1, "3", character_ids=[1], team_ids=[1]))
    rows["credits"].append({"id": 4, "issue_id": 2, "creator_id": 1, "role_ids": [1]})
    rows["issue_ratings"].append(
        {"id": 4, "issue_id": 4, "user_id": 3, "rating": 5, "created_on": "2025-07-02T00:00:00.000000Z"}
    )
    filled.run(rows)
    moved = {
        kind: [
            each
            for (each,) in filled.query(f"SELECT id FROM {kind} WHERE modified > '2026-01-01' ORDER BY id")
        ]
        for kind in ("series", "character", "team", "arc", "issue", "creator")
    }
    assert moved == {"series": [1], "character": [1], "team": [1], "arc": [], "issue": [2], "creator": []}
    assert filled.one("SELECT modified FROM issue WHERE id = 4") == datetime(2025, 4, 3, 4, 5, 6, 4, UTC)
    assert filled.one("SELECT issues_modified > '2026-01-01' FROM team WHERE id = 1")
    assert filled.query("SELECT rating_count, rating_sum FROM series WHERE id = 1") == [(4, 16)]


def test_a_unique_value_of_another_row_is_refused_by_name(occupied):
    occupied.query("UPDATE publisher SET cv_id = 11")
    assert occupied.problems(small_set()) == [
        "publishers.jsonl:1: cv_id: 11 belongs to the publisher 1 (tandem)"
    ]


def test_ids_of_deleted_rows_are_not_given_again(importer):
    importer.query("INSERT INTO tombstone (kind, object_id, slug) VALUES ('publisher', 1, 'gone')")
    importer.query("SELECT setval(pg_get_serial_sequence('publisher', 'id'), 1)")
    importer.run(small_set())
    assert importer.query("SELECT id, name FROM publisher ORDER BY id") == [
        (2, "Éditions du Port"),
        (3, "Tandem"),
    ]
    assert importer.query("SELECT DISTINCT publisher_id FROM imprint") == [(2,)]
