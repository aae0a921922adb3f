"""Log lines beside that of the write itself: removed credits, replaced pictures and changed hashes."""

import pytest
from sqlalchemy import select

from comicsdb.catalog import issue_parts
from comicsdb.models import Credit, Variant

ONE, TWO = "1" * 16, "2" * 16


@pytest.fixture
def said(session, caplog):
    """`said()` commits and returns the log lines since its last call, without "catalog" and the user."""
    caplog.set_level("INFO", "comicsdb.catalog")

    def lines():
        session.commit()
        found = [each.getMessage() for each in caplog.records if each.name == "comicsdb.catalog.unit_of_work"]
        caplog.clear()
        return [each.removeprefix("catalog ").removesuffix(" (user=-)") for each in found]

    return lines


def test_credits_that_go_are_named(session, make, catalog, said):
    creators = sorted(make.creator().id for _ in range(3))
    roles = [make.role("Writer").id]
    issue = make.issue(credits=[{"creator": each, "roles": roles} for each in creators])
    first, _second, third = session.scalars(select(Credit.id).order_by(Credit.creator_id)).all()
    said()
    catalog.update(issue, {"credits": [{"creator": creators[1], "roles": []}]})
    assert said() == [
        f"delete: credit {first} of issue {issue.id}",
        f"delete: credit {third} of issue {issue.id}",
        f"update: issue {issue.id} {issue.slug}",
    ]


def test_a_picture_and_a_hash_that_change_are_told_once_each(make, catalog, said):
    arc, issue = make.arc(name="Salt\nTide"), make.issue()
    update = f"update: issue {issue.id} {issue.slug}"
    said()
    for values, told in (
        ({"image": "issue/a.png", "cover_hash": ONE}, ["change hash"]),
        ({"image": "issue/b.png", "cover_hash": TWO}, ["replace image", "change hash"]),
        ({"image": "issue/c.png", "cover_hash": TWO}, ["replace image"]),
        ({"image": "issue/c.png", "cover_hash": TWO}, []),
        ({"image": "", "cover_hash": ""}, ["remove image", "change hash"]),
    ):
        catalog.update(issue, values)
        assert said() == [*(f"{each}: issue {issue.id} {issue.slug}" for each in told), update]
    catalog.update(arc, {"image": "arc/a.png"})
    catalog.update(arc, {"image": "arc/b.png"})
    assert f"replace image: arc {arc.id} Salt Tide" in said()


def test_those_of_variants_are_told_however_they_are_written(session, make, catalog, said):
    issue = make.issue(variants=[{"image": "variants/a.png", "cover_hash": ONE}])
    variant = session.scalar(select(Variant.id))
    told = [f"{each}: variant {variant} of issue {issue.id}" for each in ("replace image", "change hash")]
    said()
    catalog.update(issue, {"variants": [{"id": variant, "image": "variants/b.png", "cover_hash": TWO}]})
    assert said()[:-1] == told
    issue_parts.update_variant(catalog, variant, {"image": "variants/c.png", "cover_hash": ONE})
    assert said() == [*told, f"update: variant {variant} of issue {issue.id}"]
    issue_parts.update_variant(catalog, variant, {"name": "Foil"})
    assert said() == [f"update: variant {variant} of issue {issue.id}"]


def test_what_was_rolled_back_is_not_told(session, make, catalog, said):
    issue = make.issue(image="issue/a.png")
    said()
    catalog.update(issue, {"image": "issue/b.png"})
    session.rollback()
    assert said() == []
