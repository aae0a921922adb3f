"""What the catalog service refuses from any caller, and writes concurrent with a deletion or rename."""

import threading
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from sqlalchemy import select, text

from comicsdb import models
from comicsdb.catalog import Catalog, ConflictError, InvalidError
from comicsdb.catalog.slugs import base_slug
from comicsdb.media.storage import FolderStorage
from comicsdb.models import History, Tombstone
from tests.cases import for_each
from tests.dataset import picture
from tests.factories import Factories
from tests.pictures import save_picture

HUGE = 2**70
CREATOR = "the id of a creator"  # replaced before use

MODELS = {
    model.__tablename__: model
    for model in (
        models.Publisher,
        models.Series,
        models.Issue,
        models.Creator,
        models.Universe,
        models.Role,
        models.Genre,
        models.SeriesType,
    )
}

# Invalid values, by kind and field.
REFUSED = {
    "publisher": {
        "name": [None, 5, "", ["a"], "x" * 256, "a\0b", "\ud800"],
        "desc": [None, "a\0b", 5],
        "cv_id": [-1, 2**31, HUGE, -HUGE, "abc", True, 1.5],
        "country": [None, "ITA", "XX", 5],
        "alt_names": [None, "abc", ["x" * 256], [None], [["a"], ["b"]], ["a\0b"]],
        "founded": [-1, 99_999],
        "image": ["x" * 101],
        "image_width": [70_000],
        "attributions": [
            None,
            ["a"],
            [{"source": "X", "url": "https://example.org"}],
            [{"source": "W"}],
            [{"source": "W", "url": None}],
            [{"source": "W", "url": "u" * 201}],
            [{"source": "W", "url": "a\0b"}],
        ],
    },
    "series": {
        "language": [None, "xx", "x" * 11],
        "status": [0, 9, "x", None],
        "volume": [-1, 40_000],
        "year_began": ["2000", -1, HUGE],
        "year_end": ["x", 70_000],
        "collection": [None, "maybe"],
        "publisher": [None, "abc", -1, 0, HUGE, 10**5000, [1], True],
        "imprint": ["x", HUGE],
        "genres": [None, 5, ["a"], [None], [[1]], [HUGE], "12"],
        "sort_name": [None, ""],
    },
    "issue": {
        "number": [None, "", 5, "1" * 26],
        "cover_date": ["2020-01-01", datetime(2020, 1, 1, tzinfo=UTC)],
        "store_date": [5],
        "price": [
            Decimal("NaN"),
            Decimal("sNaN"),
            float("nan"),
            Decimal("Infinity"),
            Decimal("1e9"),
            "abc",
            -1,
            Decimal("999999.995"),
        ],
        "currency": [None, "XXX", "EURO"],
        "name": [["x" * 151]],
        "page": [-1, 99_999],
        "rating": [None, 0, HUGE],
        "credits": [
            None,
            5,
            ["x"],
            [{"creator": CREATOR}],
            [{"roles": [1]}],
            [{"creator": CREATOR, "roles": None}],
            [{"creator": CREATOR, "roles": ["a"]}],
            [{"creator": CREATOR, "roles": [999]}],
            [{"creator": CREATOR, "roles": [HUGE]}],
            [{"creator": [1], "roles": [1]}],
            [{"creator": HUGE, "roles": [1]}],
        ],
        "variants": [
            None,
            ["x"],
            [{"image": None}],
            [{"image": "v.png", "name": "x" * 256}],
            [{"image": "v.png", "name": None}],
            [{"image": "v.png", "currency": "XXX"}],
            [{"image": "v.png", "price": -1}],
            [{"image": "v.png", "id": [1]}],
            [{"image": "v.png", "id": "x"}],
            [{"image": "v.png", "nonsense": 1}],
            [{"image": "v.png", "id": 1}, {"image": "w.png", "id": 1}],
        ],
    },
    "creator": {"birth": ["x"], "alias": [["x" * 101]]},
    "universe": {"designation": [None, "d" * 256]},
    "role": {"order": [None, -1, 40_000], "name": ["x" * 26]},
    "genre": {"name": [None, ""]},
    "series_type": {"code": ["x" * 21]},
}


def _complete(make, kind):
    """Valid values for a new object of a kind."""
    if kind == "series":
        return {
            "name": "S",
            "sort_name": "S",
            "volume": 1,
            "year_began": 2020,
            "series_type": 13,
            "publisher": make.publisher().id,
        }
    if kind == "issue":
        return {"series": make.series().id, "number": "1", "cover_date": date(2020, 1, 1)}
    more = {"role": {"order": 9999}, "universe": {"publisher": make.publisher().id}}
    return {"name": "N"} | more.get(kind, {})


def _filled(value, creator):
    if isinstance(value, list):
        return [_filled(each, creator) for each in value]
    if isinstance(value, dict):
        return {key: _filled(each, creator) for key, each in value.items()}
    return creator if value == CREATOR else value


def _fields_refused(write, *arguments) -> list[str]:
    """The fields for which a write is refused."""
    try:
        write(*arguments)
    except InvalidError as error:
        return list(error.errors)
    return []


@pytest.mark.parametrize("kind", REFUSED)
def test_odd_values_are_refused_by_the_name_of_their_field(session, catalog, make, kind):
    creator, good = make.creator().id, _complete(make, kind)
    cases = [(field, {field: value}) for field, values in REFUSED[kind].items() for value in values]
    for field, odd in cases:
        given = good | _filled(odd, creator)
        assert _fields_refused(catalog.create, MODELS[kind], given) == [field], odd
    entity = catalog.create(MODELS[kind], good)
    session.commit()
    rows = session.scalar(text("SELECT count(*) FROM history"))
    for field, odd in cases:
        assert _fields_refused(catalog.update, entity, _filled(odd, creator)) == [field], odd
        session.commit()
    assert session.scalar(text("SELECT count(*) FROM history")) == rows


@for_each("slug", [5, "s" * 256, "a\0b"])
def test_a_slug_that_is_none_is_refused(catalog, slug):
    with pytest.raises(InvalidError) as caught:
        catalog.create(models.Arc, {"name": "A", "slug": slug})
    assert list(caught.value.errors) == ["slug"]


def test_all_unfit_fields_are_reported_together_unknown_ones_too(catalog):
    with pytest.raises(InvalidError) as caught:
        catalog.create(models.Creator, {"name": 5, "birth": "x", "nonsense": 1, 7: 1})
    assert set(caught.value.errors) == {"name", "birth", "nonsense", "7"}


def test_an_id_named_twice_in_a_list_counts_once(session, make):
    creator = make.creator().id
    issue = make.issue(series=make.series(genres=[1, 1]), credits=[{"creator": creator, "roles": [1, 1]}])
    assert session.scalar(text("SELECT count(*) FROM credit_role")) == 1
    assert session.scalar(text("SELECT count(*) FROM series_genre")) == 1
    assert issue.id


def test_a_role_in_a_place_or_with_a_name_that_is_taken_is_a_conflict(session, catalog):
    first = session.scalars(select(models.Role).order_by(models.Role.order)).first()
    for values, fields in (({"name": first.name}, ("name",)), ({"order": first.order}, ("order",))):
        with pytest.raises(ConflictError) as caught:
            catalog.create(models.Role, {"name": "New", "order": 9999} | values)
        assert (caught.value.kind, caught.value.fields) == ("role", fields)


def test_a_slug_cut_to_length_never_reads_as_a_number():
    assert not base_slug("arc", "1" * 300, 1).isdigit()
    assert not base_slug("arc", "1" * 250 + " and more", 1).isdigit()


def test_a_reason_too_long_for_history_is_refused_before_anything_is_written(session, catalog, make):
    arc = make.arc()
    with pytest.raises(InvalidError) as caught:
        Catalog(session, reason="x" * 101)
    assert list(caught.value.errors) == ["reason"]
    with pytest.raises(InvalidError) as caught:
        catalog.delete(arc, reason="x" * 101)
    assert list(caught.value.errors) == ["reason"]


def test_attributions_are_kept_in_the_order_entered(session, catalog, make):
    def cited(*urls):
        return {"attributions": [{"source": "W", "url": f"https://example.org/{url}"} for url in urls]}

    def stored():
        return [url[-1] for url in session.scalars(text("SELECT url FROM attribution ORDER BY id"))]

    arc = make.arc(**cited("a", "c"))
    first = session.scalar(text("SELECT min(id) FROM attribution"))
    for wanted in (("a", "b", "c"), ("c", "b", "a"), ("c",), ()):
        catalog.update(arc, cited(*wanted))
        assert stored() == list(wanted)
        if wanted[:1] == ("a",):
            assert session.scalar(text("SELECT min(id) FROM attribution")) == first  # the unchanged row stays


def test_a_picture_that_changes_its_row_keeps_its_file(session, catalog, make, tmp_path):
    session.info["media"] = store = FolderStorage(tmp_path / "media")
    cover, foil = (save_picture(store, "issue", picture(), "png") for _ in range(2))
    issue = make.issue(image=cover, variants=[{"image": foil}])
    variant = session.scalar(select(models.Variant.id))
    catalog.update(issue, {"image": foil, "variants": [{"id": variant, "image": cover}]})
    session.commit()
    assert (store.exists(cover), store.exists(foil)) == (True, True)
    catalog.update(issue, {"image": ""})
    catalog.update(issue, {"image": foil})
    session.commit()
    assert store.exists(foil)


def _meanwhile(factory, first, second):
    """Run `second` in another transaction after `first` has written, but not committed: it has to wait."""

    def do():
        with factory() as session:
            second(Catalog(session))
            session.commit()

    with factory() as writer:
        first(Catalog(writer))
        waiting = threading.Thread(target=do)
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()
        writer.commit()
    waiting.join(20)
    assert not waiting.is_alive()


def test_a_series_added_while_its_publisher_is_deleted_leaves_a_tombstone(factory):
    with factory() as session:
        publisher = Factories(Catalog(session)).publisher().id
    values = {"name": "S", "sort_name": "S", "volume": 1, "year_began": 2020, "series_type": 13}
    add = lambda catalog: catalog.create(models.Series, values | {"publisher": publisher})  # noqa: E731
    _meanwhile(factory, add, lambda catalog: catalog.delete(catalog.get(models.Publisher, publisher)))
    with factory() as session:
        assert session.scalar(text("SELECT count(*) FROM series")) == 0
        assert set(session.scalars(select(Tombstone.kind))) == {"publisher", "series"}
        types = session.scalars(select(History.type).where(History.kind == "series").order_by(History.id))
        assert types.all() == ["+", "-"]


def test_an_issue_credited_while_the_creator_is_deleted_is_stamped_and_recorded(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        creator, issue_id = make.creator().id, make.issue().id
    stamps = []

    def credit(catalog):
        issue = catalog.get(models.Issue, issue_id)
        catalog.update(issue, {"credits": [{"creator": creator, "roles": [1]}]})
        catalog.session.refresh(issue)
        stamps.append(issue.modified)

    _meanwhile(factory, credit, lambda catalog: catalog.delete(catalog.get(models.Creator, creator)))
    with factory() as session:
        assert session.get(models.Issue, issue_id).modified > stamps[0]
        states = session.scalars(
            select(History.snapshot).where(History.kind == "issue").order_by(History.id)
        ).all()
        assert [len(state["credits"]) for state in states] == [0, 1, 0]


def test_an_issue_credited_while_the_creator_is_renamed_never_keeps_a_stamp_older_than_the_name(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        creator, issue_id = make.creator().id, make.issue().id

    def credit(catalog):
        catalog.update(catalog.get(models.Issue, issue_id), {"credits": [{"creator": creator, "roles": [1]}]})

    def rename(catalog):
        catalog.update(catalog.get(models.Creator, creator), {"name": "Renamed"})

    newer = text("SELECT (SELECT modified FROM issue) > (SELECT name_changed FROM creator)")
    stamps = []

    def credit_and_note(catalog):
        credit(catalog)
        stamps.append(catalog.session.scalar(text("SELECT modified FROM issue")))

    _meanwhile(factory, credit_and_note, rename)
    with factory() as session:
        assert session.scalar(text("SELECT modified FROM issue")) > stamps[0]
        Catalog(session).update(session.get(models.Issue, issue_id), {"credits": []})
        session.commit()
    _meanwhile(
        factory,
        lambda catalog: catalog.update(catalog.get(models.Creator, creator), {"name": "Again"}),
        credit,
    )
    with factory() as session:
        assert session.scalar(newer)


def test_names_that_are_too_long_together_are_refused(catalog, make):
    """Each has the maximum length, in incompressible four-byte characters: an index cannot hold both."""
    publisher = make.publisher().id
    name, designation = ("".join(map(chr, range(start, start + 255))) for start in (0x20000, 0x21000))
    values = {"publisher": publisher, "name": name, "designation": designation}
    with pytest.raises(InvalidError) as refused:
        catalog.create(models.Universe, values)
    assert list(refused.value.errors) == ["__all__"]
    universe = catalog.create(models.Universe, values | {"designation": ""})
    with pytest.raises(InvalidError):
        catalog.update(universe, {"designation": designation})
    assert universe.designation == ""
