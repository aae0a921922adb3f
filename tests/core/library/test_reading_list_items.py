"""The issues of reading lists: adding, ordering and types; positions are always 1 to n."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select, text

from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.library.reading_lists import items
from comicsdb.library.reading_lists.items import BEGINNING, DOWN, UP, AddResult, ReorderResult
from comicsdb.models import ReadingList, ReadingListItem
from tests.cases import for_each
from tests.conftest import record_statements
from tests.lists import locked_list, make_list
from tests.soak import SOAK


def stored(session, reading_list):
    """The issues of a list in order; checks that its positions are 1 to n."""
    rows = session.execute(
        select(ReadingListItem.issue_id, ReadingListItem.order)
        .where(ReadingListItem.reading_list_id == reading_list.id)
        .order_by(ReadingListItem.order)
    ).all()
    assert [place for _issue, place in rows] == list(range(1, len(rows) + 1))
    return [issue for issue, _place in rows]


def item_of(session, reading_list, issue_id):
    """The id of the item that holds an issue."""
    wanted = select(ReadingListItem.id).where(
        ReadingListItem.reading_list_id == reading_list.id, ReadingListItem.issue_id == issue_id
    )
    return session.scalars(wanted).one()


@pytest.fixture
def owner(make):
    return make.user()


@pytest.fixture
def series(make):
    return make.series()


@pytest.fixture
def numbers(make, series):
    """Ids of a series' issues by number; 9 and 10 came out in the same month."""
    months = {"8": 1, "9": 2, "10": 2, "11": 3, "½": 3, "12": 4}
    with make.single_commit():
        return {
            number: make.issue(series=series, number=number, cover_date=date(2020, month, 1)).id
            for number, month in months.items()
        }


@pytest.fixture
def empty(session, owner):
    return make_list(session, owner)


def test_issues_come_at_either_end_once_each(session, owner, empty, numbers):
    a, b, c, d, *_ = numbers.values()
    assert items.add_issues(locked_list(session, owner, empty), [b, a, b]) == AddResult(2, 1)
    assert items.add_issues(locked_list(session, owner, empty), [a, c, d], at=BEGINNING) == AddResult(2, 1)
    assert stored(session, empty) == [c, d, b, a]
    assert items.add_issues(locked_list(session, owner, empty), []) == AddResult(0, 0)


def test_issues_that_are_not_there_are_refused_and_nothing_comes_in(session, owner, empty, numbers):
    for wrong in (0, -1, 2**31, 2**70, 999_999):
        with pytest.raises(InvalidError) as caught:
            items.add_issues(locked_list(session, owner, empty), [numbers["8"], wrong])
        assert caught.value.errors == {"issues": [f'Invalid pk "{wrong}" - object does not exist.']}
    with pytest.raises(InvalidError) as caught:
        items.add_issues(locked_list(session, owner, empty), [numbers["8"]], at="middle")
    assert list(caught.value.errors) == ["at"]
    assert stored(session, empty) == []


def test_issues_may_come_with_their_types(session, owner, empty, numbers):
    one, other, *_ = numbers.values()
    items.add_issues(locked_list(session, owner, empty), [one, other], types={other: "TIE_IN"})
    kinds = select(ReadingListItem.issue_id, ReadingListItem.issue_type)
    assert dict(session.execute(kinds).all()) == {one: "", other: "TIE_IN"}
    with pytest.raises(InvalidError) as caught:
        items.add_issues(locked_list(session, owner, empty), [numbers["12"]], types={numbers["12"]: "MAIN"})
    assert list(caught.value.errors) == ["issue_type"]


# From a series or an arc.


@for_each(
    "asked,expected",
    [
        ({"whole": True}, ["8", "9", "10", "11", "½", "12"]),
        ({"first": "9", "last": "10"}, ["9", "10"]),  # of one month, and "10" sorts before "9" as text
        ({"first": "10"}, ["10", "11", "½", "12"]),
        ({"last": " 9 "}, ["8", "9"]),
        ({"first": "11", "last": "11"}, ["11"]),
    ],
)
def test_a_series_comes_in_the_order_of_its_cover_dates(
    session, owner, empty, series, numbers, asked, expected
):
    wanted = [numbers[each] for each in expected]
    assert items.add_series(locked_list(session, owner, empty), series.id, **asked) == AddResult(
        len(wanted), 0
    )
    assert stored(session, empty) == wanted
    assert items.add_series(locked_list(session, owner, empty), series.id, **asked) == AddResult(
        0, len(wanted)
    )
    session.rollback()


@for_each(
    "asked,fields",
    [
        ({}, ["first"]),
        ({"first": " ", "last": ""}, ["first"]),
        ({"first": "13"}, ["first"]),
        ({"first": "0", "last": "13"}, ["first", "last"]),
        ({"first": "11", "last": "9"}, ["last"]),
    ],
)
def test_bounds_that_say_nothing_are_refused(session, owner, empty, series, numbers, asked, fields):
    with pytest.raises(InvalidError) as caught:
        items.add_series(locked_list(session, owner, empty), series.id, **asked)
    assert list(caught.value.errors) == fields
    assert stored(session, empty) == []


def test_add_series_number_in_another_spelling_is_recognized(session, make, owner, empty, series):
    first = make.issue(series=series, number="1.mu", cover_date=date(2020, 1, 1)).id
    items.add_series(locked_list(session, owner, empty), series.id, first="#01 MU", last="1MU")
    assert stored(session, empty) == [first]


def test_an_arc_comes_in_the_order_of_its_cover_dates(session, make, owner, empty):
    arc = make.arc()
    late = make.issue(arcs=[arc], cover_date=date(2021, 1, 1)).id
    early = make.issue(arcs=[arc], cover_date=date(2020, 1, 1)).id
    make.issue()
    items.add_issues(locked_list(session, owner, empty), [late])
    assert items.add_arc(locked_list(session, owner, empty), arc.id, at=BEGINNING) == AddResult(1, 1)
    assert stored(session, empty) == [early, late]


@for_each("wrong", [0, 2**40, 999_999])
def test_a_series_or_an_arc_that_is_not_there_is_refused(session, owner, empty, wrong):
    for add, field in ((items.add_series, "series"), (items.add_arc, "arc")):
        with pytest.raises(InvalidError) as caught:
            add(locked_list(session, owner, empty), wrong)
        assert list(caught.value.errors) == [field]


# Order.


def test_an_order_counts_what_came_moved_and_was_left_out(session, make, owner, numbers):
    a, b, c, d, e, f = numbers.values()
    found = make_list(session, owner)
    items.add_issues(locked_list(session, owner, found), [a, b, c, d])
    assert items.reorder(
        locked_list(session, owner, found), [c, e, c, 0, f, a], [e, 999_999, b]
    ) == ReorderResult(1, 1, 5)
    assert stored(session, found) == [c, e, a, b, d]
    before = session.get(ReadingList, found.id).modified
    assert items.reorder(locked_list(session, owner, found), [c, e, a]) == ReorderResult(0, 0, 0)
    assert session.get(ReadingList, found.id).modified == before
    assert items.reorder(locked_list(session, owner, found), [f], [f]) == ReorderResult(1, 0, 0)
    assert stored(session, found) == [f, c, e, a, b, d]


def test_an_item_moves_by_one_or_to_a_position_within_the_list(session, owner, numbers):
    a, b, c, d, *_ = numbers.values()
    found = make_list(session, owner)
    items.add_issues(locked_list(session, owner, found), [a, b, c, d])
    item = item_of(session, found, b)
    for to, position, order in (
        (UP, 1, [b, a, c, d]),
        (UP, 1, [b, a, c, d]),
        (3, 3, [a, c, b, d]),
        (DOWN, 4, [a, c, d, b]),
        (DOWN, 4, [a, c, d, b]),
        (-5, 1, [b, a, c, d]),
        (10**12, 4, [a, c, d, b]),
    ):
        assert items.move(locked_list(session, owner, found), item, to) == position
        assert stored(session, found) == order
    with pytest.raises(InvalidError):
        items.move(locked_list(session, owner, found), item, "sideways")


def test_an_item_is_reached_through_its_own_list_only(session, owner, numbers):
    found, other = make_list(session, owner), make_list(session, owner)
    items.add_issues(locked_list(session, owner, other), [numbers["8"]])
    item = item_of(session, other, numbers["8"])
    for write in (
        lambda: items.move(locked_list(session, owner, found), item, UP),
        lambda: items.set_type(locked_list(session, owner, found), item, "CORE"),
        lambda: items.remove_item(locked_list(session, owner, found), item),
        lambda: items.remove_item(locked_list(session, owner, other), 2**40),
    ):
        with pytest.raises(NotFoundError):
            write()
    assert stored(session, other) == [numbers["8"]]


def test_a_type_is_set_and_taken_away(session, owner, numbers):
    found = make_list(session, owner)
    items.add_issues(locked_list(session, owner, found), [numbers["8"]])
    item = item_of(session, found, numbers["8"])
    for code in ("PROLOGUE", "EPILOGUE", ""):
        items.set_type(locked_list(session, owner, found), item, code)
        assert session.get(ReadingListItem, item, populate_existing=True).issue_type == code
    with pytest.raises(InvalidError) as caught:
        items.set_type(locked_list(session, owner, found), item, "core")
    assert list(caught.value.errors) == ["issue_type"]


def test_every_change_moves_the_stamps_of_the_list_and_its_neighbours_alone(session, owner, numbers):
    first = make_list(session, owner)
    found = make_list(session, owner, previous=first.id)
    make_list(session, owner)  # no neighbour
    for write in (
        lambda hold, _item: items.add_issues(hold, list(numbers.values())),
        lambda hold, _item: items.reorder(hold, [numbers["12"]]),
        lambda hold, item: items.move(hold, item(), UP),
        lambda hold, item: items.set_type(hold, item(), "CORE"),
        lambda hold, item: items.remove_item(hold, item()),
    ):
        before = dict(session.execute(select(ReadingList.id, ReadingList.modified)).all())
        write(locked_list(session, owner, found), lambda: item_of(session, found, numbers["10"]))
        rows = session.execute(select(ReadingList.id, ReadingList.modified, ReadingList.modified_before))
        moved = {each for each, stamp, _before in rows if stamp > before[each]}
        assert moved == {first.id, found.id}
        assert session.get(ReadingList, found.id).modified > before[found.id]  # refreshed, not cached


# Random sequences.

PLACE = st.integers(0, 7)
ACTS = st.one_of(
    st.tuples(st.just("add"), st.lists(PLACE, max_size=5), st.sampled_from(["beginning", "end"])),
    st.tuples(st.just("reorder"), st.lists(PLACE, max_size=8), st.lists(PLACE, max_size=3)),
    st.tuples(st.just("move"), PLACE, st.one_of(st.sampled_from(["up", "down"]), st.integers(-1, 10))),
    st.tuples(st.just("remove"), PLACE, st.none()),
)


def modelled(order, act, what, more):
    """The expected order, computed with a Python list."""
    if act == "add":
        fresh = [each for each in dict.fromkeys(what) if each not in order]
        return fresh + order if more == "beginning" else order + fresh
    if act == "reorder":
        known = [each for each in dict.fromkeys(what) if each in order or each in more]
        return list(dict.fromkeys([*known, *(each for each in more if each not in order), *order]))
    place = order.index(what)
    rest = order[:place] + order[place + 1 :]
    if act == "remove":
        return rest
    to = {"up": place, "down": place + 2}.get(more, more)
    to = min(max(to, 1), len(order)) - 1
    return [*rest[:to], what, *rest[to:]]


@pytest.fixture
def eight(make, series):
    return [make.issue(series=series, number=f"n{number}").id for number in range(8)]


def test_any_sequence_of_acts_gives_the_order_that_it_says(session, owner, eight):
    @settings(max_examples=SOAK or 25)
    @given(st.lists(ACTS, max_size=8))
    def play(acts):
        found, order = make_list(session, owner), []
        for act, what, more in acts:
            if act in {"move", "remove"} and what not in order:
                continue
            hold = locked_list(session, owner, found)
            if act == "add":
                items.add_issues(hold, [eight[each] for each in what], at=more)
            elif act == "reorder":
                items.reorder(hold, [eight[each] for each in what], [eight[each] for each in more])
            else:
                item = item_of(session, found, eight[what])
                items.move(hold, item, more) if act == "move" else items.remove_item(hold, item)
            order = modelled(order, act, what, more)
            assert stored(session, found) == [eight[each] for each in order]

    play()


def test_two_thousand_issues_cost_as_many_statements_as_two(session, make, owner, series, connection):
    session.execute(
        text(
            "INSERT INTO issue (slug, series_id, number, cover_date) SELECT 'many-' || n, :series, n,"
            " date '2000-01-01' + n FROM generate_series(1, 2000) n"
        ),
        {"series": series.id},
    )
    found = make_list(session, owner)
    hold = locked_list(session, owner, found)
    with record_statements(connection) as statements:
        assert items.add_series(hold, series.id, whole=True) == AddResult(2000, 0)
    assert len(statements) <= 7, statements
    order = stored(session, found)
    with record_statements(connection) as statements:
        assert items.reorder(hold, order[::-1]) == ReorderResult(0, 1999, 0)
    assert len(statements) <= 5, statements
    assert stored(session, found) == order[::-1]
    assert session.scalar(select(func.count()).select_from(ReadingListItem)) == 2000
