"""Slugs chosen by a user: which ones are refused, and redirects from the former ones."""

import pytest
from sqlalchemy import func, select

from comicsdb.catalog import InvalidError, MovedError
from comicsdb.models import Change, FormerSlug, Issue, Series
from tests.factories import history_of


def refused(catalog, entity, slug) -> str:
    """The error message of a slug, from an update that is refused and from `find_errors`."""
    with pytest.raises(InvalidError) as raised:
        catalog.update(entity, {"slug": slug, "desc": "changed"})
    faults, _conflicts = catalog.find_errors(type(entity), entity, {"slug": slug})
    assert faults == raised.value.errors
    return str(faults["slug"][0])


REFUSED = {
    "": "Enter a slug",
    **dict.fromkeys(
        ("Lamp", "lamp light", "lämp", "a--b", "-a", "a/b", "x\0", "x" * 256), "lower-case letters"
    ),
    "2020": "digits only",
    "create": "is reserved",
    "issue_list": "is reserved",
    "taken": "belongs or belonged to another entry",
    "once": "belongs or belonged to another entry",
}


def test_what_cannot_be_an_address_is_refused(catalog, make, session):
    other = make.series()
    for each in ("once", "taken"):
        catalog.update(other, {"slug": each})
    series = make.series(name="Run")
    for slug, told in REFUSED.items():
        assert told in refused(catalog, series, slug), slug
    session.commit()
    session.expire_all()
    assert (series.slug, series.desc) == ("run-2020", "")


def test_the_address_before_leads_here_for_ever(catalog, make, session):
    series, other = make.series(name="Run"), make.series(name="Other")
    issue, before = make.issue(series=series), series.modified
    catalog.update(series, {"slug": "first", "desc": "New."})
    session.commit()
    assert series.modified > before
    catalog.update(series, {"slug": "second"})
    session.commit()
    for old in ("run-2020", "first"):
        with pytest.raises(MovedError) as moved:
            catalog.by_slug(Series, old)
        assert moved.value.entity is series
    assert catalog.by_slug(Series, "second") is series
    assert catalog.by_slug(Issue, "run-2020-1") is issue
    assert "belonged to another" in refused(catalog, other, "first")
    catalog.update(series, {"slug": "run-2020"})  # it may get its own former slug back
    session.commit()
    former = session.scalars(select(FormerSlug.slug).order_by(FormerSlug.slug)).all()
    assert former == ["first", "second"]
    assert [each.snapshot["slug"] for each in history_of(session, "series", series.id)] == [
        "run-2020",
        "first",
        "second",
        "run-2020",
    ]
    logged = select(Change.fields).where(Change.kind == "series", Change.object_id == series.id)
    assert session.scalars(logged.order_by(Change.seq)).all()[1:] == [["desc", "slug"], ["slug"], ["slug"]]


def test_the_same_address_changes_nothing(catalog, make, session):
    arc = make.arc(name="Dusk")
    catalog.update(arc, {"slug": "dusk"})
    session.commit()
    assert session.scalar(select(func.count()).select_from(FormerSlug)) == 0


def test_a_refused_update_keeps_the_address(catalog, make, session):
    make.arc(name="Taken", cv_id=7)
    arc = make.arc(name="Dusk")
    with pytest.raises(Exception, match="cv_id"):
        catalog.update(arc, {"slug": "dawn", "cv_id": 7})
    session.commit()
    session.expire_all()
    assert arc.slug == "dusk"
    assert session.scalar(select(func.count()).select_from(FormerSlug)) == 0
