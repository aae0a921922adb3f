"""The pages of sign-up and activation; the rules behind them are tested in tests/core/accounts."""

import re
from datetime import timedelta

import pytest
import time_machine
from sqlalchemy import select, update

from comicsdb import clock
from comicsdb.models import LoginSession, SignupSettings, User
from tests.mailbox import waiting_mails
from tests.web.conftest import field_errors, form_to, log_in, notice, soup, submit

PATH = "/accounts/signup/"
GOOD = {
    "username": "Nora",
    "email": "nora@example.org",
    "password": "seven horses",
    "password_again": "seven horses",
}


def sign_up(testapp, *, status=303, **fields):
    """Fill in and submit the form."""
    return submit(testapp, PATH, status=status, **(GOOD | fields))


@pytest.fixture
def strict(site_with):
    """A client of a site with the default limits of sign-up, which are off in other tests."""
    return site_with(**{"comicsdb.signup.per_address": "1", "comicsdb.signup.fastest": "2"})


def slowly(testapp, *, status=303, **fields):
    """Sign up 30 seconds after opening the form, as people do and spam programs do not."""
    form = form_to(testapp.get(PATH), PATH)
    for name, value in (GOOD | fields).items():
        form[name] = value
    with time_machine.travel(clock.now() + timedelta(seconds=30)):
        return form.submit(status=status)


def link(session) -> str:
    """The path of the first link in the newest mail."""
    return re.sub(r"^https?://[^/]*", "", waiting_mails(session)[-1].links[0])


def title(response) -> str:
    return soup(response).h1.get_text()


def test_from_nobody_to_a_member(testapp, session):
    response = sign_up(testapp)
    assert response.location == "http://localhost/accounts/account_activation_sent/"
    page = response.follow()
    assert title(page) == "Check your e-mail"
    assert "We have sent you an e-mail with a link." in page.text
    assert session.scalars(select(User).where(User.username == "Nora")).one().is_active is False
    assert session.scalars(select(LoginSession)).all() == []
    mail = waiting_mails(session)[-1]
    assert mail.to == "nora@example.org"
    opened = submit(testapp, link(session))
    assert opened.location == "http://localhost/accounts/"
    page = opened.follow()
    assert notice(page) == "Welcome, Nora! Your account is active. How to edit"
    assert soup(page).select_one(".message a")["href"] == "/help/editing/"
    session.expire_all()
    user = session.scalars(select(User).where(User.username == "Nora")).one()
    assert user.is_active
    assert user.email_confirmed
    testapp.reset()
    assert log_in(testapp, "Nora", "seven horses").status_int == 303


def test_the_link_works_once_and_says_so_kindly(testapp, session):
    sign_up(testapp)
    path = link(session)
    submit(testapp, path)
    testapp.reset()
    again = testapp.get(path, status=200)
    assert title(again) == "Your account is already active"
    assert "/accounts/login/" in {each["href"] for each in soup(again).select(".card-links a")}
    assert "session" not in testapp.cookies
    log_in(testapp, "Nora", "seven horses")
    page = testapp.get(path, status=200)
    assert title(page) == "Your account is already active"
    links = [each["href"] for each in soup(page).select(".card-links a")]
    assert links == ["/accounts/", "/"]


def test_activation_link_opened_by_a_mail_scanner_changes_nothing(testapp, session):
    sign_up(testapp)
    path = link(session)
    for _ in range(3):
        assert testapp.head(path, status=200).body == b""
        page = testapp.get(path, status=200)
    assert title(page) == "Activate your account"
    assert page.headers["Referrer-Policy"] == "strict-origin"
    session.expire_all()
    assert session.scalars(select(User).where(User.username == "Nora")).one().is_active is False
    assert "session" not in testapp.cookies
    submit(testapp, path)


@pytest.mark.parametrize(
    "path",
    [
        "/s/activate/1/wrong/",
        "/s/activate/x/y/",
        "/s/activate/%01/%01/",
        "/s/activate/99999999999999999999/%F0%9F%A6%8A/",
    ],
)
def test_a_bad_link_leads_to_another_letter(testapp, path):
    page = testapp.get(path, status=404)
    assert title(page) == "This link does not work"
    assert soup(page).select_one(".card-links a")["href"] == "/accounts/activate/resend/"
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Referrer-Policy"] == "strict-origin"


def test_the_link_ends_after_a_day_and_another_can_be_asked_for(testapp, session):
    sign_up(testapp)
    path = link(session)
    with time_machine.travel(clock.now() + timedelta(hours=24, minutes=1)):
        testapp.get(path, status=404)
        response = submit(testapp, "/accounts/activate/resend/", email="nora@example.org")
        assert response.location == "http://localhost/accounts/account_activation_sent/?again=1"
        assert "If an account with this address is waiting for activation" in response.follow().text
        assert link(session) != path
        submit(testapp, link(session))


def test_a_known_address_gets_the_same_answer_and_its_owner_a_letter(testapp, make, session):
    make.user("Olga", email="olga@example.org", email_confirmed=True)
    page = sign_up(testapp, email="Olga@Example.org").follow()
    assert title(page) == "Check your e-mail"
    mail = waiting_mails(session)[-1]
    assert mail.to == "olga@example.org"
    assert mail.subject == "You already have an account"
    assert log_in(testapp, "Nora", "seven horses").status_int == 422


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"username": ""}, {"username"}),
        ({"username": "two words"}, {"username"}),
        ({"username": "12345"}, {"username"}),
        ({"username": "Tokens"}, {"username"}),
        ({"username": "n" * 151}, {"username"}),
        ({"email": "nora"}, {"email"}),
        ({"email": ""}, {"email"}),
        ({"password": "short", "password_again": "short"}, {"password"}),
        ({"password": "1029384756", "password_again": "1029384756"}, {"password"}),
        ({"password": "password123", "password_again": "password123"}, {"password"}),
        ({"username": "Noramunde", "password": "noramunde1", "password_again": "noramunde1"}, {"password"}),
        ({"password_again": "eight horses"}, {"password_again"}),
        ({"username": "", "email": "x"}, {"username", "email"}),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_above_the_form(testapp, session, fields, wrong):
    response = sign_up(testapp, status=422, **fields)
    assert set(field_errors(response)) == wrong
    page = soup(response)
    assert {each["href"] for each in page.select(".form-errors a")} == {f"#{name}" for name in wrong}
    for name in wrong:
        field = page.find(id=name)
        assert field["aria-invalid"] == "true"
        assert f"{name}-error" in field["aria-describedby"].split()
    typed = GOOD | fields
    assert page.find(id="username")["value"] == typed["username"]
    assert page.find(id="email")["value"] == typed["email"]
    assert page.find(id="password").get("value") is None
    assert session.scalars(select(User).where(User.email == "nora@example.org")).all() == []
    assert waiting_mails(session) == []


def test_a_taken_name_is_said_and_the_form_can_be_sent_again(testapp, make):
    make.user("nora")
    response = sign_up(testapp, status=422)
    assert field_errors(response) == {"username": "This user name is already taken."}
    form = form_to(response, PATH)
    form["username"], form["password"], form["password_again"] = "Nora.2", "seven horses", "seven horses"
    form.submit(status=303)


def test_programs_are_caught_and_told(strict, session):
    caught = slowly(strict, status=422, homepage="https://spam.example/")
    assert "detect spam programs" in field_errors(caught)[""]
    assert waiting_mails(session) == []
    slowly(strict)


def test_who_is_fast_sends_it_once_more_and_loses_nothing(strict, session):
    page = sign_up(strict, status=200)
    assert soup(page).h1.get_text() == "Almost done"
    assert field_errors(page) == {}
    assert "seven horses" not in page.text
    assert waiting_mails(session) == []
    form = form_to(page, PATH)
    assert set(form.fields) == {"csrf_token", "sealed", None}
    again = form.submit(status=200)  # still too fast
    assert waiting_mails(session) == []
    with time_machine.travel(clock.now() + timedelta(seconds=3)):
        form_to(again, PATH).submit(status=303)
    assert waiting_mails(session)[-1].to == "nora@example.org"
    submit(strict, link(session))
    strict.reset()
    assert log_in(strict, "Nora", "seven horses").status_int == 303


def test_what_is_wrong_with_a_fast_form_is_said_at_once(strict):
    assert set(field_errors(sign_up(strict, status=422, username="two words"))) == {"username"}
    form = form_to(sign_up(strict, status=200), PATH)
    form["sealed"] = "forged"
    assert set(field_errors(form.submit(status=422))) == {""}


def test_the_right_password_of_an_account_that_waits_leads_to_a_new_link(testapp, make, session):
    """Also for a name that is only reserved: the response must not reveal whether an address is in use."""
    make.user("Olga", email="olga@example.org", email_confirmed=True)
    session.commit()
    for name, address in (("Nora", "nora@example.org"), ("Held", "olga@example.org")):
        sign_up(testapp, username=name, email=address)
        page = log_in(testapp, name, "seven horses")
        assert page.status_int == 422
        assert field_errors(page)[""].startswith("Your account is waiting for activation")
        assert soup(page).select_one('.card-links a[href="/accounts/activate/resend/"]')
        for wrong in ((name, "eight horses"), (address, "seven horses"), ("nobody", "seven horses")):
            page = log_in(testapp, *wrong)
            assert field_errors(page)[""] == "Incorrect user name, e-mail address or password."
            assert not soup(page).select_one(".card-links")
    assert session.scalars(select(LoginSession)).all() == []


def test_a_question_is_asked_where_the_settings_have_one(other_site):
    assert soup(other_site.get(PATH)).find("label", attrs={"for": "answer"}).get_text() == "Who has a cat?"
    assert set(field_errors(sign_up(other_site, status=422, answer="Nobody"))) == {"answer"}
    sign_up(other_site, answer="everybody ")


def test_nobody_sees_the_trap(testapp):
    trap = soup(testapp.get(PATH)).find(id="homepage")
    assert trap["tabindex"] == "-1"
    assert trap.parent["aria-hidden"] == "true"
    assert trap.parent["class"] == ["not-for-people"]


def test_sign_up_can_be_closed(testapp, session):
    form = form_to(testapp.get(PATH), PATH)
    session.execute(
        update(SignupSettings).values(
            signups_enabled=False, disabled_message="<b>100% full</b>, back in May."
        )
    )
    session.commit()
    page = testapp.get(PATH, status=200)
    assert title(page) == "Sign-ups are closed"
    assert "<b>100% full</b>, back in May." in soup(page).select_one(".sign-in").get_text()
    assert soup(page).find(id="username") is None
    for name, value in GOOD.items():
        form[name] = value
    assert title(form.submit(status=403)) == "Sign-ups are closed"
    assert session.scalars(select(User).where(User.username == "Nora")).all() == []


def test_there_is_a_number_of_accounts_per_address_and_day(strict, session):
    slowly(strict)
    refused = slowly(strict, status=429, username="Olga", email="olga@example.org")
    assert title(refused) == "Slow down"
    assert int(refused.headers["Retry-After"]) > 0
    assert session.scalars(select(User).where(User.username == "Olga")).all() == []
    with time_machine.travel(clock.now() + timedelta(days=1)):
        slowly(strict, username="Olga", email="olga@example.org")


def test_who_is_logged_in_needs_no_account(testapp, member):
    log_in(testapp)
    assert testapp.get(PATH, status=303).location == "http://localhost/accounts/"


def test_a_malformed_address_gets_no_letter(testapp):
    response = submit(testapp, "/accounts/activate/resend/", status=422, email="nora")
    assert set(field_errors(response)) == {"email"}
    assert soup(response).find(id="email")["value"] == "nora"
