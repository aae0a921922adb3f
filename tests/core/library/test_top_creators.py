"""Top creators: the highest numbers first, then by name, including ties at the end of the selection."""

from datetime import date

import pytest

from comicsdb.library import collection
from comicsdb.library.collection import figures
from comicsdb.library.reading_lists import figures as list_figures
from comicsdb.models import ReadingList, ReadingListItem, Role

TODAY = date(2030, 1, 1)


@pytest.fixture
def scene(make, session):
    """A reader with two issues, owned and in a list: one of the first's thirteen writers wrote both."""
    reader = make.user("reader")
    with make.single_commit():
        writer, inker = make.role("Writer").id, make.role("Inker").id
        creators = [make.creator(name=f"Writer {letter}") for letter in "MLKJIHGFEDCBA"]
        # A credit with two roles counts once.
        wrote = [{"creator": each.id, "roles": [writer, inker]} for each in creators]
        first = make.issue(number="1", credits=wrote)
        second = make.issue(number="2", credits=[wrote[0]])
    for issue in (first, second):
        collection.add(session, reader.id, issue.id, {})
    reading_list = ReadingList(user_id=reader.id, name="All", slug="all")
    session.add(reading_list)
    session.flush()
    session.add_all(
        ReadingListItem(reading_list_id=reading_list.id, issue_id=issue.id, order=order)
        for order, issue in enumerate((first, second), 1)
    )
    session.commit()
    return reader, reading_list


def test_equal_numbers_are_ordered_by_name(session, scene):
    reader, reading_list = scene
    [top] = figures.top_creators(session, reader.id, Role.is_writer)
    assert [(creator.name[-1], number) for creator, number in top] == [
        ("M", 2),
        *((letter, 1) for letter in "ABCDEFGHI"),
    ]
    featured = list_figures.featured(session, reading_list.id)
    assert [(row.Creator.name[-1], row.number) for row in featured] == [
        ("M", 2),
        *((letter, 1) for letter in "ABCDE"),
    ]


def test_few_are_all_shown(make, session, scene):
    reader, _ = scene
    assert figures.top_creators(session, make.user("other").id, Role.is_writer) == [[]]
    letterer = make.role("Letterer").id
    credit = [{"creator": make.creator(name="Ada").id, "roles": [letterer]}]
    issue = make.issue(number="3", credits=credit)
    collection.add(session, reader.id, issue.id, {})
    [found] = figures.top_creators(session, reader.id, Role.id == letterer)
    assert [(creator.name, number) for creator, number in found] == [("Ada", 1)]
