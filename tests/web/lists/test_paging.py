"""Far pages of long lists, found from places that are kept: they show what walking there would."""

import re
from datetime import date

import pytest
from sqlalchemy import insert, select

from comicsdb.db import keyset
from comicsdb.models import Issue, Series
from comicsdb_web.lists import cards, paging
from comicsdb_web.lists.cards import ISSUE_SORTS
from tests.conftest import recording
from tests.web.conftest import soup

NUMBER = 90  # issues: four pages


@pytest.fixture
def long_list(make, session):
    """Issues of three series, many of the same dates or of none."""
    runs = [make.series(name=name).id for name in ("Élan", "Elan", "Zoo")]
    rows = [
        {
            "series_id": runs[each % 3],
            "number": str(each),
            "slug": f"far-{each}",
            "cover_date": date(2020, 1 + each % 4, 1),
            "store_date": None if each % 5 < 2 else date(2020, 3, 1 + each % 3),
            "created_by_id": 1,
            "edited_by_id": 1,
            "rating_id": 1,
        }
        for each in range(NUMBER)
    ]
    session.execute(insert(Issue), rows)
    make.issue(number="last")  # which tells everybody that there are more
    session.commit()


@pytest.mark.parametrize("sort", ["", *ISSUE_SORTS])
def test_far_pages_are_those_that_walking_finds(testapp, session, connection, long_list, monkeypatch, sort):
    monkeypatch.setattr(paging, "STEP", 9)
    monkeypatch.setattr(paging, "FAR", 9)
    order = cards.order(Issue, sort)
    wanted = list(session.scalars(select(Issue.slug).join(Issue.series).order_by(*order)))
    shown = []
    for page in range(1, 5):
        with recording(connection) as statements:
            found = soup(testapp.get(f"/issue/?sort={sort}&page={page}"))
        shown += [link["href"].split("/")[2] for link in found.select(".card .card-label")]
        from_place = re.search(r"[<>]= \(*(\$|CAST)", "".join(statements))
        assert bool(from_place) == (page > 1)
    assert shown == wanted


def test_the_number_of_rows_is_right_after_a_write(testapp, make, long_list):
    make.issue(number="one more")
    make.session.commit()
    assert soup(testapp.get("/issue/?page=last")).select_one(".list-count").get_text() == "92 results"


def test_of_two_orders_the_last_counts_for_what_is_kept_too(testapp, long_list, monkeypatch):
    monkeypatch.setattr(paging, "STEP", 9)
    monkeypatch.setattr(paging, "FAR", 9)
    for first, last in (("added", "cover_old"), ("cover_old", "added")):
        twice = testapp.get(f"/issue/?sort={first}&sort={last}&page=3")
        once = testapp.get(f"/issue/?sort={last}&page=3")
        assert [each.text for each in soup(twice).select(".card-label")] == [
            each.text for each in soup(once).select(".card-label")
        ]


def test_an_order_with_places_goes_one_way():
    with pytest.raises(ValueError, match="single direction"):
        keyset.keys((Series.sort_name, Series.id.desc()))
