"""Paths, methods, content negotiation, headers and refusals."""

import logging
import re

import pytest
import webtest

from comicsdb_api.resources.arc import ArcResource
from tests.api.bodies import BASE
from tests.cases import for_each
from tests.conftest import record_statements

KINDS = ["arc", "character", "creator", "imprint", "issue", "publisher", "series", "team", "universe"]
COMMON = {
    "Vary": "Accept, Accept-Language, Cookie, Authorization",
    "Content-Language": "en",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}
READ = COMMON | {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "*"}


def allow(path):
    """The Allow header of a path; the nine kinds can also be written."""
    kind, *rest = path.partition("?")[0].removeprefix("/api").strip("/").removesuffix(".json").split("/")
    writes = [] if kind not in KINDS or len(rest) > 1 else ["PUT", "PATCH"] if rest else ["POST"]
    return {"Allow": ", ".join(["GET", *writes, "HEAD", "OPTIONS"])}


JSON = {"Content-Type": "application/json"}
CHALLENGE = {"WWW-Authenticate": 'Basic realm="api"'}
NOT_GIVEN = {"detail": "Authentication credentials were not provided."}


def headers(answer):
    """The headers of a response, each of them once, without Content-Length."""
    found = list(answer.headers.items())
    assert len(found) == len(dict(found))
    return {name: value for name, value in found if name != "Content-Length"}


@pytest.fixture
def paths(make):
    """Existing paths of every sort."""
    issue = make.issue(arcs=[make.arc()], characters=[make.character()], teams=[make.team()])
    return [
        "/api/",
        *(f"/api/{kind}/" for kind in (*KINDS, "role", "series_type")),
        f"/api/issue/{issue.id}/",
        f"/api/series/{issue.series_id}/",
        f"/api/series/{issue.series_id}/issue_list/",
    ]


# Headers.


def test_every_answer_carries_the_common_headers_and_nothing_else(api, paths):
    for path in paths:
        found = headers(api.get(path))
        assert re.fullmatch('"[0-9a-f]{24}"', found.pop("ETag"))
        found.pop("X-Cache", None)
        found.pop("Last-Modified", None)
        assert found == JSON | READ | allow(path)


def test_refusals_carry_them_too(api, anonymous, make):
    arc = make.arc()
    path = f"/api/arc/{arc.id}/"
    wrong = anonymous.get(path, 401, {"Authorization": "Token x"})
    assert headers(wrong) == JSON | READ | allow(path) | CHALLENGE
    assert headers(api.get("/api/arc/0/", 404)) == JSON | READ | allow(path)
    assert headers(api.get("/api/arc/?page=x", 404)) == JSON | READ | allow("/api/arc/")
    assert headers(api.call("DELETE", path, 403)) == JSON | COMMON | allow(path)
    assert headers(api.get(path, 406, {"Accept": "image/png"})) == JSON | READ | allow(path)


def test_an_unknown_path_allows_nothing(api):
    assert headers(api.get("/api/nothing/", 404)) == JSON | READ


def test_bodies_are_compact_and_unescaped(api, make):
    arc = make.arc(name="Été 漫画")
    body = api.get(f"/api/arc/{arc.id}/").body
    assert body.startswith(b'{"id":%d,"name":"' % arc.id + "Été 漫画".encode() + b'","desc":"","image":null,')
    assert body.endswith(b',"attribution":[]}')


def test_head_gives_the_headers_of_get_and_no_body(api, paths):
    for path in paths:
        api.get(path)
        got, head = api.get(path), api.call("HEAD", path)
        assert dict(head.headers) == dict(got.headers)
        assert head.body == b""
        assert int(head.headers["Content-Length"]) == len(got.body)


def test_head_is_refused_as_get_is(api, anonymous):
    assert api.call("HEAD", "/api/arc/1/", 404).body == b""
    assert anonymous.call("HEAD", "/api/reading_list/", 401).body == b""


# Methods.


def test_options_tells_about_the_address(api, paths):
    for path in paths:
        answer = api.call("OPTIONS", path)
        assert headers(answer) == JSON | READ | allow(path)
        assert list(answer.json) == ["name", "description", "renders", "parses"]
        assert answer.json["renders"] == ["application/json"]
        assert answer.json["name"]
        assert answer.json["description"]


def test_options_needs_credentials(anonymous):
    assert anonymous.call("OPTIONS", "/api/", 401).json == NOT_GIVEN


@for_each("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE"])
@for_each("path", ["/api/", "/api/arc/", "/api/arc/1/", "/api/role/", "/api/arc/x/"])
def test_methods_that_are_not_offered(admin, anonymous, method, path):
    assert anonymous.call(method, path, 401).json == NOT_GIVEN
    if method not in allow(path)["Allow"].split(", "):
        assert admin.call(method, path, 405).json == {"detail": f'Method "{method}" not allowed.'}


@for_each("path", ["/api/arc/", "/api/arc/1/", "/api/arc/x/", "/api/series/1/issue_list/"])
@for_each("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_who_may_not_write_is_told_so_before_the_method_is_looked_at(api, editor, method, path):
    refused = {"detail": "You do not have permission to perform this action."}
    assert api.call(method, path, 403).json == refused
    if method not in allow(path)["Allow"].split(", "):
        assert editor.call(method, path, 403 if method == "DELETE" else 405).json
    assert editor.call(method, "/api/role/", 403).json == refused
    assert api.call(method, "/api/", 405).json == {"detail": f'Method "{method}" not allowed.'}


def test_a_method_that_nobody_knows(wsgi, api, anonymous):
    unchecked = webtest.TestApp(wsgi, lint=False)
    for client, status in ((api, 405), (anonymous, 401)):
        unchecked.request("/api/arc/", method="FETCH", headers=client.headers, status=status)


@for_each("path", ["/api/arc", "/api/arc/1", "/api/arc.json", "/api/arc/1.json"])
def test_a_write_without_the_slash_is_served_as_if_it_had_one(admin, path):
    assert admin.call("DELETE", path, 405).json == {"detail": 'Method "DELETE" not allowed.'}
    assert admin.call("OPTIONS", path).headers["Allow"] == allow(path)["Allow"]


@for_each("content_type", ["multipart/form-data", "multipart/form-data; boundary=", "x", "a/b/c"])
def test_a_body_that_nobody_reads_does_no_harm(admin, content_type):
    sent = {"Content-Type": content_type}
    for method, path, status in [("GET", "/api/arc/", 200), ("POST", "/api/role/", 405)]:
        answer = admin.testapp.request(
            path,
            method=method,
            body=b"\0" * 99,
            headers=admin.headers | sent,
            status=status,
            expect_errors=True,
        )
        assert answer.content_type == "application/json"


# Addresses.


@for_each(
    "path,location",
    [
        ("/api", "/api/"),
        ("/api/arc", "/api/arc/"),
        ("/api/arc/5", "/api/arc/5/"),
        ("/api/arc/5?x=1&page=2", "/api/arc/5/?x=1&page=2"),
        ("/api/series/5/issue_list", "/api/series/5/issue_list/"),
        ("/api/arc/%C3%A9", "/api/arc/%C3%A9/"),
    ],
)
@for_each("method", ["GET", "HEAD"])
def test_a_read_without_the_slash_is_sent_to_the_address_with_it(anonymous, method, path, location):
    answer = anonymous.call(method, path, 301)
    assert answer.headers["Location"] == BASE + location
    assert answer.headers.getall("Allow") == [allow(location)["Allow"]]
    assert answer.body == b""


UNKNOWN = (
    "/api/nothing/ /api/nothing /api/arc/1/nothing/ /api/arc/1/series_list/ /api/publisher/1/issue_list/"
    " /api/genre/ /api/role/1/ /api/role/1 /api/series_type/1/ /api// /api/arc// /api/arc/1//"
    " /api/.json /api/nothing.json /api/arc/%2F/"
)


@for_each("path", UNKNOWN.split())
@for_each("method", ["GET", "HEAD", "POST", "OPTIONS"])
def test_an_unknown_path_is_not_found_by_anyone(api, anonymous, method, path):
    for client in (api, anonymous):
        answer = client.call(method, path, 404)
        assert method == "HEAD" or answer.json == {"detail": "Not found."}


@for_each(
    "address",
    [
        "arc.json",
        "arc.json/",
        "arc/?format=json",
        "arc/?format=api",
        "arc/?format=",
        "arc/?format=x&format=json",
    ],
)
def test_json_by_suffix_and_by_parameter(api, make, address):
    make.arc(name="Salt Tide")
    assert api.json(f"/api/{address}") == api.json("/api/arc/")


def test_the_suffix_works_on_details_too(api, make):
    arc, series = make.arc(), make.series()
    assert api.json(f"/api/arc/{arc.id}.json") == api.json(f"/api/arc/{arc.id}/")
    path = f"/api/series/{series.id}/issue_list"
    assert api.json(f"{path}.json") == api.json(f"{path}/")


@for_each(
    "address",
    [
        "arc.xml",
        "arc/1.xml",
        "arc.JSON",
        "arc/?format=xml",
        "arc/?format=json&format=xml",
        "arc.json?format=csv",
    ],
)
def test_no_other_format_exists_for_anyone(api, anonymous, address):
    for client in (api, anonymous):
        assert client.json(f"/api/{address}", 404) == {"detail": "Not found."}


@for_each("number", ["x", "1.5", "1,5", "%C3%A9", "%D9%A3", "1%20", "1e3", "--1", "0x1"])
def test_a_number_that_is_none(api, anonymous, number):
    assert api.json(f"/api/arc/{number}/", 404) == {"detail": "Not found."}
    assert anonymous.json(f"/api/arc/{number}/", 404) == {"detail": "Not found."}
    assert anonymous.json(f"/api/collection/{number}/", 401) == NOT_GIVEN


@for_each("kind", KINDS)
@for_each("number", ["0", "-1", "999999", "2147483648", "9" * 30, "9" * 5000, "-" + "9" * 5000])
def test_an_object_that_is_not_there(api, kind, number):
    message = {"detail": f"No {kind.title()} matches the given query."}
    assert api.json(f"/api/{kind}/{number}/", 404) == message


def test_an_object_that_was_deleted_is_not_there(api, make, catalog, session):
    arc = make.arc()
    catalog.delete(arc)
    session.commit()
    assert api.json(f"/api/arc/{arc.id}/", 404) == {"detail": "No Arc matches the given query."}


def test_leading_zeros_change_nothing(api, make):
    arc = make.arc()
    assert api.json(f"/api/arc/000{arc.id}/")["id"] == arc.id


# Negotiation.


@for_each(
    "accept",
    [None, "", "*/*", "application/json", "application/*", "text/html", "text/*", "image/png, */*;q=0.1",
     "application/json; indent=4", "APPLICATION/JSON", "text/csv,application/json;q=0.5",
     "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
)  # fmt: skip
def test_what_can_be_answered_with_json(api, accept):
    answer = api.get("/api/arc/", headers={} if accept is None else {"Accept": accept})
    assert answer.headers["Content-Type"] == "application/json"


@for_each(
    "accept",
    [
        "image/png",
        "application/xml",
        "text/csv, image/*",
        "application/json;q=0",
        "*/*;q=0.0",
        "nonsense",
        ",",
        ";",
    ],
)
def test_what_cannot_goes_before_credentials(api, anonymous, accept):
    for client in (api, anonymous):
        answer = client.get("/api/arc/", 406, {"Accept": accept})
        assert answer.json == {"detail": "Could not satisfy the request Accept header."}


# No request causes a server error.


@for_each("path", ["/api/%ff/", "/api/arc/%ff/", "/api/%ff", "/api/arc/%C3%28/"])
@for_each("method", ["GET", "POST", "OPTIONS"])
def test_a_path_that_is_no_text_is_refused(api, anonymous, method, path):
    for client in (api, anonymous):
        assert client.call(method, path, 400).json == {"detail": "The URL is not valid UTF-8."}


@for_each("query", ["%ff", "page=%ff", "a=%C3%28", "%00", "=", "&&&", "a=1;b=2", "a" * 9000, "é"])
def test_any_query_can_be_read(api, query):
    environ = {"QUERY_STRING": query.encode().decode("latin-1")}
    answer = api.testapp.get(
        "/api/arc/", headers=api.headers, extra_environ=environ, expect_errors=True, status="*"
    )
    assert answer.status_int in {200, 400, 404, 414}
    assert answer.content_type == "application/json"


@for_each(
    "name,value",
    [
        ("CONTENT_LENGTH", "x"),
        ("HTTP_COOKIE", "\xff=;;;=\xff"),
        ("HTTP_HOST", "\xff<>"),
        ("HTTP_HOST", "a:b:c"),
        ("HTTP_ACCEPT_LANGUAGE", "\xff"),
        ("HTTP_ACCEPT_CHARSET", ";;;"),
        ("HTTP_ACCEPT", "\xff"),
        ("HTTP_ACCEPT", "a" * 9000),
        ("HTTP_AUTHORIZATION", "\xff"),
        ("HTTP_IF_NONE_MATCH", '"'),
        ("HTTP_IF_MODIFIED_SINCE", "\xff"),
        ("HTTP_RANGE", "bytes=9-1"),
        ("HTTP_X_FORWARDED_FOR", "\xff"),
        ("HTTP_X_HTTP_METHOD_OVERRIDE", "DELETE"),
    ],
)
def test_any_header_can_be_read(api, make, name, value):
    make.issue(image="issue/a.jpg")
    environ = {"HTTP_AUTHORIZATION": api.headers["Authorization"], name: value}
    unchecked = webtest.TestApp(api.testapp.app, lint=False)
    answer = unchecked.get("/api/issue/", extra_environ=environ, expect_errors=True, status="*")
    assert answer.status_int < 500
    assert answer.content_type == "application/json"


def test_a_fault_of_ours_is_json_and_logged_with_its_traceback(api, make, monkeypatch, caplog):
    def broken(resource, *_):
        raise ZeroDivisionError("by no means")

    make.arc()
    monkeypatch.setattr(ArcResource, "cached_response", broken)
    with caplog.at_level(logging.ERROR, "comicsdb_api"):
        answer = api.get("/api/arc/", 500)
    assert answer.json == {"detail": "A server error occurred."}
    told = answer.headers.pop("X-Request-ID")  # with which the log line can be found
    assert len(told) == 16
    assert headers(answer) == JSON | READ | allow("/api/arc/")
    (record,) = caplog.records
    assert record.name == "comicsdb_api.errors"
    assert str(record.exc_info[1]) == "by no means"
    assert "/api/arc/" in record.getMessage()


def test_reading_writes_nothing(api, paths, connection):
    with record_statements(connection) as statements:
        for path in paths:
            api.get(path)
    assert statements
    assert all(sql.lstrip().upper().startswith("SELECT") for sql in statements), statements
    assert not any("FOR UPDATE" in sql.upper() for sql in statements)
