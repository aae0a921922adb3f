"""Import of dumps of the Grand Comics Database: what is stored, what is listed, what a newer dump changes."""

import csv
from datetime import date
from decimal import Decimal

import pytest

from comicsdb.exchange.gcd.importing import import_dump
from comicsdb.exchange.gcd.plan import Choices
from tests.gcd_dump import DumpOf
from tests.importer import Importer


class Gcd(Importer):
    """Imports dumps into a catalogue of its own."""

    def take(self, rows: DumpOf, choices: Choices | None = None, **more):
        """Import a dump; returns the outcome and the rows of the report, by rule."""
        path = rows.sqlite(self.folder / "dump.db")
        report = self.folder / "report.csv"
        with self.factory() as session:
            outcome = import_dump(
                session, path, choices or Choices(), working=self.folder, report=report, **more
            )
        with report.open(encoding="utf-8", newline="") as file:
            listed = list(csv.DictReader(file))
        found = {}
        for row in listed:
            found.setdefault(row["rule"], []).append((row["kind"], int(row["gcd_id"]), row["field"]))
        return outcome, found


@pytest.fixture
def gcd(database, tmp_path):
    """An empty catalogue of its own."""
    gcd = Gcd(database, tmp_path)
    yield gcd
    gcd.engine.dispose()


def beginning() -> DumpOf:
    """A dump with languages, countries and a publisher."""
    made = DumpOf()
    made.add("stddata_country", id=225, code="us", name="United States")
    made.add("stddata_country", id=106, code="it", name="Italy")
    made.add("stddata_language", id=25, code="en", name="English")
    made.add("stddata_language", id=51, code="it", name="Italian")
    made.add("gcd_publisher", id=78, name="Marvel", year_began=1939, country_id=225, notes="Was Timely.")
    return made


def series(made: DumpOf, name="Fantastic Four", **values) -> int:
    """Add a series."""
    given = {
        "name": name,
        "sort_name": name,
        "year_began": 1961,
        "publisher_id": 78,
        "country_id": 225,
        "language_id": 25,
        "publishing_format": "was ongoing series",
        "is_comics_publication": 1,
        "is_current": 1,
    }
    return made.add("gcd_series", **(given | values))


def issue(made: DumpOf, series_id: int, number="1", **values) -> int:
    """Add an issue."""
    place = len(made.rows["gcd_issue"])
    given = {"number": number, "series_id": series_id, "key_date": "1961-11-00", "sort_code": place}
    return made.add("gcd_issue", **(given | values))


def creator(made: DumpOf, name: str, *others: str, **values) -> int:
    """Add a creator with names; returns the id of the official name, by which credits refer to it."""
    creator_id = made.add("gcd_creator", gcd_official_name=name, **values)
    official = made.add("gcd_creator_name_detail", name=name, creator_id=creator_id, is_official_name=1)
    for other in others:
        made.add("gcd_creator_name_detail", name=other, creator_id=creator_id)
    return official


def small() -> DumpOf:
    """A dump of one issue with everything."""
    made = beginning()
    home = series(made)
    first = issue(
        made,
        home,
        price="0.10 USD; 0.12 CAD",
        page_count=36.5,
        barcode="76194120111700111",
        on_sale_date="1961-08-08",
        valid_isbn="9781401207526",
        rating="Rated T+",
    )
    story = made.add(
        "gcd_story",
        issue_id=first,
        type_id=19,
        title="The Fantastic Four!",
        sequence_number=1,
        page_count=13,
        genre="superhero; adventure",
        synopsis="Four friends.",
    )
    cover = made.add("gcd_story", issue_id=first, type_id=6, title="Cover", sequence_number=0)
    date = made.add("stddata_date", year="1922", month="12", day="28")
    lee = creator(made, "Stan Lee", "Stanley Lieber", birth_date_id=date)
    kirby = creator(made, "Jack Kirby")
    made.add("gcd_story_credit", creator_id=lee, credit_type_id=1, story_id=story)
    made.add("gcd_story_credit", creator_id=kirby, credit_type_id=7, story_id=story)
    made.add("gcd_story_credit", creator_id=kirby, credit_type_id=2, story_id=cover)
    made.add("gcd_issue_credit", creator_id=lee, credit_type_id=6, issue_id=first, credit_name="editing")
    verse = made.add("gcd_multiverse", name="Marvel")
    universe = made.add("gcd_universe", verse_id=verse, name="Mainstream", designation="Earth 616")
    team = made.add("gcd_group", name="Fantastic Four [FF]", universe_id=universe)
    team_name = made.add("gcd_group_name_detail", name="FF", group_id=team, is_official_name=1)
    for name, other in (("Thing", "Ben Grimm"), ("Human Torch", "Johnny Storm")):
        hero = made.add("gcd_character", name=name, universe_id=universe)
        official = made.add("gcd_character_name_detail", name=name, character_id=hero, is_official_name=1)
        made.add("gcd_character_name_detail", name=other, character_id=hero)
        made.add("gcd_story_character", character_id=official, story_id=story)
        made.add("gcd_group_membership", character_id=hero, group_id=team, membership_type_id=1)
    made.add("gcd_group_character", group_name_id=team_name, story_id=story)
    made.add("gcd_story_universe", story_id=story, universe_id=universe)
    arc = made.add("gcd_story_arc", name="The Coming")
    made.add("gcd_story_story_arc", story_id=story, storyarc_id=arc)
    return made


def test_an_issue_arrives_with_everything(gcd):
    outcome, listed = gcd.take(small(), Choices(synopses=True))
    assert listed == {}
    assert outcome.new == {
        "publisher": 1,
        "universe": 1,
        "creator": 2,
        "team": 1,
        "character": 2,
        "arc": 1,
        "series": 1,
        "issue": 1,
    }
    assert gcd.query('SELECT name, founded, country, "desc", gcd_id FROM publisher') == [
        ("Marvel", 1939, "US", "Was Timely.", 78)
    ]
    [row] = gcd.query(
        "SELECT s.name, sort_name, language, volume, year_began, year_end, status, t.code, s.slug,"
        " issue_count FROM series s JOIN series_type t ON t.id = s.series_type_id"
    )
    assert row == (
        "Fantastic Four",
        "Fantastic Four",
        "en",
        1,
        1961,
        None,
        4,
        "single_issue",
        "fantastic-four-1961",
        1,
    )
    [row] = gcd.query(
        "SELECT number, i.name, cover_date, store_date, price, currency, upc, isbn, page, r.name, i.slug,"
        ' i.gcd_id, i."desc" FROM issue i JOIN age_rating r ON r.id = i.rating_id'
    )
    assert row == (
        "1",
        ["The Fantastic Four!"],
        date(1961, 11, 1),
        date(1961, 8, 8),
        Decimal("0.10"),
        "USD",
        "76194120111700111",
        "9781401207526",
        37,
        "Teen Plus",
        "fantastic-four-1961-1",
        1,
        "Four friends.",
    )
    assert gcd.query(
        "SELECT c.name, array_agg(r.name ORDER BY r.name) FROM credit_role x"
        " JOIN creator c ON c.id = x.creator_id JOIN role r ON r.id = x.role_id GROUP BY 1 ORDER BY 1"
    ) == [("Jack Kirby", ["Cover", "Inker", "Penciller"]), ("Stan Lee", ["Editor", "Writer"])]
    assert gcd.query("SELECT name, alias, birth, gcd_id FROM creator ORDER BY name") == [
        ("Jack Kirby", [], None, 2),
        ("Stan Lee", ["Stanley Lieber"], date(1922, 12, 28), 1),
    ]
    assert gcd.query(
        "SELECT c.name, c.alias, t.name, u.name, u.designation, p.name FROM issue_character x"
        " JOIN character c ON c.id = x.character_id JOIN character_team m ON m.character_id = c.id"
        " JOIN team t ON t.id = m.team_id JOIN character_universe v ON v.character_id = c.id"
        " JOIN universe u ON u.id = v.universe_id JOIN publisher p ON p.id = u.publisher_id ORDER BY 1"
    ) == [
        ("Human Torch", ["Johnny Storm"], "Fantastic Four [FF]", "Mainstream", "Earth 616", "Marvel"),
        ("Thing", ["Ben Grimm"], "Fantastic Four [FF]", "Mainstream", "Earth 616", "Marvel"),
    ]
    assert gcd.query("SELECT g.name FROM series_genre x JOIN genre g ON g.id = x.genre_id ORDER BY 1") == [
        ("Adventure",),
        ("Super-Hero",),
    ]
    for table in ("issue_team", "issue_arc", "issue_universe"):
        assert gcd.one(f"SELECT count(*) FROM {table}") == 1
    assert gcd.query("SELECT source, url FROM attribution ORDER BY url") == [
        ("G", f"https://www.comics.org/{address}/")
        for address in (
            *("character/1", "character/2", "creator/1", "creator/2", "group/1", "issue/1", "publisher/78"),
            *("series/1", "story_arc/1", "universe/1"),
        )
    ]
    assert gcd.query(
        "SELECT kind, type, user_id, reason, count(*) FROM history WHERE reason IS NOT NULL"
        " GROUP BY 1, 2, 3, 4 ORDER BY 1"
    ) == [
        (kind, "+", None, "Grand Comics Database", number)
        for kind, number in (
            ("arc", 1),
            ("character", 2),
            ("creator", 2),
            ("issue", 1),
            ("publisher", 1),
            ("series", 1),
            ("team", 1),
            ("universe", 1),
        )
    ]
    assert gcd.one("SELECT count(*) FROM change_log WHERE action = 'create'") == 10


def test_importing_it_again_changes_nothing(gcd):
    gcd.take(small())
    before = gcd.everything()
    outcome, listed = gcd.take(small())
    assert (+outcome.new, +outcome.changed, listed) == ({}, {}, {})
    assert outcome.unchanged["issue"] == 1
    after = gcd.everything()
    for table in ("gcd_import", "epoch"):
        before.pop(table), after.pop(table)
    assert after == before
