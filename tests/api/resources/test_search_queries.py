"""Typical queries with the result expected first; the same order in the API, on the site and in pickers."""

from datetime import date
from pathlib import Path
from urllib.parse import urlencode

from tests.conftest import record_statements

QUERIES = Path(__file__).with_name("search_queries.tsv")


def ids(**by_source):
    """The external ids of an object."""
    return [{"source": source, "external_id": each} for source, each in by_source.items()]


def add_names_with_signs(make, run) -> None:
    """Add names with signs, articles and namesakes, short names."""
    run("The Astounding Moth-Man", 1963, *map(str, range(1, 9)))
    for volume in (1, 2, 3, 4):
        run("Astounding Moth-Man", 2000 + volume, "1", volume=volume)
    run("The Astounding Moth-Man Annual: King-Size", 1964, *map(str, range(1, 20)))
    run("Moth-Man", 1990, "1", "2", "½")
    run("Moth-Men: Gold", 2017, "1")
    run("Legion of Moth-Knights", 1980, "1")
    run("The Meek & the Bold", 1955, "1")
    run("S.P.E.A.R.", 1968, "1")
    run("Nick Dart, Agent of S.P.E.A.R.", 1989, *map(str, range(1, 9)))
    run("A-9 Comics", 1944, "1")
    for year, name in enumerate(("&", "???", "💥"), 2001):
        run(name, year, "1")
    run("Tarn", 1979, "1", "2")
    run("Tarnished Crowns", 1999, *map(str, range(1, 9)))
    run("Ultrawoman", 1970, "1", alt_names=["Wonder-Girl"])
    run("Wonder-Girl's Friends", 1971, "1", "2", "3")
    make.character(name="Douglas Towel", external_ids=ids(wikidata="Q42"))


def fill(make) -> dict:
    """Make a small catalog with names that are alike, in several languages, and with codes and ids."""

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
        run("The Foghorn", 1999, "3", "28", *map(str, range(40, 50)), sort_name="Foghorn")
        second = {"sort_name": "Foghorn", "volume": 2, "cv_id": 778, "gcd_id": 4321}
        foghorn = run("The Foghorn", 2024, "1.MU", "½", "3", "28", "100", **second)
        run("Loudhailer", 2001, "1", alt_names=["Foghorn Italia"])
        run("Night Ferry", 2011, "3", *map(str, range(40, 50)))
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
        add_names_with_signs(make, run)
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
    for query in ("ferry", "harbor", "foghorn 28", "foghorm leghron"):
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
        assert len([each for each in statements if "name_key" in each]) == cost, query
