"""The wish list: no duplicates, changes to items, and adding what was acquired to the collection."""

from datetime import date
from decimal import Decimal

import pytest
from sqlalchemy import func, select

from comicsdb.catalog import Catalog, InvalidError, NotFoundError
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.library import collection, wish_list
from comicsdb.models import CollectionItem, Issue, WishList, WishListItem
from tests.concurrency import run_concurrently
from tests.factories import Factories

TODAY = date(2026, 3, 4)


@pytest.fixture
def reader(make):
    return make.user().id


@pytest.fixture
def item(session, make, reader):
    """A wish with default values."""
    return wish_list.add(session, reader, make.issue().id, {})[0]


def on_list(session, user_id):
    """The ids of the issues on a list, in its order."""
    rows = session.scalars(wish_list.items().where(WishListItem.id.in_(wish_list.ordered_ids(user_id)))).all()
    return [each.issue_id for each in rows]


def stamps(session, model, row_id):
    columns = select(model.modified, model.modified_before).where(model.id == row_id)
    return session.execute(columns).one()


def test_an_issue_is_wished_for_once(session, make, reader):
    issue = make.issue().id
    values = {"priority": 1, "desired_grade": Decimal("9.8"), "max_price": Decimal("5"), "notes": "x"}
    item, created = wish_list.add(session, reader, issue, values)
    assert created
    again, created = wish_list.add(session, reader, issue, {"priority": 5})
    assert (again.id, again.priority, created) == (item.id, 1, False)
    assert (item.status, item.max_price, item.max_currency) == ("WANTED", Decimal("5"), "USD")


def test_variants_of_an_issue_are_wished_for_beside_it(session, catalog, make, reader):
    issue, other = make.issue(number="1"), make.issue(number="2")
    foils = [make.variant(issue, name=name) for name in ("Foil", "Gold", "Silver")]
    plain, *wishes = (
        wish_list.add(session, reader, issue.id, {"variant_id": each})[0]
        for each in (None, *(foil.id for foil in foils))
    )
    again, created = wish_list.add(session, reader, issue.id, {"variant_id": foils[1].id})
    assert (again.id, created) == (wishes[1].id, False)
    with pytest.raises(InvalidError) as caught:
        wish_list.change(session, reader, plain.id, {"variant_id": foils[0].id})
    assert list(caught.value.errors) == ["variant_id"]
    moved = wish_list.add(session, reader, other.id, {})[0]
    with pytest.raises(InvalidError) as caught:
        wish_list.change(session, reader, moved.id, {"issue_id": issue.id})
    assert list(caught.value.errors) == ["issue_id"]
    wish_list.remove(session, reader, plain.id)
    # Of the wishes for deleted variants, the first becomes one for the issue, and the others are dropped.
    catalog.update(issue, {"variants": [{"id": foils[1].id, "name": "Gold"}]})
    session.flush()
    left = select(WishListItem.issue_id, WishListItem.variant_id).order_by(WishListItem.id)
    assert sorted(session.execute(left).all(), key=str) == sorted(
        [(issue.id, None), (issue.id, foils[1].id), (other.id, None)], key=str
    )
    # Merging two issues also merges the wishes for them.
    merge(catalog, other, issue)
    assert session.scalars(left.with_only_columns(WishListItem.variant_id)).all() == [foils[1].id, None]
    assert set(on_list(session, reader)) == {other.id}
    assert wish_list.set_wished(session, reader, other.id, False)
    assert on_list(session, reader) == []


@pytest.mark.parametrize(
    ("values", "price"),
    [
        ({}, (None, "USD")),
        ({"max_price": None, "max_currency": "EUR"}, (None, "USD")),
        ({"max_price": Decimal(0), "max_currency": "EUR"}, (None, "USD")),
        ({"max_currency": "EUR"}, (None, "USD")),
        ({"max_price": Decimal(3)}, (Decimal(3), "USD")),
        ({"max_price": Decimal(3), "max_currency": "EUR"}, (Decimal(3), "EUR")),
    ],
)
def test_nothing_is_no_price_and_has_no_currency(session, make, reader, values, price):
    item, _ = wish_list.add(session, reader, make.issue().id, values)
    assert (item.max_price, item.max_currency) == price


def test_a_change_leaves_the_rest_and_moves_both_stamps(session, reader, item):
    wishes = item.wish_list_id
    item = wish_list.change(session, reader, item.id, {"max_price": Decimal(9), "max_currency": "GBP"})
    own, of_list = stamps(session, WishListItem, item.id), stamps(session, WishList, wishes)
    changed = wish_list.change(session, reader, item.id, {"max_price": Decimal(8), "status": "FOUND"})
    assert (changed.max_price, changed.max_currency, changed.status) == (Decimal(8), "GBP", "FOUND")
    assert changed.priority == 3
    for model, row_id, before in ((WishListItem, item.id, own), (WishList, wishes, of_list)):
        after = stamps(session, model, row_id)
        assert after.modified > before.modified
        assert after.modified_before == before.modified
    gone = wish_list.change(session, reader, item.id, {"max_price": None})
    assert (gone.max_price, gone.max_currency) == (None, "USD")


def test_an_item_may_move_to_an_issue_that_is_not_on_the_list(session, make, reader, item):
    other, taken = make.issue().id, make.issue().id
    wish_list.add(session, reader, taken, {})
    assert wish_list.change(session, reader, item.id, {"issue_id": other}).issue_id == other
    assert wish_list.change(session, reader, item.id, {"issue_id": other}).issue_id == other
    for issue, words in ((taken, "already"), (999_999, "no longer exists")):
        with pytest.raises(InvalidError) as caught:
            wish_list.change(session, reader, item.id, {"issue_id": issue, "priority": 1})
        assert list(caught.value.errors) == ["issue_id"]
        assert words in caught.value.errors["issue_id"][0]
    session.refresh(item)
    assert (item.issue_id, item.priority) == (other, 3)


def test_the_wanted_state_counts_whatever_was_before(session, make, reader):
    issue = make.issue().id
    told = [wish_list.set_wished(session, reader, issue, wanted) for wanted in (True, True, False, False)]
    assert told == [True, False, True, False]
    assert wish_list.first_item(session, reader, issue) is None


@pytest.mark.parametrize("number", [0, -1, 999_999, 2**31, 2**63, 2**70])
def test_what_is_not_there(session, reader, number):
    with pytest.raises(NotFoundError) as caught:
        wish_list.add(session, reader, number, {})
    assert (caught.value.kind, caught.value.key) == ("issue", number)
    for act in (
        lambda: wish_list.change(session, reader, number, {}),
        lambda: wish_list.acquire(session, reader, number, {}),
        lambda: wish_list.find_item(session, reader, number),
    ):
        with pytest.raises(NotFoundError) as caught:
            act()
        assert caught.value.kind == "wish_list_item"
    assert wish_list.remove(session, reader, number) is False


def test_items_of_others_are_theirs(session, make, reader, item):
    other = make.user().id
    for act in (
        lambda: wish_list.change(session, other, item.id, {"priority": 1}),
        lambda: wish_list.acquire(session, other, item.id, {}),
    ):
        with pytest.raises(NotFoundError):
            act()
    assert wish_list.remove(session, other, item.id) is False
    assert wish_list.set_wished(session, other, item.issue_id, False) is False
    assert (on_list(session, reader), on_list(session, other)) == ([item.issue_id], [])


def test_the_list_in_its_order_and_by_what_is_asked(session, make, reader):
    one, two = make.series(name="A", sort_name="A"), make.series(name="B", sort_name="B")
    made = {}
    for name, series, cover, priority, status in (
        ("late", two, date(2020, 1, 1), 2, "WANTED"),
        ("second", one, date(2021, 1, 1), 2, "FOUND"),
        ("first", one, date(2020, 1, 1), 2, "WANTED"),
        ("top", two, date(2022, 1, 1), 1, "ACQUIRED"),
    ):
        issue = make.issue(series=series, number=name, cover_date=cover)
        values = {"priority": priority, "status": status}
        made[wish_list.add(session, reader, issue.id, values)[0].id] = name

    def names(**narrowed):
        return [made[each] for each in session.scalars(wish_list.ordered_ids(reader, **narrowed))]

    assert names() == ["top", "first", "second", "late"]
    assert names(status="WANTED") == ["first", "late"]
    assert names(priority=2) == ["first", "second", "late"]
    assert names(priority=2, status="FOUND") == ["second"]
    assert names(priority=5) == []


def test_what_is_acquired_comes_into_the_collection_once(session, make, reader):
    issue = make.issue().id
    item, _ = wish_list.add(session, reader, issue, {"desired_grade": Decimal("9.4"), "notes": "wish"})
    before = stamps(session, WishListItem, item.id)
    bought = {"purchase_price": Decimal("4.50"), "purchase_currency": "EUR", "notes": "buy"}
    item, owned, created = wish_list.acquire(session, reader, item.id, bought)
    assert created
    assert (owned.issue_id, owned.grade, owned.quantity) == (issue, Decimal("9.4"), 1)
    assert (owned.purchase_price, owned.purchase_currency, owned.notes) == (Decimal("4.50"), "EUR", "buy")
    assert (item.status, item.notes) == ("ACQUIRED", "wish")
    assert stamps(session, WishListItem, item.id).modified > before.modified
    _, again, created = wish_list.acquire(session, reader, item.id, {"notes": "other"})
    assert (again.id, again.notes, created) == (owned.id, "buy", False)


def test_a_deleted_issue_takes_its_wish_along_and_the_list_has_changed(session, catalog, make, reader, item):
    before = stamps(session, WishList, item.wish_list_id)
    wishes = item.wish_list_id
    catalog.delete(session.get(Issue, item.issue_id))
    session.commit()
    assert on_list(session, reader) == []
    assert stamps(session, WishList, wishes).modified > before.modified


# Concurrent writes.


@pytest.fixture
def factory(shared_factory):
    return shared_factory


@pytest.fixture
def scene(factory):
    """A reader and two issues, committed."""
    with factory() as session:
        make = Factories(Catalog(session))
        return make.user().id, make.issue().id, make.issue().id


def wishes_of(factory, reader):
    """The number of wishes of an account."""
    with factory() as session:
        rows = select(func.count()).select_from(WishListItem).join(WishList)
        return session.scalar(rows.where(WishList.user_id == reader))


def copies_of(factory, reader):
    """The number of collection items of an account."""
    with factory() as session:
        return session.scalar(select(func.count()).where(CollectionItem.user_id == reader))


def test_many_who_wish_for_one_issue_do_so_once(factory, scene):
    reader, issue, _ = scene
    told = run_concurrently(
        factory, *[lambda catalog: wish_list.add(catalog.session, reader, issue, {})[1]] * 6
    )
    assert (sorted(told), wishes_of(factory, reader)) == ([False] * 5 + [True], 1)


def test_switches_that_meet_end_in_one_of_the_wanted_states(factory, scene):
    reader, issue, _ = scene
    jobs = [
        lambda catalog, wanted=wanted: wish_list.set_wished(catalog.session, reader, issue, wanted)
        for wanted in (True, False, True, False)
    ]
    told = run_concurrently(factory, *jobs)
    assert wishes_of(factory, reader) == sum(told[::2]) - sum(told[1::2]) in (0, 1)


def test_what_is_acquired_twice_at_once_is_owned_once(factory, scene):
    reader, issue, _ = scene
    with factory() as session:
        item = wish_list.add(session, reader, issue, {})[0].id
        session.commit()
    told = run_concurrently(
        factory,
        *[lambda catalog: wish_list.acquire(catalog.session, reader, item, {})[2]] * 3,
        lambda catalog: collection.add(catalog.session, reader, issue, {})[1],
    )
    assert (sorted(told), copies_of(factory, reader)) == ([False] * 3 + [True], 1)


def test_two_items_that_move_to_one_issue_leave_one_there(factory, scene):
    reader, issue, other = scene
    with factory() as session:
        wanted = Factories(Catalog(session)).issue().id
        items = [wish_list.add(session, reader, each, {})[0].id for each in (issue, other)]
        session.commit()

    def move(item):
        def job(catalog):
            try:
                return wish_list.change(catalog.session, reader, item, {"issue_id": wanted}).issue_id
            except InvalidError:
                return None

        return job

    assert sorted(run_concurrently(factory, *map(move, items)), key=str) == [wanted, None]


def test_an_issue_that_goes_while_it_is_acquired_leaves_nothing_half_done(factory, scene):
    reader, issue, _ = scene
    with factory() as session:
        item = wish_list.add(session, reader, issue, {})[0].id
        session.commit()

    def acquire(catalog):
        try:
            return wish_list.acquire(catalog.session, reader, item, {})[2]
        except NotFoundError:
            return None

    run_concurrently(factory, acquire, lambda catalog: catalog.delete(catalog.get(Issue, issue)))
    assert wishes_of(factory, reader) == copies_of(factory, reader) == 0
