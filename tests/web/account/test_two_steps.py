"""The pages of two-step log-in: setup, log-in, confirmation of sensitive actions, and the rule for staff."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pyotp
import pytest
import time_machine
import webtest
from sqlalchemy import delete, func, select

from comicsdb import clock
from comicsdb.accounts.passwords import Passwords
from comicsdb.models import ApiToken, LoginSession, Passkey, User
from tests.conftest import build_app
from tests.passkey_device import Device
from tests.serving import add_account
from tests.waiting import await_lock
from tests.web.conftest import field_errors, form_to, log_in, notice, soup, start_session, submit

SECURITY = "/accounts/security/"
APP = "/accounts/security/app/"
SECOND = "/accounts/login/second/"
TOKENS = "/accounts/tokens/"


def logged_in(testapp) -> bool:
    return testapp.get("/accounts/", expect_errors=True).status_int == 200


def later(**span):
    return time_machine.travel(clock.now() + timedelta(**span), tick=True)


def set_up_app(testapp):
    """Set up an authenticator app; returns its TOTP generator and the page with the recovery codes."""
    page = testapp.get(APP)
    totp = pyotp.TOTP(soup(page).select_one(".secret").get_text())
    form = form_to(page, APP)
    form["code"] = totp.at(clock.now())
    return totp, form.submit(status=200)


def codes_on(page):
    return [each.get_text() for each in soup(page).select(".recovery-codes code")]


@pytest.fixture
def app(testapp, reader):
    """The TOTP generator and the recovery codes of Nora, who is logged out again."""
    totp, page = set_up_app(testapp)
    testapp.reset()
    return totp, codes_on(page)


def test_an_app_is_set_up_with_its_first_code_and_recovery_codes_are_shown_once(testapp, reader, session):
    page = testapp.get(APP)
    picture = soup(page).select_one(".qr svg")
    assert picture.find("path") is not None
    assert "style" not in str(picture)
    form = form_to(page, APP)
    form["code"] = "12"
    refused = form.submit(status=422)
    assert set(field_errors(refused)) == {"code"}
    secret = soup(page).select_one(".secret").get_text()
    assert soup(refused).select_one(".secret").get_text() == secret  # unchanged, as the app has it already
    form = form_to(refused, APP)
    form["code"] = pyotp.TOTP(secret).at(clock.now())
    shown = codes_on(form.submit(status=200))
    assert len(shown) == 10
    again = testapp.get(SECURITY)
    assert "10 left" in again.text
    assert not any(code in again.text for code in (secret, *shown))


def test_the_password_alone_is_no_session(testapp, app):
    asked = log_in(testapp, get={"next": TOKENS})
    assert asked.location == f"http://localhost{SECOND}?next=%2Faccounts%2Ftokens%2F"
    assert "session" not in testapp.cookies
    assert not logged_in(testapp)
    page = asked.follow()
    assert "<form" in page.text
    form = form_to(page, SECOND)
    form["confirm_code"] = "000000"
    refused = form.submit(status=422)
    assert field_errors(refused)
    assert not logged_in(testapp)
    totp, _codes = app
    with later(seconds=60):
        form = form_to(refused, SECOND)
        form["confirm_code"] = code = totp.at(clock.now())
        assert form.submit(status=303).location == f"http://localhost{TOKENS}"
        assert logged_in(testapp)
        assert "second-step" not in testapp.cookies
        testapp.reset()
        replayed = form_to(log_in(testapp).follow(), SECOND)
        replayed["confirm_code"] = code
        replayed.submit(status=422)


def test_a_recovery_code_stands_in_once(testapp, app):
    _totp, codes = app
    for status in (303, 422):
        form = form_to(log_in(testapp).follow(), SECOND)
        form["confirm_code"] = codes[3]
        form.submit(status=status)
        assert logged_in(testapp) is (status == 303)
        testapp.reset()


def test_wrong_codes_are_limited(testapp, app):
    totp, _codes = app
    page = log_in(testapp).follow()
    for _ in range(10):
        form = form_to(page, SECOND)
        form["confirm_code"] = "000000"
        page = form.submit(status=422)
    with later(seconds=60):
        form = form_to(page, SECOND)
        form["confirm_code"] = totp.at(clock.now())
        assert form.submit(status=429).headers["Retry-After"]


@pytest.mark.parametrize("ended", ["time", "password", "account", "forged"])
def test_the_half_way_state_ends(testapp, app, session, ended):
    totp, _codes = app
    user = session.scalar(select(User).where(User.username == "Nora"))
    page = log_in(testapp).follow()
    if ended == "password":
        user.password = Passwords("fast").hash("another")
    elif ended == "account":
        user.is_active = False
    elif ended == "forged":
        testapp.set_cookie("second-step", "x" * 100)
    session.commit()
    with later(seconds=601 if ended == "time" else 60):
        form = form_to(page, SECOND)
        form["confirm_code"] = totp.at(clock.now())
        assert form.submit(status=303).location == "http://localhost/accounts/login/"
        assert "session" not in testapp.cookies
    testapp.reset()
    assert testapp.get(SECOND).location == "http://localhost/accounts/login/"


def test_the_app_is_removed_and_the_password_is_enough_again(testapp, reader, session):
    set_up_app(testapp)
    form_to(testapp.get(SECURITY), f"{APP}remove/").submit(status=303)
    testapp.reset()
    assert log_in(testapp).location == "http://localhost/"
    assert logged_in(testapp)


# Passkeys, with a simulated authenticator.


@pytest.fixture
def device(testapp, reader):
    """An authenticator with a passkey of Nora, who is logged in."""
    made = Device()
    asked = testapp.get(f"{SECURITY}passkeys/options/")
    assert asked.headers["Cache-Control"] == "no-store"
    form = form_to(testapp.get(SECURITY), f"{SECURITY}passkeys/")
    form["name"], form["answer"] = "Phone", made.make(asked.text)
    assert len(codes_on(form.submit(status=200))) == 10
    return made


def by_passkey(testapp, device, page, action, status=303):
    forms = {name: form for name, form in page.forms.items() if "confirm_passkey" in form.fields}
    form = next(form for form in forms.values() if form.action == action)
    form["confirm_passkey"] = device.prove(testapp.get("/accounts/login/passkey/options/").text)
    return form.submit(status=status)


def test_a_passkey_logs_in_without_name_and_password(testapp, device):
    testapp.reset()
    page = testapp.get("/accounts/login/", {"next": TOKENS})
    done = by_passkey(testapp, device, page, "/accounts/login/passkey/")
    assert done.location == f"http://localhost{TOKENS}"
    assert logged_in(testapp)
    testapp.reset()
    refused = by_passkey(testapp, Device(), testapp.get("/accounts/login/"), "/accounts/login/passkey/", 422)
    assert not logged_in(testapp)
    for switch in refused.html.select("header form [name=next]"):  # of language and theme
        testapp.get(switch["value"], status=200)


def test_a_passkey_is_the_second_step(testapp, device):
    testapp.reset()
    by_passkey(testapp, device, log_in(testapp).follow(), SECOND)
    assert logged_in(testapp)


def test_passkeys_are_removed_by_their_owner_alone(testapp, device, make, session):
    number = session.scalar(select(Passkey.id))
    path = f"{SECURITY}passkeys/{number}/remove/"
    stranger = webtest.TestApp(testapp.app)
    start_session(stranger, make.user("Olga"))
    token = form_to(stranger.get(SECURITY), f"{SECURITY}passkeys/")["csrf_token"].value
    stranger.post(path, {"csrf_token": token}, status=404)
    form = form_to(testapp.get(SECURITY), path)
    form.submit(status=303)
    assert session.scalar(select(Passkey.id)) is None
    form.submit(status=404)


def test_what_is_no_passkey_is_told(testapp, reader, session):
    form = form_to(testapp.get(SECURITY), f"{SECURITY}passkeys/")
    form["answer"] = "{}"
    assert notice(form.submit(status=303).follow()).startswith("This passkey could not be used.")
    assert session.scalar(select(Passkey.id)) is None


# Confirmation before sensitive actions.


def expire(session):
    for row in session.scalars(select(LoginSession)):
        row.confirmed = None
    session.commit()


def test_a_token_asks_who_it_is_and_nothing_typed_is_lost(testapp, reader, session):
    expire(session)
    asked = submit(testapp, TOKENS, status=200, name="Tagger")
    assert soup(asked).h1.get_text() == "Confirm that it is you"
    assert session.scalar(select(ApiToken.id)) is None
    form = form_to(asked, TOKENS)
    form["confirm_password"] = "wrong"
    refused = form.submit(status=422)
    assert set(field_errors(refused)) == {"confirm_password"}
    form = form_to(refused, TOKENS)
    form["confirm_password"] = "correct horse"
    made = form.submit(status=200)
    assert soup(made).select_one("#new-token")["value"].startswith("cdb_")
    assert session.scalar(select(ApiToken.name)) == "Tagger"
    submit(testapp, TOKENS, status=200, name="Another")  # not asked again
    assert len(session.scalars(select(ApiToken.id)).all()) == 2


def test_a_passkey_confirms(testapp, device, session):
    expire(session)
    asked = submit(testapp, TOKENS, status=200, name="Tagger")
    by_passkey(testapp, device, asked, TOKENS, status=200)
    assert session.scalar(select(ApiToken.name)) == "Tagger"


GUARDED = (
    "tokens/", "feeds/", "security/app/", "security/app/remove/", "security/passkeys/",
    "security/passkeys/1/remove/", "security/recovery-codes/",
)  # fmt: skip
GUARDED_OF_STAFF = (
    "user/add/", "user/1/", "user/1/password/", "user/1/delete/", "group/1/", "group/1/rights/",
    "merge/arc/", "move/",
)  # fmt: skip


@pytest.mark.parametrize(
    "path", [f"/accounts/{path}" for path in GUARDED] + [f"/admin/{path}" for path in GUARDED_OF_STAFF]
)
def test_what_is_dangerous_asks(testapp, reader, session, path):
    reader.is_staff = reader.is_superuser = True
    token = soup(testapp.get(TOKENS)).find("input", attrs={"name": "csrf_token"})["value"]
    expire(session)
    asked = testapp.post(path, {"csrf_token": token, "x": "<&>", "password": "secret words"}, status=200)
    assert soup(asked).h1.get_text() == "Confirm that it is you"
    assert form_to(asked, path)["x"].value == "<&>"
    assert "secret words" not in asked.text


# Two-step log-in required of staff.


def test_staff_without_a_second_step_are_members_where_it_is_required(other_site, make, session):
    make.user("Boss", password="correct horse", passwords=Passwords("fast"), is_staff=True, is_superuser=True)
    session.commit()
    log_in(other_site, "Boss")
    sent = other_site.get("/admin/", status=303)
    assert sent.location == f"http://localhost{SECURITY}"
    assert notice(sent.follow()).startswith("Set up two-step log-in first")
    assert "/admin/" not in other_site.get("/").text
    set_up_app(other_site)
    other_site.get("/admin/", status=200)


def test_it_is_not_required_unless_the_setting_says_so(testapp, reader, session):
    reader.is_staff = True
    session.commit()
    testapp.get("/admin/", status=200)


def test_italian_readers_read_italian(testapp, device):
    page = testapp.get(SECURITY, headers={"Accept-Language": "it"})
    assert re.search("Accesso in due passaggi", page.text)


def test_a_second_step_while_the_password_changes_is_too_late(database, factory, tmp_path):
    add_account(database, "nora", "correct horse")
    app = build_app(database, tmp_path)
    client = webtest.TestApp(app)
    log_in(client, "nora")
    code = codes_on(set_up_app(client)[1])[0]
    client.reset()
    log_in(client, "nora")
    form = form_to(client.get(SECOND), SECOND)
    form["confirm_code"] = code
    with factory() as session, ThreadPoolExecutor(1) as pool:
        user = session.scalar(select(User).where(User.username == "nora").with_for_update())
        user.password = "another"
        session.execute(delete(LoginSession))
        answer = pool.submit(form.submit)
        await_lock(factory)
        session.commit()
        assert answer.result().location.endswith("/accounts/login/")
    app.registry["comicsdb.engine"].dispose()
    with factory() as session:
        assert session.scalar(select(func.count(LoginSession.id))) == 0
