"""The site in a real browser: pages load without errors, are readable, and their scripts work."""

import io
import re
from datetime import date
from types import SimpleNamespace

import pytest
from PIL import Image
from playwright.sync_api import expect

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.media.storage import FolderStorage
from tests.factories import Factories
from tests.pictures import save_picture

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
USUAL = {"viewport": DESK, "color_scheme": "light", "java_script_enabled": True}


def picture(storage, kind, size, colour):
    """Store a picture; returns the fields of its row."""
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return {
        "image": save_picture(storage, kind, file.getvalue(), "png"),
        "image_width": size[0],
        "image_height": size[1],
    }


def fill(sessions, storage):
    """Create a catalog with pictures, long names, and more rows than a page shows at once."""
    with sessions() as session:
        make = Factories(Catalog(session))
        with make.single_commit():
            publisher = make.publisher(
                name="Crowd Comics", **picture(storage, "publisher", (600, 400), "teal")
            )
            for number in range(35):
                make.imprint(
                    name=f"Imprint {number:02} of an uncommonly long and winding name", publisher=publisher
                )
            series = make.series(
                name="Donaudampfschifffahrtsgesellschaftskapitänsmützen", publisher=publisher
            )
            people = [make.creator(name=f"Creator {number:02}") for number in range(40)]
            role = make.role("Writer").id
            character = make.character(name="Somebody", creators=people[:3])
            issue = make.issue(
                series=series,
                desc="Long ago. " * 80,
                characters=[character],
                upc="76194134182600111",
                credits=[{"creator": each.id, "roles": [role]} for each in people],
                variants=[{"name": "Wide", **picture(storage, "variants", (900, 600), "orange")}],
                **picture(storage, "issue", (400, 600), "crimson"),
            )
            wide = make.issue(series=series, number="W" * 25)
            for number in range(3, 40):
                make.issue(series=series, number=str(number), store_date=date(2026, 11, 18))
            for language in ("it", "fr", "es", "pt", "ja"):
                make.series(name=f"Series in {language}", language=language)
        make.user("Nora", password="correct horse", passwords=Passwords("fast"))
        return SimpleNamespace(
            publisher=publisher.slug,
            series=series.slug,
            issue=issue.slug,
            wide=wide.slug,
            character=character.slug,
            creator=people[0].slug,
        )


@pytest.fixture(scope="module")
def site(served):
    """The site, with its own catalog."""
    made = fill(served.sessions, FolderStorage(served.media))
    made.url = served.url
    made.pages = {
        "home": "/",
        "publishers": "/publisher/",
        "publisher": f"/publisher/{made.publisher}/",
        "series list": "/series/?year_began=x&status=4&language=en",
        "series in a language far right": "/series/?language=pt",
        "calendar": "/issue/calendar/2026-11/",
        "series": f"/series/{made.series}/",
        "issues": "/issue/?page=2",
        "issue": f"/issue/{made.issue}/",
        "wide issue": f"/issue/{made.wide}/",
        "cover": f"/issue/{made.issue}/cover/",
        "creator": f"/creator/{made.creator}/",
        "character": f"/character/{made.character}/",
        "search": "/search/?q=crowd",
        "block": f"/issue/{made.issue}/credits/load-more/?offset=30",
        "login": "/accounts/login/",
        "statistics": "/statistics/",
    }
    return made


@pytest.fixture(scope="module")
def contexts(browser, site):
    """Browser contexts by their options; each caches styles, scripts and pictures for later tests."""
    made = {}
    yield made
    for context in made.values():
        context.close()


@pytest.fixture
def visit(browser, site, contexts):
    """Open a page of the site: `visit("home", viewport=…)`; errors and warnings of the browser fail the test.

    With `fresh`, the browser's cache is empty, as on a first visit.
    """
    pages, complaints = [], []

    def note(complaint):
        if not complaint.startswith("net::ERR_ABORTED"):  # the test left the page during the request
            complaints.append(complaint)

    def opened(name="home", *, fresh=False, **options):
        options = USUAL | options
        key = len(contexts) if fresh else repr(sorted(options.items()))
        if key not in contexts:
            contexts[key] = browser.new_context(base_url=site.url, **options)
        page = contexts[key].new_page()
        pages.append(page)
        page.on("console", lambda line: note(line.text) if line.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: note(str(error)))
        page.on("requestfailed", lambda request: note(f"{request.failure} {request.url}"))
        page.on(
            "response", lambda answer: note(f"{answer.status} {answer.url}") if answer.status >= 400 else None
        )
        page.goto(site.pages[name])
        return page

    yield opened
    for page in pages:
        page.close()
        page.context.clear_cookies()
    assert complaints == []


def test_every_page_is_whole_and_can_be_read(visit, site):
    """No errors, and no blocked scripts, styles, pictures or requests; nothing is wider than a phone; and all
    text, including the menus, has a contrast of at least 4.5 to 1."""
    page = visit("home", reduced_motion="reduce")
    for name, path in site.pages.items():
        page.goto(path)
        expect(page.locator("main")).to_be_visible()
        for width in (390, 320):
            page.set_viewport_size(PHONE | {"width": width})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                lies_within(page, width, (name, scheme))
        page.set_viewport_size(DESK)
        page.evaluate(UNFOLD)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(CONTRAST) == [], (name, scheme)
    page.wait_for_load_state("networkidle")


def lies_within(page, width, name):
    """Check that a page and its parts are not wider than the screen."""
    scrolled, shown, *parts = page.evaluate(BOUNDS)
    assert scrolled <= shown == width, name
    for part, left, right in parts:
        assert 0 <= left < right <= width, (name, part)


# Evaluated in one call, as each call to the browser takes longer than its work.
BOUNDS = """() => {
    const {scrollWidth, clientWidth} = document.documentElement;
    const parts = ["header.top", "main", "footer.foot"].map(part => {
        const {left, right} = document.querySelector(part).getBoundingClientRect();
        return [part, left, right];
    });
    return [scrollWidth, clientWidth, ...parts];
}"""
UNFOLD = """() => {
    document.querySelectorAll(".menu-wide.menu, .top details").forEach(each => each.name = "");
    document.querySelectorAll(".top details").forEach(each => each.open = true);
}"""


def test_no_page_scrolls_sideways_on_a_phone_without_scripts(visit, site):
    page = visit("home", viewport=PHONE, java_script_enabled=False)
    for name, path in site.pages.items():
        page.goto(path)
        lies_within(page, PHONE["width"], name)


def test_cards_stand_in_two_columns_on_a_phone_and_six_on_a_wide_screen(visit):
    def columns(page):
        tops = page.locator(".cards .card").evaluate_all("all => all.map(e => e.getBoundingClientRect().y)")
        return tops.count(tops[0])

    assert columns(visit("issues", viewport=PHONE)) == 2
    assert columns(visit("issues", viewport=DESK)) == 6


def test_nothing_moves_while_pictures_load(visit):
    for name in ("home", "issue", "publisher"):
        page = visit(name, fresh=True)
        page.wait_for_load_state("networkidle")
        shift = page.evaluate(
            """() => new Promise(resolve => {
                let sum = 0;
                new PerformanceObserver(list => { for (const each of list.getEntries()) sum += each.value; })
                    .observe({ type: "layout-shift", buffered: true });
                setTimeout(() => resolve(sum), 300);
            })"""
        )
        assert shift < 0.01, name


def test_more_rows_come_without_leaving_the_page_and_take_the_focus(visit):
    page = visit("issue")
    assert page.locator("#credits > li").count() == 30
    page.locator("#credits-more a").click()
    expect(page.locator("#credits > li")).to_have_count(40)
    expect(page.locator("#credits-more a")).to_have_count(0)
    expect(page.locator(":focus")).to_have_text("Creator 30")
    assert "/load-more/" not in page.url
    page.locator("#announcer", has_text="More rows were added.").wait_for(state="attached")


def test_more_rows_are_a_page_without_scripts(visit):
    page = visit("issue", java_script_enabled=False)
    page.locator("#credits-more a").click()
    expect(page).to_have_url(re.compile(r"/credits/load-more/\?offset=30$"))
    expect(page.locator("main li.credit")).to_have_count(10)


@pytest.mark.parametrize("javascript", [True, False])
def test_the_theme_switch_works_and_lasts(visit, javascript):
    page = visit("publisher", color_scheme="light", java_script_enabled=javascript)

    if javascript:
        before = page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor")
    page.locator('summary[title="Theme"]').click()
    page.locator('#theme-choices button[value="dark"]').click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page).to_have_url(re.compile("/publisher/crowd-comics/$"))
    page.wait_for_load_state("networkidle")
    if javascript:
        expect(page.locator("body")).not_to_have_css("background-color", before)
        expect(page.locator('#theme-choices button[value="dark"]')).to_have_attribute("aria-pressed", "true")
    page.goto("/series/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_theme_of_the_system_is_the_usual_one(visit):
    def dark(page):
        colour = page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor")
        return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(","))) < 200

    assert dark(visit("home", color_scheme="dark"))
    assert not dark(visit("home", color_scheme="light"))


def test_menus_open_and_close_from_the_keyboard(visit):
    page = visit("home")
    summary = page.locator(".menu-wide summary", has_text="Browse")
    summary.focus()
    page.keyboard.press("Enter")
    link = page.locator('.menu-panel-browse a[href="/publisher/"]')
    expect(link).to_be_visible()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    page.keyboard.press("Escape")
    expect(link).to_be_hidden()
    expect(summary).to_be_focused()
    summary.click()
    expect(link).to_be_visible()
    page.mouse.click(900, 800)
    expect(link).to_be_hidden()


@pytest.mark.parametrize("javascript", [True, False])
def test_the_menu_of_a_phone_leads_everywhere(visit, javascript):
    page = visit("home", viewport=PHONE, java_script_enabled=javascript)
    page.locator(".menu-narrow > summary").click()
    page.locator('.menu-narrow a[href="/character/"]').click()
    expect(page).to_have_url(re.compile("/character/$"))


def test_the_first_tab_offers_to_skip_to_the_content(visit):
    page = visit("publishers")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_class("skip")
    page.keyboard.press("Enter")
    expect(page.locator(":focus")).to_have_id("content")


def test_a_cover_is_enlarged_in_a_dialog_that_closes_in_three_ways(visit):
    page = visit("issue")
    dialog = page.locator("#dialog")
    for close in ("key", "button", "outside"):
        page.locator("a.enlarge").click()
        page.locator("#dialog img").wait_for()
        expect(dialog).to_be_visible()
        if close == "key":
            page.keyboard.press("Escape")
        elif close == "button":
            page.locator(".dialog-close").click()
        else:
            page.mouse.click(5, 5)
        dialog.wait_for(state="hidden")
        expect(page.locator(":focus")).to_have_class("enlarge")
    wide = page.locator(".card-variant .frame-wide")
    assert wide.bounding_box()["y"] == page.locator(".card-variant").bounding_box()["y"]  # at its top
    page.locator(".card-variant .card-label").click()
    page.locator("#dialog .frame-wide img").wait_for()


def test_a_cover_is_a_page_without_scripts(visit):
    page = visit("issue", java_script_enabled=False)
    page.locator("a.enlarge").click()
    expect(page).to_have_url(re.compile("/cover/$"))
    expect(page.locator("figure img")).to_be_visible()


def test_numbers_are_copied(visit):
    page = visit("issue", permissions=["clipboard-read", "clipboard-write"])
    button = page.locator('.facts button[data-copy="76194134182600111"]')
    button.click()
    page.locator(".facts .copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "76194134182600111"
    page.locator(".facts .copied").wait_for(state="detached")


def test_copy_buttons_are_for_scripts_only(visit):
    page = visit("issue", java_script_enabled=False)
    expect(page.locator(".facts code").first).to_be_visible()
    expect(page.locator("button[data-copy]").first).to_be_hidden()


@pytest.mark.parametrize("javascript", [True, False])
def test_issues_are_sorted_by_choice(visit, javascript):
    page = visit("issues", java_script_enabled=javascript)
    page.locator("#sort").select_option("added")
    if not javascript:
        page.locator(".sort button").click()
    page.wait_for_url("**/issue/?sort=added")
    expect(page.locator(".card-label").first).to_have_text(re.compile("#39$"))


@pytest.mark.parametrize("viewport", [PHONE, DESK])
def test_tracking_and_stars_are_on_the_first_screen(visit, viewport):
    page = visit("issue", viewport=viewport)
    for part in ("#rating-widget", ".track-wide"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= viewport["height"], part


def test_times_are_shown_in_the_zone_of_the_browser(visit):
    page = visit("statistics", timezone_id="Asia/Tokyo")
    shown = page.locator(".list-count time")
    expect(shown).to_have_text(re.compile(r"GMT\+9$"))
    assert shown.get_attribute("datetime")


def test_filters_send_only_what_was_filled_in(visit):
    page = visit("issues")
    page.fill("#by-number", "7")
    page.keyboard.press("Enter")
    page.wait_for_url("**/issue/?number=7")
    expect(page.locator(".more-filters")).to_be_attached()
    assert page.locator(".more-filters[open]").count() == 0


@pytest.mark.parametrize("javascript", [True, False])
def test_one_can_log_in_and_out(visit, javascript):
    page = visit("publisher", java_script_enabled=javascript)
    page.locator(".top-right >> text=Log in").click()
    page.locator("#username").fill("Nora")
    page.locator("#password").fill("correct horse")
    page.locator(".sign-in button.button-pop").click()
    page.locator(".top-right .account-name").click()
    page.locator(".top-right >> text=Log out").click()
    expect(page.locator(".message-success")).to_contain_text("You have been logged out.")
    expect(page.locator(".top-right >> text=Log in")).to_be_visible()


def test_the_search_box_of_every_page_finds(visit):
    page = visit("series")
    page.locator("#quick-q").fill("crowd")
    page.locator(".quick-all").click()
    page.wait_for_url("**/search/?q=crowd&all=1")
    expect(page.locator("#found-publisher")).to_be_visible()


CONTRAST = """() => {
    const luminance = ([r, g, b]) => {
        const part = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    };
    const read = colour => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const behind = element => {
        for (; element; element = element.parentElement) {
            const colour = read(getComputedStyle(element).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
        }
        return [255, 255, 255];
    };
    const weak = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
        if (element.closest(".sr-only, .skip, template, script")) continue;
        const one = luminance(read(getComputedStyle(element).color)), other = luminance(behind(element));
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (ratio < 4.5) weak.push([ratio.toFixed(2), element.className, element.textContent.trim()]);
    }
    return weak;
}"""


def test_paper_is_white_in_every_theme(visit, site):
    page = visit("home")
    page.context.add_cookies([{"name": "theme", "value": "dark", "url": site.url}])
    page.emulate_media(media="print")
    for name in ("series", "issue"):
        page.goto(site.pages[name])
        assert page.evaluate(CONTRAST) == [], name


def test_the_mark_of_the_site_has_a_name_on_a_phone(visit):
    link = visit("home", viewport=PHONE).locator("header.top").get_by_role("link", name="comicsdb")
    assert link.get_attribute("href") == "/"
