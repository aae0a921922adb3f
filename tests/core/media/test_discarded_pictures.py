"""Pictures are deleted with the rows that named them, but only after the commit."""

from datetime import date

import pytest
from sqlalchemy import select

from comicsdb import models
from comicsdb.accounts.deletion import remove_account
from comicsdb.library import reading_lists as lists
from comicsdb.library.undo import undo
from comicsdb.media.storage import FolderStorage
from comicsdb.models import LibraryAct
from tests.dataset import picture
from tests.lists import OFFICIAL, identity_of, make_list
from tests.pictures import save_picture


@pytest.fixture
def store(session, tmp_path):
    session.info["media"] = FolderStorage(tmp_path / "media")
    return session.info["media"]


def stored(store, kind):
    return save_picture(store, kind, picture(), "png")


def test_a_replaced_picture_is_removed_after_the_commit(session, catalog, make, store):
    old, new = stored(store, "arc"), stored(store, "arc")
    arc = make.arc(image=old)
    catalog.update(arc, {"image": new})
    assert store.exists(old)
    session.commit()
    assert (store.exists(old), store.exists(new)) == (False, True)


def test_a_rollback_loses_no_picture(session, catalog, make, store):
    key = stored(store, "arc")
    arc = make.arc(image=key)
    catalog.delete(arc)
    session.rollback()
    session.commit()
    assert store.exists(key)


def test_pictures_go_when_their_rows_go_by_cascade(session, catalog, make, store):
    keys = {kind: stored(store, kind) for kind in ("publisher", "imprint", "universe", "issue", "variants")}
    publisher = make.publisher(image=keys["publisher"])
    make.imprint(publisher=publisher, image=keys["imprint"])
    make.universe(publisher=publisher, image=keys["universe"])
    variants = [{"name": "Foil", "image": keys["variants"]}]
    make.issue(series=make.series(publisher=publisher), image=keys["issue"], variants=variants)
    catalog.delete(publisher)
    session.commit()
    assert not any(store.exists(key) for key in keys.values())
    assert session.get(models.Publisher, publisher.id) is None


def test_a_variant_that_goes_or_changes_takes_its_picture_along(session, catalog, make, store):
    gone, changed, new = (stored(store, "variants") for _ in range(3))
    issue = make.issue(variants=[{"image": gone}, {"image": changed}])
    kept = session.query(models.Variant).filter_by(image=changed).one().id
    catalog.update(issue, {"variants": [{"id": kept, "image": new}]})
    session.commit()
    assert [store.exists(key) for key in (gone, changed, new)] == [False, False, True]


def test_pictures_of_reading_lists_stay_as_long_as_changes_can_be_undone(session, make, store):
    owner = make.user()
    old, new = stored(store, "reading_list"), stored(store, "reading_list")
    made = make_list(session, owner, image=old)
    lists.update(session, identity_of(owner), OFFICIAL, made, {"image": new})
    session.commit()
    assert store.exists(old)
    lists.remove(session, identity_of(owner), OFFICIAL, made)
    session.commit()
    act = session.scalar(select(LibraryAct.id).order_by(LibraryAct.id.desc()))
    assert undo(session, identity_of(owner), OFFICIAL, act, today=date(2026, 11, 23)).restored == 1
    session.commit()
    assert store.exists(new)
    remove_account(session, owner)
    session.commit()
    assert not store.exists(old)
    assert not store.exists(new)
