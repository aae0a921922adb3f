"""Reverting: an older version is restored by an ordinary edit, as far as possible."""

from datetime import date
from decimal import Decimal

import pytest
from sqlalchemy import select

from comicsdb.catalog import Catalog, ConflictError, InvalidError
from comicsdb.catalog.history.revert import (
    MissingReferencesError,
    OutdatedError,
    conflicting_object,
    preview_revert,
    revert,
    version_of,
)
from comicsdb.catalog.history.snapshots import current_snapshot
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.media.storage import FolderStorage
from comicsdb.media.uploads import picture_values
from comicsdb.models import Issue, Tombstone
from tests import dataset
from tests.conftest import record_statements
from tests.factories import history_of


@pytest.fixture
def storage(tmp_path, session):
    """A folder of pictures for this test, from which the catalog removes files as from the site's."""
    session.info["media"] = FolderStorage(tmp_path)
    return session.info["media"]


@pytest.fixture
def picture(session, storage):
    """`picture(folder, colour)`: the values of a picture that was just uploaded."""

    def uploaded(folder, colour, *, hashed=False):
        return picture_values(session, storage, folder, dataset.picture(colour), hashed=hashed)

    return uploaded


@pytest.fixture
def edit(catalog, session):
    """`edit(entity, **values)`: update an object and commit."""

    def edited(entity, **values):
        catalog.update(entity, values)
        session.commit()

    return edited


@pytest.fixture
def back(session, catalog, storage):
    """`back(entity, number)`: revert an object to a version by its index (0 is the first), and commit."""

    def reverted(entity, number=0, *, without_missing=False, modified=None):
        version = history_of(session, entity.__tablename__, entity.id)[number]
        stamp = modified or entity.modified
        found = revert(catalog, storage, entity, version, modified=stamp, without_missing=without_missing)
        session.commit()
        return found

    return reverted


def last(session, entity):
    """The newest row of an object's history."""
    return history_of(session, entity.__tablename__, entity.id)[-1]


def test_every_field_comes_back_but_the_slug(make, session, edit, back):
    world = {name: getattr(make, name)() for name in ("arc", "character", "team", "universe")}
    reprint, creator, role = make.issue(), make.creator(), make.role("Writer").id
    issue = make.issue(
        number="7", name=["B", "A"], price=Decimal("3.50"), currency="GBP", store_date=date(2020, 4, 1),
        rating=3, reprints=[reprint], credits=[{"creator": creator.id, "roles": [role]}], cv_id=9, upc="123",
        attributions=[{"source": "W", "url": "https://w.example/"}],
        **{f"{name}s": [each] for name, each in world.items()},
    )  # fmt: skip
    first, slug = current_snapshot(session, "issue", issue.id), issue.slug
    edit(
        issue, number="8", name=[], price=None, store_date=None, rating=1, reprints=[], credits=[],
        cv_id=None, upc="", arcs=[], characters=[], teams=[], universes=[], attributions=[],
        cover_date=date(2021, 1, 1), desc="Long.", desc_is_solicitation=True,
    )  # fmt: skip
    back(issue)
    assert current_snapshot(session, "issue", issue.id) == first
    assert issue.slug == slug


@pytest.mark.parametrize("known", ["year", "month", "day"])
def test_a_cover_date_comes_back_also_if_it_is_its_substitute(make, session, edit, back, known):
    """Without a cover date, an issue is listed at its store date."""
    day = date(2020, 1, 1)
    issue = make.issue(cover_date=day, cover_date_precision=known, store_date=day)
    edit(issue, cover_date=None)
    assert (issue.cover_date, issue.cover_date_precision) == (day, "none")
    back(issue)
    assert (issue.cover_date, issue.cover_date_precision) == (day, known)
    back(issue, 1)
    assert issue.cover_date_precision == "none"


def test_it_is_an_edit_with_actor_reason_and_stamp(make, session, storage, edit):
    arc, user = make.arc(name="Dusk"), make.user()
    edit(arc, name="Dawn")
    first = version_of(session, "arc", arc.id, last(session, arc).id - 1)
    before = arc.modified
    revert(Catalog(session, user.id), storage, arc, first, modified=before, without_missing=False)
    session.commit()
    row = last(session, arc)
    assert (row.type, row.user_id, row.reason) == ("~", user.id, f"Revert to version {first.id}")
    assert (arc.name, arc.edited_by_id, arc.modified > before) == ("Dusk", user.id, True)


def test_reverting_to_what_is_there_changes_nothing(make, session, back):
    arc = make.arc()
    row, stamp = last(session, arc).id, arc.modified
    assert back(arc).differences == ()
    assert (last(session, arc).id, arc.modified) == (row, stamp)


def test_what_changed_meanwhile_is_not_overwritten(make, session, edit, back):
    arc = make.arc(name="Dusk")
    seen = arc.modified
    edit(arc, name="Dawn")
    with pytest.raises(OutdatedError):
        back(arc, modified=seen)
    assert arc.name == "Dawn"


def test_a_version_of_another_object_is_none(make, session):
    arc, other = make.arc(), make.arc()
    assert version_of(session, "arc", arc.id, last(session, other).id) is None
    assert version_of(session, "team", arc.id, last(session, arc).id) is None


# References to deleted or merged objects, and taken values.


def test_deleted_links_are_named_and_left_out_on_request(make, session, catalog, edit, back):
    arc, kept, creator = make.arc(name="Dusk"), make.arc(), make.creator(name="Ada")
    issue = make.issue(arcs=[arc, kept], credits=[{"creator": creator.id, "roles": []}])
    edit(issue, arcs=[], credits=[], number="2")
    catalog.delete(arc)
    catalog.delete(creator)
    session.commit()
    with pytest.raises(MissingReferencesError, match="Dusk") as refused:
        back(issue)
    told = [(field, str(reference)) for field, reference in refused.value.preview.missing]
    assert told == [("arcs", "Dusk"), ("credits", "Ada")]
    assert not refused.value.preview.impossible
    session.rollback()
    back(issue, without_missing=True)
    now = current_snapshot(session, "issue", issue.id)
    assert (now["number"], now["arcs"], now["credits"]) == ("1", [kept.id], [])


def test_a_deleted_parent_is_refused(make, session, catalog, edit, back):
    old, new = make.publisher(name="Old House"), make.publisher()
    series = make.series(publisher=old)
    edit(series, publisher=new.id)
    catalog.delete(old)
    session.commit()
    for without_missing in (False, True):
        with pytest.raises(MissingReferencesError, match="Old House") as refused:
            back(series, without_missing=without_missing)
        assert refused.value.preview.impossible
        session.rollback()
    assert series.publisher_id == new.id


def test_a_deleted_imprint_can_be_left_out(make, session, catalog, edit, back):
    publisher = make.publisher()
    imprint = make.imprint(publisher=publisher)
    series = make.series(publisher=publisher, imprint=imprint, name="First", sort_name="First")
    edit(series, imprint=None, name="Second")
    catalog.delete(imprint)
    session.commit()
    back(series, without_missing=True)
    assert (series.name, series.imprint_id) == ("First", None)


def test_a_deleted_imprint_does_not_leave_that_of_another_publisher(make, session, catalog, edit, back):
    old, new = make.publisher(), make.publisher()
    gone, current = make.imprint(publisher=old, name="Gone"), make.imprint(publisher=new)
    series = make.series(publisher=old, imprint=gone)
    edit(series, publisher=new.id, imprint=current.id)
    catalog.delete(gone)
    session.commit()
    assert [each.field for each in back(series, without_missing=True).differences] == ["publisher", "imprint"]
    assert (series.publisher_id, series.imprint_id) == (old.id, None)


def test_what_was_merged_is_followed_to_where_it_lives_on(make, session, catalog, edit, back):
    loser, survivor = make.creator(name="A. Pencil"), make.creator(name="Ada Pencil")
    writer, inker = make.role("Writer").id, make.role("Inker").id
    issue = make.issue(
        credits=[{"creator": loser.id, "roles": [inker]}, {"creator": survivor.id, "roles": [writer]}]
    )
    edit(issue, credits=[])
    catalog.delete(loser)
    session.get_one(Tombstone, ("creator", loser.id)).survivor_id = survivor.id
    session.commit()
    assert back(issue).missing == ()
    wanted = [{"creator": survivor.id, "roles": sorted((writer, inker))}]
    assert current_snapshot(session, "issue", issue.id)["credits"] == wanted


def test_what_was_merged_into_a_deleted_object_is_left_out_on_request(make, session, catalog, edit, back):
    loser, survivor, kept = make.character(name="Moth"), make.character(name="Lamp"), make.character()
    issue = make.issue(characters=[loser, kept])
    edit(issue, characters=[])
    merge(catalog, survivor, loser)
    session.commit()
    catalog.delete(survivor)
    session.commit()
    with pytest.raises(MissingReferencesError, match="Moth"):
        back(issue)
    session.rollback()
    back(issue, without_missing=True)
    assert current_snapshot(session, "issue", issue.id)["characters"] == [kept.id]


def test_a_unique_value_that_was_taken_names_its_holder(make, session, edit, back):
    series = make.series(name="Run")
    issue = make.issue(series=series, number="1")
    edit(issue, number="2")
    other = make.issue(series=series, number="1")
    with pytest.raises(ConflictError) as refused:
        back(issue)
    target = current_snapshot(session, "issue", issue.id) | {"number": "1"}
    assert conflicting_object(session, issue, target, refused.value).id == other.id
    assert conflicting_object(session, issue, target, refused.value).label == "Run (2020) #1"
    session.rollback()
    assert session.scalar(select(Issue.number).where(Issue.id == issue.id)) == "2"


def test_the_rules_hold_for_an_older_version_too(make, session, catalog, edit, back):
    publisher, other = make.publisher(), make.publisher()
    imprint = make.imprint(publisher=publisher)
    series = make.series(publisher=publisher, imprint=imprint)
    edit(series, imprint=None)
    edit(imprint, publisher=other.id)
    with pytest.raises(InvalidError) as refused:
        back(series)
    assert list(refused.value.errors) == ["imprint"]


# Pictures.


def test_a_picture_whose_file_is_gone_cannot_come_back(make, session, storage, edit, back, picture):
    arc = make.arc(name="Dusk", **picture("arc", "red"))
    edit(arc, name="Dawn", **picture("arc", "blue"))
    now, version = arc.image, last(session, arc)
    found = back(arc)
    assert found.lost_picture
    assert [each.field for each in found.differences] == ["name"]
    assert (arc.name, arc.image, storage.exists(now)) == ("Dusk", now, True)
    assert version.snapshot["image"] == now


def test_a_picture_whose_file_was_kept_comes_back_as_a_copy(make, session, storage, edit, back, picture):
    first = picture("issue", "red", hashed=True)
    issue = make.issue(**first)
    del session.info["media"]  # as in a command, which leaves files to the sweep
    edit(issue, **picture("issue", "blue", hashed=True))
    session.info["media"] = storage
    second = issue.image
    found = back(issue)
    assert (found.lost_picture, found.removed_pictures) == (False, 1)
    assert issue.image not in {first["image"], second}
    with storage.open(issue.image) as copy, storage.open(first["image"]) as original:
        assert copy.read() == original.read()
    assert (issue.cover_hash, issue.image_width) == (first["cover_hash"], 20)
    assert not storage.exists(second)


def test_a_version_without_a_picture_takes_it_away(make, storage, edit, back, picture):
    arc = make.arc()
    edit(arc, **picture("arc", "red"))
    key = arc.image
    assert back(arc).removed_pictures == 1
    assert (arc.image, arc.image_width, storage.exists(key)) == ("", None, False)


def test_variants_come_back_without_a_picture_that_has_no_file(make, session, storage, edit, back, picture):
    def variants():
        return current_snapshot(session, "issue", issue.id)["variants"]

    issue = make.issue(
        variants=[{"name": "Foil", "price": Decimal("4.99"), **picture("variants", "red", hashed=True)}]
    )
    (foil,) = variants()
    virgin = {"name": "Virgin", "sku": "VIRGIN1", **picture("variants", "blue", hashed=True)}
    edit(issue, variants=[{"id": foil["id"], "name": "Gold", "price": None}, virgin])
    edit(issue, variants=[{"id": foil["id"], "name": "Silver"}])
    found = back(issue, 1)
    assert found.lost_variants == ("Virgin",)
    assert [(each["name"], each["sku"], bool(each["image"])) for each in variants()] == [
        ("Gold", "", True),
        ("Virgin", "VIRGIN1", False),
    ]
    found = back(issue, 0)
    assert (variants(), found.lost_variants) == ([foil], ())


def test_variants_without_a_picture_come_back_as_they_were(make, session, edit, back, picture):
    def variants():
        return [
            (each["name"], each["image"]) for each in current_snapshot(session, "issue", issue.id)["variants"]
        ]

    issue = make.issue(variants=[{"name": "Plain"}, {"name": "Bare"}])
    plain, bare = (each["id"] for each in current_snapshot(session, "issue", issue.id)["variants"])
    edit(issue, variants=[{"id": plain, **picture("variants", "red", hashed=True)}])
    assert (back(issue, 0).lost_variants, variants()) == ((), [("Plain", ""), ("Bare", "")])
    assert bare not in {each["id"] for each in current_snapshot(session, "issue", issue.id)["variants"]}


def test_a_preview_takes_few_statements_and_changes_nothing(make, session, connection, storage, edit):
    with make.single_commit():
        arcs, creators = [make.arc() for _ in range(3)], [make.creator() for _ in range(3)]
    issue = make.issue(arcs=arcs, credits=[{"creator": each.id, "roles": []} for each in creators])
    edit(issue, arcs=[], credits=[])
    row = last(session, issue)
    first = version_of(session, "issue", issue.id, row.id - 1)
    with record_statements(connection) as statements:
        found = preview_revert(session, storage, issue, first.snapshot)
    assert len(statements) == 9, statements  # as many for more arcs and creators
    assert [each.field for each in found.differences] == ["arcs", "credits"]
    session.commit()
    assert last(session, issue).id == row.id
