"""Conditional requests: entity tags, precedence, and responses without a body."""

import re

import pytest

from tests.api.http_dates import (
    ADDRESSES,
    BEFORE,
    DATED_ADDRESSES,
    FAR_AHEAD,
    LONG_AGO,
    MOMENT,
    MOMENT_DATE,
    arc_changed_at_moment,
    headers_without_body,
    set_stamps,
)
from tests.api.test_transport import READ, allow

# One path of each sort: a detail, a list below one, a plain list, and responses that are not cached.
SORTS = ["/api/issue/{issue}/", "/api/arc/{arc}/issue_list/", "/api/issue/", "/api/role/", "/api/"]
OTHER = f'"{"0" * 24}"'


@pytest.fixture
def arc(make):
    """An arc that changed at `MOMENT`, and never before."""
    return arc_changed_at_moment(make)


@pytest.fixture
def path(arc):
    """The path of the arc's detail."""
    return f"/api/arc/{arc.id}/"


# Tags.


def test_every_read_has_a_strong_tag_of_its_body(api, ids):
    tags = {}
    for address in ADDRESSES:
        answers = [api.call(method, address.format(**ids)) for method in ("GET", "HEAD", "GET", "HEAD")]
        (tag,) = {answer.headers["ETag"] for answer in answers}
        assert re.fullmatch('"[!#-~]+"', tag)
        tags[answers[0].body] = tag
    assert len(set(tags.values())) == len(tags) > len(DATED_ADDRESSES)


def test_a_tag_changes_with_the_body(api, make, arc, path):
    before = api.get(path)
    make.catalog.update(arc, {"desc": "More."})
    make.session.commit()
    after = api.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert after.headers["ETag"] != before.headers["ETag"]
    assert after.json["desc"] == "More."


def test_a_tag_does_not_change_with_what_the_body_does_not_show(api, make):
    publisher = make.publisher()
    make.series(publisher=publisher)
    path = f"/api/publisher/{publisher.id}/series_list/"
    tag = api.get(path).headers["ETag"]
    make.series()  # of another publisher: a new version of the list, the same body
    again = api.get(path)
    assert (again.headers["X-Cache"], again.headers["ETag"]) == ("MISS", tag)
    api.get(path, 304, {"If-None-Match": tag})


def test_a_known_tag_gets_304_wherever_there_is_one(api, ids):
    for address in ADDRESSES:
        path = address.format(**ids)
        tag = api.get(path).headers["ETag"]
        for method in ("GET", "HEAD"):
            assert headers_without_body(api.call(method, path, 304, {"If-None-Match": tag}))["ETag"] == tag
            assert api.call(method, path, 200, {"If-None-Match": OTHER}).headers["ETag"] == tag


KNOWN = ["{}", "W/{}", '"x", {}', '"x",W/"y",{}', "{},", ', "" , {}', "{}, no tag", "*", " * "]
UNKNOWN = ['"x"', 'W/"x"', "", " ", "x", '"', 'W/"', "**", '"*"', "\xff"]


@pytest.mark.parametrize("address", SORTS)
@pytest.mark.parametrize("cached", [True, False])
def test_the_forms_of_if_none_match(api, ids, wsgi, address, cached):
    path = address.format(**ids)
    tag = api.get(path).headers["ETag"]
    hex_digits = tag.strip('"')
    unknown = [*UNKNOWN, hex_digits, f'"{hex_digits}', f'{hex_digits}"', f'"{hex_digits}0"', tag.upper()]
    if tag.upper() == tag:
        unknown.remove(tag)
    known = [*(each.format(tag) for each in KNOWN), f'"{hex_digits}-gzip"']
    for status, forms in ((304, known), (200, unknown)):
        for form in forms:
            if not cached:
                wsgi.registry["comicsdb.cache"].clear()
            api.get(path, status, {"If-None-Match": form})


@pytest.mark.parametrize("address", SORTS)
def test_if_match_wants_the_tag_of_the_body(api, ids, address):
    path = address.format(**ids)
    tag = api.get(path).headers["ETag"]
    for form in (tag, f'"x", {tag}', "*", f"W/{tag}", tag[:-1] + '-gzip"'):
        assert api.get(path, 200, {"If-Match": form}).headers["ETag"] == tag
    for form in ('"x"', tag[:-1] + '-x"', tag.strip('"'), "", "x"):
        for method in ("GET", "HEAD"):
            assert headers_without_body(api.call(method, path, 412, {"If-Match": form}))["ETag"] == tag


# Precedence (RFC 9110, 13.2.2).


def test_a_tag_goes_before_a_date(api, path):
    tag = api.get(path).headers["ETag"]
    for known, status in ((OTHER, 200), ("x", 200), ("", 200), (tag, 304)):
        for since in (FAR_AHEAD, LONG_AGO, "x"):
            api.get(path, status, {"If-None-Match": known, "If-Modified-Since": since})
    for wanted, status in ((OTHER, 412), (tag, 200)):
        for until in (FAR_AHEAD, LONG_AGO):
            api.get(path, status, {"If-Match": wanted, "If-Unmodified-Since": until})


def test_what_must_not_have_changed_goes_before_what_must(api, path):
    tag = api.get(path).headers["ETag"]
    passed = [{"If-Match": tag}, {"If-Match": "*"}, {"If-Unmodified-Since": MOMENT_DATE}]
    failed = [{"If-Match": OTHER}, {"If-Unmodified-Since": BEFORE}]
    unchanged = [{"If-None-Match": tag}, {"If-Modified-Since": MOMENT_DATE}]
    changed = [{"If-None-Match": OTHER}, {"If-Modified-Since": BEFORE}]
    for first in passed:
        for second in unchanged:
            api.get(path, 304, first | second)
        for second in changed:
            api.get(path, 200, first | second)
    for first in failed:
        for second in unchanged + changed:
            api.get(path, 412, first | second)


CONDITIONS = [
    {"If-None-Match": "*"},
    {"If-Modified-Since": FAR_AHEAD},
    {"If-Match": OTHER},
    {"If-Unmodified-Since": LONG_AGO},
]


@pytest.mark.parametrize("sent", CONDITIONS)
def test_conditions_are_looked_at_last(api, anonymous, make, arc, sent):
    path = f"/api/arc/{arc.id}/"
    api.get(path)
    wrong = {"Authorization": "Bearer x"}
    for refusal, refused_path, more in (
        (404, "/api/arc/999999/", {}),
        (404, "/api/arc/x/", {}),
        (404, "/api/arc/999999/issue_list/", {}),
        (404, "/api/arc/?page=2", {}),
        (404, f"{path}issue_list/?page=2", {}),
        (404, f"{path}issue_list/?page=x", {}),
        (404, f"{path}?format=xml", {}),
        (406, path, {"Accept": "image/png"}),
        (400, "/api/issue/?series_id=x", {}),
        (401, path, wrong),
    ):
        for method in ("GET", "HEAD"):
            api.call(method, refused_path, refusal, sent | more)
    anonymous.get("/api/collection/", 401, sent)
    make.catalog.delete(arc)
    make.session.commit()
    for deleted in (path, f"{path}issue_list/"):
        assert api.get(deleted, 404, sent).json == {"detail": "No Arc matches the given query."}


# Responses without a body.


def test_a_304_has_these_headers_and_no_others(api, path, wsgi):
    tag = {"ETag": api.get(path).headers["ETag"]}
    dated = {"Last-Modified": MOMENT_DATE}
    for method in ("GET", "HEAD"):
        for cached in (True, False):
            for sent, own in (
                ({"If-Modified-Since": MOMENT_DATE}, dated),
                ({"If-None-Match": tag["ETag"]}, dated | tag),
                ({"If-None-Match": "*", "If-Modified-Since": MOMENT_DATE}, dated | tag),
            ):
                if not cached:
                    wsgi.registry["comicsdb.cache"].clear()
                found = api.call(method, path, 304, sent)
                assert headers_without_body(found) == READ | allow(path) | own
                assert "Content-Length" not in found.headers


@pytest.mark.parametrize("path", ["/api/", "/api/role/", "/api/arc/", "/api/issue/?series_id=1"])
def test_a_304_without_a_date(api, path):
    tag = api.get(path).headers["ETag"]
    for method in ("GET", "HEAD"):
        assert headers_without_body(api.call(method, path, 304, {"If-None-Match": tag})) == READ | allow(
            path
        ) | {"ETag": tag}


def test_a_412_has_these_headers_and_no_others(api, path):
    tag = {"ETag": api.get(path).headers["ETag"]}
    dated = {"Last-Modified": MOMENT_DATE}
    for method in ("GET", "HEAD"):
        found = api.call(method, path, 412, {"If-Unmodified-Since": BEFORE})
        assert headers_without_body(found) == READ | allow(path) | dated
        found = api.call(method, path, 412, {"If-Match": OTHER})
        assert headers_without_body(found) == READ | allow(path) | dated | tag


@pytest.mark.parametrize("suffix", [".json", "/?format=json", "/?page=1"])
def test_other_ways_to_write_an_address_know_conditions_too(api, arc, suffix):
    path = f"/api/arc/{arc.id}{suffix}"
    tag = api.get(path).headers["ETag"]
    for sent in ({"If-None-Match": tag}, {"If-Modified-Since": MOMENT_DATE}):
        api.get(path, 304, sent)
    api.get(path, 412, {"If-Unmodified-Since": BEFORE})


def test_a_page_of_a_list_of_issues_knows_dates_too(api, arc, make):
    make.issue(arcs=[arc])
    set_stamps(make, arc, issues_modified=MOMENT, issues_modified_before=None)
    for query in ("?page=1", "?page=last", "?_=1"):
        api.get(f"/api/arc/{arc.id}/issue_list/{query}", 304, {"If-Modified-Since": MOMENT_DATE})
        api.get(f"/api/arc/{arc.id}/issue_list/{query}", 200, {"If-Modified-Since": BEFORE})


def test_an_issue_that_leaves_changes_the_list_it_left(api, arc, make):
    issue = make.issue(arcs=[arc])
    set_stamps(make, arc, issues_modified=MOMENT, issues_modified_before=None)
    path = f"/api/arc/{arc.id}/issue_list/"
    tag = api.get(path).headers["ETag"]
    make.catalog.delete(issue)
    make.session.commit()
    for sent in ({"If-Modified-Since": MOMENT_DATE}, {"If-None-Match": tag}):
        assert api.get(path, 200, sent).json["count"] == 0
