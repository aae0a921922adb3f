"""The reading lists of the demo: what they are made of, and that they need the demo's accounts."""

from datetime import date

from sqlalchemy import select

from comicsdb.demo.lists import OWNERS, RATERS, add_lists
from comicsdb.library.reading_list_figures import items
from comicsdb.models import ReadingList


def test_an_arc_becomes_a_list_with_what_leads_to_it_and_what_follows(make, session):
    for name in {*OWNERS, *dict(RATERS)}:
        make.user(name)
    arc = make.arc(name="Dusk", desc="It gets late.")
    run = make.series(name="Run")
    for n in range(1, 8):
        make.issue(series=run, number=str(n), cover_date=date(2020, n, 1), arcs=[arc] if n in {3, 4} else [])
    make.issue(number="9", cover_date=date(2020, 3, 15), arcs=[arc])
    assert add_lists(session, "Metron") == 1
    made = session.scalars(select(ReadingList)).one()
    assert (made.name, made.desc, made.is_private) == ("Dusk: the reading order", "It gets late.", False)
    assert 1 <= made.rating_count <= len(RATERS)
    found = [(item.order, item.issue.number, item.issue_type) for item in session.scalars(items(made.id))]
    assert found == [
        (1, "1", "PROLOGUE"),
        (2, "2", "PROLOGUE"),
        (3, "3", "CORE"),
        (4, "9", "TIE_IN"),
        (5, "4", "CORE"),
        (6, "5", "EPILOGUE"),
        (7, "6", "EPILOGUE"),
        (8, "7", "EPILOGUE"),
    ]


def test_without_the_accounts_of_the_demo_there_are_no_lists(make, session):
    make.issue(arcs=[make.arc()])
    assert add_lists(session, "Metron") == 0
    assert session.scalars(select(ReadingList)).all() == []
