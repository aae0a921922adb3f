"""Lists: complete rows, orders with ties and accents, and pages."""

from datetime import date

import pytest
from sqlalchemy import insert, select

from comicsdb import models
from tests.api.bodies import BASE, api_timestamp, assert_same_json, named, rows
from tests.cases import for_each

PLAIN = ["arc", "character", "creator", "imprint", "publisher", "team", "universe"]
ENVELOPE = ["count", "next", "previous", "results"]


def ids(body):
    """The ids of the rows of a page."""
    return [row["id"] for row in body["results"]]


# Rows.


def test_the_root_lists_what_there_is_in_the_order_of_the_contract(api):
    kinds = [
        "arc",
        "character",
        "collection",
        "creator",
        "credit",
        "imprint",
        "issue",
        "publisher",
        "pull_list",
        "read",
        "reading_list",
        "wish_list",
        "role",
        "series",
        "series_type",
        "team",
        "universe",
        "variant",
        "change",
        "cover",
        "gtin",
        "crosswalk",
        "search",
    ]
    assert_same_json(api.json("/api/"), {kind: f"{BASE}/api/{kind}/" for kind in kinds})


@pytest.mark.parametrize("kind", PLAIN)
def test_a_plain_list_shows_id_name_and_the_rows_own_modified(api, make, kind):
    beta, alpha = (getattr(make, kind)(name=name) for name in ("Beta", "Alpha"))
    assert_same_json(
        api.json(f"/api/{kind}/"),
        {"count": 2, "next": None, "previous": None, "results": rows(alpha, beta)},
    )


def test_a_row_of_series(api, make, session):
    nimbus = make.publisher(name="Nimbus Comics")
    lights = make.series(
        name="Harbor Lights",
        series_type=10,
        volume=2,
        year_began=2019,
        year_end=2022,
        publisher=nimbus,
        cv_id=1,
        gcd_id=2,
    )
    make.issue(series=lights)
    bare = make.series(name="Zzz", publisher=nimbus)
    session.refresh(lights)
    expected = {
        "count": 2,
        "next": None,
        "previous": None,
        "results": [
            {
                "id": lights.id,
                "series": "Harbor Lights TPB (2019)",
                "year_began": 2019,
                "year_end": 2022,
                "volume": 2,
                "issue_count": 1,
                "modified": api_timestamp(lights.modified),
                "publisher": named(nimbus),
                "series_type": {"id": 10, "name": "Trade Paperback"},
                "cv_id": 1,
                "gcd_id": 2,
            },
            {
                "id": bare.id,
                "series": "Zzz (2020)",
                "year_began": 2020,
                "year_end": None,
                "volume": 1,
                "issue_count": 0,
                "modified": api_timestamp(bare.modified),
                "publisher": named(nimbus),
                "series_type": {"id": 13, "name": "Single Issue"},
                "cv_id": None,
                "gcd_id": None,
            },
        ],
    }
    assert_same_json(api.json("/api/series/"), expected)
    assert_same_json(api.json(f"/api/publisher/{nimbus.id}/series_list/"), expected)


def test_a_row_of_issues_is_the_same_in_every_list_of_them(api, make, session):
    arc, character, team = make.arc(), make.character(), make.team()
    series = make.series(name="Harbor Lights", year_began=2019)
    issue = make.issue(
        series=series,
        number="3",
        cover_date=date(2019, 6, 1),
        store_date=date(2019, 4, 17),
        foc_date=date(2019, 3, 25),
        image="issue/2026/02/11/hl3.jpg",
        cover_hash="9f1f0f0783c3c1e1",
        arcs=[arc],
        characters=[character],
        teams=[team],
    )
    bare = make.issue(
        series=series,
        number="4",
        cover_date=date(2019, 7, 1),
        arcs=[arc],
        characters=[character],
        teams=[team],
    )
    for each in (issue, bare):
        session.refresh(each)
    brief = {"id": series.id, "name": "Harbor Lights", "volume": 1, "year_began": 2019}
    expected = {
        "count": 2,
        "next": None,
        "previous": None,
        "results": [
            {
                "id": issue.id,
                "series": brief,
                "number": "3",
                "issue": "Harbor Lights (2019) #3",
                "cover_date": "2019-06-01",
                "cover_date_precision": "day",
                "store_date": "2019-04-17",
                "foc_date": "2019-03-25",
                "image": f"{BASE}/media/issue/2026/02/11/hl3.jpg",
                "cover_hash": "9f1f0f0783c3c1e1",
                "modified": api_timestamp(issue.modified),
            },
            {
                "id": bare.id,
                "series": brief,
                "number": "4",
                "issue": "Harbor Lights (2019) #4",
                "cover_date": "2019-07-01",
                "cover_date_precision": "day",
                "store_date": None,
                "foc_date": None,
                "image": None,
                "cover_hash": "",
                "modified": api_timestamp(bare.modified),
            },
        ],
    }
    make.issue()  # of another series, without arc, character or team
    for owner in (arc, character, team, series):
        assert_same_json(api.json(f"/api/{owner.__tablename__}/{owner.id}/issue_list/"), expected)
    assert api.json("/api/issue/")["results"][:2] == expected["results"]


def test_roles_come_in_their_own_order(api):
    body = api.json("/api/role/")
    assert list(body) == ENVELOPE
    assert body["count"] == 42
    assert [row["name"] for row in body["results"][:3]] == ["Writer", "Script", "Story"]
    assert body["results"][-1]["name"] == "Other"
    assert all(list(row) == ["id", "name"] for row in body["results"])


def test_series_types_come_by_name(api):
    body = api.json("/api/series_type/")
    assert body["results"][0] == {"id": 6, "name": "Annual"}
    names = [row["name"] for row in body["results"]]
    assert body["count"] == len(names) == 9
    assert names == sorted(names)


# Orders.


@pytest.mark.parametrize("kind", PLAIN)
def test_names_are_ordered_without_regard_to_case_and_accents_and_then_by_id(api, make, kind):
    names = ["éclair", "Zebra", "Eclair", "anchor", "Älter", "Alter", "Eclair"]
    made = [getattr(make, kind)(name=name) for name in names]
    order = [made[5], made[4], made[3], made[2], made[6], made[0], made[1]]
    assert ids(api.json(f"/api/{kind}/")) == [each.id for each in order]


def test_universes_of_one_name_are_ordered_by_designation(api, make):
    publisher = make.publisher()
    made = [
        make.universe(name="Sky", designation=each, publisher=publisher) for each in ("b", "Á", "a", "B", "")
    ]
    order = [made[4], made[2], made[1], made[3], made[0]]
    assert ids(api.json("/api/universe/")) == [each.id for each in order]


def test_series_are_ordered_by_sort_name_and_first_year(api, make):
    publisher = make.publisher()
    late = make.series(name="The Élan", sort_name="Élan", year_began=2020, publisher=publisher)
    early = make.series(name="Zzz", sort_name="Élan", year_began=1990, publisher=publisher)
    twin = make.series(name="The Élan", sort_name="Élan", year_began=2020, volume=2, publisher=publisher)
    plain = make.series(name="Elan", sort_name="Elan", year_began=2025, publisher=publisher)
    first = make.series(name="Zebra", sort_name="anchor", publisher=publisher)
    order = [each.id for each in (first, plain, early, late, twin)]
    assert ids(api.json("/api/series/")) == order
    assert ids(api.json(f"/api/publisher/{publisher.id}/series_list/")) == order


def test_issues_are_ordered_by_series_dates_and_number_as_text(api, make):
    second, first = make.series(name="Élan", year_began=1990), make.series(name="anchor", year_began=2000)
    may, june = date(2020, 5, 1), date(2020, 6, 1)
    made = {
        name: make.issue(series=series, number=number, cover_date=cover, store_date=store)
        for name, series, number, cover, store in [
            ("second", second, "1", may, None),
            ("june", first, "0", june, may),
            ("unknown store", first, "1", may, None),
            ("two", first, "2", may, may),
            ("ten", first, "10", may, may),
            ("later store", first, "0A", may, june),
        ]
    }
    order = ["ten", "two", "later store", "unknown store", "june", "second"]
    assert ids(api.json("/api/issue/")) == [made[name].id for name in order]


def test_the_issues_of_one_object_are_ordered_by_cover_date_first(api, make):
    character = make.character()
    may, june = date(2020, 5, 1), date(2020, 6, 1)
    zebra = make.series(name="Zebra", year_began=1990)
    older, newer = (make.series(name="Anchor", year_began=year) for year in (1990, 2000))
    made = {
        name: make.issue(
            series=series, number=number, cover_date=cover, store_date=store, characters=[character]
        )
        for name, series, number, cover, store in [
            ("june", older, "1", june, None),
            ("zebra", zebra, "1", may, may),
            ("newer", newer, "1", may, may),
            ("two", older, "2", may, may),
            ("ten", older, "10", may, june),
        ]
    }
    order = ["ten", "two", "newer", "zebra", "june"]
    found = api.json(f"/api/character/{character.id}/issue_list/")
    assert ids(found) == [made[name].id for name in order]


def test_issues_alike_in_everything_are_ordered_by_id(api, make):
    series = [make.series(name="Twin", volume=volume) for volume in (1, 2, 3)]
    made = [make.issue(series=each) for each in reversed(series)]
    assert ids(api.json("/api/issue/")) == [each.id for each in made]


# Pages.


@pytest.fixture
def arcs(session):
    """250 arcs, which make three pages."""
    numbers = range(250)
    session.execute(
        insert(models.Arc), [{"name": f"Arc {number:03}", "slug": f"arc-{number:03}"} for number in numbers]
    )
    session.commit()
    return session.scalars(select(models.Arc.id).order_by(models.Arc.name)).all()


def test_pages_hold_a_hundred_rows_and_link_to_each_other(api, arcs):
    url = f"{BASE}/api/arc/"
    first, second, third = (api.json(f"/api/arc/?page={number}") for number in (1, 2, 3))
    assert [list(page) for page in (first, second, third)] == [ENVELOPE] * 3
    assert [page["count"] for page in (first, second, third)] == [250] * 3
    assert (first["previous"], first["next"]) == (None, f"{url}?page=2")
    assert (second["previous"], second["next"]) == (url, f"{url}?page=3")
    assert (third["previous"], third["next"]) == (f"{url}?page=2", None)
    assert ids(first) + ids(second) + ids(third) == arcs
    assert len(ids(first)) == len(ids(second)) == 100


@for_each(
    "query,number",
    [
        ("", 1),
        ("?page=", 1),
        ("?page=1", 1),
        ("?page=02", 2),
        ("?page=last", 3),
        ("?page=1&page=3", 3),
        ("?limit=5&offset=9", 1),
        ("?nonsense=%00", 1),
        ("?name", 1),
    ],
)
def test_the_page_that_is_asked_for(api, arcs, query, number):
    assert ids(api.json(f"/api/arc/{query}")) == arcs[(number - 1) * 100 : number * 100]


@for_each(
    "page", ["0", "-1", "4", "x", "1.0", "1e0", "LAST", "%D9%A3", "1_0", "%00", "9" * 30, "9" * 5000, "+1"]
)
def test_no_such_page(api, arcs, page):
    assert api.json(f"/api/arc/?page={page}", 404) == {"detail": "Invalid page."}


@for_each("path", ["/api/arc/", "/api/issue/", "/api/series/"])
def test_an_empty_list_has_one_page(api, path):
    empty = {"count": 0, "next": None, "previous": None, "results": []}
    for query in ("", "?page=1", "?page=last"):
        assert_same_json(api.json(path + query), empty)
    assert api.json(f"{path}?page=2", 404) == {"detail": "Invalid page."}


def test_links_keep_all_parameters_that_the_address_knows_in_alphabetical_order(api, arcs):
    sent = "strict=0&modified_gt=2020-01-01%20&page=2&name=%C3%A9&strict=&cv_id=&name=&format=json"
    kept = "cv_id=&format=json&modified_gt=2020-01-01+&name=%C3%A9&name="
    body = api.json(f"/api/arc/?{sent}&made_up=1")
    assert body["next"] == f"{BASE}/api/arc/?{kept}&page=3&strict=0&strict="
    assert body["previous"] == f"{BASE}/api/arc/?{kept}&strict=0&strict="
    assert ids(api.json(body["next"].removeprefix(BASE))) == arcs[200:]


def test_nested_lists_have_pages_too(api, make, session):
    arc = make.arc()
    publisher = make.publisher()
    series = make.series(publisher=publisher)
    session.execute(
        insert(models.Issue),
        [
            {
                "series_id": series.id,
                "number": f"{number:03}",
                "slug": f"i-{number}",
                "cover_date": date(2020, 1, 1),
            }
            for number in range(101)
        ],
    )
    session.execute(
        insert(models.Series),
        [
            {
                "name": f"S {number:03}",
                "sort_name": f"S {number:03}",
                "slug": f"s-{number}",
                "volume": 1,
                "year_began": 2000,
                "series_type_id": 13,
                "publisher_id": publisher.id,
            }
            for number in range(100)
        ],
    )
    made = session.scalars(select(models.Issue.id).order_by(models.Issue.number)).all()
    session.execute(insert(models.issue_arc), [{"issue_id": each, "arc_id": arc.id} for each in made])
    session.commit()
    for path in (f"/api/arc/{arc.id}/issue_list/", f"/api/series/{series.id}/issue_list/"):
        body = api.json(path)
        assert (body["count"], body["next"], body["previous"]) == (101, f"{BASE}{path}?page=2", None)
        assert ids(body) == made[:100]
        assert ids(api.json(f"{path}?page=last")) == made[100:]
        assert api.json(f"{path}?page=3", 404) == {"detail": "Invalid page."}
    path = f"/api/publisher/{publisher.id}/series_list/"
    body = api.json(path)
    assert (body["count"], body["next"]) == (101, f"{BASE}{path}?page=2")
    assert len(api.json(f"{path}?page=2")["results"]) == 1


@for_each("kind", ["arc", "character", "series", "team"])
def test_the_issues_of_nothing(api, make, kind):
    entity = getattr(make, kind)()
    empty = {"count": 0, "next": None, "previous": None, "results": []}
    assert_same_json(api.json(f"/api/{kind}/{entity.id}/issue_list/"), empty)
    message = {"detail": f"No {kind.title()} matches the given query."}
    assert api.json(f"/api/{kind}/{entity.id + 1}/issue_list/", 404) == message
    assert api.json(f"/api/{kind}/{entity.id + 1}/issue_list/?page=9", 404) == message
    assert api.json(f"/api/{kind}/x/issue_list/", 404) == {"detail": "Not found."}


def test_the_series_of_nobody(api, make):
    publisher = make.publisher()
    assert api.json(f"/api/publisher/{publisher.id}/series_list/")["results"] == []
    message = {"detail": "No Publisher matches the given query."}
    assert api.json(f"/api/publisher/{publisher.id + 1}/series_list/", 404) == message
