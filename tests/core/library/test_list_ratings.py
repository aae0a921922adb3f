"""Ratings of reading lists: who may give them, and totals of a list that always match them."""

import pytest
from sqlalchemy import delete, select

from comicsdb.catalog import Catalog, InvalidError, NotFoundError
from comicsdb.library import reading_lists as lists
from comicsdb.library.reading_lists import ratings
from comicsdb.models import ReadingList, ReadingListRating, User
from tests.cases import for_each
from tests.concurrency import run_concurrently
from tests.factories import Factories
from tests.lists import OFFICIAL, identity_of, make_list


def rate(session, user, found, stars):
    return ratings.rate(session, identity_of(user), OFFICIAL, found, stars)


def figures(session, found):
    """The stored (number, sum) of a list's ratings; checks them against the ratings themselves."""
    given = session.scalars(
        select(ReadingListRating.rating).where(ReadingListRating.reading_list_id == found.id)
    ).all()
    now = session.get_one(ReadingList, found.id, populate_existing=True)
    assert (now.rating_count, now.rating_sum) == (len(given), sum(given))
    return now.rating_count, now.rating_sum


def test_stars_are_set_changed_and_taken_back_and_only_their_stamp_moves(session, make):
    one, other = make.user(), make.user()
    found = make_list(session, make.user())
    modified, stamps = found.modified, []
    for user, stars, changed, expected in (
        (one, 4, True, (1, 4)),
        (other, 5, True, (2, 9)),
        (other, 5, False, (2, 9)),
        (one, 1, True, (2, 6)),
        (one, None, True, (1, 5)),
        (one, None, False, (1, 5)),
    ):
        assert rate(session, user, found, stars) is changed
        assert figures(session, found) == expected
        assert found.modified == modified
        stamps.append(found.rated)
    assert stamps == sorted(stamps)
    assert len(set(stamps)) == 4


@for_each("wrong", [0, 6, -1, 4.0, True, "5"])
def test_stars_other_than_whole_numbers_from_1_to_5_are_refused(session, make, wrong):
    found = make_list(session, make.user())
    with pytest.raises(InvalidError) as caught:
        rate(session, make.user(), found, wrong)
    assert list(caught.value.errors) == ["rating"]
    assert figures(session, found) == (0, 0)


def test_neither_owners_nor_anybody_on_a_private_list_give_stars(session, make):
    owner, official, editor = make.user(), make.user(OFFICIAL), make.user(groups=("reading list editor",))
    public, private = make_list(session, owner), make_list(session, owner, is_private=True)
    hidden = make_list(session, official, is_private=True)
    for user, found, refusal in (
        (owner, public, InvalidError),
        (owner, private, InvalidError),
        (editor, hidden, InvalidError),
        (editor, private, NotFoundError),
    ):
        with pytest.raises(refusal):
            rate(session, user, found, 5)
        assert figures(session, found) == (0, 0)


def test_a_list_that_becomes_private_keeps_its_stars(session, make):
    owner, reader = make.user(), make.user()
    found = make_list(session, owner)
    rate(session, reader, found, 5)
    lists.update(session, identity_of(owner), OFFICIAL, found, {"is_private": True})
    assert figures(session, found) == (1, 5)
    with pytest.raises(NotFoundError):
        rate(session, reader, found, None)
    lists.update(session, identity_of(owner), OFFICIAL, found, {"is_private": False})
    assert rate(session, reader, found, None) is True
    assert figures(session, found) == (0, 0)


def test_stars_of_the_official_account_go_when_it_gets_the_list(session, make):
    official, editor, reader = make.user(OFFICIAL), make.user(is_staff=True), make.user()
    found = make_list(session, make.user())
    rate(session, official, found, 5)
    rate(session, reader, found, 2)
    lists.assign_to_official(session, identity_of(editor), OFFICIAL, found)
    assert figures(session, found) == (1, 2)


def test_figures_follow_stars_that_go_with_an_account(session, make):
    one, other = make.user(), make.user()
    found = make_list(session, make.user())
    rate(session, one, found, 5)
    rate(session, other, found, 1)
    before = session.get_one(ReadingList, found.id).rated
    session.commit()
    session.execute(delete(User).where(User.id == one.id))
    assert figures(session, found) == (1, 1)
    assert session.get_one(ReadingList, found.id).rated > before


def test_the_last_of_stars_given_at_once_are_counted_once(shared_factory):
    with shared_factory() as session:
        make = Factories(Catalog(session))
        found, reader, another = make_list(session, make.user()), make.user(), make.user()
        identity_of(reader), identity_of(another)
    jobs = [
        lambda catalog, user=user, stars=stars: rate(
            catalog.session, user, catalog.session.get_one(ReadingList, found.id), stars
        )
        for user, stars in ((reader, 1), (reader, 5), (another, 3), (reader, None))
    ]
    run_concurrently(shared_factory, *jobs)
    with shared_factory() as session:
        figures(session, found)
