"""The number of SQL statements of a page does not depend on the number of rows."""

import pytest

from comicsdb.models import CATALOG
from tests.conftest import record_statements
from tests.web.conftest import form_with, start_session

# Numbers of statements of pages; they do not depend on what the page shows.
LIST = 2  # rows and their number; the versions under which the number is cached
CHOICES = {"series": 2, "issue": 1}  # options of filters: types, languages
SUBLIST = 3  # those of a list, and the object to which the rows belong
DETAIL = 1
HOME = 1


@pytest.fixture
def count(testapp, connection):
    """The number of statements of an address if its page is not cached (see rendering/test_page_cache.py)."""

    def counted(address, **kw):
        testapp.set_cookie("messages", "some")  # bypasses the page cache
        with record_statements(connection) as statements:
            testapp.get(address, status=200, **kw)
        return len(statements), statements

    return counted


def enlarge(make, world):
    """Create many rows for every page of the small catalog."""
    with make.single_commit():
        for number in range(40):
            make.imprint(name=f"Imprint {number}", publisher=world.publisher)
        people = [make.creator(name=f"Hand {number}") for number in range(35)]
        crowd = [
            make.character(
                name=f"Face {number}", universes=[world.universe], teams=[world.team], creators=people[:5]
            )
            for number in range(35)
        ]
        teams = [make.team(name=f"Crew {number}", universes=[world.universe]) for number in range(5)]
        universes = [make.universe(name=f"World {number}", publisher=world.publisher) for number in range(5)]
        make.catalog.update(
            world.character, {"creators": [each.id for each in people], "teams": [t.id for t in teams]}
        )
        roles = [make.role("Writer").id, make.role("Inker").id]
        for number in range(12):
            series = make.series(name=f"Run {number}", publisher=world.publisher, associated=[world.series])
            make.issue(
                series=series,
                characters=[world.character, *crowd[:3]],
                teams=[world.team],
                universes=[world.universe],
                arcs=[world.arc],
                credits=[{"creator": world.creator.id, "roles": roles}],
            )
        make.catalog.update(
            world.first,
            {
                "characters": [each.id for each in crowd],
                "teams": [each.id for each in teams],
                "universes": [each.id for each in universes],
                "credits": [{"creator": each.id, "roles": roles} for each in people],
            },
        )
        make.session.commit()


def more_of_the_same(make, world):
    """Create more rows for blocks that already have some."""
    with make.single_commit():
        for number in range(20):
            make.issue(
                series=world.series,
                number=f"x{number}",
                characters=[world.character],
                teams=[world.team],
                universes=[world.universe],
                arcs=[world.arc],
                credits=[{"creator": world.creator.id, "roles": [make.role("Writer").id]}],
            )
            make.imprint(publisher=world.publisher)


def addresses(world):
    """Every kind of page with its number of statements."""
    objects = {
        model.__tablename__: getattr(
            world, "first" if model.__tablename__ == "issue" else model.__tablename__
        )
        for model in CATALOG
    }
    for kind, entity in objects.items():
        yield f"/{kind}/", LIST + CHOICES.get(kind, 0)
        yield f"/{kind}/search?q=a", LIST + CHOICES.get(kind, 0)
        yield f"/{kind}/{entity.slug}/", DETAIL
    for kind in ("arc", "character", "creator", "team", "universe", "series"):
        yield f"/{kind}/{objects[kind].slug}/issue_list/", SUBLIST
    for kind in ("publisher", "imprint"):
        yield f"/{kind}/{objects[kind].slug}/series_list/", SUBLIST
    yield "/", HOME


def test_no_page_costs_more_when_there_is_more_to_show(make, world, count):
    for add in (None, enlarge, more_of_the_same):
        if add is not None:
            add(make, world)
        for address, expected in addresses(world):
            number, statements = count(address)
            assert number == expected, f"{address} costs {number} after {add}\n{statements}"


def test_load_more_costs_the_same_on_every_step(make, world, count):
    with make.single_commit():
        people = [make.creator(name=f"Hand {number}") for number in range(35)]
        lines = [{"creator": each.id, "roles": [make.role("Writer").id]} for each in people]
        make.catalog.update(world.first, {"credits": lines})
    address = f"/issue/{world.first.slug}/credits/load-more/?offset="
    assert count(f"{address}0")[0] == count(f"{address}30")[0]


def test_quick_search_costs_two_statements_and_one_for_each_kind_with_results(make, world, count):
    assert count("/search/?q=lamplight")[0] == 2 + 3
    enlarge(make, world)
    assert count("/search/?q=a")[0] <= 2 + 9
    assert count("/search/?q=zzzzqqqq")[0] == 2 + 2  # similarity threshold; reading lists with similar names


def test_being_logged_in_costs_one_more(make, world, member, testapp, count):
    count("/publisher/")  # caches the number of rows
    before = count("/publisher/")[0]
    start_session(testapp, member)
    assert count("/publisher/")[0] == before + 1


def test_what_a_member_has_of_an_issue_costs_one_more(make, world, member, testapp, count):
    address = f"/issue/{world.first.slug}/"
    start_session(testapp, member)
    before = count(address)[0]
    assert before == DETAIL + 1 + 1
    form = form_with(testapp.get(address), id="track")
    fields = {"csrf_token": form["csrf_token"].value, "own": "1"}
    testapp.post(f"/track/{world.first.slug}/", fields)
    assert count(address)[0] == before


def test_what_needs_no_database_asks_none(count):
    for address in ("/health/", "/robots.txt", "/search/", "/static/x/css/base.css"):
        assert count(address)[0] == 0
