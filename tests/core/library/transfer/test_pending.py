"""Entries of lists that are not in the catalog: they stay, and become issues."""

from datetime import timedelta
from xml.etree import ElementTree as ET

import orjson
import pytest
from sqlalchemy import select, update

from comicsdb import clock
from comicsdb.catalog import Catalog
from comicsdb.library import acts, reading_lists
from comicsdb.library.reading_lists import forks
from comicsdb.library.transfer import pending
from comicsdb.library.transfer.cbl import write_cbl
from comicsdb.library.transfer.format import ITEMS, parse_row
from comicsdb.library.transfer.writing import as_archive, as_json, library
from comicsdb.library.undo import undo
from comicsdb.models import LibraryAct, PendingEntry, ReadingList, ReadingListItem
from tests.core.library.library_files import TODAY, create_catalog, import_file
from tests.factories import Factories
from tests.lists import OFFICIAL, identity_of

BOOKS = (
    ("Gaslight", 1, ""),
    ("The Lamplighter", 1, ""),
    ("Gaslight", 2, '<Database Name="metron" Issue="17"/><Database Name="cv" Issue="4411"/>'),
    ("Gaslight", 2, '<Database Name="metron" Issue="17"/><Database Name="cv" Issue="4411"/>'),
    ("The Lamplighter", 2, ""),
    ("Gaslight", 3, ""),
)
YEARS = {"Gaslight": 1993, "The Lamplighter": 2018}
BOOK = '<Book Series="{}" Number="{}" Volume="{}">{}</Book>'
FILE = "<ReadingList><Name>Night</Name><Books>{}</Books></ReadingList>".format(
    "".join(BOOK.format(series, number, YEARS[series], ids) for series, number, ids in BOOKS)
)


@pytest.fixture
def stock(make):
    return create_catalog(make)


def order_of(session, user) -> list[str]:
    """The entries of the account's list in the order of the whole list; pending ones begin with a ?."""
    session.expire_all()
    [found] = session.scalars(select(ReadingList).where(ReadingList.user_id == user.id))
    root = ET.fromstring(write_cbl(session, found))  # noqa: S314  (our own)
    rows = select(ReadingListItem.order).where(ReadingListItem.reading_list_id == found.id)
    places = session.scalars(rows.order_by(ReadingListItem.order)).all()
    assert places == list(range(1, len(places) + 1))
    return [
        ("" if any(each.get("Name") == "comicsdb" for each in book) else "?")
        + f"{book.get('Series')} {book.get('Number')}"
        for book in root.iter("Book")
    ]


def test_import_keeps_entries_without_issue_at_their_places_once(session, make, stock):
    user = make.user()
    counted = import_file(session, user, FILE.encode())
    assert counted == {
        "reading_lists_added": 1,
        "reading_list_items_added": 2,
        "reading_list_items_pending": 3,
        "reading_list_items_repeated": 1,
    }
    whole = ["?Gaslight 1", "The Lamplighter 1", "?Gaslight 2", "The Lamplighter 2", "?Gaslight 3"]
    assert order_of(session, user) == whole
    assert "reading_list_items_pending" not in import_file(session, user, FILE.encode())
    assert order_of(session, user) == whole


@pytest.mark.parametrize("form", [as_json, as_archive, None])
def test_export_and_import_by_another_account_keep_the_whole_list(session, make, stock, form):
    ann, bob = make.user("Ann"), make.user("Bob")
    import_file(session, ann, FILE.encode())
    exported = library(session, ann.id)
    found = session.scalars(select(ReadingList)).one()
    import_file(session, bob, form(exported) if form else write_cbl(session, found))
    assert order_of(session, bob) == order_of(session, ann)
    columns = [
        getattr(PendingEntry, name)
        for name in ("position", "series", "number", "year_began", "publisher", "ids")
    ]
    owned = [
        session.execute(
            select(*columns)
            .join(ReadingList, ReadingList.id == PendingEntry.reading_list_id)
            .where(ReadingList.user_id == user.id)
            .order_by(PendingEntry.position)
        ).all()
        for user in (ann, bob)
    ]
    assert owned[0] == owned[1]
    assert owned[0][1] == (3, "Gaslight", "2", 1993, "", "comicvine 4411 metron 17")


def test_export_of_an_entry_has_its_date_as_far_as_it_is_known(session, make, stock):
    days = ["2018", "2018-03", "2018-03-14"]
    items = [{"series": "Gaslight", "number": str(n), "cover_date": day} for n, day in enumerate(days)]
    document = {
        "format": "comicsdb-library",
        "version": 1,
        "reading_lists": [{"name": "Night", "items": items}],
    }
    user = make.user()
    import_file(session, user, orjson.dumps(document))
    [exported] = orjson.loads(as_json(library(session, user.id)))["reading_lists"]
    assert [str(item["cover_date"]) for item in exported["items"]] == days


def test_copy_of_a_list_has_its_entries(session, make, stock):
    ann, bob = make.user("Ann"), make.user("Bob")
    import_file(session, ann, FILE.encode())
    found = session.scalars(select(ReadingList)).one()
    forks.fork(session, identity_of(bob), OFFICIAL, found)
    session.commit()
    assert order_of(session, bob) == order_of(session, ann)


def test_undo_of_import_removes_its_entries_and_undo_of_deletion_restores_them(session, make, stock):
    user = make.user()
    import_file(session, user, FILE.encode())
    whole = order_of(session, user)
    reading_lists.remove(session, identity_of(user), OFFICIAL, session.scalars(select(ReadingList)).one())
    session.commit()
    assert session.scalars(select(PendingEntry)).all() == []
    for expected in (whole, None):
        newest = select(LibraryAct.id).where(LibraryAct.undone.is_(None), LibraryAct.what != acts.UNDO)
        act_id = session.scalar(newest.order_by(LibraryAct.id.desc()))
        undo(session, identity_of(user), OFFICIAL, act_id, today=TODAY)
        session.commit()
        session.expire_all()
        if expected:
            assert order_of(session, user) == expected
    assert session.scalars(select(PendingEntry)).all() == []
    assert session.scalars(select(ReadingList)).all() == []


def test_daily_job_turns_entries_into_items_when_their_issues_are_certain(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        create_catalog(make)
        user = make.user()
        import_file(session, user, FILE.encode())
        assert pending.resolve_all(factory) == 0
        gaslight = make.series(name="Gaslight", year_began=1993)
        for number in (2, 1):
            make.issue(series=gaslight, number=str(number), cv_id=4411 if number == 2 else None)
        session.commit()
        assert pending.resolve_all(factory) == 0  # they were looked for a moment ago
        session.execute(update(PendingEntry).values(tried_on=clock.now() - timedelta(days=1)))
        session.commit()
        before = session.scalars(select(ReadingList.modified)).one()
        assert pending.resolve_all(factory) == 2
        session.expire_all()
        assert session.scalars(select(ReadingList.modified)).one() > before
        assert order_of(session, user) == [
            "Gaslight 1",
            "The Lamplighter 1",
            "Gaslight 2",
            "The Lamplighter 2",
            "?Gaslight 3",
        ]


@pytest.mark.parametrize(
    "ids", ["metron", "metron 1 metron 2", "comicvine 5", "metron x", "nobody 7", "metron 1 " * 200]
)
def test_issue_ids_that_are_none_are_left_out_and_told(session, make, ids):
    entry = {"series": "Gaslight", "number": "1", "issue_ids": ids}
    row = parse_row(ITEMS, 1, entry)
    assert (row.wanted.ids, [name for name, _text in row.unclear]) == ("", ["issue_ids"])
