"""A collection in a real browser: adding a series and marking items by keyboard, rating, tracking."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from sqlalchemy import select

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.library import collection, pull_list, wish_list
from comicsdb.models import CollectionItem, Issue, IssueRating, ReadDate, User
from tests.factories import Factories
from tests.web.conftest import PASSWORD, page_of, signed_in


@pytest.fixture(scope="module")
def site(served):
    """The site, with a series of four issues, and an account that has read the first of another two."""
    with served.sessions() as session:
        make = Factories(Catalog(session))
        nora = make.user("Nora", password=PASSWORD, passwords=Passwords("fast"))
        with make.single_commit():
            for name, issues in (("Lamplight", 4), ("Embers", 2)):
                series = make.series(name=name)
                made = [make.issue(series=series, number=str(number + 1)) for number in range(issues)]
        collection.add(session, nora.id, made[0].id, {"is_read": True})
        session.commit()
    return served


@pytest.fixture(scope="module")
def context(browser, site):
    """A browser context in which Nora is logged in; all tests share it, as its cache makes pages faster."""
    with signed_in(browser, site, width=390, height=844) as context:
        yield context


@pytest.fixture
def page(context):
    """A page on a phone, with Nora logged in."""
    with page_of(context) as page:
        yield page


def test_a_series_is_added_marked_and_rated_with_the_keys_alone(page, site):
    page.goto("/collection/add-from-series/")
    box = page.get_by_role("combobox", name="Find: Series")
    box.focus()
    page.keyboard.type("lampl")
    page.get_by_role("option", name="Lamplight (2020)").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("radio", name="Lamplight (2020)").and_(page.locator(":checked")).wait_for()
    page.locator("#what").focus()
    page.keyboard.type("From")  # selects the option that begins with these letters
    page.locator("#first").focus()
    page.keyboard.type("2")
    page.keyboard.press("Enter")  # saves
    page.wait_for_url("**/collection/")
    assert "3 issues were added. 0 were already there." in page.locator("#messages").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") == 390

    page.get_by_role("checkbox", name="Lamplight (2020) #3").focus()
    page.keyboard.press("Space")
    assert page.locator(".mark-count").inner_text() == "1 selected"
    choose = page.get_by_role("button", name="Select this page")
    choose.focus()
    page.keyboard.press("Space")
    assert page.locator("[name=item]:checked").count() == 4
    page.get_by_role("button", name="Clear selection").press("Enter")
    assert page.locator("[name=item]:checked").count() == 0
    page.get_by_role("checkbox", name="Lamplight (2020) #4").press("Space")
    page.get_by_role("button", name="Mark as read").press("Enter")
    page.get_by_text("1 item was marked as read.").wait_for()

    page.get_by_role("link", name="Lamplight (2020) #4", exact=True).press("Enter")
    page.get_by_role("button", name="4 stars").press("Enter")
    page.locator("button[value='4'][aria-pressed=true]:focus").wait_for()  # updated in place, keeps the focus
    with site.sessions() as session:
        found = session.execute(
            select(CollectionItem.is_read, CollectionItem.rating).order_by(CollectionItem.issue_id)
        )
        assert [tuple(row) for row in found] == [(False, None), (False, None), (True, 4), (True, None)]
    page.get_by_role("button", name="Clear").press("Enter")
    page.locator("#item-rating button[aria-pressed=true]").wait_for(state="detached")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_fields_outside_of_sections_have_their_width(page):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/wish-list/")
    for name in ("priority", "status", "max_price"):
        assert page.locator(f"#{name}").bounding_box()["width"] > 60, name


def test_pages_fit_a_telephone_and_charts_are_drawn(page):
    page.goto("/collection/stats/")
    bar = page.locator("#chart-publishers rect").first
    assert bar.bounding_box()["width"] > 100
    for address in ("", "?view=grid", "stats/", "history/", "missing/", "add/"):
        page.goto(f"/collection/{address}")
        assert page.evaluate("document.documentElement.scrollWidth") == 390, address


def test_dates_and_searches_fit_a_narrow_telephone(page):
    page.set_viewport_size({"width": 320, "height": 640})
    for address in ("/changes/", "/accounts/update/favourites/"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") == 320, address


def test_pages_fit_a_telephone_with_very_large_text(page):
    sizes = {"fontSizes": {"standard": 24, "fixed": 20}}  # half as large again as usual
    page.context.new_cdp_session(page).send("Page.setFontSizes", sizes)
    page.goto("/collection/")
    assert page.locator(".items tbody th").first.bounding_box()["width"] > 250
    page.goto("/issue/embers-2020-1/")
    assert page.locator(".fact dd").first.bounding_box()["width"] > 250
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.goto("/collection/stats/")
    marks = page.locator("figure").nth(1).locator(".chart-tick")
    months = marks.filter(has_not_text=re.compile("[0-9]"))
    boxes = months.evaluate_all("all => all.map(each => each.getBoundingClientRect().toJSON())")
    assert len(boxes) == 12
    for one, other in pairwise(boxes):
        assert one["right"] <= other["left"] + 1, (one, other)


def test_what_is_chosen_differs_with_forced_colours(page):
    page.emulate_media(forced_colors="active")
    style = "(each) => (({backgroundColor, color}) => [backgroundColor, color])(getComputedStyle(each))"
    for address, chosen, other in (
        ("/collection/", ".tabs [aria-current]", ".tabs a:not([aria-current])"),
        ("/collection/", ".switch [aria-current]", ".switch a:not([aria-current])"),
        ("/issue/embers-2020-1/", "main [aria-pressed=true]", "main [aria-pressed=false]"),
    ):
        page.goto(address)
        this, that = (page.locator(each).first.evaluate(style) for each in (chosen, other))
        assert this[0] != that[0], chosen
        assert this[0] != this[1], chosen


def test_on_a_phone_titles_of_wishes_end_before_their_boxes(page, site):
    with site.sessions() as session:
        nora = session.scalar(select(User).where(User.username == "Nora"))
        make = Factories(Catalog(session))
        issue = make.issue(series=make.series(name="The Clockmaker of Old London"), number="13")
        wish_list.add(session, nora.id, issue.id, {})
        session.commit()
    page.goto("/wish-list/")
    row = page.locator(".wishes tbody tr")
    text, choose = row.locator(".wish-text").bounding_box(), row.get_by_role("checkbox").bounding_box()
    assert text["x"] + text["width"] <= choose["x"] - 8, (text, choose)


def test_weeks_to_come_keep_apart(page, site):
    with site.sessions() as session:
        make = Factories(Catalog(session))
        nora = session.scalar(select(User).where(User.username == "Nora"))
        with make.single_commit():
            series = make.series(name="Tomorrow")
            for week in range(1, 4):
                day = datetime.now(UTC).date() + timedelta(weeks=week)
                make.issue(series=series, number=str(week), store_date=day)
        pull_list.add(session, nora.id, series.id)
        session.commit()
    page.goto("/pull-list/")
    weeks = [each.bounding_box() for each in page.locator(".chips .button").all()]
    assert len(weeks) == 3
    for one, other in pairwise(weeks):
        beside = other["x"] - one["x"] - one["width"]
        below = other["y"] - one["y"] - one["height"]
        assert max(beside, below) >= 6, (one, other)


def test_a_run_is_owned_an_issue_read_and_another_rated_by_one_click_each(page, site):
    page.goto("/series/lamplight-2020/")
    page.get_by_role("button", name="Add the run").click()
    page.locator("#messages", has_text="added").wait_for()
    assert page.locator(".track button[name=own][aria-pressed=true]").count() == 4
    card = page.get_by_role("group", name="Lamplight (2020) #2", exact=True)
    height = page.evaluate("document.documentElement.scrollHeight")
    card.get_by_role("button", name="Read", exact=True).click()
    card.locator("button[name=read][aria-pressed=true]:focus").wait_for()  # updated in place, keeps the focus
    toast = page.locator("#toast")
    assert toast.inner_text().startswith("Lamplight (2020) #2 is marked as read.")
    assert page.evaluate("document.documentElement.scrollHeight") == height  # nothing has moved
    with site.sessions() as session:
        read = select(ReadDate.id).join(Issue).where(Issue.slug == "lamplight-2020-2")
        assert len(session.scalars(read).all()) == 1
    toast.get_by_role("button", name="Undo").click()
    page.locator("#messages", has_text="undone").wait_for()
    assert card.locator("button[name=read][aria-pressed=true]").count() == 0
    card.locator("summary").press("Enter")  # cards have their stars in a menu, unlike pages of issues
    card.get_by_role("button", name="5 stars").press("Enter")
    card.locator("summary.track-rated:focus").wait_for()
    page.goto("/issue/lamplight-2020-3/")
    page.get_by_role("button", name="4 stars").click()
    page.locator("button[value='4'][aria-pressed=true]").wait_for()
    with site.sessions() as session:
        given = session.execute(
            select(IssueRating.issue_id, IssueRating.rating).order_by(IssueRating.issue_id)
        )
        assert [stars for _issue, stars in given] == [5, 4]


def test_lists_of_a_library_are_printed_without_what_only_works_on_a_screen(page, site):
    with site.sessions() as session:
        nora = session.scalars(select(User).where(User.username == "Nora")).one()
        issue = session.scalars(select(Issue).order_by(Issue.id).limit(1)).one()
        wish_list.set_wished(session, nora.id, issue.id, True)
        pull_list.set_followed(session, nora.id, issue.series_id, True)
        session.commit()
    page.emulate_media(media="print")
    for path in ("/collection/", "/wish-list/", "/pull-list/"):
        page.goto(path)
        assert page.locator("main table").last.is_visible()
        controls = page.locator("main").locator("input, select, button, .button, nav, .items-acts a")
        assert controls.count() > 3
        assert [each.get_attribute("class") for each in controls.all() if each.is_visible()] == [], path
