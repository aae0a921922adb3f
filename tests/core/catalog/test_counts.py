"""Stored numbers (objects of a kind, issues of a series) equal the counted ones after every write."""

from datetime import date

from sqlalchemy import func, select, text

from comicsdb.catalog.filters import count_statement
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.models import Series, Version
from comicsdb.models.attribution import OWNERS


def are_right(session):
    """Compare all stored numbers of objects with the tables."""
    kept = dict(session.execute(select(Version.kind, Version.number)).all())
    for name in OWNERS:
        model = KINDS[name].model
        counted = session.scalar(select(func.count()).select_from(model))
        assert session.scalar(count_statement(model.__table__, ())) == kept[name] == counted


def test_numbers_follow_creations_merges_and_deletions(make):
    session, catalog = make.catalog.session, make.catalog
    are_right(session)
    series = make.series()
    issues = [make.issue(series=series, number=str(number)) for number in range(3)]
    people = [make.creator(), make.creator()]
    are_right(session)
    assert session.scalar(select(Version.number).where(Version.kind == "issue")) == 3
    merge(catalog, *people)
    catalog.delete(issues[0])
    are_right(session)
    catalog.delete(series)  # with its issues
    session.flush()
    are_right(session)
    assert session.scalar(select(Version.number).where(Version.kind == "issue")) == 0


def test_a_kind_whose_number_is_not_kept_is_counted(make):
    session = make.catalog.session
    make.arc()
    session.execute(text("UPDATE version SET number = NULL WHERE kind = 'arc'"))
    assert session.scalar(count_statement(KINDS["arc"].model.__table__, ())) == 1


def test_figures_of_series_follow_their_issues(make):
    session, catalog = make.catalog.session, make.catalog
    first, second = make.series(), make.series()

    def figures():
        session.flush()
        rows = select(Series.id, Series.issue_count, Series.last_cover_date)
        return {row.id: (row.issue_count, row.last_cover_date) for row in session.execute(rows)}

    issues = [make.issue(series=first, number=str(n), cover_date=date(2020, n, 1)) for n in (1, 2, 3)]
    assert figures() == {first.id: (3, date(2020, 3, 1)), second.id: (0, date.min)}
    catalog.update(issues[0], {"cover_date": date(2021, 1, 1)})
    catalog.update(issues[1], {"series": second.id})
    assert figures() == {first.id: (2, date(2021, 1, 1)), second.id: (1, date(2020, 2, 1))}
    catalog.delete(issues[0])
    assert figures()[first.id] == (1, date(2020, 3, 1))
    merge(catalog, second, first)
    assert figures() == {second.id: (2, date(2020, 3, 1))}
