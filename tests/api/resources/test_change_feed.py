"""The change feed: changes in commit order; a program that polls it sees each of them once."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, text

from comicsdb.catalog import Catalog
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.models import Arc, Change
from comicsdb.ops import backup
from tests.api.writing import FORM
from tests.conftest import record_statements

FEED = "/api/change/"


def test_lines_come_oldest_first_with_what_changed(api, make, session, reader):
    arc = make.arc(name="Dusk")
    Catalog(session, reader.id).update(arc, {"name": "Dawn", "desc": "x"})
    Catalog(session, reader.id).delete(make.team())
    session.commit()
    body = api.json(FEED)
    assert list(body) == ["next", "results", "epoch"]
    assert list(body["results"][0]) == [
        *("seq", "at", "kind", "object_id", "action", "fields", "survivor_id", "user")
    ]
    told = [(each["kind"], each["action"], each["fields"]) for each in body["results"]]
    # The update of the arc was committed together with the new team.
    assert told == [
        ("arc", "create", []),
        ("team", "create", []),
        ("arc", "update", ["desc", "name"]),
        ("team", "delete", []),
    ]
    assert body["results"][0]["user"] is None
    assert body["results"][-1]["user"] == {"id": reader.id, "username": "reader"}
    assert body["results"][0]["object_id"] == arc.id
    assert body["next"] is None


def test_a_program_goes_on_where_it_was(api, make):
    for _ in range(3):
        make.arc()
    first = api.json(FEED)["results"]
    assert api.json(f"{FEED}?after={first[0]['seq']}")["results"] == first[1:]
    rest = api.json(f"{FEED}?after={first[-1]['seq']}")
    assert (rest["next"], rest["results"]) == (None, [])
    assert api.json(f"{FEED}?after=0")["results"] == api.json(f"{FEED}?after=")["results"] == first
    assert api.json(f"{FEED}?after={'9' * 40}")["results"] == []


def test_a_merge_names_the_survivor_of_its_time(api, make, session):
    first, second, third = make.arc(), make.arc(), make.arc()
    for kept, other in ((second, first), (third, second)):
        merge(make.catalog, kept, other)
        session.commit()
    told = [(each["object_id"], each["survivor_id"]) for each in api.json(f"{FEED}?action=merge")["results"]]
    assert told == [(first.id, second.id), (second.id, third.id)]
    others = [each["survivor_id"] for each in api.json(FEED)["results"] if each["action"] != "merge"]
    assert others
    assert not any(others)


def test_it_may_begin_at_an_instant(api, session):
    session.execute(
        text(
            "INSERT INTO change_log (kind, object_id, action, at) SELECT 'arc', n, 'update',"
            " timestamptz '2026-01-01 12:00:00Z' + n * interval '1 minute' FROM generate_series(1, 150) n"
        )
    )
    session.commit()

    def found(query):
        return [each["object_id"] for each in api.json(f"{FEED}?{query}")["results"]]

    assert (
        found("since=2026-01-01T14:28:00Z") == found("since=2026-01-01T15:28:00%2B01:00") == [148, 149, 150]
    )
    assert found("since=2026-01-01T14:28:00.000001Z") == [149, 150]
    assert found("since=2026-01-02") == []
    assert found("since=2025-12-31&kind=arc")[:2] == [1, 2]
    first = api.json(f"{FEED}?since=2026-01-01T12:05:00Z")
    assert [each["object_id"] for each in first["results"]] == list(range(5, 105))
    assert "since" not in first["next"]
    rest = api.json(first["next"].removeprefix("http://localhost"))
    assert [each["object_id"] for each in rest["results"]] == list(range(105, 151))
    after = first["results"][2]["seq"]
    assert found(f"since=2026-01-01T12:05:00Z&after={after}")[:1] == [8]


def test_an_instant_is_not_misled_by_a_clock_that_was_set_back(api, session):
    session.execute(
        text(
            "INSERT INTO change_log (kind, object_id, action, at) SELECT 'arc', n, 'update',"
            " timestamptz '2026-01-01 12:00:00Z' + (ARRAY[1, 2, 3, 2, 4])[n] * interval '1 minute'"
            " FROM generate_series(1, 5) n"
        )
    )
    session.commit()
    lines = api.json(f"{FEED}?since=2026-01-01T12:02:00Z")["results"]
    assert [each["object_id"] for each in lines] == [2, 3, 4, 5]


def test_who_knows_an_older_epoch_is_told_to_begin_anew(api, make, session):
    make.arc()
    body = api.json(FEED)
    known, last = body["epoch"], body["results"][-1]["seq"]
    assert api.json(f"{FEED}?epoch={known}") == body
    assert api.json(f"{FEED}?epoch={known}&after={last}")["epoch"] == known
    session.execute(text(backup.RENEW_EPOCH))
    session.commit()
    gone = api.json(f"{FEED}?epoch={known}&after={last}", 410)
    assert gone["epoch"] not in {known, ""}
    assert gone["after"] == last
    assert "Read the lists again" in gone["detail"]
    make.arc()
    again = api.json(f"{FEED}?epoch={gone['epoch']}&after={gone['after']}")
    assert [each["action"] for each in again["results"]] == ["create"]
    assert api.json(f"{FEED}?after={last}")["results"] == again["results"]  # no epoch, so nothing to compare


def test_links_carry_the_epoch(api, session):
    session.execute(
        text(
            "INSERT INTO change_log (kind, object_id, action) SELECT 'arc', n, 'update'"
            " FROM generate_series(1, 101) n"
        )
    )
    session.commit()
    body = api.json(FEED)
    assert f"epoch={body['epoch']}" in body["next"]


def test_a_hundred_come_at_once_and_the_next_are_linked(api, session):
    session.execute(
        text(
            "INSERT INTO change_log (kind, object_id, action) SELECT CASE n % 2 WHEN 0 THEN 'arc' ELSE 'team'"
            " END, n, 'update' FROM generate_series(1, 230) n"
        )
    )
    session.commit()
    seen, path = [], f"{FEED}?kind=arc&action=update"
    sizes = []
    while path:
        body = api.json(path)
        sizes.append(len(body["results"]))
        seen += [each["object_id"] for each in body["results"]]
        path = body["next"] and body["next"].removeprefix("http://localhost")
    assert sizes == [100, 15]
    assert seen == list(range(2, 231, 2))


@pytest.fixture
def stream(wsgi, api, monkeypatch):
    """A function that returns the events of a short stream with objects: ids, and objects of the entries."""
    monkeypatch.setitem(wsgi.registry.settings, "comicsdb_api.stream_seconds", 0.3)

    def read(query="", last_id=""):
        headers = {"Accept": "text/event-stream", "Last-Event-ID": last_id}
        events = api.get(f"{FEED}?include=object{query}", headers=headers).text
        ids = re.findall(r"^id: (.*)$", events, re.MULTILINE)
        return ids, [int(each) for each in re.findall(r'"seq":.*"object_id":(\d+)', events)]

    return read


def test_a_stream_goes_on_after_a_position(stream, make):
    arcs = [make.arc() for _ in range(3)]
    ids, found = stream()
    assert found == [each.id for each in arcs]
    later = make.arc()
    assert stream(last_id=ids[-1])[1] == [later.id]


def test_a_stream_that_began_at_an_instant_goes_on_without_older_entries(stream, make, session):
    make.arc()
    query = "&since=2999-01-01T00:00:00Z"
    ids, found = stream(query)
    assert found == []
    session.execute(
        text(
            "INSERT INTO change_log (kind, object_id, action, at)"
            " VALUES ('arc', 77, 'update', '2999-01-02 00:00:00Z')"
        )
    )
    session.commit()
    assert stream(query, ids[-1])[1] == [77]


def test_filters(api, make, session, reader):
    arc, team = make.arc(), make.team()
    Catalog(session, reader.id).update(arc, {"name": "Other"})
    session.commit()

    def found(query):
        return [(each["kind"], each["action"]) for each in api.json(f"{FEED}?{query}")["results"]]

    assert found("kind=team") == [("team", "create")]
    assert found("action=update") == found("user=READER") == [("arc", "update")]
    assert found("user=nobody") == found("user=reader&kind=team") == []
    assert len(found("page=7&unknown=1")) == 3
    assert team.id


@pytest.mark.parametrize(
    ("query", "field", "message"),
    [
        ("after=x", "after", "Enter a whole number, zero or more."),
        ("after=-1", "after", "Enter a whole number, zero or more."),
        ("after=%D9%A3", "after", "Enter a whole number, zero or more."),
        ("kind=comic", "kind", "Select a valid choice. comic is not one of the available choices."),
        ("action=x", "action", "Select a valid choice. x is not one of the available choices."),
        ("user=%00", "user", "Null characters are not allowed."),
        ("since=yesterday", "since", "Enter a valid date/time."),
        ("since=2026-02-30", "since", "Enter a valid date/time."),
        ("epoch=1", "epoch", "Enter the epoch as received from the feed."),
    ],
)
def test_what_cannot_be_read_is_named(api, query, field, message):
    assert api.json(f"{FEED}?{query}", 400) == {field: [message]}


def test_it_has_a_tag_and_costs_two_statements(api, make, connection):
    api.get("/api/")
    make.arc()
    with record_statements(connection) as statements:
        tag = api.get(FEED).headers["ETag"]
    assert len(statements) == 2, statements
    api.call("GET", FEED, 304, {"If-None-Match": tag})
    make.arc()
    api.call("GET", FEED, 200, {"If-None-Match": tag})


def test_without_an_account_it_names_nobody(anonymous, api, writer):
    writer.raw("POST", "/api/arc/", 201, b"name=A", FORM)
    named, unnamed = api.json(FEED), anonymous.json(FEED)
    assert named["results"][-1]["user"]["username"] == "editor"
    assert all(line["user"] is None for line in unnamed["results"])
    assert [line | {"user": None} for line in named["results"]] == unnamed["results"]
    anonymous.get(f"{FEED}?user=editor", 401)


def test_who_polls_while_others_write_misses_nothing(factory):
    """Real connections: numbers are taken in the order of commits, so a reader never overtakes a writer."""
    writers, each_writes = 5, 12
    done, seen = threading.Event(), []

    def write(number):
        for turn in range(each_writes):
            with factory() as session:
                Catalog(session).create(Arc, {"name": f"Arc {number} {turn}"})
                if turn % 4 == 3:
                    session.rollback()  # its number, if it took one, is never seen
                else:
                    session.commit()

    def poll():
        last = 0
        while True:
            finished = done.is_set()
            with factory() as session:
                found = session.scalars(
                    select(Change.seq).where(Change.seq > last).order_by(Change.seq)
                ).all()
            seen.extend(found)
            last = found[-1] if found else last
            if finished and not found:
                return

    with ThreadPoolExecutor(writers + 1) as pool:
        polling = pool.submit(poll)
        writing = [pool.submit(write, number) for number in range(writers)]
        for each in writing:
            each.result()
        done.set()
        polling.result()
    with factory() as session:
        there = session.scalars(select(Change.seq).order_by(Change.seq)).all()
    assert len(there) == writers * each_writes * 3 // 4
    assert seen == there
