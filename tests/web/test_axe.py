"""Every kind of page, signed in and not, in both themes, holds to what axe-core can see of WCAG 2.2 AA."""

from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

from comicsdb.models import Announcement
from tests.soak import SOAK
from tests.web.addresses import addresses_of, keep_library
from tests.web.conftest import log_in, soup

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
ERRORS = ["/no-such-page/", "/publisher/nobody/", "/accounts/reset/1/x/"]
WHOLE = {"runOnly": RULES, "resultTypes": ["violations"]}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}


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

    def answer(route):
        if route.request.resource_type == "image":  # the catalogue of the tests names files that are not there
            route.abort()
            return
        parts = urlsplit(route.request.url)
        answered = testapp.get(f"{parts.path}?{parts.query}".rstrip("?"), expect_errors=True)
        headers = {
            name: value for name, value in answered.headers.items() if name.lower() != "content-length"
        }
        route.fulfill(status=answered.status_int, headers=headers, body=answered.body)

    context.route("**/*", answer)
    yield context.new_page()
    context.close()


def pieces(response) -> set[tuple]:
    """What a page is made of: its elements, each by its name, its classes and its role or type."""
    return {
        (each.name, *each.get("class", ()), each.get("role") or each.get("type"))
        for each in soup(response).find_all(True)
    }


def sample(testapp, addresses) -> list[str]:
    """As few addresses as it takes to see every piece of every page; when soaking, all there are."""
    made = {}
    for address in addresses:
        response = testapp.get(address, expect_errors=True)
        if response.content_type == "text/html" and response.text.startswith("<!doctype html>"):
            made[address] = pieces(response)
    if SOAK:
        return list(made)
    chosen, unseen = [], set().union(*made.values())
    while unseen:
        chosen.append(max(made, key=lambda address: len(made[address] & unseen)))
        unseen -= made[chosen[-1]]
    return chosen


def complaints(page, address) -> list[str]:
    """What axe says of a page in the light theme, and of its colours in the dark one."""
    axe, found = Axe(), []
    for scheme, options in (("light", WHOLE), ("dark", COLOURS)):
        page.emulate_media(color_scheme=scheme)
        if scheme == "light":
            page.goto(address)
        for rule in axe.run(page, options=options).response["violations"]:
            for node in rule["nodes"]:
                reason = node["failureSummary"].splitlines()[-1].strip()
                found.append(f"{address} ({scheme}) {rule['id']}: {node['html'][:200]} {reason}")
    return found


@pytest.mark.parametrize("signed_in", [False, True])
def test_axe_finds_nothing_to_complain_of(testapp, addresses, page, signed_in):
    if signed_in:
        log_in(testapp)
    chosen = sample(testapp, addresses)
    assert chosen
    found = [each for address in chosen for each in complaints(page, address)]
    assert not found, "\n".join(found)


def test_axe_sees_what_is_wrong(page, testapp, world):
    page.goto("/")
    page.evaluate("document.querySelector('main').innerHTML = '<img><h2>Pale</h2>'")
    page.evaluate("document.querySelector('main').style.color = '#eee'")
    found = Axe().run(page, options=WHOLE).response["violations"]
    assert {"image-alt", "color-contrast"} == {rule["id"] for rule in found}
