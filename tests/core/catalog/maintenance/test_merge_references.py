"""Merges leave no reference to the merged object, tested for every foreign key of the schema."""

from contextlib import contextmanager
from datetime import UTC, date, datetime

from sqlalchemy import inspect, select, text

from comicsdb import models
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.catalog.maintenance.merge_references import references_to_kind
from comicsdb.community import profiles
from comicsdb.library import collection, pull_list, ratings, wish_list
from comicsdb.library.reading_lists import items
from comicsdb.models import CATALOG, IssueRating
from tests.lists import locked_list, make_list

KINDS = [model.__tablename__ for model in CATALOG]

# Every foreign key to one of the nine kinds. Add that of a new table once it is decided what a merge does to
# its rows: they move to the survivor, unless that violates a unique constraint; then they are deleted.
KNOWN = {
    "arc": {"attribution.arc_id", "external_id.arc_id", "issue_arc.arc_id"},
    "character": {
        "attribution.character_id",
        "external_id.character_id",
        "character_creator.character_id",
        "character_team.character_id",
        "character_universe.character_id",
        "issue_character.character_id",
    },
    "creator": {
        "attribution.creator_id",
        "external_id.creator_id",
        "character_creator.creator_id",
        "credit.creator_id",
        "team_creator.creator_id",
    },
    "imprint": {"attribution.imprint_id", "external_id.imprint_id", "series.imprint_id"},
    "issue": {
        "attribution.issue_id",
        "external_id.issue_id",
        "collection_item.issue_id",
        "credit.issue_id",
        "favourite.issue_id",
        "issue_arc.issue_id",
        "issue_character.issue_id",
        "issue_rating.issue_id",
        "issue_reprint.issue_id",
        "issue_reprint.reprint_id",
        "issue_team.issue_id",
        "issue_universe.issue_id",
        "read_date.issue_id",
        "reading_list_item.issue_id",
        "review.issue_id",
        "variant.issue_id",
        "wish_list_item.issue_id",
    },
    "publisher": {
        "attribution.publisher_id",
        "external_id.publisher_id",
        "imprint.publisher_id",
        "series.publisher_id",
        "universe.publisher_id",
    },
    "series": {
        "attribution.series_id",
        "external_id.series_id",
        "favourite.series_id",
        "issue.series_id",
        "pull_list_series.series_id",
        "series_associated.associated_id",
        "series_associated.series_id",
        "series_genre.series_id",
    },
    "team": {
        "attribution.team_id",
        "external_id.team_id",
        "character_team.team_id",
        "issue_team.team_id",
        "team_creator.team_id",
        "team_universe.team_id",
    },
    "universe": {
        "attribution.universe_id",
        "external_id.universe_id",
        "character_universe.universe_id",
        "issue_universe.universe_id",
        "team_universe.universe_id",
    },
}


def test_every_reference_of_the_schema_is_known_to_merges(session):
    found = {kind: set() for kind in KINDS}
    for (_, table), keys in inspect(session.connection()).get_multi_foreign_keys().items():
        for key in keys:
            if key["referred_table"] in found:
                found[key["referred_table"]] |= {f"{table}.{each}" for each in key["constrained_columns"]}
    assert found == KNOWN
    for kind in KINDS:
        led_over = {f"{each.table.name}.{each.column}" for each in references_to_kind(kind)}
        assert led_over == KNOWN[kind] - {f"attribution.{kind}_id"}


def crowd(make, session, number):
    """Create one object of each kind, linked to one another and to others, and a reader; returned by name."""
    with make.single_commit():
        cited = {
            "attributions": [{"source": "W", "url": f"https://example.org/{number}"}],
            "external_ids": [{"source": "metron", "external_id": str(number + 1)}],
        }
        w = {"publisher": make.publisher(**cited)}
        w["imprint"] = make.imprint(publisher=w["publisher"], **cited)
        w["universe"] = make.universe(publisher=w["publisher"], **cited)
        w["creator"] = make.creator(**cited)
        w["team"] = make.team(creators=[w["creator"]], universes=[w["universe"]], **cited)
        w["character"] = make.character(
            creators=[w["creator"]], teams=[w["team"]], universes=[w["universe"]], **cited
        )
        w["arc"] = make.arc(**cited)
        w["genre"] = session.scalar(select(models.Genre).order_by(models.Genre.id).offset(number).limit(1))
        w["series"] = make.series(
            publisher=w["publisher"],
            imprint=w["imprint"],
            genres=[w["genre"].id],
            associated=[make.series(publisher=w["publisher"])],
            **cited,
        )
        w["issue"] = make.issue(
            series=w["series"],
            number=str(number),
            arcs=[w["arc"]],
            characters=[w["character"]],
            teams=[w["team"]],
            universes=[w["universe"]],
            reprints=[make.issue()],
            credits=[{"creator": w["creator"].id, "roles": [make.role("Writer").id]}],
            variants=[{"name": "Foil", "image": f"variants/{number}.png"}],
            **cited,
        )
        w["reader"] = make.user()
        keep(session, w["reader"], w["issue"], w["series"], 4)
        return w


def keep(session, reader, issue, series, stars):
    """Add an issue and a series to everything that readers keep."""
    ratings.rate(session, issue, reader.id, stars, today=date(2026, 3, 4))
    collection.add(session, reader.id, issue.id, {"read_dates": [datetime(2026, 3, 1, tzinfo=UTC)]})
    wish_list.add(session, reader.id, issue.id, {})
    pull_list.add(session, reader.id, series.id)
    for each in (issue, series):
        profiles.add_favourite(session, reader.id, each.__tablename__, each.id)
    session.add(models.Review(user_id=reader.id, issue_id=issue.id, text="Good."))
    known = session.scalar(select(models.ReadingList).where(models.ReadingList.user_id == reader.id))
    reading_list = known or make_list(session, reader)
    items.add_issues(locked_list(session, reader, reading_list), [issue.id])
    session.commit()


def pointing(session, kind, object_id) -> dict[str, int]:
    """The numbers of rows that refer to an object, by column."""
    found = {}
    for name in sorted(KNOWN[kind]):
        table, column = name.split(".")
        found[name] = session.scalar(
            text(f"SELECT count(*) FROM {table} WHERE {column} = :id"), {"id": object_id}
        )
    return found


@contextmanager
def undone(connection, session):
    """Undo what is written and committed in the block, so that all kinds are tested with the same objects."""
    savepoint = connection.begin_nested()
    yield
    session.rollback()
    savepoint.rollback()


def test_nothing_points_to_the_object_that_goes(make, session, catalog, connection):
    first, second = (crowd(make, session, number) for number in range(2))
    for kind in KINDS:
        with undone(connection, session):
            check_that_all_is_led_over(session, catalog, kind, first[kind], second[kind])


def check_that_all_is_led_over(session, catalog, kind, kept, other):
    """Merge two objects: every reference to the second now refers to the first."""
    if kind == "imprint":  # only those of one publisher can be merged
        merge(
            catalog,
            session.get(models.Publisher, kept.publisher_id),
            session.get(models.Publisher, other.publisher_id),
        )
        session.commit()
    other_id = other.id
    here, there = pointing(session, kind, kept.id), pointing(session, kind, other_id)
    assert all(there.values()), f"the crowd has nothing for {there}"
    merge(catalog, kept, other)
    session.commit()
    left = pointing(session, kind, other_id)
    assert not any(left.values()), f"after the merge of a {kind}: {left}"
    now = pointing(session, kind, kept.id)
    cited = f"attribution.{kind}_id"
    assert now.pop(cited) == here.pop(cited)  # the citations of the other are deleted with it
    assert now == {name: here[name] + there[name] for name in here}


def test_what_both_have_is_there_once(make, session, catalog, connection):
    first = crowd(make, session, 0)
    for kind in KINDS:
        with undone(connection, session):
            check_that_nothing_is_there_twice(make, session, catalog, kind, first)


def check_that_nothing_is_there_twice(make, session, catalog, kind, first):
    """Merge an object with another one that has the same links: no row may be duplicated."""
    writer, inker = make.role("Writer").id, make.role("Inker").id
    twin, kept = getattr(make, kind), first[kind]
    shared = {
        "arc": {"issue": "arcs"},
        "character": {"issue": "characters"},
        "team": {"issue": "teams", "character": "teams"},
        "universe": {"issue": "universes", "character": "universes", "team": "universes"},
        "creator": {"character": "creators", "team": "creators"},
    }.get(kind, {})
    if kind == "issue":
        other = twin(
            series=first["series"],
            number="9",
            arcs=[first["arc"]],
            characters=[first["character"]],
            teams=[first["team"]],
            universes=[first["universe"]],
            reprints=[kept],
            credits=[{"creator": first["creator"].id, "roles": [inker]}],
        )
        keep(session, first["reader"], other, first["series"], 1)
    elif kind == "series":
        other = twin(
            publisher=first["publisher"],
            genres=[each.id for each in session.scalars(select(models.Genre).limit(1))],
            associated=[kept],
        )
        pull_list.add(session, first["reader"].id, other.id)
        profiles.add_favourite(session, first["reader"].id, "series", other.id)
    else:
        needed = {"publisher": first["publisher"]} if kind in {"imprint", "universe"} else {}
        other = twin(**needed)
    for owner, field in shared.items():
        catalog.update(first[owner], {field: [kept.id, other.id]})
    if kind == "creator":
        both = [{"creator": each.id, "roles": roles} for each, roles in ((kept, [writer]), (other, [inker]))]
        catalog.update(first["issue"], {"credits": both})
    session.commit()
    here = pointing(session, kind, kept.id)
    if kind in {"issue", "series"}:  # the link between the two objects is removed
        for name in here:
            if name.split(".")[0] in {"issue_reprint", "series_associated"}:
                here[name] -= 1
    merge(catalog, kept, other)
    session.commit()
    now = pointing(session, kind, kept.id)
    assert now == here, kind
    if kind in {"creator", "issue"}:
        rows = session.execute(
            text(
                "SELECT r.role_id, r.issue_id FROM credit c JOIN credit_role r ON r.credit_id = c.id"
                " WHERE c.issue_id = :issue ORDER BY r.role_id"
            ),
            {"issue": first["issue"].id},
        ).all()
        assert [tuple(row) for row in rows] == [(each, first["issue"].id) for each in sorted((writer, inker))]
    if kind == "issue":
        assert session.scalars(select(IssueRating.rating)).all() == [4]


def test_credits_that_get_roles_of_the_merged_creator_are_modified(make, session, catalog):
    kept, other, gains, same = make.creator(), make.creator(), make.issue(), make.issue()
    for issue, role in ((gains, "Inker"), (same, "Writer")):
        make.credit(issue, kept, "Writer")
        make.credit(issue, other, role)
    credit = models.Credit
    stamps = select(credit.issue_id, credit.modified).where(credit.creator_id == kept.id)
    before = dict(list(session.execute(stamps)))
    merge(catalog, kept, other)
    after = dict(list(session.execute(stamps)))
    assert after[gains.id] > before[gains.id]
    assert after[same.id] == before[same.id]
