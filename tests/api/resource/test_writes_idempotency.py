"""Idempotency-Key: a repeated request is executed once and gets the first response again."""

import threading

import pytest
import webtest
from sqlalchemy import text

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.http import idempotency
from comicsdb.models import Arc, Credit, IdempotencyKey, Variant
from tests.api.conftest import PASSWORD, basic_auth
from tests.api.writing import PICTURE_FILES, WritingClient
from tests.conftest import API_ONLY, build_app
from tests.factories import Factories
from tests.waiting import wait_until

USED = {"detail": "This Idempotency-Key was used for another request. Use a new one for each request."}


def keyed(key):
    """The header with a key."""
    return {"Idempotency-Key": key}


def test_what_is_repeated_is_done_once(writer, session):
    first = writer.write("POST", "/api/arc/", 201, form={"name": "A"}, headers=keyed("k"))
    assert "Idempotent-Replayed" not in first.headers
    writer.patch(f"/api/arc/{first.json['id']}/", form={"name": "B"})
    again = writer.write("POST", "/api/arc/", 201, form={"name": "A"}, headers=keyed("k"))
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.body == first.body
    assert again.headers["Allow"] == "GET, POST, HEAD, OPTIONS"
    assert writer.post("/api/arc", form={"name": "A"}, headers=keyed("k"))["id"] == first.json["id"]
    assert session.query(Arc).count() == 1
    assert writer.post("/api/arc/", form={"name": "A"})["id"] != first.json["id"]


def test_a_form_in_parts_is_the_same_whatever_stands_between_them(writer, make, media_folder):
    body = {"form": {"issue": make.issue().id}, "files": PICTURE_FILES, "headers": keyed("k")}
    made = writer.post("/api/variant/", **body)
    files = len(list(media_folder.rglob("*.png")))
    assert writer.post("/api/variant/", **body) == made
    assert len(list(media_folder.rglob("*.png"))) == files
    assert make.session.query(Variant).count() == 1
    other = body | {"files": [("image", "x.png", PICTURE_FILES[0][2] + b"\0")]}
    assert writer.post("/api/variant/", 422, **other) == USED


def test_credits_too(writer, make):
    sent = [{"issue": make.issue().id, "creator": make.creator().id, "role": [1]}]
    made = writer.post("/api/credit/", json=sent, headers=keyed("k"))
    assert writer.post("/api/credit/", json=sent, headers=keyed("k")) == made
    assert make.session.query(Credit).count() == 1


def test_a_key_is_for_one_request_of_one_account(writer, make, passwords, session):
    writer.post("/api/arc/", form={"name": "A"}, headers=keyed("k"))
    assert writer.post("/api/arc/", 422, form={"name": "B"}, headers=keyed("k")) == USED
    assert writer.post("/api/team/", 422, form={"name": "A"}, headers=keyed("k")) == USED
    assert writer.post("/api/arc/?x=1", 422, form={"name": "A"}, headers=keyed("k")) == USED
    make.user("other", password=PASSWORD, passwords=passwords, groups=["editor"])
    WritingClient(writer.testapp, basic_auth("other", PASSWORD)).post(
        "/api/arc/", form={"name": "B"}, headers=keyed("k")
    )
    assert session.query(Arc).count() == 2


def test_what_was_refused_may_be_mended_under_the_same_key(writer, session):
    assert writer.post("/api/arc/", 400, form={"name": ""}, headers=keyed("k"))
    assert session.query(IdempotencyKey).count() == 0
    assert writer.post("/api/arc/", form={"name": "A"}, headers=keyed("k"))["name"] == "A"


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 256])
def test_keys_are_visible(writer, session, key):
    assert writer.post("/api/arc/", 400, form={"name": "A"}, headers=keyed(key)) == {
        "detail": "Idempotency-Key must have 1 to 255 visible characters."
    }
    assert session.query(Arc).count() == 0


def test_any_visible_key_will_do_and_changes_have_none(writer, session):
    for key in ("x" * 255, '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "!~"):
        arc = writer.post("/api/arc/", form={"name": "A"}, headers=keyed(key))
    for name in ("B", "C"):
        answer = writer.patch(f"/api/arc/{arc['id']}/", form={"name": name}, headers=keyed("!~"))
        assert answer["name"] == name
    assert session.query(IdempotencyKey).count() == 3


def test_a_key_is_forgotten_after_a_day(writer, session):
    first = writer.post("/api/arc/", form={"name": "A"}, headers=keyed("k"))
    writer.post("/api/team/", form={"name": "A"}, headers=keyed("other"))
    older = "UPDATE idempotency_key SET created = created - CAST(:age AS interval)"
    session.execute(text(older), {"age": "23:59"})
    assert writer.post("/api/arc/", form={"name": "A"}, headers=keyed("k")) == first
    session.execute(text(older), {"age": "00:02"})
    assert writer.post("/api/arc/", form={"name": "A"}, headers=keyed("k"))["id"] != first["id"]
    assert [row.key for row in session.query(IdempotencyKey)] == ["k"]


@pytest.fixture
def apart(database, media_folder):
    """A client whose requests have separate connections, a session factory, and the id of its account."""
    app = build_app(database, media_folder, **API_ONLY)
    engine = app.registry["comicsdb.engine"]
    factory = session_factory(engine)
    with factory() as session:
        make = Factories(Catalog(session))
        passwords = Passwords(app.registry.settings["comicsdb.password_cost"])
        user = make.user("ed", password=PASSWORD, passwords=passwords, groups=["editor"])
    yield WritingClient(webtest.TestApp(app), basic_auth("ed", PASSWORD)), factory, user.id
    app.registry["comicsdb.read_pool"].close()
    engine.dispose()


def waiting(factory):
    """How many transactions wait for another; asked in a new transaction, as each sees only one state."""
    with factory() as session:
        here = "datname = current_database() AND wait_event = 'transactionid'"
        return session.scalar(text(f"SELECT count(*) FROM pg_stat_activity WHERE {here}"))


@pytest.mark.parametrize("ends", ["commit", "rollback"])
def test_the_second_of_two_waits_for_the_end_of_the_first(apart, ends):
    writer, factory, user_id = apart
    writer.post("/api/arc/", form={"name": "A"}, headers=keyed("k"))
    with factory() as session:
        kept = session.query(IdempotencyKey).one()
        request, body = kept.request, kept.body
        session.execute(text("DELETE FROM idempotency_key"))
        session.commit()
        session.expunge_all()
        # The state while the first of two is executed; the row has only a digest of the request.
        session.add(IdempotencyKey(user_id=user_id, key="k", request=request, status=0, body=b""))
        session.flush()
        found = []

        def repeat():
            found.append(writer.write("POST", "/api/arc/", 201, form={"name": "A"}, headers=keyed("k")))

        second = threading.Thread(target=repeat)
        second.start()
        wait_until(lambda: waiting(factory) == 1)
        assert found == []
        idempotency.store_answer(session, user_id, "k", 201, body)
        getattr(session, ends)()
        second.join()
        (answer,) = found
        assert (answer.body == body) == (ends == "commit")
        assert ("Idempotent-Replayed" in answer.headers) == (ends == "commit")
        assert session.query(Arc).count() == (1 if ends == "commit" else 2)
