"""Accessibility: pages pass axe-core's checks of WCAG 2.2 AA in both themes, and work at every width."""

import base64
import re
import threading

import pytest
import waitress.server
from axe_playwright_python.base import AXE_SCRIPT
from PIL import ImageFont
from playwright.sync_api import Error
from sqlalchemy import select

from comicsdb.catalog import Catalog
from comicsdb.models import Announcement, Genre
from tests.soak import SOAK
from tests.web.addresses import addresses_of, keep_library
from tests.web.conftest import log_in

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]
FRAME = [[".top"], [".foot"]]  # the same on every page
ERRORS = ["/no-such-page/", "/publisher/nobody/", "/s/reset/1/x/"]

# Together, these pages contain nearly every component of the site. `make soak` checks all pages.
SIGNED_IN = (
    "/",
    "/issue/lamplight-2019-1/",
    "/series/lamplight-2019/",
    "/publisher/harbor-house/",
    "/series/",
    "/issue/calendar/",
    "/timeline/",
    "/statistics/",
    "/data/",
    "/changes/",
    "/publisher/harbor-house/history/",
    "/issue/lamplight-2019-1/update/",
    "/collection/",
    "/collection/bulk/",
    "/collection/stats/",
    r"/collection/import/\d+/",
    r"/collection/import/\d+/series/",
    "/pull-list/",
    "/wish-list/",
    "/reading-lists/",
    "/reading-lists/public-nora/",
    "/accounts/Nora/",
    "/accounts/security/",
    "/admin/",
    r"/admin/user/\d+/",
    "/admin/publisher/",
)
SIGNED_OUT = ("/accounts/signup/", "/reading-lists/public-nora/", "/search/", "/help/", "/no-such-page/")


# A screen of 390 px with text of 200 % has room for as much as one of this width, in pixels.
ENLARGED, DESK = {"width": 195, "height": 422}, {"width": 1280, "height": 720}
# By how much a page with everything unfolded is too wide; stars unfold over it.
OVER = """() => {
    for (const each of document.querySelectorAll("main details:not(.track details)")) each.open = true;
    return document.documentElement.scrollWidth - innerWidth;
}"""
# Pillow's own font, scaled to the widths of Liberation Sans Narrow and DejaVu Sans, regular and bold, so that
# the fonts of the machine make no difference.
FONT = base64.b64encode(ImageFont.load_default(16).font_bytes).decode()
FONTS = {"narrow": {400: "81%", 700: "87%"}, "wide": {400: "113%", 700: "127%"}}
USE_FONT = """async ([name, data, sizes]) => {
    if (![...document.fonts].some(font => font.family === name)) {
        const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
        for (const [weight, sizeAdjust] of Object.entries(sizes)) {
            document.fonts.add(await new FontFace(name, bytes, {weight, sizeAdjust}).load());
        }
    }
    for (const property of ["--font", "--font-display", "--font-code"]) {
        document.documentElement.style.setProperty(property, name);
    }
}"""
WIDTHS = (390, 768, 1088, 1280, 1440)
ARRANGED = r"/admin/|/series/lamplight-2019/$|/wish-list/item/\d+/acquire/|/pull-list/$|/accounts/security/"
# What a page shows at its current width: the indexes of its visible parts, and faults of the layout.
SEEN = """() => {
    const page = document.querySelector(".admin-page") ?? document.querySelector("main");
    const frame = "h1, .lead, .breadcrumb";
    const isSeen = element => {
        const {width, height} = element.getBoundingClientRect();
        return width > 1 && height > 1 && element.checkVisibility({visibilityProperty: true});
    };
    const kinds = "a, button, input, select, textarea, h2, h3, p, li, dd, td:not(:empty)";
    const parts = [...page.querySelectorAll(kinds)];
    const seen = parts.filter(isSeen);
    const full = seen.some(each => !each.closest(frame) && (each.innerText || each.matches("input, select")));
    const over = document.documentElement.scrollWidth - innerWidth;
    const touching = [...page.querySelectorAll(".form-buttons, .tags, .button-pop")].filter(each => {
        const before = each.previousElementSibling;
        if (!before || !isSeen(before) || !isSeen(each)) return false;
        const above = before.getBoundingClientRect(), box = each.getBoundingClientRect();
        return box.top >= above.bottom - 1 && box.top - above.bottom < 4;
    });
    return {
        seen: seen.map(each => parts.indexOf(each)),
        names: parts.map(each => each.outerHTML.slice(0, 90)),
        wrong: [
            !full && "is empty",
            over > 0 && `scrolls sideways by ${over} px`,
            ...touching.map(each => `touches what is above it: ${each.outerHTML.slice(0, 90)}`),
        ].filter(Boolean),
    };
}"""


@pytest.fixture
def addresses(wsgi, world, session, member):
    """Every address of the site, including Nora's library and the administration: Nora is a superuser."""
    member.is_staff = member.is_superuser = True
    session.add(Announcement(id=1, title="Hello"))
    kept = keep_library(session, member, world)
    genre = session.scalar(select(Genre.id).limit(1))
    Catalog(session).update(world.series, {"genres": [genre]})
    session.commit()
    return [*addresses_of(wsgi, session, world, kept, kept.list), *ERRORS]


@pytest.fixture
def page(browser, wsgi, testapp):
    """A page of a browser whose requests go to the application under test, inside the test's transaction.

    They go through a server instead of Playwright's routing, with which the browser would not cache files and
    would request each style sheet and script again on every page. The server has one thread, since there is
    only one connection.
    """
    server = waitress.server.create_server(wsgi, host="127.0.0.1", port=0, threads=1)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    url = f"http://localhost:{server.effective_port}"
    context = browser.new_context(base_url=url, reduced_motion="reduce")
    yield context.new_page()
    context.close()
    server.close()
    thread.join(10)


def sign_in(testapp, page):
    """Log Nora in, and pass her session to the browser."""
    log_in(testapp)
    cookies = [
        {"name": each.name, "value": each.value, "url": "http://localhost"} for each in testapp.cookiejar
    ]
    page.context.add_cookies(cookies)


def sample(addresses, patterns) -> list[str]:
    """An address for each pattern; with `make soak`, all addresses."""
    if SOAK:
        return addresses
    return [next(each for each in addresses if re.fullmatch(pattern, each)) for pattern in patterns]


def opened(page, address) -> bool:
    """Go to an address; returns whether it is a whole page, rather than a fragment or a file."""
    while True:
        try:
            answer = page.goto(address)
            break
        except Error as error:
            if "interrupted by another navigation" not in str(error):  # a download
                return (
                    False  # or a redirect to another site: its error page would interrupt the next navigation
                )
    return answer.text().startswith("<!doctype html>")


def complaints(page, rules, left_out=()) -> list[str]:
    """What axe, added as an initial script, reports about the page in its current state."""
    found = page.evaluate(
        "([rules, exclude]) => axe.run({exclude}, {runOnly: rules, resultTypes: ['violations']})",
        [rules, list(left_out)],
    )
    return [
        f"{page.url}: {rule['id']}: {node['html'][:200]} {node['failureSummary'].splitlines()[-1].strip()}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def use_font(page, name: str) -> None:
    """Show all text of the page in one of the FONTS."""
    page.evaluate(USE_FONT, [name, FONT, FONTS[name]])


def too_wide(page) -> list[str]:
    """Whether a page scrolls sideways on a phone with text of twice the size; leaves it unfolded.

    With a narrow font, and with a wide one, which stays.
    """
    page.set_viewport_size(ENLARGED)
    wrong = []
    for font in FONTS:
        use_font(page, font)
        if over := page.evaluate(OVER):
            wrong.append(f"{page.url} with {font} text of 200 % scrolls sideways by {over} px")
    page.set_viewport_size(DESK)
    return wrong


def test_axe_finds_nothing_to_complain_of(testapp, addresses, page):
    page.add_init_script(AXE_SCRIPT)  # sent to the browser once instead of for each page
    found, looked_at = [], 0
    for patterns in (SIGNED_OUT, SIGNED_IN):
        if patterns is SIGNED_IN:
            sign_in(testapp, page)
        left_out = ()
        for address in sample(addresses, patterns):
            if not opened(page, address):
                continue
            found += complaints(page, RULES, left_out)
            page.emulate_media(color_scheme="dark")
            found += [f"dark: {each}" for each in complaints(page, COLOURS, left_out)]
            page.emulate_media(color_scheme="light")
            found += too_wide(page)
            left_out, looked_at = FRAME, looked_at + 1
    assert looked_at >= len(SIGNED_IN) + len(SIGNED_OUT)
    assert not found, "\n".join(found)


def seen_at_every_width(page) -> list[str]:
    """Faults in the layout of a page at each width, including parts that some widths do not show."""
    wrong, seen = [], {}
    use_font(page, "wide")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found = page.evaluate(SEEN)
        seen[width] = set(found["seen"])
        wrong += [f"{page.url} at {width} px {each}" for each in found["wrong"]]
    ever = set().union(*seen.values())
    return wrong + [
        f"{page.url} at {width} px does not show {found['names'][each]}"
        for width in WIDTHS
        for each in sorted(ever - seen[width])
    ]


def test_pages_show_the_same_at_every_width(testapp, addresses, page):
    """Checks the whole administration, and pages whose forms or chips are placed below each other."""
    sign_in(testapp, page)
    wrong, looked_at = [], 0
    for address in addresses:
        if re.match(ARRANGED, address) and opened(page, address):
            wrong += seen_at_every_width(page) + too_wide(page)
            looked_at += 1
    assert not wrong, "\n".join(wrong)
    assert looked_at > 35


def test_axe_sees_what_is_wrong(page, world):
    page.add_init_script(AXE_SCRIPT)
    page.goto("/")
    page.evaluate("document.querySelector('main').innerHTML = '<img><h2>Pale</h2>'")
    page.evaluate("document.querySelector('main').style.color = '#eee'")
    found = " ".join(complaints(page, RULES, FRAME))
    assert "image-alt" in found
    assert "color-contrast" in found
