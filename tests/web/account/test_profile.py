"""The pages of one's own account: overview, profile, picture, e-mail address, time zone, export, deletion."""

import io
import json
import re
import zipfile
from datetime import datetime

import pytest
import webtest
from PIL import Image
from sqlalchemy import select, update

from comicsdb.accounts.passwords import Passwords
from comicsdb.models import LoginSession, Publisher, User
from comicsdb.models.base import SYSTEM_USER_ID
from tests.mailbox import waiting_mails
from tests.web.addresses import keep_library
from tests.web.conftest import field_errors, form_to, form_with, log_in, notice, soup, submit
from tests.web.forms.form_helpers import end_sessions

UPDATE = "/accounts/update/"


def picture(colour="teal") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (200, 120), colour).save(file, "PNG")
    return file.getvalue()


def fresh(session, user) -> User:
    session.expire_all()
    return session.get(User, user.id)


def test_the_overview_leads_to_everything(testapp, nora):
    page = soup(testapp.get("/accounts/"))
    assert {each["href"] for each in page.select(".tile a")} == {
        "/accounts/update/",
        "/accounts/update/public/",
        "/accounts/tokens/",
        "/accounts/password_change/",
        "/accounts/security/",
        "/accounts/export/",
        "/accounts/feeds/",
        "/accounts/webhooks/",
        "/accounts/comic-files/",
        "/accounts/delete/",
    }
    assert "nora@example.org" in page.main.get_text().lower()


@pytest.mark.parametrize(
    "path",
    ["", "update/", "password_change/", "sessions/", "export/", "delete/", "tokens/", "users/", "Nora/"],
)
def test_nobody_else_sees_the_pages_of_members(testapp, member, path):
    response = testapp.get(f"/accounts/{path}", status=303)
    assert (
        response.location == f"http://localhost/accounts/login/?next=%2Faccounts%2F{path.replace('/', '%2F')}"
    )


def test_the_profile_is_saved(testapp, nora, session):
    response = submit(
        testapp,
        UPDATE,
        first_name="Nora",
        last_name="Ångström",
        bio="Reads.\n\nA lot.",
        language="it",
    )
    assert response.location == "http://localhost/accounts/"
    assert notice(response.follow()).startswith("Your profile was saved.")
    user = fresh(session, nora)
    assert (user.first_name, user.last_name, user.language) == ("Nora", "Ångström", "it")
    assert user.bio.replace("\r\n", "\n") == "Reads.\n\nA lot."
    form = form_to(testapp.get(UPDATE), UPDATE)
    assert form["last_name"].value == "Ångström"
    assert form["language"].value == "it"


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"username": "update"}, "username"),
        ({"username": "two words"}, "username"),
        ({"first_name": "x" * 151}, "first_name"),
        ({"bio": "x" * 5001}, "bio"),
        ({"email": "other@example.org"}, "password"),
        ({"email": "other@example.org", "password": "wrong"}, "password"),
        ({"email": "no address", "password": "correct horse"}, "email"),
    ],
)
def test_a_refused_profile_keeps_what_was_typed(testapp, nora, session, fields, wrong):
    response = submit(testapp, UPDATE, status=422, last_name="Typed", **fields)
    assert set(field_errors(response)) == {wrong}
    form = form_to(response, UPDATE)
    assert form["last_name"].value == "Typed"
    for name, value in fields.items():
        if name != "password":
            assert form[name].value == value
    assert fresh(session, nora).last_name == ""


def test_a_form_that_was_opened_earlier_takes_nothing_back(testapp, nora, session):
    submit(testapp, UPDATE, first_name="Nora", shows_name="1", bio="One.\n\nTwo.", language="it")
    earlier = form_to(testapp.get(UPDATE), UPDATE)
    submit(testapp, UPDATE, username="Nora2", shows_name="", language="en")
    fresh(session, nora).email = "new@example.org"
    session.commit()
    earlier["last_name"] = "x" * 151
    refused = earlier.submit(status=422)
    again = form_to(refused, UPDATE)
    again["last_name"], again["timezone"] = "Typed", "Europe/Rome"
    assert again.submit().location == "http://localhost/accounts/"
    user = fresh(session, nora)
    assert (user.username, user.shows_name, user.language) == ("Nora2", False, "en")
    assert (user.email, user.first_name, user.bio) == ("new@example.org", "Nora", "One.\n\nTwo.")
    assert (user.last_name, user.timezone) == ("Typed", "Europe/Rome")
    assert [each.to for each in waiting_mails(session)] == []


def test_nor_does_one_that_comes_back_after_log_in(testapp, nora, session):
    earlier = form_to(testapp.get(UPDATE), UPDATE)
    submit(testapp, UPDATE, bio="New.", language="it")
    end_sessions(session)
    earlier["last_name"] = "Typed"
    log_in_form = form_to(earlier.submit(status=303).follow(), "/accounts/login/")
    log_in_form["username"], log_in_form["password"] = "Nora", "correct horse"
    again = form_to(log_in_form.submit(status=303).follow(), UPDATE)
    assert again["last_name"].value == "Typed"
    assert again.submit(status=303).location == "http://localhost/accounts/"
    user = fresh(session, nora)
    assert (user.last_name, user.bio, user.language) == ("Typed", "New.", "it")


def test_a_new_address_counts_when_its_link_is_opened(testapp, nora, session):
    response = submit(testapp, UPDATE, email="new@example.org", password="correct horse")
    shown = soup(response.follow())
    assert "new@example.org" in shown.select_one(".message-warning").get_text()
    assert fresh(session, nora).email.lower() == "nora@example.org"
    confirmation = next(each for each in waiting_mails(session) if each.to == "new@example.org")
    path = re.sub(r"^https?://[^/]*", "", confirmation.links[0])
    assert path.startswith("/s/email/")
    for _ in range(2):
        testapp.head(path, status=200)
        assert "new@example.org" in soup(testapp.get(path, status=200)).main.get_text()
    assert fresh(session, nora).email.lower() == "nora@example.org"
    page = submit(testapp, path, status=200)
    assert page.headers["Referrer-Policy"] == "strict-origin"
    user = fresh(session, nora)
    assert user.email == "new@example.org"
    assert user.email_confirmed
    assert soup(testapp.get(path, status=200)).h1.get_text() == "Your address is already confirmed"
    testapp.get("/s/email/wrong/", status=404)


def test_the_picture_is_shown_changed_and_removed(testapp, nora, session):
    submit(testapp, UPDATE, image=webtest.Upload("me.png", picture(), "image/png"))
    first = fresh(session, nora).image
    assert first
    page = soup(testapp.get("/accounts/Nora/"))
    image = page.select_one(".avatar-large img")
    assert image["src"].endswith(f"/media/thumb/avatar_large/{first}.webp")
    assert (image["width"], image["height"]) == ("128", "128")
    assert testapp.get(image["src"]).content_type == "image/webp"
    submit(testapp, UPDATE, image=webtest.Upload("me.png", picture("red"), "image/png"))
    assert fresh(session, nora).image not in {"", first}
    submit(testapp, UPDATE, image_clear=True)
    assert fresh(session, nora).image == ""
    assert "image_clear" not in form_to(testapp.get(UPDATE), UPDATE).fields


def test_what_is_no_picture_is_refused(testapp, nora, session):
    response = submit(
        testapp, UPDATE, status=422, image=webtest.Upload("me.png", b"<svg onload=alert(1)>", "image/png")
    )
    assert set(field_errors(response)) == {"image"}
    assert "choose the file again" in field_errors(response)["image"]
    assert fresh(session, nora).image == ""


def test_a_form_with_another_error_keeps_the_chosen_picture(testapp, nora, session):
    upload = webtest.Upload("me.png", picture(), "image/png")
    response = submit(testapp, UPDATE, status=422, username="two words", image=upload)
    assert set(field_errors(response)) == {"username"}
    assert "me.png is selected" in soup(response).select_one(".picture-kept").get_text()
    assert fresh(session, nora).image == ""


def test_the_data_can_be_taken_along(testapp, nora):
    page = soup(testapp.get("/accounts/export/"))
    assert {each["href"] for each in page.select(".tile a")} == {
        "/accounts/export/?format=json",
        "/accounts/export/?format=csv",
        "/accounts/export/library/?format=json",
        "/accounts/export/library/?format=csv",
        "/collection/import/",
    }
    as_json = testapp.get("/accounts/export/?format=json")
    assert as_json.content_type == "application/json"
    assert as_json.headers["Content-Disposition"] == 'attachment; filename="comicsdb-account.json"'
    assert as_json.headers["Cache-Control"] == "no-store"
    text = json.dumps(json.loads(as_json.body))
    assert "nora@example.org" in text.lower()
    assert "argon2" not in text
    as_csv = testapp.get("/accounts/export/?format=csv")
    names = zipfile.ZipFile(io.BytesIO(as_csv.body)).namelist()
    assert len(names) > 2
    assert all(name.endswith(".csv") for name in names)
    testapp.get("/accounts/export/?format=xml", status=400)


def test_deleting_needs_the_password_and_ends_everything(testapp, nora, session, make):
    publisher = make.publisher(name="Left Behind")
    testapp.reset()
    log_in(testapp)  # by the form, as its cookie must be deleted, too
    refused = submit(testapp, "/accounts/delete/", status=422, password="wrong")
    assert set(field_errors(refused)) == {"password"}
    identifier, number, left = testapp.cookies["session"], nora.id, publisher.id
    response = submit(testapp, "/accounts/delete/", password="correct horse")
    assert response.location == "http://localhost/"
    assert notice(response.follow()).startswith("Your account was deleted.")
    assert "session" not in testapp.cookies
    session.expire_all()
    assert session.get(User, number) is None
    assert session.scalars(select(LoginSession)).all() == []
    assert session.get(Publisher, left) is not None
    testapp.set_cookie("session", identifier)
    testapp.get("/accounts/", status=303)


def test_the_account_of_the_site_cannot_be_deleted(testapp, session):
    system = session.get(User, SYSTEM_USER_ID)
    system.password = Passwords("fast").hash("correct horse")
    session.commit()
    log_in(testapp, system.username)
    assert "/accounts/delete/" not in {
        each["href"] for each in soup(testapp.get("/accounts/")).select(".tile a")
    }
    page = testapp.get("/accounts/delete/")
    assert soup(page).find(id="password") is None
    token = soup(page).find("input", attrs={"name": "csrf_token"})["value"]
    testapp.post("/accounts/delete/", {"csrf_token": token, "password": "correct horse"}, status=422)
    session.expire_all()
    assert session.get(User, SYSTEM_USER_ID) is not None


def test_what_people_write_of_themselves_is_no_html(testapp, nora):
    script = "<script>alert(1)</script>"
    submit(testapp, UPDATE, first_name=script, shows_name="1", bio=f"{script}\n\n<b>bold</b>")
    for path in ("/accounts/Nora/", "/accounts/users/", UPDATE):
        response = testapp.get(path)
        assert script not in response.text
        assert "<b>bold" not in response.text
        assert "&lt;script&gt;" in response.text


def zone_of(session, user) -> str:
    session.refresh(user)
    return user.timezone


def times(page) -> list[str]:
    """The log-in times of all sessions on the security page."""
    found = [dt.find_next("dd") for dt in soup(page).find_all("dt") if dt.get_text() == "Logged in"]
    return [each.get_text(strip=True).replace("\u202f", " ").replace("\xa0", " ") for each in found]


@pytest.mark.parametrize(
    ("zone", "moment", "shown"),
    [
        ("", "2026-03-08T06:59:00+00:00", "Mar 8, 2026, 1:59 AM EST"),
        ("", "2026-03-08T07:00:00+00:00", "Mar 8, 2026, 3:00 AM EDT"),
        ("Europe/Rome", "2026-10-25T00:59:00+00:00", "Oct 25, 2026, 2:59 AM"),
        ("Europe/Rome", "2026-10-25T01:00:00+00:00", "Oct 25, 2026, 2:00 AM"),
        ("Asia/Kathmandu", "2026-11-21T18:30:00+00:00", "Nov 22, 2026, 12:15 AM"),
        ("No/Such_Place", "2026-11-21T18:30:00+00:00", "Nov 21, 2026, 1:30 PM EST"),
    ],
)
def test_times_are_those_of_the_reader_or_say_their_zone(testapp, nora, session, zone, moment, shown):
    nora.timezone = zone
    session.execute(update(LoginSession).values(begun=datetime.fromisoformat(moment)))
    session.commit()
    assert times(testapp.get("/accounts/security/")) == [shown]


def test_the_browser_tells_the_time_zone_once_and_the_profile_has_the_last_word(testapp, nora, session):
    def tell(zone, status=204):
        form = form_with(testapp.get("/accounts/"), "timezone")
        form["timezone"].force_value(zone)
        return form.submit(status=status)

    form = form_with(testapp.get("/accounts/"), "timezone")
    tell("Mars/Olympus")
    assert zone_of(session, nora) == ""
    tell("Europe/Rome")
    assert zone_of(session, nora) == "Europe/Rome"
    assert "data-timezone" not in testapp.get("/accounts/").text
    form["timezone"].force_value("Asia/Tokyo")  # from a page opened before that
    form.submit(status=204)
    assert zone_of(session, nora) == "Europe/Rome"
    submit(testapp, UPDATE, timezone="America/Lima")
    assert zone_of(session, nora) == "America/Lima"
    exported = testapp.get("/accounts/export/?format=json").json
    assert exported["account"][0]["timezone"] == "America/Lima"
    fields = form_to(testapp.get(UPDATE), UPDATE)
    fields["timezone"].force_value("Mars/Olympus")
    assert set(field_errors(fields.submit(status=422))) == {"timezone"}
    submit(testapp, UPDATE, timezone="")
    assert "data-timezone" in testapp.get("/accounts/").text


def test_a_time_is_typed_as_it_is_shown(testapp, nora, session, world):
    nora.timezone = "Asia/Tokyo"
    kept = keep_library(session, nora, world)
    path = f"/collection/{kept.item.id}/"
    form = form_to(testapp.get(path), f"{path}read-date/add/")
    form["read_date"] = "2026-11-20T08:30"
    page = form.submit(status=303).follow()
    found = soup(page).find("time", attrs={"datetime": "2026-11-19T23:30:00+00:00"})
    assert found.get_text().replace("\u202f", " ") == "Nov 20, 2026, 8:30 AM"
