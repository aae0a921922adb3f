"""API tokens: generated, shown once, used and revoked."""

import logging
import re

import pytest
import webtest
from sqlalchemy import select

from comicsdb.accounts.passwords import Passwords, digest
from comicsdb.models import ApiToken
from tests.web.conftest import field_errors, form_to, log_in, notice, soup, submit

PAGE = "/accounts/tokens/"


def generate(testapp, label="Tagger"):
    return submit(testapp, PAGE, status=200, name=label)


def raw(response) -> str:
    return soup(response).find(id="new-token")["value"]


def statuses(testapp, *tokens) -> list[int]:
    """The API's status codes for requests that have a token but no session."""
    program = webtest.TestApp(testapp.app)
    return [
        program.get("/api/", headers={"Authorization": f"Bearer {each}"}, expect_errors=True).status_int
        for each in tokens
    ]


def listed(testapp) -> list[str]:
    return [each.th.get_text(strip=True) for each in soup(testapp.get(PAGE)).select("tbody tr")]


def test_a_token_is_shown_once_and_opens_the_api(testapp, nora, session):
    response = generate(testapp)
    token = raw(response)
    assert re.fullmatch("cdb_[0-9A-Za-z]{42}", token)
    assert response.headers["Cache-Control"] == "no-store"
    field = soup(response).find(id="new-token")
    assert field.has_attr("readonly")
    assert response.text.count(token) == 1
    assert "Set-Cookie" not in response.headers
    assert statuses(testapp, token) == [200]
    assert token not in testapp.get(PAGE).text
    row = session.scalars(select(ApiToken)).one()
    assert row.digest == digest(token)
    stored = " ".join(str(value) for value in vars(row).values())
    assert token not in stored
    assert token.removeprefix("cdb_") not in stored
    shown = soup(testapp.get(PAGE)).select_one("tbody tr").get_text(" ", strip=True)
    assert token.removeprefix("cdb_")[:8] in shown
    assert token.removeprefix("cdb_")[:9] not in shown
    assert "Tagger" in shown


def test_the_log_never_holds_a_token(testapp, nora, caplog):
    with caplog.at_level(logging.DEBUG):
        token = raw(generate(testapp))
        statuses(testapp, token)
    assert token.removeprefix("cdb_") not in caplog.text


def test_sending_the_form_again_makes_nothing(testapp, nora, session):
    form = form_to(testapp.get(PAGE), PAGE)
    form["name"] = "Twice"
    first = form.submit(status=200)
    again = form.submit(status=303)
    assert again.location == f"http://localhost{PAGE}"
    page = again.follow()
    assert notice(page).startswith("That form was already submitted.")
    assert raw(first) not in page.text
    assert len(session.scalars(select(ApiToken)).all()) == 1
    assert listed(testapp) == ["Twice"]


def test_any_number_of_tokens_with_or_without_a_label(testapp, nora):
    tokens = [raw(generate(testapp, label)) for label in ("One", "", "One")]
    assert len(set(tokens)) == 3
    assert statuses(testapp, *tokens) == [200, 200, 200]
    assert listed(testapp) == ["One", "(no label)", "One"]


@pytest.mark.parametrize("label", ["x" * 65, "two\nlines", "a\u202eb"])
def test_a_label_that_cannot_be_is_refused_and_kept(testapp, nora, session, label):
    form = form_to(testapp.get(PAGE), PAGE)
    form["name"].force_value(label)
    response = form.submit(status=422)
    assert set(field_errors(response)) == {"name"}
    assert form_to(response, PAGE)["name"].value == label
    assert soup(response).find(id="new-token") is None
    assert session.scalars(select(ApiToken)).all() == []


def test_a_label_of_64_characters_fits(testapp, nora):
    generate(testapp, "é" * 64)
    assert listed(testapp) == ["é" * 64]


def test_the_key_of_a_form_may_be_anything_and_is_good_once(testapp, nora, session):
    token = soup(testapp.get(PAGE)).find("input", attrs={"name": "csrf_token"})["value"]
    for key in ({}, {"form_key": "x"}, {"form_key": "k" * 5000}, {"form_key": "\x00é"}):
        fields = {"csrf_token": token, "name": "x", "scope": "read", "lifetime": "30"} | key
        testapp.post(PAGE, fields, status=200)
        testapp.post(PAGE, fields, status=303)
    assert len(session.scalars(select(ApiToken)).all()) == 4


def test_one_token_is_revoked_and_the_others_stay(testapp, nora):
    first, second = raw(generate(testapp, "One")), raw(generate(testapp, "Two"))
    page = testapp.get(PAGE)
    row = next(each for each in soup(page).select("tbody tr") if "One" in each.get_text())
    response = form_to(page, row.form["action"]).submit(status=303)
    assert notice(response.follow()).startswith("The token was revoked")
    assert statuses(testapp, first, second) == [401, 200]
    assert listed(testapp) == ["Two"]


def test_all_tokens_are_revoked_at_once(testapp, nora):
    tokens = [raw(generate(testapp)) for _ in range(3)]
    form_to(testapp.get(PAGE), "/accounts/tokens/revoke-all/").submit(status=303)
    assert statuses(testapp, *tokens) == [401, 401, 401]
    assert soup(testapp.get(PAGE)).select_one(".empty") is not None


def test_nobody_sees_or_revokes_the_tokens_of_others(testapp, nora, make, session):
    token = raw(generate(testapp))
    number = session.scalars(select(ApiToken.id)).one()
    testapp.reset()
    make.user("Olga", password="correct horse", passwords=Passwords("fast"))
    log_in(testapp, "Olga")
    page = testapp.get(PAGE)
    assert soup(page).select("tbody tr") == []
    csrf = soup(page).find("input", attrs={"name": "csrf_token"})["value"]
    for each in (number, 0, 2**31, 10**30):
        testapp.post(f"/accounts/tokens/{each}/revoke/", {"csrf_token": csrf}, status=404)
    testapp.post("/accounts/tokens/revoke-all/", {"csrf_token": csrf}, status=303)
    assert statuses(testapp, token) == [200]


@pytest.mark.parametrize("path", ["/accounts/tokens/1/revoke/", "/accounts/tokens/revoke-all/"])
def test_nothing_is_revoked_by_a_link(testapp, nora, path):
    assert testapp.get(path, status=405).allow == ("POST",)


def test_neither_digest_nor_token_stands_in_an_address(testapp, nora):
    token = raw(generate(testapp))
    page = soup(testapp.get(PAGE))
    addresses = [each.get("action") or each.get("href") for each in page.select("[action], [href]")]
    assert not any(digest(token)[:8] in each or token[4:12] in each for each in addresses)


# Scope and expiry.


def test_token_form_untouched_makes_a_token_that_only_reads_and_never_expires(testapp, nora, session):
    page = soup(testapp.get(PAGE))
    assert [each["value"] for each in page.select("input[name=scope][checked]")] == ["read"]
    assert [each["value"] for each in page.select("input[name=scope]")] == ["read", "library", "edit"]
    lifetimes = page.select("select[name=lifetime] option")
    assert [option["value"] for option in lifetimes if option.has_attr("selected")] == ["forever"]
    assert [option["value"] for option in lifetimes] == ["forever", "30", "90", "365", "until"]
    generate(testapp)
    token = session.scalars(select(ApiToken)).one()
    assert (token.scope, token.expiry) == ("read", None)
    assert "Never" in soup(testapp.get(PAGE)).select_one("td[data-label=Expires]").get_text()


def test_a_token_does_what_its_form_said(testapp, nora, session):
    chosen = {"scope": "library", "lifetime": "until", "until": "2031-05-06"}
    token = raw(submit(testapp, PAGE, status=200, name="Reader", **chosen))
    program = webtest.TestApp(testapp.app)
    bearer = {"Authorization": f"Bearer {token}"}
    assert program.get("/api/collection/", headers=bearer).status_int == 200
    row = session.scalars(select(ApiToken)).one()
    row.last_used, row.last_address = row.created, "2001:db8::7"
    session.commit()
    shown = soup(testapp.get(PAGE)).select_one("tbody tr").get_text(" ", strip=True)
    assert "Read the catalog, manage the library" in shown
    assert "2001:db8::7" in shown
    assert "May 6, 2031" in shown
    row.expiry = row.created
    session.commit()
    assert "Expired" in soup(testapp.get(PAGE)).select_one("tbody tr").get_text(" ", strip=True)


def test_what_is_wrong_is_said_and_what_was_typed_stays(testapp, nora, session):
    response = submit(testapp, PAGE, status=422, name="Reader", scope="edit", lifetime="until", until="")
    assert field_errors(response) == {"until": "Enter the last day on which the token is valid."}
    page = soup(response)
    assert page.select_one("input[name=scope][checked]")["value"] == "edit"
    assert page.select_one("select[name=lifetime] option[selected]")["value"] == "until"
    token = page.find("input", attrs={"name": "csrf_token"})["value"]
    response = testapp.post(PAGE, {"csrf_token": token, "name": "x"}, status=422)
    assert set(field_errors(response)) == {"scope", "lifetime"}
    assert session.scalars(select(ApiToken)).all() == []
