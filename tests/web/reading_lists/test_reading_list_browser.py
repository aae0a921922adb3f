"""Reading lists in a real browser: rating and ordering, by keyboard and by dragging, which keep the focus."""

from types import SimpleNamespace

import pytest
from sqlalchemy import select

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.library.reading_lists import figures
from comicsdb.models import ReadingList, User
from tests.factories import Factories
from tests.lists import make_list
from tests.web.conftest import PASSWORD, page_of, signed_in


@pytest.fixture(scope="module")
def site(served):
    """The site, with two lists of Nora's and one of another account, each with four issues."""
    with served.sessions() as session:
        make = Factories(Catalog(session))
        nora = make.user("Nora", password=PASSWORD, passwords=Passwords("fast"))
        with make.single_commit():
            series = make.series(name="Lamplight")
            issues = [make.issue(series=series, number=str(n)) for n in range(1, 5)]
        mine = make_list(session, nora, issues, name="Mine").slug
        other_mine = make_list(session, nora, issues, name="Also mine").slug
        other = make_list(session, make.user(), issues, name="Other").slug
        issue = issues[0].slug
    return SimpleNamespace(**vars(served), mine=mine, other_mine=other_mine, other=other, issue=issue)


@pytest.fixture(scope="module")
def context(browser, site):
    """A browser context in which Nora is logged in; all tests share it, as its cache makes pages faster."""
    with signed_in(browser, site, width=1280, height=900) as context:
        yield context


@pytest.fixture
def page(context):
    """A page with Nora logged in."""
    with page_of(context) as page:
        yield page


def focused(page):
    """Name and value of the element that has the focus."""
    return page.evaluate("[document.activeElement.name, document.activeElement.value]")


@pytest.mark.parametrize(
    ("address", "average"),
    [("/issue/{0.issue}/", "#rating-widget"), ("/reading-lists/{0.other}/", "#rating-head")],
)
def test_stars_are_given_changed_and_taken_back_by_keyboard_without_a_new_page(page, site, address, average):
    page.goto(address.format(site))
    page.evaluate("window.stayed = true")
    page.locator('.rate button[value="4"]').focus()
    page.keyboard.press("Enter")
    page.locator(average).get_by_text("4.0 (1 rating)").wait_for()
    assert focused(page) == ["rating", "4"]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    page.locator(average).get_by_text("3.0 (1 rating)").wait_for()
    assert focused(page) == ["rating", "3"]
    page.locator("#announcer").get_by_text("Your rating was saved.").wait_for()
    fills = page.locator(f"{average} [data-fill]").evaluate_all(
        "(all) => all.map((each) => each.dataset.fill)"
    )
    assert fills == ["100", "100", "100"]
    page.get_by_role("button", name="Clear").press("Enter")
    page.locator("#rating-widget").get_by_text("No ratings yet").wait_for()
    assert not page.locator(average).get_by_text("(1 rating)").is_visible()
    assert page.evaluate("window.stayed") is True


def order(page):
    return "".join(
        each.inner_text().split("#")[-1].split()[0] for each in page.locator(".order-row .item-label").all()
    )


def positions(page):
    return page.locator(".order-number").evaluate_all("(all) => all.map((each) => each.value)")


def stored(site):
    with site.sessions() as session:
        made = session.query(ReadingList).filter_by(slug=site.mine).one()
        return "".join(item.issue.number for item in session.scalars(figures.items(made.id)))


def test_issues_are_ordered_by_keyboard_and_by_dragging_and_saved_at_once(page, site):
    page.goto(f"/reading-lists/{site.mine}/add-issue/")
    assert order(page) == "1234"
    arrow = page.get_by_role("button", name="Move Lamplight (2020) #3 up")
    arrow.focus()
    page.keyboard.press("Enter")
    assert order(page) == "1324"
    assert positions(page) == ["1", "2", "3", "4"]
    page.locator("#announcer").get_by_text("Lamplight (2020) #3 is now at position 2.").wait_for()
    page.keyboard.press("Space")  # the focus has moved with the row
    assert order(page) == "3124"
    assert arrow.is_disabled()
    assert page.evaluate("document.activeElement.name") == "down"
    assert stored(site) == "1234"  # nothing is saved yet, so leaving the page opens a dialog
    with page.expect_event("dialog") as asked:
        page.evaluate("setTimeout(() => location.assign('/'))")
    asked.value.dismiss()
    page.locator(".order-row", has_text="#4").locator(".grip").drag_to(
        page.locator(".order-row", has_text="#3"), target_position={"x": 200, "y": 4}
    )
    assert order(page) == "4312"
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("0 issues were added. 2 were moved. 0 were skipped.").wait_for()
    assert stored(site) == "4312"


def test_a_grip_is_moved_by_keys_and_by_touch(page, site):
    page.goto(f"/reading-lists/{site.other_mine}/add-issue/")
    assert order(page) == "1234"
    grip = page.locator(".order-row", has_text="#4").locator(".grip")
    grip.press("ArrowUp")
    assert order(page) == "1243"
    page.locator("#announcer").get_by_text("Lamplight (2020) #4 is now at position 3.").wait_for()
    page.keyboard.press("Home")  # the focus has moved with the row
    assert order(page) == "4123"
    page.keyboard.press("End")
    assert order(page) == "1234"
    # Simulates a finger by the pointer events that it would cause.
    page.evaluate(
        """() => {
            const rows = [...document.querySelectorAll(".order-row")];
            const grip = rows[0].querySelector(".grip");
            grip.setPointerCapture = () => {};
            const box = rows[2].getBoundingClientRect();
            const send = (type, y) => grip.dispatchEvent(new PointerEvent(
                type, { pointerType: "touch", pointerId: 7, clientX: 40, clientY: y, bubbles: true }));
            send("pointerdown", rows[0].getBoundingClientRect().top + 9);
            send("pointermove", box.bottom - 4);
            send("pointerup", box.bottom - 4);
        }"""
    )
    assert order(page) == "2314"
    assert positions(page) == ["1", "2", "3", "4"]


def test_a_type_is_changed_in_its_line_by_keyboard(page, site):
    page.goto(f"/reading-lists/{site.mine}/")
    link = page.get_by_role("link", name="Change the type of Lamplight (2020) #2")
    link.press("Enter")
    page.locator(".item-type-form select:focus").wait_for()
    page.keyboard.press("T")
    page.get_by_role("button", name="Save", exact=True).press("Enter")
    page.locator(".item-type .tag", has_text="Tie-In").wait_for()
    assert page.evaluate("document.activeElement.textContent.trim()").startswith("Change the type")


def test_pages_fit_a_telephone(page, site):
    page.set_viewport_size({"width": 390, "height": 844})
    for address in (
        "/reading-lists/",
        f"/reading-lists/{site.mine}/",
        f"/reading-lists/{site.other}/missing/",
        f"/reading-lists/{site.mine}/add-issue/",
    ):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") == 390, address


def test_the_text_of_a_shopping_list_looks_like_other_fields_and_its_button_ends_with_it(page, site):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/reading-lists/{site.other}/missing/")
    text = page.locator("#missing-text")
    field, copy = text.bounding_box(), page.get_by_role("button", name="Copy").bounding_box()
    assert copy["x"] + copy["width"] == field["x"] + field["width"]
    assert text.evaluate("each => getComputedStyle(each).paddingInlineStart") == "14px"


def test_the_lists_to_add_an_issue_to_can_be_read_on_a_tablet_and_fit_a_narrow_phone(page, site):
    with site.sessions() as session:
        issue = Factories(Catalog(session)).issue(number="9")
        nora = session.scalar(select(User).where(User.username == "Nora"))
        make_list(session, nora, [issue], name="Far and wide and all along the river: the order of reading")
        issue = Factories(Catalog(session)).issue(number="10")
    page.set_viewport_size({"width": 820, "height": 1100})
    page.goto(f"/issue/{issue.slug}/")
    assert page.get_by_role("combobox", name="Add to one of my lists").bounding_box()["width"] > 150
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
