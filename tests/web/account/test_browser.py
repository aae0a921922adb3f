"""The account pages in a real browser: no console errors, no overflow, sufficient contrast, and focus."""

import re
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from comicsdb.accounts import letters
from comicsdb.accounts.links import make_link
from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.models.account import ACTIVATE
from tests.factories import Factories
from tests.web.conftest import PASSWORD
from tests.web.test_browser import CONTRAST

NAME = "Donaudampfschifffahrtsgesellschaftskapitaensmuetze"
OPEN = (
    "login/",
    "signup/",
    "account_activation_sent/",
    "activate/resend/",
    "password_reset/",
)
OWN = (
    "", "update/", "password_change/", "password_change/done/", "security/", "security/app/", "tokens/",
    "export/", "delete/", "users/", "search?q=nobody", f"{NAME}/", "Nora/",
)  # fmt: skip
# The visible elements that extend beyond the width of the page, except for the honeypot field.
OUTSIDE = """() => [...document.querySelectorAll("main *")].filter(element => {
    const box = element.getBoundingClientRect();
    if (!element.checkVisibility() || element.closest(".not-for-people, .sr-only, svg")) return false;
    return box.width && (box.left < 0 || box.right > document.documentElement.clientWidth + 0.5);
}).map(element => element.outerHTML.slice(0, 200))"""
UNFOLD = "document.querySelectorAll('.top details').forEach(e => { e.name = ''; e.open = true; })"
FOLD = "document.querySelectorAll('.top details').forEach(e => { e.open = false; })"


@pytest.fixture(scope="module")
def address(served):
    """The address of a site with a member whose name is very long, and two more accounts."""
    with served.sessions() as session:
        make = Factories(Catalog(session))
        bio = f"{NAME * 3}\n\nReads. " + "Much. " * 200
        groups = ("editor", "reading list editor")
        make.user(NAME, password=PASSWORD, passwords=Passwords("fast"), bio=bio, groups=groups, is_staff=True)
        make.user("Passepartout", password=PASSWORD, passwords=Passwords("fast"))
        make.user("Nora", first_name=NAME, last_name=NAME, email=f"{NAME}@{NAME}.example.org")
    return served.url


@pytest.fixture(scope="module")
def session(browser, address):
    """The browser storage of a member who is logged in."""
    with browser.new_context(base_url=address) as context:
        log_in(context.new_page())
        return context.storage_state()


@pytest.fixture(scope="module")
def contexts(browser, address, session):
    """`contexts(member, **options)`: a context with these options, logged in or not, created once."""
    made = {}

    def context(member, **options):
        key = member, repr(sorted(options.items()))
        if key not in made:
            state = session if member else None
            made[key] = browser.new_context(base_url=address, storage_state=state, **options)
        return made[key]

    yield context
    for each in made.values():
        each.close()


@pytest.fixture
def visit(contexts):
    """`visit(**options)`: a logged-out page, a page of the member, and the browser's errors and warnings."""
    pages = []

    def opened(**options):
        found = SimpleNamespace(complaints=[])

        def note(line):
            if line.type in ("error", "warning") and "a status of 4" not in line.text:
                found.complaints.append(line.text)

        for name in ("stranger", "member"):
            page = contexts(name == "member", **options).new_page()
            pages.append(page)
            page.on("console", note)
            page.on("pageerror", lambda error: found.complaints.append(str(error)))
            setattr(found, name, page)
        return found

    yield opened
    for page in pages:
        page.close()
    for stranger in pages[::2]:
        stranger.context.clear_cookies()


def log_in(page, name=NAME):
    """Submit the log-in form, which may fail."""
    page.goto("/accounts/login/")
    page.locator("#username").fill(name)
    page.locator("#password").fill(PASSWORD)
    page.locator(".sign-in button.button-pop").click()
    page.locator(".top-right .account-name, .form-errors").first.wait_for(state="attached")
    page.wait_for_load_state()


def states(visit):
    """Yield `(name, page)` for each account page: as opened, with form errors, and with details unfolded."""
    for path in OPEN:
        visit.stranger.goto(f"/accounts/{path}")
        yield path, visit.stranger
    visit.stranger.goto("/s/activate/1/x/")
    yield "unusable link", visit.stranger
    for path in OWN:
        visit.member.goto(f"/accounts/{path}")
        yield path, visit.member
    yield from refused(visit)
    visit.member.goto("/accounts/tokens/")
    visit.member.locator("#name").fill("W" * 64)
    visit.member.locator(".form .button-pop").click()
    visit.member.locator("#new-token").wait_for()
    for fold in visit.member.locator(".confirm").all():
        fold.evaluate("details => details.open = true")
    yield "new token", visit.member


def refused(visit):
    """Yield `(name, page)` for each form with errors."""
    log_in(visit.stranger, "Nobody")
    yield "login refused", visit.stranger
    visit.stranger.goto("/accounts/signup/")
    visit.stranger.locator("form.quick").evaluate("form => form.remove()")
    visit.stranger.locator(".sign-in form").evaluate("form => form.noValidate = true")
    visit.stranger.locator(".sign-in button.button-pop").click()
    visit.stranger.locator(".form-errors").wait_for()
    yield "sign-up refused", visit.stranger
    visit.member.goto("/accounts/update/")
    visit.member.locator("#username").fill("two words")
    visit.member.locator(".form .button-pop").click()
    visit.member.locator(".form-errors").wait_for()
    yield "profile refused", visit.member


def test_every_page_fits_can_be_read_and_makes_the_browser_complain_of_nothing(visit):
    """No horizontal scrolling, and a contrast of at least 4.5 to 1 for all text, including menus."""
    visited = visit(reduced_motion="reduce")  # no colour transitions while contrast is measured
    for name, page in states(visited):
        for scheme, width in (("light", 1280), ("light", 390), ("dark", 320)):
            page.set_viewport_size({"width": width, "height": 844})
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
            assert page.evaluate(OUTSIDE) == [], (name, width)
            page.evaluate(UNFOLD)
            assert page.evaluate(CONTRAST) == [], (name, scheme, width)
            page.evaluate(FOLD)
    assert visited.complaints == []


def test_what_is_wrong_takes_the_focus_and_leads_to_its_field(visit):
    visited = visit()
    names = []
    for name, page in refused(visited):
        names.append(name)
        expect(page.locator(".form-errors"), name).to_be_focused()
        for link in page.locator(".form-errors a").all():
            link.click()
            expect(page).to_have_url(re.compile(re.escape(link.get_attribute("href")) + "$"))
    assert len(names) == 3


def test_a_field_is_marked_as_wrong_while_it_holds_what_was_refused(visit):
    def is_marked():
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(page.locator(".field:has(#username) .field-error")).to_have_count(1)
        expect(field).to_have_css("border-top-color", red)

    page = visit().member
    page.goto("/accounts/update/")
    field = page.locator("#username")
    field.fill("two words")
    page.locator(".form .button-pop").click()
    expect(page.locator(".form-errors")).to_be_focused()  # the page's scripts are running
    red = page.locator(".form-errors").evaluate("e => getComputedStyle(e).borderTopColor")
    is_marked()
    field.fill("two_words")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator(".field:has(#username) .field-error")).to_have_count(0)
    expect(field).not_to_have_css("border-top-color", red)
    field.fill("two words")
    is_marked()


def test_activation_page_button_is_pressed_by_script_or_by_hand(served, visit):
    def link(name: str) -> str:
        with served.sessions() as session:
            user = Factories(Catalog(session)).user(name, is_active=False, email_confirmed=False)
            secret = make_link(session, user, ACTIVATE, user.email).secret
            session.commit()
            return letters.ACTIVATE.format(uid=user.id, secret=secret)

    page = visit().stranger
    page.goto(link("Fogg"))
    expect(page).to_have_url(re.compile("/accounts/$"))
    expect(page.locator(".message-success")).to_contain_text("Welcome, Fogg!")
    plain = visit(java_script_enabled=False).stranger
    plain.goto(link("Aouda"))
    plain.get_by_role("button", name="Activate the account").click()
    expect(plain.locator(".message-success")).to_contain_text("Welcome, Aouda!")


def test_a_question_is_taken_back_by_escape(visit):
    page = visit().member
    page.goto("/accounts/security/")
    page.locator(".confirm summary").click()
    button = page.get_by_role("button", name="Log out everywhere")
    expect(button).to_be_visible()
    page.keyboard.press("Escape")
    expect(button).to_be_hidden()
    expect(page.locator(".confirm summary")).to_be_focused()


def test_a_new_token_has_the_focus_and_is_selected(visit):
    page = visit().member
    page.goto("/accounts/tokens/")
    page.locator(".form .button-pop").click()
    token = page.locator("#new-token")
    expect(token).to_be_focused()
    page.locator("h1").click()
    token.focus()
    assert page.evaluate("getSelection().toString()") == token.input_value()


def test_a_passkey_is_made_and_logs_in_by_itself(visit):
    """The whole WebAuthn ceremony, with a virtual authenticator of Chromium."""
    visited = visit()
    page = visited.stranger
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    device = devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]
    log_in(page, "Passepartout")
    page.goto("/accounts/security/")
    page.locator("#name").fill("Pocket")
    page.get_by_role("button", name="Add a passkey").click()
    page.locator(".recovery-codes").wait_for()
    (made,) = devtools.send("WebAuthn.getCredentials", {"authenticatorId": device})["credentials"]
    assert (made["isResidentCredential"], made["rpId"]) == (True, "localhost")
    page.goto("/accounts/security/")
    expect(page.locator(".two-steps")).to_contain_text("Pocket")
    page.context.clear_cookies()
    page.goto("/accounts/login/?next=/accounts/tokens/")
    page.get_by_role("button", name="Log in with a passkey").click()
    page.wait_for_url(re.compile("//[^/]+/accounts/tokens/$"))  # the previous address ends in this, too
    page.context.clear_cookies()
    page.goto("/accounts/login/")
    page.locator("#username").fill("Passepartout")
    page.locator("#password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url("**/accounts/login/second/")
    page.get_by_role("button", name="Use a passkey").click()
    page.locator(".top-right .account-name").first.wait_for(state="attached")
    page.wait_for_load_state()
    devtools.send("WebAuthn.clearCredentials", {"authenticatorId": device})
    page.context.clear_cookies()
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Log in with a passkey").click()
    page.get_by_text("No passkey was used.").first.wait_for()
    assert visited.complaints == []
