"""Tests of `make serve` with the clients in use today, unmodified.

mokkari's development mode only uses port 8000 of localhost, where somebody's `make serve` may be listening:
its constant for that address names the port of these tests. metron-tagger sends its requests through
mokkari; its queries here are those that release 4.17.1 was observed to send.
"""

import inspect
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from textwrap import dedent

import mokkari
import pytest
from mokkari.exceptions import ApiError
from mokkari.schemas.arc import ArcPost
from sqlalchemy import create_engine, select

from comicsdb.catalog import Catalog
from comicsdb.cli.serve import database_name
from comicsdb.db import dev_cluster, session_factory
from comicsdb.models import Arc, Issue, User
from tests.dataset import picture
from tests.lists import make_list
from tests.site import client_writes
from tests.site.client_data import (
    KINDS,
    LINKED,
    SHOWN,
    WITH_ISSUES,
    by_id,
    instant,
    parts,
    plural,
    tagged,
    words_of,
)
from tests.site.made_serve import ROOT, cluster_folder, demo_rows, make_serve, write_set

DOCUMENTED = "http://127.0.0.1:8000"
# All public methods of a session that read, except those of personal libraries and reading lists.
READS = {
    *KINDS,
    *(f"{kind}s_list" for kind in KINDS if kind != "series"),
    "series_list",
    *(f"{kind}_issues_list" for kind in WITH_ISSUES),
    "role_list",
    "series_type_list",
}
WRITES = ("_post", "_patch", "_add", "_delete", "_scrobble", "_add_item", "_acquire_item", "_remove_item",
          "_add_series", "_remove_series")  # fmt: skip
PERSONAL = ("reading_list", "collection", "pull_list", "wish_list")


@pytest.fixture(scope="module")
def catalog():
    """The rows that are served, by file."""
    return demo_rows()


@pytest.fixture(scope="module")
def folder(catalog, tmp_path_factory):
    """A data set of these rows."""
    folder = tmp_path_factory.mktemp("demo")
    write_set(catalog, folder)
    return folder


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """The `DB` of `make serve`: an embedded PostgreSQL that only these tests use."""
    return f"embedded:{tmp_path_factory.mktemp('served')}/postgres?database=served"


@pytest.fixture(scope="module")
def server(folder, database):
    """The address of a running `make serve`; the default one is that of mokkari's development mode."""
    assert f"{DOCUMENTED}/api/{{}}/" == mokkari.session.LOCAL_URL
    assert "PORT ?= 8000" in (ROOT / "Makefile").read_text()
    with make_serve(folder, database) as address, pytest.MonkeyPatch.context() as patch:
        patch.setattr(mokkari.session, "LOCAL_URL", f"{address}/api/{{}}/")
        yield address


@pytest.fixture(scope="module")
def client(server, catalog):
    """mokkari with the token of the demo's administrator."""
    token = next(user["api_token"] for user in catalog["users"] if user["username"] == "admin")
    with mokkari.api(token, dev_mode=True) as client:
        yield client


@pytest.fixture
def writer(client, folder, database):
    """The catalog service on the database that is being served."""
    name = database_name(folder)
    engine = create_engine(dev_cluster.resolve_url(database.replace("database=served", f"database={name}")))
    with session_factory(engine)() as session:
        yield Catalog(session)
    engine.dispose()
    dev_cluster.start(cluster_folder(database)).release()


# Reading.


def test_every_method_that_reads_the_catalog_is_called_below(client):
    public = {name for name in dir(client) if not name.startswith("_") and callable(getattr(client, name))}
    reads = {name for name in public if not name.endswith(WRITES) and not name.startswith(PERSONAL)}
    assert reads - {"close"} == READS


@pytest.mark.parametrize("kind", KINDS)
def test_lists_are_read_to_their_end(client, catalog, kind):
    method = "series_list" if kind == "series" else f"{kind}s_list"
    found = getattr(client, method)()
    lines = by_id(catalog[plural(kind)])
    assert {each.id for each in found} == set(lines)
    assert len(found) == len(lines)
    for each in found:
        line = lines[each.id]
        assert each.modified == instant(line["modified"])
        if kind == "series":
            assert (each.year_began, each.volume) == (line["year_began"], line["volume"])
            assert line["name"] in each.display_name
            assert each.publisher.id == line["publisher_id"]
            assert each.series_type.id == line["series_type_id"]
        elif kind == "issue":
            assert (each.number, each.series.id) == (line["number"], line["series_id"])
            assert each.cover_date == date.fromisoformat(line["cover_date"])
            assert each.issue_name.endswith(f"#{line['number']}")
        else:
            assert each.name == line["name"]


def test_the_first_examples_of_the_documentation(server, catalog, capsys):
    text = (Path(__file__).parents[2] / "docs" / "api.md").read_text().partition("## Getting started")[2]
    token = next(user["api_token"] for user in catalog["users"] if user["username"] == "reader")
    shown = []
    for example in re.findall("\n\n((?:    .+\n)+)", text.partition("\n| URL")[0]):
        if "import" in example:
            exec(dedent(example).replace("TOKEN", token).replace(DOCUMENTED, server))  # noqa: S102
            shown.append(capsys.readouterr().out)
    assert shown == [
        "The Foghorn\n",
        "True Gravel Psalms (2017) #4\n",
        "Gravel Psalms (2017) 12\nGravel Psalms TPB (2018) 2\n",
    ]


def test_reference_data(client, catalog):
    assert {each.id: each.name for each in client.role_list()} == {
        line["id"]: line["name"] for line in catalog["roles"]
    }
    assert {each.id: each.name for each in client.series_type_list()} == {
        line["id"]: line["name"] for line in catalog["series_types"]
    }


@pytest.mark.parametrize("kind", KINDS)
def test_details_are_what_the_data_set_says(client, server, catalog, kind):
    lines = catalog[plural(kind)]
    for line in (lines[0], lines[len(lines) // 2], lines[-1]):
        found = getattr(client, kind)(line["id"])
        for field in SHOWN[kind]:
            assert getattr(found, field) == line[field], field
        for field in LINKED.get(kind, ()):
            linked = line[f"{field.removesuffix('s')}_ids"]
            assert {each.id for each in getattr(found, field)} == set(linked), field
        assert found.modified == instant(line["modified"])
        assert str(found.resource_url) == f"{server}/{kind}/{line['slug']}/"
        if line.get("image"):
            assert str(found.image).startswith(f"{server}/media/{kind}/")
    with pytest.raises(ApiError, match=f"No {kind.title()} matches the given query"):
        getattr(client, kind)(999_999)


def test_creators_have_their_days(client, catalog):
    dead = [line for line in catalog["creators"] if line["death"] and line["birth"]][:2]
    assert len(dead) == 2
    for line in dead:
        found = client.creator(line["id"])
        assert [found.birth.isoformat(), found.death.isoformat()] == [line["birth"], line["death"]]


def test_an_issue_has_all_its_parts(client, catalog):
    series, issues = by_id(catalog["series"]), catalog["issues"]
    chosen = [each for each in issues if parts(catalog["variants"], each)][:3]
    chosen += [each for each in issues if parts(catalog["issue_ratings"], each) and each["reprint_ids"]][:2]
    assert len(chosen) == 5
    for line in chosen:
        found, own = client.issue(line["id"]), series[line["series_id"]]
        credited = {each["creator_id"]: set(each["role_ids"]) for each in parts(catalog["credits"], line)}
        assert {each.id: {role.id for role in each.role} for each in found.credits} == credited
        assert {each.id for each in found.reprints} >= set(line["reprint_ids"])
        variants = [
            (each["name"], Decimal(each["price"]), each["sku"], each["upc"])
            for each in parts(catalog["variants"], line)
        ]
        assert [(each.name, each.price, each.sku, each.upc) for each in found.variants] == sorted(variants)
        assert (found.price, found.price_currency) == (Decimal(line["price"]), line["currency"])
        assert (found.series.id, found.series.sort_name) == (own["id"], own["sort_name"])
        assert {each.id for each in found.series.genres} == set(own["genre_ids"])
        assert (found.publisher.id, found.rating.id) == (own["publisher_id"], line["age_rating_id"])
        stars = [each["rating"] for each in parts(catalog["issue_ratings"], line)]
        assert found.rating_count == len(stars)
        average = round(Decimal(sum(stars)) / len(stars), 2) if stars else None
        assert found.average_rating == average


@pytest.mark.parametrize("kind", WITH_ISSUES)
def test_lists_of_issues_of_one_object(client, catalog, kind):
    def belongs(issue, number):
        return issue["series_id"] == number if kind == "series" else number in issue[f"{kind}_ids"]

    lines = catalog[plural(kind)]
    for number in (lines[0]["id"], lines[-1]["id"]):
        found = getattr(client, f"{kind}_issues_list")(number)
        assert {each.id for each in found} == {
            issue["id"] for issue in catalog["issues"] if belongs(issue, number)
        }


# Conditional requests, and reading lists.


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_comes_back_of_what_has_not_changed(client, catalog, kind):
    rated = {line["issue_id"] for line in catalog["issue_ratings"]}
    if kind == "series":
        rated = {line["series_id"] for line in catalog["issues"] if line["id"] in rated}
    line = next(
        each for each in catalog[plural(kind)] if kind not in {"issue", "series"} or each["id"] not in rated
    )
    read = getattr(client, kind)
    known = read(line["id"]).modified
    assert read(line["id"], if_modified_since=known) is None
    assert read(line["id"], if_modified_since=known.replace(tzinfo=UTC).astimezone()) is None
    assert read(line["id"], if_modified_since=datetime.now(UTC)) is None
    assert read(line["id"], if_modified_since=known - timedelta(seconds=1)).id == line["id"]
    with pytest.raises(ApiError, match="matches the given query"):
        read(999_999, if_modified_since=datetime.now(UTC))


def test_reading_lists(client, catalog, writer):
    session = writer.session
    users = {each.username: each for each in session.scalars(select(User))}
    wanted = [line["id"] for line in catalog["issues"][:60]]
    first = make_list(session, users["reader"], name="Mokkari, before")
    private = make_list(session, users["reader"], name="Mokkari, hidden", is_private=True)
    made = make_list(
        session,
        users["admin"],
        [session.get_one(Issue, each) for each in wanted],
        name="Mokkari reads",
        previous=first.id,
        attribution_source="CBRO",
        attribution_url="https://orders.example/1",
        is_private=True,
    )
    found = {each.id: each for each in client.reading_lists_list({"name": "mokkari"})}
    assert set(found) == {first.id, made.id}
    assert (found[made.id].attribution_source, found[first.id].attribution_source) == ("CBRO", None)
    shown = client.reading_list(made.id)
    assert (shown.attribution_source, shown.list_type) == ("Comic Book Reading Orders", "Event")
    assert (shown.previous.id, shown.next, shown.average_rating) == (first.id, None, None)
    assert client.reading_list(first.id).attribution_url is None
    items = client.reading_list_items(made.id)
    assert [(each.issue.id, each.order, each.issue_type) for each in items] == [
        (each, place, "") for place, each in enumerate(wanted, 1)
    ]
    with pytest.raises(ApiError, match="No ReadingList matches"):
        client.reading_list(private.id)
    assert client.reading_list(made.id, if_modified_since=shown.modified + timedelta(seconds=1)) is None


def test_a_change_comes_back_at_once_and_every_time(client, writer):
    arc = writer.session.get(Arc, 1)
    for name in ("One", "Two", "Three", "Four"):
        before = client.arc(1)
        writer.update(arc, {"name": name})
        writer.session.commit()
        after = client.arc(1, if_modified_since=before.modified)
        assert after.name == name
        assert name in {each.name for each in client.arcs_list()}


def test_mokkari_sees_whether_an_answer_was_cached(client):
    found = []
    for _ in range(2):
        client.universes_list(params={"name": "Beacon", "x": "1"})
        found.append(client.last_cache_status)
    client.role_list()
    assert [*found, client.last_cache_status] == ["MISS", "HIT", None]


# Searches that metron-tagger sends.


@pytest.mark.parametrize("parameter", ["series_q", "series_name"])
@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("foghorn", "001"),
        ("the foghorn", "2"),
        ("Foghorn The", "0000"),
        ("ete at the HARBOR", "1"),
        ("Été Harbor", "010"),
        ("harbor", ".5"),
        ("nobody ever", "1"),
        ("100% _ \\", "1"),
        ("", "1"),
    ],
)
def test_a_search_by_the_name_in_a_file_name(client, catalog, parameter, name, number):
    wanted = {".5": "½"}.get(number, number.lstrip("0") or "0")
    words = name.lower().replace("é", "e").split()
    names = {
        each["id"]: words_of(each if parameter == "series_q" else each | {"alt_names": []})
        for each in catalog["series"]
    }
    expected = {
        issue["id"]
        for issue in catalog["issues"]
        if issue["number"] == wanted and all(word in names[issue["series_id"]] for word in words)
    }
    found = client.issues_list(params={parameter: name, "number": tagged(number)})
    assert {each.id for each in found} == expected
    assert all(isinstance(each.cover_hash, str) for each in found)


def test_a_search_by_alternative_name(client):
    found = client.issues_list(params={"series_q": "summer tides", "number": "1"})
    assert [each.id for each in found] == [9102]


@pytest.mark.parametrize(
    ("number", "sent", "found"),
    [
        ("½", "%C2%BD", []),  # encoded twice: no issue has that number, which is no error
        (".5", "½", [9100]),
        ("1 MU", "1+MU", []),
        ("-1", "-1", [9105]),
        ("000", "0", [9106]),
        ("0010", "10", [9103]),
    ],
)
def test_a_search_in_a_series_by_its_id(client, number, sent, found):
    series_id = 9002 if sent in {"-1", "0"} else 9001
    assert tagged(number) == sent
    assert [
        each.id for each in client.issues_list(params={"series_id": str(series_id), "number": sent})
    ] == found


def test_numbers_as_mokkari_sends_them_itself(client):
    for number, issue_id in (("½", 9100), ("1 MU", 9101), ("1 mu", 9101)):
        assert [each.id for each in client.issues_list(params={"series_id": 9001, "number": number})] == [
            issue_id
        ]


def test_a_file_that_names_its_issue_at_comic_vine(client):
    (found,) = client.issues_list(params={"cv_id": 55_002})
    assert found.id == 9102
    assert client.issues_list(params={"cv_id": 99_999_999_999}) == []
    issue = client.issue(found.id)
    assert client.issue(found.id, if_modified_since=issue.modified) is None


# Writes come last, as the tests above compare what they read with the data set.


def of_account(catalog, username):
    """mokkari with the token of another account of the demo."""
    token = next(user["api_token"] for user in catalog["users"] if user["username"] == username)
    return mokkari.api(token, dev_mode=True)


def writing_methods(client):
    """The methods with which mokkari writes to the catalog."""
    public = {name for name in dir(client) if name.endswith(("_post", "_patch"))}
    return {name for name in public if not name.startswith((*PERSONAL, "_"))}


def test_an_editor_writes_by_every_method_there_is(server, catalog, tmp_path):
    cover = tmp_path / "cover.jpg"
    cover.write_bytes(picture(form="JPEG"))
    with of_account(catalog, "editor") as editor:
        called = inspect.getsource(client_writes.write_all)
        assert {name for name in writing_methods(editor) if f"client.{name}(" not in called} == set()
        client_writes.write_all(editor, server, str(cover))
        with pytest.raises(ApiError, match="This field may not be blank"):
            editor.arc_patch(1, ArcPost(name=""))


def test_others_may_not_write(server, catalog):
    with of_account(catalog, "reader") as reader:
        for kind, body in client_writes.SMALLEST.items():
            for write in (getattr(reader, f"{kind}_post"), partial(getattr(reader, f"{kind}_patch"), 1)):
                with pytest.raises(ApiError, match="You do not have permission"):
                    write(body)


def test_a_reader_keeps_a_pull_list_and_a_wish_list(server, catalog):
    with of_account(catalog, "reader") as reader:
        client_writes.keep_lists(reader, series=9001, issue=9102)


def test_a_reader_keeps_a_collection(server, catalog):
    with of_account(catalog, "reader") as reader:
        public = {name for name in dir(reader) if name.startswith("collection")}
        called = inspect.getsource(client_writes.keep_collection)
        assert {name for name in public if f"client.{name}(" not in called} == set()
        client_writes.keep_collection(reader, series=9001, issue=9103)
