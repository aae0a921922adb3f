"""Typical queries with the result expected first; the same order in the API, on the site and in pickers."""

from datetime import date
from pathlib import Path
from urllib.parse import urlencode

from sqlalchemy import func, select

from comicsdb.catalog import ranked_search
from comicsdb.matching.words import ARTICLES
from tests.conftest import record_statements

QUERIES = Path(__file__).with_name("search_queries.tsv")


def ids(**by_source):
    """The external ids of an object."""
    return [{"source": source, "external_id": each} for source, each in by_source.items()]


def fill(make) -> dict:
    """Make a small catalogue with names that are alike, in several languages, and with codes and ids."""

    def run(name, year, *numbers, **more):
        values = {"sort_name": name, "publisher": house, **more}
        series = make.series(name=name, year_began=year, **values)
        for each in numbers:
            make.issue(series=series, number=each, cover_date=date(year, 5, 1))
        return series

    with make.single_commit():
        house = make.publisher(name="Harbor House", alt_names=["Casa del Porto"])
        make.imprint(name="Little Harbor", publisher=house)
        make.universe(name="Prime", designation="Earth 7", publisher=house)
        run("The Foghorn", 1999, "3", "28", sort_name="Foghorn")
        second = {"sort_name": "Foghorn", "volume": 2, "cv_id": 778, "gcd_id": 4321}
        foghorn = run("The Foghorn", 2024, "1.MU", "½", "3", "28", "100", **second)
        run("Loudhailer", 2001, "1", alt_names=["Foghorn Italia"])
        run("Night Ferry", 2011, "3")
        run("Night Ferry Annual", 2026, "1", series_type=make.series_type("annual").id)
        ferries = run("Night Ferry", 2026, "1", volume=2)
        make.issue(series=ferries, number="2", upc="75960608936900211", sku="JAN260123")
        variant = {"name": "B", "image": "covers/b.png", "sku": "0126DC045", "upc": "75960608936900321"}
        third = {"cv_id": 777, "gcd_id": 1234567, "external_ids": ids(metron="9911"), "variants": [variant]}
        ferry = make.issue(series=ferries, number="3", upc="75960608936900311", **third)
        make.issue(series=run("52", 2006, "1"), number="10", upc="075960600001")
        make.issue(series=run("300", 1998), number="1", isbn="9780306406157")
        run("2000 AD", 1977, "5", "2024")
        run("Team 7", 1994, "1")
        run("Team", 1990, "7")
        run("X-Patrol", 2005, "1")
        ombra = run("L'Ombra della Luna", 2018, "1", language="it")
        make.issue(series=ombra, number="4", upc="4006381333931")
        run("Il Faro", 2015, "1", "2", language="it", alt_names=["The Lighthouse"])
        run("Città di Vetro", 2020, "1", language="it")
        names = ["Attack on Lighthouse", "Shingeki no Toudai"]
        run("進撃の灯台", 2009, "3", language="ja", alt_names=names, external_ids=ids(anilist="30013"))
        run("Lamplight", 2019, "1")
        run("Lamplight", 2020, "1", series_type=make.series_type("trade_paperback").id)
        run("Crimson Harbor", 2003, "1")
        make.character(name="Foghorn Leghorn", external_ids=ids(wikidata="Q424242"))
        make.character(name="Bill", alias=["Foghorn"])
        make.character(name="Lamplighter", alias=["Wick"])
        make.creator(name="Ada Pencil", alias=["The Line"])
        make.creator(name="José Hernández")
        make.creator(name="Yuki Tanaka", alias=["田中雪"])
        make.team(name="Night Crew")
        make.team(name="Loud Foghorns")
        make.arc(name="The Long Dusk")
    return {"ferry": ferry, "foghorn": foghorn}


def test_people_find_first_what_they_expect(api, make, connection):
    shelf = fill(make)
    lines = [line for line in QUERIES.read_text("utf-8").splitlines() if not line.startswith("#")]
    assert len(lines) >= 100
    missed = {}
    for line in lines:
        query, expected = line.format(**shelf).split("\t")
        results = api.json(f"/api/search/?{urlencode({'q': query, 'limit': 3})}")["results"]
        if [each["name"] for each in results[:1]] != [expected]:
            missed[query] = [(each["name"], each["reason"]) for each in results]
    assert missed == {}

    # The site suggests and lists the same in the same order, and so do the pickers of forms.
    app = api.testapp
    for query in ("foghorn", "harbor", "foghorn 28", "foghron"):
        found = api.json(f"/api/search/?{urlencode({'q': query, 'limit': 8})}")["results"]
        suggested = app.get("/search/suggestions", {"q": query})
        assert suggested.content_type == "application/x-suggestions+json"
        sent, names, kinds, addresses = suggested.json
        assert (sent, names, addresses) == (
            query,
            [each["name"] for each in found],
            [each["resource_url"] for each in found],
        )
        assert len(kinds) == len(names)
    for query, cost in (("night", 1), ("nothing of the kind", 2)):  # the second searches inside all names
        with record_statements(connection) as statements:
            api.json(f"/api/search/?{urlencode({'q': query, 'typeahead': 1})}")
        assert len([each for each in statements if "without_article" in each]) == cost, query


def test_a_leading_article_is_the_same_in_python_and_in_the_index(session):
    names = [f"{article}tide" if article.endswith("'") else f"{article} tide" for article in ARTICLES]
    for name in (*names, *ARTICLES, "theory", "los", "l' tide", ""):
        bare = session.scalar(select(func.without_article(name)))
        assert bare == ranked_search.without_article(name), name
