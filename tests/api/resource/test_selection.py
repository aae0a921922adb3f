"""Responses with the fields that `fields` and `include` select."""

import pytest
from sqlalchemy import select

from comicsdb.catalog.maintenance.merge import merge
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.models import Creator, Issue
from comicsdb_api.resource import expressions, listing
from comicsdb_api.resource.selection import FieldSelection, dotted_names, parse_names, selectable_names
from comicsdb_api.resources import WITH_HISTORY
from comicsdb_api.resources.issue import IssueResource
from tests.api.bodies import BASE, assert_same_json, rows
from tests.api.bulk_rows import ISSUES, BulkRows
from tests.api.descriptions import Contract
from tests.api.resource.test_statements import AGAIN, world
from tests.api.writing import WritingClient
from tests.cases import for_each
from tests.conftest import record_statements

KINDS = [each.kind() for each in WITH_HISTORY]


@pytest.fixture
def contract(api):
    """The description as an ordinary account sees it."""
    return Contract(api.json("/api/schema/?format=json"))


def statement(shape) -> str:
    """The statement for the body of a shape."""
    body = select(*expressions.labelled_columns(shape.expressions)).select_from(shape.source)
    return CompiledQuery.of(expressions.row_as_json(body)).text


def test_what_is_not_asked_for_is_not_computed():
    fields = ("credits.creator", "id", "imprint.name", "series.name")
    text = statement(FieldSelection(IssueResource, fields=fields))
    assert not [each for each in ("role", "variant", "genre", "character") if each in text]
    assert "role" in statement(FieldSelection(IssueResource, fields=("credits.role.name",)))
    assert "credit" not in statement(FieldSelection(IssueResource, include=("variants",)))


@for_each("resource", WITH_HISTORY)
def test_fields_of_both_have_in_a_detail_all_that_they_have_in_a_list(resource):
    row, detail = resource.row_fields(), resource.detail_fields()
    shared = {name: row[name] for name in row if name in detail}
    assert set(dotted_names(shared)) <= set(dotted_names(detail))


def test_names_are_read_once_each_in_one_order():
    assert parse_names(" number,id,,id", ("id", "series", "number")) == ("id", "number")


def test_unknown_words_are_told_with_the_known_ones():
    known = selectable_names(IssueResource)
    with pytest.raises(ValueError, match=r"^Unknown: number\.x, series\.nam\. Known: id, series, "):
        parse_names("id,series.nam,number.x", known["fields"])
    with pytest.raises(ValueError, match=r"^Unknown: ids\. Known: all, id, series, "):
        parse_names("credits,ids", known["include"])


# Through the API.


@for_each("kind", KINDS)
def test_include_shows_in_a_list_what_the_detail_has(api, ids, contract, connection, kind):
    detail = api.json(f"/api/{kind}/{ids[kind]}/")
    usual = next(row for row in api.json(f"/api/{kind}/")["results"] if row["id"] == ids[kind])
    further = ["external_ids", *(["all_variants"] if kind == "issue" else [])]
    with record_statements(connection) as statements:
        answer = api.get(f"/api/{kind}/?include=all")
        whole = api.json(f"/api/{kind}/{ids[kind]}/?include={','.join(further)}")
    assert len(statements) == 2 * AGAIN
    (shown,) = [row for row in answer.json["results"] if row["id"] == ids[kind]]
    assert len(whole["external_ids"]) == 2
    assert whole == detail | {name: whole[name] for name in further}
    assert shown == usual | whole
    contract.check_response(contract.read(f"/api/{kind}/"), answer, selected=True)
    some = [name for name in detail if name not in usual][:3]
    answer = api.json(f"/api/{kind}/?include={','.join(some)}")
    (shown,) = [row for row in answer["results"] if row["id"] == ids[kind]]
    assert shown == usual | {name: detail[name] for name in some}
    assert list(shown) == [*usual, *some]


def test_external_ids_are_those_of_the_crosswalk(api, make, contract):
    rows = [
        ("comicvine", "51", ""),
        ("comicvine", "52", ""),
        ("locg", "8", "series"),
        ("isbn", "316148410X", ""),
    ]
    given = [dict(zip(("source", "external_id", "scope"), row, strict=True)) for row in rows]
    issue = make.issue(cv_id=51, gcd_id=7, isbn="9783161484100", external_ids=given)
    asked = {"source": "comicsdb", "kind": "issue", "ids": [str(issue.id)]}
    (found,) = WritingClient(api.testapp, api.headers).post("/api/crosswalk/", 200, json=asked)["results"]
    shown = api.json(f"/api/issue/{issue.id}/?fields=external_ids")
    assert shown == {"external_ids": found["external_ids"]}
    assert len(shown["external_ids"]) == 6
    assert shown["external_ids"][0]["url"] == "https://comicvine.gamespot.com/issue/4000-51/"
    answer = api.get(f"/api/issue/?ids={issue.id}&fields=external_ids.source")
    contract.check_response(contract.read("/api/issue/"), answer, selected=True)
    (row,) = answer.json["results"]
    sources = ["comicvine", "comicvine", "gcd", "isbn", "isbn", "locg"]
    assert [each["source"] for each in row["external_ids"]] == sources


def part(value, rests):
    """The part of a value that dotted names select."""
    if "" in rests or value is None:
        return value
    if isinstance(value, list):
        return [part(each, rests) for each in value]
    firsts = [name.partition(".")[0] for name in rests]
    return {
        name: part(each, [rest.partition(".")[2] for rest in rests if rest.partition(".")[0] == name])
        for name, each in value.items()
        if name in firsts
    }


@for_each("kind", KINDS)
def test_fields_leave_of_a_detail_what_they_name(api, ids, kind):
    path = f"/api/{kind}/{ids[kind]}/"
    detail = api.json(path)
    (resource,) = [each for each in WITH_HISTORY if each.kind() == kind]
    names = dotted_names(resource.detail_fields())
    for wanted in (names[::2], names[1::2], names[::5], names[-1:]):
        found = api.json(f"{path}?fields={','.join(wanted)}")
        assert_same_json(found, part(detail, wanted))
    listed = api.json(f"/api/{kind}/?fields={','.join(names[::2])}")["results"]
    assert [row for row in listed if row["id"] == ids[kind]] == [part(detail, names[::2])]


def test_both_forms_of_a_field(api, ids):
    path = f"/api/series/{ids['series']}/issue_list/"
    (brief, whole, named) = (
        api.json(f"{path}?fields=series&{more}")["results"][0]["series"]
        for more in ("", "include=series", "fields=series.genres.name,series.name")
    )
    assert list(brief) == ["id", "name", "volume", "year_began"]
    assert set(whole) > set(brief)
    assert list(named) == ["name", "genres"]
    assert [list(each) for each in named["genres"]] == [["name"]] * 12
    assert "issue" in api.json(f"/api/issue/{ids['issue']}/?include=issue")


def test_errors_of_options_and_filters_come_together(api, ids):
    refusal = api.json("/api/issue/?fields=a&include=id,b&cv_id=x&ids=7x", 400)
    assert list(refusal) == ["cv_id", "ids", "fields", "include"]
    assert refusal["include"][0].startswith("Unknown: b. Known: all, id, series,")
    for path in (f"/api/issue/{ids['issue']}/", f"/api/arc/{ids['arc']}/issue_list/"):
        for _ in range(2):
            assert list(api.json(f"{path}?fields=a&include=b", 400)) == ["fields", "include"]


def test_lists_that_are_not_of_the_nine_kinds_ignore_options(api):
    for path in ("/api/role/", "/api/reading_list/", "/api/collection/"):
        assert api.get(f"{path}?fields=x&include=x&ids=x").body == api.get(path).body
        assert "fields" in api.json(f"{path}?fields=x&strict=1", 400)


def test_formats_of_tags_are_whole(api, ids):
    path = f"/api/issue/{ids['issue']}/?format=comicinfo"
    assert api.get(f"{path}&fields=id").body == api.get(path).body


def test_links_keep_options_and_far_pages_are_the_same_rows(api, make, monkeypatch):
    monkeypatch.setattr(listing, "OFFSET_PAGES_MAX", 1)
    many = BulkRows(make)
    many.add("issue", 305)
    rows, link = [], f"{BASE}/api/issue/?fields=id,page&include=desc"
    while link:
        body = api.json(link.removeprefix(BASE))
        rows += body["results"]
        link = body["next"]
        assert link is None or "fields=id%2Cpage&include=desc&page=" in link
    assert rows == [{"id": each, "page": None} for each in many.ids(ISSUES.format(""))]
    assert api.json("/api/issue/?fields=id,page&page=last")["results"] == rows[300:]


def test_nothing_old_is_shown_with_options(api, ids, catalog, session):
    creator, issue = session.get(Creator, ids["creator"]), session.get(Issue, ids["issue"])
    paths = [
        "/api/issue/?include=credits",
        f"/api/issue/?ids={issue.id}&include=credits",
        f"/api/series/{ids['series']}/issue_list/?fields=credits.creator",
        f"/api/issue/{issue.id}/?fields=credits.creator",
    ]
    for path in paths:
        assert creator.name in api.get(path).text
    catalog.update(creator, {"name": "Somebody Else"})
    session.commit()
    for path in paths:
        assert "Somebody Else" in api.get(path).text


def test_only_what_the_stamps_of_an_address_cover_is_cached(api, ids):
    cached = ["/api/issue/?fields=id,series.name", f"/api/issue/{ids['issue']}/?fields=credits.creator"]
    for path in cached:
        assert [api.get(path).headers["X-Cache"] for _ in range(2)] == ["MISS", "HIT"]
    for path in ("/api/issue/?include=desc", "/api/issue/?fields=desc", f"/api/issue/?ids={ids['issue']}"):
        answer = api.get(path)
        assert "X-Cache" not in answer.headers
        api.get(path, 304, {"If-None-Match": answer.headers["ETag"]})


# By ids.


def test_ids_come_in_the_order_sent_each_once(api, make):
    arcs = [make.arc() for _ in range(5)]
    sent = [arcs[3], arcs[0], arcs[4], arcs[0], arcs[3]]
    body = api.json(f"/api/arc/?ids={','.join(f'0{each.id}' for each in sent)}")
    assert body == {
        "count": 3,
        "next": None,
        "previous": None,
        "results": rows(arcs[3], arcs[0], arcs[4]),
        "missing": [],
        "merged": [],
        "deleted": [],
    }


@for_each("kind", KINDS)
def test_what_became_of_ids_is_told(api, make, catalog, session, contract, kind):
    needed = {"publisher": make.publisher()} if kind in {"imprint", "universe"} else {}
    kept, other, gone, orphan, owner = (getattr(make, kind)(**needed) for _ in range(5))
    ids = [other.id, gone.id, 2**31 - 1, kept.id, orphan.id]
    merge(catalog, kept, other)
    merge(catalog, owner, orphan)
    catalog.delete(gone)
    catalog.delete(owner)  # what was merged into it is gone, too
    session.commit()
    answer = api.get(f"/api/{kind}/?ids={','.join(map(str, ids))}&fields=modified")
    body = answer.json
    assert body["results"] == [{"modified": api.json(f"/api/{kind}/{kept.id}/")["modified"]}]
    assert (body["missing"], body["deleted"]) == ([2**31 - 1], [ids[1], ids[4]])
    assert body["merged"] == [{"id": ids[0], "survivor": kept.id}]
    contract.check_response(contract.read(f"/api/{kind}/"), answer, selected=True)


def test_filters_hold_for_ids_too_but_what_is_there_is_not_missing(api, make):
    one, two = make.arc(name="One"), make.arc(name="Two")
    body = api.json(f"/api/arc/?ids={two.id},{one.id}&name=one")
    assert (body["results"], body["missing"]) == (rows(one), [])


def test_bad_ids(api):
    many = ",".join(map(str, range(1, 102)))
    assert api.json(f"/api/arc/?ids={many}", 400) == {"ids": ["Send at most 100 ids."]}
    for wrong in ("x", "1.5", "0", "-1", str(2**31), "9" * 5000, "1;2"):
        assert api.json(f"/api/arc/?ids={wrong}", 400) == {
            "ids": ["Enter whole numbers from 1 to 2147483647."]
        }
    assert api.json("/api/arc/?ids=") == api.json("/api/arc/?ids=,") == api.json("/api/arc/")
    assert api.json(f"/api/arc/?ids={many.removesuffix(',101')},")["missing"] == list(range(1, 101))


def test_a_hundred_issues_in_full_cost_one_statement(api, make, connection):
    ids = world(make, 2)
    many = BulkRows(make)
    many.add("issue", 99)
    wanted = [ids["issue"], *many.ids(ISSUES.format("WHERE s.publisher_id <> 0"))][:100]
    path = f"/api/issue/?include=all&ids={','.join(map(str, wanted))}"
    api.get(path)
    with record_statements(connection) as statements:
        assert len(api.json(path)["results"]) == len(set(wanted))
    assert len(statements) == AGAIN


def test_candidates_of_a_match_have_the_fields_asked_for(api, ids, contract):
    client = WritingClient(api.testapp, api.headers)
    known = {"descriptors": [{"id": ids["issue"]}]}
    detail = api.json(f"/api/issue/{ids['issue']}/")
    (operation,) = [each for each in contract.operations if each.path == "/api/match/"]
    for query, names in (("fields=id,credits.creator", ["id", "credits.creator"]), ("include=all", None)):
        answer = client.post(f"/api/match/?{query}", 200, json=known)
        shown = answer["results"][0]["candidates"][0]["issue"]
        assert shown == part(detail, names) if names else shown.items() >= detail.items()
        content = operation.responses["200"]["content"]["application/json"]
        contract.check(content["schema"], answer)
    assert list(client.post("/api/match/?fields=x", 400, json=known)) == ["fields"]
