"""Readers' writes, other than ratings, wait neither for edits of the catalog nor for other readers."""

from contextlib import contextmanager
from datetime import date

import pytest
from sqlalchemy import select, text

from comicsdb.catalog import Catalog
from comicsdb.library import collection, pull_list, reading_lists, wish_list
from comicsdb.library.reading_lists import items
from comicsdb.models import Issue, ReadingList, ReadingListItem, Series, User
from tests.concurrency import run_concurrently
from tests.factories import Factories
from tests.lists import OFFICIAL, identity_of, make_list

TODAY = date(2026, 3, 4)


@pytest.fixture
def issue(factory):
    """The id of an issue; Ada and Ben each have a list with another issue of its series."""
    with factory() as session:
        make = Factories(Catalog(session))
        series = make.series()
        issue, other = (make.issue(series=series, number=number) for number in "12")
        for name in ("Ada", "Ben"):
            make_list(session, make.user(name), [other], name="Rain")
        session.commit()
        return issue.id


def account(session, name):
    return session.scalars(select(User).where(User.username == name)).one()


def write_everything(session, name, issue_id):
    """Write all that a reader can about an issue, except ratings, whose totals all readers share."""
    reader = identity_of(account(session, name))
    user = reader.user_id
    series_id = session.get_one(Issue, issue_id).series_id
    collection.scrobble(session, user, issue_id, None, today=TODAY)
    wish_list.add(session, user, issue_id, {})
    pull_list.add(session, user, series_id)
    own = session.scalars(select(ReadingList).where(ReadingList.user_id == user)).one()
    items.add_issues(reading_lists.lock_list(session, reader, OFFICIAL, own), [issue_id])
    reading_lists.create(session, reader, OFFICIAL, {"name": f"{name}'s", "previous": own.id})


@contextmanager
def impatient(factory):
    """A session in which waiting for a lock is an error."""
    with factory() as session:
        session.execute(text("SET lock_timeout = '2s'"))
        yield session


def test_readers_do_not_wait_for_who_edits_what_they_write_about(factory, issue):
    with factory() as editor, impatient(factory) as reader:
        catalog = Catalog(editor)
        edited = catalog.get(Issue, issue)
        catalog.update(editor.get_one(Series, edited.series_id), {"desc": "Rain.", "year_end": 2030})
        catalog.update(edited, {"desc": "Rain.", "cover_date": TODAY})
        catalog.unit.finalize()
        write_everything(reader, "Ada", issue)
        reader.commit()
        assert reader.scalar(select(Issue.desc).where(Issue.id == issue)) == ""
        editor.commit()


def test_readers_do_not_wait_for_one_another(factory, issue):
    with impatient(factory) as first, impatient(factory) as second:
        write_everything(first, "Ada", issue)
        write_everything(second, "Ben", issue)
        second.commit()
        first.commit()


def test_lists_of_one_name_that_are_made_at_once_have_slugs_of_their_own(factory, issue):
    def create(name):
        def job(catalog):
            reader = identity_of(account(catalog.session, name))
            values = {"name": "The same", "is_private": False}
            return reading_lists.create(catalog.session, reader, OFFICIAL, values).slug

        return job

    assert sorted(run_concurrently(factory, create("Ada"), create("Ben"))) == ["the-same", "the-same-1"]


def test_a_list_has_no_gap_where_issues_are_added_while_another_is_deleted(factory, issue):
    with factory() as session:
        user = account(session, "Ada")
        own = session.scalars(select(ReadingList).where(ReadingList.user_id == user.id)).one()
        (first,) = session.scalars(
            select(ReadingListItem.issue_id).where(ReadingListItem.reading_list_id == own.id)
        )

    def add(catalog):
        reader = identity_of(account(catalog.session, "Ada"))
        held = reading_lists.lock_list(
            catalog.session, reader, OFFICIAL, catalog.session.get(ReadingList, own.id)
        )
        items.add_issues(held, [issue])

    def delete(catalog):
        catalog.delete(catalog.get(Issue, first))

    run_concurrently(factory, add, delete)
    with factory() as session:
        places = text('SELECT issue_id, "order" FROM reading_list_item WHERE reading_list_id = :id')
        assert session.execute(places, {"id": own.id}).all() == [(issue, 1)]
