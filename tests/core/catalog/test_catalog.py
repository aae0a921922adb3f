"""The catalog service: what a write stores, refuses and preserves."""

from datetime import date
from decimal import Decimal

import pytest
from sqlalchemy import select, text

from comicsdb import models
from comicsdb.catalog import Catalog, ConflictError, GoneError, InvalidError, MovedError, NotFoundError
from comicsdb.catalog.slugs import FIRST_BATCH
from comicsdb.models import Change, FormerSlug, Tombstone, Version
from tests.cases import for_each
from tests.factories import history_of


def history(session, entity):
    return history_of(session, entity.__tablename__, entity.id)


def log(session):
    return [
        (line.kind, line.object_id, line.action, line.fields)
        for line in session.scalars(select(Change).order_by(Change.seq))
    ]


def versions(session):
    return {row.kind: row.value for row in session.execute(select(Version.kind, Version.value))}


def test_a_new_object_has_its_values_its_slug_and_its_author(session, make):
    user = make.user()
    publisher = Catalog(session, user.id).create(
        models.Publisher, {"name": "Città Nuova", "alt_names": ["New Town"], "founded": 1950, "country": "IT"}
    )
    session.commit()
    session.expire_all()
    assert (publisher.name, publisher.slug, publisher.alt_names) == (
        "Città Nuova",
        "citta-nuova",
        ["New Town"],
    )
    assert (publisher.created_by_id, publisher.edited_by_id) == (user.id, user.id)


def test_an_update_names_its_editor_and_leaves_the_rest(session, make):
    publisher = make.publisher(name="A", founded=1950)
    user = make.user()
    Catalog(session, user.id).update(publisher, {"name": "B"})
    session.commit()
    session.expire_all()
    assert (publisher.name, publisher.founded, publisher.slug) == ("B", 1950, "a")
    assert (publisher.created_by_id, publisher.edited_by_id) == (1, user.id)


def test_history_has_one_row_per_transaction_with_scalars_links_credits_and_variants(session, catalog, make):
    creator, arc = make.creator(), make.arc()
    issue = make.issue(price=Decimal("3.99"), currency="EUR", arcs=[arc])
    catalog.update(issue, {"credits": [{"creator": creator.id, "roles": [2, 1]}]})
    catalog.update(issue, {"variants": [{"name": "Foil", "image": "variants/x.png"}], "arcs": []})
    session.commit()
    first, second = history(session, issue)
    assert (first.type, second.type) == ("+", "~")
    assert first.snapshot["price"] == 3.99
    assert first.snapshot["arcs"] == [arc.id]
    assert second.snapshot["arcs"] == []
    assert second.snapshot["credits"] == [{"creator": creator.id, "roles": [1, 2]}]
    assert [variant["name"] for variant in second.snapshot["variants"]] == ["Foil"]
    assert log(session)[-1] == ("issue", issue.id, "update", ["arcs", "credits", "variants"])


def test_an_update_that_changes_nothing_moves_modified_and_writes_no_history(session, catalog, make):
    publisher = make.publisher()
    before, seen = publisher.modified, versions(session)["publisher"]
    catalog.update(publisher, {})
    session.commit()
    assert publisher.modified > before
    assert publisher.modified_before == before
    assert len(history(session, publisher)) == 1
    assert versions(session)["publisher"] == seen + 1


def test_another_first_year_of_a_series_is_a_change_of_its_undated_issues(session, make):
    """A trigger gives them another place; the editor of the series did that, not the next one of an issue."""
    series, editor, other = make.series(year_began=1963), make.user(), make.user()
    dates = ({"cover_date": None}, {"cover_date": None, "store_date": date(1963, 5, 6)}, {})
    issues = [make.issue(series=series, number=str(n), **known) for n, known in enumerate(dates)]
    undated = issues[0]
    before = len(log(session))
    Catalog(session, editor.id).update(series, {"year_began": 1961})
    session.commit()
    session.expire_all()
    Catalog(session, other.id).update(undated, {"page": 8})
    session.commit()
    assert log(session)[before:] == [
        ("series", series.id, "update", ["year_began"]),
        ("issue", undated.id, "update", ["cover_date"]),
        ("issue", undated.id, "update", ["page"]),
    ]
    assert [len(history(session, each)) for each in issues] == [3, 1, 1]
    _first, second, _third = history(session, undated)
    assert (second.user_id, second.snapshot["cover_date"]) == (editor.id, "1961-01-01")


def test_a_rollback_leaves_no_history_log_or_version(session, catalog, make):
    publisher = make.publisher()
    before = (len(log(session)), versions(session))
    catalog.update(publisher, {"name": "Other"})
    session.rollback()
    session.commit()
    assert (len(log(session)), versions(session)) == before


def test_history_names_who_and_why(session, make):
    publisher, user = make.publisher(), make.user()
    Catalog(session, user.id, reason="tidying").update(publisher, {"founded": 1901})
    session.commit()
    last = history(session, publisher)[-1]
    assert (last.user_id, last.reason, last.snapshot["founded"]) == (user.id, "tidying", 1901)


@for_each(
    "values,field",
    [
        ({"year_end": 2019}, "year_end"),
        ({"publisher": 999_999}, "publisher"),
        ({"genres": [1, 999_999]}, "genres"),
        ({"nonsense": 1}, "nonsense"),
        ({"publisher": None}, "publisher"),
    ],
)
def test_rules_name_the_field_and_write_nothing(session, make, values, field):
    publisher = make.publisher()
    base = {"name": "S", "sort_name": "S", "volume": 1, "year_began": 2020, "series_type": 13}
    with pytest.raises(InvalidError) as caught:
        Catalog(session).create(models.Series, base | {"publisher": publisher.id} | values)
    assert list(caught.value.errors) == [field]
    assert session.scalar(select(models.Series.id).where(models.Series.name == "S")) is None


def test_required_fields_are_reported_together(catalog):
    with pytest.raises(InvalidError) as caught:
        catalog.create(models.Issue, {})
    assert set(caught.value.errors) == {"number", "series"}


def test_an_imprint_of_another_publisher_is_refused(catalog, make):
    with pytest.raises(InvalidError) as caught:
        make.series(imprint=make.imprint())
    assert list(caught.value.errors) == ["imprint"]
    imprint = make.imprint()
    series = make.series(publisher=imprint.publisher_id, imprint=imprint)
    with pytest.raises(InvalidError) as caught:
        catalog.update(series, {"publisher": make.publisher().id})
    assert list(caught.value.errors) == ["publisher"]


def test_dates_before_1900_are_refused(make):
    with pytest.raises(InvalidError) as caught:
        make.issue(cover_date=date(1899, 12, 31), store_date=date(1850, 1, 1))
    assert set(caught.value.errors) == {"cover_date", "store_date"}


@pytest.mark.parametrize(
    ("kind", "values", "fields"),
    [
        ("publisher", {"cv_id": 5}, ("cv_id",)),
        ("publisher", {"gcd_id": 5}, ("gcd_id",)),
        ("universe", {"name": "U", "designation": "1"}, ("publisher", "name", "designation")),
        ("series", {"name": "S", "volume": 3}, ("publisher", "name", "volume", "series_type")),
        ("issue", {"number": "7"}, ("series", "number")),
    ],
)
def test_a_taken_unique_set_is_a_conflict_that_names_its_fields(session, make, kind, values, fields):
    parent = {"universe": "publisher", "series": "publisher", "issue": "series"}.get(kind)
    if parent:
        values = values | {parent: getattr(make, parent)()}
    first = getattr(make, kind)(**values)
    with pytest.raises(ConflictError) as caught:
        getattr(make, kind)(**values)
    assert (caught.value.kind, caught.value.fields) == (kind, fields)
    assert session.get(type(first), first.id, populate_existing=True).id == first.id  # still usable


def test_a_refused_update_leaves_the_object_as_it_was(session, catalog, make):
    make.publisher(cv_id=5)
    publisher = make.publisher(name="Mine")
    with pytest.raises(ConflictError):
        catalog.update(publisher, {"name": "Yours", "cv_id": 5})
    session.commit()
    session.expire_all()
    assert (publisher.name, publisher.cv_id) == ("Mine", None)
    assert len(history(session, publisher)) == 1


def test_symmetric_links_are_stored_both_ways(session, catalog, make):
    one, other = make.series(), make.series()
    catalog.update(one, {"associated": [other.id]})
    session.commit()
    pairs = session.execute(text("SELECT series_id, associated_id FROM series_associated ORDER BY 1"))
    assert {tuple(pair) for pair in pairs} == {(one.id, other.id), (other.id, one.id)}
    assert history(session, other)[-1].snapshot["associated"] == [one.id]
    catalog.update(other, {"associated": []})
    session.commit()
    assert session.scalar(text("SELECT count(*) FROM series_associated")) == 0
    with pytest.raises(InvalidError):
        catalog.update(one, {"associated": [one.id]})


def test_credits_keep_one_row_per_creator(session, catalog, make):
    creator = make.creator()
    issue = make.issue(credits=[{"creator": creator.id, "roles": [1]}])
    credit_id, before = session.execute(select(models.Credit.id, models.Credit.modified)).one()
    catalog.update(issue, {"credits": [{"creator": creator.id, "roles": [2, 3]}]})
    after = session.scalar(select(models.Credit.modified))
    assert after > before
    catalog.update(issue, {"credits": [{"creator": creator.id, "roles": [3, 2]}], "page": 8})
    assert session.scalar(select(models.Credit.modified)) == after
    session.commit()
    assert session.scalars(select(models.Credit.id)).all() == [credit_id]
    with pytest.raises(InvalidError):
        catalog.update(issue, {"credits": [{"creator": creator.id, "roles": [n]} for n in (1, 2)]})


def test_a_deletion_takes_what_belongs_to_it_and_leaves_tombstones(session, catalog, make):
    series = make.series(name="Gone")
    issue = make.issue(series=series)
    publisher = session.get(models.Publisher, series.publisher_id)
    ids = {"publisher": publisher.id, "series": series.id, "issue": issue.id}
    catalog.delete(publisher, reason="a duplicate")
    session.commit()
    graves = {
        row.kind: (row.object_id, row.slug, row.reason)
        for row in session.scalars(select(Tombstone).where(Tombstone.gone.is_not(None)))
    }
    assert graves == {
        "publisher": (ids["publisher"], publisher.slug, "a duplicate"),
        "series": (ids["series"], "gone-2020", "a duplicate"),
        "issue": (ids["issue"], "gone-2020-1", "a duplicate"),
    }
    assert {(kind, each, action) for kind, each, action, _ in log(session) if action == "delete"} == {
        (kind, each, "delete") for kind, each in ids.items()
    }
    for model, kind in ((models.Publisher, "publisher"), (models.Series, "series"), (models.Issue, "issue")):
        with pytest.raises(GoneError) as caught:
            catalog.get(model, ids[kind])
        assert caught.value.tombstone.object_id == ids[kind]
        last = history_of(session, kind, ids[kind])[-1]
        assert (last.type, last.reason) == ("-", "a duplicate")


def test_what_showed_a_deleted_object_has_its_own_history_of_it(session, catalog, make):
    character = make.character()
    issue = make.issue(characters=[character])
    catalog.delete(character)
    session.commit()
    assert history(session, issue)[-1].snapshot["characters"] == []
    assert ("issue", issue.id, "update", ["characters"]) in log(session)


def test_finding_tells_never_from_gone_from_moved(session, catalog, make):
    arc = make.arc(name="Salt Tide")
    with pytest.raises(NotFoundError):
        catalog.get(models.Arc, 999_999)
    with pytest.raises(NotFoundError):
        catalog.get(models.Arc, 2**40)
    with pytest.raises(NotFoundError):
        catalog.by_slug(models.Arc, "nothing\0here")
    session.add(FormerSlug(kind="arc", slug="old-tide", object_id=arc.id))
    session.commit()
    with pytest.raises(MovedError) as caught:
        catalog.by_slug(models.Arc, "old-tide")
    assert caught.value.entity is arc
    assert make.arc(name="Old Tide").slug == "old-tide-1"  # a former slug is never reused
    former = (f"old-tide-{number}" for number in range(2, 2 * FIRST_BATCH))
    session.add_all(FormerSlug(kind="arc", slug=each, object_id=arc.id) for each in former)
    assert make.arc(name="Old Tide").slug == f"old-tide-{2 * FIRST_BATCH}"
    catalog.delete(arc)
    session.commit()
    with pytest.raises(GoneError):
        catalog.by_slug(models.Arc, "salt-tide")
    assert make.arc(name="Salt Tide").slug == "salt-tide"


def test_a_series_type_in_use_and_the_unknown_age_rating_stay(session, catalog, make):
    series = make.series()
    with pytest.raises(InvalidError):
        catalog.delete(session.get(models.SeriesType, series.series_type_id))
    with pytest.raises(InvalidError):
        catalog.delete(session.get(models.AgeRating, 1))
    issue = make.issue(rating=3)
    catalog.delete(session.get(models.AgeRating, 3))
    session.commit()
    session.expire_all()
    assert issue.rating_id == 1


def test_objects_of_the_catalog_cannot_be_deleted_past_it(session, make):
    session.delete(make.arc())
    with pytest.raises(RuntimeError, match="through the catalog"):
        session.flush()


def test_a_session_may_be_used_after_a_conflict_and_commits_the_rest(session, catalog, make):
    make.publisher(cv_id=1)
    with pytest.raises(ConflictError):
        catalog.create(models.Publisher, {"name": "X", "cv_id": 1})
    good = catalog.create(models.Publisher, {"name": "Good"})
    session.commit()
    assert log(session)[-1] == ("publisher", good.id, "create", [])
    assert session.scalar(select(models.Publisher.id).where(models.Publisher.name == "X")) is None
