"""From sign-up to an API call, end to end: a browser, a server process, a mail server and an API client."""

import re
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from tests.serving import add_account, fetch, free_port, pserve, write_ini
from tests.smtp_sink import SmtpSink
from tests.waiting import wait_until

PASSWORD = "seven horses"


@pytest.fixture(scope="module")
def sink():
    """A mail server that stores what it receives."""
    with SmtpSink() as sink:
        yield sink


def link_for(sink, address: str) -> str:
    """Wait for mail to an address; returns the link in the newest one, which both parts contain."""
    wait_until(lambda: sink.to(address))
    newest = sink.to(address)[-1]
    assert newest.links[0] in newest.html
    return newest.links[0]


@pytest.fixture(scope="module")
def site(cluster, template, tmp_path_factory, sink):
    """A server process with site and API, which also sends the mails."""
    cluster.clone_database(template, "person")
    port = free_port()
    folder = tmp_path_factory.mktemp("person")
    ini = write_ini(folder, cluster.url("person"), includes="comicsdb_api comicsdb_web", port=port)
    environment = {
        "COMICSDB_BASE_URL": f"http://127.0.0.1:{port}",
        "COMICSDB_SMTP_HOST": "127.0.0.1",
        "COMICSDB_SMTP_PORT": str(sink.port),
        "COMICSDB_SIGNUP_PER_ADDRESS": "0",
        "COMICSDB_SIGNUP_FASTEST": "0",
    }
    with pserve(ini, port, **environment) as url:
        yield SimpleNamespace(url=url, log=ini.with_suffix(".log"), database=cluster.url("person"))
    cluster.drop_database("person")


@pytest.fixture
def browse(browser, site):
    """`browse(**options)`: a page in a new browser context; console errors and exceptions fail the test."""
    complaints = []
    with ExitStack() as stack:

        def opened(**options):
            page = stack.enter_context(browser.new_context(base_url=site.url, **options)).new_page()
            page.on("console", lambda line: note(line.text) if line.type == "error" else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            return page

        def note(complaint):
            if "a status of 422" not in complaint:  # expected: the tests submit invalid forms
                complaints.append(complaint)

        yield opened
    assert complaints == []


def sign_up(page, name) -> str:
    """Fill in and submit the sign-up form; returns the e-mail address."""
    address = f"{name.lower()}@example.org"
    page.goto("/")
    page.locator(".top-right >> text=Sign up").click()
    page.get_by_label("User name").fill(name)
    page.get_by_label("E-mail address").fill(address)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.locator(".sign-in button.button-pop").click()
    page.get_by_role("heading", name="Check your e-mail").wait_for()
    return address


def log_in(page, name):
    """Fill in and submit the log-in form."""
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.locator(".sign-in button.button-pop").click()


def log_out(page):
    """Log out from the account menu."""
    page.locator(".top-right .account-name").click()
    page.locator(".top-right >> text=Log out").click()
    page.locator(".message-success", has_text="You have been logged out.").wait_for()


def make_token(page, label) -> str:
    """Generate an API token, starting from any page; returns it."""
    page.locator(".top-right .account-name").click()
    page.locator(".top-right").get_by_role("link", name="Account").click()
    page.get_by_role("link", name="API tokens").click()
    page.get_by_label("Label").fill(label)
    page.get_by_role("button", name="Create a token").click()
    token = page.locator("#new-token").input_value()
    assert re.fullmatch("cdb_[0-9A-Za-z]{42}", token)
    return token


def copy_token(page) -> str:
    """Press the copy button, which confirms this for two seconds; returns the content of the clipboard."""
    button = page.locator(".copy-token")
    assert button.inner_text() == "Copy"
    button.click()
    page.locator(".copy-token.copied", has_text="Copied").wait_for()
    assert page.locator(".copy-token .icon-check").is_visible()
    page.locator(".copy-token:not(.copied)", has_text="Copy").wait_for()
    return page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("javascript", [True, False])
def test_from_nobody_to_a_program_that_is_let_in_and_out(browse, site, sink, javascript):
    name = "Nora" if javascript else "Olga"
    options = {"permissions": ["clipboard-read", "clipboard-write"]} if javascript else {}
    page = browse(java_script_enabled=javascript, **options)
    address = sign_up(page, name)
    page.goto("/accounts/login/")
    log_in(page, name)
    page.locator(".form-errors").wait_for()  # refused until the link is opened

    page.goto(link_for(sink, address))
    if not javascript:  # a script presses the button
        page.locator("main form button[type=submit]").first.click()
    page.locator(".message-success", has_text=f"Welcome, {name}!").wait_for()
    log_out(page)
    page.locator(".top-right >> text=Log in").click()
    log_in(page, name)

    token = make_token(page, "Tagger")
    if javascript:
        assert copy_token(page) == token
    else:
        assert page.locator(".copy-token").is_hidden()
        assert page.locator("#new-token").get_attribute("readonly") is not None
    api, proof = f"{site.url}/api/reading_list/", {"Authorization": f"Bearer {token}"}
    assert fetch(api)[0] == 401
    assert fetch(api, **proof)[0] == 200

    page.reload()  # resubmits the form: creates no second token, and shows none
    page.locator(".message", has_text="That form was already submitted.").wait_for()
    assert page.locator("tbody tr").count() == 1
    assert token not in page.content()

    page.locator("tbody summary", has_text="Revoke").click()
    page.get_by_role("button", name="Revoke this token").click()
    page.locator(".message-success", has_text="The token was revoked").wait_for()
    assert fetch(api, **proof)[0] == 401
    assert token.removeprefix("cdb_") not in site.log.read_text()


def test_a_clipboard_that_refuses_leaves_the_token_selected(browse, site):
    add_account(site.database, "Pia", PASSWORD)
    page = browse()
    page.add_init_script("delete Navigator.prototype.clipboard")
    page.goto("/accounts/login/")
    log_in(page, "Pia")
    token = make_token(page, "")
    page.locator("h1").click()
    page.locator(".copy-token").click()
    assert page.evaluate("getSelection().toString()") == token
    assert page.locator(".copy-token.copied").count() == 0


@pytest.mark.parametrize("javascript", [True, False])
def test_a_forgotten_password_is_replaced_by_mail(browse, site, sink, javascript):
    name = "Rosa" if javascript else "Sara"
    add_account(site.database, name, "forgotten at once")
    page = browse(java_script_enabled=javascript)
    page.goto("/")
    page.locator(".top-right >> text=Log in").click()
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("E-mail address").fill(f"{name}@example.org")
    page.locator(".sign-in button.button-pop").click()
    page.get_by_role("heading", name="Check your e-mail").wait_for()
    page.goto(link_for(sink, f"{name}@example.org"))
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("New password again").fill(PASSWORD)
    page.locator(".sign-in button.button-pop").click()
    page.get_by_role("heading", name="Your new password is set").wait_for()
    page.locator(".card-links >> text=Log in").click()
    log_in(page, name)
    page.locator(".top-right .account-name", has_text=name).wait_for()
