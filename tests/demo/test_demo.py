"""The demo catalog: it is varied, imports without warnings, and uses no codes that belong to others."""

import hashlib
import json
import re
from collections import Counter

import pytest
from PIL import Image
from stdnum import ean, isbn

from comicsdb.accounts import demo_accounts
from comicsdb.exchange.format import FILES
from comicsdb.imaging.hashes import hashes
from comicsdb.models.choices import COUNTRIES, LANGUAGES
from comicsdb.models.currencies import Currency
from comicsdb_demo import DATA
from tests.dataset import read_set
from tests.importer import Importer

ENTITIES = (
    "publishers",
    "imprints",
    "universes",
    "creators",
    "teams",
    "characters",
    "arcs",
    "series",
)
TODAY = "2026-11-21"  # the present day of the demo catalog
EVERY = 23  # one in so many covers is hashed


@pytest.fixture(scope="module")
def made():
    """The rows of the demo's data set by file."""
    return read_set(DATA)


def by_id(made, name):
    return {row["id"]: row for row in made[name]}


def images():
    """The picture files, by the names that rows refer to."""
    return {path.relative_to(DATA / "images").as_posix(): path for path in (DATA / "images").rglob("*.*")}


# The content.


def test_it_is_a_catalog_worth_looking_at(made):
    counts = {name: len(rows) for name, rows in made.items()}
    assert counts["issues"] == 500
    assert counts["series"] == 66
    assert counts["publishers"] == 18
    assert counts["genres"] == 19
    assert counts["series_types"] == 9
    assert counts["roles"] == 42
    assert counts["age_ratings"] == 7
    assert counts["creators"] >= 70
    assert counts["characters"] >= 90
    assert counts["variants"] >= 40
    assert counts["credits"] >= 1400
    assert counts["attributions"] >= 40
    assert counts["issue_ratings"] >= 300
    assert all(counts.values())


def test_it_speaks_many_languages_and_pays_in_several_currencies(made):
    languages = {series["language"] for series in made["series"]}
    assert {"en", "it", "fr", "de", "es", "ja", "nl", "pl", "pt-br"} == languages
    assert languages <= set(LANGUAGES)
    countries = {publisher["country"] for publisher in made["publishers"]}
    assert {"US", "GB", "IT", "FR", "BE", "DE", "ES", "JP", "BR", "PL"} == countries
    assert countries <= set(COUNTRIES)
    paid = {row["currency"] for row in made["issues"] + made["variants"] if row["price"]}
    assert {"USD", "GBP", "EUR", "ITL"} <= paid <= set(Currency)
    assert {row["currency"] for row in made["issues"] + made["variants"]} <= paid


def test_it_has_one_of_every_form_of_publication(made):
    assert {series["series_type_id"] for series in made["series"]} == set(by_id(made, "series_types"))
    assert {series["status"] for series in made["series"]} == {1, 2, 3, 4}


def test_it_has_the_numbers_that_make_trouble(made):
    numbers = {issue["number"] for issue in made["issues"]}
    assert {"0", "-1", "½", "12.MUD", "1905-10-15", "43/1917", "1979"} <= numbers
    assert any(issue["alt_number"] for issue in made["issues"])


def test_two_series_run_past_the_turn_of_the_year(made):
    running = Counter()
    for issue in made["issues"]:
        if "2026-09" <= issue["cover_date"][:7] <= "2027-03":
            running[issue["series_id"]] += 1
    assert len([series for series, issues in running.items() if issues == 7]) >= 2


@pytest.mark.parametrize(
    ("first", "last"),
    [("2026-11-16", "2026-11-22"), ("2026-11-23", "2026-11-29"), ("2026-11-30", "2027-12-31")],
)
def test_this_week_next_week_and_the_future_are_not_empty(made, first, last):
    assert len([issue for issue in made["issues"] if first <= (issue["store_date"] or "") <= last]) >= 2


def test_the_real_comics_are_cited_and_the_invented_ones_are_not(made):
    real = {
        row["id"] for row in made["publishers"] if row["slug"] in {"fox-feature-syndicate", "fiction-house"}
    }
    cited = {row["entity_id"] for row in made["attributions"] if row["entity"] == "publisher"}
    assert real <= cited
    names = {row["id"]: row["name"] for row in made["publishers"]}
    assert "Harbor Light Comics" not in {names[cited_id] for cited_id in cited}
    for row in made["attributions"]:
        assert row["source"] == "W"
        assert re.fullmatch(r"https://(en|it|fr)\.wikipedia\.org/wiki/[\w%(),.-]+", row["url"])
        assert len(row["url"]) <= 200


def test_everything_of_weight_is_described(made):
    for name in (*ENTITIES, "issues"):
        described = [row for row in made[name] if row["desc"]]
        assert len(described) >= len(made[name]) * (0.4 if name == "issues" else 1), name
        assert all(row["desc"] == row["desc"].strip() and "\n" not in row["desc"] for row in described)
        if name not in {"series", "issues"}:
            assert len({row["desc"] for row in described}) == len(described), name


# Reference data and accounts.


def test_reference_data_have_the_ids_that_clients_know(made):
    assert {row["id"]: row["name"] for row in made["series_types"]} == {
        5: "One-Shot",
        6: "Annual",
        8: "Hardcover",
        9: "Graphic Novel",
        10: "Trade Paperback",
        11: "Limited Series",
        12: "Digital Chapter",
        13: "Single Issue",
        15: "Omnibus",
    }
    genres = {row["name"]: row["id"] for row in made["genres"]}
    assert (genres["Adult"], genres["Western"], genres["Action"], genres["Sport"]) == (1, 12, 13, 19)
    assert [row["order"] for row in made["roles"]] == list(range(10, 421, 10))
    assert [row["name"] for row in made["roles"]][::41] == ["Writer", "Other"]
    assert made["age_ratings"][0] == {"id": 1, "name": "Unknown"}


def test_the_accounts_are_those_of_the_readme(made):
    users = made["users"]
    assert [user["username"] for user in users] == list(demo_accounts.NAMES)
    assert [user["username"] for user in users[:4]] == ["admin", "editor", "reader", "Metron"]
    assert [user["is_superuser"] for user in users] == [True] + [False] * (len(users) - 1)
    assert users[1]["groups"] == ["editor"]
    for user in users:
        assert {user["password"], user["api_token"]} <= demo_accounts.PUBLIC_SECRETS
        assert user["email"].endswith("@example.org")


def test_everything_written_down_is_used(made):
    """An arc without issues or a creator without credits would be an empty page."""
    assert {arc for issue in made["issues"] for arc in issue["arc_ids"]} == set(by_id(made, "arcs"))
    assert {team for issue in made["issues"] for team in issue["team_ids"]} == set(by_id(made, "teams"))
    seen = {who for issue in made["issues"] for who in issue["character_ids"]}
    assert set(by_id(made, "characters")) == seen
    assert {series["publisher_id"] for series in made["series"]} == set(by_id(made, "publishers"))
    assert {series["imprint_id"] for series in made["series"]} - {None} == set(by_id(made, "imprints"))
    credited = {credit["creator_id"] for credit in made["credits"]}
    created = {who for row in made["characters"] for who in row["creator_ids"]}
    assert set(by_id(made, "creators")) == credited | created


def test_codes_of_the_trade_are_valid_and_nobody_elses(made):
    for row in made["issues"] + made["variants"]:
        assert not row["sku"] or re.fullmatch(r"[A-Z0-9]{1,12}", row["sku"])
        if row["upc"]:
            assert len(row["upc"]) in {17, 18}
            assert ean.is_valid(row["upc"][:-5])
            assert row["upc"][0] in "24"  # reserved for use within a shop
        if row.get("isbn"):
            assert isbn.is_valid(row["isbn"])
            assert row["isbn"].startswith("97999")  # a range that no agency assigns
    for field in ("sku", "upc"):
        given = [row[field] for row in made["issues"] + made["variants"] if row[field]]
        assert len(given) > 100
        assert len(set(given)) == len(given)


def test_only_what_is_out_is_rated(made):
    issues = by_id(made, "issues")
    for rating in made["issue_ratings"]:
        issue = issues[rating["issue_id"]]
        assert 1 <= rating["rating"] <= 5
        assert (issue["store_date"] or issue["cover_date"]) <= TODAY
        assert (issue["store_date"] or "") <= rating["created_on"][:10] <= TODAY


def test_a_book_tells_the_stories_it_reprints(made):
    issues, series = by_id(made, "issues"), by_id(made, "series")
    book = next(issue for issue in made["issues"] if issue["slug"] == "the-foghorn-2025-1")
    assert book["title"] == "Salt and Signal"
    assert [issues[each]["number"] for each in book["reprint_ids"]] == ["0", "1", "2", "3", "4", "5", "6"]
    assert book["story_titles"][0] == "What the Coat Remembers"
    translated = next(row for row in made["series"] if row["name"] == "The Moonlit Bathhouse")
    for issue in made["issues"]:
        if issue["series_id"] == translated["id"]:
            [original] = [issues[each] for each in issue["reprint_ids"]]
            assert series[original["series_id"]]["language"] == "ja"
            assert issue["story_titles"] == []


# The files.


def test_the_files_are_those_that_meta_names(made):
    meta = json.loads((DATA / "meta.json").read_text())
    assert set(meta["counts"]) == set(made) >= {file.name for file in FILES if not file.owner}
    for name, rows in made.items():
        content = (DATA / f"{name}.jsonl").read_bytes()
        assert (meta["counts"][name], meta["sha256"][name]) == (
            len(rows),
            hashlib.sha256(content).hexdigest(),
        ), name


def test_every_picture_is_there_and_used_and_all_are_small(made):
    there = images()
    named = [row["image"] for rows in made.values() for row in rows if row.get("image")]
    assert Counter(named) == Counter(there.keys())
    assert all(row["image"] for row in made["issues"] + made["variants"])
    assert sum(path.stat().st_size for path in there.values()) < 12_000_000


def test_covers_have_the_hash_of_their_files_and_differ(made):
    for each in (made["issues"] + made["variants"])[::EVERY]:
        with Image.open(DATA / "images" / each["image"]) as image:
            assert each["image_hashes"] == hashes(image)
    assert all(each["image_hashes"]["phash"] == each["cover_hash"] for each in made["issues"])
    files = images()
    for row in (row for rows in made.values() for row in rows if row.get("image")):
        digest = hashlib.sha256(files[row["image"]].read_bytes()).hexdigest()
        assert row["image_sha256"] == digest, row["image"]
    covers = {row["image_sha256"] for row in made["issues"]}
    assert len(covers) == len(made["issues"])


def test_an_import_takes_it_without_one_remark(made, database, tmp_path):
    importer = Importer(database, tmp_path)
    report = importer.run(DATA)
    importer.close()
    assert dict(report.advice) == {}
    assert report.notes == []
    assert report.unread_files == []
    assert report.pictures == len(images())
