"""Attacks by repetition, size and odd input: guessed passwords, large requests, odd cookies and forms."""

import gc
import itertools
from datetime import timedelta

import pytest
import time_machine

from comicsdb import clock
from comicsdb.models import User
from tests.cases import for_each
from tests.conftest import forget_attempts
from tests.web.attacks.attempts import path_of, routes_of_the_site, token_of
from tests.web.conftest import PASSWORD, form_to, log_in, soup, submit

# WebOb does not close the temporary file of a large body: the garbage collector does.
LARGE = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)


@pytest.fixture
def nora(testapp, member):
    """The member, logged in."""
    log_in(testapp)
    return member


@pytest.fixture
def large():
    """Collect the garbage of large forms before the next test."""
    yield
    gc.collect(1)  # they are young; a full collection takes half a second


# Guessing.


def fail(testapp, username, *, address="192.0.2.1", password="wrong"):
    """Submit the log-in form from an address, by default with a wrong password."""
    form = form_to(testapp.get("/accounts/login/"), "/accounts/login/")
    form["username"], form["password"] = username, password
    return form.submit(extra_environ={"REMOTE_ADDR": address}, expect_errors=True)


def test_guessing_at_one_account_is_stopped_for_longer_and_longer(testapp, member):
    waits = []
    moment = clock.now()
    for _ in range(4):
        with time_machine.travel(moment, tick=False):
            for _ in range(5):
                answer = fail(testapp, "Nora")
                if answer.status_int == 429:
                    break
                assert answer.status_int == 422
            answer = fail(testapp, "nORA", password=PASSWORD)
            assert answer.status_int == 429
            assert "session" not in testapp.cookies
            waits.append(int(answer.headers["Retry-After"]))
            assert soup(answer).select_one(".form-errors") is not None
        moment += timedelta(seconds=waits[-1] + 1)
    assert waits[0] >= 14 * 60
    assert waits[-1] > 2 * waits[0]


def test_the_owner_can_log_in_from_elsewhere_meanwhile(testapp, member):
    for _ in range(6):
        answer = fail(testapp, "Nora")
    assert answer.status_int == 429
    assert fail(testapp, "Nora", address="198.51.100.7", password=PASSWORD).status_int == 303


def test_guessing_at_many_accounts_from_one_address_is_stopped(testapp, member):
    for number in range(20):
        assert fail(testapp, f"reader{number}").status_int == 422
    assert fail(testapp, "Nora", password=PASSWORD).status_int == 429
    assert fail(testapp, "Nora", address="198.51.100.7", password=PASSWORD).status_int == 303


def test_nobody_has_another_address_by_saying_so(testapp, member):
    """Headers of the client do not change the address for which attempts are counted."""
    for number in range(6):
        form = form_to(testapp.get("/accounts/login/"), "/accounts/login/")
        form["username"], form["password"] = "Nora", "wrong"
        forged = {"X-Forwarded-For": f"203.0.113.{number}", "X-Real-IP": f"203.0.113.{number}"}
        answer = form.submit(headers=forged, expect_errors=True)
    assert answer.status_int == 429


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/accounts/delete/", {}),
        ("/accounts/update/", {"email": "new@example.org"}),
        ("/accounts/password_change/", {"new_password": "nine mules", "new_password_again": "nine mules"}),
    ],
)
def test_a_stolen_session_guesses_no_password(testapp, nora, session, path, fields):
    for _ in range(5):
        submit(testapp, path, status=422, password="wrong", **fields)
    answer = submit(testapp, path, status=429, password=PASSWORD, **fields)
    assert int(answer.headers["Retry-After"]) > 0
    session.expire_all()
    assert session.get(User, nora.id).email.lower() == "nora@example.org"


# Large requests.

MEGABYTE = 1024 * 1024


@LARGE
@pytest.mark.usefixtures("large")
def test_what_is_too_large_is_refused_and_breaks_nothing(testapp, nora):
    token = token_of(testapp.get("/accounts/update/"))

    def send(body, kind="application/x-www-form-urlencoded", path="/accounts/update/"):
        headers = {"X-CSRFToken": token, "Content-Type": kind}
        return testapp.post(path, body, headers=headers, expect_errors=True).status_int

    boundary = "x" * 10
    part = f'--{boundary}\r\nContent-Disposition: form-data; name="%s"\r\n\r\nv\r\n'
    file = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="image"; filename="x.png"\r\n\r\n'.encode()
        + b"x" * (21 * MEGABYTE)
        + f"\r\n--{boundary}--\r\n".encode()
    )
    multipart = f"multipart/form-data; boundary={boundary}"
    assert send(file, multipart) == 413
    assert send(b"bio=" + b"x" * (3 * MEGABYTE)) == 413
    assert send(b"bio=" + b"x" * MEGABYTE) == 422
    assert send("&".join(f"f{number}=1" for number in range(6000)).encode()) == 413
    parts = "".join(part % number for number in range(6000)) + f"--{boundary}--\r\n"
    assert send(parts.encode(), multipart) == 413
    assert send(b"\n" * MEGABYTE, multipart) == 400
    open_end = f"--{boundary}\r\nX: y\r\n".encode()  # a part whose headers do not end
    assert send(open_end * 4000 + b"y" * (10 * MEGABYTE), multipart) == 400
    assert send(open_end + b"X: y\r\n" * 100_000, multipart) == 400
    assert send(b"password=" + b"x" * MEGABYTE, path="/accounts/delete/") == 422
    assert send(b"new_password=" + b"x" * MEGABYTE, path="/accounts/password_change/") == 422
    assert send(b"name=" + b"x" * MEGABYTE, path="/accounts/tokens/") == 422
    assert send(b"username=x&password=" + b"x" * MEGABYTE, path="/accounts/login/") == 422
    testapp.get("/accounts/", status=200)


def test_a_number_without_end_is_nobodys(wsgi, testapp, nora, session):
    nora.is_staff = nora.is_superuser = True
    session.commit()
    token = token_of(testapp.get("/accounts/"))
    tried = 0
    for route, methods in routes_of_the_site(wsgi):
        if ":[0-9]+}" in route.pattern:
            path = path_of(route).replace("/1/", f"/{'9' * 3000}/")
            for method in methods:
                testapp.request(path, method=method, headers={"X-CSRFToken": token}, status=404)
                tried += 1
    assert tried >= 20


VALUES = ('"\\377"', "\xff\xfe", "é", "a;b=c;;=", "x" * 4000)


@for_each("name,value", itertools.product(["session", "csrf", "messages", "theme"], VALUES))
def test_a_cookie_may_be_anything(testapp, member, name, value):
    testapp.reset()
    cookies = {"Cookie": f"{name}={value}"}
    testapp.get("/", headers=cookies, status=200)
    testapp.get("/accounts/", headers=cookies, status=303)
    testapp.post("/accounts/login/", {"csrf_token": "-"}, headers=cookies, status=400)
    testapp.get("/api/collection/", headers=cookies, status=401)
    bearer = {"Authorization": "Bearer x", **cookies}
    testapp.get("/api/publisher/1/", headers=bearer, status=401)


FORMS = (
    "/accounts/login/", "/accounts/signup/", "/accounts/logout/", "/accounts/password_reset/",
    "/accounts/activate/resend/", "/accounts/password_change/", "/accounts/update/", "/accounts/delete/",
    "/accounts/tokens/", "/accounts/sessions/end-all/", "/accounts/tokens/revoke-all/", "/s/reset/1/x/",
    "/s/activate/1/x/", "/s/email/x/",
)  # fmt: skip
FIELDS = (
    "username", "email", "password", "password_again", "new_password", "new_password_again", "first_name",
    "last_name", "bio", "language", "image", "image_clear", "name", "form_key", "form_time", "answer",
    "homepage", "next",
)  # fmt: skip
ODD = (
    "\x00",
    "a\x00b",
    "\u202e",
    "🦊" * 200,
    "%s%n{}",
    "é" * 300,
    "\ud7ff",
    "'; DROP TABLE x; --",
    " ",
    "١٢٣",
    "a" * 5000,
)


@LARGE
@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("path", FORMS)
def test_no_field_of_any_form_breaks_it(testapp, member, path):
    for odd in ODD:
        forget_attempts(testapp.app)  # odd passwords count as failures
        page = testapp.get("/accounts/", expect_errors=True)
        if page.status_int == 303:  # not logged in yet, or not any more
            testapp.reset()
            log_in(testapp)
            page = testapp.get("/accounts/")
        fields = dict.fromkeys(FIELDS, odd) | {"csrf_token": token_of(page)}
        answer = testapp.post(path, fields, expect_errors=True)
        assert answer.status_int in {200, 303, 404, 422, 429}, odd


@LARGE
@pytest.mark.usefixtures("large")
@for_each("path", FORMS)
def test_files_in_the_place_of_texts_break_nothing(testapp, member, path):
    testapp.reset()
    forget_attempts(testapp.app)
    log_in(testapp)
    token = token_of(testapp.get("/accounts/"))
    files = [(name, "x.txt", b"text") for name in FIELDS]
    answer = testapp.post(path, {"csrf_token": token}, upload_files=files, expect_errors=True)
    assert answer.status_int in {200, 303, 404, 422}
    testapp.reset()
    answer = testapp.post(path, upload_files=[("csrf_token", "x.txt", b"text")], expect_errors=True)
    assert answer.status_int in {303, 400}
