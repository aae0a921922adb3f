"""Pictures on the site: uploads that cannot be stored or decoded, and pictures served by another host."""

import webtest

from tests.conftest import build_app, client_on
from tests.dataset import picture
from tests.pictures import scans
from tests.web.conftest import field_errors, form_to, soup, start_session, submit

UPDATE = "/accounts/update/"


def test_a_profile_without_its_picture_is_shown_again(testapp, member, session, unreachable_storage, caplog):
    start_session(testapp, member)
    upload = webtest.Upload("me.png", picture(), "image/png")
    response = submit(testapp, UPDATE, status=422, image=upload, last_name="Typed")
    assert "Pictures cannot be stored at the moment." in field_errors(response)["image"]
    assert form_to(response, UPDATE)["last_name"].value == "Typed"
    session.expire_all()
    assert (member.image, member.last_name) == ("", "")
    assert "Traceback" not in caplog.text


def test_a_picture_that_is_much_to_decode_is_refused_beside_its_field(testapp, member, session):
    start_session(testapp, member)
    upload = webtest.Upload("me.jpg", scans(65, 64), "image/jpeg")
    response = submit(testapp, UPDATE, status=422, image=upload, last_name="Typed")
    assert "more than 64 scans: please save it as an ordinary JPEG" in field_errors(response)["image"]
    session.expire_all()
    assert (member.image, member.last_name) == ("", "")


def test_pages_name_the_host_that_serves_pictures(connection, shared_database, media_folder, world):
    app = build_app(
        shared_database, media_folder, **{"comicsdb.media.url": "https://cdn.example.org/pictures/"}
    )
    with client_on(app, connection) as browser:
        page = browser.get(f"/issue/{world.first.slug}/")
    assert "img-src 'self' https://cdn.example.org;" in page.headers["Content-Security-Policy"]
    shown = soup(page).find("meta", property="og:image")["content"]
    assert shown == f"https://cdn.example.org/pictures/{world.first.image}"
    app.registry["comicsdb.engine"].dispose()
