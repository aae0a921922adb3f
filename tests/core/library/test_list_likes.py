"""Likes and copies of reading lists: who may make them, how they are counted, and undoing them."""

from datetime import date

import pytest
from sqlalchemy import delete, func, select

from comicsdb.catalog import Catalog, InvalidError, NotFoundError
from comicsdb.library import reading_lists as lists
from comicsdb.library.reading_lists import forks, likes
from comicsdb.library.undo import undo
from comicsdb.models import LibraryAct, ReadingList, ReadingListItem, ReadingListLike, User
from tests.concurrency import run_concurrently
from tests.factories import Factories
from tests.lists import OFFICIAL, identity_of, make_list

TODAY = date(2026, 11, 23)


def like(session, user, found, liked=True):
    return likes.like(session, identity_of(user), OFFICIAL, found, liked=liked)


def fork(session, user, found):
    made = forks.fork(session, identity_of(user), OFFICIAL, found)
    session.commit()
    return made


def number(session, found):
    """The stored number of likes; checks it against the likes themselves."""
    given = select(func.count()).where(ReadingListLike.reading_list_id == found.id)
    now = session.get_one(ReadingList, found.id, populate_existing=True)
    assert now.like_count == session.scalar(given)
    return now.like_count


def undo_last(session, user):
    session.commit()
    last = session.scalar(select(func.max(LibraryAct.id)).where(LibraryAct.user_id == user.id))
    return undo(session, identity_of(user), OFFICIAL, last, today=TODAY)


def held(session, found):
    rows = select(ReadingListItem.issue_id, ReadingListItem.order, ReadingListItem.issue_type)
    rows = rows.where(ReadingListItem.reading_list_id == found.id).order_by(ReadingListItem.order)
    return [tuple(row) for row in session.execute(rows)]


def test_an_account_likes_a_list_once_and_no_stamp_moves(session, make):
    one, other, owner = make.user(), make.user(), make.user()
    found = make_list(session, owner)
    stamps = found.modified, found.rated
    for user, liked, changed, expected in (
        (one, True, True, 1),
        (one, True, False, 1),
        (other, True, True, 2),
        (one, False, True, 1),
        (one, False, False, 1),
    ):
        assert like(session, user, found, liked) is changed
        assert number(session, found) == expected
    assert (found.modified, found.rated) == stamps
    told = [
        likes.reception(session, user and identity_of(user), OFFICIAL, found.id)
        for user in (other, one, None)
    ]
    assert [each.liked for each in told] == [True, False, False]
    session.execute(delete(User).where(User.id == other.id))
    assert number(session, found) == 0


def test_own_and_private_lists_are_neither_liked_nor_copied(session, make):
    owner, official, editor = make.user(), make.user(OFFICIAL), make.user(groups=("reading list editor",))
    public, private = make_list(session, owner), make_list(session, owner, is_private=True)
    hidden = make_list(session, official, is_private=True)
    for user, found, refusal in (
        (owner, public, InvalidError),
        (owner, private, InvalidError),
        (editor, hidden, InvalidError),
        (editor, private, NotFoundError),
    ):
        for act in (like, fork):
            with pytest.raises(refusal):
                act(session, user, found)
        assert number(session, found) == 0
    assert session.scalar(select(func.count()).select_from(ReadingList)) == 3


def test_likes_stay_with_a_list_that_is_private_for_a_while_and_go_with_its_owner_s(session, make):
    owner, reader, official, editor = (
        make.user(),
        make.user(),
        make.user(OFFICIAL),
        make.user(is_staff=True),
    )
    found = make_list(session, owner)
    like(session, reader, found)
    like(session, official, found)
    lists.update(session, identity_of(owner), OFFICIAL, found, {"is_private": True})
    assert number(session, found) == 2
    with pytest.raises(NotFoundError):
        like(session, reader, found, liked=False)
    lists.update(session, identity_of(owner), OFFICIAL, found, {"is_private": False})
    lists.assign_to_official(session, identity_of(editor), OFFICIAL, found)
    assert number(session, found) == 1


def test_likes_are_undone_and_come_back_with_a_list(session, make):
    owner, reader = make.user(), make.user()
    found = make_list(session, owner)
    like(session, reader, found)
    assert undo_last(session, reader).restored == 1
    assert number(session, found) == 0
    assert undo_last(session, reader).restored == 1  # the undo is undone
    assert number(session, found) == 1
    session.commit()
    lists.remove(session, identity_of(owner), OFFICIAL, found)
    assert undo_last(session, owner).restored == 2
    assert number(session, found) == 1


def test_likes_given_at_once_are_all_counted(shared_factory):
    with shared_factory() as session:
        make = Factories(Catalog(session))
        found, readers = make_list(session, make.user()), [make.user() for _ in range(3)]
        for each in readers:
            identity_of(each)
    jobs = [
        lambda catalog, user=user: like(catalog.session, user, catalog.session.get_one(ReadingList, found.id))
        for user in (*readers, readers[0])
    ]
    run_concurrently(shared_factory, *jobs)
    with shared_factory() as session:
        assert number(session, found) == 3


def test_a_copy_is_private_has_the_same_issues_and_names_its_original(session, make):
    owner, reader, other = make.user(), make.user(), make.user()
    series = make.series()
    issues = [make.issue(series=series, number=str(n)) for n in (1, 2, 3)]
    near = make_list(session, owner)
    found = make_list(session, owner, issues, name="Night", desc="In order.", list_type="STORY", next=near.id)
    session.execute(
        ReadingListItem.__table__.update().where(ReadingListItem.issue_id == issues[1].id),
        {"issue_type": "TIE_IN"},
    )
    modified = session.get_one(ReadingList, found.id, populate_existing=True).modified
    made, again = fork(session, reader, found), fork(session, reader, found)
    assert (made.name, again.name) == ("Night", "Night (2)")
    assert (made.desc, made.list_type, made.is_private) == ("In order.", "STORY", True)
    assert (made.next_id, made.user_id, made.slug[0]) == (None, reader.id, "p")
    assert held(session, made) == held(session, found)
    assert session.get_one(ReadingList, found.id, populate_existing=True).modified == modified

    def seen_by(user):
        return likes.reception(session, user and identity_of(user), OFFICIAL, found.id).copies

    assert [seen_by(user) for user in (None, other, owner, reader)] == [0, 0, 0, 2]
    lists.update(session, identity_of(reader), OFFICIAL, made, {"is_private": False})
    assert [seen_by(user) for user in (None, other, owner, reader)] == [1, 1, 1, 2]
    assert forks.original(session, identity_of(reader), OFFICIAL, made).id == found.id
    # A hidden original is not named, a deleted one is forgotten.
    lists.update(session, identity_of(owner), OFFICIAL, found, {"is_private": True})
    assert forks.original(session, identity_of(reader), OFFICIAL, made) is None
    session.commit()
    lists.remove(session, identity_of(owner), OFFICIAL, found)
    session.expire_all()
    assert made.forked_from_id is None
    assert undo_last(session, owner).gone == 0
    assert len(held(session, made)) == 3


def test_copying_is_undone_as_a_whole(session, make):
    owner, reader = make.user(), make.user()
    found = make_list(session, owner, [make.issue(), make.issue()])
    made = fork(session, reader, found).id
    assert undo_last(session, reader).restored == 3
    assert session.scalar(select(ReadingList.id).where(ReadingList.id == made)) is None
    assert undo_last(session, reader).restored == 3
    of = select(ReadingList.forked_from_id).where(ReadingList.id == made)
    assert session.scalar(of) == found.id
