"""The list of a reader's collection: its contents, access, filters, and acts on several items."""

from decimal import Decimal

import pytest
from sqlalchemy import func, select

from comicsdb.models import CollectionItem, ReadDate
from tests.web.conftest import form_with, notice, soup
from tests.web.library.collection_helpers import (
    active_filters,
    add_item,
    add_items,
    item_of_another_reader,
    listed_issues,
    read_dates,
    reload,
)

PAGES = (
    "/collection/",
    "/collection/stats/",
    "/collection/history/",
    "/collection/missing/",
    "/collection/missing/1/",
    "/collection/scan/",
    "/collection/add/",
    "/collection/bulk/",
    "/collection/add-from-series/",
    "/collection/1/",
    "/collection/1/update/",
    "/collection/1/delete/",
)
POSTS = (
    "/collection/mark-read/",
    "/collection/scan/add/",
    "/collection/1/rate/",
    "/collection/1/read-date/add/",
    "/collection/1/read-date/1/delete/",
)


def test_nobody_sees_a_collection_without_logging_in(testapp, world):
    for address in PAGES:
        answer = testapp.get(address, status=303)
        assert answer.location.endswith(f"/accounts/login/?next={address.replace('/', '%2F')}"), address
    page = testapp.get("/accounts/login/")
    token = soup(page).select_one("[name=csrf_token]")["value"]
    for address in POSTS:
        answer = testapp.post(address, {"csrf_token": token}, status=303)
        assert "/accounts/login/" in answer.location, address
        assert testapp.get(address, expect_errors=True).status_int == 405, address


def test_what_belongs_to_others_is_not_there(testapp, make, world, session, reader):
    item = item_of_another_reader(make, session, world.second)
    page = testapp.get("/collection/")
    token = soup(page).select_one("[name=csrf_token]")["value"]
    there, never = item.id, item.id + 999
    read = session.scalar(select(ReadDate.id))
    for key in (there, never, 2**40):
        for address in (f"/collection/{key}/", f"/collection/{key}/update/", f"/collection/{key}/delete/"):
            testapp.get(address, status=404)
        for address, fields in (
            (f"/collection/{key}/update/", {"quantity": "9"}),
            (f"/collection/{key}/delete/", {}),
            (f"/collection/{key}/rate/", {"rating": "1"}),
            (f"/collection/{key}/read-date/add/", {}),
            (f"/collection/{key}/read-date/{read}/delete/", {}),
        ):
            testapp.post(address, {"csrf_token": token, **fields}, status=404)
    testapp.post("/collection/mark-read/", {"csrf_token": token, "item": str(there)})
    kept = reload(session, item)
    assert (kept.quantity, kept.rating, len(read_dates(session, kept))) == (1, 5, 1)
    # The reader's own pages do not show it either.
    for address in ("", "?q=zebra", "?storage_location=att", "stats/", "history/", "missing/"):
        text = testapp.get(f"/collection/{address}").text
        assert "Lamplight (2019) #2" not in text, address
        assert "Attic" not in text, address
        assert "$7" not in text, address
    testapp.get(f"/collection/missing/{world.series.id}/", status=404)


def test_every_page_is_kept_nowhere(testapp, world, session, reader):
    item = add_item(session, reader, world.first)
    for address in PAGES:
        number = world.series.id if "missing" in address else item.id
        answer = testapp.get(address.replace("/1/", f"/{number}/"))
        assert answer.headers["Cache-Control"] == "private, no-store", address


def test_an_empty_collection_says_how_to_begin(testapp, reader):
    for view in ("", "?view=grid", "stats/", "history/", "missing/"):
        page = soup(testapp.get(f"/collection/{view}"))
        assert page.select_one(".empty").get_text(strip=True), view
    assert soup(testapp.get("/collection/?q=nothing")).select_one(".chips")


def test_the_table_says_what_one_has(testapp, world, session, reader):
    add_item(
        session,
        reader,
        world.first,
        quantity=3,
        book_format="DIGITAL",
        grade=Decimal("9.8"),
        grading_company="CGC",
        purchase_price=Decimal("4.5"),
        purchase_currency="EUR",
        is_read=True,
        rating=4,
    )
    add_item(session, reader, world.reprint, grade=Decimal("8.5"))
    rows = soup(testapp.get("/collection/")).select(".items tbody tr")
    first, second = ([each.get_text(" ", strip=True) for each in row.select("th, td")] for row in rows)
    assert first[1:5] == ["Lamplight (2019) #1 Harbor House", "May 2019", "Digital", "9.8 CGC"]
    assert first[5].startswith("Read ")
    assert first[7:9] == ["3", "€4.50"]
    assert rows[0].select_one(".stars")["aria-label"] == "4 of 5 stars"
    assert second[3:9] == ["Print", "8.5 user-assessed", "", "", "1", ""]
    assert rows[0].select_one("th a")["href"].startswith("http://localhost/collection/") is False


def test_the_list_goes_by_sort_name_and_cover_date_in_pages_of_fifty(testapp, make, world, session, reader):
    early = make.series(name="The Abbey", sort_name="Abbey")
    add_items(session, reader, early, 51)
    add_item(session, reader, world.second)
    add_item(session, reader, world.first)
    page = testapp.get("/collection/?view=grid")
    assert len(listed_issues(page)) == 50
    assert soup(page).select_one(".list-count").get_text(strip=True) == "53 items"
    last = page.click("<span>Next</span>")
    assert "view=grid" in last.request.url
    assert listed_issues(last) == ["The Abbey (2020) #1051", "Lamplight (2019) #1", "Lamplight (2019) #2"]
    assert listed_issues(testapp.get("/collection/?page=last")) == listed_issues(last)
    for wrong in ("0", "3", "x"):
        testapp.get(f"/collection/?page={wrong}", status=404)


@pytest.fixture
def shelf(make, world, session, reader):
    """A few items that differ in everything that filters check."""
    add_item(
        session,
        reader,
        world.first,
        book_format="BOTH",
        grade=Decimal("10.0"),
        grading_company="CGC",
        storage_location="Grüne Box",
        purchase_store="Corner Shop",
        tags=["signed", "To sell"],
        notes="signed by Ada",
        is_read=True,
        rating=5,
    )
    add_item(session, reader, world.third, rating=2)
    add_item(session, reader, world.reprint, book_format="DIGITAL", grade=Decimal("9.0"))
    add_item(session, reader, make.issue(series=make.series(name="Zephyr"), number="103"))


def test_every_filter_narrows_the_list_and_shows_as_a_chip(testapp, world, shelf):
    one, three, book, other = (
        "Lamplight (2019) #1",
        "Lamplight (2019) #3",
        "Lamplight Collected TPB (2020) #1",
        "Zephyr (2020) #103",
    )
    cases = {
        "q=ADA": ([one], "Words: ADA"),
        "q=lamp+signed": ([one], "Words: lamp signed"),
        "q=luce": ([one, three], "Words: luce"),
        "series_name=collect": ([book], "Series: collect"),
        f"series_id={world.series.id}": ([one, three], "Series: Lamplight (2019)"),
        "series_type=10": ([book], "Type of series: Trade Paperback"),
        "issue_number=103": ([three, other], "Number: 103"),
        "publisher_name=harbor": ([one, three, book], "Publisher: harbor"),
        f"publisher_id={world.publisher.id}": ([one, three, book], "Publisher: Harbor House"),
        "imprint_name=little": ([one, three], "Imprint: little"),
        f"imprint_id={world.imprint.id}": ([one, three], "Imprint: Little Harbor"),
        "book_format=DIGITAL": ([book], "Format: Digital"),
        "is_read=yes": ([one], "Read: Read"),
        "is_read=no": ([three, book, other], "Read: Not read"),
        "storage_location=grune": ([one], "Storage location: grune"),
        "purchase_store=SHOP": ([one], "Bought at: SHOP"),
        "tag=to+sell": ([one], "Tag: to sell"),
        "grade=10.0": ([one], "Grade: 10.0 Gem Mint"),
        "grading_company=CGC": ([one], "Graded by: CGC"),
        "rating=2": ([three], "Stars: ★★"),
    }
    for query, (expected, chip) in cases.items():
        page = testapp.get(f"/collection/?{query}&view=grid")
        assert listed_issues(page) == expected, query
        assert active_filters(page) == {chip: "/collection/?view=grid"}, query
    both = testapp.get("/collection/?is_read=no&book_format=PRINT&page=1")
    assert listed_issues(both) == [three, other]
    assert active_filters(both) == {
        "Read: Not read": "/collection/?book_format=PRINT",
        "Format: Print": "/collection/?is_read=no",
    }
    assert soup(both).select_one(".tag-clear")["href"] == "/collection/"
    assert listed_issues(testapp.get("/collection/?q=nowhere")) == []


NONSENSE = {
    "Choose one of the options.": (
        "grade=9.7",
        "grade=9",
        "grade=NaN",
        "rating=6",
        "rating=%C2%B2",
        "is_read=perhaps",
        "book_format=print",
        "grading_company=XYZ",
        "series_type=999",
    ),
    "Publisher: Enter a whole number from 1 to 2147483647.": (
        "publisher_id=x",
        "publisher_id=99999999999999999999",
    ),
    "Series: There is no entry with this ID.": ("series_id=2147483647",),
}


def test_a_value_that_makes_no_sense_is_ignored_and_said_beside_its_field(testapp, shelf):
    for text, queries in NONSENSE.items():
        for query in queries:
            page = testapp.get(f"/collection/?{query}&q=lamplight&unknown=1")
            assert len(listed_issues(page)) == 3, query
            assert list(active_filters(page)) == ["Words: lamplight"], query
            assert soup(page).select_one(".field-error").get_text(strip=True) == text, query
            assert soup(page).select_one(".sieve-more").has_attr("open"), query


def test_filters_survive_the_form_and_offer_what_was_written_before(testapp, world, shelf):
    page = testapp.get(f"/collection/?publisher_id={world.publisher.id}&is_read=no&view=grid")
    tree = soup(page)
    assert not tree.select_one(".sieve-more").has_attr("open")
    assert [each["value"] for each in tree.select("#by-storage_location-used option")] == ["Grüne Box"]
    assert [each["value"] for each in tree.select("#by-tag-used option")] == ["To sell", "signed"]
    form = form_with(page, "q", action="/collection/")
    form["q"] = "collected"
    assert listed_issues(form.submit()) == ["Lamplight Collected TPB (2020) #1"]


def test_chosen_items_are_marked_as_read_once(testapp, world, session, reader, shelf):
    page = testapp.get("/collection/?view=grid&is_read=no")
    everything = page.click("Select this page")
    assert len(soup(everything).select("[name=item][checked]")) == 3
    form = form_with(everything, id="mark")
    token, items = form["csrf_token"].value, [each["value"] for each in soup(page).select("[name=item]")]
    read = session.scalar(select(CollectionItem.id).where(CollectionItem.is_read))
    sent = [("csrf_token", token), ("next", form["next"].value)]
    answer = testapp.post("/collection/mark-read/", sent + [("item", each) for each in (*items, read, "x")])
    assert answer.location == "http://localhost/collection/?view=grid&is_read=no"
    assert notice(answer.follow()) == "3 items were marked as read."
    assert session.scalar(select(func.count()).select_from(ReadDate)) == 4
    again = testapp.post("/collection/mark-read/", [*sent, ("item", items[0])])
    assert notice(again.follow()) == "It was already read."
    assert notice(testapp.post("/collection/mark-read/", sent).follow()) == "Select some items first."
    assert session.scalar(select(func.count()).select_from(ReadDate)) == 4


def test_nobody_is_led_away_by_next(testapp, reader):
    token = testapp.get("/collection/add/").html.select_one("[name=csrf_token]")["value"]
    for target in ("https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)"):
        answer = testapp.post("/collection/mark-read/", {"csrf_token": token, "next": target})
        assert answer.location == "http://localhost/collection/"
