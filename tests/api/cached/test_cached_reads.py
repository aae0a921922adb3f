"""Cached reads: what is cached, under which keys, and for whom.

Each test guards against a bug that was seen elsewhere.
"""

import json
import re

import pytest
from sqlalchemy import delete, update

from comicsdb.accounts.passwords import digest
from comicsdb.models import ApiToken, User
from comicsdb_api.resource.base import EntityResource
from comicsdb_api.resource.cached_reads import DETAIL, LIST
from comicsdb_api.resource.listing import compiled_query
from tests.api.conftest import SCHEMA, Client, basic_auth
from tests.api.http_dates import DATED_ADDRESSES, FAR_AHEAD, WITH_ISSUES
from tests.api.resource.test_statements import COSTS
from tests.api.test_transport import KINDS
from tests.conftest import record_statements

CACHED = [*DATED_ADDRESSES, *(f"/api/{kind}/" for kind in KINDS), "/api/publisher/{publisher}/series_list/"]
CACHED += ["/api/search/?q=harbor"]
NEVER = ["/api/", "/api/role/", "/api/series_type/", SCHEMA, "/docs/", "/api/change/", "/api/cover/"]
NEVER += [f"/api/series/{{series}}/{tags}/" for tags in ("comicinfo", "metroninfo")]
NEVER += ["/api/gtin/", "/api/crosswalk/", *(f"/api/{kind}/{{{kind}}}/history/" for kind in KINDS)]
OWN = {"collection", "pull_list", "read", "reading_list", "wish_list"}
NEVER += [each for each in COSTS if each.split("/")[2] in OWN]
TOKEN = "cdb_" + "1e" * 32


@pytest.fixture
def bearer(testapp, make, reader):
    """A client that signs in with a token."""
    make.session.add(ApiToken(digest=digest(TOKEN), token_key=TOKEN[:8], user_id=reader.id))
    make.session.commit()
    return Client(testapp, {"Authorization": f"Bearer {TOKEN}"})


def read(api, path, expected, **more):
    """The body of a read, which must be a cache hit or miss, as `expected` says: "HIT" or "MISS"."""
    answer = api.get(path, 200, **more)
    assert answer.headers["X-Cache"] == expected, path
    return answer.body


def cached(api, path):
    """The body of a read, which is in the cache afterwards."""
    api.get(path)
    return read(api, path, "HIT")


# What is cached.


def test_details_and_lists_of_the_catalog_are_cached(api, ids):
    for address in CACHED:
        path = address.format(**ids)
        assert read(api, path, "MISS") == read(api, path, "HIT") == read(api, path, "HIT")


def test_nothing_else_is(api, ids):
    assert {*COSTS} <= {*CACHED, *NEVER}
    for path in NEVER:
        for _ in range(3):
            assert "X-Cache" not in api.get(path.format(**ids)).headers


@pytest.mark.parametrize("first", ["GET", "HEAD"])
def test_head_and_get_share_an_entry(api, make, first):
    path = f"/api/arc/{make.arc().id}/"
    for method, expected in ((first, "MISS"), ("HEAD", "HIT"), ("GET", "HIT")):
        assert api.call(method, path).headers["X-Cache"] == expected


def test_only_a_200_says_hit_or_miss(api, anonymous, admin, ids):
    path = f"/api/arc/{ids['arc']}/"
    cached(api, path)
    for client, method, address, status, sent in (
        (api, "GET", path, 304, {"If-None-Match": "*"}),
        (api, "GET", path, 304, {"If-Modified-Since": FAR_AHEAD}),
        (api, "GET", path, 412, {"If-Match": '"x"'}),
        (api, "GET", path, 406, {"Accept": "image/png"}),
        (api, "GET", path.rstrip("/"), 301, {}),
        (api, "GET", "/api/arc/999999/", 404, {}),
        (api, "GET", "/api/arc/?page=9", 404, {}),
        (api, "GET", "/api/issue/?series_id=x", 400, {}),
        (api, "OPTIONS", path, 200, {}),
        (api, "PATCH", path, 403, {}),
        (admin, "DELETE", path, 405, {}),
        (anonymous, "GET", path, 401, {"Authorization": "Bearer x"}),
    ):
        assert "X-Cache" not in client.call(method, address, status, sent).headers


def test_only_what_says_so_is_cached(wsgi):
    assert not EntityResource.cached  # so that personal data cannot be cached by accident
    served = filter(None, wsgi.registry["comicsdb_api.reads"].values())
    regions = {each.read.route: each.read.region for each in served}
    details = {f"api.{kind}" for kind in KINDS} | {f"api.{kind}.issue_list" for kind in WITH_ISSUES}
    lists = {f"api.{kind}.list" for kind in KINDS} | {"api.publisher.series_list", "api.search"}
    assert {route for route, region in regions.items() if region == DETAIL} == details
    assert {route for route, region in regions.items() if region == LIST} == lists


# Keys.


@pytest.mark.parametrize("kind", ["arc", "character", "series", "team"])
def test_a_detail_and_its_list_of_issues_are_two_entries(api, make, kind):
    path = f"/api/{kind}/{getattr(make, kind)().id}/"
    detail, issues = (cached(api, each) for each in (path, f"{path}issue_list/"))
    assert b'"resource_url"' in detail
    assert b'"results"' in issues
    assert read(api, path, "HIT") == detail


def test_every_page_and_every_value_of_a_parameter_counts(api, make):
    writer, editor = (make.role(name).id for name in ("Writer", "Editor"))
    make.credit(make.issue(), make.creator(), "Writer")
    counts = {
        f"role_id={writer}": 1,
        f"role_id={editor}": 0,
        f"role_id={writer}&role_id={editor}": 0,
        f"role_id={editor}&role_id={writer}": 1,
        f"role_id={writer},{editor}": 1,
        "page=1": 1,
        "page": 1,
        "": 1,
    }
    for expected in ("MISS", "HIT"):
        for query, count in counts.items():
            assert json.loads(read(api, f"/api/issue/?{query}", expected))["count"] == count
    for number, status in ((2, 404), (1, 200), (2, 404)):
        api.get(f"/api/issue/?page={number}", status)


def test_the_order_of_different_parameters_does_not_count(api, make):
    make.issue()
    first = read(api, "/api/issue/?number=1&series_q=series&sku=1&sku=", "MISS")
    assert read(api, "/api/issue/?sku=1&series_q=series&number=1&sku=", "HIT") == first
    read(api, "/api/issue/?number=1&series_q=series&sku=&sku=1", "MISS")


def test_what_the_address_does_not_know_is_in_no_key(api, wsgi, ids):
    """Unknown parameters cannot crowd out useful entries: nothing is stored or compiled for them."""
    lru = wsgi.registry["comicsdb.cache"].lru
    for address in CACHED:
        path = address.format(**ids)
        query = f"{path}&" if "?" in path else f"{path}?"
        body = cached(api, path)
        stored, compiled = len(lru), compiled_query.cache_info().currsize
        for number in range(20):
            assert read(api, f"{query}_={number}&utm{number}=a&z{number}", "HIT") == body
        assert (len(lru), compiled_query.cache_info().currsize) == (stored, compiled)


def test_scheme_and_host_count(api, make):
    publisher = make.publisher()
    path = f"/api/publisher/{publisher.id}/"
    places = {
        "http://localhost": {},
        "https://localhost": {"wsgi.url_scheme": "https", "HTTP_HOST": "localhost"},
        "http://comics.example": {"HTTP_HOST": "comics.example"},
        "http://comics.example:8080": {"HTTP_HOST": "comics.example:8080"},
        "https://comics.example": {"wsgi.url_scheme": "https", "HTTP_HOST": "comics.example"},
        "http://localhost/below": {"SCRIPT_NAME": "/below"},
    }
    for expected in ("MISS", "HIT"):
        for base, environ in places.items():
            answer = api.testapp.get(path, headers=api.headers, extra_environ=environ)
            assert answer.json["resource_url"] == f"{base}/publisher/{publisher.slug}/"
            assert answer.headers["X-Cache"] == expected


def test_users_share_entries_and_none_is_theirs_alone(api, bearer, editor, admin, ids):
    for address in CACHED:
        path = address.format(**ids)
        body = read(api, path, "MISS")
        for other in (bearer, editor, admin):
            assert read(other, path, "HIT") == body


def test_the_language_of_the_caller_changes_nothing(api, make):
    path = f"/api/series/{make.series(status=4).id}/"
    body = read(api, path, "MISS", headers={"Accept-Language": "it"})
    assert b'"status":"Ongoing"' in body
    assert read(api, path, "HIT", headers={"Accept-Language": "de, en;q=0.5"}) == body


# Hits and credentials.


def wrong(client, path):
    """Assert that the client is refused, for GET and for HEAD."""
    for method in ("GET", "HEAD"):
        assert client.call(method, path, 401).headers["WWW-Authenticate"] == 'Basic realm="api"'


def test_the_look_before_a_hit_is_at_one_row_and_fails_at_nothing(api, make, connection, wsgi):
    make.issue(arcs=[make.arc()])
    arc = make.arc()
    for path in (f"/api/arc/{arc.id}/", f"/api/arc/{arc.id}/issue_list/"):
        cached(api, path)
        for looked_at in ({"epoch"}, {"epoch", "arc", "late_stamps"}):
            with record_statements(connection) as statements:
                read(api, path, "HIT")
            (statement,) = statements
            asked = re.findall(r"(?:FROM|JOIN) (\w+)", statement)
            assert {table for table in asked if not table.startswith("user_")} == looked_at
            wsgi.registry["comicsdb.validator_cache"].clear()
        for number in ("x", "1.5", "%01", "1e1", "9" * 40, "-1"):
            api.get(path.replace(str(arc.id), number, 1), 404)


@pytest.mark.parametrize("address", ["/api/arc/{}/", "/api/arc/{}/issue_list/", "/api/arc/"])
def test_a_hit_is_for_those_who_may_read(api, bearer, make, reader, address):
    anonymous = Client(api.testapp, {})
    path = address.format(make.arc().id)
    for client in (api, bearer):
        cached(client, path)
    read(anonymous, path, "HIT")
    wrong(Client(api.testapp, {"Authorization": "Token x"}), path)
    wrong(Client(api.testapp, basic_auth("reader", "wrong")), path)
    wrong(Client(api.testapp, {"Authorization": f"Bearer {TOKEN}0"}), path)
    make.session.execute(update(User).where(User.id == reader.id).values(is_active=False))
    make.session.commit()
    for client in (api, bearer):
        wrong(client, path)
    make.session.execute(update(User).where(User.id == reader.id).values(is_active=True))
    make.session.commit()
    for client in (api, bearer):
        read(client, path, "HIT")


def test_a_revoked_token_is_refused_at_once(api, bearer, make):
    path = f"/api/arc/{make.arc().id}/"
    cached(bearer, path)
    make.session.execute(delete(ApiToken))
    make.session.commit()
    wrong(bearer, path)
    read(api, path, "HIT")


def test_a_changed_password_counts_at_once(api, make, reader, passwords):
    path = f"/api/arc/{make.arc().id}/"
    cached(api, path)
    new = passwords.hash("new one")
    make.session.execute(update(User).where(User.id == reader.id).values(password=new))
    make.session.commit()
    wrong(api, path)
    read(Client(api.testapp, basic_auth("reader", "new one")), path, "HIT")


def test_a_deleted_account_is_refused_at_once(api, bearer, make, reader):
    path = f"/api/arc/{make.arc().id}/"
    for client in (api, bearer):
        cached(client, path)
    make.session.execute(delete(User).where(User.id == reader.id))
    make.session.commit()
    for client in (api, bearer):
        wrong(client, path)
