"""Imports and exports on the site: upload, review and confirmation of files, and downloads."""

import csv
import io
import json
import zipfile
from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from comicsdb import clock
from comicsdb.accounts.passwords import Passwords
from comicsdb.library.transfer import background, imports
from comicsdb.models import CollectionItem, Issue, LibraryImport, ReadingList, ReadingListItem, WishListItem
from tests.conftest import record_statements
from tests.core.library.library_files import create_catalogue, exported_library, fill_library
from tests.web.conftest import field_errors, form_to, log_in, notice, soup, start_session

UPLOAD, LISTS = "/collection/import/", "/reading-lists/import/"
TABLE = b"""Series,Number,Grade,Notes,Series year
The Lamplighter,1,9.8,<b>bold</b>,2018
the lamplighter,3,perfect,,
Nobody Knows,1,,,
Night & Crew,-1,,,1999
"""


@pytest.fixture
def stock(make):
    return create_catalogue(make)


@pytest.fixture
def nora(testapp, member, stock):
    start_session(testapp, member)
    return member


def send_file(testapp, data, *, at=UPLOAD, name="mine.csv", status=303, **fields):
    form = form_to(testapp.get(at), at)
    form["file"] = [(name, data)] if at == LISTS else (name, data)
    for field, value in fields.items():
        form[field] = value
    answer = form.submit(expect_errors=True)
    assert answer.status_int == status, field_errors(answer)
    return answer


def uploaded(testapp, data=TABLE, **more):
    """Upload a file; returns the address of its review."""
    return send_file(testapp, data, **more).location.removeprefix("http://localhost")


def owned(session, user):
    session.expire_all()
    rows = select(CollectionItem).where(CollectionItem.user_id == user.id).order_by(CollectionItem.issue_id)
    return session.scalars(rows).all()


def test_a_large_file_is_decided_by_series_while_its_owner_does_something_else(
    testapp, wsgi, session, nora, stock, make, monkeypatch
):
    monkeypatch.setattr(background, "LARGE", 100)
    twins = [make.series(name="Twins", year_began=year) for year in (1990, 1995)]
    for twin in twins:
        make.issue(series=twin, number="1")

    def finish():
        while background.work(wsgi.registry["comicsdb.session_factory"], wsgi.registry.settings):
            pass

    rows = [f"The Lamplighter,{1 + n % 10},x\n" for n in range(30)]
    rows += ["Twins,1,\n", "=Nobody,5,\n"]
    address = uploaded(testapp, ("Series,Number,Notes\n" + "".join(rows)).encode())
    page = testapp.get(address)
    assert soup(page).select_one("noscript meta[http-equiv=refresh]")["content"] == "4"
    renewed = testapp.get(address, headers={"X-Fragment": "1"})
    assert soup(renewed).template["data-target"] == soup(page).select_one("[data-poll]")["id"]
    assert "The file is being read." in page.text
    assert "In progress" in testapp.get(UPLOAD).text
    finish()
    page = testapp.get(address)
    assert not soup(page).select("noscript meta")
    testapp.get(address, headers={"X-Fragment": "1"}, status=204)
    assert [each.get_text(" ", strip=True) for each in soup(page).select(".import-counts li")] == [
        "0 found",
        "31 to choose",
        "1 not in the catalogue",
    ]
    table = testapp.get(f"{address}not-found.csv")
    assert table.content_disposition == 'attachment; filename="comicsdb-not-found.csv"'
    assert [line.split(",")[:3] for line in table.text.lstrip("\ufeff").splitlines()[1:]] == [
        ["33", "'=Nobody", "5"]
    ]
    form = form_to(page, address)
    assert form["series-0"].value == str(stock.long.id)  # the only one of this name is proposed
    assert [value for value, _chosen, _text in form["series-1"].options] == ["", *(str(t.id) for t in twins)]
    form["series-1"] = str(twins[1].id)
    form.submit(status=303)
    assert "The rows are being added to your library." in testapp.get(address).text
    finish()
    page = testapp.get(address)
    assert "11 issues were added to your collection." in page.text
    assert {item.quantity for item in owned(session, nora)} == {3, 1}
    undo = soup(page).select_one("main form[action$='/undo/']")
    token = form_to(testapp.get(UPLOAD), UPLOAD)["csrf_token"].value
    testapp.post(undo["action"], {"csrf_token": token}, status=303)
    assert owned(session, nora) == []


def test_rows_of_a_large_file_without_a_choice_can_be_downloaded(
    testapp, wsgi, nora, stock, make, monkeypatch
):
    monkeypatch.setattr(background, "LARGE", 10)
    for year in (1990, 1995):
        make.issue(series=make.series(name="Twins", year_began=year), number="1")
    address = uploaded(testapp, b"Series,Number\nThe Lamplighter,1\nTwins,1\n")

    def page():
        while background.work(wsgi.registry["comicsdb.session_factory"], wsgi.registry.settings):
            pass
        return testapp.get(address)

    review = page()
    assert "not-found.csv" not in review.text
    form_to(review, address).submit(status=303)
    table = page().click("Download the rows that were not found").text.removeprefix("\ufeff")
    assert [row[:3] + row[5:] for row in csv.reader(table.splitlines())][1:] == [
        ["3", "Twins", "1", "Several match: which one is it?"]
    ]


def test_cells_of_a_large_file_that_cannot_be_read_are_told(testapp, wsgi, nora, stock, monkeypatch):
    monkeypatch.setattr(background, "LARGE", 10)
    rows = ["The Lamplighter,1,perfect,4.5,", "The Lamplighter,2,9.8,4,", "=Nobody,3,=x,,"]
    rows += ["The Lamplighter,3,,,Not in Collection"]
    table = "Series,Number,Grade,Rating,Collection status\n" + "\n".join(rows)
    address = uploaded(testapp, table.encode())

    def page():
        while background.work(wsgi.registry["comicsdb.session_factory"], wsgi.registry.settings):
            pass
        return testapp.get(address)

    review = page()
    assert "1 row says nothing about your library and is left out." in review.text
    form_to(review, address).submit(status=303)
    for shown in (review, page()):
        assert "2 rows have cells that were not recognised; they are left out." in shown.text
        cells = shown.click("Download these cells").text.removeprefix("\ufeff")
        assert list(csv.reader(cells.splitlines())) == [
            ["row", "issue", "field", "text"],
            ["2", "The Lamplighter #1", "Grade", "perfect"],
            ["2", "The Lamplighter #1", "Stars", "4.5"],
            ["4", "'=Nobody #3", "Grade", "'=x"],
        ]


@pytest.mark.parametrize("large", [False, True])
def test_rows_that_were_not_found_become_new_issues(testapp, wsgi, session, nora, stock, monkeypatch, large):
    monkeypatch.setattr(background, "LARGE", 10 if large else 10**6)
    rows = ["Nobody,1,2019-05", "Nobody,1,2019-05", "Nobody,2,", "The Lamplighter,11,2018-11-01"]
    address = uploaded(testapp, ("Series,Number,Cover date\n" + "\n".join(rows)).encode())

    def finish():
        while background.work(wsgi.registry["comicsdb.session_factory"], wsgi.registry.settings):
            pass

    finish()
    listed = testapp.get(address).click("Create the missing issues")
    assert [each.get_text() for each in soup(listed).select(".row-text a")] == ["Nobody", "The Lamplighter"]
    page = listed.click("Nobody")
    action = f"{address}new-issues/"
    refused = form_to(page, f"{action}?series=Nobody").submit(status=422)
    assert "This field is required." in soup(refused).select_one("#series").get_text()
    first, *_rest, find = soup(refused).select(".import-review button:not(.button-pop)")
    assert first.get("name") is None  # with Enter in a field, browsers press the first button
    assert (find["name"], find["formaction"]) == ("find", f"{action}?series=Nobody#series")
    form = form_to(refused, f"{action}?series=Nobody")
    form["series-q"] = "night"
    form = form_to(form.submit("find", value="series"), f"{action}?series=Nobody")
    form["series"] = str(stock.other.id)
    form["cover_date-1"] = "June"
    page = form.submit(status=422)
    found = soup(page).select(".import-rows fieldset")
    assert [each.legend.get_text() for each in found] == ["Nobody #1", "Nobody #2"]
    assert [len(each.select(".field-error")) for each in found] == [0, 1]
    form = form_to(page, f"{action}?series=Nobody")
    form["cover_date-1"] = ""  # the date is optional
    assert notice(form.submit().follow()) == "2 issues were created."
    made = session.execute(
        select(Issue.number, Issue.cover_date_precision).where(Issue.series_id == stock.other.id)
    )
    assert sorted(map(tuple, made)) == [("-1", "day"), ("1", "month"), ("2", "none"), ("½", "day")]
    form_to(testapp.get(address), address).submit()
    finish()
    assert [each.quantity for each in owned(session, nora)] == [2, 1]


def test_a_file_is_reviewed_and_then_stored(testapp, session, nora, stock):
    address = uploaded(testapp)
    page = testapp.get(address)
    assert page.headers["Cache-Control"] == "private, no-store"
    assert owned(session, nora) == []
    shown = soup(page)
    assert [each.get_text(" ", strip=True) for each in shown.select(".import-counts a")] == [
        "1 found",
        "2 to choose",
        "1 not in the catalogue",
    ]
    assert [each["href"] for each in shown.select(".import-table td a")] == [
        f"/issue/{stock.issues[0].slug}/"
    ]
    assert [each["value"] for each in shown.select("input[name=choose-1][checked]")] == [
        str(stock.issues[2].id)
    ]
    assert "Grade “perfect”" in shown.select_one(".import-unclear").get_text(" ", strip=True)
    assert "No series with this name was found." in page.text
    form = form_to(page, address)
    form["choose-3"] = str(stock.others[0].id)
    answer = form.submit(status=303)
    assert answer.location == "http://localhost/collection/"
    assert notice(answer.follow()) == "3 issues were added to your collection."
    first, _second, chosen = owned(session, nora)
    assert (first.issue_id, str(first.grade), first.notes) == (stock.issues[0].id, "9.8", "<b>bold</b>")
    assert chosen.issue_id == stock.others[0].id
    testapp.get(address, status=404)  # the import is finished
    form.submit(status=404)


def test_rows_can_be_left_out_and_nothing_is_chosen_by_itself(testapp, session, nora, stock):
    address = uploaded(testapp)
    form = form_to(testapp.get(address), address)
    form.get("leave", index=0).checked = True
    form.submit(status=303)
    assert [each.issue_id for each in owned(session, nora)] == [stock.issues[2].id]


def test_mine_stays_unless_the_files_is_wanted(testapp, session, nora, stock):
    for values, grade in (("mine", "9.8"), ("mine", "9.8"), ("file", "2.0")):
        data = f"Series,Number,Grade\nThe Lamplighter,1,{grade if values == 'file' else '9.8'}\n"
        if len(owned(session, nora)) and values == "mine":
            data = "Series,Number,Grade\nThe Lamplighter,1,0.5\n"
        address = uploaded(testapp, data.encode())
        form = form_to(testapp.get(address), address)
        form["values"] = values
        form.submit(status=303)
        assert [str(each.grade) for each in owned(session, nora)] == [grade]


def test_only_what_was_offered_can_be_chosen(testapp, session, nora, stock):
    address = uploaded(testapp)
    form = form_to(testapp.get(address), address)
    sent = [*form.submit_fields(), ("choose-3", str(stock.issues[5].id))]
    answer = testapp.post(address, sent, expect_errors=True)
    assert answer.status_int == 422
    assert field_errors(answer)[""] == "Row 5: choose one of the options."
    assert owned(session, nora) == []
    for name, value in (("choose-0", str(stock.issues[5].id)), ("choose-2", str(stock.issues[5].id))):
        status = 422 if name == "choose-0" else 303
        testapp.post(address, [*form.submit_fields(), (name, value)], status=status)
    assert stock.issues[5].id not in [each.issue_id for each in owned(session, nora)]


def test_odd_fields_of_the_review_choose_nothing(testapp, session, nora):
    address = uploaded(testapp)
    odd = [
        ("choose-x", "1"),
        ("choose-3", "²"),
        ("choose-99999", "1"),
        ("leave", "-1"),
        ("leave", "x"),
        ("values", "?"),
    ]
    testapp.post(address, [*form_to(testapp.get(address), address).submit_fields(), *odd], status=303)
    assert len(owned(session, nora)) == 2


BAD = {
    b"": "Choose a file.",
    b"\x00\x01binary": "This is not a supported file.",
    b"Name,Colour\na,b\n": "The columns of this table were not recognised.",
    b'{"format": "other"}': "This JSON is not a comicsdb library",
    b"PK\x03\x04broken": "The archive cannot be read",
    b'<!DOCTYPE a [<!ENTITY b "c">]><ReadingList/>': "This XML was rejected",
}


def test_a_bad_file_is_refused_beside_its_field(testapp, session, nora):
    for data, said in BAD.items():
        answer = send_file(testapp, data, status=422)
        assert said in field_errors(answer)["file"]
        assert "choose the file again" in answer.text
    assert session.scalar(select(func.count()).select_from(LibraryImport)) == 0


def test_a_cell_with_a_null_character_is_shown_without_it(testapp, session, nora, stock):
    cell = {"issue_id": stock.issues[0].id, "quantity": "\0abc"}
    data = {"format": "comicsdb-library", "version": 1, "collection": [cell]}
    address = uploaded(testapp, json.dumps(data).encode(), name="mine.json")
    page = testapp.get(address)
    assert "Copies “abc”" in soup(page).select_one(".import-unclear").get_text(" ", strip=True)
    form_to(page, address).submit(status=303)
    assert [each.quantity for each in owned(session, nora)] == [1]


def test_rows_and_size_are_settings_also_for_what_an_archive_unpacks_to(other_site, member, stock):
    start_session(other_site, member)
    assert "more than 3 rows" in field_errors(send_file(other_site, TABLE, status=422))["file"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("collection.csv", b"0" * 3_000_000)
    assert "larger than 1 MB" in field_errors(send_file(other_site, packed.getvalue(), status=422))["file"]


def test_prices_without_a_currency_get_the_chosen_one(testapp, session, nora):
    address = uploaded(
        testapp, b"Series,Number,Price paid\nThe Lamplighter,1,2.50\nThe Lamplighter,2,$3\n", currency="GBP"
    )
    form_to(testapp.get(address), address).submit(status=303)
    found = [(str(each.purchase_price), each.purchase_currency) for each in owned(session, nora)]
    assert found == [("2.50", "GBP"), ("3.00", "USD")]


def test_prices_of_wishes_get_it_too(testapp, session, nora, stock):
    data = f"issue_id,priority,max_price\n{stock.issues[0].id},1,2.50\n".encode()
    address = uploaded(testapp, data, currency="GBP")
    form_to(testapp.get(address), address).submit(status=303)
    found = session.scalars(select(WishListItem)).one()
    assert (str(found.max_price), found.max_currency) == ("2.50", "GBP")


def test_nobody_else_knows_of_an_import(testapp, make, session, nora):
    address = uploaded(testapp)
    form = form_to(testapp.get(address), address)
    make.user("Eve", password="correct horse", passwords=Passwords("fast"), is_staff=True, is_superuser=True)
    testapp.reset()
    assert testapp.get(address, status=303).location.startswith("http://localhost/accounts/login/")
    log_in(testapp, "Eve")
    token = form_to(testapp.get(UPLOAD), UPLOAD)["csrf_token"].value
    for path in (
        address,
        address.replace("/collection/", "/reading-lists/"),
        "/collection/import/999999999999999999999/",
    ):
        testapp.get(path, status=404)
        testapp.post(path, {"csrf_token": token}, status=404)
        testapp.post(f"{path}forget/", {"csrf_token": token}, status=404)
    assert "mine.csv" not in testapp.get(UPLOAD).text
    assert owned(session, nora) == []
    assert form["csrf_token"].value != token


def test_an_import_can_be_forgotten_and_is_after_a_day(testapp, session, nora):
    address = uploaded(testapp)
    assert "mine.csv" in testapp.get(UPLOAD).text
    form_to(testapp.get(address), f"{address}forget/").submit(status=303)
    testapp.get(address, status=404)
    address = uploaded(testapp)
    session.execute(update(LibraryImport).values(created_on=clock.now() - timedelta(days=1, seconds=1)))
    session.commit()
    testapp.get(address, status=404)
    assert imports.clean(session) == 1
    assert session.scalar(select(func.count()).select_from(LibraryImport)) == 0


def test_a_large_import_cannot_be_discarded_while_it_is_stored(
    testapp, wsgi, session, nora, stock, monkeypatch
):
    monkeypatch.setattr(background, "LARGE", 100)
    factory, settings = wsgi.registry["comicsdb.session_factory"], wsgi.registry.settings
    rows = "".join(f"The Lamplighter,{1 + n % 10},x\n" for n in range(30))
    address = uploaded(testapp, f"Series,Number,Notes\n{rows}".encode())
    while background.work(factory, settings):
        pass
    assert soup(testapp.get(UPLOAD)).select(f"form[action='{address}forget/']")
    form_to(testapp.get(address), address).submit(status=303)
    listed = testapp.get(UPLOAD)
    assert not soup(listed).select(f"form[action='{address}forget/']")
    token = {"csrf_token": form_to(listed, UPLOAD)["csrf_token"].value}
    refused = testapp.post(f"{address}forget/", token, status=303).follow()
    assert (
        notice(refused)
        == "This import is being added to your library. You can undo it as soon as it is done."
    )
    session.execute(update(LibraryImport).values(created_on=clock.now() - timedelta(days=2)))
    session.commit()
    assert imports.clean(session) == 0
    session.execute(update(LibraryImport).values(created_on=clock.now()))
    session.commit()
    while background.work(factory, settings):
        pass
    removed = form_to(testapp.get(UPLOAD), f"{address}forget/").submit(status=303).follow()
    assert notice(removed) == "The import was removed from the list; your library stays as it is."
    assert len(owned(session, nora)) == 10
    testapp.get(address, status=404)


def test_only_the_three_newest_wait(testapp, session, nora):
    first, *others = [uploaded(testapp) for _ in range(4)]
    testapp.get(first, status=404)
    for address in others:
        testapp.get(address, status=200)


def test_a_reading_list_comes_in_as_cbl_and_goes_out(testapp, session, nora, stock):
    books = "".join(
        f'<Book Series="{series}" Number="{number}" Volume="2018"/>'
        for series, number in (("The Lamplighter", 4), ("Nobody Knows", 1), ("The Lamplighter", 2))
    )
    data = f"<ReadingList><Name>Night</Name><Books>{books}</Books></ReadingList>".encode()
    address = uploaded(testapp, data, at=LISTS, name="night.cbl")
    page = testapp.get(address)
    assert "Nobody Knows (2018) #1" in page.text
    form = form_to(page, address)
    form["list_name"], form["list_private"] = "  ", True
    answer = form.submit(expect_errors=True)
    assert (answer.status_int, list(field_errors(answer))) == (422, ["list_name"])
    form["list_name"] = "The Dark & Night"
    answer = form.submit(status=303)
    assert answer.location == "http://localhost/reading-lists/my-lists/"
    made = session.scalars(select(ReadingList).where(ReadingList.user_id == nora.id)).one()
    assert (made.name, made.is_private) == ("The Dark & Night", True)
    rows = select(ReadingListItem.issue_id).where(ReadingListItem.reading_list_id == made.id)
    assert session.scalars(rows.order_by(ReadingListItem.order)).all() == [
        stock.issues[3].id,
        stock.issues[1].id,
    ]
    export = f"/reading-lists/{made.slug}/export.cbl"
    answer = testapp.get(export)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="comicsdb-{made.slug}.cbl"'
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.body.count(b"<Book ") == 3
    testapp.reset()
    testapp.get(export, status=404)
    session.execute(update(ReadingList).values(is_private=False))
    session.commit()
    assert testapp.get(export).body.count(b"<Book ") == 3


def test_several_lists_in_one_upload_are_reviewed_together_and_added(testapp, session, nora, stock):
    form = form_to(testapp.get(LISTS), LISTS)
    book = '<Book Series="The Lamplighter" Number="{}" Volume="2018"/>'
    files = [
        (f"{name}.xml", f"<ReadingList><Name>{name}</Name><Books>{book.format(n)}</Books></ReadingList>")
        for n, name in enumerate(("Dusk", "Night"), 1)
    ]
    form["file"] = [(name, text.encode()) for name, text in files]
    form["private"] = True
    answer = form.submit(status=303)
    address = answer.location.removeprefix("http://localhost")
    page = testapp.get(address)
    assert "Dusk.xml and 1 more" in page.text
    answer = form_to(page, address).submit(status=303)
    assert answer.location == "http://localhost/reading-lists/my-lists/"
    rows = select(ReadingList.name, ReadingList.is_private).order_by(ReadingList.name)
    assert session.execute(rows).all() == [("Dusk", True), ("Night", True)]


def test_the_library_goes_out_and_comes_back(testapp, make, session, nora, stock):
    ann = make.user("Ann", password="correct horse", passwords=Passwords("fast"))
    fill_library(session, ann, stock)
    exported = exported_library(session, ann)
    testapp.reset()
    log_in(testapp, "Ann")
    assert "/accounts/export/library/" in testapp.get("/accounts/export/").text
    files = {each: testapp.get(f"/accounts/export/library/?format={each}") for each in ("json", "csv")}
    assert files["csv"].content_type == "application/zip"
    assert all(each.headers["Cache-Control"] == "private, no-store" for each in files.values())
    testapp.get("/accounts/export/library/?format=xml", status=400)
    testapp.reset()
    log_in(testapp)
    for name, answer in files.items():
        address = uploaded(testapp, answer.body, name=f"library.{name}")
        page = testapp.get(address)
        assert "Second half" in page.text
        form_to(page, address).submit(status=303)
        assert exported_library(session, nora) == exported


def test_the_collection_goes_out_as_it_is_filtered(testapp, session, nora, stock):
    fill_library(session, nora, stock)
    answer = testapp.get("/collection/export/?format=json&grade=9.8")
    assert [each["number"] for each in json.loads(answer.body)["collection"]] == ["1"]
    answer = testapp.get("/collection/export/?format=csv&series_name=lamplighter&grade=nonsense")
    assert answer.text.count("The Lamplighter") == 3
    assert answer.headers["Content-Disposition"] == 'attachment; filename="comicsdb-collection.csv"'
    testapp.get("/collection/export/?format=xml", status=400)


def test_pages_and_files_cost_a_constant_number_of_statements(testapp, connection, nora, stock, make):
    costs = []
    for rows in (1, 60):  # WebOb writes larger forms to files
        table = "Series,Number\n" + "".join(f"The Lamplighter,{n % 10 + 1}\nNight,{n}\n" for n in range(rows))
        found = []
        with record_statements(connection) as statements:
            address = uploaded(testapp, table.encode())
        found.append(len(statements))
        for path in (
            address,
            "/collection/export/?format=csv",
            "/accounts/export/library/?format=csv",
            UPLOAD,
        ):
            with record_statements(connection) as statements:
                testapp.get(path)
            found.append(len(statements))
        with record_statements(connection) as statements:
            form_to(testapp.get(address), address).submit(status=303)
        costs.append([*found, len(statements)])
    assert costs[0] == costs[1]
    assert costs[0][1] <= 6
