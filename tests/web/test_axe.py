"""Every kind of page, signed in and not, in both themes, holds to what axe-core can see of WCAG 2.2 AA."""

import re
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from comicsdb.models import Announcement
from tests.soak import SOAK
from tests.web.addresses import addresses_of, keep_library
from tests.web.conftest import log_in

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]
FRAME = [[".top"], [".foot"]]  # the same on every page
ERRORS = ["/no-such-page/", "/publisher/nobody/", "/accounts/reset/1/x/"]


@pytest.fixture
def addresses(wsgi, world, session, member):
    """An address of every page, Nora's library and the administration among them: she may do everything."""
    member.is_staff = member.is_superuser = True
    session.add(Announcement(id=1, title="Hello"))
    kept = keep_library(session, member, world)
    return [*addresses_of(wsgi, session, world, kept, kept.list), *ERRORS]


@pytest.fixture
def page(browser, testapp):
    """A page whose every request the application under test answers, inside the test's transaction."""
    context = browser.new_context(base_url="http://localhost", reduced_motion="reduce")
    static = {}

    def answer(route):
        if (
            route.request.resource_type == "image"
        ):  # the catalogue of the tests names files that are not there
            route.abort()
            return
        parts = urlsplit(route.request.url)
        address = f"{parts.path}?{parts.query}".rstrip("?")
        answered = static.get(address) or testapp.get(address, expect_errors=True)
        if address.startswith("/static/"):
            static[address] = answered
        headers = {name: value for name, value in answered.headers.items() if name != "Content-Length"}
        route.fulfill(status=answered.status_int, headers=headers, body=answered.body)

    context.route("**/*", answer)
    yield context.new_page()
    context.close()


def pieces(response) -> set[tuple]:
    """What a page is made of: its elements with each of their classes, roles and types."""
    return {
        (element, word)
        for element, attributes in re.findall(r"<([a-z][a-z0-9]*)([^>]*)>", response.text)
        for words in re.findall(r' (?:class|role|type)="([^"]*)"', attributes)
        for word in words.split()
    }


def pages(testapp, addresses) -> dict[str, set[tuple]]:
    """The addresses that answer with a whole page, and what each is made of."""
    answers = {address: testapp.get(address, expect_errors=True) for address in addresses}
    return {
        address: pieces(answer)
        for address, answer in answers.items()
        if answer.content_type == "text/html" and answer.text.startswith("<!doctype html>")
    }


def sample(made, seen) -> list[str]:
    """As few addresses as it takes to see every piece that was not seen yet; when soaking, all there are."""
    if SOAK:
        return list(made)
    chosen, unseen = [], set().union(*made.values()) - seen
    while unseen:
        chosen.append(max(made, key=lambda address: len(made[address] & unseen)))
        unseen -= made[chosen[-1]]
    return chosen


def complaints(page, rules, left_out=()) -> list[str]:
    """What axe says of the page as it is shown now."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(
        "([rules, exclude]) => axe.run({exclude}, {runOnly: rules, resultTypes: ['violations']})",
        [rules, list(left_out)],
    )
    return [
        f"{page.url}: {rule['id']}: {node['html'][:200]} {node['failureSummary'].splitlines()[-1].strip()}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def test_axe_finds_nothing_to_complain_of(testapp, addresses, page):
    found, seen, looked_at = [], set(), []
    for signed_in in (True, False):
        testapp.reset()
        if signed_in:
            log_in(testapp)
        made = pages(testapp, addresses)
        for address in sample(made, seen):
            page.goto(address)
            found += complaints(page, RULES, looked_at and FRAME)
            page.emulate_media(color_scheme="dark")
            found += [f"dark {each}" for each in complaints(page, COLOURS, looked_at and FRAME)]
            page.emulate_media(color_scheme="light")
            looked_at.append(address)
        seen = set().union(*made.values())
    assert len(looked_at) > 20
    assert not found, "\n".join(found)


def test_axe_sees_what_is_wrong(page, world):
    page.goto("/")
    page.evaluate("document.querySelector('main').innerHTML = '<img><h2>Pale</h2>'")
    page.evaluate("document.querySelector('main').style.color = '#eee'")
    found = " ".join(complaints(page, RULES, FRAME))
    assert "image-alt" in found
    assert "color-contrast" in found
