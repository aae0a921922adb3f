"""Every response is as the API's description says, and all described parameters and conditions work."""

import json
from datetime import date
from decimal import Decimal
from functools import cache

import pytest
from sqlalchemy import insert, select

from comicsdb.accounts.passwords import digest
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.library import collection, pull_list, wish_list
from comicsdb.library.reading_lists import ratings
from comicsdb.models import ApiToken, Arc, User
from tests.api.bodies import set_rating
from tests.api.conftest import SCHEMA
from tests.api.descriptions import Contract
from tests.conftest import SAVEPOINT_MODE, connection_in_savepoint, rolled_back_connection
from tests.factories import Factories
from tests.lists import OFFICIAL, identity_of, make_list

NUL = "Null characters are not allowed."
READER = select(User).where(User.username == "reader")  # the account that sends the requests
EARLY, LATE = "Sat, 01 Jan 2000 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"


@pytest.fixture(scope="module")
def filled(filled_engine, filled_ids):
    """A connection in an outer transaction to the filled database, shared by all tests."""
    yield from rolled_back_connection(filled_engine)


@pytest.fixture
def connection(filled):
    """The same connection in a savepoint, which is rolled back."""
    yield from connection_in_savepoint(filled)


@pytest.fixture
def reader(session):
    """The account that sends the requests."""
    return session.scalar(READER)


@pytest.fixture
def contract(api):
    """The description as an ordinary account sees it."""
    return contract_of(api.get(SCHEMA).text)


@cache
def contract_of(description: str) -> Contract:
    """A strict contract of a description; cached, as all tests get the same description."""
    return Contract(json.loads(description))


def own(session, reader, make):
    """Make the account's lists, with items; returns their ids by the first segment of their paths."""
    with make.single_commit():
        pulled = make.issue(store_date=date(2020, 4, 1))
        wished, owned = ([make.issue() for _ in range(2)] for _ in range(2))
        listed = [make.issue(cv_id=8), make.issue()]
    pull_list.add(session, reader.id, pulled.series_id)
    priced = {"max_price": Decimal("3.5"), "desired_grade": Decimal("9.8")}
    for issue, values in zip(wished, (priced, {}), strict=True):
        wish_list.add(session, reader.id, issue.id, values)
    made = {
        "pull_list": pull_list.pull_list(session, reader.id),
        "wish_list": wish_list.wish_list(session, reader.id),
    }
    values = {"grade": Decimal("9.8"), "grading_company": "CGC", "purchase_price": Decimal(2)}
    dated = {"purchase_date": date(2026, 1, 2), "is_read": True}
    items = tuple(
        collection.add(session, reader.id, issue.id, each)[0].id
        for issue, each in zip(owned, (values | dated, {}), strict=True)
    )
    collection.rate(session, reader.id, items[0], 4, today=date(2026, 3, 4))
    session.commit()
    reading = make_list(session, reader, listed, image="reading_list/a.png")
    near = make_list(session, reader, next=reading.id, is_private=True)
    ratings.rate(session, identity_of(make.user()), OFFICIAL, reading, 4)
    session.commit()
    return {kind: (each.id,) for kind, each in made.items()} | {
        "reading_list": (reading.id, near.id),
        "collection": items,
    }


@pytest.fixture(scope="module")
def ids(filled, filled_ids):
    """Two objects of each kind by the first segment of their paths: one with all links, one almost bare."""
    factory = session_factory(filled)
    factory.configure(**SAVEPOINT_MODE)
    with factory() as session:
        return made(session, filled_ids)


def made(session, ids):
    """Make the second objects, and the lists of the account that sends the requests."""
    make = Factories(Catalog(session))
    lists = own(session, session.scalar(READER), make)
    kinds = ("arc", "character", "creator", "imprint", "publisher", "team", "universe")
    with make.single_commit():
        series = make.series(name="Été", series_type=12, year_end=2021)
        issue = make.issue(
            series=series,
            number="½",
            price=Decimal("3.9"),
            store_date=date(2020, 4, 1),
            foc_date=date(2020, 3, 1),
            image="issue/2026/02/11/a.jpg",
            page=32,
            cv_id=5,
            variants=[{"name": "V", "image": "variants/1.jpg", "price": Decimal("5")}],
        )
        bare = {kind: getattr(make, kind)().id for kind in kinds}
    set_rating(session, issue, count=3, total=13)
    bare |= {"issue": issue.id, "series": series.id}
    return {kind: (ids[kind], each) for kind, each in bare.items()} | lists


def addresses(operation, ids):
    """The paths of an operation, with the ids of existing objects."""
    if "{series_id}" in operation.path:
        return [operation.path.format(series_id=each) for each in ids["series"]]
    if "{id}" not in operation.path:
        return [operation.path]
    return [operation.path.format(id=each) for each in ids[operation.path.split("/")[2]]]


def test_bodies_and_headers_are_as_described(api, contract, ids):
    for operation in contract.reads:
        for address in addresses(operation, ids):
            for _ in ("made", "cached"):
                contract.check_response(operation, api.get(address))
    assert len(ids) > 9


def test_a_page_in_the_middle_is_as_described(api, contract, session):
    session.execute(insert(Arc), [{"name": f"Arc {each}", "slug": f"page-{each}"} for each in range(201)])
    session.commit()
    (listing,) = [each for each in contract.operations if each.path == "/api/arc/"]
    for page in ("1", "2", "3", "last"):
        contract.check_response(listing, api.get(f"/api/arc/?page={page}"))


def test_refusals_are_as_described(api, anonymous, contract, ids, session, reader):
    session.add(ApiToken(digest=digest("only-reads"), token_key="only", user_id=reader.id, scope="read"))
    session.commit()
    for operation in contract.reads:
        address = addresses(operation, ids)[0]
        answers = [
            anonymous.get(address, 401, {"Authorization": "Bearer nonsense"}),
            api.get(f"{address}?format=xml", 404),
            api.get(address, 406, {"Accept": "image/png"}),
            api.get(address, 304, {"If-None-Match": "*"}),
            api.get(address, 412, {"If-Match": '"other"'}),
        ]
        if operation.path != "/api/schema/":
            is_open = {} in operation.definition.get("security", ())
            answers.append(anonymous.get(address, 200 if is_open else 401))
        if "410" in operation.responses:
            answers.append(api.get(f"{address}?epoch={'0' * 32}", 410))
        if "403" in operation.responses:
            answers.append(anonymous.get(address, 403, {"Authorization": "Bearer only-reads"}))
        if "{id}" in operation.path:
            answers += [api.get(operation.path.format(id=each), 404) for each in (999_999, "x")]
        assert "400" in operation.responses
        answers.append(api.get(f"{address}?strict=1&odd=1", 400))
        if {each["name"] for each in operation.named("query")} - {"page", "format", "strict"}:
            wrong = "name=%00&number=%00&modified_gt=x&after=x&store_date_after=x&phash=x&code=%00&fields=x"
            wrong += "&issue_id=x"
            answers.append(api.get(f"{address}?{wrong}&q=%00", 400))
        if any(each["name"] == "page" for each in operation.parameters):
            answers += [api.get(f"{address}?page={page}", 404) for page in ("0", "99", "x")]
        for answer in answers:
            contract.check_response(operation, answer)
        seen = {str(each.status_int) for each in answers}
        # The others: throttle/, test_merged.py, test_event_stream.py
        elsewhere = {"200", "429"} | {"301", "503"} & set(operation.responses)
        assert set(operation.responses) == elsewhere | seen


def test_errors_are_described_in_both_forms(editor):
    problem = "application/problem+json"
    for operation in Contract(editor.json(SCHEMA)).operations:
        for status, each in operation.responses.items():
            if status >= "400" and "content" in each:
                assert list(each["content"]) == ["application/json", problem], (operation.path, status)
            assert status >= "400" or problem not in each.get("content", ())


def test_problem_details_are_as_described(api, contract):
    (listing,) = [each for each in contract.operations if each.path == "/api/arc/"]
    for query, status in (("cv_id=x", 400), ("page=9", 404)):
        answer = api.get(
            f"/api/arc/?{query}", status, {"Accept": "application/json, application/problem+json"}
        )
        contract.check_response(listing, answer)


def test_conditions_that_are_described_are_heeded_and_no_others(api, contract, ids):
    for operation in contract.reads:
        address = addresses(operation, ids)[0]
        tag = api.get(address).headers["ETag"]
        told = {each["name"] for each in operation.named("header")}
        dated = "If-Modified-Since" in told
        for name, value, status in [
            ("If-None-Match", tag, 304),
            ("If-Match", '"other"', 412),
            ("If-Modified-Since", LATE, 304 if dated else 200),
            ("If-Unmodified-Since", EARLY, 412 if dated else 200),
        ]:
            assert (name in told) == (status != 200)
            contract.check_response(operation, api.get(address, status, {name: value}))


BAD = ("Enter ", "Select a valid choice. no such is not one", "Unknown: no such. Known: ")
OPTIONS = {"ids", "fields", "include", "cursor"}  # options that change the form of the body


def bad_value(schema: dict) -> str | None:
    """A value that the schema forbids and the server refuses, or None."""
    if "enum" in schema or schema.get("format") or schema["type"] in {"integer", "number", "array"}:
        return "no such"
    return None


def test_every_parameter_is_read_under_its_name(api, contract, ids):
    filters = 0
    for operation in contract.reads:
        address = addresses(operation, ids)[0]
        for parameter in operation.named("query"):
            name, schema = parameter["name"], parameter["schema"]
            if name in {"page", "format"}:
                assert api.get(f"{address}?{name}=nonsense", 404)
                continue
            if name == "strict":
                assert sorted(api.json(f"{address}?strict=true&odd=1", 400)) == ["odd", "strict"]
                continue
            filters += 1
            reported = name.removesuffix("_after").removesuffix("_before")
            if operation.path == "/api/pull_list/issues/":  # two parameters, not a range
                reported = name
            assert api.json(f"{address}?{name}=%00", 400) == {reported: [NUL]}
            bad = bad_value(schema)
            if bad:
                (message,) = api.json(f"{address}?{name}={bad}", 400)[reported]
                assert message.startswith(BAD)
    assert filters > 50


GOOD = {
    "integer": "1",
    "number": "3.5",
    "array": "1,2",
    "boolean": "true",
    "string": "e",
    "date": "2020-05-01",
    "date-time": "2020-05-01T10:00:00Z",
}


def good_values(schema: dict) -> set[str]:
    """Values that a schema allows."""
    if "anyOf" in schema:
        return set().union(*(good_values(each) for each in schema["anyOf"]))
    if "const" in schema:
        return {schema["const"]}
    if "enum" in schema:
        return {schema["enum"][0], schema["enum"][-1]}
    if schema.get("examples") == ["*"]:  # other values come from `next`
        return {"*"}
    if "pattern" in schema and "examples" in schema:
        return set(schema["examples"])
    if "enum" in schema.get("items", ()):
        return {",".join(schema["items"]["enum"])}
    return {GOOD[schema.get("format") or schema["type"]]}


def test_parameters_say_how_they_compare(contract):
    (listing,) = [each for each in contract.operations if (each.method, each.path) == ("get", "/api/series/")]
    (name,) = [each for each in listing.named("query") if each["name"] == "name"]
    assert name["description"].startswith("Words that are all in the name of the series, in any order;")


def test_values_that_are_described_are_accepted(api, contract, ids):
    for operation in contract.reads:
        address = addresses(operation, ids)[0]
        for parameter in operation.named("query"):
            own = parameter["name"] == "epoch"  # it has one valid value
            selected = parameter["name"] in OPTIONS
            for value in {api.json(address)["epoch"]} if own else good_values(parameter["schema"]):
                answer = api.get(f"{address}?{parameter['name']}={value}")
                contract.check_response(operation, answer, selected=selected)


def test_no_parameter_goes_unsaid(contract, wsgi):
    for operation in contract.reads:
        kind = operation.path.split("/")[2]
        served = wsgi.registry["comicsdb_api.reads"].get(f"api.{kind}.list")
        if operation.path == f"/api/{kind}/" and served is not None:
            declared = (*served.filters, *served.options)
            read = {name for each in declared for name in each.parameters}
            assert {each["name"] for each in operation.named("query")} == read | {"page", "strict"}
