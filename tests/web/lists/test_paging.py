"""Far pages of long lists, which start at cached positions: they show the same rows as plain paging would."""

import re
from datetime import date

import pytest
from sqlalchemy import insert, select

from comicsdb.db import keyset
from comicsdb.library import ratings
from comicsdb.models import Issue, Series
from comicsdb_web.lists import cards, paging
from comicsdb_web.lists.cards import ISSUE_SORTS, SERIES_SORTS
from tests.conftest import record_statements
from tests.web.conftest import labels, soup

NUMBER = 90  # issues, which fill four pages


@pytest.fixture
def long_list(make, session):
    """Issues of three series, many with the same dates or without a store date."""
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
    make.issue(number="last")  # through the service, so that caches notice the inserted rows
    session.commit()


@pytest.mark.parametrize("sort", ["", *ISSUE_SORTS])
def test_far_pages_are_those_that_walking_finds(testapp, session, connection, long_list, monkeypatch, sort):
    monkeypatch.setattr(paging, "SURVEY_STEP", 9)
    monkeypatch.setattr(paging, "SURVEY_OFFSET_MIN", 9)
    order = cards.order(Issue, sort)
    wanted = list(session.scalars(select(Issue.slug).join(Issue.series).order_by(*order)))
    shown = []
    for page in range(1, 5):
        with record_statements(connection) as statements:
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
    monkeypatch.setattr(paging, "SURVEY_STEP", 9)
    monkeypatch.setattr(paging, "SURVEY_OFFSET_MIN", 9)
    for first, last in (("added", "cover_old"), ("cover_old", "added")):
        twice = testapp.get(f"/issue/?sort={first}&sort={last}&page=3")
        once = testapp.get(f"/issue/?sort={last}&page=3")
        assert [each.text for each in soup(twice).select(".card-label")] == [
            each.text for each in soup(once).select(".card-label")
        ]


def test_an_order_with_places_goes_one_way():
    with pytest.raises(ValueError, match="single direction"):
        keyset.sort_keys((Series.sort_name, Series.id.desc()))


def test_series_are_sorted_by_size_last_issue_and_rating(testapp, make, session, member):
    runs = {name: make.series(name=name) for name in ("Ant", "Bee", "Cat")}
    for name, years in {"Ant": (2001,), "Bee": (1999, 2000), "Cat": ()}.items():
        for year in years:
            make.issue(series=runs[name], number=str(year), cover_date=date(year, 1, 1))
    session.commit()

    def names(sort):
        return [each.split()[0] for each in labels(testapp.get(f"/series/?sort={sort}"))]

    assert names("size") == ["Bee", "Ant", "Cat"]
    assert names("last") == ["Ant", "Bee", "Cat"]
    assert names("cover_new") == ["Ant", "Bee", "Cat"]  # not an order of series
    rated = session.scalar(select(Issue).where(Issue.series_id == runs["Bee"].id))
    assert names("rating") == ["Cat", "Bee", "Ant"]
    ratings.rate(session, rated, member.id, 2, today=date(2026, 3, 4))
    session.commit()
    answer = testapp.get("/series/?sort=rating")
    assert "X-Cache" not in answer.headers  # not cached, as ratings do not change versions
    assert names("rating") == ["Bee", "Cat", "Ant"]
    assert labels(testapp.get("/series/?rating=2")) == ["Bee (2020)"]
    ratings.rate(session, rated, member.id, 1, today=date(2026, 3, 4))
    session.commit()
    assert labels(testapp.get("/series/?rating=2")) == []


def test_far_pages_of_sorted_series(testapp, make, session, monkeypatch):
    monkeypatch.setattr(paging, "SURVEY_STEP", 9)
    monkeypatch.setattr(paging, "SURVEY_OFFSET_MIN", 9)
    with make.single_commit():
        for number in range(60):
            run = make.series(name=f"Run {number}")
            for each in range(number % 3):
                make.issue(series=run, number=str(each), cover_date=date(2000 + number % 4, 1, 1))
    session.commit()
    for sort in SERIES_SORTS:
        wanted = list(session.scalars(select(Series.slug).order_by(*cards.order(Series, sort))))
        shown = []
        for page in (1, 2, 3):
            found = soup(testapp.get(f"/series/?sort={sort}&page={page}"))
            shown += [link["href"].split("/")[2] for link in found.select(".card .card-label")]
        assert shown == wanted, sort
