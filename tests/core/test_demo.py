"""The demo catalogue: it keeps the rules of the format and of the catalogue, and is always the same."""

import hashlib
import re
from collections import Counter
from datetime import date

import pytest
from stdnum import ean, isbn

from comicsdb.catalog.slugs import RESERVED, base_slug
from comicsdb.demo import reference
from comicsdb.demo.codes import TODAY
from comicsdb.demo.source import KINDS, read
from comicsdb.demo.writer import FILES, rows
from comicsdb.models.choices import COUNTRIES, LANGUAGES, Currency

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


@pytest.fixture(scope="module")
def made():
    """The rows of all files; covers have no hashes."""
    return rows()


def by_id(made, name):
    return {row["id"]: row for row in made[name]}


def type_name(series):
    return reference.SERIES_TYPES[series["series_type_id"]]


# What is in it.


def test_it_is_a_catalogue_worth_looking_at(made):
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


def test_it_speaks_many_languages_and_pays_in_every_currency(made):
    languages = {series["language"] for series in made["series"]}
    assert {"en", "it", "fr", "de", "es", "ja", "nl", "pl", "pt-br"} == languages
    assert languages <= set(LANGUAGES)
    countries = {publisher["country"] for publisher in made["publishers"]}
    assert {"US", "GB", "IT", "FR", "BE", "DE", "ES", "JP", "BR", "PL"} == countries
    assert countries <= set(COUNTRIES)
    paid = {row["currency"] for row in made["issues"] + made["variants"] if row["price"]}
    assert paid == {currency.value for currency in Currency}
    assert {row["currency"] for row in made["issues"] + made["variants"]} <= paid


def test_it_has_one_of_every_form_of_publication(made):
    forms = {type_name(series) for series in made["series"]}
    assert forms == set(reference.SERIES_TYPES.values())
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
    assert [user["username"] for user in users[:4]] == ["admin", "editor", "reader", "Metron"]
    assert [user["is_superuser"] for user in users] == [True] + [False] * (len(users) - 1)
    assert users[1]["groups"] == ["editor"]
    for user in users:
        assert user["password"] == f"demo-{user['username']}-pass"
        assert user["api_token"] == hashlib.sha256(f"demo token {user['username']}".encode()).hexdigest()
        assert user["email"].endswith("@example.org")


# Structure.


def test_ids_are_dense_and_slugs_unique(made):
    for name in FILES:
        if name != "series_types":
            assert [row["id"] for row in made[name]] == list(range(1, len(made[name]) + 1)), name
    for name in (*ENTITIES, "issues"):
        slugs = [row["slug"] for row in made[name]]
        assert len(set(slugs)) == len(slugs), name
        taken = RESERVED["*"] | RESERVED.get(name.removesuffix("s"), set())
        for slug in slugs:
            assert re.fullmatch(r"[a-z0-9_]+(-[a-z0-9_]+)*", slug), slug
            assert not slug.isdigit()
            assert slug not in taken


def test_slugs_follow_the_names(made):
    for publisher in made["publishers"]:
        words = publisher["name"] if publisher["country"] != "JP" else publisher["alt_names"][0]
        assert publisher["slug"] == base_slug("publisher", words, publisher["id"])
    series = by_id(made, "series")
    for issue in made["issues"]:
        base = base_slug("issue", f"{series[issue['series_id']]['slug']}-{issue['number']}", issue["id"])
        assert re.fullmatch(rf"{re.escape(base)}(-\d+)?", issue["slug"])


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("series", ("publisher_id", "name", "volume", "series_type_id")),
        ("issues", ("series_id", "number")),
        ("universes", ("publisher_id", "name", "designation")),
        ("credits", ("issue_id", "creator_id")),
        ("issue_ratings", ("issue_id", "user_id")),
        ("users", ("username",)),
    ],
)
def test_sets_that_must_be_unique_are(made, name, fields):
    keys = [tuple(row[field] for field in fields) for row in made[name]]
    assert len(set(keys)) == len(keys)


def test_every_reference_leads_somewhere(made):
    files = {
        "publisher_id": "publishers",
        "imprint_id": "imprints",
        "series_id": "series",
        "series_type_id": "series_types",
        "issue_id": "issues",
        "creator_id": "creators",
        "user_id": "users",
        "age_rating_id": "age_ratings",
        "created_by_id": "users",
        "edited_by_id": "users",
        "creator_ids": "creators",
        "team_ids": "teams",
        "universe_ids": "universes",
        "character_ids": "characters",
        "arc_ids": "arcs",
        "genre_ids": "genres",
        "role_ids": "roles",
        "associated_ids": "series",
        "reprint_ids": "issues",
    }
    known = {name: {row["id"] for row in made[name]} for name in FILES}
    for name in FILES:
        for row in made[name]:
            for field in row.keys() & files.keys():
                ids = row[field] if isinstance(row[field], list) else [row[field]]
                assert len(set(ids)) == len(ids)
                assert set(ids) - {None} <= known[files[field]], (name, row["id"], field)


@pytest.mark.parametrize(("name", "field"), [("series", "associated_ids"), ("issues", "reprint_ids")])
def test_symmetric_links_go_both_ways(made, name, field):
    all_rows = by_id(made, name)
    linked = [(row["id"], other) for row in made[name] for other in row[field]]
    assert linked
    for one, other in linked:
        assert one != other
        assert one in all_rows[other][field]


def test_everything_written_down_is_used(made):
    """An arc without issues or a creator without credits is a page without a reason."""
    assert {arc for issue in made["issues"] for arc in issue["arc_ids"]} == set(by_id(made, "arcs"))
    assert {team for issue in made["issues"] for team in issue["team_ids"]} == set(by_id(made, "teams"))
    seen = {who for issue in made["issues"] for who in issue["character_ids"]}
    assert set(by_id(made, "characters")) == seen
    assert {series["publisher_id"] for series in made["series"]} == set(by_id(made, "publishers"))
    assert {series["imprint_id"] for series in made["series"]} - {None} == set(by_id(made, "imprints"))
    credited = {credit["creator_id"] for credit in made["credits"]}
    created = {who for row in made["characters"] for who in row["creator_ids"]}
    assert set(by_id(made, "creators")) == credited | created


# The advisory rules (model.md 3.8, 3.11).


def test_series_keep_the_advisory_rules(made):
    imprints = by_id(made, "imprints")
    for series in made["series"]:
        assert series["cv_id"] is None
        assert series["gcd_id"] is None
        assert series["year_end"] is None or series["year_end"] >= series["year_began"]
        if type_name(series) in reference.COLLECTED:
            assert not series["associated_ids"], series["name"]
        if series["imprint_id"]:
            assert imprints[series["imprint_id"]]["publisher_id"] == series["publisher_id"]


def test_issues_keep_the_advisory_rules(made):
    all_series = by_id(made, "series")
    for issue in made["issues"]:
        series = all_series[issue["series_id"]]
        assert not issue["title"] or series["collection"], issue["slug"]
        if type_name(series) in {"Trade Paperback", "Hardcover"}:
            assert not issue["arc_ids"], issue["slug"]
        assert all(len(title) <= 150 for title in issue["story_titles"])
        assert issue["cv_id"] is None


def test_codes_of_the_trade_are_valid_and_nobody_elses(made):
    for row in made["issues"] + made["variants"]:
        assert not row["sku"] or re.fullmatch(r"[A-Z0-9]{1,12}", row["sku"])
        if row["upc"]:
            assert len(row["upc"]) in {17, 18}
            assert ean.is_valid(row["upc"][:-5])
            assert row["upc"][0] in "24"  # for use inside a shop
        if row.get("isbn"):
            assert isbn.is_valid(row["isbn"])
            assert row["isbn"].startswith("97999")  # a range that no agency gives out
    for field in ("sku", "upc"):
        given = [row[field] for row in made["issues"] + made["variants"] if row[field]]
        assert len(given) > 100
        assert len(set(given)) == len(given)


def test_dates_are_dates_and_in_order(made):
    for issue in made["issues"]:
        days = [date.fromisoformat(issue[key]) for key in ("foc_date", "store_date") if issue[key]]
        assert days == sorted(days)
        assert all(day.year >= 1900 for day in [*days, date.fromisoformat(issue["cover_date"])])
    for name in (*ENTITIES, "issues"):
        stamps = [(row["created_on"], row["modified"]) for row in made[name]]
        assert all(created <= modified < "2026-11-20" for created, modified in stamps)
        assert len({created for created, _ in stamps}) == len(stamps), "an import tells rows apart by this"


def test_only_what_is_out_is_rated(made):
    issues = by_id(made, "issues")
    for rating in made["issue_ratings"]:
        issue = issues[rating["issue_id"]]
        assert 1 <= rating["rating"] <= 5
        assert (issue["store_date"] or issue["cover_date"]) <= TODAY.isoformat()
        assert (issue["store_date"] or "") <= rating["created_on"][:10] <= TODAY.isoformat()


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


# The source.


def test_keys_are_names_of_one_thing():
    source = read()
    assert all(source.entries[kind] for kind in KINDS)
    for kind in KINDS:
        for key, entry in source.entries[kind].items():
            assert re.fullmatch(r"[a-z0-9_]+", key)
            assert entry["name"]


def test_a_key_that_is_used_twice_is_refused(tmp_path):
    for name in ("01-one", "02-two"):
        text = '[publisher]\nname = "X"\ncountry = "US"\n[creators.same]\nname = "Y"\n'
        (tmp_path / f"{name}.toml").write_text(text)
    with pytest.raises(ValueError, match=r"02-two\.toml: creators\.same is written down twice"):
        read(tmp_path)


@pytest.mark.parametrize("word", ["nonsense", "colour:red"])
def test_a_word_without_meaning_is_refused(tmp_path, word):
    text = (
        '[publisher]\nname = "X"\ncountry = "US"\n[series.x]\nname = "X"\nfirst = "2020-01"\n'
        f'issues = "1 | | | {word}"\n'
    )
    (tmp_path / "01-x.toml").write_text(text)
    with pytest.raises(ValueError, match="means nothing here"):
        read(tmp_path)


# What is written.
