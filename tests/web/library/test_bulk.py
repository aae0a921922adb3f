"""Bulk changes of collections and wish lists."""

from datetime import date
from decimal import Decimal

import pytest
from sqlalchemy import func, select

from comicsdb.library import bulk, undo, wish_list
from comicsdb.models import CollectionItem, IssueRating, LibraryAct, ReadDate, WishListItem
from tests.conftest import record_statements
from tests.web.conftest import notice, soup
from tests.web.library.collection_helpers import (
    add_item,
    add_items,
    item_of_another_reader,
    reload,
    undo_form,
)


@pytest.fixture
def shelf(world, session, reader):
    """Three items in one storage location, and one in another."""
    box = [add_item(session, reader, each, storage_location="Box 3") for each in (world.first, world.second)]
    box.append(
        add_item(session, reader, world.reprint, storage_location="Box 3", grade=8, grading_company="CGC")
    )
    return [*box, add_item(session, reader, world.third, storage_location="Shelf", rating=4)]


def forms(page):
    """Address and hidden fields of each form of the page, by its act."""
    found = {}
    for form in soup(page).select("form.bulk-form"):
        names = [(each["name"], each.get("value", "")) for each in form.select("input[type=hidden]")]
        found[form.select_one("[name=act]")["value"]] = form["action"], names
    return found


def send(testapp, page, act, *fields, status=303):
    address, hidden = forms(page)[act]
    return testapp.post(address, [*hidden, *fields], status=status)


def test_all_that_the_filters_find_is_changed_and_that_can_be_undone(
    testapp, make, world, session, reader, shelf
):
    theirs = item_of_another_reader(make, session, world.second)
    before = testapp.get("/collection/?storage_location=box")
    page = before.click("Edit all 3")
    shown = soup(page)
    assert shown.h1.get_text() == "Edit 3 items"
    assert [each.get_text() for each in shown.select("main .tag")] == ["Storage location: box"]
    answer = send(
        testapp,
        page,
        "change",
        ("grade", "9.4"),
        ("purchase_price", "2.50"),
        ("purchase_price_currency", "EUR"),
        ("purchase_date", "2026-01-02"),
        ("purchase_store", "Corner"),
        ("clear", "storage_location"),
        ("clear", "grading_company"),
    )
    assert answer.location == "http://localhost/collection/?storage_location=box"
    after = answer.follow()
    assert notice(after) == "3 items were changed."
    for each in shelf[:3]:
        item = reload(session, each)
        assert (item.grade, item.grading_company, item.storage_location) == (Decimal("9.4"), "", "")
        assert (item.purchase_price, item.purchase_currency) == (Decimal("2.50"), "EUR")
        assert (item.purchase_date, item.purchase_store) == (date(2026, 1, 2), "Corner")
    assert reload(session, shelf[3]).storage_location == "Shelf"
    assert reload(session, theirs).storage_location == "Attic"
    undo_form(after).submit()
    kept = [reload(session, each) for each in shelf]
    assert [each.storage_location for each in kept] == ["Box 3"] * 3 + ["Shelf"]
    assert (kept[2].grade, kept[2].grading_company, kept[0].grade) == (8, "CGC", None)


def test_tags_are_added_and_removed(testapp, session, reader, shelf):
    page = testapp.get("/collection/bulk/?storage_location=box")
    shelf[0].tags = ["Gift", "to sell"]
    session.commit()
    fields = ("tags", "signed, gift"), ("tags_removed", "TO SELL")
    after = send(testapp, page, "change", *fields).follow()
    assert notice(after) == "3 items were changed."
    kept = [reload(session, each).tags for each in shelf]
    assert kept == [["Gift", "signed"], ["gift", "signed"], ["gift", "signed"], []]
    assert "already have these values" in notice(send(testapp, page, "change", *fields).follow())
    many = ("tags", ",".join(map(str, range(19))))
    refused = send(testapp, page, "change", many, status=422)
    assert "An item can have at most 20 tags." in refused.text
    assert len(soup(after).select(".items .item-tags a[href='/collection/?tag=signed']")) == 3
    undo_form(after).submit()
    assert [reload(session, each).tags for each in shelf] == [["Gift", "to sell"], [], [], []]


def test_a_large_act_is_undone_in_the_background(testapp, wsgi, session, reader, shelf, monkeypatch):
    monkeypatch.setattr(undo, "LARGE", 3)
    page = testapp.get("/collection/bulk/?storage_location=box")
    after = send(testapp, page, "change", ("storage_location", "Loft")).follow()
    button = undo_form(after)
    assert notice(button.submit().follow()).startswith("It is being undone")
    row = soup(testapp.get("/collection/activity/")).select_one(".activity .row")
    assert row.select_one(".tag").get_text() == "Being undone"
    assert not row.select("form")
    assert [reload(session, each).storage_location for each in shelf] == ["Loft"] * 3 + ["Shelf"]
    registry = wsgi.registry
    assert undo.undo_queued(registry["comicsdb.session_factory"], registry.settings)
    assert not undo.undo_queued(registry["comicsdb.session_factory"], registry.settings)
    assert [reload(session, each).storage_location for each in shelf] == ["Box 3"] * 3 + ["Shelf"]
    button.submit(status=404)


def test_selected_items_are_read_moved_and_removed(testapp, make, world, session, reader, shelf):
    theirs = item_of_another_reader(make, session, world.second)
    listed = testapp.get("/collection/")
    token = soup(listed).select_one("#mark [name=csrf_token]")["value"]
    chosen = [("csrf_token", token)] + [("item", str(each.id)) for each in (shelf[0], shelf[3], theirs)]
    page = testapp.post("/collection/bulk/", chosen)
    assert soup(page).h1.get_text() == "Edit 2 items"
    assert notice(send(testapp, page, "read", ("read_date", "2026-02-03")).follow()) == (
        "2 items were marked as read."
    )
    days = session.scalars(select(ReadDate.read_on).where(ReadDate.user_id == reader.id)).all()
    assert {each.date() for each in days} == {date(2026, 2, 3)}
    assert notice(send(testapp, page, "read", ("unknown", "1")).follow()) == "They were all already read."
    for typed, message in (("x", "Enter the date"), ("9999-12-31", "Choose today or an earlier day")):
        assert message in send(testapp, page, "read", ("read_date", typed), status=422).text

    assert notice(send(testapp, page, "move").follow()) == "2 items were moved to your wish list."
    wishes = session.scalars(select(WishListItem).order_by(WishListItem.id)).all()
    assert {each.issue_id for each in wishes} == {world.first.id, world.third.id}
    assert session.scalar(select(IssueRating.rating).where(IssueRating.user_id == reader.id)) == 4
    assert notice(send(testapp, page, "remove").follow()) == "Select some items first."

    everything = testapp.get("/collection/bulk/")
    add_item(session, reader, world.first)
    again = send(testapp, everything, "change", ("purchase_store", "Fair"), status=422)
    assert "Your list has changed in the meantime" in again.text
    assert soup(again).select_one("[name=purchase_store]")["value"] == "Fair"
    assert notice(send(testapp, again, "remove").follow()) == "3 items were removed."
    assert session.scalars(select(CollectionItem.user_id)).all() == [theirs.user_id]


def test_wishes_are_changed_and_moved(testapp, world, session, reader):
    for issue, grade in ((world.first, Decimal("9.0")), (world.second, None)):
        wish_list.add(session, reader.id, issue.id, {"desired_grade": grade})
    wish_list.add(session, reader.id, world.reprint.id, {"priority": 1})
    owned = add_item(session, reader, world.second, grade=7)
    page = testapp.get("/wish-list/?priority=3").click("Edit all 2")
    answer = send(testapp, page, "change", ("priority", "1"), ("status", "FOUND"))
    assert answer.location == "http://localhost/wish-list/?priority=3"
    assert notice(answer.follow()) == "2 items were changed."
    assert session.scalars(select(WishListItem.priority)).all() == [1, 1, 1]
    page = testapp.get("/wish-list/bulk/?status=FOUND")
    moved = send(testapp, page, "move", ("purchase_price", "3"), ("purchase_store", "Fair"))
    assert notice(moved.follow()) == "1 issue was added to your collection. 1 was already there."
    item = session.scalars(select(CollectionItem).where(CollectionItem.id != owned.id)).one()
    assert (item.issue_id, item.grade, item.purchase_price) == (world.first.id, Decimal("9.0"), 3)
    assert (item.purchase_store, reload(session, owned).grade) == ("Fair", 7)
    page = testapp.get("/wish-list/bulk/?status=ACQUIRED")
    assert notice(send(testapp, page, "remove").follow()) == "2 items were removed."
    assert session.scalars(select(WishListItem.issue_id)).all() == [world.reprint.id]


def test_wrong_values_name_the_field_and_change_nothing(testapp, session, reader, shelf, monkeypatch):
    page = testapp.get("/collection/bulk/")
    for fields, text in (
        ([], "Fill in at least one field."),
        ([("grade", "11")], "Grade"),
        ([("purchase_price", "-1")], "Price paid"),
        ([("purchase_date", "tomorrow")], "Bought on"),
        ([("storage_location", "A"), ("clear", "storage_location")], "Enter a value or clear the field"),
    ):
        answer = send(testapp, page, "change", *fields, status=422)
        assert text in soup(answer).select_one(".form-errors").get_text(" "), fields
    assert "already have these values" in notice(
        send(testapp, page, "change", ("clear", "purchase_store")).follow()
    )
    assert testapp.get("/collection/bulk/?grade=11", status=303).location.endswith("/collection/?grade=11")
    monkeypatch.setattr(bulk, "ITEMS_MAX", 3)
    refused = testapp.get("/collection/bulk/", status=303)
    assert notice(refused.follow()) == "At most 3 items can be changed at once: filter the list first."
    assert reload(session, shelf[0]).storage_location == "Box 3"


def test_many_items_cost_as_much_as_few_and_are_one_act(
    testapp, connection, make, world, session, reader, shelf
):
    def costs():
        found = []
        page = testapp.get("/collection/")
        for address, act, fields in (
            ("/collection/bulk/", "change", [("storage_location", str(len(page.text)))]),
            ("/collection/bulk/", "read", [("unknown", "1")]),
            ("/collection/bulk/", "move", []),
            ("/wish-list/bulk/", "move", []),
        ):
            acts = session.scalar(select(func.max(LibraryAct.id))) or 0
            with record_statements(connection) as statements:
                page = testapp.get(address)
            found.append(len(statements))
            with record_statements(connection) as statements:
                send(testapp, page, act, *fields)
            found.append(len(statements))
            made = session.scalars(select(LibraryAct.id).where(LibraryAct.id > acts)).all()
            assert len(made) == 1, act
        return found

    wish_list.wish_list(session, reader.id)  # the first use creates it, which costs more
    session.commit()
    few = costs()
    add_items(session, reader, world.series, 150)
    assert costs() == few
    assert max(few) <= 20, few
