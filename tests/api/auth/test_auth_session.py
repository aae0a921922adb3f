"""Requests authenticated by a browser's session, the CSRF token that writes need, and the log."""

import logging

import pytest

from comicsdb.security import Identity
from tests.api.conftest import PASSWORD, SCHEMA, basic_auth
from tests.conftest import build_app, client_on
from tests.web.conftest import form_to, log_in

LOGGER = "comicsdb_api.auth"
REFUSED = "API credentials refused by"
ADMITTED = "API request authenticated by"


@pytest.fixture
def nora(testapp, make, passwords):
    """The browser of an editor who is logged in."""
    make.user("Nora", password=PASSWORD, passwords=passwords, groups=["editor"])
    log_in(testapp)
    return testapp


@pytest.fixture
def log(caplog):
    """A function that returns the API's log so far: level, user name, method, address and message."""
    caplog.set_level(logging.INFO, LOGGER)

    def lines():
        return [
            (record.levelname, record.username, record.auth_method, record.ip, record.getMessage())
            for record in caplog.records
            if record.name == LOGGER
        ]

    return lines


def csrf(browser) -> str:
    """The CSRF token in the forms of the site's pages."""
    return form_to(browser.get("/"), "/accounts/logout/")["csrf_token"].value


def admitted(method, name="Nora", ip="unknown"):
    return ("INFO", name, method, ip, f"{ADMITTED} {method} (user={name}, ip={ip})")


def refused(method, name="Nora", ip="unknown"):
    return ("WARNING", name, method, ip, f"{REFUSED} {method} (user={name}, ip={ip})")


def test_a_browser_that_is_logged_in_may_read(nora, make, log):
    path = f"/api/arc/{make.arc().id}/"
    assert [nora.get(path, status=200).headers["X-Cache"] for _ in range(2)] == ["MISS", "HIT"]
    assert log() == [admitted("session")] * 2


def test_a_session_goes_before_a_token_which_is_not_looked_at(nora, make, log):
    path = f"/api/arc/{make.arc().id}/"
    for _ in range(2):
        nora.get(path, headers={"Authorization": "Bearer nonsense"}, status=200)
    assert log() == [admitted("session")] * 2


def test_a_password_goes_before_a_session(nora, make, passwords, log):
    make.user("other", password=PASSWORD, passwords=passwords)
    nora.get("/api/", headers=basic_auth("other", PASSWORD), status=200)
    answer = nora.get("/api/", headers=basic_auth("other", "wrong"), status=401)
    assert answer.json == {"detail": "Invalid username/password."}
    assert log() == [admitted("basic", "other"), refused("basic", "other")]


def test_a_session_that_has_ended_is_nobodys(nora):
    form_to(nora.get("/"), "/accounts/logout/").submit()
    nora.get("/api/")
    answer = nora.get("/api/collection/", status=401)
    assert answer.json == {"detail": "Authentication credentials were not provided."}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_writes_by_session_needs_the_token_of_a_form(nora, method, log):
    token = csrf(nora)

    def write(**headers):
        return nora.request("/api/", method=method, headers=headers, expect_errors=True)

    for headers, reason in (({}, "missing"), ({"X-CSRFToken": "0" * 64}, "incorrect")):
        answer = write(**headers)
        assert (answer.status_int, answer.json) == (403, {"detail": f"CSRF Failed: CSRF token {reason}."})
        assert "WWW-Authenticate" not in answer.headers
    assert write(**{"X-CSRFToken": token}).status_int == 405  # authenticated, but there is nothing to write
    assert log() == [refused("session")] * 2 + [admitted("session")]


def test_the_token_may_come_in_a_field_of_a_form(nora):
    nora.post("/api/", {"csrf_token": csrf(nora)}, status=405)
    nora.post("/api/", {"csrf_token": "wrong"}, status=403)
    nora.post("/api/", {"csrf_token": csrf(nora)}, upload_files=[("x", "x.txt", b"x")], status=405)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b'{"csrf_token": "x"}'),
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=x", b"--y"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="\xff"\r\n\r\n\xff',
        ),
        ("application/x-www-form-urlencoded", b"csrf_token=%ff&\xff"),
        ("application/x-www-form-urlencoded; charset=nonsense", b"csrf_token=x"),
        ("nonsense", b"\0"),
    ],
)
def test_a_body_in_which_there_is_no_token_is_refused_whatever_it_is(nora, content_type, body):
    answer = nora.request("/api/", method="POST", body=body, content_type=content_type, expect_errors=True)
    assert answer.status_int == 403
    assert answer.json["detail"].startswith("CSRF Failed: ")


def test_who_may_not_write_is_told_that_first(testapp, make, passwords):
    make.user("Nora", password=PASSWORD, passwords=passwords)
    log_in(testapp)
    answer = testapp.post("/api/arc/", status=403)
    assert answer.json == {"detail": "You do not have permission to perform this action."}


def test_passwords_and_tokens_need_no_token_of_a_form(testapp, reader):
    testapp.post("/api/", headers=basic_auth("reader", PASSWORD), status=405)


# The log: other authenticators, and addresses behind a proxy.


def by_badge(request):
    """An authenticator of another package: requests with a badge have an account."""
    who = Identity(1, "system", is_staff=False, is_superuser=False, groups=frozenset(), method="badge")
    return who if "X-Badge" in request.headers else None


@pytest.fixture(scope="module")
def behind_proxy(shared_database, media_folder):
    """A site that also accepts badges, behind a proxy at 192.0.2.1."""
    app = build_app(
        shared_database,
        media_folder,
        **{"comicsdb.trusted_proxies": "192.0.2.1", "comicsdb_api.throttle": "on"},
        **{"comicsdb_api.throttle.burst": "1"},
    )
    app.registry["comicsdb.authenticators"].append(by_badge)
    yield app
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture
def elsewhere(behind_proxy, connection):
    """A browser of that site, whose counters are empty."""
    behind_proxy.registry["comicsdb.counters"]._counts.clear()
    with client_on(behind_proxy, connection) as browser:
        yield browser


def test_another_way_to_sign_in_is_another_way_in_the_log_and_in_the_counts(elsewhere, log):
    elsewhere.get("/api/", headers={"X-Badge": "yes"}, status=200)
    assert log() == [admitted("other", "system")]
    counts = elsewhere.app.registry["comicsdb.counters"]._counts
    assert {key.counter for key in counts} == {"authmethod:other"}


@pytest.mark.parametrize(("peer", "seen"), [("192.0.2.1", "198.51.100.7"), ("192.0.2.2", "192.0.2.2")])
def test_only_the_proxy_says_where_somebody_comes_from(elsewhere, make, reader, log, caplog, peer, seen):
    """The address in the log of admitted, refused and throttled requests, also by the cached-read policy."""
    path = f"/api/arc/{make.arc().id}/"
    said = {"X-Real-IP": "198.51.100.7", "X-Forwarded-For": "203.0.113.9"}
    for name, password, status in (
        ("reader", "wrong", 401),
        ("reader", PASSWORD, 200),
        ("reader", PASSWORD, 429),
    ):
        elsewhere.get(
            path,
            headers=said | basic_auth(name, password),
            extra_environ={"REMOTE_ADDR": peer},
            status=status,
        )
    assert log() == [refused("basic", "reader", seen)] + [admitted("basic", "reader", seen)] * 2
    caplog.clear()
    for status in (200, 429):
        elsewhere.get(SCHEMA, headers=said, extra_environ={"REMOTE_ADDR": peer}, status=status)
    assert [record.identity for record in caplog.records] == [f"ip:{seen}"]


def test_a_name_cannot_write_lines_of_its_own(testapp, make, passwords, log):
    """An imported account may have any name."""
    make.user("ann\nforged", password=PASSWORD, passwords=passwords)
    path = f"/api/arc/{make.arc().id}/"
    for _ in range(2):
        testapp.get(path, headers=basic_auth("ann\nforged", PASSWORD), status=200)
    assert log() == [admitted("basic", "ann forged")] * 2
