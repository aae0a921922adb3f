"""Merging and deleting catalog objects: the pages say how many readers' entries are affected."""

from datetime import date

from comicsdb.library import collection, pull_list, ratings, wish_list
from tests.lists import make_list
from tests.web.admin.helpers import log_in_as
from tests.web.conftest import soup


def kept(session, make, issue, series):
    """Add an issue and a series to every part of a new reader's library."""
    reader = make.user()
    ratings.rate(session, issue, reader.id, 4, today=date(2026, 3, 4))
    collection.add(session, reader.id, issue.id, {})
    wish_list.add(session, reader.id, issue.id, {})
    pull_list.add(session, reader.id, series.id)
    make_list(session, reader, [issue], is_private=True)


def lines(response, selector):
    return [" ".join(each.get_text(" ").split()) for each in soup(response).select(selector)]


def test_a_deletion_tells_what_readers_lose(testapp, session, make):
    log_in_as(testapp, make, is_superuser=True)
    series = make.series()
    for number in "12":
        kept(session, make, make.issue(series=series, number=number), series)
    found = lines(testapp.get(f"/series/{series.slug}/delete/"), ".notice-conflict li")
    assert found == [
        "2 ratings",
        "2 collection items",
        "2 wishes",
        "2 reading list entries",
        "2 pull list entries",
    ]


def test_a_merge_tells_what_is_led_over(testapp, session, make):
    log_in_as(testapp, make, is_staff=True)
    series, same = make.series(), make.series()
    issue, other = make.issue(series=series, number="1"), make.issue(series=series, number="1B")
    kept(session, make, other, same)
    words = {
        "issue": ("Collection items", "Ratings", "Reading list entries", "Wishes"),
        "series": ("Pull list entries",),
    }
    for kind, (stays, goes) in {"issue": (issue, other), "series": (series, same)}.items():
        page = testapp.get(f"/admin/merge/{kind}/", {"keep": stays.id, "other": goes.id})
        told = lines(page, ".effects > li")
        assert [each for each in told if each.startswith(words[kind])] == told
        assert len(told) == len(words[kind])
