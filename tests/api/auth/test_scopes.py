"""Tokens with a limited scope, and expired ones: what they may do, with and without a cache hit."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import update

from comicsdb.accounts.passwords import digest
from comicsdb.models import ApiToken, Arc
from tests.api.conftest import PASSWORD, READ_ONLY_POSTS, Client
from tests.conftest import record_statements
from tests.lists import make_list

ASKED = {(path, "post") for path in READ_ONLY_POSTS}
SCOPES = ("read", "library", "edit")
OWN = ("/api/collection/", "/api/collection/stats/", "/api/pull_list/", "/api/wish_list/items/")


@pytest.fixture
def programs(testapp, session):
    """`programs(user)`: a client for each scope, with a token of the account."""

    def clients(user, **more):
        found = {}
        for scope in SCOPES:
            text = f"{scope} of {user.username}".replace(" ", "-")
            session.add(
                ApiToken(digest=digest(text), token_key=text[:8], user_id=user.id, scope=scope, **more)
            )
            found[scope] = Client(testapp, {"Authorization": f"Bearer {text}"})
        session.commit()
        return found

    return clients


@pytest.fixture
def author(make, passwords):
    """An account that may write the catalog."""
    return make.user("author", password=PASSWORD, passwords=passwords, groups=["editor"])


def refusal(answer, has, needs):
    """Assert that a response names the missing scope, in its body and in the challenge."""
    told = f"This token has the scope {has}; the request needs one with the scope {needs}."
    assert answer.json == {"detail": told}
    assert answer.headers.getall("WWW-Authenticate") == [
        f'Bearer realm="api", error="insufficient_scope", error_description="{told}", scope="{needs}"'
    ]


def test_every_token_reads_the_catalog_made_and_cached(programs, author, make):
    path = f"/api/arc/{make.arc().id}/"
    for client in programs(author).values():
        client.get("/api/arc/")
        client.get(path)
        assert client.get(path).headers["X-Cache"] == "HIT"


def test_a_write_of_the_catalog_needs_edit_also_after_cached_reads(programs, author, make, session):
    arc = make.arc(name="Before")
    path = f"/api/arc/{arc.id}/"
    clients = programs(author)
    for scope in ("read", "library"):
        for _ in range(2):
            clients[scope].get(path)  # the account is remembered now
        for method, address in (("POST", "/api/arc/"), ("PATCH", path), ("PUT", path), ("DELETE", path)):
            answer = clients[scope].call(method, address, 403)
            if method != "DELETE":
                refusal(answer, scope, "edit")
    assert session.scalar(update(Arc).values(desc="").returning(Arc.name)) == "Before"
    changed = clients["edit"].testapp.patch(path, {"name": "After"}, headers=clients["edit"].headers)
    assert changed.json["name"] == "After"


def test_what_the_account_may_not_do_no_scope_is_asked_for(programs, reader):
    for client in programs(reader).values():
        answer = client.call("POST", "/api/arc/", 403)
        assert answer.json == {"detail": "You do not have permission to perform this action."}
        assert "WWW-Authenticate" not in answer.headers


@pytest.mark.parametrize("path", OWN)
def test_what_the_owner_keeps_needs_library(programs, reader, path):
    clients = programs(reader)
    refusal(clients["read"].get(path, 403), "read", "library")
    for scope in ("library", "edit"):
        clients[scope].get(path)


def test_so_does_writing_it(programs, reader, make):
    clients, issue = programs(reader), make.issue()
    for client, status in ((clients["read"], 403), (clients["library"], 201), (clients["edit"], 200)):
        answer = client.testapp.post_json(
            "/api/collection/add/", {"issue_id": issue.id}, headers=client.headers, status=status
        )
        if status == 403:
            refusal(answer, "read", "library")


def test_private_reading_lists_are_not_there_for_a_token_that_only_reads(programs, reader, session):
    public, private = make_list(session, reader), make_list(session, reader, is_private=True)
    clients = programs(reader)
    for scope, seen in (("read", {public.id}), ("library", {public.id, private.id})):
        body = clients[scope].json("/api/reading_list/")
        assert ({each["id"] for each in body["results"]}, body["count"]) == (seen, len(seen))
    clients["read"].get(f"/api/reading_list/{private.id}/", 404)
    clients["read"].get(f"/api/reading_list/{private.id}/items/", 404)
    clients["library"].get(f"/api/reading_list/{private.id}/items/")


def test_the_description_shows_a_token_what_it_may_do(programs, author):
    clients = programs(author)
    methods = {
        scope: {
            (path, method)
            for path, item in clients[scope].json("/api/schema/?format=json")["paths"].items()
            for method in item.keys() & {"get", "post", "put", "patch", "delete"}
        }
        for scope in SCOPES
    }
    assert methods["read"] < methods["library"] < methods["edit"]
    assert not [path for path, method in methods["read"] - ASKED if "collection" in path or method != "get"]
    assert ("/api/collection/add/", "post") in methods["library"]
    assert ("/api/arc/", "post") not in methods["library"]


# Expiry, and invalid tokens.


@pytest.mark.parametrize("address", ["/api/", "/api/arc/{}/", "/api/arc/", "/api/collection/"])
def test_a_token_expires_where_its_account_is_remembered_too(programs, reader, make, address):
    moment = datetime(2027, 3, 1, 12, tzinfo=UTC)
    path = address.format(make.arc().id)
    client = programs(reader, expiry=moment + timedelta(hours=1))["edit"]
    with time_machine.travel(moment, tick=False) as clock:
        for _ in range(3):
            client.get(path)
        clock.shift(3600)
        for _ in range(2):
            answer = client.get(path, 401)
            told = "The token expired on 2027-03-01 13:00 UTC."
            assert answer.json == {"detail": told}
            assert answer.headers.getall("WWW-Authenticate") == [
                f'Bearer realm="api", error="invalid_token", error_description="{told}"',
                'Basic realm="api"',
            ]


def test_a_token_that_expires_costs_what_others_cost(programs, reader, make, connection):
    path = f"/api/arc/{make.arc().id}/"
    client = programs(reader, expiry=datetime.now(UTC) + timedelta(hours=1))["read"]
    for _ in range(2):
        client.get(path)
    with record_statements(connection) as statements:
        client.get(path)
    (statement,) = statements
    assert "epoch" in statement
    assert "api_token" not in statement


def test_a_mistyped_token_costs_no_statement(testapp, connection):
    for text in ("cdb_" + "a" * 42, "cdb_", "cdb_" + "0f" * 30):
        for path in ("/api/arc/", "/api/arc/1/", "/api/"):
            with record_statements(connection) as statements:
                answer = Client(testapp, {"Authorization": f"Bearer {text}"}).get(path, 401)
            assert statements == []
            assert 'error="invalid_token"' in answer.headers.getall("WWW-Authenticate")[0]
