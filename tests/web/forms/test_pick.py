"""Autocomplete: matches, ranking, access and limits; and the same choices without a script."""

import pytest

from tests.conftest import forget_limits, record_statements
from tests.web.conftest import labels, soup
from tests.web.forms.form_helpers import checkbox_labels, log_in_as, open_form, submit_form, value

ADDRESS = "/autocomplete/{}/items"


@pytest.fixture
def found(testapp, nora, wsgi):
    """`found(name, query)`: the texts that are offered, in order."""

    def asked(name, query):
        forget_limits(wsgi.registry["comicsdb.limiter"])
        answer = testapp.get(ADDRESS.format(name), {"q": query}).json
        assert answer["total"] == len(answer["results"])
        assert all(set(each) == {"id", "text", "note"} for each in answer["results"])
        return [f"{each['text']} | {each['note']}".removesuffix(" | ") for each in answer["results"]]

    return asked


def test_every_name_finds_what_its_search_fields_hold(found, world):
    assert found("publisher", "porto") == ["Harbor House | 1938"]
    assert found("imprint", "harb") == ["Little Harbor | Harbor House"]
    assert found("universe", "earth 7") == ["Prime — Earth 7 | Harbor House"]
    assert found("series", "LUCE") == ["Lamplight (2019) | Harbor House"]
    assert found("issue", "lamplight (2019) #103") == ["Lamplight (2019) #3 | 2019-07"]
    assert found("issue", "#3") == ["Lamplight (2019) #3 | 2019-07"]
    assert found("issue", "#") == []
    assert found("creator", "the line") == ["Ada Pencil | 1950–"]
    assert found("character", "wick") == ["Lamplighter | Wick"]
    assert found("team", "crew") == ["Night Crew"]
    assert found("arc", "dusk long") == ["The Long Dusk"]
    assert found("role", "INK") == ["Inker", "Ink Assists"]


RANKED = ["moon", "The Moon", "Moon Base", "Moonlight", "Half-Moon", "Fullmoon"]


@pytest.mark.parametrize("kind", ["publisher", "imprint", "universe", "creator", "character", "team", "arc"])
def test_the_best_match_comes_first(testapp, found, make, kind):
    """The exact name, even without its article, or an alias; names that begin with it; that contain it."""
    more = {
        "publisher": {"alt_names": ["Moon"]},
        "creator": {"alias": ["Moon"]},
        "character": {"alias": ["Moon"]},
        "universe": {"designation": "Moon"},
    }
    for name in reversed(RANKED):
        getattr(make, kind)(name=name)
    others = [getattr(make, kind)(name="A Satellite", **more[kind]).label] if kind in more else []
    expected = [*RANKED[:2], *others, *RANKED[2:]]
    assert [each.split(" | ")[0] for each in found(kind, " mOOn ")] == expected
    # Quick search has the same order.
    assert labels(testapp.get("/search/?q=moon"))[: len(expected)] == expected
    suggested = testapp.get("/search/?q=moon", headers={"X-Fragment": "1"}).text
    assert [each for each in expected if f"<span>{each}</span>" in suggested] == expected[: 4 + len(others)]


def test_words_in_any_order_come_after_the_words_as_typed(found, make):
    for name, alias in (
        ("Zed", ["Night Owl"]),
        ("Owl of Night", []),
        ("By Night Owl", []),
        ("Owl", ["Night"]),
    ):
        make.character(name=name, alias=alias)
    names = [each.split(" | ")[0] for each in found("character", "night owl")]
    assert names == ["Zed", "By Night Owl", "Owl of Night", "Owl"]


def test_series_and_issues_are_ranked_by_name_and_sort_name_of_the_series(found, make):
    names = [
        ("Wide Harbor", ""),
        ("Harborside", ""),
        ("The Harbor", "Harbor"),
        ("A Pier", ""),
        ("Harbor", ""),
    ]
    for name, sort_name in names:
        series = make.series(
            name=name, sort_name=sort_name or name, alt_names=["Harbor"] * (name == "A Pier")
        )
        for number in ("100", "7"):
            make.issue(series=series, number=number)
    expected = ["Harbor", "The Harbor", "A Pier", "Harborside", "Wide Harbor"]
    series = [each.split(" (")[0] for each in found("series", "harbor")]
    assert series == expected
    issues = [each.split(" (")[0] for each in found("issue", "harbor #7")]
    assert issues == expected
    by_number = [each.split(" | ")[0] for each in found("issue", "100")]
    assert len(by_number) == len(expected)
    assert by_number[0] == "A Pier (2020) #100"


def test_merges_offer_the_best_match_first(testapp, nora, make, session):
    nora.is_staff = nora.is_superuser = True
    session.commit()
    for name in reversed(RANKED):
        make.team(name=name)
    page = soup(testapp.get("/admin/merge/team/?find=moon"))
    offered = [each for each in page.find("main").stripped_strings if each in RANKED]
    assert list(dict.fromkeys(offered)) == RANKED


def test_a_search_costs_one_statement_and_one_for_the_labels(found, world, connection):
    for name, query in (
        ("series", "lamplight"),
        ("issue", "lamplight"),
        ("character", "lamp"),
        ("role", "ink"),
    ):
        with record_statements(connection) as statements:
            assert found(name, query)
        assert len([each for each in statements if "fold(" in each]) == 1, name
        assert len(statements) == (2 if name == "role" else 3), statements  # one loads the account


def test_too_little_and_wildcards_find_nothing(found, world):
    for query in ("", "ab", "  a ", "a\0", "%%%", "___", "\\\\\\"):
        assert found("creator", query) == [], query


def test_more_than_a_hundred_are_counted_but_not_sent(testapp, nora, make):
    role = make.role("Writer").id
    with make.single_commit():
        make.arc(name="Nothing of that")  # not counted
        for number in range(103):
            make.arc(name=f"Saga {number:03}")
    answer = testapp.get(ADDRESS.format("arc"), {"q": "saga"}).json
    assert (len(answer["results"]), answer["total"]) == (100, 103)
    form = open_form(testapp, "/issue/create/")
    page = submit_form(
        form, {"arcs-q": "saga", "credits-0-roles": [role]}, press=("find", "arcs"), status=200
    )
    assert "Showing 100 of 103" in soup(page).find(id="arcs").get_text()


def test_nobody_but_members_may_ask_and_not_too_often(testapp, make, wsgi):
    answer = testapp.get(ADDRESS.format("series"), {"q": "lamp"}, status=204)
    assert answer.headers["X-Location"] == "/accounts/login/"
    log_in_as(testapp, make)
    forget_limits(wsgi.registry["comicsdb.limiter"])
    testapp.get(ADDRESS.format("nonsense"), {"q": "lamp"}, status=404)
    for _ in range(20):
        testapp.get(ADDRESS.format("series"), {"q": "l"})
    answer = testapp.get(ADDRESS.format("series"), {"q": "lamp"}, status=429)
    assert 1 <= int(answer.headers["Retry-After"]) <= 10
    forget_limits(wsgi.registry["comicsdb.limiter"])


def test_without_a_script_a_button_finds_and_nothing_typed_is_lost(testapp, nora, world, make, session):
    form = open_form(testapp, "/team/create/")
    typed = {"name": "Crew", "creators-q": "Penc", "universes": [world.universe.id]}
    page = submit_form(form, typed, press=("find", "creators"), status=200)
    assert value(page, "name") == "Crew"
    assert value(page, "creators-q") == "Penc"
    assert checkbox_labels(page, "creators", ticked=False) == ["Ada Pencil 1950–", "Penc New creator"]
    assert checkbox_labels(page, "universes", ticked=True) == ["Prime — Earth 7 Harbor House"]
    page = submit_form(
        page,
        {"creators": [world.creator.id], "creators-q": "b"},
        press=("find", "creators"),
        status=200,
    )
    assert checkbox_labels(page, "creators", ticked=True) == ["Ada Pencil 1950–"]
    assert "Bo Brush" in checkbox_labels(page, "creators", ticked=False)
    page = submit_form(page, {"creators-q": "zzz"}, press=("find", "creators"), status=200)
    assert "Nothing matches “zzz”" in soup(page).find(id="creators").get_text()
    answer = submit_form(page).follow()
    assert "Ada Pencil" in answer


def test_rows_find_too_and_one_of_several_can_be_none(testapp, nora, world):
    form = open_form(testapp, f"/series/{world.series.slug}/update/")
    page = submit_form(form, {"imprint-q": "little"}, press=("find", "imprint"), status=200)
    assert checkbox_labels(page, "imprint") == ["Little Harbor Harbor House", "None"]
    page = submit_form(open_form(testapp, "/issue/create/"), press=("add", "credits"), status=200)
    page = submit_form(page, {"credits-0-roles-q": "write"}, press=("find", "credits-0-roles"), status=200)
    assert checkbox_labels(page, "credits-0-roles") == ["Writer"]
    for name in ("nonsense", "credits-9-roles", "number"):
        submit_form(page, press=("find", name), status=200)


def test_enter_saves_as_save_is_the_first_button_of_the_form(testapp, nora, world):
    for address in ("/issue/create/", f"/series/{world.series.slug}/update/"):
        buttons = soup(testapp.get(address)).select("form#edit button[type=submit]")
        assert buttons[0].get_text(strip=True) == "Save"
        assert not buttons[0].has_attr("name")
        names = {"find", "add", "copy", "place", "propose", "then", "save_draft"}
        assert {each["name"] for each in buttons[1:]} <= names
