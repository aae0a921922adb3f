"""Conditional writes: done only if the object is in the state that its writer knows."""

import threading
from datetime import timedelta
from email.utils import format_datetime, parsedate_to_datetime

import pytest
import webtest

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.models import Publisher
from tests.api.bodies import set_rating
from tests.api.conftest import PASSWORD, basic_auth
from tests.api.writing import PICTURE_FILES, WritingClient
from tests.conftest import API_ONLY, build_app
from tests.factories import Factories

OTHER = '"0123456789abcdef01234567"'
LATE = "Fri, 01 Jan 2100 00:00:00 GMT"


@pytest.fixture
def path(make):
    """The path of an arc."""
    return f"/api/arc/{make.arc(name='Salt Tide').id}/"


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_the_tag_of_the_body_that_get_gave(writer, path, method):
    tag = writer.get(path).headers["ETag"]
    assert writer.write(method, path, 412, form={"name": "A"}, headers={"If-Match": OTHER}).body == b""
    assert writer.get(path).headers["ETag"] == tag
    done = writer.write(method, path, 200, form={"name": "A"}, headers={"If-Match": f"{OTHER}, {tag}"})
    assert done.json["name"] == "A"
    lost = writer.write(method, path, 412, form={"name": "B"}, headers={"If-Match": tag})
    assert (lost.body, lost.headers["Allow"]) == (b"", "GET, PUT, PATCH, HEAD, OPTIONS")
    assert writer.json(path)["name"] == "A"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"If-Match": "*"}, 200),
        ({"If-Match": "nonsense"}, 412),
        ({"If-Match": ""}, 412),
        ({"If-None-Match": "*"}, 412),
        ({"If-None-Match": OTHER}, 200),
        ({"If-Modified-Since": LATE}, 200),
        ({"If-Unmodified-Since": "nonsense"}, 200),
        ({"If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}, 412),
        ({"If-Unmodified-Since": LATE}, 200),
        ({"If-Unmodified-Since": LATE, "If-Match": OTHER}, 412),
        ({"If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT", "If-Match": "*"}, 200),
    ],
)
def test_conditions(writer, path, headers, status):
    writer.write("PATCH", path, status, form={"name": "A"}, headers=headers)
    assert (writer.json(path)["name"] == "A") == (status == 200)


@pytest.mark.parametrize("form", ['W/"{}"', '"{}-gzip"', '"{}-br"', '"x", W/"{}"'])
def test_a_tag_that_a_compressing_proxy_changed_is_still_that_of_the_body(writer, path, form):
    changed = form.format(writer.get(path).headers["ETag"].strip('"'))
    writer.write("PATCH", path, 200, form={"name": "A"}, headers={"If-Match": changed})
    writer.write("PATCH", path, 412, form={"name": "B"}, headers={"If-Match": changed})
    assert writer.json(path)["name"] == "A"


def test_the_date_that_get_gave(writer, session, make):
    arc = make.arc()
    path = f"/api/arc/{arc.id}/"
    arc.modified -= timedelta(hours=1)
    session.commit()
    date = writer.get(path).headers["Last-Modified"]
    early = format_datetime(parsedate_to_datetime(date) - timedelta(seconds=1), usegmt=True)
    writer.write("PATCH", path, 412, form={"name": "A"}, headers={"If-Unmodified-Since": early})
    writer.write("PATCH", path, 200, form={"name": "A"}, headers={"If-Unmodified-Since": date})
    writer.write("PATCH", path, 412, form={"name": "B"}, headers={"If-Unmodified-Since": date})


def test_the_tag_is_that_of_the_address_that_was_asked(writer, path):
    here, there = {"Host": "one.example"}, {"Host": "two.example"}
    tag = writer.get(path, headers=here).headers["ETag"]
    writer.write("PATCH", path, 412, form={"name": "A"}, headers=there | {"If-Match": tag})
    writer.write("PATCH", path, 200, form={"name": "A"}, headers=here | {"If-Match": tag})


def test_all_that_the_body_shows_counts(writer, session, make):
    issue = make.issue()
    path = f"/api/issue/{issue.id}/"
    tag = writer.get(path).headers["ETag"]
    set_rating(session, issue, count=1, total=5)
    writer.write("PATCH", path, 412, json={"sku": "A"}, headers={"If-Match": tag})
    tag = writer.get(path, headers={"Cache-Control": "no-cache"}).headers["ETag"]
    make.credit(issue, make.creator(), "Writer")
    writer.write("PATCH", path, 412, json={"sku": "A"}, headers={"If-Match": tag})
    writer.write(
        "PATCH", path, 200, json={"sku": "A"}, headers={"If-Match": writer.get(path).headers["ETag"]}
    )


def test_what_is_not_there_comes_first_and_what_is_wrong_last(writer, path):
    writer.write("PATCH", "/api/arc/999999/", 404, form={}, headers={"If-Match": OTHER})
    writer.write("PATCH", path, 412, form={"name": ""}, headers={"If-Match": OTHER})
    writer.write("PATCH", path, 400, form={"name": ""}, headers={"If-Match": "*"})


def test_a_variant_has_no_tag_to_know(writer, make):
    made = writer.post("/api/variant/", form={"issue": make.issue().id}, files=PICTURE_FILES)
    path = f"/api/variant/{made['id']}/"
    writer.write("PATCH", path, 412, json={"sku": "A"}, headers={"If-Match": OTHER})
    writer.write("PATCH", path, 412, json={"sku": "A"}, headers={"If-Match": '""'})
    assert writer.patch(path, json={"sku": "B"}, headers={"If-Match": "*"})["sku"] == "B"


@pytest.fixture
def apart(database, media_folder):
    """A client of an application whose requests have separate connections, and factories on another one."""
    app = build_app(database, media_folder, **API_ONLY)
    engine = app.registry["comicsdb.engine"]
    with session_factory(engine)() as session:
        make = Factories(Catalog(session))
        passwords = Passwords(app.registry.settings["comicsdb.password_cost"])
        make.user("ed", password=PASSWORD, passwords=passwords, groups=["editor"])
        yield WritingClient(webtest.TestApp(app), basic_auth("ed", PASSWORD)), make
    app.registry["comicsdb.read_pool"].close()
    engine.dispose()


def test_of_many_who_have_the_same_body_one_writes(apart):
    writer, make = apart
    publisher = make.publisher(name="Nimbus")
    path, statuses = f"/api/publisher/{publisher.id}/", []
    tag = writer.get(path).headers["ETag"]
    barrier = threading.Barrier(4)

    def change(name):
        barrier.wait()
        sent = writer.headers | {"If-Match": tag}
        answer = webtest.TestApp(writer.testapp.app).patch(
            path, {"name": name}, headers=sent, expect_errors=True
        )
        statuses.append((answer.status_int, name))

    threads = [threading.Thread(target=change, args=(name,)) for name in "ABCD"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(status for status, _ in statuses) == [200, 412, 412, 412]
    make.session.rollback()
    (won,) = [name for status, name in statuses if status == 200]
    assert make.session.get(Publisher, publisher.id, populate_existing=True).name == won
