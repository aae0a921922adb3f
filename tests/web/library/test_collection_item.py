"""One item of a collection: adding, editing, edit conflicts, stars, reading dates, and removal."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from sqlalchemy import select

from comicsdb import clock
from comicsdb.library import collection
from comicsdb.models import CollectionItem, Issue, IssueRating
from tests.web.conftest import details, field_errors, form_to, form_with, notice, soup
from tests.web.forms.form_helpers import checkbox_labels, open_form, submit_form, value
from tests.web.library.collection_helpers import add_item, read_dates, reload

FULL = {
    "quantity": "2",
    "book_format": "BOTH",
    "grade": "9.8",
    "grading_company": "CGC",
    "purchase_date": "2026-01-02",
    "purchase_price": "4.50",
    "purchase_price_currency": "EUR",
    "purchase_store": "Corner Shop",
    "storage_location": "Box 3",
    "tags": "to sell, Signed,signed",
    "notes": "Signed.\n\nTwice.",
}


def only_item(session) -> CollectionItem:
    return session.scalars(select(CollectionItem).execution_options(populate_existing=True)).one()


def stars_of(session, user) -> dict[int, int]:
    rows = select(IssueRating.issue_id, IssueRating.rating).where(IssueRating.user_id == user.id)
    return dict(session.execute(rows).all())


def test_an_issue_is_added_with_all_that_is_known_of_it(testapp, world, session, reader):
    form = open_form(testapp, "/collection/add/")
    found = submit_form(
        form, {"issue_id-q": "lamplight #1", "notes": "kept"}, press=("find", "issue_id"), status=200
    )
    assert checkbox_labels(found, "issue_id") == [
        "Lamplight (2019) #1 2019-05",
        "Lamplight Collected TPB (2020) #1 2020-01",
    ]
    assert value(found, "notes") == "kept"
    done = submit_form(found, FULL | {"issue_id": [world.first.id], "is_read": ["", "1"]}).follow()
    assert notice(done) == "Lamplight (2019) #1 was added to your collection."
    item = only_item(session)
    assert (item.user_id, item.issue_id, item.quantity, item.book_format) == (
        reader.id,
        world.first.id,
        2,
        "BOTH",
    )
    assert (item.grade, item.grading_company, item.purchase_date) == (Decimal("9.8"), "CGC", date(2026, 1, 2))
    assert (item.purchase_price, item.purchase_currency) == (Decimal("4.50"), "EUR")
    assert (item.purchase_store, item.storage_location, item.notes) == (
        "Corner Shop",
        "Box 3",
        "Signed.\n\nTwice.",
    )
    assert item.is_read
    assert clock.now() - read_dates(session, item)[0] < timedelta(minutes=5)
    assert item.tags == ["Signed", "to sell"]
    assert details(done)["Tags"] == "Signed to sell"
    assert details(done)["Price paid"] == "€4.50"
    assert details(done)["Grade"] == "9.8 CGC"
    assert details(done)["Bought on"] == "January 2, 2026"
    assert "Twice." in soup(done).select_one(".summary").text


def test_an_issue_is_added_once(testapp, world, session, reader):
    add_item(session, reader, world.first, notes="mine")
    form = open_form(testapp, f"/collection/add/?issue_id={world.first.id}")
    assert checkbox_labels(form.page, "issue_id", ticked=True) == ["Lamplight (2019) #1 2019-05"]
    refused = submit_form(form, {"notes": "again"}, status=422)
    assert field_errors(refused) == {
        "issue_id": "This issue is already in your collection. Edit that entry,"
        " or choose “Another copy” to add one more."
    }
    assert value(refused, "notes") == "again"
    assert only_item(session).notes == "mine"


def test_item_form_proposes_todays_currency_of_the_publishers_country(testapp, make, session, reader):
    with make.single_commit():
        series = make.series(publisher=make.publisher(country="IT"), year_began=1962)
        issue = make.issue(series=series, cover_date=date(1975, 3, 1))
    page = testapp.get(f"/collection/add/?issue_id={issue.id}")
    assert value(page, "purchase_price_currency") == "EUR"
    item = add_item(session, reader, issue)
    page = testapp.get(f"/collection/{item.id}/update/")
    assert value(page, "purchase_price_currency") == "EUR"


def test_what_is_wrong_is_said_at_its_field_and_nothing_is_kept(testapp, world, session, reader):
    wrong = {
        "quantity": "0",
        "purchase_price": "much",
        "purchase_date": "soon",
        "storage_location": "x" * 256,
        "notes": "typed",
    }
    refused = submit_form(open_form(testapp, "/collection/add/"), wrong, status=422)
    assert set(field_errors(refused)) == {
        "issue_id",
        "quantity",
        "purchase_price",
        "purchase_date",
        "storage_location",
    }
    assert value(refused, "purchase_price") == "much"
    for field, text in (
        ("quantity", ""),
        ("quantity", "32768"),
        ("grade", "9.7"),
        ("book_format", "VINYL"),
        ("grading_company", "ME"),
        ("purchase_price", "-1"),
        ("issue_id", "999999"),
    ):
        form = open_form(testapp, f"/collection/add/?issue_id={world.first.id}")
        assert set(field_errors(submit_form(form, {field: [text]}, status=422))) == {field}, (field, text)
    assert session.scalar(select(CollectionItem.id)) is None


def test_the_page_of_an_issue_leads_into_the_collection_and_knows_it_then(testapp, world, session, reader):
    page = testapp.get(f"/issue/{world.first.slug}/")
    button = soup(page).select_one(".own [name=own]")
    fields = {"csrf_token": form_with(page, id="track")["csrf_token"].value, "own": button["value"]}
    done = testapp.post(button["formaction"], fields | {"next": page.request.path}, status=303)
    assert done.location == f"http://localhost/issue/{world.first.slug}/"
    there = done.follow()
    assert notice(there) == "Lamplight (2019) #1 was added to your collection."
    item = only_item(session)
    assert (item.quantity, item.book_format, item.is_read) == (1, "PRINT", False)
    assert there.click("In your collection").request.path == f"/collection/{item.id}/"


def test_nobody_else_is_offered_a_collection(testapp, world):
    assert "collection" not in testapp.get(f"/issue/{world.first.slug}/").text


def test_an_edit_changes_what_was_changed_and_never_the_issue(testapp, world, session, reader):
    item = add_item(session, reader, world.first, grade=Decimal("10.0"), notes="old", rating=4)
    form = open_form(testapp, f"/collection/{item.id}/update/")
    assert value(form.page, "grade") == "10.0"
    assert "issue_id" not in form.fields
    submit_form(form, {"notes": "new", "issue_id": str(world.second.id)})
    now = reload(session, item)
    assert (now.notes, now.grade, now.rating, now.issue_id) == ("new", Decimal("10.0"), 4, world.first.id)
    assert stars_of(session, reader) == {world.first.id: 4}
    again = submit_form(open_form(testapp, f"/collection/{item.id}/update/")).follow()
    assert notice(again) == "Nothing to change."


def test_a_change_by_somebody_else_meanwhile_is_told_before_anything_is_saved(
    testapp, world, session, reader
):
    item = add_item(session, reader, world.first, notes="before", purchase_store="before")
    form = open_form(testapp, f"/collection/{item.id}/update/")
    collection.update(session, reader.id, item.id, {"notes": "theirs", "quantity": 5})
    session.commit()
    conflict = submit_form(form, {"notes": "mine", "purchase_store": "mine"}, status=409)
    rows = soup(conflict).select(".differences tbody tr")
    told = {
        row.th.get_text(strip=True): [each.get_text(strip=True) for each in row.select("td")] for row in rows
    }
    assert told == {"Copies": ["5", "not changed", "theirs"], "Notes": ["theirs", "mine", "yours"]}
    assert (value(conflict, "notes"), value(conflict, "purchase_store")) == ("mine", "mine")
    assert value(conflict, "quantity") == "5"
    assert reload(session, item).notes == "theirs"
    submit_form(conflict)
    now = reload(session, item)
    assert (now.notes, now.purchase_store, now.quantity) == ("mine", "mine", 5)


def test_another_date_of_reading_is_no_conflict(testapp, world, session, reader):
    item = add_item(session, reader, world.first, is_read=True)
    form = open_form(testapp, f"/collection/{item.id}/update/")
    collection.add_read(session, reader.id, item.id, datetime(2020, 1, 1, tzinfo=UTC))
    session.commit()
    submit_form(form, {"notes": "mine"})
    assert reload(session, item).notes == "mine"
    assert len(read_dates(session, item)) == 2


def test_ticking_read_adds_a_date_and_taking_it_back_asks_first(testapp, world, session, reader):
    item = add_item(session, reader, world.first)
    submit_form(open_form(testapp, f"/collection/{item.id}/update/"), {"is_read": ["", "1"]})
    assert len(read_dates(session, item)) == 1
    collection.add_read(session, reader.id, item.id, datetime(2020, 1, 1, tzinfo=UTC))
    session.commit()
    asked = submit_form(
        open_form(testapp, f"/collection/{item.id}/update/"), {"is_read": [""], "notes": "typed"}, status=422
    )
    assert "The 2 dates on which you read it will be removed." in soup(asked).select_one(".notice").text
    assert value(asked, "notes") == "typed"
    assert reload(session, item).is_read
    submit_form(asked, press=("anyway", "1"))
    now = reload(session, item)
    assert (now.is_read, now.date_read, now.notes, read_dates(session, item)) == (False, None, "typed", [])


def test_a_conflict_is_told_before_dates_are_asked_about(testapp, world, session, reader):
    item = add_item(session, reader, world.first, is_read=True, notes="before")
    form = open_form(testapp, f"/collection/{item.id}/update/")
    collection.update(session, reader.id, item.id, {"notes": "theirs"})
    session.commit()
    conflict = submit_form(form, {"is_read": [""]}, status=409)
    assert value(conflict, "notes") == "theirs"
    asked = submit_form(conflict, status=422)
    submit_form(asked, press=("anyway", "1"))
    now = reload(session, item)
    assert (now.is_read, now.notes) == (False, "theirs")


def test_an_item_goes_when_that_is_confirmed_and_its_stars_stay(testapp, world, session, reader):
    item = add_item(session, reader, world.first, is_read=True, rating=3)
    page = testapp.get(f"/collection/{item.id}/delete/")
    assert only_item(session)
    done = form_to(page, f"/collection/{item.id}/delete/").submit(status=303)
    assert done.location == "http://localhost/collection/"
    assert notice(done.follow()) == "Lamplight (2019) #1 was removed from your collection."
    assert session.scalar(select(CollectionItem.id)) is None
    assert stars_of(session, reader) == {world.first.id: 3}
    testapp.get(f"/collection/{item.id}/", status=404)


def test_stars_of_an_item_are_those_of_its_issue(testapp, world, session, reader):
    item = add_item(session, reader, world.first)
    address = f"/collection/{item.id}/rate/"
    page = testapp.get(f"/collection/{item.id}/")
    token = form_to(page, address)["csrf_token"].value
    saved, removed = "Your rating was saved.", "Your rating was removed."
    for sent, expected, message in (
        *(("4", 4, saved), ("9", 4, ""), ("x", 4, ""), ("", 4, "")),
        *(("2", 2, saved), ("0", None, removed)),
    ):
        done = testapp.post(address, {"csrf_token": token, "rating": sent}, status=303)
        assert done.location == f"http://localhost/collection/{item.id}/"
        assert reload(session, item).rating == expected, sent
        assert stars_of(session, reader) == ({world.first.id: expected} if expected else {}), sent
        shown = done.follow()
        assert (notice(shown) if soup(shown).select_one(".message") else "") == message, sent
    part = testapp.post(address, {"csrf_token": token, "rating": "5"}, headers={"X-Fragment": "1"})
    assert soup(part).template["data-target"] == "item-rating"
    pressed = soup(part).template.find_all("button", attrs={"aria-pressed": "true"})
    assert [each["value"] for each in pressed] == ["5"]
    assert part.headers["Cache-Control"] == "private, no-store"


def test_stars_for_what_is_not_out_yet_are_the_readers_own(testapp, make, world, session, reader):
    issue = make.issue(series=world.series, number="9", store_date=clock.now().date() + timedelta(days=40))
    item = add_item(session, reader, issue)
    page = testapp.get(f"/collection/{item.id}/")
    assert "Until then only you can see your rating" in page.text
    token = soup(page).select_one("[name=csrf_token]")["value"]
    sent = {"csrf_token": token, "rating": "5"}
    done = testapp.post(f"/collection/{item.id}/rate/", sent, status=303)
    assert notice(done.follow()) == "Your rating was saved."
    assert reload(session, item).rating == 5
    assert session.get(Issue, issue.id, populate_existing=True).rating_count == 0
    page = testapp.get(f"/issue/{issue.slug}/")
    assert "It can be rated once it is out" in page.text


def test_dates_of_reading_are_noted_in_the_sites_zone_and_taken_back_one_by_one(
    testapp, world, session, reader, wsgi
):
    zone = wsgi.registry.settings["comicsdb.timezone"]
    item = add_item(session, reader, world.first)
    path = f"/collection/{item.id}/"
    for typed in ("2026-07-01 18:30", "2026-01-02T09:00", "2026-03-04", ""):
        form = form_to(testapp.get(path), f"{path}read-date/add/")
        form["read_date"] = typed
        assert notice(form.submit(status=303).follow()) == "The reading date was added."
    read = read_dates(session, item)
    local = ((2026, 1, 2, 9), (2026, 3, 4), (2026, 7, 1, 18, 30))
    assert read[:3] == [datetime(*each, tzinfo=zone).astimezone(UTC) for each in local]
    assert clock.now() - read[3] < timedelta(minutes=5)
    assert reload(session, item).date_read == read[3]
    page = testapp.get(path)
    shown = [each["datetime"] for each in soup(page).select(".read-dates time")]
    assert [datetime.fromisoformat(each) for each in shown] == read[::-1]
    for left in (3, 2, 1, 0):
        newest = soup(testapp.get(path)).select_one(".read-dates form")
        sent = {"csrf_token": newest.select_one("[name=csrf_token]")["value"]}
        testapp.post(newest["action"], sent, status=303)
        now = reload(session, item)
        assert now.date_read == (read[left - 1] if left else None)
        assert now.is_read is bool(left)
    testapp.post(newest["action"], sent, status=404)


def test_a_date_that_cannot_be_read_is_shown_again_as_it_was_typed(testapp, world, session, reader):
    item = add_item(session, reader, world.first)
    path = f"/collection/{item.id}/"
    for typed in (
        "yesterday",
        "2026-02-30 10:00",
        "2026-13-01",
        "18:30",
        "2026-01-01 25:00",
        "０００１-01-01\0",
    ):
        form = form_to(testapp.get(path), f"{path}read-date/add/")
        form["read_date"] = typed
        refused = form.submit(status=422)
        assert "2026-12-31 18:30" in field_errors(refused)["read_date"], typed
        assert soup(refused).select_one("#read_date")["type"] == "text"
    assert soup(refused).select_one("#read_date")["value"].startswith("０００１")
    for typed in ("2999-01-01 18:30", "9999-12-31"):
        form["read_date"] = typed
        refused = form.submit(status=422)
        assert field_errors(refused)["read_date"] == "Choose today or an earlier day.", typed
    assert read_dates(session, item) == []
