"""The clock of the database is set back by a day, and that of the server goes wrong by a day or years.

After the latter, nobody may be locked out, and nothing may be lost or done twice.
"""

from datetime import timedelta

import pytest
import time_machine
from sqlalchemy import text

from comicsdb import clock
from comicsdb.accounts import BadLinkError
from comicsdb.accounts.links import make_link, open_link
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.sessions import sessions_of
from comicsdb.models import ApiToken
from comicsdb.models.account import RESET
from tests.api.conftest import Client
from tests.web.conftest import log_in


@pytest.fixture
def publisher(make, session):
    """A publisher that was modified a day ahead of the clock, with an epoch as far ahead."""
    made = make.publisher(name="Tomorrow")
    session.execute(
        text("UPDATE publisher SET modified = clock_timestamp() + interval '1 day' WHERE id = :id"),
        {"id": made.id},
    )
    session.execute(text("UPDATE epoch SET value = value + 86400 * 1000000::bigint"))
    session.commit()
    session.refresh(made)
    return made


def epoch(session) -> int:
    """The current epoch."""
    return session.scalar(text("SELECT sum(value) FROM epoch"))


def test_stamps_and_epochs_go_on_from_where_they_were(publisher, catalog, session):
    moments, before = [publisher.modified], epoch(session)
    for number in range(3):
        catalog.update(publisher, {"name": f"Tomorrow {number}"})
        session.commit()
        session.refresh(publisher)
        moments.append(publisher.modified)
    assert moments == sorted(set(moments))
    assert epoch(session) > before


def test_nobody_is_told_that_nothing_changed(publisher, writer):
    path = f"/api/publisher/{publisher.id}/"
    first = writer.get(path)
    for number, name in enumerate(("If-None-Match", "If-Modified-Since")):
        known = first.headers["ETag" if name == "If-None-Match" else "Last-Modified"]
        writer.patch(path, form={"name": f"Today {number}"})
        answer = writer.call("GET", path, headers={name: known})
        assert answer.json["name"] == f"Today {number}"


JUMPS = [timedelta(days=days) for days in (1, -1, 3650, -3650)]


@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_what_was_written_while_the_server_clock_was_wrong_stays_as_it_is(writer, jump):
    path = f"/api/publisher/{writer.post('/api/publisher/', form={'name': 'Before'})['id']}/"
    stamps = [writer.get(path)]
    with time_machine.travel(clock.now() + jump):
        body = {"form": {"name": "Once"}, "headers": {"Idempotency-Key": "k"}}
        made = writer.post("/api/publisher/", **body)
        writer.patch(path, form={"name": "Meanwhile"})
        stamps.append(writer.get(path))
        assert stamps[-1].json["name"] == "Meanwhile"
    assert writer.post("/api/publisher/", **body) == made
    writer.patch(path, form={"name": "After"})
    stamps.append(writer.get(path))
    for known in stamps[:2]:
        for name, value in (("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")):
            answer = writer.call("GET", path, headers={name: known.headers[value]})
            assert answer.json["name"] == "After"
    assert writer.get(path, 304, {"If-None-Match": stamps[-1].headers["ETag"]}).body == b""
    modified = [each.json["modified"] for each in stamps]
    assert modified == sorted(set(modified))


@pytest.mark.parametrize("ahead", [timedelta(hours=1), timedelta(days=3650)], ids=str)
def test_what_was_issued_by_a_clock_ahead_ends_when_it_is_right(testapp, session, member, ahead):
    with time_machine.travel(clock.now() + ahead):
        log_in(testapp)
        testapp.get("/accounts/", status=200)
        link = make_link(session, member, RESET, member.email)
        session.commit()
        open_link(session, RESET, link.secret)
    testapp.get("/accounts/", status=303)
    with pytest.raises(BadLinkError):
        open_link(session, RESET, link.secret)
    assert sessions_of(session, member.id) == []
    log_in(testapp)
    testapp.get("/accounts/", status=200)
    with time_machine.travel(clock.now() - timedelta(minutes=4)):  # of another machine of the site
        testapp.get("/accounts/", status=200)


@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_who_was_let_in_before_a_wrong_clock_is_let_in_after_it(testapp, session, reader, jump):
    token = "cdb_" + "0f" * 32
    expiry = clock.now() + timedelta(hours=12)
    session.add(ApiToken(digest=digest(token), token_key=token[:8], user_id=reader.id, expiry=expiry))
    session.commit()
    client = Client(testapp, {"Authorization": f"Bearer {token}"})
    client.get("/api/publisher/")
    with time_machine.travel(clock.now() + jump):
        client.get("/api/publisher/", 401 if jump > timedelta() else 200)
    client.get("/api/publisher/")
