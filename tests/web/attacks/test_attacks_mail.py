"""Attacks on mails and their links, enumeration of accounts, and leaks of secrets in addresses."""

import base64
import re
from collections import Counter

import argon2
import pytest
import webtest
from sqlalchemy import select

from comicsdb.accounts import form_time
from comicsdb.accounts.passwords import Passwords
from comicsdb.models import OutgoingMail, User
from tests.conftest import record_statements
from tests.mailbox import parse, waiting_mails
from tests.web.attacks.attempts import path_in, sign_up, token_of
from tests.web.conftest import PASSWORD, form_to, log_in, soup, submit


@pytest.fixture
def nora(testapp, member):
    """The member, logged in."""
    log_in(testapp)
    return member


# Links and headers of mails.


def test_links_in_mails_lead_to_the_configured_address(other_site, make, session):
    """The headers of the request that name a host have no effect."""
    make.user("Nora", email="nora@example.org")
    other_site.extra_environ |= {
        "HTTP_HOST": "evil.example",
        "HTTP_REFERER": "http://evil.example/",
        "HTTP_X_FORWARDED_HOST": "evil.example",
        "HTTP_FORWARDED": "host=evil.example",
    }
    sign_up(other_site, "Olga", answer="everybody")
    for path in ("/accounts/password_reset/", "/accounts/activate/resend/"):
        submit(other_site, path, email="nora@example.org")
    sent = waiting_mails(session)
    assert len(sent) == 3
    for mail in sent:
        assert mail.links
        assert all(link.startswith("https://comics.example.org/") for link in mail.links)
        assert "evil" not in mail.text + mail.html


INJECTED = (
    "x\r\nBcc: evil@evil.example",
    "x\nBcc: evil@evil.example",
    "x\rX-Evil: 1",
    "x%0d%0aBcc: e@evil.example",
)
ENVELOPE = {
    "From", "To", "Subject", "Date", "Message-Id", "MIME-Version", "Content-Type", "Content-Language",
    "Auto-Submitted",
}  # fmt: skip


def posted(browser, path, fields):
    """Post fields that no browser would send; returns the status."""
    fields = fields | {"csrf_token": token_of(browser.get(path))}
    return browser.post(path, fields, expect_errors=True).status_int


@pytest.mark.parametrize("text", INJECTED)
def test_no_field_becomes_a_header_of_a_mail(testapp, nora, session, text):
    stranger = webtest.TestApp(testapp.app)
    address = f"a@example.org{text[1:]}"
    for username, email in (
        (text, "olga@example.org"),
        ("Olga", address),
        ("Pia", f'"{text}"@example.org'),
        ("Rosa", f"Rosa <{address}>"),
    ):
        fields = {"username": username, "email": email, "form_time": form_time(testapp.app.registry.settings)}
        fields |= {"password": "seven horses", "password_again": "seven horses"}
        assert posted(stranger, "/accounts/signup/", fields) == 422
        for path in ("/accounts/password_reset/", "/accounts/activate/resend/"):
            assert posted(stranger, path, fields) == (303 if email == "olga@example.org" else 422)
    for field in ("username", "first_name", "last_name", "bio", "email", "language"):
        value = address if field == "email" else text
        posted(testapp, "/accounts/update/", {field: value, "password": PASSWORD})
    posted(testapp, "/accounts/update/", {"email": "new@example.org", "password": PASSWORD})
    posted(stranger, "/accounts/password_reset/", {"email": "nora@example.org"})
    rows = session.scalars(select(OutgoingMail)).all()
    assert len(rows) >= 3
    for row in rows:
        message = parse(row.message)
        assert set(message.keys()) <= ENVELOPE
        assert max(Counter(message.keys()).values()) == 1
        assert "evil" not in row.recipient + str(message["To"]) + str(message["Subject"])


# Enumeration of accounts.


@pytest.fixture
def seen(connection, monkeypatch):
    """`seen(form, status=303)`: what an outsider can see of the response to a form, and what it cost."""

    def counting(hashes, name, function):
        def counted(*args, **kw):
            hashes[name] += 1
            return function(*args, **kw)

        return counted

    def look(form, *, status):
        hashes = Counter()
        with monkeypatch.context() as patched, record_statements(connection) as statements:
            for name in ("hash", "verify"):
                real = getattr(argon2.PasswordHasher, name)
                patched.setattr(argon2.PasswordHasher, name, counting(hashes, name, real))
            response = form.submit(status=status)
        return {
            "headers": {name: value for name, value in response.headers.items() if name != "Set-Cookie"},
            "cookies": sorted(each.partition("=")[0] for each in response.headers.getall("Set-Cookie")),
            "text": re.sub(r'(name="(csrf_token|form_time)" value=")[^"]*', r"\1", response.text),
            "hashes": hashes,
            "statements": Counter(each.split(None, 1)[0].upper() for each in statements),
        }

    return look


@pytest.mark.parametrize("path", ["/accounts/password_reset/", "/accounts/activate/resend/"])
def test_asking_for_a_letter_tells_nothing(testapp, member, make, seen, path):
    make.user("Wait", email="wait@example.org", is_active=False)
    found = []
    for email in ("nora@example.org", "wait@example.org", "nobody@example.org"):
        form = form_to(testapp.get(path), path)
        form["email"] = email
        found.append(seen(form, status=303))
    assert found[0] == found[1] == found[2]


def test_signing_up_tells_nothing_of_addresses(testapp, member, seen):
    found = []
    for number, email in enumerate(("nora@example.org", "nobody@example.org", "also.nobody@example.org")):
        form = form_to(testapp.get("/accounts/signup/"), "/accounts/signup/")
        form["username"], form["email"] = f"Reader{number}", email
        form["password"] = form["password_again"] = "seven horses"
        found.append(seen(form, status=303))
    assert found[1] == found[2]
    assert found[0] == found[1]


def test_logging_in_tells_nothing_of_names(testapp, member, make, seen):
    make.user("Wait", password=PASSWORD, passwords=Passwords("fast"), is_active=False)
    found = []
    for username in ("Nora", "Wait", "Nobo"):
        form = form_to(testapp.get("/accounts/login/"), "/accounts/login/")
        form["username"], form["password"] = username, "wrong"
        seen_now = seen(form, status=422)
        seen_now["text"] = seen_now["text"].replace(f'value="{username}"', "")
        assert seen_now["hashes"] == {"verify": 1}
        found.append(seen_now)
    assert found[0]["statements"]["SELECT"] - found[2]["statements"]["SELECT"] <= 1  # for the groups
    for each in found:
        each.pop("statements")
    assert found[0] == found[1] == found[2]


def test_a_changed_address_tells_nothing_of_others(testapp, nora, make, seen):
    make.user("Olga", email="olga@example.org")
    found = []
    for email in ("olga@example.org", "nobody@example.org"):
        form = form_to(testapp.get("/accounts/update/"), "/accounts/update/")
        form["email"], form["password"] = email, PASSWORD
        answer = seen(form, status=303)
        answer.pop("statements")  # they depend on the recipient, but cost the same
        found.append(answer)
    assert found[0] == found[1]


# Secrets in addresses.


def test_a_token_in_the_address_opens_nothing(testapp, nora):
    page = submit(testapp, "/accounts/tokens/", status=200, name="x")
    token = soup(page).find(id="new-token")["value"]
    testapp.reset()
    testapp.get("/api/publisher/", headers={"Authorization": f"Bearer {token}"}, status=200)
    basic = base64.b64encode(f"Nora:{PASSWORD}".encode()).decode()
    for query in (
        f"token={token}", f"access_token={token}", f"api_key={token}", f"bearer={token}",
        f"Authorization=Bearer%20{token}", f"authorization=Basic%20{basic}",
        f"username=Nora&password={PASSWORD}",
    ):  # fmt: skip
        for path in ("/api/reading_list/", "/api/collection/"):
            testapp.get(f"{path}?{query}".replace(" ", "%20"), status=401)
        testapp.get(f"/accounts/?{query}".replace(" ", "%20"), status=303)


def test_looking_at_links_spends_none_and_tells_no_address_on(testapp, nora, make, session):
    """Mail scanners open links before people do."""
    sign_up(webtest.TestApp(testapp.app), "Olga")
    submit(testapp, "/accounts/update/", email="new@example.org", password=PASSWORD)
    submit(testapp, "/accounts/password_reset/", email="nora@example.org")
    kinds = {"activation", "confirm_email", "reset"}
    paths = [path_in(mail.links[0]) for mail in waiting_mails(session) if mail.kind in kinds]
    assert len(paths) == 3
    scanner = webtest.TestApp(testapp.app)
    for path in paths:
        for look in (scanner.head, scanner.get):
            seen = look(path, status=200)
            assert seen.headers["Referrer-Policy"] == "strict-origin"
            assert seen.headers["Cache-Control"] == "no-store"
    session.expire_all()
    assert not session.scalars(select(User).where(User.username == "Olga")).one().is_active
    assert session.get(User, nora.id).email.lower() == "nora@example.org"
    reset = next(path for path in paths if "/reset/" in path)
    fields = {"new_password": "nine mules", "new_password_again": "nine mules"}
    submit(webtest.TestApp(testapp.app), reset, **fields)
