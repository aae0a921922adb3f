"""Scripts of other sites (CORS): they may read with a token, see every header, and write nothing."""

import pytest

from comicsdb.accounts.passwords import digest
from comicsdb.models import ApiToken
from tests.api.conftest import SCHEMA, Client
from tests.api.writing import FORM
from tests.conftest import record_statements

TOKEN = "cdb_" + "4d" * 32
ORIGIN = {"Origin": "https://reader.example"}
SEEN = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "*"}


def cors(answer):
    """The CORS headers of a response."""
    return {name: value for name, value in answer.headers.items() if name.startswith("Access-Control-")}


def preflight(client, path, method, status=204):
    """Send the preflight request that a browser sends before a script's request with a token."""
    asked = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": "authorization"}
    return client.call("OPTIONS", path, status, ORIGIN | asked)


@pytest.fixture
def script(testapp, session, make):
    """A script on another site with the token of an editor."""
    editor = make.user("ed", groups=["editor"])
    session.add(ApiToken(digest=digest(TOKEN), token_key=TOKEN[:8], user_id=editor.id))
    session.commit()
    return Client(testapp, ORIGIN | {"Authorization": f"Bearer {TOKEN}"})


def test_every_answer_to_a_read_may_be_seen(script, anonymous, make):
    arc = make.arc()
    path = f"/api/arc/{arc.id}/"
    made, kept = script.get(path), script.get(path)
    assert [each.headers["X-Cache"] for each in (made, kept)] == ["MISS", "HIT"]
    tag, date = {"If-None-Match": kept.headers["ETag"]}, {"If-Modified-Since": kept.headers["Last-Modified"]}
    answers = [made, kept, anonymous.get(path), anonymous.get(SCHEMA)]
    answers += [
        anonymous.get("/api/collection/", 401),
        anonymous.get(path, 401, {"Authorization": "Bearer x"}),
    ]
    answers += [script.call("HEAD", path), script.call("OPTIONS", path)]
    for address, status, sent in (
        *((path, 304, tag), (path, 304, date), (path, 412, {"If-Match": '"x"'})),
        *((path, 406, {"Accept": "image/png"}), ("/api/arc/0/", 404, {}), ("/api/nothing/", 404, {})),
        *(("/api/arc/", 200, {}), ("/api/arc/", 200, {}), ("/api/", 200, {}), ("/api/collection/", 200, {})),
        *(("/api/arc", 301, {}), ("/api/arc/?cv_id=x", 400, {}), ("/api/arc/?q=" + "x" * 9000, 414, {})),
    ):
        answers.append(script.get(address, status, sent))
    for answer in answers:
        assert cors(answer) == SEEN, answer.request.url
        assert "Set-Cookie" not in answer.headers


def test_a_browser_is_told_that_it_may_read(anonymous, connection):
    with record_statements(connection) as statements:
        for path in ("/api/", "/api/issue/1/", "/api/collection/", "/api/nothing/", "/api/issue"):
            for method in ("GET", "HEAD"):
                answer = preflight(anonymous, path, method)
                assert cors(answer) == SEEN | {
                    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
                    "Access-Control-Allow-Headers": "Authorization, If-Match, If-Modified-Since,"
                    " If-None-Match, If-Range, If-Unmodified-Since, Last-Event-ID, Prefer, Range",
                    "Access-Control-Max-Age": "86400",
                }
                assert answer.body == b""
    assert statements == []


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "post", ""])
def test_nothing_is_opened_for_writes(anonymous, script, method):
    for client, status in ((anonymous, 401), (script, 200)):  # a browser goes on if there are both headers
        refused = preflight(client, "/api/arc/", method, status)
        assert not cors(refused).keys() & {"Access-Control-Allow-Methods", "Access-Control-Allow-Headers"}


def test_no_answer_to_a_write_may_be_seen(script, make):
    arc = make.arc()
    more = {"Content-Type": FORM}
    for method, path, status in (
        *(("POST", "/api/arc/", 400), ("PATCH", f"/api/arc/{arc.id}/", 200), ("PUT", "/api/arc/0/", 404)),
        *(("DELETE", f"/api/arc/{arc.id}/", 403), ("DELETE", "/api/", 405)),
    ):
        assert cors(script.call(method, path, status, more)) == {}


def test_pages_are_not_for_other_sites(anonymous):
    for path in ("/", "/robots.txt", "/docs/", "/nothing/"):
        answer = anonymous.call("GET", path, 404 if path == "/nothing/" else 200, ORIGIN)
        assert cors(answer) == {}
    assert cors(preflight(anonymous, "/", "GET", 405)) == {}
