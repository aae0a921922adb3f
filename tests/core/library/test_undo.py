"""Undo of readers' changes to their libraries: possible for a day, except for rows changed since."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import func, select, text, update

from comicsdb import clock
from comicsdb.catalog import NotFoundError
from comicsdb.catalog.issue_parts import update_variant
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.catalog.references import References
from comicsdb.library import acts, collection, pull_list, ratings, reading_lists, wish_list
from comicsdb.library.reading_lists import items
from comicsdb.library.reading_lists.ratings import rate as rate_list
from comicsdb.library.undo import UndoResult, undo
from comicsdb.models import Issue, LibraryAct, LibraryChange, ReadingList, ReadingListItem, WishListItem
from comicsdb.security import SESSION, make_identity

TODAY = date(2026, 11, 23)
OFFICIAL = "Metron"
TABLES = (
    *("collection_item", "read_date", "issue_rating", "wish_list_item", "pull_list_series"),
    *("reading_list", "reading_list_item", "reading_list_rating", "reading_list_like"),
)
STAMPS = "'{modified,modified_before,rated,rated_before}'::text[]"
GIVEN_AGAIN = {"issue_rating": " - '{id,created_on}'::text[]"}  # columns that a restored row gets anew


@pytest.fixture
def reader(make):
    return make_identity(make.user(), SESSION)


@pytest.fixture
def issues(make):
    series = make.series()
    return [make.issue(series=series, number=str(number)).id for number in range(1, 6)]


def state(session):
    """All rows of readers' libraries without stamps, and the rating totals of the issues."""
    session.commit()
    return {
        table: session.execute(
            text(
                f"SELECT jsonb_agg(to_jsonb(t) - {STAMPS}{GIVEN_AGAIN.get(table, '')} "
                f" ORDER BY to_jsonb(t) -> 'issue_id', id) FROM {table} t"
            )
        ).scalar()
        for table in TABLES
    } | {"figures": session.execute(text("SELECT id, rating_count, rating_sum FROM issue ORDER BY id")).all()}


def last(session) -> int:
    session.commit()
    return session.scalar(select(func.max(LibraryAct.id)))


def undone(session, reader, act_id=None):
    """Undo an act, by default the last one."""
    result = undo(session, reader, OFFICIAL, last(session) if act_id is None else act_id, today=TODAY)
    session.commit()
    return result


def test_each_act_is_undone_and_done_again(session, make, reader, issues):
    me, one, two = reader.user_id, issues[0], issues[1]
    item = collection.add(session, me, one, {"notes": "first", "is_read": True})[0]
    collection.rate(session, me, item.id, 3, today=TODAY)
    wish, _created = wish_list.add(session, me, two, {"notes": "please"})
    pull_list.add(session, me, make.series().id)
    made = reading_lists.create(session, reader, OFFICIAL, {"name": "Mine", "desc": "words"})
    made_id = made.id
    other = reading_lists.create(session, reader, OFFICIAL, {"name": "After it", "previous": made.id})
    stranger = make_identity(make.user(), SESSION)
    theirs = reading_lists.create(session, stranger, OFFICIAL, {"name": "Theirs"})
    rate_list(session, stranger, OFFICIAL, made, 5)

    def on_list(write):
        return lambda: write(reading_lists.lock_list(session, reader, OFFICIAL, made))

    on_list(lambda held: items.add_issues(held, issues[:3]))()
    first = session.scalar(select(ReadingListItem.id).where(ReadingListItem.issue_id == one))
    again = datetime(2026, 11, 1, tzinfo=UTC)
    before = state(session)
    for write in (
        lambda: collection.add(session, me, issues[3], {"is_read": True}),
        lambda: collection.update(session, me, item.id, {"grade": 9, "is_read": False}),
        lambda: collection.rate(session, me, item.id, 5, today=TODAY),
        lambda: collection.scrobble(session, me, one, again, today=TODAY),
        lambda: collection.scrobble(session, me, issues[4], None, 4, today=TODAY),
        lambda: collection.remove(session, me, item.id),
        lambda: ratings.rate(session, session.get(Issue, two), me, 4, today=TODAY),
        lambda: ratings.rate(session, session.get(Issue, one), me, None, today=TODAY),
        lambda: wish_list.acquire(session, me, wish.id, {}),
        lambda: wish_list.remove(session, me, wish.id),
        lambda: pull_list.add(session, me, make.series().id),
        lambda: pull_list.remove(session, me, session.scalar(text("SELECT series_id FROM pull_list_series"))),
        lambda: reading_lists.create(session, reader, OFFICIAL, {"name": "One more"}),
        lambda: reading_lists.update(session, reader, OFFICIAL, made, {"name": "Other", "is_private": True}),
        lambda: rate_list(session, reader, OFFICIAL, theirs, 4),
        on_list(lambda held: items.add_issues(held, issues[3:], at=items.BEGINNING)),
        on_list(lambda held: items.reorder(held, issues[2::-1])),
        on_list(lambda held: items.move(held, first, items.DOWN)),
        on_list(lambda held: items.set_type(held, first, "PROLOGUE")),
        on_list(lambda held: items.remove_item(held, first)),
        lambda: reading_lists.remove(session, reader, OFFICIAL, made),
    ):
        write()
        after = state(session)
        act = last(session)
        assert undone(session, reader, act).changed == 0
        assert state(session) == before, act
        assert undone(session, reader).changed == 0  # undoes the undo
        assert state(session) == after
        assert undone(session, reader).changed == 0
        assert state(session) == before
        with pytest.raises(NotFoundError):
            undone(session, reader, act)
        session.expire_all()
    assert session.scalar(select(ReadingList.previous_id).where(ReadingList.id == other.id)) == made_id
    reading_lists.remove(session, reader, OFFICIAL, session.get(ReadingList, made_id))
    about = acts.subjects(session, [last(session)])[last(session)]
    assert about.lists == {made_id: "Mine"}
    wanted = References(session, {"issue": issues})
    assert about.issues == {each: wanted.to("issue", each) for each in issues[:3]}  # in the order of deletion


def test_what_was_changed_since_stays(session, make, reader, issues):
    me = reader.user_id
    collection.add_many(session, me, [(each, {"notes": "old"}) for each in issues[:3]])
    adding = last(session)
    ids = session.scalars(text("SELECT id FROM collection_item ORDER BY issue_id")).all()
    collection.update(session, me, ids[0], {"notes": "new"})
    changing = last(session)
    collection.update(session, me, ids[0], {"grade": 9})
    assert undone(session, reader, changing) == UndoResult(1, changed=0, gone=0)
    item = collection.item(session, me, ids[0])
    assert (item.notes, item.grade) == ("old", 9)
    assert undone(session, reader, adding) == UndoResult(2, changed=1, gone=0)
    assert session.scalars(text("SELECT id FROM collection_item")).all() == [ids[0]]
    wish, _created = wish_list.add(session, me, issues[0], {})
    session.commit()
    wish_list.remove(session, me, wish.id)
    removing = last(session)
    wish_list.add(session, me, issues[0], {})
    session.commit()
    assert undone(session, reader, removing) == UndoResult(0, changed=1, gone=0)
    assert session.scalar(select(LibraryAct.undone).where(LibraryAct.id == removing)) is None
    there = session.scalar(select(WishListItem.id))
    wish_list.change(session, me, there, {"issue_id": issues[1]})
    moving = last(session)
    wish_list.add(session, me, issues[0], {})
    session.commit()
    assert undone(session, reader, moving) == UndoResult(0, changed=1, gone=0)
    created = reading_lists.create(session, reader, OFFICIAL, {"name": "Mine"})
    making = last(session)
    items.add_issues(reading_lists.lock_list(session, reader, OFFICIAL, created), issues)
    session.commit()
    assert undone(session, reader, making) == UndoResult(0, changed=1, gone=0)
    reading_lists.remove(session, reader, OFFICIAL, created)
    removing = last(session)
    reading_lists.create(session, reader, OFFICIAL, {"name": "Mine"})
    session.commit()
    assert undone(session, reader, removing).restored == 0


def test_merged_and_deleted_issues(session, catalog, make, reader, issues):
    me = reader.user_id
    ratings.rate_issues(session, me, dict.fromkeys(issues[:3], 4), today=TODAY)
    collection.add_many(session, me, [(each, {}) for each in issues[:3]])
    session.commit()
    for item_id in session.scalars(text("SELECT id FROM collection_item")).all():
        collection.remove(session, me, item_id)
        session.commit()
    *_, added = session.scalars(select(LibraryAct.id).order_by(LibraryAct.id).limit(1)).all()
    removed = session.scalars(select(LibraryAct.id).order_by(LibraryAct.id).offset(1)).all()
    merge(catalog, catalog.get(Issue, issues[4]), catalog.get(Issue, issues[0]))
    catalog.delete(catalog.get(Issue, issues[1]))
    session.commit()
    assert undone(session, reader, removed[0]) == UndoResult(1, changed=0, gone=0)
    assert undone(session, reader, removed[1]) == UndoResult(0, changed=0, gone=1)
    owned = session.execute(text("SELECT issue_id, rating FROM collection_item")).all()
    assert owned == [(issues[4], 4)]
    assert undone(session, reader, added).restored > 0
    assert session.scalar(text("SELECT count(*) FROM issue_rating")) == 0


def test_items_and_wishes_follow_their_variant_to_its_issue(session, catalog, make, reader, issues):
    me, here, there = reader.user_id, *issues[:2]
    ratings.rate_issues(session, me, {here: 2, there: 5}, today=TODAY)
    foil, gold = (make.variant(catalog.get(Issue, here), name=name).id for name in ("Foil", "Gold"))
    chosen = {"removed": foil, "cleared": foil, "given": None, "other": gold, "counted": foil}
    found = {
        name: collection.add(session, me, here, {"variant_id": variant}, another_copy=True)[0].id
        for name, variant in chosen.items()
    }
    wish = wish_list.add(session, me, here, {"variant_id": foil})[0].id
    for change in (
        lambda: collection.remove(session, me, found["removed"]),
        lambda: wish_list.remove(session, me, wish),
        lambda: collection.update(session, me, found["cleared"], {"variant_id": None}),
        lambda: collection.update(session, me, found["given"], {"variant_id": foil}),
        lambda: collection.update(session, me, found["other"], {"variant_id": foil}),
        lambda: collection.update(session, me, found["counted"], {"quantity": 3}),
    ):
        session.commit()
        change()
    newest = last(session)
    update_variant(catalog, foil, {"issue": there})
    for act in range(newest, newest - 6, -1):
        assert undone(session, reader, act) == UndoResult(1, changed=0, gone=0)
    columns = "issue_id, variant_id, rating, quantity"
    items = {
        row.id: tuple(row)[1:] for row in session.execute(text(f"SELECT id, {columns} FROM collection_item"))
    }
    assert {name: items[each] for name, each in found.items()} == {
        "removed": (there, foil, 5, 1),
        "cleared": (there, foil, 5, 1),
        "given": (here, None, 2, 1),
        "other": (here, gold, 2, 1),
        "counted": (there, foil, 5, 1),
    }
    wishes = session.execute(text("SELECT issue_id, variant_id FROM wish_list_item")).all()
    assert wishes == [(there, foil)]


def test_a_copy_comes_back_where_its_variant_went_before_its_issue_was_deleted(
    session, catalog, make, reader, issues
):
    me, here, there = reader.user_id, *issues[:2]
    foil = make.variant(catalog.get(Issue, here), name="Foil").id
    item = collection.add(session, me, here, {"variant_id": foil})[0].id
    session.commit()
    collection.remove(session, me, item)
    act = last(session)
    update_variant(catalog, foil, {"issue": there})
    catalog.delete(catalog.get(Issue, here))
    session.commit()
    assert undone(session, reader, act) == UndoResult(1, changed=0, gone=0)
    assert session.execute(text("SELECT issue_id, variant_id FROM collection_item")).all() == [(there, foil)]


def test_acts_are_private_and_end_after_a_day(session, make, reader, issues):
    me = reader.user_id
    collection.add(session, me, issues[0], {})
    act = last(session)
    stranger = make_identity(make.user(), SESSION)
    with pytest.raises(NotFoundError):
        undone(session, stranger, act)
    for wrong in (0, -1, 2**70):
        with pytest.raises(NotFoundError):
            undone(session, reader, wrong)
    old = clock.now() - timedelta(days=1, seconds=1)
    session.execute(update(LibraryAct).values(at=old))
    with pytest.raises(NotFoundError):
        undone(session, reader, act)
    assert session.scalars(acts.of_account(me)).all() == []
    assert acts.clean(session) == 1
    assert session.scalar(select(func.count()).select_from(LibraryChange)) == 0


def test_a_list_that_is_on_the_other_side_since_stays_there(session, reader):
    first, second = (
        reading_lists.create(session, reader, OFFICIAL, {"name": name}) for name in ("First", "Second")
    )
    reading_lists.update(session, reader, OFFICIAL, first, {"previous": second.id})
    session.commit()
    reading_lists.update(session, reader, OFFICIAL, first, {"previous": None})
    act = last(session)
    reading_lists.update(session, reader, OFFICIAL, first, {"next": second.id})
    session.commit()
    before = state(session)
    assert undone(session, reader, act) == UndoResult(0, changed=2, gone=0)
    assert state(session) == before


def test_what_the_catalog_does_is_no_act(session, catalog, make, reader, issues):
    collection.add(session, reader.user_id, issues[0], {})
    act = last(session)
    merge(catalog, catalog.get(Issue, issues[1]), catalog.get(Issue, issues[0]))
    catalog.delete(catalog.get(Issue, issues[1]))
    assert last(session) == act
    collection.add(session, reader.user_id, issues[2], {})
    collection.update(session, reader.user_id, session.scalar(text("SELECT id FROM collection_item")), {})
    assert session.scalars(select(LibraryAct.counts).order_by(LibraryAct.id)).all() == [
        {"collection_item.insert": 1},
        {"collection_item.insert": 1},
    ]
