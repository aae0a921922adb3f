"""Catalog lists in the administration: search, filters, order, pages and statements; and advice."""

from datetime import UTC, date, datetime

import time_machine

from comicsdb.models import CATALOG, Issue
from tests.conftest import record_statements
from tests.web.admin.helpers import cells, column, log_in_as
from tests.web.conftest import soup

NOW = datetime(2026, 5, 13, 3, 30, tzinfo=UTC)  # still Tuesday the 12th in New York
KINDS = [*(model.__tablename__ for model in CATALOG), "role", "series_type", "genre", "age_rating"]


def names(testapp, kind, place=None, **query) -> list[str]:
    """A column of a list, by default the names."""
    place = {"issue": 2, "series": 1}.get(kind, 0) if place is None else place
    return column(testapp.get(f"/admin/{kind}/", query), place)


def test_columns_are_those_that_tell_objects_apart(testapp, boss, world):
    def heads(kind):
        table = soup(testapp.get(f"/admin/{kind}/")).find("table")
        return [each.get_text() for each in table.thead.find_all("th")]

    assert heads("issue") == ["Choose", "Cover", "Name", "In stores", "Added"]
    assert heads("series") == ["Choose", "Name", "Year", "Added by"]
    assert heads("universe") == ["Name", "Publisher", "Changed"]
    assert heads("arc") == ["Name", "Changed"]
    assert heads("role") == ["Name", "Order"]
    rows = cells(testapp.get("/admin/series/"))
    assert [row[1:] for row in rows] == [
        ["Lamplight (2019)", "2019", "system"],
        ["Lamplight Collected TPB (2020)", "2020", "system"],
    ]
    assert [row[0] for row in cells(testapp.get("/admin/role/"))][:3] == ["Writer", "Script", "Story"]
    assert soup(testapp.get("/admin/issue/")).select_one(".cell-cover img")["src"].endswith("/cover.png.webp")


def test_words_find_what_the_search_of_the_site_finds(testapp, boss, world):
    assert names(testapp, "issue", q="lamp (2019) #2") == ["Lamplight (2019) #2"]
    assert names(testapp, "series", q="LUCE") == ["Lamplight (2019)"]
    assert names(testapp, "character", q="wick") == ["Lamplighter"]
    assert names(testapp, "role", q="ink") == ["Inker", "Ink Assists"]
    assert "Nothing matches." in testapp.get("/admin/arc/?q=zzz")
    for odd in ("\0", "%", "#", "x" * 999):
        testapp.get("/admin/issue/", {"q": odd, "publisher": odd, "created": odd, "page": "1"}, status=200)


def test_issues_are_narrowed_by_cover_date_from_years_to_days(testapp, boss, world):
    def steps(covered, **query):
        page = soup(testapp.get("/admin/issue/", {"covered": covered} | query))
        return [each.get_text() for each in page.select("nav[aria-label='Cover date'] a")]

    def numbers(covered):
        return [each.rpartition("#")[2] for each in names(testapp, "issue", covered=covered)]

    assert steps("") == steps("nonsense") == steps("2019-13") == ["2020", "2019"]
    assert steps("2019") == ["All", "2019", "2019-07", "2019-06", "2019-05"]
    assert steps("2019-05") == ["All", "2019", "2019-05", "2019-05-01"]
    assert steps("2019-05-01") == ["All", "2019", "2019-05", "2019-05-01"]
    assert steps("", q="lamp #2") == ["2019"]
    found = [numbers(each) for each in ("2019", "2019-06", "2019-07-01", "2019-07-02", "2020")]
    assert found == [["1", "2", "3"], ["2"], ["3"], [], ["1"]]
    link = soup(testapp.get("/admin/issue/?q=lamp&covered=2019&page=1")).select_one(
        "nav[aria-label='Cover date'] a[aria-current=true]"
    )
    assert link["href"] == "/admin/issue/?q=lamp&covered=2019"


def test_filters_go_by_the_days_of_the_site(testapp, make, session):
    # Boundary values: midnight in New York is 4:00 UTC in May, 5:00 in January; NOW is on the 12th there.
    made = {
        "1": datetime(2026, 5, 12, 4, 0, tzinfo=UTC),
        "2": datetime(2026, 5, 12, 3, 59, tzinfo=UTC),
        "3": datetime(2026, 5, 6, 4, 0, tzinfo=UTC),
        "4": datetime(2026, 5, 1, 4, 0, tzinfo=UTC),
        "5": datetime(2026, 1, 1, 5, 0, tzinfo=UTC),
        "6": datetime(2026, 1, 1, 4, 59, tzinfo=UTC),
    }
    stores = dict(zip("12345", (11, 17, 18, 24, 25), strict=True))
    series = make.series(name="Run", publisher=make.publisher(name="Acme House"))
    for number, moment in made.items():
        store = date(2026, 5, stores[number]) if number in stores else None
        day = date(2026, 5, int(number))
        issue, table = (
            make.issue(series=series, number=number, store_date=store, cover_date=day),
            Issue.__table__,
        )
        session.execute(
            table.update().where(table.c.id == issue.id).values(created_on=moment, modified=moment)
        )
    session.commit()
    expected = {"today": "1", "yesterday": "2", "week": "123", "month": "1234", "year": "12345", "": "123456"}
    with time_machine.travel(NOW, tick=False):
        log_in_as(testapp, make, is_staff=True)
        for name in ("created", "modified"):
            for value, found in expected.items():
                assert [each[-1] for each in names(testapp, "issue", **{name: value})] == list(found), value
        for value, found in {"this": "12", "next": "34"}.items():
            assert [each[-1] for each in names(testapp, "issue", store=value)] == list(found)
        assert [each[-1] for each in names(testapp, "issue", store="this", created="today")] == ["1"]
        assert names(testapp, "issue", publisher="acme") == names(testapp, "issue")
        assert names(testapp, "issue", publisher="other") == []


def test_filters_of_series(testapp, boss, world, make):
    make.series(name="Blank", language="", status=1, publisher=make.publisher(name="Elsewhere"))
    assert names(testapp, "series", language="it") == ["Lamplight (2019)"]
    assert names(testapp, "series", language="none") == ["Blank (2020)"]
    assert names(testapp, "series", status="1") == ["Blank (2020)"]
    assert names(testapp, "series", type="10") == ["Lamplight Collected TPB (2020)"]
    assert names(testapp, "series", publisher="harbor", status="2") == ["Lamplight (2019)"]
    assert len(names(testapp, "series", type="99", status="x", language="xx")) == 3
    page = soup(testapp.get("/admin/series/?status=1&publisher=else"))
    assert page.find("option", value="1", selected=True).get_text() == "Cancelled"
    assert page.find("input", attrs={"name": "publisher"})["value"] == "else"


def test_pages_follow_one_another_in_a_total_order(testapp, boss, make):
    with make.single_commit():
        series = make.series(name="Run")
        for number in range(53):
            make.issue(series=series, number=str(number))
    first, second = (names(testapp, "issue", page=page) for page in (1, 2))
    assert (len(first), len(second)) == (50, 3)
    assert len({*first, *second}) == 53
    assert names(testapp, "issue", page="last") == second
    testapp.get("/admin/issue/?page=3", status=404)


def test_no_list_costs_more_when_it_is_longer(testapp, boss, world, make, connection):
    def costs():
        found = {}
        for kind in KINDS:
            with record_statements(connection) as statements:
                testapp.get(f"/admin/{kind}/?created=year&publisher=a&q=a", status=200)
            found[kind] = len(statements)
        return found

    few = costs()
    with make.single_commit():
        for _ in range(8):
            house = make.publisher(name="A")
            series = make.series(name="A", publisher=house)
            make.issue(series=series, image="a.png", image_width=1, image_height=2)
            make.imprint(name="A", publisher=house)
            make.universe(name="A", publisher=house)
            make.arc(name="A")
    assert costs() == few
    assert few == dict.fromkeys(KINDS, 3) | {"series": 4, "issue": 4}


def test_advice_lists_what_breaks_rules(testapp, boss, world, make, session, connection):
    path = "/admin/advice/"
    world.first.upc = ""  # the UPC in `world` is not valid
    session.commit()
    assert "Nothing breaks a rule." in testapp.get(path)
    bad = [make.issue(isbn="1", upc="2") for _ in range(3)]
    book = make.series(name="Book", series_type=10, cv_id=5)
    rows = cells(testapp.get(path))
    assert [row[2] for row in rows] == ["1", "1", "1", "2", "2", "2", "5"]
    assert rows[-1][0] == "Book TPB (2020)"
    with record_statements(connection) as statements:
        page = soup(testapp.get(path))
    assert len(statements) == 5, statements
    wrong = [f"/admin/issue/{each.id}/" for each in bad]
    assert [each["href"] for each in page.select("tbody a")] == [*wrong, *wrong, f"/admin/series/{book.id}/"]
    assert [each.small.get_text() for each in page.select(".rules a") if each.small] == ["3", "3", "1"]
    assert [row[2] for row in cells(testapp.get(f"{path}?rule=upc"))] == ["2", "2", "2"]
    assert len(cells(testapp.get(f"{path}?rule=none"))) == 7
    testapp.get(f"{path}?page=2", status=404)
    assert soup(testapp.get("/admin/")).find("a", href=path) is not None
