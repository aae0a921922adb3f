"""Reading lists through the API: their bodies, and who may see them."""

from datetime import UTC, datetime
from email.utils import formatdate
from time import time

import pytest
from lxml import etree
from sqlalchemy import select, text, update

from comicsdb.library import reading_lists as lists
from comicsdb.library.reading_lists import items, ratings
from comicsdb.models import ReadingList, ReadingListItem
from tests.api.bodies import BASE, api_timestamp
from tests.api.conftest import PASSWORD, Client, basic_auth
from tests.conftest import record_statements
from tests.lists import OFFICIAL, identity_of, locked_list, make_list

LIST = "/api/reading_list/"
NOT_THERE = {"detail": "No ReadingList matches the given query."}


@pytest.fixture
def client(testapp, make, passwords):
    """A function that makes an account; returns it and a client of it."""

    def client(name, **values):
        user = make.user(name, password=PASSWORD, passwords=passwords, **values)
        return user, Client(testapp, basic_auth(name, PASSWORD))

    return client


@pytest.fixture
def harbor(session, make, reader):
    """A list of a staff account with texts, a picture, a source, a list before it, and three ratings."""
    with make.single_commit():
        staff = make.user("stafflady", is_staff=True)
        values = {"attribution_source": "CBRO", "attribution_url": "https://orders.example/h"}
        first = make_list(session, staff, name="Before")
        made = make_list(
            session,
            staff,
            name="Harbor order",
            desc="Two lines\nof text",
            list_type="CHARACTERS",
            image="reading_list/2026/01/02/h.jpg",
            image_width=4,
            image_height=3,
            previous=first.id,
            **values,
        )
        for user, stars in ((reader, 4), (make.user(), 5), (make.user(), 5)):
            ratings.rate(session, identity_of(user), OFFICIAL, made, stars)
        session.commit()
        return made


def test_a_list_in_the_list(api, session, harbor):
    body = api.json(f"{LIST}?name=HARBOR")
    assert body == {
        "count": 1,
        "next": None,
        "previous": None,
        "results": [
            {
                "id": harbor.id,
                "name": "Harbor order",
                "slug": "harbor-order",
                "user": {"id": harbor.user_id, "username": "stafflady"},
                "list_type": "Characters",
                "is_private": False,
                "attribution_source": "CBRO",
                "average_rating": 14 / 3,
                "rating_count": 3,
                "modified": api_timestamp(harbor.modified),
            }
        ],
    }
    assert list(body["results"][0]) == [
        *("id", "name", "slug", "user", "list_type", "is_private", "attribution_source"),
        *("average_rating", "rating_count", "modified"),
    ]


def test_a_list_by_itself(api, session, harbor):
    body = api.json(f"{LIST}{harbor.id}/")
    assert list(body) == [
        *("id", "user", "name", "slug", "desc", "image", "list_type", "is_private", "attribution_source"),
        *("attribution_url", "previous", "next", "average_rating", "rating_count", "items_url"),
        *("resource_url", "modified"),
    ]
    assert body == {
        "id": harbor.id,
        "user": {"id": harbor.user_id, "username": "stafflady"},
        "name": "Harbor order",
        "slug": "harbor-order",
        "desc": "Two lines\nof text",
        "image": f"{BASE}/media/reading_list/2026/01/02/h.jpg",
        "list_type": "Characters",
        "is_private": False,
        "attribution_source": "Comic Book Reading Orders",
        "attribution_url": "https://orders.example/h",
        "previous": {"id": harbor.previous_id, "name": "Before"},
        "next": None,
        "average_rating": 14 / 3,
        "rating_count": 3,
        "items_url": f"{BASE}{LIST}{harbor.id}/items/",
        "resource_url": f"{BASE}/reading-lists/harbor-order/",
        "modified": api_timestamp(harbor.modified),
    }


def test_a_bare_list_has_empty_texts_and_no_picture(api, session, reader):
    made = make_list(session, reader, is_private=True)
    body = api.json(f"{LIST}{made.id}/")
    assert (body["attribution_source"], body["attribution_url"], body["desc"]) == ("", "", "")
    assert (body["image"], body["average_rating"], body["rating_count"]) == (None, None, 0)
    assert api.json(LIST)["results"][0]["attribution_source"] == ""


def test_the_issues_of_a_list(api, session, make, reader):
    series = make.series(name="Low Water", volume=2)
    one = make.issue(series=series, number="1", cv_id=7)
    two = make.issue(series=series, number="2", store_date=one.cover_date)
    made = make_list(session, reader, [two, one])
    item = session.scalars(select(ReadingListItem.id).order_by(ReadingListItem.order)).all()
    items.set_type(locked_list(session, reader, made), item[0], "CORE")
    session.commit()
    body = api.json(f"{LIST}{made.id}/items/")
    assert (body["count"], body["next"], body["previous"]) == (2, None, None)
    assert body["results"] == [
        {
            "id": item[place],
            "issue": {
                "id": issue.id,
                "series": {"id": series.id, "name": "Low Water", "volume": 2, "year_began": 2020},
                "number": issue.number,
                "cover_date": "2020-05-01",
                "store_date": issue.store_date and "2020-05-01",
                "cv_id": issue.cv_id,
                "gcd_id": None,
                "modified": api_timestamp(issue.modified),
            },
            "order": place + 1,
            "issue_type": kind,
        }
        for place, (issue, kind) in enumerate(((two, "Core Issue"), (one, "")))
    ]
    assert list(body["results"][0]) == ["id", "issue", "order", "issue_type"]
    assert list(body["results"][0]["issue"]) == [
        *("id", "series", "number", "cover_date", "store_date", "cv_id", "gcd_id", "modified")
    ]


def test_fifty_on_a_page(api, session, make, reader):
    session.execute(
        text(
            "INSERT INTO reading_list (user_id, name, slug)"
            " SELECT :user, 'L' || lpad(n::text, 3, '0'), 'l-' || n FROM generate_series(1, 101) n"
        ),
        {"user": reader.id},
    )
    series = make.series()
    session.execute(
        text(
            "INSERT INTO issue (slug, series_id, number, cover_date)"
            " SELECT 'i-' || n, :series, n, date '2000-01-01' + n FROM generate_series(1, 101) n"
        ),
        {"series": series.id},
    )
    made = make_list(session, reader, name="A")
    items.add_series(locked_list(session, reader, made), series.id, whole=True)
    session.commit()
    for path, count, last in ((LIST, 102, "L101"), (f"{LIST}{made.id}/items/", 101, 101)):
        pages = [api.json(f"{path}?page={page}") for page in (1, 2, 3)]
        assert [len(page["results"]) for page in pages] == [50, 50, count - 100]
        assert {page["count"] for page in pages} == {count}
        assert pages[0]["next"] == f"{BASE}{path}?page=2"
        assert pages[2]["next"] is None
        assert pages[2]["previous"] == f"{BASE}{path}?page=2"
        row = pages[2]["results"][-1]
        assert (row.get("name") or row["order"]) == last
        assert api.json(f"{path}?page=last") == pages[2]
        assert api.json(f"{path}?page=4", 404) == {"detail": "Invalid page."}


# Who sees what.

ROLES = {
    "owner": {},
    "other": {},
    "editor": {"groups": ["editor"]},
    "listeditor": {"groups": ["reading list editor"]},
    "staff": {"is_staff": True},
    "superuser": {"is_superuser": True},
}
SEES_OFFICIAL = {"listeditor", "staff", "superuser"}


def test_who_sees_which_lists_on_every_address(session, make, client):
    clients = {name: client(name, **values) for name, values in ROLES.items()}
    official = make.user(OFFICIAL)
    issue = make.issue()
    public = make_list(session, clients["owner"][0], [issue], name="Public")
    own = make_list(session, clients["owner"][0], [issue], name="Own", is_private=True, next=public.id)
    secret = make_list(session, official, [issue], name="Secret", is_private=True)
    hers = {public.id: clients["owner"][0], own.id: clients["owner"][0], secret.id: official}
    publisher = session.scalar(text("SELECT name FROM publisher"))
    for name, (_user, asking) in clients.items():
        seen = {public.id} | ({own.id} if name == "owner" else set())
        seen |= {secret.id} if name in SEES_OFFICIAL else set()
        for query in ("", f"?publisher={publisher}", "?modified_gt=2000-01-01"):
            body = asking.json(LIST + query)
            assert ({each["id"] for each in body["results"]}, body["count"]) == (seen, len(seen))
        for filtered, expected in (
            ("is_private=true", seen - {public.id}),
            ("is_private=false", {public.id}),
            (f"user={official.id}", seen & {secret.id}),
            ("username=METR", seen & {secret.id}),
        ):
            body = asking.json(f"{LIST}?{filtered}")
            assert ({each["id"] for each in body["results"]}, body["count"]) == (expected, len(expected))
        for each in hers:
            for path in (f"{LIST}{each}/", f"{LIST}{each}/items/"):
                for headers in ({}, {"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}):
                    if each not in seen:
                        assert asking.get(path, 404, headers).json == NOT_THERE
                    elif not headers:
                        assert asking.json(path)
        neighbour = asking.json(f"{LIST}{public.id}/")["previous"]
        assert neighbour == ({"id": own.id, "name": "Own"} if name == "owner" else None)


def test_nobody_sees_lists_without_an_account(anonymous, session, reader):
    made = make_list(session, reader)
    for path in (LIST, f"{LIST}{made.id}/", f"{LIST}{made.id}/items/"):
        anonymous.get(path, 401)


def test_a_list_that_becomes_private_is_gone_at_once_and_shows_no_stars(api, session, make, client):
    owner, asking = client("owner")
    made = make_list(session, owner)
    ratings.rate(session, identity_of(make.user()), OFFICIAL, made, 5)
    session.commit()
    before = api.get(f"{LIST}{made.id}/").headers
    lists.update(session, identity_of(owner), OFFICIAL, made, {"is_private": True})
    session.commit()
    conditions = {"If-None-Match": before["ETag"], "If-Modified-Since": before["Last-Modified"]}
    for headers in ({}, conditions):
        assert api.get(f"{LIST}{made.id}/", 404, headers).json == NOT_THERE
    body = asking.json(f"{LIST}{made.id}/")
    assert (body["average_rating"], body["rating_count"]) == (None, 0)
    assert asking.json(f"{LIST}?average_rating__gte=0")["count"] == 0


@pytest.mark.parametrize("wrong", ["0", "999999", "99999999999"])
def test_what_is_no_list_is_not_there(api, wrong):
    for action in ("", "items/"):
        assert api.json(f"{LIST}{wrong}/{action}", 404) == NOT_THERE
        assert api.json(f"{LIST}x/{action}", 404) == {"detail": "Not found."}


def test_only_a_superuser_is_told_that_nothing_is_written(session, client, reader):
    made = make_list(session, reader)
    for name, values in ROLES.items():
        _user, asking = client(name, **values)
        for method, path in (
            ("POST", LIST),
            ("PUT", f"{LIST}{made.id}/"),
            ("PATCH", f"{LIST}{made.id}/"),
            ("DELETE", f"{LIST}{made.id}/"),
            ("POST", f"{LIST}{made.id}/items/"),
        ):
            asking.call(method, path, 405 if name == "superuser" else 403)


# Filters.


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("name=eclair", {"Éclair"}),
        ("name=harbor order", {"Harbor order"}),
        ("name=order harbor", set()),
        ("user={user}", {"Éclair", "Stars"}),
        ("username=FFLAD", {"Harbor order", "Before"}),
        ("publisher=low", {"Éclair"}),
        (f"publisher={'l' * 5000}", set()),
        ("attribution_source=CBRO", {"Harbor order"}),
        ("list_type=CHARACTERS", {"Harbor order"}),
        ("list_type=EVENT", {"Before", "Éclair", "Stars"}),
        ("average_rating__gte=4.6", {"Harbor order"}),
        ("average_rating__gte=4.7", set()),
        ("average_rating__gte=-1", {"Harbor order", "Stars"}),
        ("average_rating__gte=1e400", set()),
        ("is_private=maybe", {"Before", "Harbor order", "Éclair", "Stars"}),
        ("modified_gt=2100-01-01", set()),
        ("average_rating__gte=2&list_type=EVENT", {"Stars"}),
    ],
)
def test_filters(api, session, make, reader, harbor, query, found):
    series = make.series(publisher=make.publisher(name="Low Tide Press"))
    two = [make.issue(series=series, number=number) for number in "12"]
    make_list(session, reader, two, name="Éclair")
    starred = make_list(session, reader, [make.issue()], name="Stars")
    ratings.rate(session, identity_of(make.user()), OFFICIAL, starred, 2)
    session.commit()
    body = api.json(f"{LIST}?{query.format(user=reader.id)}")
    assert {each["name"] for each in body["results"]} == found
    assert body["count"] == len(found) == len(body["results"])


def test_lists_come_by_name_source_and_owner(api, session, make, reader):
    staff, other = make.user(is_staff=True), make.user()
    for user, source in ((other, ""), (staff, "OTHER"), (staff, "CBH"), (staff, ""), (reader, "")):
        make_list(session, user, name="Same", attribution_source=source)
    rows = api.json(LIST)["results"]
    assert [(each["attribution_source"], each["user"]["id"]) for each in rows] == [
        *(("", each) for each in sorted((other.id, staff.id, reader.id))),
        ("CBH", staff.id),
        ("OTHER", staff.id),
    ]


def test_bad_filters_are_told_together(api):
    query = "user=x&average_rating__gte=high&list_type=event&attribution_source=Other&modified_gt=x&name=%00"
    assert api.json(f"{LIST}?{query}", 400) == {
        "user": ["Enter a number."],
        "average_rating__gte": ["Enter a number."],
        "list_type": ["Select a valid choice. event is not one of the available choices."],
        "attribution_source": ["Select a valid choice. Other is not one of the available choices."],
        "modified_gt": ["Enter a valid date/time."],
        "name": ["Null characters are not allowed."],
    }


# Conditional requests, and costs.

MOMENT = datetime(2026, 2, 3, 4, 5, 6, 700_000, UTC)
SECOND = "Tue, 03 Feb 2026 04:05:06 GMT"


def stamp(session, made, **stamps):
    session.execute(update(ReadingList).where(ReadingList.id == made.id).values(**stamps))
    session.commit()


def test_a_list_is_conditional_by_its_modified_alone(api, session, make, reader):
    made = make_list(session, reader)
    path = f"{LIST}{made.id}/"
    stamp(session, made, modified=MOMENT, modified_before=None)
    since = {"If-Modified-Since": SECOND}
    assert api.get(path).headers["Last-Modified"] == SECOND
    assert api.get(path, 304, since).body == b""
    assert api.get(path, 412, {"If-Unmodified-Since": "Tue, 03 Feb 2026 04:05:05 GMT"}).body == b""
    stamp(session, made, modified_before=MOMENT.replace(microsecond=1))  # two changes in one second
    api.get(path, 200, since)
    stamp(session, made, modified_before=None, rated=MOMENT.replace(second=7))
    assert api.get(path).headers["Last-Modified"] == SECOND
    api.get(path, 304, since)
    assert "Last-Modified" not in api.get(f"{LIST}{made.id}/items/").headers


def test_every_change_of_the_body_moves_the_date_or_makes_it_doubtful(api, session, make, client):
    owner, _ = client("owner")
    other = make_list(session, owner, name="Other")
    made = make_list(session, owner, next=other.id)
    path, identity, issue = f"{LIST}{made.id}/", identity_of(owner), make.issue()
    for change in (
        lambda: lists.update(session, identity, OFFICIAL, made, {"desc": "x"}),
        lambda: lists.update(session, identity, OFFICIAL, other, {"name": "Renamed"}),
        lambda: lists.update(session, identity, OFFICIAL, other, {"is_private": True}),
        lambda: lists.update(session, identity, OFFICIAL, other, {"is_private": False}),
        lambda: items.add_issues(locked_list(session, owner, made), [issue.id]),
        lambda: lists.remove(session, identity, OFFICIAL, other),
    ):
        before = api.get(path)
        change()
        session.commit()
        after = api.get(path, 200, {"If-Modified-Since": before.headers["Last-Modified"]})
        assert after.headers["ETag"] != before.headers["ETag"]
        assert "X-Cache" not in after.headers
        api.get(path, 304, {"If-None-Match": after.headers["ETag"]})


def test_what_lists_cost(api, session, make, reader, connection):
    api.get("/api/")
    made = make_list(session, reader, [make.issue() for _ in range(3)], name="One")
    make_list(session, reader, previous=made.id)
    for path, costs in ((LIST, (2, 1)), (f"{LIST}{made.id}/", (3, 3)), (f"{LIST}{made.id}/items/", (2, 1))):
        for cost in costs:
            with record_statements(connection) as statements:
                assert "X-Cache" not in api.get(path).headers
            assert len(statements) == cost, statements


def test_a_list_comes_as_cbl_with_the_ids_of_its_issues(api, session, reader, make):
    series = make.series(name="Harbor & Lights", cv_id=41)
    issue = make.issue(series=series, number="3", cv_id=51, gcd_id=52)
    reading = make_list(session, reader, [issue])
    answer = api.get(f"{LIST}{reading.id}.cbl")
    for other in (f"{LIST}{reading.id}/?format=cbl", f"{LIST}{reading.id}.cbl/"):
        assert api.get(other).body == answer.body
    assert api.get(f"{LIST}{reading.id}/", headers={"Accept": "application/x-cbl+xml"}).body == answer.body
    assert answer.headers["Content-Type"] == "application/x-cbl+xml"
    assert "Last-Modified" not in answer.headers
    (book,) = etree.fromstring(answer.body).iter("Book")
    assert [dict(each.attrib) for each in book] == [
        {"Name": "cv", "Series": "41", "Issue": "51"},
        {"Name": "gcd", "Issue": "52"},
        {"Name": "comicsdb", "Series": str(series.id), "Issue": str(issue.id)},
    ]
    api.get(f"{LIST}{reading.id}.cbl", 304, {"If-None-Match": answer.headers["ETag"]})
    make.catalog.update(series, {"name": "Harbor"})
    session.commit()
    dated = {
        "If-None-Match": answer.headers["ETag"],
        "If-Modified-Since": formatdate(time() + 5, usegmt=True),
    }
    assert b'Series="Harbor"' in api.get(f"{LIST}{reading.id}.cbl", 200, dated).body


def test_a_private_list_is_no_file_for_others(api, session, make):
    hidden = make_list(session, make.user(), is_private=True)
    api.get(f"{LIST}{hidden.id}.cbl", 404)
    api.get(f"{LIST}999999.cbl", 404)
    api.get(f"{LIST.rstrip('/')}.cbl", 404)
