"""Merges in detail: what they keep, fill in, refuse and record; concurrent writes; moves of publishers."""

from datetime import date
from decimal import Decimal

import pytest
from sqlalchemy import insert, select, text

from comicsdb import models
from comicsdb.catalog import Catalog, GoneError, InvalidError, MovedError, NotFoundError
from comicsdb.catalog.maintenance.merge import merge, preview_merge
from comicsdb.catalog.maintenance.move import move_publisher, preview_move
from comicsdb.i18n import localizer, translate
from comicsdb.media.storage import FolderStorage
from comicsdb.models import Change, History, IssueRating, Tombstone
from tests.concurrency import run_concurrently
from tests.dataset import picture
from tests.factories import Factories
from tests.pictures import save_picture


def messages(caught) -> str:
    english = localizer("en")
    return " ".join(translate(english, each) for found in caught.value.errors.values() for each in found)


def test_only_empty_fields_are_filled_and_never_the_picture(make, session, catalog):
    kept = make.creator(name="Ada", desc="Ours.", birth=date(1950, 1, 1))
    other = make.creator(
        name="A.", desc="Theirs.", birth=date(1951, 1, 1), cv_id=5, gcd_id=6, image="creator/a.png"
    )
    seen = preview_merge(session, kept, other)
    assert seen.filled == {"cv_id": 5, "gcd_id": 6}
    assert seen.dropped == {"image": 1}
    merge(catalog, kept, other)
    session.commit()
    assert (kept.desc, kept.birth, kept.cv_id, kept.gcd_id) == ("Ours.", date(1950, 1, 1), 5, 6)
    assert (kept.image, kept.alias) == ("", ["A."])


def test_a_value_that_would_break_a_rule_is_not_taken(make, session, catalog):
    kept = make.creator(birth=date(1950, 1, 1))
    other = make.creator(death=date(1940, 1, 1), cv_id=5)
    assert preview_merge(session, kept, other).filled == {"cv_id": 5}
    other = make.creator(death=date(1950, 1, 1), death_precision="year")
    assert preview_merge(session, kept, other).filled == {
        "death": date(1950, 1, 1),
        "death_precision": "year",
    }
    publisher = make.publisher()
    kept, other = (make.universe(name=name, publisher=publisher) for name in ("Prime", "Prime Two"))
    third = make.universe(name="Prime", designation="Earth 1", publisher=publisher)
    catalog.update(other, {"designation": "Earth 1"})
    assert preview_merge(session, kept, other).filled == {}
    merge(catalog, kept, other)
    session.commit()
    assert (kept.designation, third.designation) == ("", "Earth 1")


def test_an_issue_takes_price_and_rating_over_but_not_its_place(make, session, catalog):
    kept = make.issue(number="1")
    other = make.issue(
        number="2",
        price=Decimal("3.50"),
        currency="EUR",
        rating=3,
        name=["Tale"],
        store_date=date(2020, 4, 1),
        desc="Announced.",
        desc_is_solicitation=True,
    )
    merge(catalog, kept, other)
    session.commit()
    assert (kept.desc, kept.desc_is_solicitation) == ("Announced.", True)
    assert (kept.number, kept.price, kept.currency, kept.rating_id) == ("1", Decimal("3.50"), "EUR", 3)
    assert (kept.name, kept.store_date) == (["Tale"], date(2020, 4, 1))


def test_an_issue_without_a_cover_date_takes_it_over(make, session, catalog):
    kept = make.issue(number="1", cover_date=None)
    other = make.issue(number="2", cover_date=date(1985, 6, 1), cover_date_precision="month")
    expected = {"cover_date": date(1985, 6, 1), "cover_date_precision": "month"}
    assert preview_merge(session, kept, other).filled == expected
    assert preview_merge(session, other, kept).filled == {}
    merge(catalog, kept, other)
    session.commit()
    assert (kept.cover_date, kept.cover_date_precision) == (date(1985, 6, 1), "month")


def test_a_description_that_stays_stays_what_it_is(make, session, catalog):
    kept = make.issue(number="1", desc="Ours.")
    other = make.issue(number="2", desc="Theirs.", desc_is_solicitation=True, cv_id=5)
    assert preview_merge(session, kept, other).filled == {"cv_id": 5}
    merge(catalog, kept, other)
    session.commit()
    assert (kept.desc, kept.desc_is_solicitation) == ("Ours.", False)


def test_other_names_are_added_once_and_only_where_they_fit(make, session, catalog):
    kept = make.character(name="Wick", alias=["Lamp"])
    other = make.character(name="W" * 150, alias=["LAMP", "Flame", "flame"])
    seen = preview_merge(session, kept, other)
    assert (seen.names, seen.lost_names) == (("Flame",), ("W" * 150,))
    merge(catalog, kept, other)
    session.commit()
    assert kept.alias == ["Lamp", "Flame"]
    series = [make.series(name=name, alt_names=[]) for name in ("Run", "Run Anew")]
    merge(catalog, *series)
    session.commit()
    assert series[0].alt_names == ["Run Anew"]


def test_what_happened_is_told_in_history_and_log(make, session):
    actor = make.user().id
    kept, other = make.arc(name="Dusk"), make.arc(name="Dusk II")
    issue = make.issue(arcs=[other])
    gone, slug = other.id, other.slug
    catalog = Catalog(session, actor)
    merge(catalog, kept, other, "The same arc")
    session.commit()
    rows = session.execute(
        select(History.kind, History.object_id, History.type, History.reason)
        .where(History.user_id == actor)
        .order_by(History.kind, History.object_id)
    )
    assert {tuple(row) for row in rows} == {
        ("arc", gone, "-", "The same arc"),
        ("issue", issue.id, "~", "The same arc"),
    }
    lines = session.execute(
        select(Change.kind, Change.object_id, Change.action).where(Change.user_id == actor)
    )
    assert {tuple(line) for line in lines} == {("issue", issue.id, "update"), ("arc", gone, "merge")}
    stone = session.get(Tombstone, ("arc", gone))
    assert (stone.survivor_id, stone.slug, stone.reason) == (kept.id, slug, "The same arc")
    assert kept.edited_by_id == actor
    for find in (lambda: catalog.get(models.Arc, gone), lambda: catalog.by_slug(models.Arc, slug)):
        with pytest.raises(MovedError) as moved:
            find()
        assert moved.value.entity is kept


def test_former_addresses_follow_from_merge_to_merge(make, session, catalog):
    arcs = [make.arc(name=f"Arc {each}") for each in "abc"]
    former = [(each.id, each.slug) for each in arcs[:2]]
    merge(catalog, arcs[1], arcs[0])
    merge(catalog, arcs[2], arcs[1])
    session.commit()
    for each, slug in former:
        for key in ((catalog.get, each), (catalog.by_slug, slug)):
            with pytest.raises(MovedError) as moved:
                key[0](models.Arc, key[1])
            assert moved.value.entity.id == arcs[2].id
    assert {row.survivor_id for row in session.scalars(select(Tombstone))} == {arcs[2].id}
    assert make.arc(name="Arc a").slug == "arc-a-1"
    catalog.delete(arcs[2])
    session.commit()
    with pytest.raises(GoneError):
        catalog.by_slug(models.Arc, former[0][1])


def test_pictures_of_the_other_go_after_the_commit_but_those_of_its_variants_stay(
    make, session, catalog, tmp_path
):
    store = session.info["media"] = FolderStorage(tmp_path / "media")
    cover, foil, own = (
        save_picture(store, kind, picture(), "png") for kind in ("issue", "variants", "issue")
    )
    kept = make.issue(image=own)
    other = make.issue(image=cover, variants=[{"name": "Foil", "image": foil}])
    merge(catalog, kept, other)
    assert store.exists(cover)
    session.commit()
    assert [store.exists(key) for key in (cover, foil, own)] == [False, True, True]


def test_rating_figures_follow(make, session, catalog):
    series = make.series()
    kept, other = (make.issue(series=series, number=number) for number in "12")
    users = [make.user().id for _ in range(3)]
    given = [(kept, users[0], 5), (other, users[0], 1), (other, users[1], 2), (other, users[2], 2)]
    session.execute(
        insert(IssueRating), [{"issue_id": i.id, "user_id": u, "rating": stars} for i, u, stars in given]
    )
    catalog.unit.record_ratings({kept.id, other.id}, {series.id})
    catalog.unit.propagate()
    session.commit()
    merge(catalog, kept, other)
    session.commit()
    session.refresh(series)
    assert (kept.rating_count, kept.rating_sum) == (series.rating_count, series.rating_sum) == (3, 9)


@pytest.mark.parametrize("kind", ["series", "publisher", "imprint"])
def test_what_is_in_the_way_is_named_and_nothing_is_changed(make, session, catalog, kind):
    first, second = make.publisher(), make.publisher()
    if kind == "series":
        pair = [make.series(name=name) for name in ("Run", "Stay")]
        named = [make.issue(series=each, number="3") for each in pair]
    elif kind == "publisher":
        pair = [first, second]
        named = [make.series(name="Run", publisher=each) for each in pair]
    else:
        pair = [make.imprint(publisher=each) for each in (first, second)]
        named = [make.series(name="Run", publisher=second, imprint=pair[1])]
    seen = preview_merge(session, *pair)
    assert {each.id for problem in seen.problems for each in problem.objects} == {each.id for each in named}
    rows = session.scalar(text("SELECT count(*) FROM history"))
    with pytest.raises(InvalidError) as caught:
        merge(catalog, *pair)
    assert "Run (2020)" in messages(caught)
    session.commit()
    assert session.scalar(text("SELECT count(*) FROM history")) == rows
    assert catalog.get(type(pair[1]), pair[1].id)


def test_nonsense_is_refused(make, session, catalog):
    arc, team = make.arc(), make.team()
    for other in (arc, team):
        with pytest.raises(InvalidError) as caught:
            merge(catalog, arc, other)
        assert set(caught.value.errors) == {"other"}
    with pytest.raises(InvalidError):
        merge(catalog, *session.scalars(select(models.Genre).limit(2)))
    with pytest.raises(InvalidError) as caught:
        merge(catalog, arc, make.arc(), "x" * 101)
    assert set(caught.value.errors) == {"reason"}


def test_merges_edits_and_deletions_at_once_end_in_one_order(factory):
    """The second of two writers sees the changes of the first: none is lost, no reference dangles."""
    with factory() as session:
        make = Factories(Catalog(session))
        kept, other = make.creator(), make.creator()
        team = make.team(creators=[other])
        issues = [make.issue(credits=[{"creator": other.id, "roles": []}]).id for _ in range(2)]
        kept_id, other_id, team_id = kept.id, other.id, team.id

    def told(job):
        def run(catalog):
            try:
                return job(catalog)
            except (InvalidError, MovedError, NotFoundError) as refused:
                catalog.session.rollback()
                return type(refused).__name__

        return run

    def join(catalog):
        pair = [catalog.get(models.Creator, each) for each in (kept_id, other_id)]
        merge(catalog, *pair)
        return "merged"

    def credit(catalog):
        catalog.update(
            catalog.get(models.Issue, issues[0]), {"credits": [{"creator": other_id, "roles": []}], "page": 9}
        )
        return "credited"

    def rename(catalog):
        return catalog.update(catalog.get(models.Creator, other_id), {"desc": "Late."}).id

    def remove(catalog):
        catalog.delete(catalog.get(models.Team, team_id))
        return "removed"

    answers = run_concurrently(factory, *map(told, (join, join, credit, rename, remove)))
    assert sorted(answers[:2])[1] == "merged"
    assert sorted(answers[:2])[0] in {"MovedError", "NotFoundError"}
    assert answers[2] in {"credited", "InvalidError"}
    assert answers[3] in {other_id, "MovedError", "NotFoundError"}
    assert answers[4] == "removed"
    with factory() as session:
        assert session.scalars(text("SELECT DISTINCT creator_id FROM credit")).all() == [kept_id]
        assert session.scalar(text("SELECT count(*) FROM credit")) == 2
        kept = session.get(models.Creator, kept_id)
        assert (kept.desc == "Late.") == (answers[3] == other_id)
        lost = session.scalars(select(Change.object_id).where(Change.action == "merge")).all()
        assert lost == [other_id]


def test_a_publisher_becomes_an_imprint_that_is_there_already(make, session, catalog):
    parent = make.publisher(name="Big")
    old = make.publisher(
        name="Léttle",
        founded=1960,
        cv_id=4,
        gcd_id=5,
        attributions=[{"source": "W", "url": "https://example.org/"}],
    )
    imprint = make.imprint(name="lettle", publisher=parent, founded=1970)
    make.imprint(cv_id=4)
    issue = make.issue(series=make.series(publisher=old))
    before, gone = issue.modified, old.id
    seen = preview_move(session, old, parent)
    assert (seen.imprint, seen.values) == (imprint, {"gcd_id": 5})
    assert seen.lost == {"founded": 1960, "cv_id": 4}
    assert move_publisher(catalog, old, parent, reason="Bought") is imprint
    session.commit()
    assert (imprint.founded, imprint.gcd_id) == (1970, 5)
    assert session.scalars(text("SELECT imprint_id FROM attribution")).all() == [imprint.id]
    session.refresh(issue)
    assert issue.modified > before
    with pytest.raises(GoneError) as caught:
        catalog.get(models.Publisher, gone)
    assert str(imprint.id) in caught.value.tombstone.reason
    states = session.scalars(select(History).where(History.kind == "series").order_by(History.id)).all()
    assert (states[-1].snapshot["imprint"], states[-1].reason) == (imprint.id, "Bought")


def test_a_publisher_with_children_moves_only_as_far_as_it_can(make, session, catalog):
    parent, old = make.publisher(), make.publisher(name="Old")
    universe = make.universe(publisher=old)
    with pytest.raises(InvalidError) as caught:
        move_publisher(catalog, old, parent)
    assert universe.name in messages(caught)
    imprint = make.imprint(publisher=old)
    with pytest.raises(InvalidError) as caught:
        move_publisher(catalog, old, parent, with_children=True)
    assert imprint.name in messages(caught)
    catalog.delete(imprint)
    made = move_publisher(catalog, old, parent, with_children=True)
    session.commit()
    session.refresh(universe)
    assert (universe.publisher_id, made.publisher_id, made.slug) == (parent.id, parent.id, "old")
    twin = make.publisher()
    make.series(name="Run", publisher=twin)
    make.series(name="Run", publisher=parent)
    with pytest.raises(InvalidError) as caught:
        move_publisher(catalog, twin, parent)
    assert "Run (2020)" in messages(caught)
