"""Comparison of two versions: the differences by field, with names instead of ids."""

from datetime import date
from decimal import Decimal
from itertools import pairwise

import pytest

from comicsdb.catalog.history.diff import Money, Picture, Source, compare
from comicsdb.catalog.history.text_diff import ADDED, GAP, REMOVED, SAME, SHOWN_MAX, diff_words
from comicsdb.catalog.references import Reference
from comicsdb.models import Genre
from tests.conftest import record_statements
from tests.factories import history_of

VARIANT = {"name": "Foil", "image": "variants/a.jpg"}


def versions(session, entity):
    """The snapshots of an object, oldest first."""
    return [each.snapshot for each in history_of(session, entity.__tablename__, entity.id)]


@pytest.fixture
def differences(session, catalog):
    """`differences(entity, **values)`: make one edit of an object; returns its differences by field."""

    def made(entity, **values):
        catalog.update(entity, values)
        session.commit()
        old, new = versions(session, entity)[-2:]
        return {each.field: each for each in compare(session, entity.__tablename__, [(old, new)])[0]}

    return made


def test_plain_fields_are_told_as_the_columns_have_them(make, differences):
    creator = make.creator(name="Ada")
    found = differences(creator, name="Ada Pencil", birth=date(1950, 3, 2), cv_id=7)
    assert {field: (each.shape, each.old, each.new) for field, each in found.items()} == {
        "name": ("value", "Ada", "Ada Pencil"),
        "birth": ("value", None, date(1950, 3, 2)),
        "cv_id": ("value", None, 7),
    }


def test_a_description_from_the_publisher_is_told_as_yes_or_no(make, differences):
    found = differences(make.issue(), desc_is_solicitation=True)["desc_is_solicitation"]
    assert (found.shape, found.old, found.new) == ("value", False, True)


def test_the_first_version_differs_from_nothing(make, session):
    (only,) = versions(session, make.arc())
    assert compare(session, "arc", [(None, only)]) == [()]


def test_a_price_is_told_with_its_currency(make, differences):
    issue = make.issue(price=Decimal("3.99"), currency="USD")
    price = differences(issue, currency="GBP")["price"]
    assert (price.old, price.new) == (Money(Decimal("3.99"), "USD"), Money(Decimal("3.99"), "GBP"))
    found = differences(issue, price=None)
    assert (found["price"].new, list(found)) == (None, ["price"])
    assert differences(issue, currency="EUR") == {}  # a currency without an amount is not shown


def test_a_choice_is_told_by_its_label(make, differences):
    status = differences(make.series(), status=2)["status"]
    assert (status.old, status.new) == ("Ongoing", "Completed")


def test_a_picture_is_one_difference(make, differences):
    found = differences(make.arc(), image="arc/a.jpg", image_width=10, image_height=20)
    assert [(each.field, each.old, each.new) for each in found.values()] == [
        ("image", None, Picture("arc/a.jpg"))
    ]


def test_the_words_of_a_text_are_compared(make, differences):
    desc = differences(make.arc(desc="An old story."), desc="A new story.")["desc"]
    assert desc.shape == "text"
    assert "".join(text for how, text in desc.words if how != ADDED) == "An old story."
    assert "".join(text for how, text in desc.words if how != REMOVED) == "A new story."


def test_lists_are_told_by_what_came_and_went_or_by_their_order(make, differences):
    publisher = make.publisher(alt_names=["One", "Two"])
    names = differences(publisher, alt_names=["Two", "Three"])["alt_names"]
    assert (names.shape, names.added, names.removed) == ("list", ("Three",), ("One",))
    names = differences(publisher, alt_names=["Three", "Two"])["alt_names"]
    assert (names.shape, names.old, names.new) == ("order", ("Two", "Three"), ("Three", "Two"))


def test_parents_and_links_have_names_and_slugs(make, differences):
    series = make.series(name="Run", publisher=make.publisher(name="Old House"))
    house, friend = make.publisher(name="New House"), make.series(name="Friend", year_began=2001)
    found = differences(series, publisher=house.id, associated=[friend.id], genres=[1])
    assert (found["publisher"].old.label, found["publisher"].new.slug) == ("Old House", house.slug)
    assert found["associated"].added == (Reference("series", friend.id, "Friend (2001)", friend.slug),)
    assert found["genres"].added == (Reference("genre", 1, "Adult", None),)


def test_links_to_what_is_gone_keep_the_name_it_had(make, session, catalog, differences):
    arc = make.arc(name="Dusk")
    issue = make.issue(arcs=[arc])
    slug, number = arc.slug, arc.id
    catalog.delete(arc)
    session.commit()
    snapshot = versions(session, issue)[0]
    known, unknown = snapshot | {"arcs": [number]}, snapshot | {"arcs": [999_999]}
    (found,) = compare(session, "issue", [(known, unknown)])[0]
    assert found.removed == (Reference("arc", number, "Dusk", slug, gone=True),)
    assert (str(found.added[0]), found.added[0].gone) == ("arc 999999", True)


def test_roles_and_genres_that_are_gone_keep_the_name_they_had(make, session, catalog):
    series, role = make.series(), make.role("Letterer")
    issue = make.issue(series=series)
    genre = catalog.create(Genre, {"name": "Nocturne", "names": {"it": "Notturno"}})
    make.credit(issue, make.creator(), "Letterer")
    catalog.update(series, {"genres": [genre.id]})
    session.commit()
    gone = {"role": role.id, "genre": genre.id}
    for each in (role, genre):
        catalog.delete(each)
    session.commit()
    old, new = versions(session, issue)[-2:]
    (found,) = compare(session, "issue", [(old, new)])[0]
    assert found.parts[0].removed == (Reference("role", gone["role"], "Letterer", gone=True),)
    old, new = versions(session, series)[-2:]
    (found,) = compare(session, "series", [(old, new)])[0]
    assert found.removed == (Reference("genre", gone["genre"], "Nocturne", gone=True),)
    assert found.removed[0].names == {"it": "Notturno"}


def test_credits_are_told_by_creator_and_role(make, differences):
    writer, inker, cover = (make.role(name) for name in ("Writer", "Inker", "Cover"))
    ada, bo, cy = (make.creator(name=name) for name in ("Ada", "Bo", "Cy"))
    issue = make.issue(
        credits=[{"creator": ada.id, "roles": [writer.id, inker.id]}, {"creator": bo.id, "roles": [cover.id]}]
    )
    wanted = [{"creator": ada.id, "roles": [writer.id, cover.id]}, {"creator": cy.id, "roles": [inker.id]}]
    parts = differences(issue, credits=wanted)["credits"].parts
    told = [
        (p.action, p.subject.label, [r.label for r in p.added], [r.label for r in p.removed]) for p in parts
    ]
    assert told == [
        ("changed", "Ada", ["Cover"], ["Inker"]),
        ("removed", "Bo", [], ["Cover"]),
        ("added", "Cy", ["Inker"], []),
    ]


def test_variants_are_told_by_their_number(make, session, differences):
    issue = make.issue(variants=[VARIANT, VARIANT | {"name": "Virgin", "image": "variants/b.jpg"}])
    foil, virgin = versions(session, issue)[0]["variants"]
    changed = {"id": foil["id"], "name": "Gold foil", "price": Decimal("9.50"), "currency": "EUR"}
    parts = differences(issue, variants=[changed, {"name": "Sketch", "image": "variants/c.jpg"}])[
        "variants"
    ].parts
    assert [(p.action, p.subject[1]) for p in parts] == [
        ("changed", "Gold foil"),
        ("removed", "Virgin"),
        ("added", "Sketch"),
    ]
    assert {d.field: (d.old, d.new) for d in parts[0].differences} == {
        "name": ("Foil", "Gold foil"),
        "price": (None, Money(Decimal("9.50"), "EUR")),
    }
    assert parts[1].subject == (virgin["id"], "Virgin")


def test_attributions_are_sources_with_addresses(make, differences):
    found = differences(make.arc(), attributions=[{"source": "W", "url": "https://w.example/"}])
    assert found["attributions"].added == (Source("Wikipedia", "https://w.example/"),)


def test_names_cost_one_statement_for_each_kind_however_many_versions(make, session, catalog, connection):
    issue = make.issue()
    for number in range(4):
        arcs, teams = [make.arc(), make.arc()], [make.team()]
        made = [{"creator": make.creator().id, "roles": [1 + number]}]
        catalog.update(issue, {"arcs": [each.id for each in arcs], "teams": [teams[0].id], "credits": made})
        session.commit()
    states = versions(session, issue)
    for pairs in ([(states[0], states[1])], list(pairwise(states))):
        session.expunge_all()
        with record_statements(connection) as statements:
            compare(session, "issue", pairs)
        assert len(statements) == 6, statements  # series, age rating, arcs, teams, creators, roles


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "all of it"),
        ("all of it", ""),
        ("one two three", "one 2 three"),
        ("word " * 3000, "other " * 3000),
        (
            "the same beginning " * 40 + "old" + " and end" * 60,
            "the same beginning " * 40 + "new" + " and end" * 60,
        ),
    ],
)
def test_what_is_left_of_both_texts_can_be_read_from_the_words(old, new):
    found = diff_words(old, new)
    assert all(text for how, text in found if how != GAP)
    kept = {how: "".join(text for each, text in found if each in (SAME, how)) for how in (REMOVED, ADDED)}
    if GAP not in dict(found):
        assert (kept[REMOVED], kept[ADDED]) == (old, new)
    else:
        assert len(kept[REMOVED]) < len(old) / 2
        assert ("old" in kept[REMOVED], "new" in kept[ADDED]) == (True, True)


def test_of_a_text_without_end_a_page_shows_the_beginning():
    old, new = "word " * 100_000, "x" * 500_000
    assert diff_words(old, new) == ((REMOVED, f"{old[:SHOWN_MAX]} …"), (ADDED, f"{new[:SHOWN_MAX]} …"))
