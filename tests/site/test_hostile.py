"""Random and malformed requests never cause a server error."""

import base64

import pytest
import webtest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comicsdb.accounts.passwords import Passwords
from tests.soak import SOAK

KINDS = ("publisher", "imprint", "universe", "series", "issue", "arc", "character", "creator", "team")
ODD = (
    "0", "-1", "007", "1.5", "99999999999999999999", "²", "١", "%00", "%ff", "%2e%2e", "%2F", "..", ".json",
    "create", "last", "salt", "salt-2020", "salt-2020-1", "'", '"', "<b>", "%0d%0aX:1", "🦊", "a" * 400,
)  # fmt: skip
WORDS = st.sampled_from(
    (*KINDS, *ODD, "api", "search", "issue_list", "series_list", "load-more", "media", "thumb", "cover")
)
PATHS = st.builds(
    lambda start, rest, end: f"/{start}" + "".join(f"/{each}" for each in rest) + end,
    st.sampled_from(
        ("api", "api/issue", "media", "media/thumb/cover", "accounts/login", "search", "static", *KINDS)
    ),
    st.lists(WORDS, max_size=4),
    st.sampled_from(("", "/", "//")),
)
TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
QUERIES = st.lists(
    st.tuples(
        st.sampled_from(
            ("page", "q", "sort", "offset", "format", "next", "name", "cover", "%ff", "ordering")
        ),
        st.one_of(st.sampled_from(ODD), TEXT.map(lambda text: text.replace("&", "").replace("#", ""))),
    ),
    max_size=3,
)
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "Accept": st.sampled_from(
            ("*/*", "text/html", "application/json;q=x", "application/xml", ";;;", "a/b/c")
        ),
        "X-Fragment": st.just("1"),
        "If-Modified-Since": st.sampled_from(("yesterday", "Sat, 21 Nov 2026 02:36:05 GMT", "-1")),
        "Range": st.sampled_from(("bytes=0-1", "bytes=9-1", "lines=1")),
        "Cookie": st.sampled_from(("session=x", "theme=purple; language=tlh", "a=\x7f", "=;;=")),
        "Content-Type": st.sampled_from(
            (
                "multipart/form-data",
                "application/json",
                "application/x-www-form-urlencoded; charset=klingon",
                "///",
            )
        ),
        "Origin": st.sampled_from(("null", "https://elsewhere.example", "http://localhost", "http://[")),
        "Referer": st.sampled_from(("http://[", "//elsewhere.example", "http://localhost/%ff")),
        "X-Forwarded-Host": st.just("elsewhere.example"),
        "Accept-Language": st.sampled_from(("it", "*", "x" * 300, ";q=1")),
        "Host": st.sampled_from(("localhost:80", "a b", "[::1", "localhost:x")),
    },
)
METHODS = st.sampled_from(("GET", "GET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"))
FORM = b"username=x&password=y&csrf_token=z"
BODIES = st.sampled_from((b"", b"{", b"[" * 5000, b"a=1&b=%ff", b"\xff\xfe", FORM))
REQUESTS = st.fixed_dictionaries(
    {
        "method": METHODS,
        "path": PATHS,
        "query": QUERIES,
        "headers": HEADERS,
        "body": BODIES,
        "known": st.booleans(),
    }
)


@pytest.fixture
def reader(make):
    """The Authorization header of an account that may read the API."""
    make.user("reader", password="secret", passwords=Passwords("fast"))
    series = make.series(name="Salt")
    make.issue(series=series, arcs=[make.arc(name="Salt")], characters=[make.character(name="Salt")])
    return "Basic " + base64.b64encode(b"reader:secret").decode()


@settings(
    max_examples=SOAK or 400,
    deadline=None,
    derandomize=not SOAK,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(asked=REQUESTS)
def test_no_request_is_a_server_error(wsgi, testapp, reader, asked):
    query = "&".join(f"{key}={value}" for key, value in asked["query"])
    address = _quoted(f"{asked['path']}?{query}")
    request = webtest.TestRequest.blank(
        address, method=asked["method"], headers=asked["headers"], body=asked["body"]
    )
    if asked["known"]:
        request.headers["Authorization"] = reader
    answer = request.get_response(wsgi)
    assert answer.status_int < 500, answer.text[:500]
    if asked["path"].startswith("/api/") and answer.body and answer.status_int >= 400:
        assert answer.content_type == "application/json"


def _quoted(path):
    """A path as a request line may contain it: all but printable ASCII characters are percent-encoded."""
    return "".join(
        each if " " < each < "\x7f" else "".join(f"%{byte:02X}" for byte in each.encode()) for each in path
    )
