"""Links between consecutive reading lists: set on both sides if one account manages both lists."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from comicsdb.catalog import Catalog, InvalidError
from comicsdb.library import reading_lists as lists
from comicsdb.library.reading_lists import items
from comicsdb.models import ReadingList
from tests.concurrency import run_concurrently
from tests.factories import Factories
from tests.lists import OFFICIAL, identity_of, make_list
from tests.soak import SOAK


@pytest.fixture
def owner(make):
    return make.user()


@pytest.fixture
def abcd(session, owner):
    return [make_list(session, owner, name=name).id for name in "ABCD"]


def places(session):
    """(previous, next) by list."""
    columns = (ReadingList.id, ReadingList.previous_id, ReadingList.next_id)
    return {row[0]: (row[1], row[2]) for row in session.execute(select(*columns))}


def link(session, user, list_id, **partners):
    """Set neighbours of a list, as its owner or another account."""
    found = lists.find(session, identity_of(user), OFFICIAL, list_id)
    lists.update(session, identity_of(user), OFFICIAL, found, partners)


def test_a_link_is_set_on_both_sides_and_cleared_on_both(session, owner, abcd):
    a, b, c, d = abcd
    link(session, owner, a, next=b)
    link(session, owner, c, previous=b)
    assert places(session) == {a: (None, b), b: (a, c), c: (b, None), d: (None, None)}
    link(session, owner, b, next=None)
    assert places(session) == {a: (None, b), b: (a, None), c: (None, None), d: (None, None)}


def test_a_new_neighbour_leaves_the_one_it_had(session, owner, abcd):
    a, b, c, d = abcd
    link(session, owner, a, next=b)
    link(session, owner, c, next=b)
    assert places(session) == {a: (None, None), b: (c, None), c: (None, b), d: (None, None)}
    link(session, owner, c, next=d)
    assert places(session) == {a: (None, None), b: (None, None), c: (None, d), d: (c, None)}


def test_a_list_comes_between_two_at_once_and_sides_are_changed_at_once(session, owner, abcd):
    a, b, c, d = abcd
    link(session, owner, a, next=b)
    link(session, owner, c, previous=a, next=b)
    assert places(session) == {a: (None, c), c: (a, b), b: (c, None), d: (None, None)}
    link(session, owner, c, previous=b, next=a)
    assert places(session) == {a: (c, None), c: (b, a), b: (None, c), d: (None, None)}


def test_a_new_list_has_its_neighbours_at_once(session, owner, abcd):
    a, b, *_ = abcd
    made = make_list(session, owner, previous=a, next=b)
    assert (made.previous_id, made.next_id) == (a, b)
    assert (places(session)[a], places(session)[b]) == ((None, made.id), (made.id, None))


def test_a_list_is_not_its_own_neighbour_and_no_list_stands_on_both_sides(session, owner, abcd):
    a, b, *_ = abcd
    for partners, field in (({"next": a}, "next"), ({"previous": b, "next": b}, "next")):
        with pytest.raises(InvalidError) as caught:
            link(session, owner, a, **partners)
        assert list(caught.value.errors) == [field]
    link(session, owner, a, next=b)
    with pytest.raises(InvalidError) as caught:
        link(session, owner, a, previous=b)
    assert list(caught.value.errors) == ["previous"]
    link(session, owner, b, previous=None, next=a)
    assert (places(session)[a], places(session)[b]) == ((b, None), (None, a))


def test_nothing_is_written_to_the_list_of_another(session, make, owner, abcd):
    a, b, *_ = abcd
    other = make.user()
    theirs = make_list(session, other, next=a)  # a's owner did not ask for it
    assert places(session)[a] == (None, None)
    link(session, owner, a, next=theirs.id)
    assert places(session)[a] == (None, theirs.id)
    assert places(session)[theirs.id] == (None, a)
    link(session, owner, b, next=a)
    link(session, owner, a, next=None)
    assert places(session)[theirs.id] == (None, a)
    assert (places(session)[a], places(session)[b]) == ((b, None), (None, a))


def test_a_list_that_may_not_be_seen_is_refused_as_one_that_is_not_there(session, make, owner, abcd):
    hidden = make_list(session, make.user(), is_private=True).id
    for unseen in (hidden, 999_999):
        with pytest.raises(InvalidError) as caught:
            link(session, owner, abcd[0], next=unseen)
        assert caught.value.errors == {"next": [f'Invalid pk "{unseen}" - object does not exist.']}
    assert places(session)[abcd[0]] == (None, None)


def test_list_editors_link_the_official_lists_on_both_sides(session, make):
    editor, official = make.user(groups=("reading list editor",)), make.user(OFFICIAL)
    one, own = make_list(session, official, is_private=True), make_list(session, editor)
    link(session, editor, own.id, next=one.id)
    assert places(session) == {own.id: (None, one.id), one.id: (own.id, None)}


def test_neighbours_are_shown_to_those_who_may_see_them(session, make, owner):
    hidden = make_list(session, owner, is_private=True)
    shown = make_list(session, owner)
    middle = make_list(session, owner, previous=hidden.id, next=shown.id)
    assert lists.neighbours(session, None, OFFICIAL, middle) == (None, shown)
    assert lists.neighbours(session, identity_of(make.user()), OFFICIAL, middle) == (None, shown)
    assert lists.neighbours(session, identity_of(owner), OFFICIAL, middle) == (hidden, shown)


def moved_by(session, act):
    """The lists whose stamps an act changes."""
    before = dict(session.execute(select(ReadingList.id, ReadingList.modified)).all())
    act()
    after = dict(session.execute(select(ReadingList.id, ReadingList.modified)).all())
    return {each for each, stamp in after.items() if stamp != before[each]}


def test_neighbours_move_with_what_they_show_of_a_list(session, owner, abcd):
    a, b, c, _d = abcd
    link(session, owner, b, previous=a, next=c)
    found = lists.find(session, identity_of(owner), OFFICIAL, b)

    def change(**values):
        return moved_by(session, lambda: lists.update(session, identity_of(owner), OFFICIAL, found, values))

    assert change(name="Bee") == {a, b, c}
    assert change(is_private=True) == {a, b, c}
    assert change(is_private=False) == {a, b, c}
    assert change(desc="x", name="Bee") == {b}
    assert moved_by(session, lambda: lists.remove(session, identity_of(owner), OFFICIAL, found)) == {a, c}
    assert (places(session)[a], places(session)[c]) == ((None, None), (None, None))


PARTNER = st.one_of(st.none(), st.integers(0, 5))
SIDES = st.dictionaries(st.sampled_from(["previous", "next"]), PARTNER, min_size=1)


def assert_mirrored(links, whose):
    """Check that links between lists of one owner go both ways, and that no list is twice beside another."""
    for one, (previous, following) in links.items():
        assert one not in {previous, following}
        assert previous is None or previous != following
        if previous is not None and whose[previous] is whose[one]:
            assert links[previous][1] == one
        if following is not None and whose[following] is whose[one]:
            assert links[following][0] == one


def test_any_sequence_keeps_links_mirrored_and_those_of_others_untouched(session, make, owner):
    other = make.user()
    whose = {make_list(session, user).id: user for user in (*[owner] * 4, *[other] * 2)}
    made = list(whose)

    @settings(max_examples=SOAK or 25)
    @given(st.lists(st.tuples(st.integers(0, 5), SIDES, st.booleans()), max_size=10))
    def play(acts):
        with session.begin_nested() as savepoint:
            check(acts)
            savepoint.rollback()

    def check(acts):
        for number, sides, away in acts:
            each = made[number]
            user, before = whose[each], places(session)
            if each not in before:
                continue
            try:
                if away and len(sides) == 2:
                    found = lists.find(session, identity_of(user), OFFICIAL, each)
                    lists.remove(session, identity_of(user), OFFICIAL, found)
                else:
                    partners = {side: None if at is None else made[at] for side, at in sides.items()}
                    link(session, user, each, **partners)
            except InvalidError:
                assert places(session) == before
            after = places(session)
            assert_mirrored(after, whose)
            for one in after:
                if whose[one] is not user:
                    assert after[one] == tuple(at if at in after else None for at in before[one])

    play()


# Concurrent writes.


def test_lists_linked_and_filled_at_once_end_mirrored_and_dense(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        user, series = make.user(), make.series()
        issues = [make.issue(series=series, number=str(number)) for number in range(8)]
        ids = [make_list(session, user, issues[:4]).id for _ in range(4)]
        doomed = issues[0].id
        identity, issue_ids = identity_of(user), [each.id for each in issues]

    def act(number):
        def job(catalog):
            session, mine = catalog.session, ids[number % 4]
            found = lists.find(session, identity, OFFICIAL, mine)
            if number < 4:
                following = ids[(number + 1 + number % 2) % 4]
                with suppress(InvalidError):  # it may have become the previous list meanwhile
                    lists.update(
                        session, identity, OFFICIAL, found, {"next": following, "name": f"N{number}"}
                    )
            elif number < 8:
                hold = lists.lock_list(session, identity, OFFICIAL, found)
                items.reorder(hold, issue_ids[::-1], issue_ids[4:])
            else:
                catalog.delete(session.get_one(type(issues[0]), doomed))

        return job

    run_concurrently(factory, *(act(number) for number in range(9)))
    with factory() as session:
        found = places(session)
        for one, (previous, following) in found.items():
            assert previous is None or found[previous][1] == one
            assert following is None or found[following][0] == one
        rows = session.execute(
            select(items.ReadingListItem.reading_list_id, items.ReadingListItem.order).order_by(
                items.ReadingListItem.reading_list_id, items.ReadingListItem.order
            )
        ).all()
        assert rows == [(each, place) for each in sorted(ids) for place in range(1, 8)]


def test_a_name_taken_at_the_same_time_is_refused_and_a_slug_made_anew(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        one, other = identity_of(make.user()), identity_of(make.user())

    def job(identity):
        def create(catalog):
            try:
                return lists.create(catalog.session, identity, OFFICIAL, {"name": "Race"}).slug
            except InvalidError as error:
                return error.errors

        return create

    made = run_concurrently(factory, job(one), job(one), job(other))
    assert made.count({"name": [lists.SAME_NAME]}) == 1
    assert sorted(each for each in made if isinstance(each, str)) == ["race", "race-1"]
