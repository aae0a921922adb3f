"""`/api/search/`: one ranked search over all kinds."""

from datetime import date
from urllib.parse import urlencode

import pytest


@pytest.fixture
def ferries(make):
    """Series, issues and others with similar names."""
    with make.single_commit():
        publisher = make.publisher(name="Foghorn Press")
        make.character(name="Foghorn Leghorn")
        make.character(name="Bill", alias=["Foghorn"])
        make.team(name="Loud Foghorns")
        make.arc(name="A Foghorn")
        make.universe(name="Foghorn", designation="Earth 3", publisher=publisher)
        old = make.series(name="The Foghorn", year_began=1999, publisher=publisher, sort_name="Foghorn")
        new = make.series(
            name="The Foghorn", year_began=2024, volume=2, publisher=publisher, sort_name="Foghorn"
        )
        make.series(name="Loudhailer", alt_names=["Foghorn Italia"], year_began=2001, publisher=publisher)
        for series in (old, new):
            for number in ("3", "28"):
                make.issue(
                    series=series, number=number, cover_date=date(series.year_began + 1, len(number), 1)
                )
        return old, new


def found(api, query, **more):
    """The name and the reason of each result."""
    answer = api.json(f"/api/search/?{urlencode({'q': query, **more})}")
    return [(each["name"], each["reason"]) for each in answer["results"]]


def test_names_rank_by_how_they_match_and_a_leading_article_does_not_count(api, ferries):
    assert found(api, "FOGHÖRN") == [
        ("The Foghorn (1999)", "name equal"),
        ("The Foghorn (2024)", "name equal"),
        ("A Foghorn", "name equal"),
        ("Foghorn — Earth 3", "name equal"),
        ("Bill", "alias"),
        ("Foghorn Leghorn", "name begins"),
        ("Foghorn Press", "name begins"),
        ("Loud Foghorns", "words"),
        ("Loudhailer (2001)", "alias"),
        *((f"The Foghorn ({year}) #{number}", "series") for year in (1999, 2024) for number in (3, 28)),
    ]
    assert found(api, "the foghorn", limit="1") == [("The Foghorn (1999)", "name equal")]


@pytest.mark.parametrize(
    "query", ["foghorn 2024 28", "foghorn (2024) #28", "the foghorn (2024) 028", "foghorn 2025 28"]
)
def test_an_issue_is_found_by_series_year_and_number(api, ferries, query):
    assert found(api, query, kind="issue") == [("The Foghorn (2024) #28", "number equal")]
    assert found(api, query)[0] == ("The Foghorn (2024) #28", "number equal")


def test_a_number_without_a_year_is_that_of_any_series_with_the_words(api, ferries):
    numbered = [("The Foghorn (1999) #28", "number equal"), ("The Foghorn (2024) #28", "number equal")]
    assert found(api, "foghorn 28") == found(api, "foghorn #28") == numbered
    assert found(api, "#28") == numbered
    assert found(api, "foghorn 29", kind="issue") == []


def test_a_year_alone_is_that_of_a_series_or_a_number(api, ferries, make):
    assert found(api, "foghorn 2024") == [("The Foghorn (2024)", "name equal")]
    of_series = [(f"The Foghorn (2024) #{number}", "series") for number in (3, 28)]
    assert found(api, "foghorn (2024)") == [("The Foghorn (2024)", "name equal"), *of_series]
    make.issue(series=ferries[0], number="2024")
    assert found(api, "foghorn 2024", kind="issue") == [("The Foghorn (1999) #2024", "number equal")]


@pytest.mark.parametrize("kind", ["character", "team", "arc"])
def test_search_namesakes_the_one_with_more_issues_first(api, make, kind):
    with make.single_commit():
        rare, popular = (getattr(make, kind)(name=name) for name in ("Lamp Lad", "Lamp-Lad"))
        make.issue(**{f"{kind}s": [rare]})
        for _ in range(2):
            make.issue(**{f"{kind}s": [popular]})
    assert found(api, "lamplad", kind=kind) == [("Lamp-Lad", "name equal"), ("Lamp Lad", "name equal")]


def test_typing_errors_are_forgiven(api, ferries):
    assert ("The Foghorn (2024)", "similar") in found(api, "foghron")
    assert found(api, "foghron 28", kind="issue")[0] == ("The Foghorn (1999) #28", "similar")
    assert found(api, "foghron", typeahead="1")[0] == ("The Foghorn (1999)", "similar")
    suggested = found(api, "foghorn", typeahead="1", kind="series,team")
    assert suggested == [("The Foghorn (1999)", "name equal"), ("The Foghorn (2024)", "name equal")]
    assert found(api, "italia", typeahead="1", kind="series,team") == [("Loudhailer (2001)", "alias")]
    assert found(api, "fog", typeahead="true", limit="2") == [
        ("The Foghorn (1999)", "name begins"),
        ("The Foghorn (2024)", "name begins"),
    ]


def test_short_words_are_found_where_words_begin(api, make):
    make.arc(name="Lost in O")
    assert found(api, "o") == [("Lost in O", "words")]
    assert found(api, "lo") == [("Lost in O", "name begins")]
    assert found(api, "st") == []


def test_any_text_is_answered(api, ferries):
    texts = [
        "",
        "  ",
        "#",
        "%",
        "_",
        "\\",
        "the",
        "l'",
        "()",
        "(2024)",
        "2024",
        "x" * 500,
        "ab " * 90,
        "a\x01b",
        "'\"$1:q",
        "http://localhost/issue/%00/",
        "http://[",
        f"issue {'9' * 10}",
        "cv 4000-9999999999",
    ]
    for text in texts:
        for typeahead in "01":
            found(api, text, typeahead=typeahead)
    assert found(api, "  ") == found(api, "") == []


def test_wildcards_are_ordinary_characters(api, make):
    make.arc(name="100% Foghorn_")
    assert found(api, "100%") == [("100% Foghorn_", "name begins")]
    assert found(api, "foghorn_") == [("100% Foghorn_", "words")]
    assert found(api, "%") == found(api, "___", typeahead="1") == []


def test_a_result_has_its_addresses(api, make):
    arc = make.arc(name="Salt Tide", image="arc/tide.png")
    (result,) = api.json("/api/search/?q=salt")["results"]
    assert result == {
        "kind": "arc",
        "id": arc.id,
        "name": "Salt Tide",
        "reason": "name begins",
        "image": "http://localhost/media/arc/tide.png",
        "resource_url": f"http://localhost/arc/{arc.slug}/",
    }


@pytest.mark.parametrize(
    ("query", "errors"),
    [
        ("limit=0", {"limit": ["Enter a whole number from 1 to 100."]}),
        (
            "limit=x&q=%00",
            {"limit": ["Enter a whole number from 1 to 100."], "q": ["Null characters are not allowed."]},
        ),
    ],
)
def test_wrong_parameters_are_told(api, query, errors):
    assert api.json(f"/api/search/?{query}", 400) == errors


def test_an_unknown_kind_is_told_with_the_known_ones(api):
    (message,) = api.json("/api/search/?q=a&kind=issue,role", 400)["kind"]
    assert message.startswith("Select a valid choice. role is not one of: series, issue, ")


def test_answers_are_cached_until_anything_searched_changes(api, make, session):
    def cached():
        answer = api.get("/api/search/?q=salt")
        return (
            answer.headers["X-Cache"],
            [each["name"] for each in answer.json["results"]],
            answer.headers["ETag"],
        )

    arc = make.arc(name="Salt Tide")
    session.commit()
    state, names, tag = cached()
    assert (state, names, cached()) == ("MISS", ["Salt Tide"], ("HIT", names, tag))
    api.get("/api/search/?q=salt", headers={"If-None-Match": tag}, status=304)
    make.catalog.update(arc, {"name": "Pepper Tide"})
    make.character(name="Bill", alias=["Old Salt"])
    session.commit()
    assert cached()[:2] == ("MISS", ["Bill"])


def test_strangers_may_search(testapp, make):
    make.arc(name="Salt Tide")
    (found,) = testapp.get("/api/search/?q=salt").json["results"]
    assert found["kind"] == "arc"
    testapp.get("/api/search/?q=salt", headers={"Authorization": "Bearer x"}, status=401)
