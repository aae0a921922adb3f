"""The page with the entries of a list that are not in the catalog yet."""

import pytest
from sqlalchemy import select

from comicsdb.models import PendingEntry, ReadingListItem
from tests.lists import make_list
from tests.web.conftest import form_to, notice, soup, start_session

WAITING = "entries are not in the catalog yet"


@pytest.fixture
def half(session, make, member):
    """A public list of the member with one issue and two entries."""
    made = make_list(session, member, [make.issue()], name="Half known")
    for position, number in ((1, "1"), (3, "2")):
        entry = {"series": "Gaslight <b>", "year_began": 1993, "number": number, "ids": "metron 17"}
        session.add(PendingEntry(reading_list_id=made.id, position=position, **entry))
    session.commit()
    return made


def test_detail_page_with_pending_entries_tells_everybody_how_many(testapp, member, half):
    address = f"/reading-lists/{half.slug}/"
    page = testapp.get(address)
    assert f"2 {WAITING}" in page.text
    assert not soup(page).select(f'a[href="{address}pending/"]')
    start_session(testapp, member)
    assert soup(testapp.get(address)).select_one(f'a[href="{address}pending/"]').text == f"2 {WAITING}"


def test_pending_page_shows_its_owner_the_entries_and_removes_chosen_ones(testapp, session, member, half):
    address = f"/reading-lists/{half.slug}/pending/"
    start_session(testapp, member)
    page = testapp.get(address)
    labels = [" ".join(label.text.split()) for label in soup(page).select(".shopping label")]
    assert labels == ["Gaslight <b> (1993) #1 Metron 17", "Gaslight <b> (1993) #2 Metron 17"]
    form = form_to(page, f"{address}change/")
    form.get("entry", index=0).checked = True
    page = form.submit("remove").follow()
    assert notice(page) == "1 entry was removed."
    assert session.scalars(select(PendingEntry.number)).all() == ["2"]
    page = form_to(page, f"{address}change/").submit("remove").follow()
    assert notice(page) == "Choose the entries to remove."


def test_look_for_entries_whose_issues_are_there_makes_them_issues(testapp, session, make, member, half):
    make.issue(series=make.series(name="Gaslight <b>", year_began=1993), number="1")
    address = f"/reading-lists/{half.slug}/pending/"
    start_session(testapp, member)
    page = form_to(testapp.get(address), f"{address}change/").submit("look").follow()
    assert notice(page) == "1 entry is an issue of the list now."
    rows = select(ReadingListItem.order).where(ReadingListItem.reading_list_id == half.id)
    assert session.scalars(rows.order_by(ReadingListItem.order)).all() == [1, 2]


def test_pending_page_of_another_accounts_list_is_forbidden(testapp, make, half):
    start_session(testapp, make.user("Bob"))
    testapp.get(f"/reading-lists/{half.slug}/pending/", status=403)
