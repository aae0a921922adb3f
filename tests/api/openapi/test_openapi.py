"""The description of the API at /api/schema/: what it lists, for whom, and in which form."""

import json
from collections import Counter
from functools import cache

import pytest
import webtest
import yaml
from cornice.service import Service
from pyramid.config import Configurator
from pyramid.interfaces import IRoutesMapper
from pyramid.response import Response

from comicsdb import config as settings
from comicsdb import tags
from comicsdb.db.read_pool import ReadPool
from comicsdb.security import Permission
from comicsdb_api.docs_page.page import Pages
from tests.api.bodies import BASE
from tests.api.conftest import PASSWORD, READ_ONLY_POSTS, Client, basic_auth
from tests.api.descriptions import specification_errors
from tests.conftest import SAVEPOINT_MODE, SETTINGS, record_statements
from tests.page import parse

ARCHIVES = {f"/api/series/{{id}}/{format_.name}/" for format_ in tags.FORMATS}
READS = ("/api/read/", "/api/read/add/", "/api/read/{id}/remove/")
SCHEMA = "/api/schema/"
YAML, JSON = "application/vnd.oai.openapi", "application/vnd.oai.openapi+json"
OWN = {"collection", "pull_list", "read", "wish_list"}  # what tokens of the scope `read` may not see
NOT_FOR_ALL = tuple(f"/api/{kind}/" for kind in (*OWN, "cover", "match", "reading_list"))
WRITES = {"post", "put", "patch", "delete"}
KINDS = ["arc", "character", "creator", "imprint", "issue", "publisher", "series", "team", "universe"]


@pytest.fixture
def document(api):
    """The description as an ordinary account sees it."""
    return api.json(f"{SCHEMA}?format=json")


# Contents.


@pytest.mark.parametrize("who", ["anonymous", "api", "editor", "admin"])
def test_a_public_validator_accepts_it(who, request):
    document = request.getfixturevalue(who).json(f"{SCHEMA}?format=json")
    assert document["openapi"].startswith("3.1")
    assert specification_errors(document) == []


def test_every_route_of_the_api_is_in_it_and_nothing_else(editor, wsgi):
    document = editor.json(f"{SCHEMA}?format=json")
    routes = {
        route.pattern: route.name
        for route in wsgi.registry.getUtility(IRoutesMapper).get_routes()
        if route.name.startswith("api.") and route.name != "api.unknown"
    }
    assert set(document["paths"]) == set(routes)
    for path, item in document["paths"].items():
        allowed = wsgi.registry["comicsdb_api.allow"][routes[path]].split(", ")
        told = {method.upper() for method in item if method not in {"description", "parameters"}}
        assert told == set(allowed) - {"HEAD", "OPTIONS"}


def test_the_contract_has_fifty_paths_and_eighty_one_methods(editor):
    document = editor.json(f"{SCHEMA}?format=json")
    ours = {
        "/api/",
        "/api/schema/",
        "/api/change/",
        "/api/gtin/",
        "/api/search/",
        *READS,
        *READ_ONLY_POSTS,
        *ARCHIVES,
    }  # besides the resources
    counted = Counter(
        path.split("/")[2]
        for path, item in document["paths"].items()
        if path not in ours and not path.endswith("/history/")
        for _method in WRITES.union({"get"}) & set(item)
    )
    paths = [each for each in document["paths"] if each not in ours and not each.endswith("/history/")]
    assert len(paths) == 50
    assert counted == {
        **dict.fromkeys(("arc", "character", "team", "series", "publisher"), 6),
        **dict.fromkeys(("creator", "imprint", "issue", "universe"), 5),
        **dict.fromkeys(("role", "series_type", "credit"), 1),
        **dict.fromkeys(("variant", "reading_list"), 3),
        **dict.fromkeys(("pull_list", "wish_list"), 6),
        "collection": 10,
    }
    assert counted.total() == 81


def test_operations_have_the_ids_of_the_contract(document):
    expected = {"api_root_retrieve", "api_schema_retrieve", "api_role_list", "api_series_type_list"}
    expected |= {f"api_{kind}_{verb}" for kind in KINDS for verb in ("list", "retrieve")}
    expected |= {f"api_{kind}_issue_list_list" for kind in ("arc", "character", "series", "team")}
    expected |= {
        "api_publisher_series_list_list",
        "api_change_list",
        "api_cover_retrieve",
        "api_gtin_retrieve",
        "api_crosswalk_retrieve",
        "api_search_retrieve",
    }
    expected |= {f"api_series_{format_.name}_retrieve" for format_ in tags.FORMATS}
    expected |= {f"api_{kind}_history_list" for kind in KINDS}
    expected |= {f"api_collection_{what}" for what in ("list", "retrieve", "stats_retrieve")}
    expected |= {f"api_collection_missing_{what}_list" for what in ("series", "issues")}
    expected |= {f"api_pull_list_{what}" for what in ("list", "retrieve", "series_list", "issues_list")}
    expected |= {f"api_wish_list_{what}" for what in ("list", "retrieve", "items_list")}
    expected |= {f"api_reading_list_{what}" for what in ("list", "retrieve", "items_list")}
    expected |= {"api_read_list"}
    operations = [item["get"] for item in document["paths"].values() if "get" in item]
    assert sorted(each["operationId"] for each in operations) == sorted(expected)
    own = {f"collection_{what}" for what in ("update", "partial_update", "destroy", "add_create")}
    own |= {"collection_scrobble_create", "cover_create", "crosswalk_create", "match_create"}
    own |= {"pull_list_series_add_create", "pull_list_series_remove_destroy"}
    own |= {"read_add_create", "read_remove_destroy"}
    own |= {f"wish_list_items_{what}" for what in ("add_create", "acquire_create", "remove_destroy")}
    writes = [item[verb] for item in document["paths"].values() for verb in item.keys() & WRITES]
    assert {each["operationId"] for each in writes} == {f"api_{each}" for each in own}
    operations += writes
    assert all(each["operationId"].startswith(f"api_{each['tags'][0]}_") for each in operations)
    assert [each["name"] for each in document["tags"]] == list(
        dict.fromkeys(tag for path in document["paths"] for tag in [path.split("/")[2] or "root"])
    )
    assert all(each["description"] for each in document["tags"])
    assert all(each["summary"] for each in operations)


def test_summaries_are_phrases(editor):
    paths = editor.json(f"{SCHEMA}?format=json")["paths"]
    for path, verb, summary in (
        ("series_type/", "get", "List series types"),
        ("issue/{id}/", "get", "Get an issue"),
        ("universe/", "post", "Create a universe"),
        ("arc/{id}/", "patch", "Update some fields of an arc"),
        ("publisher/{id}/series_list/", "get", "Series of a publisher"),
        ("arc/{id}/issue_list/", "get", "Issues of an arc"),
        ("issue/{id}/history/", "get", "History of an issue"),
        ("collection/", "get", "List collection items"),
        ("collection/missing_series/", "get", "Missing series of the collection"),
        ("pull_list/issues/", "get", "Issues of the pull list"),
    ):
        assert paths[f"/api/{path}"][verb]["summary"] == summary


def test_lists_have_filters_and_options_and_lists_below_objects_only_options(document):
    def asked(path):
        item = document["paths"][path]
        return [
            each.get("name", each.get("$ref", "").rpartition("/")[2])
            for each in item["get"]["parameters"]
            if each.get("in", "query") == "query" and "If-" not in each.get("$ref", "")
        ]

    options = ["fields", "include"]
    paged = [*options, "sort", "page_size", "cursor", "page", "strict"]
    ending = ["ids", *paged]
    assert asked("/api/arc/") == ["name", "cv_id", "gcd_id", "modified_gt", *ending]
    assert asked("/api/universe/") == ["name", "designation", "modified_gt", *ending]
    assert asked("/api/issue/{id}/") == [*options, "strict"]
    assert asked("/api/role/") == ["name", "modified_gt", "page", "strict"]
    assert {"series_q", "store_date_range_after", "role_id", "missing_gcd_id"} <= set(asked("/api/issue/"))
    for path in ("/api/series/{id}/issue_list/", "/api/publisher/{id}/series_list/"):
        assert asked(path) == paged


def test_it_says_what_it_is_of_whom_and_how_to_sign_in(document):
    info = document["info"]
    assert (info["title"], info["version"]) == ("comicsdb API", "1.0.0")
    assert info["license"]["name"] == "CC BY-SA 4.0"
    assert info["contact"]["name"]
    assert info["description"].startswith("comicsdb is a community database")
    schemes = document["components"]["securitySchemes"]
    told = ("type", "scheme", "in", "name")
    assert {name: [each[key] for key in told if key in each] for name, each in schemes.items()} == {
        "basicAuth": ["http", "basic"],
        "cookieAuth": ["apiKey", "cookie", "session"],
        "knoxApiToken": ["http", "bearer"],
    }
    assert document["security"] == [{"basicAuth": []}, {"cookieAuth": []}, {"knoxApiToken": ["read"]}]
    assert document["paths"][SCHEMA]["get"]["security"] == [{}, *document["security"]]
    assert document["paths"]["/api/arc/"]["get"]["security"] == [{}, *document["security"]]
    assert "security" not in document["paths"]["/api/reading_list/"]["get"]


def test_the_shapes_have_names(document):
    def shape(path):
        content = document["paths"][path]["get"]["responses"]["200"]["content"]
        schema = content["application/json"]["schema"]
        usual, *selected = schema.get("anyOf", [schema])
        named = usual.get("$ref", "").rpartition("/")[2]
        ending = "SelectionPage" if named.endswith("Page") else "Selection"
        assert selected in ([], [{"$ref": f"#/components/schemas/{ending}"}])
        return named

    assert {kind: shape(f"/api/{kind}/") for kind in (*KINDS, "role", "series_type")} == dict.fromkeys(
        KINDS, "StampedPage"
    ) | {
        "issue": "IssueRowPage",
        "series": "SeriesRowPage",
        "role": "NamedPage",
        "series_type": "NamedPage",
    }
    assert {kind: shape(f"/api/{kind}/{{id}}/") for kind in KINDS} == {kind: kind.title() for kind in KINDS}
    assert shape("/api/team/{id}/issue_list/") == "IssueRowPage"
    assert shape("/api/publisher/{id}/series_list/") == "SeriesRowPage"


def test_the_address_of_a_server_below_a_path_is_that_path(api):
    answer = api.testapp.get(
        f"{SCHEMA}?format=json", headers=api.headers, extra_environ={"SCRIPT_NAME": "/comics"}
    )
    assert answer.json["servers"] == [{"url": "/comics"}]
    assert api.json(f"{SCHEMA}?format=json")["servers"] == [{"url": "/"}]


# Formats.


@cache
def from_yaml(body: bytes) -> dict:
    """Parsed YAML, cached and read by libyaml: it is a megabyte, which takes pure Python seconds."""
    return yaml.load(body, yaml.CSafeLoader)


@pytest.mark.parametrize(
    ("address", "accept", "content_type"),
    [
        ("/api/schema/", None, f"{YAML}; charset=utf-8"),
        ("/api/schema/", "", f"{YAML}; charset=utf-8"),
        ("/api/schema/", "*/*", f"{YAML}; charset=utf-8"),
        ("/api/schema/", "text/html,application/xml;q=0.9,*/*;q=0.8", f"{YAML}; charset=utf-8"),
        ("/api/schema/", YAML, f"{YAML}; charset=utf-8"),
        ("/api/schema/", "application/yaml", "application/yaml; charset=utf-8"),
        ("/api/schema/", "application/*", f"{YAML}; charset=utf-8"),
        ("/api/schema/", "application/json", "application/json"),
        ("/api/schema/", "application/json; indent=4", "application/json"),
        ("/api/schema/", "APPLICATION/JSON", "application/json"),
        ("/api/schema/", "application/json, text/plain, */*", "application/json"),
        ("/api/schema/", "application/json;q=0.3, application/yaml;q=0.5", "application/yaml; charset=utf-8"),
        ("/api/schema/", f"{YAML};q=0, */*", "application/yaml; charset=utf-8"),
        ("/api/schema/", JSON, JSON),
        ("/api/schema/?format=json", None, JSON),
        ("/api/schema/?format=json", "application/json", "application/json"),
        ("/api/schema/?format=yaml", None, f"{YAML}; charset=utf-8"),
        ("/api/schema/?format=", None, f"{YAML}; charset=utf-8"),
        ("/api/schema/?format=yaml&format=json", None, JSON),
        ("/api/schema.json", None, JSON),
        ("/api/schema.yaml", None, f"{YAML}; charset=utf-8"),
        ("/api/schema.json?format=yaml", None, JSON),
    ],
)
def test_the_caller_chooses_yaml_or_json(anonymous, address, accept, content_type):
    answer = anonymous.get(address, headers={} if accept is None else {"Accept": accept})
    assert answer.headers["Content-Type"] == content_type
    form = "json" if "json" in content_type else "yaml"
    assert answer.headers["Content-Disposition"] == f'inline; filename="comicsdb API.{form}"'
    read = json.loads if form == "json" else from_yaml
    assert SCHEMA in read(answer.body)["paths"]


@pytest.mark.parametrize(
    ("address", "accept"),
    [
        ("/api/schema/", "image/png"),
        ("/api/schema/", "text/html"),
        ("/api/schema/", "nonsense"),
        ("/api/schema/", ","),
        ("/api/schema/", "application/json;q=0"),
        ("/api/schema/", "\xff"),
        ("/api/schema/?format=json", "application/yaml"),
    ],
)
def test_what_cannot_be_sent_is_said_so_before_anything_else(anonymous, address, accept):
    wrong = {"Authorization": "Basic nonsense", "Accept": accept}
    for headers in ({"Accept": accept}, wrong):
        answer = anonymous.get(address, 406, headers)
        assert answer.json == {"detail": "Could not satisfy the request Accept header."}


@pytest.mark.parametrize(
    "address", ["/api/schema/?format=xml", "/api/schema.html", "/api/schema/?format=api"]
)
def test_there_is_no_other_format(anonymous, address):
    assert anonymous.json(address, 404) == {"detail": "Not found."}


def test_yaml_says_what_json_says(api):
    written = api.get(SCHEMA)
    assert from_yaml(written.body) == api.json(f"{SCHEMA}?format=json")
    assert "&id0" not in written.text
    assert "    ## Getting started\n\n    Everybody" in written.text


# Like other endpoints.


def test_it_has_a_tag_and_the_headers_of_every_answer(anonymous, api):
    answer = anonymous.get(SCHEMA)
    tag = answer.headers["ETag"]
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert answer.headers["Vary"] == "Accept, Accept-Language, Cookie, Authorization"
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert "X-Cache" not in answer.headers
    assert anonymous.get(SCHEMA, 304, {"If-None-Match": tag}).body == b""
    assert anonymous.get(SCHEMA, 412, {"If-Match": '"other"'}).body == b""
    assert api.get(SCHEMA, 200, {"If-None-Match": tag}).headers["ETag"] != tag
    assert anonymous.get(f"{SCHEMA}?format=json").headers["ETag"] != tag


def test_head_options_and_methods_that_are_not_offered(anonymous, api):
    got, head = anonymous.get(SCHEMA), anonymous.call("HEAD", SCHEMA)
    assert dict(head.headers) == dict(got.headers)
    assert head.body == b""
    assert anonymous.call("OPTIONS", SCHEMA, 401).headers["WWW-Authenticate"] == 'Basic realm="api"'
    told = api.call("OPTIONS", SCHEMA).json
    assert told["renders"] == [YAML, "application/yaml", JSON, "application/json"]
    for client in (anonymous, api):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            answer = client.call(method, SCHEMA, 405)
            assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert anonymous.get("/api/schema", 301).headers["Location"] == f"{BASE}/api/schema/"


def test_wrong_credentials_are_wrong_here_too(anonymous):
    sent = {"Authorization": "Bearer nonsense"}
    assert anonymous.get(SCHEMA, 401, sent).json == {"detail": "Invalid token."}
    assert anonymous.call("POST", SCHEMA, 401, sent).json == {"detail": "Invalid token."}


def test_nothing_is_asked_of_the_database_and_it_is_made_once(anonymous, wsgi, connection):
    with record_statements(connection) as statements:
        anonymous.get(SCHEMA)
    assert statements == []
    descriptions = wsgi.registry["comicsdb_api.descriptions"]
    rights = frozenset([Permission.API_SCHEMA])
    assert descriptions.document(rights) is descriptions.document(rights)
    assert descriptions.tagged_document(rights, "", "yaml") is descriptions.tagged_document(
        rights, "", "yaml"
    )


# Accounts.


def test_who_is_nobody_sees_how_to_read_the_catalog(anonymous, api):
    document, whole = (client.json(f"{SCHEMA}?format=json") for client in (anonymous, api))
    assert {SCHEMA, "/api/", "/api/issue/", "/api/issue/{id}/", "/api/change/"} <= set(document["paths"])
    closed = {
        path for path in document["paths"] if path.startswith(NOT_FOR_ALL) or path.endswith("/history/")
    }
    assert closed == set()
    for path, item in document["paths"].items():
        (operation,) = (item[method] for method in item if method in WRITES | {"get"})
        assert {} in operation["security"], path
        assert {} in whole["paths"][path]["get"]["security"]


def edit(_request):
    """Change a thing."""
    return Response()


def merge(_request):
    return Response()


@pytest.fixture(scope="module")
def extended_app(shared_database, media_folder):
    """The API with `tests.api.plugin_app`, a service for editors and superusers, and one outside /api/."""
    given = SETTINGS | {"sqlalchemy.url": shared_database, "comicsdb.media.folder": str(media_folder)}
    with Configurator(
        settings=settings.parse_settings(given | {"pyramid.includes": "tests.api.plugin_app"})
    ) as config:
        thing = Service("api.thing", "/api/thing/{thing_id:[0-9]+}/", description="Things.")
        thing.add_view("PATCH", edit, permission=Permission.API_EDIT)
        thing.add_view("DELETE", merge, permission="thing:merge")
        config.add_cornice_service(thing)
        config.add_cornice_service(Service("shop.thing", "/shop/thing/"))
        app = config.make_wsgi_app()
    app.registry["comicsdb.engine"].dispose()
    return app


@pytest.fixture
def extended(extended_app, connection, make, passwords):
    """A function that returns the description that one of three accounts gets from that application."""
    extended_app.registry["comicsdb.session_factory"].configure(bind=connection, **SAVEPOINT_MODE)
    extended_app.registry["comicsdb.read_pool"] = ReadPool(lambda: connection)
    for name, more in {"ann": {}, "ed": {"groups": ["editor"]}, "root": {"is_superuser": True}}.items():
        make.user(name, password=PASSWORD, passwords=passwords, **more)

    def seen(name):
        client = Client(webtest.TestApp(extended_app), basic_auth(name, PASSWORD))
        return client.json(f"{SCHEMA}?format=json")

    return seen


def test_the_services_of_other_packages_are_in_it_by_themselves(extended):
    document = extended("ann")
    saga = document["paths"]["/api/saga/{id}/"]["get"]
    assert saga["operationId"] == "api_saga_retrieve"
    assert list(document["components"]["schemas"]["Saga"]["properties"]) == ["id", "name", "modified", "desc"]
    assert document["paths"]["/api/saga/"]["description"] == "Sagas."
    root = document["paths"]["/api/"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert root["required"][-1] == "saga"
    assert specification_errors(document) == []
    assert not any(path.startswith("/shop/") for path in document["paths"])


def test_it_shows_what_the_caller_may_do(extended):
    thing = "/api/thing/{thing_id}/"
    assert thing not in extended("ann")["paths"]
    seen = extended("ed")["paths"][thing]
    assert set(seen) == {"description", "parameters", "patch"}
    assert seen["parameters"][0]["name"] == "thing_id"
    change = seen["patch"]
    assert (change["operationId"], change["summary"]) == ("api_thing_partial_update", "Change a thing")
    assert set(change["responses"]) == {"401", "403", "404", "406", "429", "default"}
    assert [each["$ref"] for each in change["parameters"]] == ["#/components/parameters/X-CSRFToken"]
    assert {"X-RateLimit-Burst-Limit", "RateLimit", "Link"} <= change["responses"]["default"][
        "headers"
    ].keys()
    everything = extended("root")
    assert {"patch", "delete"} <= set(everything["paths"][thing])
    assert everything["paths"][thing]["delete"]["operationId"] == "api_thing_destroy"
    assert specification_errors(everything) == []


ARTICLE = 'aria-labelledby="api_thing_partial_update"'


def test_the_page_shows_what_writes_need(extended):
    pages = Pages(extended("ed"), "static", None)
    (html,) = (each for each in map(pages.html, pages.names) if ARTICLE in each)
    page = parse(html)
    article = page.select_one(f"article[{ARTICLE}]")
    fields = {each.dt.code.text: each.dt.get_text() for each in article.select(".fields > div")}
    assert fields["X-CSRFToken"].endswith("string, a header")
    assert fields["thing_id"].endswith(", in the path")
    assert "curl -X PATCH -H 'Authorization: Bearer TOKEN' " in article.pre.text
    assert "Conditions" not in article.get_text()


def test_operations_name_the_scope_that_a_token_needs(editor):
    scopes = {}
    for path, item in editor.json(f"{SCHEMA}?format=json")["paths"].items():
        for method in item.keys() & {"get", *WRITES}:
            (asked,) = [each for each in item[method].get("security", ()) if "knoxApiToken" in each] or [{}]
            is_reading = method == "get" or path in READ_ONLY_POSTS
            scopes.setdefault((path.split("/")[2] in OWN, is_reading), []).append(
                asked.get("knoxApiToken", ["read"])
            )
    assert {key: {scope for (scope,) in found} for key, found in scopes.items()} == {
        (False, True): {"read"},
        (False, False): {"edit"},
        (True, True): {"library"},
        (True, False): {"library"},
    }


def test_readings_are_for_every_account_and_writes_for_editors(api, editor, admin):
    seen = [client.json(f"{SCHEMA}?format=json") for client in (api, editor, admin)]
    assert seen[1] == seen[2]
    reads = {path: item["get"] for path, item in seen[0]["paths"].items() if "get" in item}
    assert reads == {path: item["get"] for path, item in seen[1]["paths"].items() if "get" in item}
    assert {path.split("/")[2] for path, each in reads.items() if "403" in each["responses"]} == OWN
    own = {path for path, item in seen[0]["paths"].items() if item.keys() & WRITES} - READ_ONLY_POSTS
    assert {path.split("/")[2] for path in own} == OWN
    written = (
        {path for path, item in seen[1]["paths"].items() if item.keys() & WRITES} - own - READ_ONLY_POSTS
    )
    assert written == {f"/api/{kind}/" for kind in (*KINDS, "credit", "variant")} | {
        f"/api/{kind}/{{id}}/" for kind in (*KINDS, "variant")
    }
