"""Lists: the contents of cards, their order, and pages."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import insert, update

from comicsdb.models import CATALOG, Creator, Issue
from tests.web.conftest import form_with, labels, soup

KINDS = [model.__tablename__ for model in CATALOG]


def foot(response, label):
    """The text at the foot of the card with this label."""
    card = next(each for each in soup(response).select(".card") if each.a and label in each.get_text())
    return " ".join(card.select_one(".card-foot").get_text(" ", strip=True).split())


def many(session, number, prefix="Filler"):
    """Insert creators as plain rows, which is faster than the factory."""
    rows = [{"name": f"{prefix} {each:03}", "slug": f"{prefix.lower()}-{each:03}"} for each in range(number)]
    session.execute(insert(Creator), rows)
    session.commit()


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_list_says_so(testapp, kind):
    page = soup(testapp.get(f"/{kind}/"))
    assert page.select_one(".list-count").get_text() == "0 results"
    assert page.select_one(".empty p").get_text() == "Nothing here yet."


def test_cards_tell_how_much_there_is(testapp, world):
    assert foot(testapp.get("/publisher/"), "Harbor House") == "2 series"
    assert foot(testapp.get("/imprint/"), "Little Harbor") == "1 series"
    assert foot(testapp.get("/universe/"), "Prime") == "1 issue"
    assert foot(testapp.get("/series/"), "Lamplight (2019)") == "Harbor House 3 issues"
    assert foot(testapp.get("/issue/"), "Lamplight (2019) #2") == "Harbor House Jun 2019"
    assert foot(testapp.get("/arc/"), "The Long Dusk") == "2 issues"
    assert foot(testapp.get("/team/"), "Night Crew") == "1 issue"
    assert foot(testapp.get("/character/"), "Lamplighter") == "2 issues"
    assert foot(testapp.get("/creator/"), "Ada Pencil") == "1 issue"


def test_nothing_is_counted_as_none(testapp, make):
    publisher = make.publisher(name="Empty")
    make.series(name="Hollow", publisher=publisher)
    make.imprint(name="Bare", publisher=publisher)
    make.team(name="Nobody")
    assert foot(testapp.get("/imprint/"), "Bare") == "0 series"
    assert foot(testapp.get("/series/"), "Hollow") == "Empty 0 issues"
    assert foot(testapp.get("/team/"), "Nobody") == "0 issues"


def test_numbers_have_separators(testapp, session):
    many(session, 1234)
    assert soup(testapp.get("/creator/")).select_one(".list-count").get_text() == "1,234 results"


def test_a_series_shows_the_cover_of_its_first_issue(testapp, make, world):
    make.issue(series=world.series, number="0", cover_date=date(2018, 1, 1))
    assert soup(testapp.get("/series/")).select_one(".card img") is None  # the new first issue has no cover
    make.issue(
        series=world.book,
        number="0",
        cover_date=date(2010, 1, 1),
        image="issue/2026/01/02/book.png",
        image_width=600,
        image_height=900,
    )
    assert soup(testapp.get("/series/")).select_one(".card img")["src"].endswith("book.png.webp")


def test_names_are_ordered_without_regard_to_case_and_accents(testapp, make):
    for name in ("zebra", "Éclair", "eclipse", "Apple", "apple"):
        make.arc(name=name)
    assert labels(testapp.get("/arc/")) == ["Apple", "apple", "Éclair", "eclipse", "zebra"]


def test_series_are_ordered_by_sort_name_and_year(testapp, make):
    publisher = make.publisher()
    for name, sort_name, year in (("The Bee", "Bee", 2001), ("Ant", "Ant", 2005), ("Ant", "Ant", 1999)):
        make.series(name=name, sort_name=sort_name, year_began=year, volume=year, publisher=publisher)
    assert labels(testapp.get("/series/")) == ["Ant (1999)", "Ant (2005)", "The Bee (2001)"]


def test_universes_of_one_name_are_ordered_by_designation(testapp, make):
    publisher = make.publisher()
    for designation in ("Earth 2", "Earth 1"):
        make.universe(name="Prime", designation=designation, publisher=publisher)
    assert labels(testapp.get("/universe/")) == ["Prime — Earth 1", "Prime — Earth 2"]


def test_issues_can_be_sorted_and_an_unknown_order_is_the_usual_one(testapp, session, world):
    usual = [
        "Lamplight (2019) #1",
        "Lamplight (2019) #2",
        "Lamplight (2019) #3",
        "Lamplight Collected TPB (2020) #1",
    ]
    assert labels(testapp.get("/issue/")) == usual
    assert labels(testapp.get("/issue/?sort=price;drop")) == usual
    assert labels(testapp.get("/issue/?sort=cover_new")) == usual[::-1]
    assert labels(testapp.get("/issue/?sort=cover_old")) == usual
    session.execute(update(Issue).where(Issue.id == world.second.id).values(created_on=datetime.now(UTC)))
    session.commit()
    assert labels(testapp.get("/issue/?sort=added"))[0] == "Lamplight (2019) #2"
    address = f"/character/{world.character.slug}/issue_list/"
    assert labels(testapp.get(address)) == usual[:2]
    assert labels(testapp.get(address, {"sort": "cover_new"})) == usual[1::-1]
    chosen = soup(testapp.get(address, {"sort": "cover_new"})).select_one("#sort option[selected]")
    assert chosen["value"] == "cover_new"


def test_the_sort_form_works_without_scripts_and_keeps_the_search(testapp, world):
    form = form_with(testapp.get("/issue/search?q=lamplight"), action="/issue/search", **{"class": "sort"})
    form["sort"] = "cover_new"
    response = form.submit()
    assert "q=lamplight" in response.request.query_string
    assert labels(response)[0] == "Lamplight Collected TPB (2020) #1"


def test_an_issue_is_new_for_two_days(testapp, make, session, wsgi):
    zone = wsgi.registry.settings["comicsdb.timezone"]
    today = datetime.now(zone).replace(hour=12)
    issues = [make.issue() for _ in range(3)]
    for issue, days in zip(issues, (0, 1, 2), strict=True):
        moment = min(today - timedelta(days=days), datetime.now(UTC))
        session.execute(update(Issue).where(Issue.id == issue.id).values(created_on=moment))
    session.commit()
    cards = soup(testapp.get("/issue/?sort=added")).select(".card")
    assert [each.select_one(".tag-new") is not None for each in cards] == [True, True, False]


def test_lists_come_in_pages_of_28(testapp, session):
    many(session, 60)
    first = testapp.get("/creator/")
    assert labels(first) == [f"Filler {each:03}" for each in range(28)]
    assert labels(testapp.get("/creator/?page=2")) == [f"Filler {each:03}" for each in range(28, 56)]
    assert labels(testapp.get("/creator/?page=last")) == [f"Filler {each:03}" for each in range(56, 60)]
    links = [each["href"] for each in soup(first).select(".pagination a")]
    assert links == ["/creator/", "/creator/?page=2", "/creator/?page=3", "/creator/?page=2"]


@pytest.mark.parametrize("page", ["0", "-1", "3", "two", "", "1.5", "²", "9" * 400, "LAST", "1e1"])
def test_a_page_beyond_the_end_or_none_at_all_is_not_found(testapp, session, page):
    many(session, 29)
    testapp.get("/creator/", {"page": page}, status=404)


def test_page_links_keep_the_parameters_that_the_list_reads(testapp, session):
    many(session, 40)
    page = soup(testapp.get("/creator/search?q=filler+0&utm=a%26b"))
    assert page.select_one('.pagination a[rel="next"]')["href"] == "/creator/search?q=filler+0&page=2"


def test_far_pages_are_left_out_of_the_pagination(testapp, session):
    many(session, 28 * 12)
    page = soup(testapp.get("/creator/?page=6"))
    shown = [each.get_text(" ", strip=True).replace("Page ", "") for each in page.select(".pagination li")]
    assert shown == ["1", "…", "4", "5", "6", "7", "8", "…", "12"]
    assert page.select_one('.pagination [aria-current="page"]').get_text(strip=True).endswith("6")


def test_sublists_show_what_belongs_to_one_object(testapp, make, world):
    other = make.series(name="Elsewhere")
    make.issue(series=other)
    mine = ["Lamplight (2019)", "Lamplight Collected TPB (2020)"]
    assert labels(testapp.get(f"/publisher/{world.publisher.slug}/series_list/")) == mine
    assert labels(testapp.get(f"/imprint/{world.imprint.slug}/series_list/")) == mine[:1]
    first = ["Lamplight (2019) #1"]
    for entity, expected in (
        (world.arc, [*first, "Lamplight (2019) #2"]),
        (world.character, [*first, "Lamplight (2019) #2"]),
        (world.creator, first),
        (world.team, first),
        (world.universe, first),
        (world.series, [*first, "Lamplight (2019) #2", "Lamplight (2019) #3"]),
    ):
        address = f"/{entity.__tablename__}/{entity.slug}/issue_list/"
        assert labels(testapp.get(address)) == expected, address


def test_the_issues_of_an_object_within_one_series(testapp, make, world):
    make.issue(series=make.series(), characters=[world.character])
    for entity, number in ((world.character, 2), (world.creator, 1), (world.universe, 1)):
        response = testapp.get(f"/{entity.__tablename__}/{entity.slug}/{world.series.slug}/")
        assert len(labels(response)) == number
        assert "Lamplight (2019)" in soup(response).h1.get_text()
    testapp.get(f"/character/{world.character.slug}/no-such-series/", status=404)
    testapp.get(f"/character/nobody/{world.series.slug}/", status=404)
