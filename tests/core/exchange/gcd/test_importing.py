"""Import of dumps of the Grand Comics Database: stored rows, the report, and updates from newer dumps."""

import csv
import signal
import subprocess
import sys
from datetime import date
from decimal import Decimal

import pytest
from sqlalchemy import select

from comicsdb.catalog import Catalog
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.exchange.gcd import dump, plan
from comicsdb.exchange.gcd.importing import AnotherImportError, import_dump
from comicsdb.exchange.gcd.importing import Importer as GcdImporter
from comicsdb.exchange.gcd.plan import Choices
from comicsdb.models import Character, Creator, Issue, Publisher, Series, Universe
from tests.gcd_dump import GcdDump
from tests.importer import Importer


class Gcd(Importer):
    """Imports dumps into a catalog of its own."""

    def take(self, rows: GcdDump, choices: Choices | None = None, **more):
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
        return outcome, {rule: sorted(rows) for rule, rows in found.items()}


@pytest.fixture
def gcd(database, tmp_path):
    """An importer of dumps into an empty catalog."""
    gcd = Gcd(database, tmp_path)
    yield gcd
    gcd.close()


def beginning() -> GcdDump:
    """A dump with languages, countries and a publisher."""
    made = GcdDump()
    made.add("stddata_country", id=225, code="us", name="United States")
    made.add("stddata_country", id=106, code="it", name="Italy")
    made.add("stddata_language", id=25, code="en", name="English")
    made.add("stddata_language", id=51, code="it", name="Italian")
    made.add("gcd_publisher", id=78, name="Marvel", year_began=1939, country_id=225, notes="Was Timely.")
    return made


def series(made: GcdDump, name="Fantastic Four", **values) -> int:
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


def issue(made: GcdDump, series_id: int, number="1", **values) -> int:
    """Add an issue."""
    place = len(made.rows["gcd_issue"])
    given = {"number": number, "series_id": series_id, "key_date": "1961-11-00", "sort_code": place}
    return made.add("gcd_issue", **(given | values))


def creator(made: GcdDump, name: str, *others: str, **values) -> int:
    """Add a creator with names; returns the id of the official name, by which credits refer to it."""
    creator_id = made.add("gcd_creator", gcd_official_name=name, **values)
    official = made.add("gcd_creator_name_detail", name=name, creator_id=creator_id, is_official_name=1)
    for other in others:
        made.add("gcd_creator_name_detail", name=other, creator_id=creator_id)
    return official


def small() -> GcdDump:
    """A dump of one issue that uses all kinds of data."""
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
    born = made.add("stddata_date", year="1917", month="08", day="28", day_uncertain=1)
    kirby = creator(made, "Jack Kirby", birth_date_id=born)
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
    assert gcd.query("SELECT name, alias, birth, birth_precision, gcd_id FROM creator ORDER BY name") == [
        ("Jack Kirby", [], date(1917, 8, 1), "month", 2),
        ("Stan Lee", ["Stanley Lieber"], date(1922, 12, 28), "day", 1),
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


# Difficult values.


def numbers(gcd) -> list[tuple]:
    """The issues as number, other number and id at GCD."""
    return gcd.query("SELECT number, alt_number, gcd_id FROM issue ORDER BY gcd_id")


def test_numbers_of_issues(gcd):
    made = beginning()
    home, alone, volumes = series(made), series(made, "Alone"), series(made, "Volumes")
    for number in ("[nn]", "5 (7)", "[5]", "5", "1 [2]", "69 / 9", "4/2009", "½", "-1", "1 [Direct]"):
        issue(made, home, number)
    issue(made, alone, "[nn]")
    for volume in ("1", "2"):
        issue(made, volumes, "1", volume=volume, display_volume_with_number=1)
    issue(made, volumes, "[nn]")
    issue(made, volumes, "A number that is far too long")
    _, listed = gcd.take(made)
    assert numbers(gcd) == [
        ("5", "", 4),
        ("1", "2", 5),
        ("69", "9", 6),
        ("4/2009", "", 7),
        ("½", "", 8),
        ("-1", "", 9),
        ("1", "", 11),
        ("v1#1", "", 12),
        ("v2#1", "", 13),
    ]
    assert listed == {
        "unnumbered": [("issue", 1, "number"), ("issue", 14, "number")],
        "number-words": [("issue", 10, "number")],
        "number-too-long": [("issue", 15, "number")],
        "number-clash": [("issue", 2, "number"), ("issue", 3, "number"), ("issue", 10, "number")],
    }


def test_dates_are_as_precise_as_they_are_known(gcd):
    made = beginning()
    home = series(made)
    for number, (key, sale, uncertain) in enumerate(
        (
            ("1963-09-00", "", 0),
            ("1962-00-00", "", 0),
            ("", "2009-05", 0),
            ("", "????-05", 0),
            ("2001-02-30", "2001-02-28", 1),
            ("1896-02-16", "", 0),
        ),
        1,
    ):
        issue(
            made,
            home,
            str(number),
            key_date=key,
            on_sale_date=sale,
            on_sale_date_uncertain=uncertain,
            sort_code=number,
        )
    for _ in range(2):
        outcome, listed = gcd.take(made)
        assert gcd.query(
            "SELECT cover_date, cover_date_precision, store_date FROM issue ORDER BY number"
        ) == [
            (date(1963, 9, 1), "month", None),
            (date(1962, 1, 1), "year", None),
            (date(2009, 5, 1), "month", None),
            (date(1961, 1, 1), "none", None),
            (date(2001, 2, 28), "day", None),
            (date(1961, 1, 1), "none", None),
        ]
        assert listed == {
            "date-impossible": [("issue", 5, "cover_date")],
            "date-too-early": [("issue", 6, "cover_date")],
        }
        assert not +outcome.changed
    made.change("gcd_issue", 4, key_date="1961-12-00")
    made.change("gcd_issue", 1, key_date="")
    gcd.take(made)
    assert gcd.query("SELECT cover_date, cover_date_precision FROM issue ORDER BY number LIMIT 4") == [
        (date(1961, 1, 1), "none"),
        (date(1962, 1, 1), "year"),
        (date(2009, 5, 1), "month"),
        (date(1961, 12, 1), "month"),
    ]


def test_variants_belong_to_the_issue_of_their_series(gcd):
    made = beginning()
    home, other = series(made), series(made, "Other")
    base = issue(made, home)
    issue(made, home, variant_of_id=base, variant_name="Direct", price="0.35 USD", barcode="123456789012")
    for place in range(50):
        issue(made, home, variant_of_id=base, variant_name=f"Cover {place}")
    issue(made, other, variant_of_id=base, variant_name="Elsewhere")
    deleted = issue(made, home, "2", deleted=1)
    issue(made, home, "2", variant_of_id=deleted, variant_name="Of nothing")
    _, listed = gcd.take(made)
    assert numbers(gcd) == [("1", "", base)]
    assert gcd.one("SELECT count(*) FROM variant") == 51
    assert gcd.query("SELECT name, price, currency, upc, image FROM variant ORDER BY id LIMIT 1") == [
        ("Direct", Decimal("0.35"), "USD", "123456789012", "")
    ]
    assert listed == {"variant-base": [("issue", 53, "variants"), ("issue", 55, "variants")]}


def test_series_with_equal_names_get_volumes_by_age_and_types_by_their_form(gcd):
    made = beginning()
    for year, form in (
        (1998, "was ongoing series"),
        (1961, "was ongoing series"),
        (1996, "limited series"),
        (2001, ""),
    ):
        series(made, year_began=year, year_ended=year + 1, is_current=0, publishing_format=form)
    series(made, "Annual", is_current=0, year_ended=1970, publishing_format="annual")
    series(made, "Books", publishing_format="collected edition", language_id=51)
    series(made, "Cards", is_comics_publication=0)
    series(made, "Of nobody", publisher_id=99)
    _, listed = gcd.take(made)
    assert gcd.query(
        "SELECT s.name, year_began, year_end, volume, code, status, language, collection FROM series s"
        " JOIN series_type t ON t.id = s.series_type_id ORDER BY s.gcd_id"
    ) == [
        ("Fantastic Four", 1998, 1999, 2, "single_issue", 2, "en", False),
        ("Fantastic Four", 1961, 1962, 1, "single_issue", 2, "en", False),
        ("Fantastic Four", 1996, 1997, 1, "limited_series", 2, "en", False),
        ("Fantastic Four", 2001, 2002, 3, "single_issue", 2, "en", False),
        ("Annual", 1961, None, 1, "annual", 2, "en", False),
        ("Books", 1961, None, 1, "trade_paperback", 4, "it", True),
    ]
    assert listed == {
        "cancelled": [("series", 1, "status"), ("series", 2, "status")],
        "series-type": [("series", 4, "series_type")],
        "binding": [("series", 6, "series_type")],
    }


def test_imprints_are_brands_on_nearly_all_issues(gcd):
    made = beginning()
    other = made.add("gcd_publisher", name="DC", country_id=225)
    groups = [
        made.add("gcd_brand_group", name=name, parent_id=parent)
        for name, parent in (("Epic", 78), ("Marvel", 78), ("Vertigo", other), ("MAX", 78))
    ]
    for group in groups:
        made.add("gcd_brand_emblem_group", brand_id=group, brandgroup_id=group)
    for name, brands in (("A", (1,)), ("B", (2,)), ("C", (3,)), ("D", (1, 4)), ("E", (1, 2)), ("F", ())):
        home = series(made, name)
        for number in range(5):
            each = issue(made, home, str(number))
            for brand in brands if number else ():  # 4 of 5 issues
                made.add("gcd_issue_brand_emblem", issue_id=each, brand_id=brand)
    _, listed = gcd.take(made)
    assert gcd.query(
        "SELECT s.name, i.name FROM series s LEFT JOIN imprint i ON i.id = s.imprint_id ORDER BY 1"
    ) == [("A", "Epic"), ("B", None), ("C", None), ("D", None), ("E", "Epic"), ("F", None)]
    assert gcd.query("SELECT gcd_id FROM imprint") == [(1,)]
    assert listed == {"imprint": [("series", 3, "imprint"), ("series", 4, "imprint")]}


def test_countries_that_are_none_and_universes_of_nobody(gcd):
    made = beginning()
    made.add("stddata_country", id=5, code="yu", name="Yugoslavia")
    made.add("gcd_publisher", id=2, name="Dečje novine", country_id=5)
    first = issue(made, series(made, publisher_id=2, country_id=5))
    story = made.add("gcd_story", issue_id=first, type_id=19)
    for _ in range(2):
        universe = made.add("gcd_universe", multiverse="Valiant")
        made.add("gcd_story_universe", story_id=story, universe_id=universe)
    _, listed = gcd.take(made)
    assert gcd.query("SELECT name, slug, country FROM publisher") == [("Dečje novine", "decje-novine", "")]
    assert gcd.query("SELECT name, publisher_id, gcd_id FROM universe") == [("Valiant", None, 1)]
    assert listed == {
        "country": [("publisher", 2, "country")],
        "universe-publisher": [("universe", 1, "publisher"), ("universe", 2, "publisher")],
        "universe-clash": [("universe", 2, "")],
    }


def test_credits_that_are_not_certain_are_listed(gcd):
    made = beginning()
    first = issue(made, series(made))
    story = made.add(
        "gcd_story",
        issue_id=first,
        type_id=19,
        inks="Dick Ayers ? (credited); ?",
        letters="typeset",
        script="Stan Lee [as Stanley Lieber]",
    )
    lee, nobody = creator(made, "Stan Lee", "Stanley Lieber"), creator(made, "typeset")
    given = {"story_id": story}
    made.add("gcd_story_credit", creator_id=lee + 1, credit_type_id=1, credit_name="plot", **given)
    made.add("gcd_story_credit", creator_id=lee, credit_type_id=2, uncertain=1, **given)
    made.add("gcd_story_credit", creator_id=nobody, credit_type_id=5, **given)
    made.add("gcd_story_credit", creator_id=99, credit_type_id=4, **given)
    made.add("gcd_story_credit", creator_id=lee, credit_type_id=6, credit_name="whatever", **given)
    _, listed = gcd.take(made)
    assert gcd.query(
        "SELECT c.name, r.name FROM credit_role x JOIN creator c ON c.id = x.creator_id"
        " JOIN role r ON r.id = x.role_id ORDER BY 2"
    ) == [("Stan Lee", "Editor"), ("Stan Lee", "Plot")]
    assert gcd.query("SELECT name FROM creator") == [("Stan Lee",)]
    assert listed == {
        "missing-name": [("issue", 1, "credits")],
        "uncertain-credit": [("issue", 1, "credits")],
        "qualifier": [("issue", 1, "credits")],
        "text-credits": [("issue", 1, "credits: inks")],
    }


def test_reprints_and_bonds_link_what_is_here(gcd):
    made = beginning()
    one, two = series(made), series(made, "Renamed")
    first, second = issue(made, one), issue(made, two)
    variant = issue(made, two, variant_of_id=second)
    ad = made.add("gcd_story", issue_id=second, type_id=2)
    third = issue(made, two, "3")
    made.add("gcd_reprint", origin_issue_id=first, target_issue_id=variant)
    made.add("gcd_reprint", origin_issue_id=second, target_issue_id=variant)  # the issue itself
    made.add("gcd_reprint", origin_issue_id=third, target_issue_id=second, target_id=ad)
    made.add("gcd_reprint", origin_issue_id=third, target_issue_id=999)
    made.add("gcd_series_bond", origin_id=one, target_id=two, bond_type_id=1)
    made.add("gcd_series_bond", origin_id=two, target_id=one, bond_type_id=4)
    outcome, listed = gcd.take(made)
    assert listed == {}
    assert (outcome.new["reprints"], outcome.new["associated"]) == (1, 1)
    assert gcd.query(
        "SELECT a.gcd_id, b.gcd_id FROM issue_reprint r JOIN issue a ON a.id = r.issue_id"
        " JOIN issue b ON b.id = r.reprint_id ORDER BY 1"
    ) == [(first, second), (second, first)]
    assert gcd.one("SELECT count(*) FROM series_associated") == 2
    assert gcd.one("SELECT count(*) FROM change_log WHERE fields = '{reprints}'") == 2


def test_reprints_and_bonds_of_what_was_merged_here_link_what_it_was_merged_into(gcd):
    made = beginning()
    one, two, same = series(made), series(made, "Renamed"), series(made, "Renamed too")
    first, second, third = issue(made, one), issue(made, two), issue(made, same, "2")
    gcd.take(made)
    with gcd.factory() as session:
        catalog = Catalog(session, 1)
        for model, kept, merged in ((Series, two, same), (Issue, second, third)):
            pair = (session.scalar(select(model).where(model.gcd_id == each)) for each in (kept, merged))
            merge(catalog, *pair)
        session.commit()
    made.add("gcd_reprint", origin_issue_id=first, target_issue_id=third)
    made.add("gcd_reprint", origin_issue_id=second, target_issue_id=third)  # the issue itself now
    made.add("gcd_series_bond", origin_id=one, target_id=same, bond_type_id=1)
    outcome, _ = gcd.take(made)
    assert (outcome.new["reprints"], outcome.new["associated"]) == (1, 1)
    for kind, table, other, pair in (
        ("issue", "issue_reprint", "reprint_id", (first, second)),
        ("series", "series_associated", "associated_id", (one, two)),
    ):
        assert gcd.query(
            f"SELECT a.gcd_id, b.gcd_id FROM {table} x JOIN {kind} a ON a.id = x.{kind}_id"
            f" JOIN {kind} b ON b.id = x.{other} ORDER BY 1"
        ) == [pair, pair[::-1]]


def test_arcs_of_variants_are_those_of_their_issue(gcd):
    made = beginning()
    base = issue(made, series(made))
    variant = issue(made, 1, variant_of_id=base, variant_name="Foil")
    stray = issue(made, series(made, "Other"), variant_of_id=base)
    for number, name in ((base, "Low Tide"), (variant, "Low Tide"), (variant, "High Tide"), (stray, "Ebb")):
        known = {each["name"]: each["id"] for each in made.rows["gcd_story_arc"]}
        arc = known.get(name) or made.add("gcd_story_arc", name=name)
        story = made.add("gcd_story", issue_id=number, type_id=19)
        made.add("gcd_story_story_arc", story_id=story, storyarc_id=arc)
    gcd.take(made)
    assert gcd.query(
        "SELECT i.gcd_id, a.name FROM issue_arc x JOIN issue i ON i.id = x.issue_id"
        " JOIN arc a ON a.id = x.arc_id ORDER BY 2"
    ) == [(base, "High Tide"), (base, "Low Tide")]


# Choices.


@pytest.mark.parametrize(
    ("choices", "names"),
    [
        (Choices(), {"A", "B", "C"}),
        (Choices(languages=frozenset({"it"})), {"B"}),
        (Choices(countries=frozenset({"us"})), {"A", "C"}),
        (Choices(publishers=frozenset({"marvel"})), {"A", "B"}),
        (Choices(publishers=frozenset({"1", "78"})), {"A", "B", "C"}),
        (Choices(years=(1965, 1970)), {"A", "C"}),
        (Choices(years=(None, 1949)), set()),
        (Choices(years=(1956, 1960)), {"C"}),
        (Choices(non_comics=True), {"A", "B", "C", "D"}),
    ],
)
def test_only_what_was_chosen_is_planned(choices, names, tmp_path):
    made = beginning()
    made.add("gcd_publisher", id=1, name="DC")
    series(made, "A")
    series(made, "B", year_began=1950, year_ended=1955, is_current=0, language_id=51, country_id=106)
    series(made, "C", year_began=1950, year_ended=1966, is_current=0, publisher_id=1)
    series(made, "D", is_comics_publication=0)
    with dump.open_dump(made.sqlite(tmp_path / "dump.db"), tmp_path) as source:
        found = {each.id for each in plan.plan_series(source, choices)}
        assert {
            name
            for (identifier, name) in source.rows("SELECT id, name FROM gcd_series")
            if identifier in found
        } == names


@pytest.mark.parametrize(
    ("text", "years"),
    [("1961", (1961, 1961)), ("1961-1970", (1961, 1970)), ("1961-", (1961, None)), ("-1970", (None, 1970))],
)
def test_years(text, years):
    assert plan.read_years(text) == years


@pytest.mark.parametrize("text", ["", "-", "sixties", "1970-1961"])
def test_years_that_are_none_are_refused(text):
    with pytest.raises(plan.ChoiceError, match="--years"):
        plan.read_years(text)


def test_a_dry_run_stores_nothing(gcd):
    before = gcd.everything()
    outcome, listed = gcd.take(small(), dry_run=True)
    assert (outcome.new["issue"], outcome.new["creator"], listed) == (1, 2, {})
    assert gcd.everything() == before
    assert "Nothing was stored." in outcome.lines()


# A newer dump.


def edit(gcd, gcd_id: int, **values) -> None:
    """Edit an issue like a user of the site."""
    with gcd.factory() as session:
        found = session.scalar(select(Issue).where(Issue.gcd_id == gcd_id))
        Catalog(session, 1).update(found, values)
        session.commit()


def test_a_newer_dump_changes_what_nobody_has_edited(gcd):
    made = small()
    gcd.take(made)
    edit(gcd, 1, page=40, desc="Mine.")
    made.change("gcd_issue", 1, page_count=37, price="0.15 USD", rating="")
    made.change("gcd_creator", 1, gcd_official_name="Stan Lee!")
    kirby = 3  # the id of the name
    made.rows["gcd_story_credit"] = [
        each for each in made.rows["gcd_story_credit"] if each["creator_id"] != kirby
    ]
    made.add("gcd_issue", number="2", series_id=1, sort_code=9, key_date="1962-01-00")
    outcome, listed = gcd.take(made)
    assert outcome.new == {"issue": 1}
    assert +outcome.changed == {"issue": 1, "creator": 1}
    assert gcd.query(
        'SELECT page, price, r.name, "desc" FROM issue i JOIN age_rating r ON r.id = rating_id'
        " ORDER BY number"
    ) == [
        (40, Decimal("0.15"), "Unknown", "Mine."),
        (None, None, "Unknown", ""),
    ]
    assert gcd.one("SELECT name FROM creator WHERE gcd_id = 1") == "Stan Lee!"
    assert gcd.query("SELECT DISTINCT c.gcd_id FROM credit x JOIN creator c ON c.id = x.creator_id") == [(1,)]
    # The page count is not a conflict: 36.5 was rounded up to 37, so it has not changed at GCD.
    assert listed == {}


def test_a_newer_dump_gives_existing_objects_what_is_new_itself(gcd):
    made = small()
    gcd.take(made)
    home = made.rows["gcd_series"][0]["id"]
    first, story = made.rows["gcd_issue"][0]["id"], made.rows["gcd_story"][0]["id"]
    made.add("gcd_story_credit", creator_id=creator(made, "Dick Ayers"), credit_type_id=3, story_id=story)
    universe = made.add("gcd_universe", multiverse="Valiant", name="Unity")
    made.add("gcd_story_universe", story_id=story, universe_id=universe)
    team = made.add("gcd_group", name="Moloids")
    name = made.add("gcd_group_name_detail", name="Moloids", group_id=team, is_official_name=1)
    made.add("gcd_group_character", group_name_id=name, story_id=story)
    hero = made.add("gcd_character", name="Mole Man")
    name = made.add("gcd_character_name_detail", name="Mole Man", character_id=hero, is_official_name=1)
    made.add("gcd_story_character", character_id=name, story_id=story)
    made.add("gcd_story_story_arc", story_id=story, storyarc_id=made.add("gcd_story_arc", name="Below"))
    made.add("gcd_publisher", id=79, name="Timely", country_id=225)
    made.change("gcd_series", home, publisher_id=79)
    brand = made.add("gcd_brand_group", name="Atlas", parent_id=79)
    made.add("gcd_brand_emblem_group", brand_id=brand, brandgroup_id=brand)
    made.add("gcd_issue_brand_emblem", issue_id=first, brand_id=brand)
    outcome, listed = gcd.take(made)
    kinds = ("publisher", "imprint", "universe", "creator", "team", "character", "arc")
    assert outcome.new == dict.fromkeys(kinds, 1)
    assert +outcome.changed == {"series": 1, "issue": 1}
    assert listed == {"universe-publisher": [("universe", universe, "publisher")]}
    assert gcd.query(
        "SELECT p.name, i.name FROM series s JOIN publisher p ON p.id = s.publisher_id"
        " JOIN imprint i ON i.id = s.imprint_id"
    ) == [("Timely", "Atlas")]
    for kind, names in (
        ("character", ["Human Torch", "Mole Man", "Thing"]),
        ("team", ["Fantastic Four [FF]", "Moloids"]),
        ("universe", ["Mainstream", "Unity"]),
        ("arc", ["Below", "The Coming"]),
    ):
        linked = f"SELECT o.name FROM issue_{kind} x JOIN {kind} o ON o.id = x.{kind}_id ORDER BY 1"
        assert gcd.query(linked) == [(name,) for name in names]
    assert gcd.query("SELECT name FROM credit JOIN creator c ON c.id = creator_id ORDER BY 1") == [
        ("Dick Ayers",),
        ("Jack Kirby",),
        ("Stan Lee",),
    ]
    assert gcd.query("SELECT type, user_id, reason FROM history WHERE kind = 'issue' ORDER BY id") == [
        ("+", None, "Grand Comics Database"),
        ("~", None, "Grand Comics Database"),
    ]
    outcome, _ = gcd.take(made)
    assert (+outcome.new, +outcome.changed) == ({}, {})


def test_what_changed_here_and_at_gcd_is_listed_until_both_are_equal(gcd):
    made = small()
    gcd.take(made)
    edit(gcd, 1, page=40)
    made.change("gcd_issue", 1, page_count=50)
    for _ in range(2):  # the value kept here does not affect the next import
        outcome, listed = gcd.take(made)
        assert (+outcome.changed, listed) == ({}, {"changed-here": [("issue", 1, "page")]})
        assert gcd.one("SELECT page FROM issue") == 40
    made.change("gcd_issue", 1, page_count=40)
    assert gcd.take(made)[1] == {}


def test_an_import_after_another_change_does_not_take_edits_for_its_own(gcd):
    made = small()
    gcd.take(made)
    edit(gcd, 1, page=40)
    made.change("gcd_issue", 1, price="0.15 USD")
    gcd.take(made)  # writes a snapshot that includes the edit
    made.change("gcd_issue", 1, page_count=50)
    _, listed = gcd.take(made)
    assert listed == {"changed-here": [("issue", 1, "page")]}
    assert gcd.one("SELECT page FROM issue") == 40


def test_variants_keep_their_pictures_when_others_come(gcd):
    made = beginning()
    base = issue(made, series(made))
    issue(made, 1, variant_of_id=base, variant_name="A")
    gcd.take(made)
    gcd.query("UPDATE variant SET image = 'variants/a.png'")
    issue(made, 1, variant_of_id=base, variant_name="B", price="1.00 USD")
    gcd.take(made)
    assert gcd.query("SELECT name, image, price FROM variant ORDER BY name") == [
        ("A", "variants/a.png", None),
        ("B", "", Decimal("1.00")),
    ]


def test_a_newer_dump_keeps_variants_to_which_people_added_something(gcd):
    made = beginning()
    base = issue(made, series(made))
    codes = {"Foil": "123456789012", "Old": "333", "Shop": "333", "Mine": "", "Plain": ""}
    for name, code in codes.items():
        issue(made, 1, variant_of_id=base, variant_name=name, barcode=code)
    twins = [issue(made, 1, variant_of_id=base, variant_name="Twin", barcode=code) for code in ("111", "222")]
    gcd.take(made)
    gcd.query(
        "UPDATE variant SET image = CASE WHEN name IN ('Foil', 'Old') OR upc = '222' THEN upc || '.png'"
        " ELSE '' END, sku = CASE name WHEN 'Shop' THEN 'AUG200002' ELSE '' END"
    )
    gcd.query(
        "INSERT INTO user_account (username, email, password) VALUES ('reader', 'reader@example.org', '')"
    )
    gcd.query(
        "INSERT INTO collection_item (user_id, issue_id, variant_id)"
        " SELECT (SELECT id FROM user_account WHERE username = 'reader'), issue_id, id FROM variant"
        " WHERE name = 'Mine'"
    )
    foil, *gone = (
        each["id"] for each in made.rows["gcd_issue"] if each["variant_of_id"] and each["id"] not in twins
    )
    made.change("gcd_issue", foil, variant_name="Foil Cover")  # has its barcode still
    made.rows["gcd_issue"] = [each for each in made.rows["gcd_issue"] if each["id"] not in gone]
    made.change("gcd_issue", twins[0], sort_code=90)  # after the other
    for number in (1, 2):
        outcome, listed = gcd.take(made)
        assert +outcome.changed == ({"issue": 1} if number == 1 else {})
        assert listed == {"variant-kept": [("issue", base, "variants")] * 3}
        assert gcd.query("SELECT name, upc, image, sku FROM variant ORDER BY name, upc") == [
            ("Foil Cover", "123456789012", "123456789012.png", ""),
            ("Mine", "", "", ""),
            ("Old", "333", "333.png", ""),
            ("Shop", "333", "", "AUG200002"),
            ("Twin", "111", "", ""),
            ("Twin", "222", "222.png", ""),
        ]
        assert gcd.query("SELECT v.name FROM collection_item JOIN variant v ON v.id = variant_id") == [
            ("Mine",)
        ]
    issue(made, 1, variant_of_id=base, variant_name="New", barcode="333")  # of which of them?
    assert gcd.take(made)[0].changed == {"issue": 1}
    assert gcd.query("SELECT image FROM variant WHERE name IN ('New', 'Old') ORDER BY name") == [
        ("",),
        ("333.png",),
    ]


def test_what_was_deleted_or_merged_here_does_not_come_back(gcd):
    made = small()
    gcd.take(made)
    with gcd.factory() as session:
        catalog = Catalog(session, 1)
        catalog.delete(session.scalar(select(Character).where(Character.name == "Thing")))
        lee, kirby = session.scalars(select(Creator).order_by(Creator.gcd_id)).all()
        merge(catalog, lee, kirby)
        session.commit()
    outcome, listed = gcd.take(made)
    assert (+outcome.new, listed.pop("deleted-here")) == ({}, [("character", 1, "")])
    assert gcd.query("SELECT name FROM character") == [("Human Torch",)]
    assert gcd.query("SELECT name FROM creator") == [("Stan Lee",)]


def test_what_was_here_before_gets_its_gcd_id_alone(gcd):
    with gcd.factory() as session:
        catalog = Catalog(session, 1)
        publisher = catalog.create(Publisher, {"name": "Marvel", "founded": 1939})
        one = catalog.create(
            Series,
            {
                "name": "Fantastic Four",
                "sort_name": "Fantastic Four",
                "volume": 1,
                "year_began": 1961,
                "series_type": 13,
                "publisher": publisher.id,
            },
        )
        catalog.create(
            Issue, {"series": one.id, "number": "1", "cover_date": date(1961, 11, 1), "rating": 1, "page": 10}
        )
        catalog.create(Creator, {"name": "Stan Lee"})
        session.commit()
    outcome, listed = gcd.take(small())
    assert listed["matched"] == [("issue", 1, ""), ("publisher", 78, ""), ("series", 1, "")]
    assert gcd.query("SELECT page, gcd_id FROM issue") == [(10, 1)]
    assert gcd.query("SELECT gcd_id FROM creator WHERE name = 'Stan Lee' ORDER BY id") == [(None,), (1,)]
    assert gcd.one("SELECT count(*) FROM attribution WHERE issue_id IS NOT NULL") == 0
    assert outcome.changed == {"publisher": 1, "series": 1, "issue": 1}


def test_what_was_here_before_is_only_one_of_those_with_equal_names(gcd):
    with gcd.factory() as session:
        catalog = Catalog(session, 1)
        publisher = catalog.create(Publisher, {"name": "Marvel"})
        catalog.create(Universe, {"name": "Valiant"})
        values = {"name": "Fantastic Four", "sort_name": "Fantastic Four", "year_began": 1961, "volume": 1}
        catalog.create(Series, values | {"series_type": 13, "publisher": publisher.id})
        session.commit()
    made = beginning()
    made.add("gcd_publisher", id=79, name="Marvel", country_id=225)
    one, two, other = series(made), series(made), series(made, publisher_id=79)
    for each in (one, two, other):
        story = made.add("gcd_story", issue_id=issue(made, each), type_id=19)
        universe = made.add("gcd_universe", multiverse="Valiant")
        made.add("gcd_story_universe", story_id=story, universe_id=universe)
    _, listed = gcd.take(made)
    assert listed["matched"] == [("publisher", 78, ""), ("series", one, ""), ("universe", 1, "")]
    assert listed["universe-clash"] == [("universe", 2, ""), ("universe", 3, "")]
    assert gcd.query("SELECT gcd_id FROM publisher ORDER BY id") == [(78,), (79,)]
    assert gcd.query(
        "SELECT s.gcd_id, volume, p.gcd_id, i.gcd_id FROM series s JOIN publisher p ON p.id = publisher_id"
        " JOIN issue i ON i.series_id = s.id ORDER BY s.id"
    ) == [(one, 1, 78, 1), (two, 2, 78, 2), (other, 1, 79, 3)]


# Stopped imports.

# Forks a process for each number of commits, so that the slow imports of modules run only once.
KILLED = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import create_engine, event
from comicsdb.db import session_factory
from comicsdb.exchange.gcd import plan
from comicsdb.exchange.gcd.importing import import_dump
from comicsdb.exchange.gcd.plan import Choices

plan.PIECE_SERIES = 40
url, path, report = sys.argv[1:]

def count(_connection):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

for commits in sys.stdin:
    if not os.fork():
        left = int(commits)
        engine = create_engine(url)
        event.listen(engine, "commit", count)
        with session_factory(engine)() as session:
            import_dump(session, Path(path), Choices(), working=Path(path).parent, report=Path(report))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


def test_a_killed_import_goes_on_where_it_was(gcd, database, monkeypatch):
    monkeypatch.setattr(plan, "PIECE_SERIES", 40)
    made = beginning()
    for number in range(81):
        home = series(made, f"Series {number}", publishing_format="")
        issue(made, home)
    for origin, target in ((1, 70), (2, 50)):
        made.add("gcd_reprint", origin_issue_id=origin, target_issue_id=target)
    path, report = made.sqlite(gcd.folder / "dump.db"), gcd.folder / "report.csv"
    done, pipe = [], subprocess.PIPE
    script = [sys.executable, "-u", "-c", KILLED, database, str(path), str(report)]
    with subprocess.Popen(script, stdin=pipe, stdout=pipe, text=True, bufsize=1) as process:
        for commits in (3, 1, 4):
            process.stdin.write(f"{commits}\n")
            assert int(process.stdout.readline()) == -signal.SIGKILL
            done += gcd.query("SELECT phase, position FROM gcd_import")
    assert done == [("series", 40), ("series", 80), ("reprints", 0)]
    outcome, listed = gcd.take(made)
    assert outcome.resumed
    assert (outcome.new["series"], outcome.new["issue"], outcome.new["reprints"]) == (81, 81, 2)
    assert gcd.one("SELECT count(*) FROM issue") == gcd.one("SELECT count(DISTINCT gcd_id) FROM issue") == 81
    assert gcd.one("SELECT count(*) FROM issue_reprint") == 4
    assert gcd.query("SELECT phase, finished IS NOT NULL FROM gcd_import") == [("done", True)]
    assert len(listed["series-type"]) == outcome.review.counts["series-type"] == 81
    assert gcd.one("SELECT count(*) FROM change_log WHERE action = 'create'") == 163


def test_two_imports_of_a_dump_do_not_mix(gcd):
    path = small().sqlite(gcd.folder / "dump.db")
    with gcd.factory() as one, gcd.factory() as other, dump.open_dump(path, gcd.folder) as source:
        first, second = (
            GcdImporter(session, source, Choices(), gcd.folder / "report.csv", dry_run=False, today=None)
            for session in (one, other)
        )
        listed = plan.plan_series(source, Choices())
        first.run(listed, lambda _number: None)
        with pytest.raises(AnotherImportError):
            second.run(listed, lambda _number: None)
    assert gcd.one("SELECT count(*) FROM issue") == 1
