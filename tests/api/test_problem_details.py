"""Errors as problem details (RFC 9457): for clients that ask for them, with the same content."""

from http import HTTPStatus

import pytest

from comicsdb_api.resources.arc import ArcResource
from tests.api.writing import FORM, JSON

PROBLEM = "application/problem+json"
ASKING = {"Accept": f"{JSON}, {PROBLEM};q=0.9"}
LARGE = b"[" * (2 * 1024 * 1024 + 1)


def other_headers(answer):
    """The headers of a response, without the type and length of its body."""
    return sorted(
        pair for pair in answer.headers.items() if pair[0] not in {"Content-Type", "Content-Length"}
    )


@pytest.fixture
def errors(writer, anonymous, make):
    """A function that causes every error with an Accept header: name → response."""
    arc = make.arc(cv_id=5)
    path = f"/api/arc/{arc.id}/"
    writer.raw("POST", "/api/arc/", 201, b"name=A", FORM, {"Idempotency-Key": "k"})

    def ask(accept):
        get, raw = writer.get, writer.raw
        refused = {"Content-Type": FORM} | accept
        return {
            "address": get("/api/arc/%ff/", 400, accept),
            "parameter": get("/api/arc/?cv_id=x&modified_gt=y", 400, accept),
            "field": raw("POST", "/api/arc/", 400, b"name=&cv_id=5", FORM, accept),
            "rows": raw("POST", "/api/credit/", 400, b'[{"issue": 0}]', JSON, accept),
            "syntax": raw("POST", "/api/arc/", 400, b"{", JSON, accept),
            "whole": raw("POST", "/api/arc/", 400, b"[]", JSON, accept),
            "nobody": anonymous.get("/api/collection/", 401, accept),
            "token": anonymous.get(path, 401, {"Authorization": "Bearer x"} | accept),
            "right": writer.call("DELETE", path, 403, accept),
            "object": get("/api/arc/0/", 404, accept),
            "page": get("/api/arc/?page=9", 404, accept),
            "unknown": anonymous.get("/api/nothing/", 404, accept),
            "epoch": get(f"/api/change/?epoch={'0' * 32}", 410, accept),
            "method": writer.call("DELETE", "/api/", 405, accept),
            "read": get(path, 412, {"If-Match": '"x"'} | accept),
            "write": writer.call("PATCH", path, 412, {"If-Match": '"x"'} | refused),
            "large": raw("POST", "/api/arc/", 413, LARGE, JSON, accept),
            "long": get("/api/arc/?q=" + "x" * 9000, 414, accept),
            "key": raw("POST", "/api/arc/", 422, b"name=B", FORM, {"Idempotency-Key": "k"} | accept),
            "type": raw("POST", "/api/arc/", 415, b"<a/>", "text/xml", accept),
        }

    return ask


def test_every_error_says_the_same_in_both_forms(errors):
    usual, problems = errors({}), errors(ASKING)
    for name, plain in usual.items():
        problem = problems[name]
        assert other_headers(problem) == other_headers(plain), name
        assert problem.headers["Content-Type"] == PROBLEM
        status = plain.status_int
        about = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
        if status == 412:
            assert (plain.body, "Content-Type" in plain.headers) == (b"", False)
            said = {"detail": "A condition of the request is false."}
        else:
            assert plain.headers["Content-Type"] == JSON
            said = plain.json
        if name in {"parameter", "field", "rows", "whole"}:
            several = "The request has errors; `errors` lists them by field or parameter."
            said = {"detail": several, "errors": said}
        assert list(problem.json.items()) == list((about | said).items()), name
    assert problems["field"].json["errors"] == {
        "name": ["This field may not be blank."],
        "cv_id": ["arc with this Comic Vine ID already exists."],
    }


def test_what_is_no_error_stays_as_it_is(api, make):
    arc = make.arc()
    path = f"/api/arc/{arc.id}/"
    for _ in ("made", "cached"):
        assert api.get(path, 200, ASKING).body == api.get(path).body
    tag = {"If-None-Match": api.get(path).headers["ETag"]}
    assert api.get(path, 304, ASKING | tag).body == b""
    assert api.call("HEAD", "/api/arc/0/", 404, ASKING).body == b""


@pytest.mark.parametrize(
    ("accept", "problem"),
    [
        (PROBLEM, True),  # alone, it causes an error itself: 406
        (f"text/html, {PROBLEM.upper()} ; q=0.1, */*", True),
        (f"{JSON}, {PROBLEM};q=0", False),
        ("application/*", False),
        ("*/*", False),
        ("application/problem+xml, */*", False),
    ],
)
def test_it_must_be_asked_for_by_name(api, accept, problem):
    answer = api.get("/api/arc/0/", 406 if accept == PROBLEM else 404, {"Accept": accept})
    assert answer.headers["Content-Type"] == (PROBLEM if problem else JSON)
    assert answer.json.get("status") == (answer.status_int if problem else None)


def test_faults_of_ours_too(api, make, monkeypatch):
    def broken(resource, *_):
        raise ZeroDivisionError("by no means")

    make.arc()
    monkeypatch.setattr(ArcResource, "cached_response", broken)
    answer = api.get("/api/arc/", 500, ASKING)
    assert answer.headers["Content-Type"] == PROBLEM
    assert answer.json == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": "A server error occurred.",
    }
