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
from comicsdb.library.transfer import background, imports, review
from comicsdb.models import CollectionItem, Issue, LibraryImport, ReadingList, ReadingListItem, WishListItem
from tests.conftest import record_statements
from tests.core.library.library_files import create_catalog, exported_library, fill_library
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
    return create_catalog(make)


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


def finish(wsgi):
    """Do the work of the thread that imports large files."""
    while background.work(wsgi.registry["comicsdb.session_factory"], wsgi.registry.settings):
        pass


@pytest.fixture
def no_small_files(monkeypatch):
    """Import all files in the background."""
    for limit in ("LARGE", "LARGE_ROWS"):
        monkeypatch.setattr(background, limit, 0)


def owned(session, user):
    session.expire_all()
    rows = select(CollectionItem).where(CollectionItem.user_id == user.id).order_by(CollectionItem.issue_id)
    return session.scalars(rows).all()


def test_a_large_file_is_decided_by_series_while_its_owner_does_something_else(
    testapp, wsgi, session, nora, stock, make, no_small_files
):
    twins = [make.series(name="Twins", year_began=year) for year in (1990, 1995)]
    for twin in twins:
        make.issue(series=twin, number="1")

    rows = [f"The Lamplighter,{1 + n % 10},x\n" for n in range(30)]
    rows += ["Twins,1,\n", "=Nobody,5,\n"]
    address = uploaded(testapp, ("Series,Number,Notes\n" + "".join(rows)).encode())
    page = testapp.get(address)
    assert soup(page).select_one("noscript meta[http-equiv=refresh]")["content"] == "4"
    renewed = testapp.get(address, headers={"X-Fragment": "1"})
    assert soup(renewed).template["data-target"] == soup(page).select_one("[data-poll]")["id"]
    assert "The file is being read." in page.text
    assert "In progress" in testapp.get(UPLOAD).text
    finish(wsgi)
    page = testapp.get(address)
    assert not soup(page).select("noscript meta")
    testapp.get(address, headers={"X-Fragment": "1"}, status=204)
    assert [each.get_text(" ", strip=True) for each in soup(page).select(".import-counts li")] == [
        "0 found",
        "31 to choose",
        "1 not in the catalog",
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
    finish(wsgi)
    page = testapp.get(address)
    assert "11 issues were added to your collection." in page.text
    assert {item.quantity for item in owned(session, nora)} == {3, 1}
    undo = soup(page).select_one("main form[action$='/undo/']")
    token = form_to(testapp.get(UPLOAD), UPLOAD)["csrf_token"].value
    testapp.post(undo["action"], {"csrf_token": token}, status=303)
    assert owned(session, nora) == []


def test_rows_without_a_choice_can_be_downloaded(testapp, wsgi, nora, stock, make, no_small_files):
    for year in (1990, 1995):
        make.issue(series=make.series(name="Twins", year_began=year), number="1")
    address = uploaded(testapp, b"Series,Number\nThe Lamplighter,1\nTwins,1\n")

    def page():
        finish(wsgi)
        return testapp.get(address)

    review = page()
    assert "not-found.csv" not in review.text
    form_to(review, address).submit(status=303)
    table = page().click("Download the rows that were not found").text.removeprefix("\ufeff")
    assert [row[:3] + row[5:] for row in csv.reader(table.splitlines())][1:] == [
        ["3", "Twins", "1", "Several match: which one is it?"]
    ]


def test_cells_that_cannot_be_read_are_told(testapp, wsgi, nora, stock, no_small_files):
    rows = ["The Lamplighter,1,perfect,4.5,", "The Lamplighter,2,9.8,4,", "=Nobody,3,=x,,"]
    rows += ["The Lamplighter,3,,,Not in Collection"]
    table = "Series,Number,Grade,Rating,Collection status\n" + "\n".join(rows)
    address = uploaded(testapp, table.encode())

    def page():
        finish(wsgi)
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


def test_rows_that_were_not_found_become_new_issues(testapp, session, nora, stock):
    rows = ["Nobody,1,2019-05", "Nobody,1,2019-05", "Nobody,2,", "The Lamplighter,11,2018-11-01"]
    address = uploaded(testapp, ("Series,Number,Cover date\n" + "\n".join(rows)).encode())
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
        "1 not in the catalog",
    ]
    assert [each["href"] for each in shown.select(".import-table td a")] == [
        f"/issue/{stock.issues[0].slug}/"
    ]
    assert "Grade “perfect”" in testapp.get(f"{address}?series=the+lamplighter").text
    assert "1 row has cells that were not recognised" in page.text
    assert "No series with this name was found." in page.text
    _doubtful, likely = [select_.find_parent("li") for select_ in shown.select(".import-series select")]
    texts = [option.get_text(" ", strip=True) for option in likely.select("option")]
    assert texts == ["Not decided", "The Lamplighter (2018) · Harbor House · 10 issues"]
    assert "Only the name and the number match" in likely.get_text()
    form = form_to(page, address)
    assert (form["series-0"].value, form["series-1"].value) == ("", str(stock.long.id))
    form["series-0"] = str(stock.other.id)
    answer = form.submit(status=303)
    assert answer.location == "http://localhost/collection/"
    assert notice(answer.follow()) == "3 issues were added to your collection."
    first, _second, chosen = owned(session, nora)
    assert (first.issue_id, str(first.grade), first.notes) == (stock.issues[0].id, "9.8", "<b>bold</b>")
    assert chosen.issue_id == stock.others[0].id
    assert "3 issues were added to your collection." in testapp.get(address).text
    form.submit(status=303)  # the import is finished
    assert len(owned(session, nora)) == 3


def test_rows_can_be_left_out_and_nothing_is_chosen_by_itself(testapp, session, nora, stock):
    address = uploaded(testapp)
    form = form_to(testapp.get(address), address)
    form.get("leave", index=0).checked = True
    form["series-0"] = ""
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


def test_review_with_a_choice_that_was_not_offered_is_refused(testapp, session, nora, stock):
    address = uploaded(testapp)
    form = form_to(testapp.get(address), address)
    other = str(stock.issues[5].id)
    wrong = {
        "Row 5: choose one of the options.": [("choose-3", other)],
        "Row 2: choose one of the options.": [("choose-0", other)],
        "Row 4: choose one of the options.": [("choose-2", other)],
        "“Night & Crew (1999)”: choose one of the options.": [("series-0", str(stock.long.id))],
        "“Nobody Knows”: choose one of the options.": [
            ("named-9", "Nobody Knows"),
            ("series-9", str(stock.long.id)),
        ],
    }
    for text, fields in wrong.items():
        answer = testapp.post(address, [*form.submit_fields(), *fields], expect_errors=True)
        assert (answer.status_int, field_errors(answer)[""]) == (422, text)
    assert owned(session, nora) == []


def test_odd_fields_of_the_review_choose_nothing(testapp, session, nora):
    address = uploaded(testapp)
    odd = [
        ("choose-x", "1"),
        ("choose-3", "²"),
        ("choose-99999", "1"),
        ("series-x", "1"),
        ("named-y", "y"),
        ("shown", "x -1"),
        ("leave", "-1"),
        ("leave", "x"),
        ("leave", "99999999999"),
        ("values", "?"),
    ]
    form = form_to(testapp.get(address), address)
    form["series-0"] = ""
    testapp.post(address, [*form.submit_fields(), *odd], status=303)
    assert len(owned(session, nora)) == 2


def test_rows_of_one_name_are_chosen_one_by_one_and_the_choice_is_kept(testapp, session, nora, stock, make):
    twins = [make.series(name="Twins", year_began=year) for year in (1990, 1995)]
    issues = [[make.issue(series=twin, number=str(number)) for number in (1, 2, 3)] for twin in twins]
    address = uploaded(testapp, b"Series,Number\nTwins,1\nTwins,2\nTwins,3\n")
    page = testapp.get(address).click("Choose row by row")
    form = form_to(page, f"{address}?series=Twins")
    form["choose-0"], form["choose-1"], form["choose-2"] = str(issues[1][0].id), str(issues[0][1].id), "0"
    page = form.submit(status=303).follow()
    shown = soup(page)
    assert [each.get_text(" ", strip=True) for each in shown.select(".import-counts li")] == [
        "2 found",
        "0 to choose",
        "1 not in the catalog",
    ]
    assert "You chose none of the candidates." in page.text
    again = testapp.get(f"{address}?series=Twins")
    checked = [each["value"] for each in soup(again).select("input[type=radio][checked]")]
    assert checked == [str(issues[1][0].id), str(issues[0][1].id), "0"]
    form_to(page, address).submit(status=303)
    assert [each.issue_id for each in owned(session, nora)] == [issues[0][1].id, issues[1][0].id]


def test_choices_are_kept_from_page_to_page(testapp, session, nora, stock, make, monkeypatch):
    monkeypatch.setattr(review, "PAGE_SIZE", 2)
    twins = [make.series(name="Twins", year_began=year) for year in (1990, 1995)]
    for twin in twins:
        make.issue(series=twin, number="1")
    rows = "".join(f"The Lamplighter,{number},2018\n" for number in range(1, 6))
    address = uploaded(testapp, f"Series,Number,Series year\n{rows}Twins,1,\n".encode())
    page = testapp.get(address)
    form = form_to(page, address)
    form["series-0"] = str(twins[1].id)
    form.get("leave", index=1).checked = True
    page = form.submit("page", value="2", status=303).follow()
    assert "Page 2 of 3" in page.text
    form = form_to(page, f"{address}?page=2")
    form.get("leave", index=0).checked = True
    page = form.submit("page", value="1", status=303).follow()
    form = form_to(page, f"{address}?page=1")
    assert form["series-0"].value == str(twins[1].id)
    assert [form.get("leave", index=index).checked for index in (0, 1)] == [False, True]
    form.submit(status=303)
    numbers = session.scalars(select(Issue.number).join(CollectionItem).order_by(Issue.id)).all()
    assert sorted(numbers) == ["1", "1", "4", "5"]


def test_a_series_that_was_not_found_is_matched_by_hand_for_all_its_rows(testapp, session, nora, stock):
    rows = "Lamplighter Annuals,1\nLamplighter Annuals,#02\nLamplighter Annuals,77\nLamplighter Annuals,78\n"
    address = uploaded(testapp, f"Series,Number\n{rows}".encode())
    page = testapp.get(address).click("Find the series")
    finder = f"{address}series/?series=Lamplighter+Annuals"
    token = ("csrf_token", form_to(page, finder)["csrf_token"].value)
    for value in ("", "x", "99999999999", "0"):
        answer = testapp.post(finder, [token, ("series", value)], expect_errors=True)
        assert (answer.status_int, field_errors(answer)) == (422, {"series": "This field is required."})
    form = form_to(page, finder)
    form["series-q"] = "night"
    form = form_to(form.submit("find", value="series"), finder)
    form["series"] = str(stock.other.id)
    page = form.submit(status=303).follow()
    texts = [each.get_text(" ", strip=True) for each in soup(page).select(".message")]
    assert texts[1].startswith("The series does not have 4 of them, which stay unmatched: Lamplighter")
    form = form_to(page.click("Find the series"), finder)  # it was the wrong one
    form["series-q"] = "the lamplighter"
    form = form_to(form.submit("find", value="series"), finder)
    form["series"] = str(stock.long.id)
    page = form.submit(status=303).follow()
    texts = [each.get_text(" ", strip=True) for each in soup(page).select(".message")]
    assert texts == [
        "2 rows of “Lamplighter Annuals” are matched now.",
        "The series does not have 2 of them, which stay unmatched:"
        " Lamplighter Annuals #77, Lamplighter Annuals #78",
    ]
    assert "The series was found, but not this number." in page.text
    assert "Chosen by you" in page.text
    form_to(page, address).submit(status=303)
    assert [each.issue_id for each in owned(session, nora)] == [issue.id for issue in stock.issues[:2]]


def test_an_import_with_several_changes_shows_one_message_with_one_undo(testapp, session, nora, stock):
    issues = [{"issue_id": issue.id} for issue in stock.issues[:2]]
    data = {"collection": issues[:1], "wish_list": issues[1:], "ratings": [issues[0] | {"rating": 4}]}
    file = json.dumps({"format": "comicsdb-library", "version": 1, **data}).encode()
    address = uploaded(testapp, file, name="mine.json")
    page = form_to(testapp.get(address), address).submit(status=303).follow()
    message, undo = soup(page).select_one(".message"), soup(page).select(".message-undo")
    assert len(undo) == len(soup(page).select(".message")) == 1
    assert message.get_text(" ", strip=True).startswith(
        "1 issue was added to your collection. 1 wish was added. 1 issue was rated."
    )
    form_to(page, undo[0]["action"]).submit(status=303)
    assert owned(session, nora) == []
    assert session.scalar(select(func.count()).select_from(WishListItem)) == 0


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (("collection",), "Rows without a match are left out; you can import the file again later."),
        (("reading_lists",), "What has no match stays in its list"),
        (("collection", "reading_lists"), "entries of reading lists stay in their list"),
    ],
)
def test_review_says_what_becomes_of_rows_without_a_match(testapp, nora, parts, words):
    row = {"series": "Nobody Knows", "number": "1"}
    content = {"collection": [row], "reading_lists": [{"name": "Night", "items": [row]}]}
    data = {"format": "comicsdb-library", "version": 1} | {part: content[part] for part in parts}
    assert words in testapp.get(uploaded(testapp, json.dumps(data).encode(), name="mine.json")).text


BAD = {
    b"": "Choose a file.",
    b"\x00\x01binary": "This is not a supported file.",
    b"Name\na\n": "The columns of this table were not recognised.",
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
    testapp, wsgi, session, nora, stock, no_small_files
):
    rows = "".join(f"The Lamplighter,{1 + n % 10},x\n" for n in range(30))
    address = uploaded(testapp, f"Series,Number,Notes\n{rows}".encode())
    finish(wsgi)
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
    finish(wsgi)
    removed = form_to(testapp.get(UPLOAD), f"{address}forget/").submit(status=303).follow()
    assert notice(removed) == "The import was removed from the list; your library stays as it is."
    assert len(owned(session, nora)) == 10
    testapp.get(address, status=404)


def test_only_the_three_newest_wait(testapp, session, nora):
    first, *others = [uploaded(testapp) for _ in range(4)]
    testapp.get(first, status=404)
    for address in others:
        testapp.get(address, status=200)


def test_imports_that_are_done_make_room_before_one_that_waits(testapp, session, nora):
    waiting, *others = [uploaded(testapp) for _ in range(2)]
    for _ in range(2):
        form_to(testapp.get(others[-1]), others[-1]).submit(status=303)
        others.append(uploaded(testapp))
    testapp.get(others[0], status=404)
    for address in (waiting, *others[1:]):
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
    for rows in (1, 200):
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
