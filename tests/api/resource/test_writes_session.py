"""Writes by a browser's session: with a CSRF token, and within the limits of bodies."""

import pytest

from comicsdb.models import Arc
from tests.api.conftest import PASSWORD
from tests.web.conftest import form_to, log_in

MEGABYTE = 1024 * 1024


@pytest.fixture
def nora(testapp, make, passwords):
    """The browser of an editor who is logged in, and the CSRF token of its forms."""
    make.user("Nora", password=PASSWORD, passwords=passwords, groups=["editor"])
    log_in(testapp)
    return testapp, form_to(testapp.get("/"), "/accounts/logout/")["csrf_token"].value


@pytest.mark.parametrize("files", [None, [("x", "x.txt", b"x")]])
def test_the_token_may_come_with_the_fields(nora, session, files):
    browser, token = nora
    browser.post("/api/arc/", {"name": "A"}, upload_files=files, status=403)
    assert session.query(Arc).count() == 0
    fields = {"name": "A", "csrf_token": token}
    made = browser.post("/api/arc/", fields, upload_files=files, status=201).json
    assert made["name"] == "A"
    path = f"/api/arc/{made['id']}/"
    browser.patch_json(path, {"name": "B", "csrf_token": token}, status=403)  # a token in JSON does not count
    assert browser.patch_json(path, {"name": "B"}, headers={"X-CSRFToken": token}).json["name"] == "B"


def test_a_form_is_measured_before_a_token_is_looked_for_in_it(nora):
    browser, _ = nora

    def sent(body, content_type="application/x-www-form-urlencoded"):
        answer = browser.request(
            "/api/series/", method="POST", body=body, content_type=content_type, expect_errors=True
        )
        return answer.status_int, answer.json["detail"]

    large = b"csrf_token=" + b"x" * (2 * MEGABYTE)
    assert sent(large) == (413, "The body is larger than 2 MB.")
    assert sent(b"a=1&" * 5001) == (413, "The form has more than 5000 fields.")
    assert sent(large, "application/json") == (403, "CSRF Failed: CSRF token missing.")
