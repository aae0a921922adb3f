"""Reading lists: who may see and change them, valid values, the official account, and slugs."""

import logging
import re

import pytest
from sqlalchemy import select, text

from comicsdb.catalog import InvalidError, MovedError, NotFoundError
from comicsdb.catalog.errors import ForbiddenError
from comicsdb.library import reading_lists as lists
from comicsdb.models import FormerSlug, ReadingList, StaffAction
from tests.cases import for_each
from tests.conftest import record_statements
from tests.lists import OFFICIAL, identity_of, make_list

EDITORS = ("reading list editor",)


@pytest.fixture
def scene(session, make):
    """Accounts of every role; a reader and the official account each have a public and a private list."""
    with make.single_commit():
        people = {
            "owner": make.user(),
            "other": make.user(),
            "editor": make.user(groups=("editor",)),
            "list editor": make.user(groups=EDITORS),
            "staff": make.user(is_staff=True),
            "superuser": make.user(is_superuser=True),
            "official": make.user("METRON"),
        }
        made = {
            (whose, how): make_list(session, people[whose], is_private=how == "private")
            for whose in ("owner", "official")
            for how in ("public", "private")
        }
        return people, made


PUBLIC = {("owner", "public"), ("official", "public")}
OFFICIALS = {("official", "public"), ("official", "private")}
OWN = {("owner", "public"), ("owner", "private")}
SEEN = {
    None: PUBLIC,
    "other": PUBLIC,
    "editor": PUBLIC,
    "owner": PUBLIC | OWN,
    "list editor": PUBLIC | OFFICIALS,
    "staff": PUBLIC | OFFICIALS,
    "superuser": PUBLIC | OFFICIALS,
    "official": PUBLIC | OFFICIALS,
}
MANAGED = {
    None: set(),
    "other": set(),
    "editor": set(),
    "owner": OWN,
    "list editor": OFFICIALS,
    "staff": OFFICIALS,
    "superuser": OFFICIALS,
    "official": OFFICIALS,
}


@for_each("asking", SEEN)
def test_who_sees_and_who_manages_which_lists(session, scene, asking):
    people, made = scene
    identity = asking and identity_of(people[asking])
    names = {each.id: name for name, each in made.items()}
    for condition, expected in ((lists.visible_to, SEEN), (lists.manageable_by, MANAGED)):
        found = session.scalars(select(ReadingList.id).where(condition(identity, OFFICIAL)))
        assert {names[each] for each in found} == expected[asking]
    for name, each in made.items():
        if name in SEEN[asking]:
            assert lists.find(session, identity, OFFICIAL, each.id) is each
            assert lists.find(session, identity, OFFICIAL, each.slug) is each
            assert lists.manages(identity, OFFICIAL, each) is (name in MANAGED[asking])
        else:
            for key in (each.id, each.slug):
                with pytest.raises(NotFoundError):
                    lists.find(session, identity, OFFICIAL, key)


@for_each("asking", [each for each in SEEN if each is not None])
def test_only_who_manages_a_list_writes_it(session, scene, asking):
    people, made = scene
    identity = identity_of(people[asking])
    for name, each in made.items():
        refusal = NotFoundError if name not in SEEN[asking] else ForbiddenError
        if name not in MANAGED[asking]:
            with pytest.raises(refusal):
                lists.update(session, identity, OFFICIAL, each, {"desc": "mine now"})
            with pytest.raises(refusal):
                lists.remove(session, identity, OFFICIAL, each)
            assert session.scalar(select(ReadingList.desc).where(ReadingList.id == each.id)) == ""
        else:
            assert lists.update(session, identity, OFFICIAL, each, {"desc": "ours"}).desc == "ours"
            lists.remove(session, identity, OFFICIAL, each)
            assert session.scalar(select(ReadingList.id).where(ReadingList.id == each.id)) is None
    session.rollback()


@for_each("key", [0, -1, 2**40, "", "none", "no\0thing"])
def test_what_is_no_list_is_not_found(session, key):
    with pytest.raises(NotFoundError):
        lists.find(session, None, OFFICIAL, key)


def test_a_former_slug_leads_to_the_list_for_those_who_may_see_it(session, make):
    owner = make.user()
    shown, hidden = make_list(session, owner), make_list(session, owner, is_private=True)
    for old, each in (("old-shown", shown), ("old-hidden", hidden)):
        session.add(FormerSlug(kind="reading_list", slug=old, object_id=each.id))
    session.flush()
    with pytest.raises(MovedError) as caught:
        lists.find(session, None, OFFICIAL, "old-shown")
    assert caught.value.entity is shown
    with pytest.raises(NotFoundError):
        lists.find(session, None, OFFICIAL, "old-hidden")
    with pytest.raises(MovedError):
        lists.find(session, identity_of(owner), OFFICIAL, "old-hidden")
    lists.remove(session, identity_of(owner), OFFICIAL, shown)
    assert session.get(FormerSlug, ("reading_list", "old-shown"), populate_existing=True) is None


def test_slugs_are_made_of_names_and_stay(session, make):
    one, other = identity_of(make.user()), identity_of(make.user())
    made = [
        lists.create(session, identity, OFFICIAL, {"name": name}).slug
        for identity, name in ((one, "Harbor Order"), (other, "Harbor Order"), (one, "42"), (one, "Import"))
    ]
    assert made == ["harbor-order", "harbor-order-1", "42-slug", "import-1"]
    nameless = lists.create(session, one, OFFICIAL, {"name": "漫画"})
    assert nameless.slug == f"reading_list-{nameless.id}"
    found = lists.find(session, one, OFFICIAL, "harbor-order")
    assert lists.update(session, one, OFFICIAL, found, {"name": "Another"}).slug == "harbor-order"


def test_a_name_is_used_once_per_owner_and_source(session, make):
    staff, other = identity_of(make.user(is_staff=True)), identity_of(make.user())
    first = lists.create(session, staff, OFFICIAL, {"name": "Twice"})
    with pytest.raises(InvalidError) as caught:
        lists.create(session, staff, OFFICIAL, {"name": "Twice"})
    assert caught.value.errors == {"name": [lists.SAME_NAME]}
    lists.create(session, other, OFFICIAL, {"name": "Twice"})
    second = lists.create(session, staff, OFFICIAL, {"name": "Twice", "attribution_source": "CBRO"})
    with pytest.raises(InvalidError) as caught:
        lists.update(session, staff, OFFICIAL, first, {"attribution_source": "CBRO"})
    assert list(caught.value.errors) == ["name"]
    assert first.attribution_source == ""
    assert second.slug == "twice-2"


@for_each(
    "values,field",
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": None}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"name": "a\0b"}, "name"),
        ({"name": "A", "desc": None}, "desc"),
        ({"name": "A", "is_private": "yes"}, "is_private"),
        ({"name": "A", "list_type": "event"}, "list_type"),
        ({"name": "A", "list_type": ""}, "list_type"),
        ({"name": "A", "attribution_source": "XYZ"}, "attribution_source"),
        ({"name": "A", "attribution_url": "javascript:alert(1)"}, "attribution_url"),
        ({"name": "A", "attribution_url": "https://x.example/" + "y" * 200}, "attribution_url"),
        ({"name": "A", "user_id": 1}, "user_id"),
        ({"name": "A", "slug": "mine"}, "slug"),
        ({"name": "A", "next": 0}, "next"),
        ({"name": "A", "previous": 2**40}, "previous"),
        ({"name": "A", "next": "7"}, "next"),
    ],
)
def test_a_wrong_value_is_refused_by_its_field(session, make, values, field):
    staff = make.user(is_staff=True)
    with pytest.raises(InvalidError) as caught:
        lists.create(session, identity_of(staff), OFFICIAL, values)
    assert list(caught.value.errors) == [field]
    assert session.scalar(select(ReadingList.id).where(ReadingList.user_id == staff.id)) is None


def test_only_staff_say_where_a_list_was_taken_from(session, make):
    official, editor, staff = make.user(OFFICIAL), make.user(groups=EDITORS), make.user(is_staff=True)
    values = {"attribution_source": "CBH", "attribution_url": "https://orders.example/1"}
    found = make_list(session, official)
    with pytest.raises(InvalidError) as caught:
        lists.update(session, identity_of(editor), OFFICIAL, found, values)
    assert set(caught.value.errors) == set(values)
    found = lists.update(session, identity_of(staff), OFFICIAL, found, values)
    # Sending the same values is no change, and an update without them keeps them.
    found = lists.update(session, identity_of(editor), OFFICIAL, found, values | {"desc": "new"})
    found = lists.update(session, identity_of(editor), OFFICIAL, found, {"desc": "newer"})
    assert (found.desc, found.attribution_source) == ("newer", "CBH")


def test_every_change_moves_the_stamp_and_keeps_the_one_before(session, make):
    owner = make.user()
    found = make_list(session, owner)
    before = found.modified
    found = lists.update(session, identity_of(owner), OFFICIAL, found, {"desc": "x"})
    assert found.modified > before == found.modified_before
    before = found.modified
    found = lists.update(session, identity_of(owner), OFFICIAL, found, {})
    assert found.modified > before


# The official account.


def test_a_list_is_given_to_the_official_account_for_good(session, make, caplog):
    owner, official, editor = make.user(), make.user("metron"), make.user(groups=EDITORS)
    found = make_list(session, owner, name="Best of")
    before = found.modified
    with caplog.at_level(logging.INFO):
        found = lists.assign_to_official(session, identity_of(editor), OFFICIAL, found)
    assert (found.user_id, found.user.username) == (official.id, "metron")
    assert found.modified > before
    line = session.scalars(select(StaffAction)).one()
    assert (line.actor_id, line.action, line.kind, line.target_id, line.target, line.change) == (
        editor.id,
        "assign",
        "reading_list",
        found.id,
        "Best of",
        {"user": [owner.username, "metron"]},
    )
    with pytest.raises(ForbiddenError):
        lists.update(session, identity_of(owner), OFFICIAL, found, {"desc": "mine"})
    with pytest.raises(InvalidError) as caught:
        lists.assign_to_official(session, identity_of(editor), OFFICIAL, found)
    assert "already" in caught.value.errors["__all__"][0]


def test_who_may_not_give_lists_to_the_official_account(session, make):
    owner = make.user()
    make.user(OFFICIAL)
    found, hidden = make_list(session, owner), make_list(session, owner, is_private=True)
    with pytest.raises(ForbiddenError):
        lists.assign_to_official(session, identity_of(owner), OFFICIAL, found)
    with pytest.raises(NotFoundError):
        lists.assign_to_official(session, identity_of(make.user(is_staff=True)), OFFICIAL, hidden)


def test_the_official_account_keeps_names_apart_and_must_exist(session, make):
    owner, staff = make.user(), make.user(is_staff=True)
    found = make_list(session, owner, name="Same")
    with pytest.raises(InvalidError) as caught:
        lists.assign_to_official(session, identity_of(staff), OFFICIAL, found)
    assert list(caught.value.errors) == ["__all__"]
    make_list(session, make.user(OFFICIAL), name="Same")
    with pytest.raises(InvalidError) as caught:
        lists.assign_to_official(session, identity_of(staff), OFFICIAL, found)
    assert caught.value.errors == {"name": [lists.SAME_NAME]}
    assert session.scalar(text("SELECT count(*) FROM staff_action")) == 0
    assert found.user_id == owner.id


def test_a_new_name_of_the_owner_is_a_change_of_its_lists(session, make):
    owner, other = make.user(), make.user()
    found, theirs = make_list(session, owner), make_list(session, other)
    before = found.modified, theirs.modified
    owner.username = "renamed"
    session.commit()
    session.expire_all()
    assert (found.modified_before, theirs.modified) == before
    assert found.modified > before[0]
    owner.bio = "not shown"
    session.commit()
    assert session.scalar(select(ReadingList.modified_before).where(ReadingList.id == found.id)) == before[0]


# Addresses.

GUESSED_BY_NOBODY = r"p[0-9a-f]{20}"


def change(session, user, found, **values):
    """Change values of a list as its owner, and commit; returns the list."""
    done = lists.update(session, identity_of(user), OFFICIAL, found, values)
    session.commit()
    return done


def seen(session, user, slug):
    """What an account finds at a slug: "here", "moved" or "nothing"."""
    try:
        lists.find(session, user and identity_of(user), OFFICIAL, slug)
    except MovedError:
        return "moved"
    except NotFoundError:
        return "nothing"
    return "here"


def test_the_address_of_a_private_list_cannot_be_guessed(session, make):
    ann = make.user()
    slugs = {make_list(session, ann, name=f"Secret {each}", is_private=True).slug for each in range(20)}
    assert len(slugs) == 20
    assert all(re.fullmatch(GUESSED_BY_NOBODY, slug) for slug in slugs)


def test_a_list_of_the_same_name_tells_nothing_of_a_private_one(session, make):
    ann, bob = make.user(), make.user()
    hidden = make_list(session, ann, name="Salt Tide", is_private=True)
    assert make_list(session, bob, name="Salt Tide").slug == "salt-tide"
    shown = change(session, ann, hidden, is_private=False)
    assert shown.slug == "salt-tide-1"


def test_the_address_follows_who_may_see_the_list(session, make):
    ann, bob = make.user(), make.user()
    made = make_list(session, ann, name="Salt Tide", is_private=True)
    hidden = made.slug
    assert [seen(session, each, hidden) for each in (ann, bob, None)] == ["here", "nothing", "nothing"]

    assert change(session, ann, made, is_private=False, name="The Tide").slug == "the-tide"
    assert {seen(session, each, "the-tide") for each in (ann, bob, None)} == {"here"}
    assert {seen(session, each, hidden) for each in (ann, bob, None)} == {"moved"}
    assert change(session, ann, made, name="Other").slug == "the-tide"

    again = change(session, ann, made, is_private=True).slug
    assert re.fullmatch(GUESSED_BY_NOBODY, again)
    assert again != hidden
    for slug in ("the-tide", hidden, again):
        assert [seen(session, each, slug) for each in (bob, None)] == ["nothing", "nothing"]
    assert [seen(session, ann, slug) for slug in ("the-tide", hidden, again)] == ["moved", "moved", "here"]

    assert change(session, ann, made, is_private=False, name="The Tide").slug == "the-tide"
    assert seen(session, bob, "the-tide") == "here"


def test_an_address_that_was_readable_is_free_while_its_list_is_private(session, make):
    ann, bob = make.user(), make.user()
    first = make_list(session, ann, name="Salt Tide")
    change(session, ann, first, is_private=True)
    second = make_list(session, bob, name="Salt Tide")
    assert second.slug == "salt-tide"
    assert {seen(session, each, "salt-tide") for each in (ann, bob, None)} == {"here"}
    change(session, bob, second, is_private=True)
    assert [seen(session, each, "salt-tide") for each in (ann, bob)] == ["nothing", "moved"]


def test_a_hidden_address_costs_what_an_unknown_one_costs(session, make, connection):
    ann, bob = make.user(), make.user()
    made = make_list(session, ann, name="Salt Tide")
    hidden = change(session, ann, made, is_private=True).slug
    other = identity_of(bob)
    asked = []
    for slug in ("salt-tide", hidden, "there-is-none"):
        session.expunge_all()
        with record_statements(connection) as statements, pytest.raises(NotFoundError):
            lists.find(session, other, OFFICIAL, slug)
        asked.append(list(statements))
    assert asked[0] == asked[1] == asked[2]
    assert len(asked[0]) == 2
