"""Search: words in any order, regardless of case and accents, and similar names after typing errors."""

from xml.etree import ElementTree

import pytest

from comicsdb.catalog import search
from tests.lists import make_list
from tests.web.conftest import labels, soup


def found(testapp, kind, query):
    return labels(testapp.get(f"/{kind}/search", {"q": query}))


def groups(response):
    """The labels of a quick search by kind, in the order of the page."""
    page = soup(response)
    return {
        each.h2["id"].removeprefix("found-"): [
            card.get_text(strip=True) for card in each.select(".card-label")
        ]
        for each in page.select("section.block")
    }


def test_a_few_of_each_kind_are_suggested_while_somebody_types(testapp, session, make, world, member):
    with make.single_commit():
        for number in range(5):
            make.arc(name=f"Lamps {number}")
    make_list(session, member, name="Lamps out")
    make_list(session, member, name="Lamps hidden", is_private=True)

    def suggested(query):
        answer = testapp.get("/search/", {"q": query}, headers={"X-Fragment": "1"})
        (part,) = soup(answer).select("template")
        assert (part["data-target"], answer.vary[0]) == ("quick-found", "X-Fragment")
        return [
            (group["aria-label"], option.select("span")[-1].get_text(), option["href"])
            for group in part.select("[role=group]")
            for option in group.select("[role=option]")
        ]

    arcs = [("Story Arcs", f"Lamps {number}", f"/arc/lamps-{number}/") for number in range(5)]
    assert suggested("lamps") == [*arcs, ("Reading Lists", "Lamps out", "/reading-lists/lamps-out/")]
    assert suggested("zzzz qqqq") == suggested(" ") == []


def test_what_is_asked_for_alone_is_opened(testapp, make, world):
    make.issue(series=world.series, number="77", upc="75960608936907711", cv_id=4711)
    path = "/issue/lamplight-2019-77/"
    for query in ("75960608936907711", "7 59606 08936 9 07711", "lamplight 77", "cv 4711"):
        answer = testapp.get("/search/", {"q": query}, status=303)
        assert answer.location.endswith(path), query
        shown = testapp.get("/search/", {"q": query, "all": "1"}, status=200)
        assert groups(shown) == {"issue": ["Lamplight (2019) #77"]}, query
    foil = make.variant(world.second, name="Foil", upc="75960608936907721", sku="ZZ123456")
    place = f"/issue/lamplight-2019-2/#variant-{foil.id}"
    for query in (foil.upc, "7 59606 08936 9 07721", "zz123456", "UPC 75960608936907721"):
        assert testapp.get("/search/", {"q": query}, status=303).location.endswith(place), query
        suggested = testapp.get("/search/", {"q": query}, headers={"X-Fragment": "1"})
        option = soup(suggested).select_one("[role=option]")
        assert (option["href"], option.get_text()) == (place, "Lamplight (2019) #2 · Foil"), query
    testapp.get("/search/?q=lamplight", status=200)


def test_browsers_are_told_of_the_search(testapp, world):
    link = soup(testapp.get("/")).select_one("link[rel=search]")
    description = testapp.get(link["href"])
    assert description.content_type == link["type"] == "application/opensearchdescription+xml"
    root = ElementTree.fromstring(description.body)  # noqa: S314  (our own)
    addresses = {each.get("type"): each.get("template") for each in root.iterfind("{*}Url")}
    suggested = addresses["application/x-suggestions+json"].replace("{searchTerms}", "lamplight+2")
    series = "http://localhost/issue/lamplight-2019-2/"
    assert testapp.get(suggested).json[1:] == [["Lamplight (2019) #2"], ["Issue"], [series]]
    assert testapp.get(addresses["text/html"].replace("{searchTerms}", "wick"), status=200)


def test_words_are_found_in_any_order_whatever_their_case_and_accents(testapp, make):
    make.arc(name="Éclair über Straße")
    for query in ("éclair", "ECLAIR", "uber ecl", "strasse", "  clair   UBE "):
        assert found(testapp, "arc", query) == ["Éclair über Straße"], query
    assert found(testapp, "arc", "eclair missing") == []


def test_an_accent_typed_apart_is_the_same_letter(testapp, make):
    make.arc(name="Caf\u00e9")
    assert found(testapp, "arc", "cafe\u0301") == ["Caf\u00e9"]


@pytest.mark.parametrize("query", ["%", "_", "100%", "\\", "a%b", "__"])
def test_wildcards_are_ordinary_characters(testapp, make, query):
    make.arc(name="Plain")
    assert found(testapp, "arc", query) == []
    make.arc(name=f"With {query} inside")
    assert found(testapp, "arc", query) == [f"With {query} inside"]


def test_each_kind_is_searched_in_its_own_fields(testapp, world):
    assert found(testapp, "publisher", "porto") == ["Harbor House"]
    assert found(testapp, "publisher", "house porto") == ["Harbor House"]
    assert found(testapp, "series", "luce") == ["Lamplight (2019)"]
    assert found(testapp, "universe", "earth prime") == ["Prime — Earth 7"]
    assert found(testapp, "character", "wick") == ["Lamplighter"]
    assert found(testapp, "creator", "the line") == ["Ada Pencil"]
    assert found(testapp, "imprint", "little") == ["Little Harbor"]
    assert found(testapp, "team", "crew night") == ["Night Crew"]
    assert found(testapp, "arc", "dusk") == ["The Long Dusk"]


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("lamplight", ["(2019) #1", "(2019) #2", "(2019) #3", "TPB (2020) #1"]),
        ("light lamp", ["(2019) #1", "(2019) #2", "(2019) #3", "TPB (2020) #1"]),
        ("luce #2", ["(2019) #2"]),
        ("lamplight #1", ["(2019) #1", "TPB (2020) #1"]),
        ("lamplight (2019) #1", ["(2019) #1"]),
        ("lamplight (2019)", ["(2019) #1", "(2019) #2", "(2019) #3"]),
        ("(2020) #1", ["TPB (2020) #1"]),
        ("#103", ["(2019) #3"]),
        ("#", []),
        ("lamplight #9", []),
        ("lamplight (1999) #1", []),
    ],
)
def test_issues_are_found_by_series_year_and_number(testapp, world, query, numbers):
    assert [
        each.split("Lamplight ")[1].replace("Collected ", "") for each in found(testapp, "issue", query)
    ] == numbers


def test_an_issue_number_is_exact_but_for_its_case(testapp, make):
    series = make.series(name="Mixed")
    for number in ("1", "10", "1.MU"):
        make.issue(series=series, number=number)
    assert found(testapp, "issue", "mixed #1") == ["Mixed (2020) #1"]
    assert found(testapp, "issue", "mixed #1.mu") == ["Mixed (2020) #1.MU"]


def test_the_search_page_keeps_the_query_and_names_it(testapp, world):
    page = soup(testapp.get("/series/search", {"q": ' "lamp" x '}))
    assert page.select_one("#list-q")["value"] == '"lamp" x'
    assert 'Nothing matches “"lamp" x”.' in page.get_text()
    assert page.find("meta", attrs={"name": "robots"})["content"] == "noindex"


def test_an_empty_query_finds_everything(testapp, world):
    assert len(found(testapp, "series", "")) == 2


def test_a_search_with_a_slash_leads_to_the_one_without(testapp, world):
    response = testapp.get("/series/search/?q=lamp&page=1", status=301)
    assert response.location == "http://localhost/series/search?q=lamp&page=1"


@pytest.mark.parametrize("query", ["\x00", "a\x00b", "x" * 5000, "ab " * 2000, "\u0301", "((((", "[a-"])
def test_no_query_breaks_the_search(testapp, world, query):
    for address in ("/search/", "/issue/search", "/publisher/search"):
        testapp.get(address, {"q": query}, status=200)


def test_quick_search_finds_all_kinds_and_groups_them(testapp, make):
    publisher = make.publisher(name="Comet Press")
    make.imprint(name="Comet Line", publisher=publisher)
    make.universe(name="Comet World", publisher=publisher)
    make.creator(name="Cora Comet")
    make.team(name="Comets")
    make.character(name="The Comet")
    make.arc(name="Comet Falls")
    make.issue(series=make.series(name="Comet", publisher=publisher))
    assert groups(testapp.get("/search/?q=comet")) == {
        "series": ["Comet (2020)"],
        "issue": ["Comet (2020) #1"],
        "character": ["The Comet"],
        "creator": ["Cora Comet"],
        "publisher": ["Comet Press"],
        "team": ["Comets"],
        "arc": ["Comet Falls"],
        "universe": ["Comet World"],
        "imprint": ["Comet Line"],
    }


def test_quick_search_shows_eight_of_a_kind_and_the_way_to_the_rest(testapp, make):
    with make.single_commit():
        for number in range(9):
            make.arc(name=f"Echo {number}")
    page = testapp.get("/search/?q=echo")
    assert len(groups(page)["arc"]) == 8
    link = soup(page).select_one(".block-head a")["href"]
    assert len(labels(testapp.get(link))) == 9


def test_names_that_begin_with_the_words_come_first(testapp, make):
    make.arc(name="A Moon")
    make.arc(name="Moon")
    assert groups(testapp.get("/search/?q=moon"))["arc"] == ["Moon", "A Moon"]


def test_a_typing_error_is_forgiven_only_when_nothing_matches(testapp, world):
    forgiven = testapp.get("/search/?q=lampligter")
    assert "Lamplighter" in groups(forgiven)["character"]
    assert "Lamplight (2019)" in groups(forgiven)["series"]
    assert "No exact matches" in forgiven.text
    exact = testapp.get("/search/?q=lamplighter")
    assert groups(exact) == {"character": ["Lamplighter"]}
    assert "No exact matches" not in exact.text


def test_nothing_similar_is_said_plainly(testapp, world):
    response = testapp.get("/search/?q=zzzzqqqq")
    assert groups(response) == {}
    assert "Nothing matches “zzzzqqqq”." in response.text


def test_quick_search_without_words_only_shows_its_form(testapp, world):
    for query in ("", "   "):
        response = testapp.get("/search/", {"q": query})
        assert groups(response) == {}
        assert "Nothing matches" not in response.text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("bat man (1940) #5", search.IssueQuery(("bat", "man"), 1940, "5")),
        ("bat man [1940-1951] #5", search.IssueQuery(("bat", "man"), 1940, "5")),
        ("bat #", search.IssueQuery(("bat",), None, "")),
        ("bat (abc) 7", search.IssueQuery(("bat", "(abc)", "7"), None, None)),
        ("#1 #2", search.IssueQuery((), None, "1 #2")),
    ],
)
def test_issue_queries_are_taken_apart(query, expected):
    assert search.parse_issue_query(query) == expected
