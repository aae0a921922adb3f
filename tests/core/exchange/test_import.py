"""Import of data sets: the stored rows, pictures, reference data, accounts, advice and memory use."""

import hashlib
import json
import tracemalloc
from datetime import UTC, datetime

import pytest

from comicsdb.accounts import demo_accounts
from comicsdb.accounts.passwords import UNUSABLE, Passwords, digest
from comicsdb.catalog import Catalog
from comicsdb.models import Series
from comicsdb.models.picture_hash import HASHES
from tests.dataset import entity, issue, pictures, small_set, variant, write_set
from tests.importer import temporary_importer


@pytest.fixture(scope="module")
def varied(cluster, template, tmp_path_factory):
    """The importer, rows and report of the small set with all the changes that the tests below need."""
    rows = small_set()
    first, _, other = rows["issues"]
    other |= {"price": None, "currency": "", "reprint_ids": []}
    rows["characters"][1]["modified"] = "2026-01-01T00:00:00.000000Z"
    rows["users"][1] |= {
        "password": demo_accounts.password("editor"),
        "api_token": demo_accounts.token("editor"),
    }
    rows["users"][2] |= {"password": "", "api_token": ""}
    assert (first["image"], other["image"]) == ("covers/one.png", "covers/two.jpg")
    told = {"image_sha256": hashlib.sha256(pictures()["covers/one.png"]).hexdigest(), "image_hashes": TOLD}
    first |= told
    other |= told  # though the digest is that of another file
    with temporary_importer(cluster, template, "varied", tmp_path_factory.mktemp("varied")) as importer:
        importer.passwords = Passwords("fast", demo_accounts.PUBLIC_SECRETS)
        yield importer, rows, importer.run(rows)


TOLD = {kind: f"{number:016x}" for number, kind in enumerate(HASHES, 0xFFFFFFFFFFFFFFF0)}

# Into an empty catalog.


def test_ids_slugs_and_stamps_are_those_of_the_set(imported):
    [row] = imported.query("SELECT id, slug, modified, created_on, name_changed FROM character WHERE id = 2")
    assert row == (
        2,
        "manga-hero",
        datetime(2025, 2, 3, 4, 5, 6, 2, UTC),
        datetime(2024, 1, 2, 3, 4, 5, 2, UTC),
        datetime(2025, 2, 3, 4, 5, 6, 2, UTC),
    )
    assert imported.query("SELECT id, number, price, currency FROM issue ORDER BY id")[1] == (
        2,
        "½",
        1500,
        "ITL",
    )
    assert imported.one("SELECT cover_hash FROM issue WHERE id = 1") == "00ff00ff00ff00ff"


def test_new_ids_follow_those_of_the_set(filled):
    with filled.factory() as session:
        made = Catalog(session).create(
            Series,
            {
                "name": "Next",
                "volume": 1,
                "sort_name": "Next",
                "year_began": 2026,
                "publisher": 1,
                "series_type": 13,
            },
        )
        session.commit()
        assert made.id == 4
    assert filled.one("SELECT nextval(pg_get_serial_sequence('variant', 'id'))") == 4


def test_text_of_any_kind_arrives_as_it_was(imported):
    expected = small_set()["publishers"][0]
    [(desc, names)] = imported.query('SELECT "desc", alt_names FROM publisher WHERE id = 1')
    assert desc == expected["desc"]
    assert names == expected["alt_names"]
    assert imported.one("SELECT name FROM issue WHERE id = 1") == ["One, Two", 'A "quoted" one', ""]


def test_an_issue_without_price_needs_no_currency(varied):
    importer, rows, _ = varied
    assert importer.query("SELECT price, currency FROM issue WHERE id = 3") == [(None, "USD")]
    assert not importer.run(rows).changed_anything


def test_a_set_that_does_not_say_what_descriptions_are_is_taken(filled):
    assert filled.query("SELECT id FROM issue WHERE desc_is_solicitation") == [(1,)]
    rows = small_set()
    for row in rows["issues"]:
        del row["desc_is_solicitation"]
    filled.run(rows)
    assert filled.query("SELECT id FROM issue WHERE desc_is_solicitation") == []


def test_links_are_stored_in_both_directions_where_they_are_symmetric(imported):
    assert imported.query("SELECT * FROM issue_reprint ORDER BY 1") == [(1, 3), (3, 1)]
    assert imported.query("SELECT * FROM series_associated ORDER BY 1") == [(2, 3), (3, 2)]
    assert imported.query("SELECT * FROM character_universe ORDER BY 1, 2") == [(1, 1), (1, 2)]
    roles = imported.query("SELECT credit_id, role_id, issue_id FROM credit_role ORDER BY 1, 2")
    issues = dict(imported.query("SELECT id, issue_id FROM credit"))
    assert roles == [(1, 1, issues[1]), (1, 2, issues[1]), (2, 3, issues[2])]


def test_a_symmetric_link_given_in_one_direction_is_completed(varied):
    importer, _, report = varied
    assert importer.query("SELECT * FROM issue_reprint ORDER BY 1") == [(1, 3), (3, 1)]
    assert report.notes == ["issues.jsonl: reprint_ids was completed in 1 rows; it goes both ways."]


def test_stars_are_counted_and_summed_for_issues_and_series(imported):
    assert imported.query("SELECT id, rating_count, rating_sum FROM issue ORDER BY id") == [
        (1, 2, 7),
        (2, 1, 4),
        (3, 0, 0),
    ]
    assert imported.query("SELECT rating_count, rating_sum, rated FROM series WHERE id = 1") == [
        (3, 11, datetime(2025, 7, 1, tzinfo=UTC))
    ]


def test_the_second_stamp_is_the_latest_of_the_object_and_its_issues(varied):
    importer, *_ = varied
    latest_issue = datetime(2025, 4, 3, 4, 5, 6, 1, UTC)
    for kind in ("arc", "team", "series", "character"):
        assert importer.one(f"SELECT issues_modified FROM {kind} WHERE id = 1") >= latest_issue
    assert importer.one("SELECT issues_modified FROM arc WHERE id = 1") == latest_issue
    assert importer.one("SELECT issues_modified FROM character WHERE id = 2") == datetime(
        2026, 1, 1, tzinfo=UTC
    )
    assert importer.one("SELECT issues_modified = modified FROM series WHERE id = 3")


def test_history_log_and_versions_know_of_the_import(importer):
    before = dict(importer.query("SELECT kind, value FROM version"))
    importer.run(small_set())
    assert importer.one("SELECT count(*) FROM history WHERE kind = 'issue' AND type = '+'") == 3
    assert (
        importer.one("SELECT snapshot ->> 'number' FROM history WHERE kind = 'issue' AND object_id = 2")
        == "½"
    )
    assert importer.one("SELECT count(*) FROM change_log WHERE kind = 'series' AND action = 'create'") == 3
    assert all(
        value > before.get(kind, 0) for kind, value in importer.query("SELECT kind, value FROM version")
    )


def test_what_follows_an_import_goes_on_from_its_state(filled):
    with filled.factory() as session:
        catalog = Catalog(session)
        catalog.update(catalog.get(Series, 1), {"name": "The Lighthouse Again"})
        session.commit()
    assert filled.query("SELECT type FROM history WHERE kind = 'series' AND object_id = 1 ORDER BY id") == [
        ("+",),
        ("~",),
    ]
    assert filled.one("SELECT modified_before FROM issue WHERE id = 1") == datetime(
        2025, 4, 3, 4, 5, 6, 1, UTC
    )


# Pictures.


def test_every_row_has_a_picture_file_of_its_own(imported_database, filled):
    keys = [
        key
        for table in (
            "publisher",
            "imprint",
            "universe",
            "creator",
            "team",
            "character",
            "arc",
            "issue",
            "variant",
        )
        for (key,) in filled.query(f"SELECT image FROM {table} WHERE image <> ''")
    ]
    assert len(set(keys)) == len(keys) == imported_database.report.pictures == len(filled.files())
    assert keys[0].startswith("publisher/")
    assert filled.one("SELECT bool_and(image LIKE 'variants/%') FROM variant")
    first, second = (filled.storage.path(key) for key in keys[:2])  # publisher and imprint share a logo
    filled.storage.delete(keys[0])
    assert not first.exists()
    assert second.read_bytes() == pictures()["logos/port.png"]


def test_covers_have_their_hashes_at_once_and_again_after_another_import(filled):
    rows = small_set()
    named = """SELECT 'issue', id, image, cover_hash FROM issue WHERE image <> ''
        UNION ALL SELECT 'variant', id, image, cover_hash FROM variant ORDER BY 1, 2"""
    covers = filled.query(named)
    assert {kind for kind, *_ in covers} == {"issue", "variant"}
    hashes = dict(filled.query("SELECT picture, lpad(to_hex(phash), 16, '0') FROM picture_hash"))
    assert hashes.keys() == {image for *_, image, _ in covers}
    told = {each["id"]: each["cover_hash"] for each in rows["issues"] if each.get("cover_hash")}
    for kind, number, image, cover_hash in covers:
        assert cover_hash == (told.get(number) if kind == "issue" else None) or hashes[image]
    for each in rows["issues"]:
        each["cover_hash"] = ""
    assert not filled.run(rows).changed_anything
    assert filled.query(named) == covers


def test_the_size_of_a_picture_is_measured_not_believed(imported):
    assert imported.query("SELECT image_width, image_height FROM issue ORDER BY id") == [
        (40, 60),
        (None, None),
        (60, 40),
    ]
    assert imported.one("SELECT image FROM issue WHERE id = 3").endswith(".jpg")


def test_a_picture_is_not_decoded_again_if_the_set_tells_its_digest_and_hashes(varied):
    importer, *_ = varied
    columns = ", ".join(f"lpad(to_hex({kind}), 16, '0')" for kind in HASHES)
    stored = importer.query(
        f"SELECT {columns} FROM picture_hash h JOIN issue i ON i.image = h.picture ORDER BY i.id"
    )
    assert stored[0] == tuple(TOLD.values())
    assert not set(stored[1]) & set(TOLD.values())
    sizes = importer.query("SELECT image_width, image_height FROM issue WHERE id IN (1, 3) ORDER BY id")
    assert sizes == [(40, 60), (60, 40)]


# Reference data.


def test_reference_data_of_the_set_replace_the_seeded_rows(imported):
    assert imported.query("SELECT id, name, code FROM series_type ORDER BY id") == [
        (6, "Annual Series", "annual"),  # found by its older name
        (10, "Trade Paperback", "trade_paperback"),
        (13, "Single Issue", "single_issue"),
        (14, "Omnibus", "omnibus"),
    ]
    assert imported.query('SELECT id, name, "order", is_writer, is_cover FROM role ORDER BY id') == [
        (1, "Writer", 1, True, False),
        (2, "Cover", 2, False, True),
        (3, "Letterer", 3, False, False),
    ]
    western, sea = imported.query('SELECT id, name, "desc" FROM genre ORDER BY id')
    assert western == (1, "Western", "The American frontier or its conventions")
    assert sea == (2, "Sea Tales", "")
    assert imported.query("SELECT name, short_description FROM age_rating ORDER BY id") == [
        ("Unknown", ""),
        ("Teen", "12 and up"),
    ]


def test_seeded_reference_data_stay_where_the_set_has_no_such_file(importer):
    seeded = importer.query("SELECT id, name FROM role ORDER BY id")
    importer.run({"publishers": [entity(1, "Only", "only", image="")]})
    assert importer.query("SELECT id, name FROM role ORDER BY id") == seeded


def test_reference_data_are_matched_by_name_where_the_catalog_has_rows(importer):
    importer.run({"publishers": [entity(1, "First", "first", image="")]})
    names = importer.query("SELECT name FROM series_type ORDER BY id")
    importer.run(small_set())
    assert importer.query("SELECT name FROM series_type ORDER BY id") == names  # no row is renamed or added
    assert importer.query(
        "SELECT t.name FROM series s JOIN series_type t ON t.id = s.series_type_id ORDER BY s.id"
    ) == [("Single Issue",), ("Annual",), ("Omnibus",)]
    assert ("Sea Tales",) in importer.query("SELECT name FROM genre")
    assert importer.query(
        "SELECT g.name FROM series_genre l JOIN genre g ON g.id = l.genre_id ORDER BY g.name"
    ) == [("Sea Tales",), ("Western",)]
    assert importer.query(
        "SELECT r.name FROM credit_role l JOIN role r ON r.id = l.role_id ORDER BY l.credit_id, r.name"
    ) == [("Cover",), ("Writer",), ("Letterer",)]


def test_a_renamed_type_is_matched_by_its_code_and_a_new_one_has_all_its_fields(importer):
    importer.run({"publishers": [entity(1, "First", "first", image="")]})
    renamed = {"id": 7, "name": "Softcover", "code": "trade_paperback", "names": {"it": "Brossura"}}
    new = {"id": 8, "name": "Scroll", "code": None, "names": {"it": "Rotolo"}, "notes": "One sheet."}
    importer.run({"series_types": [renamed, new]})
    assert importer.query("SELECT name FROM series_type WHERE code = 'trade_paperback'") == [
        ("Trade Paperback",)
    ]
    assert importer.query("SELECT code, names, notes FROM series_type WHERE name = 'Scroll'") == [
        (None, {"it": "Rotolo"}, "One sheet.")
    ]


def test_a_code_of_a_set_is_not_copied_to_a_second_row_by_name(importer):
    types = [{"id": 1, "name": "Trade Paperback"}, {"id": 2, "name": "Softcover", "code": "trade_paperback"}]
    importer.run({"series_types": types})
    assert importer.query("SELECT id, code FROM series_type ORDER BY id") == [
        (1, None),
        (2, "trade_paperback"),
    ]


def test_an_age_rating_for_issues_without_one_is_required(importer):
    rows = small_set() | {"age_ratings": [{"id": 2, "name": "Teen"}]}
    rows["issues"] = [issue(1, 1, "1", age_rating_id=2)]
    for name in ("credits", "variants", "attributions", "issue_ratings"):
        rows[name] = []
    assert importer.problems(rows) == [
        "age_ratings.jsonl: id: has no id 1, which issues without a rating need"
    ]


# Accounts.


def test_public_passwords_and_tokens_are_not_taken_over(varied):
    importer, *_ = varied
    assert importer.query("SELECT password FROM user_account WHERE id = 2") == [(UNUSABLE,)]
    assert importer.query("SELECT count(*) FROM api_token WHERE user_id = 2") == [(0,)]
    assert importer.query("SELECT count(*) FROM api_token") != [(0,)]


def test_accounts_are_stored_with_hashed_secrets(imported):
    rows = imported.query(
        "SELECT id, username, password, email_confirmed, is_active FROM user_account ORDER BY id"
    )
    assert [(row[0], row[1], row[3], row[4]) for row in rows] == [
        (1, "admin", True, True),
        (2, "Editor", True, True),
        (3, "reader", True, True),
    ]
    assert all(Passwords("fast").verify(row[2], f"{row[1]}-password") for row in rows)
    assert imported.query("SELECT user_id, digest, token_key FROM api_token ORDER BY user_id")[1] == (
        2,
        digest(f"{2:064x}"),
        "0" * 15,
    )
    assert imported.query(
        "SELECT m.user_id, g.name FROM user_group_member m JOIN user_group g ON g.id = m.group_id"
        " ORDER BY g.name"
    ) == [(2, "editor"), (2, "letterers")]
    assert imported.query("SELECT supporter_tier, supporter_until FROM user_account WHERE id = 3") == [
        ("backer", datetime(2030, 1, 1, tzinfo=UTC))
    ]
    everything = json.dumps(imported.everything(), default=str)
    assert "reader-password" not in everything
    assert f"{3:064x}" not in everything


def test_authorship_follows_the_accounts(imported):
    assert imported.query("SELECT created_by_id, edited_by_id FROM issue WHERE id = 1") == [(2, 3)]


def test_without_accounts_everything_is_the_system_accounts(importer):
    report = importer.run(small_set(), accounts=False)
    assert importer.query("SELECT username FROM user_account") == [("system",)]
    assert importer.query("SELECT DISTINCT created_by_id, edited_by_id FROM issue") == [(1, 1)]
    assert importer.one("SELECT count(*) FROM issue_rating") == 0
    assert report.unread_files == [
        "users.jsonl (only with accounts)",
        "issue_ratings.jsonl (only with accounts)",
    ]


def test_accounts_that_exist_are_matched_by_name_and_left_alone(importer):
    importer.query(
        "INSERT INTO user_account (username, email, password) VALUES ('READER', 'other@example.org', 'kept')"
    )
    importer.run(small_set())
    rows = importer.query("SELECT id, username, email, password = 'kept' FROM user_account ORDER BY id")
    assert rows[0][1] == "system"
    assert rows[1] == (2, "READER", "other@example.org", True)
    assert [row[1] for row in rows[2:]] == ["admin", "Editor"]
    assert importer.query("SELECT user_id FROM issue_rating ORDER BY id") == [(4,), (2,), (2,)]
    assert importer.query("SELECT created_by_id, edited_by_id FROM issue WHERE id = 1") == [(4, 2)]


def test_an_address_of_another_account_is_refused(importer):
    importer.query(
        "INSERT INTO user_account (username, email, password) VALUES ('someone', 'Reader@example.org', '!')"
    )
    assert importer.problems(small_set()) == ["users.jsonl:3: email: belongs to the account someone"]


def test_an_account_without_password_gets_an_unusable_one(varied):
    importer, *_ = varied
    assert importer.one("SELECT password FROM user_account WHERE id = 3") == UNUSABLE
    assert importer.one("SELECT count(*) FROM api_token WHERE user_id = 3") == 0


# Advice.


def test_advisory_rules_are_counted_and_named_but_not_enforced(importer):
    rows = small_set()
    rows["series"][0] |= {"series_type_id": 10, "year_end": 1999}
    rows["issues"][0] |= {
        "isbn": "9780306406158",
        "upc": "03600029145300111",
        "sku": "AUG-2000",
        "title": "No",
    }
    rows["issues"][1]["colour"] = "red"
    rows["creators"][0] |= {"birth": "1950-01-02", "birth_precision": "day", "death": "1950-01-01"}
    report = importer.run(rows)
    assert {rule: advice.places for rule, advice in report.advice.items()} == {
        "The check digit or format of the ISBN is wrong": ["issues.jsonl:1: 9780306406158"],
        "The check digit or format of the UPC is wrong": ["issues.jsonl:1: 03600029145300111"],
        "The SKU contains characters other than letters and digits": ["issues.jsonl:1: AUG-2000"],
        "A Comic Vine ID of a Trade Paperback series": ["series.jsonl:1: 5"],
        "Associated series of a series of collected editions": ["series.jsonl:3: faro-tutto-2001"],
        "A series that ended before it began": ["series.jsonl:1: 2020–1999"],
        "A collection title where the series allows none": ["issues.jsonl:1: No"],
        "Story arcs of an issue of a Trade Paperback or Hardcover": ["issues.jsonl:1: issue-1"],
        "A creator whose death precedes their birth": ["creators.jsonl:1: 1950-01-02–1950-01-01"],
        "unknown field, not read": ["issues.jsonl:2: colour"],
    }
    assert all(advice.count == 1 for advice in report.advice.values())
    assert importer.one("SELECT isbn FROM issue WHERE id = 1") == "9780306406158"


# Size.


DESC = "Words. " * 200


def _many(count: int) -> dict[str, list[dict]]:
    rows = small_set()
    rows["issues"] = [issue(number, 1, str(number), desc=DESC) for number in range(1, count + 1)]
    rows["credits"] = [
        {"id": number, "issue_id": number, "creator_id": 1, "role_ids": [1]} for number in range(1, count + 1)
    ]
    rows["variants"] = [variant(number, number) for number in range(1, count + 1, 10)]
    rows["attributions"] = []
    rows["issue_ratings"] = []
    return rows


def test_memory_does_not_grow_with_the_size_of_a_set(importer):
    """More text must take far less memory than its length: only ids are kept, for the change log."""
    peaks = []
    for count in (300, 900):
        folder = write_set(importer.folder / f"many{count}", _many(count))
        importer.query("TRUNCATE publisher, creator, arc, user_account CASCADE")
        importer.query("INSERT INTO user_account (id, username, email) VALUES (1, 'system', 's@localhost')")
        tracemalloc.start()
        importer.run(folder)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert importer.one("SELECT count(*) FROM issue") == 900
    assert peaks[1] - peaks[0] < 600 * 880  # bytes per row, of which the text alone has 1,400
