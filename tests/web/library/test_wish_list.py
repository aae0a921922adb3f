"""The wish list on the site: adding, changing, acquiring and removing wishes."""

from decimal import Decimal

import pytest
from sqlalchemy import insert, select

from comicsdb.accounts.passwords import Passwords
from comicsdb.library import collection, wish_list
from comicsdb.models import CollectionItem, Issue, WishListItem
from tests.conftest import record_statements
from tests.web.conftest import PASSWORD, field_errors, form_to, notice, soup, submit
from tests.web.library.wish_list_fixtures import small_catalog

PAGE = "/wish-list/"


@pytest.fixture
def world(make):
    """A few series and issues, which are enough for these tests."""
    return small_catalog(make)


@pytest.fixture
def item(session, nora, world):
    """A wish of the member's."""
    values = {"priority": 2, "desired_grade": Decimal("9.8"), "max_price": Decimal(5), "notes": "near mint"}
    found, _ = wish_list.add(session, nora.id, world.first.id, values)
    session.commit()
    return found


def cells(response) -> list[list[str]]:
    """The table as text, without its first and last columns."""
    found = soup(response).select("main tbody tr")
    return [[each.get_text(" ", strip=True) for each in row.select("th, td")][1:-1] for row in found]


def path(item, action) -> str:
    return f"{PAGE}item/{item.id}/{action}/"


def add(testapp, issue, **fields):
    """Search for an issue in the form, select it, and send the form."""
    form = form_to(testapp.get(PAGE), PAGE)
    form["issue_id-q"] = "lamplight"
    form = form_to(form.submit(name="find", value="issue_id", status=200), PAGE)
    form["issue_id"] = str(issue.id)
    for name, value in fields.items():
        form[name] = value
    return form.submit(expect_errors=True)


def test_an_issue_is_found_and_put_on_the_list(testapp, nora, world):
    assert "Your wish list is empty" in testapp.get(PAGE).text
    fields = {"priority": "1", "status": "FOUND", "desired_grade": "9.8", "max_price": "12.5"}
    answer = add(testapp, world.first, **fields, max_price_currency="GBP", notes="Any cover").follow()
    assert notice(answer) == "Lamplight (2019) #1 was added to your wish list."
    row = ["1", "Lamplight (2019) #1 Harbor House Any cover", "Found", "9.8", "£12.50"]
    assert cells(answer) == [row]
    again = add(testapp, world.first)
    assert again.status_int == 422
    assert field_errors(again) == {
        "issue_id": "This issue is already on your wish list: edit that entry instead."
    }
    assert cells(again) == [row]


def test_enter_in_a_field_saves_and_does_not_look_for_issues(testapp, nora, world):
    """With Enter, browsers press the first submit button of a form."""
    first = soup(testapp.get(PAGE)).select(".keep-form button")[0]
    assert (first["type"], first.get("name"), first.get_text()) == ("submit", None, "Add to the list")


def test_nothing_need_be_said_but_the_issue(testapp, nora, world):
    assert cells(add(testapp, world.second).follow()) == [
        ["3", "Lamplight (2019) #2 Harbor House", "Wanted", "any", "any"]
    ]


def test_what_is_wrong_is_said_beside_the_fields_and_what_was_typed_stays(testapp, nora, world, session):
    form = form_to(testapp.get(PAGE), PAGE)
    fields = {name: form[name].value for name in ("csrf_token", "modified") if name in form.fields}
    sent = {"issue_id-q": "", "priority": "7", "status": "X", "desired_grade": "9.7", "max_price": "much"}
    answer = testapp.post(PAGE, fields | sent | {"notes": "kept"}, status=422)
    assert set(field_errors(answer)) == {"issue_id", "priority", "status", "desired_grade", "max_price"}
    shown = form_to(answer, PAGE)
    assert (shown["max_price"].value, shown["notes"].value) == ("much", "kept")
    for amount in ("9" * 27, f"${'9' * 27}"):
        answer = testapp.post(PAGE, fields | sent | {"max_price": amount}, status=422)
        assert field_errors(answer)["max_price"] == "Enter at most 10 digits.", amount
    assert session.scalar(select(WishListItem)) is None


def test_an_issue_that_has_gone_meanwhile(testapp, nora, world, catalog):
    catalog.delete(world.third)
    answer = add_by_id(testapp, world.third.id)
    assert field_errors(answer) == {"issue_id": "Your choice no longer exists: choose another."}


def add_by_id(testapp, issue_id):
    token = form_to(testapp.get(PAGE), PAGE)["csrf_token"].value
    sent = {"csrf_token": token, "issue_id": str(issue_id), "issue_id-q": "", "priority": "3"}
    return testapp.post(PAGE, sent, status=422)


def test_a_wish_is_changed(testapp, nora, world, item, session):
    page = testapp.get(path(item, "update"))
    form = form_to(page, path(item, "update"))
    assert "reason" not in form.fields  # a wish has no history
    shown = {
        name: form[name].value for name in ("issue_id", "priority", "desired_grade", "max_price", "notes")
    }
    assert shown == {
        "issue_id": str(world.first.id),
        "priority": "2",
        "desired_grade": "9.8",
        "max_price": "5.00",
        "notes": "near mint",
    }
    form["priority"], form["max_price"], form["desired_grade"] = "5", "", ""
    answer = form.submit(status=303).follow()
    assert notice(answer) == "Saved."
    assert cells(answer) == [["5", "Lamplight (2019) #1 Harbor House near mint", "Wanted", "any", "any"]]
    answer = submit(testapp, path(item, "update")).follow()
    assert notice(answer) == "Nothing to change."


def test_an_issue_is_wished_for_and_taken_off_by_its_own_address(testapp, nora, world):
    token = form_to(testapp.get(PAGE), PAGE)["csrf_token"].value
    address = f"{PAGE}toggle/{world.second.slug}/"
    for on, there in (("1", True), ("1", True), ("x", True), ("0", False)):
        answer = testapp.post(address, {"on": on, "csrf_token": token})
        assert answer.location == f"http://localhost/issue/{world.second.slug}/"
        assert (world.second.slug in testapp.get(PAGE).text) == there
    fragment = testapp.post(address, {"on": "1", "csrf_token": token}, headers={"X-Fragment": "1"})
    assert 'name="want" value="0"' in fragment.text
    testapp.post(address, {"on": "0"}, status=400)


def test_a_wish_does_not_move_onto_another(testapp, nora, world, item, session):
    wish_list.add(session, nora.id, world.second.id, {})
    session.commit()
    form = form_to(testapp.get(path(item, "update")), path(item, "update"))
    form["issue_id-q"] = "lamplight"
    form = form_to(form.submit(name="find", value="issue_id", status=200), path(item, "update"))
    form["issue_id"] = str(world.second.id)
    answer = form.submit(status=422)
    assert "already" in field_errors(answer)["issue_id"]
    assert {row[1].split(" Harbor")[0] for row in cells(testapp.get(PAGE))} == {
        "Lamplight (2019) #1",
        "Lamplight (2019) #2",
    }


def test_a_wish_that_was_changed_meanwhile_is_not_overwritten(testapp, nora, item, session):
    form = form_to(testapp.get(path(item, "update")), path(item, "update"))
    form["priority"] = "4"
    wish_list.change(session, nora.id, item.id, {"priority": 1})
    session.commit()
    answer = form.submit(status=409)
    assert "saved in the meantime" in answer.text
    assert form_to(answer, path(item, "update")).submit(status=303)
    session.refresh(item)
    assert item.priority == 4


def test_a_wish_is_fulfilled_with_what_is_known_of_the_purchase(testapp, nora, world, item, session):
    fields = {"purchase_date": "2026-01-02", "purchase_price": "4.5", "purchase_store": "Corner Shop"}
    answer = submit(testapp, path(item, "acquire"), **fields, notes="signed").follow()
    assert notice(answer) == "Lamplight (2019) #1 was added to your collection and marked as acquired."
    assert cells(answer)[0][2] == "Acquired"
    owned = session.scalars(select(CollectionItem)).one()
    assert (owned.user_id, owned.issue_id, str(owned.grade)) == (nora.id, world.first.id, "9.8")
    assert (str(owned.purchase_date), str(owned.purchase_price)) == ("2026-01-02", "4.50")
    assert (owned.purchase_store, owned.notes) == ("Corner Shop", "signed")
    assert path(item, "acquire") not in testapp.get(PAGE).text
    again = submit(testapp, path(item, "acquire")).follow()
    assert notice(again).endswith("It was already in your collection, which was not changed.")


def test_a_purchase_that_cannot_be_read_changes_nothing(testapp, nora, item, session):
    answer = submit(testapp, path(item, "acquire"), status=422, purchase_price="x", purchase_date="soon")
    assert set(field_errors(answer)) == {"purchase_price", "purchase_date"}
    assert session.scalar(select(CollectionItem)) is None
    session.refresh(item)
    assert item.status == "WANTED"


def test_a_wish_is_taken_off_after_a_question(testapp, nora, item, session):
    assert soup(testapp.get(path(item, "delete"))).h1.get_text() == "Remove Lamplight (2019) #1?"
    answer = submit(testapp, path(item, "delete")).follow()
    assert notice(answer) == "Lamplight (2019) #1 was removed from your wish list."
    assert cells(answer) == []
    for action in ("update", "delete", "acquire"):
        testapp.get(path(item, action), status=404)


@pytest.mark.parametrize(
    ("query", "found", "chips"),
    [
        ("", ["1", "2", "3"], 0),
        ("?status=WANTED", ["1", "3"], 1),
        ("?priority=3", ["2", "3"], 1),
        ("?status=WANTED&priority=3", ["3"], 2),
        ("?status=ACQUIRED", [], 1),
        ("?status=x&priority=9", ["1", "2", "3"], 0),
        ("?x=1", ["1", "2", "3"], 0),
    ],
)
def test_filters(testapp, nora, world, session, query, found, chips):
    for issue, priority, status in (
        (world.first, 1, "WANTED"),
        (world.second, 3, "FOUND"),
        (world.third, 3, "WANTED"),
    ):
        wish_list.add(session, nora.id, issue.id, {"priority": priority, "status": status})
    session.commit()
    page = testapp.get(f"{PAGE}{query}")
    assert [row[1].rpartition("#")[2].split()[0] for row in cells(page)] == found
    removers = soup(page).select(".chips a:not(.tag-clear)")
    assert len(removers) == chips
    assert set(field_errors(page)) == ({"by-status", "by-priority"} if "=x&" in query else set())
    for each in removers:
        name = {"Status": "status", "Priority": "priority"}[each.span.get_text().partition(":")[0]]
        assert f"{name}=" not in each["href"]


def test_pages(testapp, nora, session, world):
    day = world.first.cover_date
    rows = [
        {"series_id": world.book.id, "slug": f"p{n}", "number": f"p{n}", "cover_date": day} for n in range(51)
    ]
    issues = session.scalars(insert(Issue).returning(Issue.id), rows).all()
    wishes = wish_list.wish_list(session, nora.id).id
    session.execute(insert(WishListItem), [{"wish_list_id": wishes, "issue_id": each} for each in issues])
    session.commit()
    assert len(cells(testapp.get(PAGE))) == 50
    assert len(cells(testapp.get(f"{PAGE}?page=last"))) == 1
    testapp.get(f"{PAGE}?page=3", status=404)


def test_nobody_else_sees_a_trace(testapp, nora, world, make, session):
    other = make.user("Otto", password=PASSWORD, passwords=Passwords("fast"))
    theirs, _ = wish_list.add(session, other.id, world.first.id, {})
    session.commit()
    page = testapp.get(PAGE)
    assert cells(page) == []
    assert page.headers["Cache-Control"] == "private, no-store"
    token = form_to(page, PAGE)["csrf_token"].value
    for action in ("update", "delete", "acquire"):
        testapp.get(path(theirs, action), status=404)
        testapp.post(path(theirs, action), {"csrf_token": token}, status=404)
    session.refresh(theirs)
    assert theirs.status == "WANTED"
    assert collection.add(session, nora.id, world.first.id, {})[1]
    button = soup(testapp.get(f"/issue/{world.first.slug}/")).select_one(".own [name=want]")
    assert button["value"] == "1"


def test_whoever_is_not_logged_in_is_led_to_the_form(testapp, world):
    assert testapp.get(PAGE, status=303).location.endswith("/accounts/login/?next=%2Fwish-list%2F")
    assert soup(testapp.get(f"/issue/{world.first.slug}/")).select_one(".own") is None
    testapp.get(f"{PAGE}item/1/update/", status=303)


def test_its_cost_does_not_depend_on_how_much_is_on_it(testapp, nora, make, session, connection):
    costs = []
    for size in (1, 8):
        with make.single_commit():
            for _ in range(size):
                wish_list.add(session, nora.id, make.issue().id, {})
        with record_statements(connection) as statements:
            testapp.get(PAGE)
        costs.append(len(statements))
    # The account; a draft of the form; the rows; their number.
    assert costs == [4, 4]
