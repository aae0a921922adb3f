"""External ids: storage, validation, merges, moves and reverts, and who entered each."""

import pytest
from sqlalchemy import select, text

from comicsdb.accounts.deletion import remove_account
from comicsdb.catalog import Catalog, InvalidError
from comicsdb.catalog.history.diff import compare
from comicsdb.catalog.history.revert import revert
from comicsdb.catalog.history.snapshots import current_snapshot
from comicsdb.catalog.maintenance.merge import merge, preview_merge
from comicsdb.catalog.maintenance.move import move_publisher
from comicsdb.media.storage import FolderStorage
from comicsdb.models import Change, ExternalId
from comicsdb.models.choices import EXTERNAL_SOURCES
from tests.cases import for_each
from tests.factories import history_of


def known(source, external_id, scope=""):
    """An external id in the form in which it is written to an object."""
    return {"source": source, "external_id": external_id, "scope": scope}


METRON, WIKIDATA, LOCG = known("metron", "4711"), known("wikidata", "Q42", "volume"), known("locg", "9")


def ids_of(session, entity):
    """The stored ids of an object, with the accounts that entered them."""
    column = getattr(ExternalId, f"{entity.__tablename__}_id")
    rows = select(ExternalId.source, ExternalId.external_id, ExternalId.said_by_id).where(column == entity.id)
    return sorted(session.execute(rows).all())


def test_ids_are_a_set_and_those_that_stay_keep_who_said_so(session, make):
    one, two = make.user(), make.user()
    team = Catalog(session, one.id).create(type(make.team()), {"name": "T", "external_ids": [METRON, LOCG]})
    session.commit()
    before = team.modified
    acting = Catalog(session, two.id)
    acting.update(team, {"external_ids": [WIKIDATA, METRON, METRON]})
    session.commit()
    assert ids_of(session, team) == [("metron", "4711", one.id), ("wikidata", "Q42", two.id)]
    assert team.modified > before
    assert current_snapshot(session, "team", team.id)["external_ids"] == [METRON, WIKIDATA]
    last = session.scalars(select(Change.fields).order_by(Change.seq)).all()[-1]
    assert last == ["external_ids"]
    remove_account(session, two)
    session.commit()
    assert ids_of(session, team) == [("metron", "4711", one.id), ("wikidata", "Q42", None)]


@for_each(
    "wrong",
    [
        {"source": "nowhere", "external_id": "1"},
        {"source": "metron", "external_id": "x"},
        {"source": "metron"},
        {"source": "wikidata", "external_id": " Q1"},
        {"source": "isbn", "external_id": "0-306-40615-2"},
    ],
)
def test_what_is_no_id_of_a_source_is_refused(catalog, make, wrong):
    with pytest.raises(InvalidError) as caught:
        catalog.update(make.arc(), {"external_ids": [wrong]})
    assert list(caught.value.errors) == ["external_ids"]


@pytest.mark.parametrize(
    ("source", "copied", "kept"),
    [
        ("comicvine", "4000-1234", "1234"),
        ("isbn", "0-306-40615-x", "030640615X"),
        ("asin", " b00ab12345", "B00AB12345"),
        ("wikidata", "q42", "Q42"),
        ("metron", "12a", None),
        ("gcd", "0", None),
    ],
)
def test_ids_are_read_as_they_are_copied(source, copied, kept):
    assert EXTERNAL_SOURCES[source].read(copied) == kept


def test_a_merge_unites_ids_and_keeps_those_of_columns(session, make, catalog):
    kept = make.series(cv_id=1, external_ids=[METRON, LOCG])
    other = make.series(cv_id=2, gcd_id=3, external_ids=[METRON, WIKIDATA])
    (effect,) = [
        each for each in preview_merge(session, kept, other).effects if each.row_name == "external_id"
    ]
    assert (effect.moved, effect.combined, effect.shown) == (1, 1, ())
    merge(catalog, kept, other)
    session.commit()
    assert [row[:2] for row in ids_of(session, kept)] == [
        ("comicvine", "2"),
        ("locg", "9"),
        ("metron", "4711"),
        ("wikidata", "Q42"),
    ]
    assert (kept.cv_id, kept.gcd_id) == (1, 3)
    assert session.scalar(text("SELECT count(*) FROM external_id")) == 4


def test_a_publisher_that_becomes_an_imprint_keeps_its_ids(session, make, catalog):
    parent, old = make.publisher(), make.publisher(name="Little", external_ids=[METRON, LOCG])
    imprint = make.imprint(name="Little", publisher=parent, external_ids=[LOCG])
    move_publisher(catalog, old, parent)
    session.commit()
    assert [row[0] for row in ids_of(session, imprint)] == ["locg", "metron"]
    catalog.delete(imprint)
    session.commit()
    assert session.scalars(select(ExternalId.id)).all() == []


def test_an_older_version_brings_ids_back(session, make, catalog, tmp_path):
    arc = make.arc(external_ids=[METRON])
    session.commit()
    catalog.update(arc, {"external_ids": [LOCG]})
    session.commit()
    first, second = history_of(session, "arc", arc.id)
    ((difference,),) = compare(session, "arc", [(first.snapshot, second.snapshot)])
    assert difference.added == ("League of Comic Geeks: 9",)
    assert difference.removed == ("Metron: 4711",)
    storage = FolderStorage(tmp_path)
    revert(catalog, storage, arc, first, modified=arc.modified, without_missing=False)
    session.commit()
    assert [row[0] for row in ids_of(session, arc)] == ["metron"]


def test_a_version_from_before_there_were_ids_has_none(session, make, catalog):
    arc = make.arc(name="Old")
    session.commit()
    session.execute(text("UPDATE history SET snapshot = snapshot - 'external_ids'"))
    catalog.update(arc, {"name": "New"})
    session.commit()
    versions = history_of(session, "arc", arc.id)
    assert session.scalars(select(Change.fields).order_by(Change.seq)).all()[-1] == ["name"]
    (found,) = compare(session, "arc", [(versions[0].snapshot, versions[1].snapshot)])
    assert [each.field for each in found] == ["name"]
