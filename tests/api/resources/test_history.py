"""The history of an object through the API: each version with what it changed, in raw values."""

from decimal import Decimal

import pytest
from sqlalchemy import insert, select

from comicsdb.catalog import Catalog
from comicsdb.models import CATALOG, History
from tests.api.resource.test_statements import world
from tests.conftest import record_statements


def test_every_kind_has_one(api, make):
    for kind, object_id in world(make, 1).items():
        body = api.json(f"/api/{kind}/{object_id}/history/")
        assert body["results"][-1]["type"] == "created"
        assert body["count"] == len(body["results"])
    assert len(CATALOG) == 9


def test_versions_come_newest_first_with_old_and_new_values(api, make, session, reader):
    arc = make.arc()
    issue = make.issue(number="1", price=Decimal("3.99"), arcs=[arc])
    first = session.scalars(select(History).where(History.kind == "issue")).one()
    values = {"number": "2", "price": Decimal("4.50"), "arcs": []}
    Catalog(session, reader.id, "Read it").update(issue, values)
    session.commit()
    body = api.json(f"/api/issue/{issue.id}/history/")
    assert (body["count"], body["next"], body["previous"]) == (2, None, None)
    newest, oldest = body["results"]
    assert list(newest) == ["id", "at", "type", "user", "reason", "changes"]
    assert newest["changes"] == {
        "arcs": {"old": [arc.id], "new": []},
        "number": {"old": "1", "new": "2"},
        "price": {"old": "3.99 USD", "new": "4.50 USD"},
    }
    assert (newest["type"], newest["reason"]) == ("updated", "Read it")
    assert newest["user"] == {"id": reader.id, "username": "reader"}
    assert oldest | {"at": ""} == {
        "id": first.id, "at": "", "type": "created", "user": None, "reason": None, "changes": {}
    }  # fmt: skip
    assert oldest["at"].endswith("Z")


def test_a_deleted_object_keeps_its_history(api, make, session, catalog):
    arc = make.arc()
    catalog.delete(arc, "A double")
    session.commit()
    api.get(f"/api/arc/{arc.id}/", 404)
    newest, oldest = api.json(f"/api/arc/{arc.id}/history/")["results"]
    assert (newest["type"], newest["reason"], newest["changes"]) == ("deleted", "A double", {})
    assert oldest["type"] == "created"


def test_what_never_was_has_none(api, make):
    arc = make.arc()
    assert api.json("/api/arc/999999/history/", 404) == {"detail": "No Arc matches the given query."}
    assert api.json(f"/api/team/{arc.id}/history/", 404) == {"detail": "No Team matches the given query."}
    for odd in ("0", "-1", "9" * 30, "x"):
        api.get(f"/api/arc/{odd}/history/", 404)


def test_a_hundred_stand_on_a_page(api, make, session):
    arc = make.arc()
    row = session.scalars(select(History).where(History.kind == "arc")).one()
    values = {"kind": "arc", "object_id": arc.id, "type": "~"}
    session.execute(
        insert(History), [values | {"snapshot": row.snapshot | {"desc": str(each)}} for each in range(120)]
    )
    session.commit()
    path = f"/api/arc/{arc.id}/history/"
    first = api.json(path)
    assert (first["count"], len(first["results"])) == (121, 100)
    last = api.json(first["next"].removeprefix("http://localhost"))
    assert len(last["results"]) == 21
    # The oldest of a page is compared with the newest of the next one.
    assert first["results"][-1]["changes"] == {"desc": {"old": "19", "new": "20"}}
    assert api.json(f"{path}?page=last") == last
    api.get(f"{path}?page=3", 404)


def test_an_unchanged_history_costs_nothing_to_ask_again(api, make, session, catalog):
    arc = make.arc()
    path = f"/api/arc/{arc.id}/history/"
    tag = {"If-None-Match": api.get(path).headers["ETag"]}
    api.call("GET", path, 304, tag)
    catalog.update(arc, {"name": "Another"})
    session.commit()
    api.call("GET", path, 200, tag)


@pytest.mark.parametrize("number", [1, 30])
def test_it_costs_the_same_however_long_it_is(api, make, session, catalog, connection, number):
    api.get("/api/")
    arc = make.arc()
    for each in range(number):
        catalog.update(arc, {"desc": f"Text {each}"})
        session.commit()
    with record_statements(connection) as statements:
        api.get(f"/api/arc/{arc.id}/history/")
    assert len(statements) == 2, statements  # the account, with whether the arc has a history; and the page


def test_nobody_reads_it_without_an_account(anonymous, make):
    anonymous.get(f"/api/arc/{make.arc().id}/history/", 401)
