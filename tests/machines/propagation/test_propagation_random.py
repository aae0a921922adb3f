"""Property test of random writes: after each, the stamps of changed bodies have moved, and no others have.

Every step is checked against an independent model of what readers see (`shapes`) and of which stamps the
rules move (`oracle`). The sequences are the same on every run. `make soak SOAK=2000` runs a longer search
with 2000 new ones, about three a second.
"""

from datetime import date

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from sqlalchemy import text

from comicsdb import models
from comicsdb.catalog import Catalog, ConflictError, InvalidError, kinds, parts
from comicsdb.db import session_factory
from comicsdb.library.ratings import rate
from tests.conftest import SAVEPOINT_MODE
from tests.machines.propagation.checks import check_stamps, check_state
from tests.machines.propagation.oracle import Oracle
from tests.machines.propagation.shapes import snapshot, snapshots
from tests.machines.propagation.world import KINDS, NAMED, REFERENCE, World, differences, moved
from tests.machines.propagation.writes import (
    MODELS,
    Positions,
    changes,
    creations,
    part_changes,
    positions,
    relabellings,
    relinkings,
    renames,
    single_changes,
)
from tests.orders import misplaced_issues
from tests.soak import sequences

PROFILE = sequences(14, 30)
TODAY = date(2020, 6, 1)
endings = st.sampled_from(("commit", "commit", "commit", "go on", "go on", "roll back"))


class Writes(RuleBasedStateMachine):
    """State machine of transactions on the catalog, with the effects of the open one so far."""

    connection = None
    hidden: set = set()  # seeded rows that steps leave alone
    users: tuple = ()

    def __init__(self):
        super().__init__()
        self.point = self.connection.begin_nested()
        factory = session_factory(self.connection)
        factory.configure(**SAVEPOINT_MODE)
        self.session = factory()
        self.transactions = 0
        self.begin()

    def teardown(self):
        self.session.close()
        self.point.rollback()

    # One transaction.

    def begin(self, world: World | None = None):
        """Record the state at the start of the transaction, and choose its actor and reason."""
        self.world = self.start = world or World(self.session)
        self.marks = self.session.execute(_MARKS).one()
        self.deletions = []
        self.merged = set()
        self.outdated = set()
        self.actor = (None, *self.users)[self.transactions % 3]
        self.reason = "a reason" if self.transactions % 2 else None
        self.catalog = Catalog(self.session, self.actor, self.reason)
        self.transactions += 1

    def found(self, kind: str, position: int):
        """The object at a position, or None."""
        each = Positions(self.world, self.hidden).at(kind, position)
        return each and self.session.get(MODELS[kind], each)

    def write(self, job, ending: str, written=()):
        """Do a write, check all its effects, and end the transaction as drawn."""
        try:
            made = job()
        except (ConflictError, InvalidError):
            self.session.flush()
            assert differences(World(self.session), self.world) == {}
        else:
            self.follow(set(written) | ({_key(made)} if isinstance(made, models.Base) else set()))
        if ending == "commit":
            self.commit()
        elif ending == "roll back":
            self.roll_back()

    def follow(self, written: set):
        """Check the effects of one write, and add them to those of the transaction."""
        before, self.world = self.world, World(self.session)
        oracle = Oracle(before, self.world, written)
        wrong = check_stamps(before, self.world, oracle) + check_state(self.world)
        assert wrong == [], f"after writing {sorted(written)}"
        assert misplaced_issues(self.connection) == set()
        gone = sorted(oracle.deleted, key=lambda key: (KINDS.index(key[0]), key[1]))
        self.deletions += [(key, snapshot(before, *key)) for key in gone]
        touched = moved(before, self.world, "modified") | oracle.created | oracle.deleted
        self.outdated |= {kind for kind, _ in touched}

    def commit(self):
        """Commit, and check versions, history and change log of the transaction."""
        self.session.commit()
        after = World(self.session)
        assert differences(after, self.world).keys() <= {"version"}  # all stamps were moved before
        advanced = {
            kind: after.versions[kind] - self.start.versions.get(kind, 0)
            for kind in after.versions
            if after.versions[kind] != self.start.versions.get(kind, 0)
        }
        assert advanced == dict.fromkeys(self.outdated, 1)
        self.check_records(after)
        self.begin(after)

    def check_records(self, after: World):
        """History and change log record what the transaction did, once, in order, and by whom."""
        then, now = snapshots(self.start), snapshots(after)
        rows, lines = [], []
        for kind, each in sorted(now, key=lambda key: (KINDS.index(key[0]), key[1])):
            state = now[kind, each]
            if (kind, each) not in then:
                rows.append((kind, each, "+", state))
                lines.append((kind, each, "create", []))
            elif then[kind, each] != state:
                rows.append((kind, each, "~", state))
                fields = sorted(field for field in state if state[field] != then[kind, each][field])
                lines.append((kind, each, "update", fields))
        for (kind, each), state in self.deletions:
            rows.append((kind, each, "-", state))
            lines.append((kind, each, "merge" if (kind, each) in self.merged else "delete", []))
        history, log = self.new_records()
        by_object = lambda row: (row[0], row[1], row[2])  # noqa: E731
        assert sorted((row[2:] for row in history), key=by_object) == sorted(rows, key=by_object)
        assert {row[:2] for row in history} <= {(self.actor, self.reason)}
        assert [tuple(line[1:]) for line in log] == lines
        assert {line[0] for line in log} <= {self.actor}
        newest = {(row.kind, row.object_id): row.snapshot for row in self.session.execute(_NEWEST)}
        for key in set(now) - self.hidden:
            assert newest[key] == now[key], key

    def new_records(self):
        """History rows and log lines since the transaction began."""
        return [
            [tuple(row) for row in self.session.execute(text(statement), {"mark": mark})]
            for statement, mark in zip(_NEW, self.marks, strict=True)
        ]

    def roll_back(self):
        """Roll back, and check that nothing of the transaction is left."""
        self.session.rollback()
        self.session.commit()
        after = World(self.session)
        assert differences(after, self.start) == {}
        assert self.new_records() == [[], []]
        self.begin(after)

    # The steps.

    @rule(new=creations(*KINDS), ending=endings)
    def create(self, new, ending):
        kind, drawing = new
        values = Positions(self.world, self.hidden).values(kind, drawing)
        if values is not None:
            self.write(lambda: self.catalog.create(MODELS[kind], values), ending)

    @rule(new=creations("series", "issue", "issue"), ending=endings)
    def create_more(self, new, ending):
        self.create(new, ending)

    @rule(change=changes(*KINDS), position=positions, ending=endings)
    def update(self, change, position, ending):
        kind, drawing = change
        entity = self.found(kind, position)
        if entity is None:
            return
        values = Positions(self.world, self.hidden).values(kind, drawing, entity.id)
        if values is not None:
            self.write(lambda: self.catalog.update(entity, values), ending, {(kind, entity.id)})

    @rule(change=single_changes("issue"), position=positions, ending=endings)
    def edit_issue(self, change, position, ending):
        self.update(change, position, ending)

    @rule(change=single_changes("series"), position=positions, ending=endings)
    def edit_series(self, change, position, ending):
        self.update(change, position, ending)

    @rule(change=relinkings(), position=positions, ending=endings)
    def relink(self, change, position, ending):
        self.update(change, position, ending)

    @rule(change=relinkings() | part_changes(), position=positions, ending=endings)
    def write_parts_alone(self, change, position, ending):
        """Write links and parts without their owner, as an import does."""
        kind, drawing = change
        entity = self.found(kind, position)
        if entity is not None:
            values = Positions(self.world, self.hidden).values(kind, drawing, entity.id)
            self.write(lambda: self.replace_parts(kind, entity.id, values), ending)

    def replace_parts(self, kind: str, each: int, values: dict):
        """Write links and parts, and propagate the changes."""
        for link in kinds.KINDS[kind].links:
            if link.field in values:
                parts.replace_links(self.session, kind, link, each, values[link.field])
        if "credits" in values:
            parts.replace_credits(self.session, each, values["credits"])
        if "variants" in values:
            parts.replace_variants(self.session, each, values["variants"])
        if "attributions" in values:
            parts.replace_attributions(self.session, kind, each, values["attributions"])
        if "external_ids" in values:
            parts.replace_external_ids(self.session, kind, each, values["external_ids"], None)
        self.catalog.unit.propagate()

    @rule(change=renames(), position=positions, ending=endings)
    def rename(self, change, position, ending):
        self.update(change, position, ending)

    @rule(change=relabellings(), position=positions, ending=endings)
    def relabel(self, change, position, ending):
        self.update(change, position, ending)

    @rule(issue=positions, series=positions, ending=endings)
    def move_issue(self, issue, series, ending):
        self.update(("issue", {"series": series}), issue, ending)

    @rule(kind=st.sampled_from((*REFERENCE, *NAMED, "issue", "issue")), position=positions, ending=endings)
    def delete(self, kind, position, ending):
        entity = self.found(kind, position)
        if entity is not None:
            self.write(lambda: self.catalog.delete(entity), ending)

    @rule(
        position=positions,
        user=st.integers(0, 1),
        stars=st.none() | st.integers(1, 5),
        ending=endings,
    )
    def rate_issue(self, position, user, stars, ending):
        issue = self.found("issue", position)
        if issue is not None:
            self.write(
                lambda: _nothing(rate(self.session, issue, self.users[user], stars, today=TODAY)), ending
            )

    @rule(change=changes(*KINDS), position=positions, delete=st.booleans())
    def think_better_of_it(self, change, position, delete):
        """Write in a savepoint that the caller rolls back, while the transaction continues."""
        kind, drawing = change
        entity = self.found(kind, position)
        if entity is None:
            return
        values = Positions(self.world, self.hidden).values(kind, drawing, entity.id)
        savepoint = self.session.begin_nested()
        try:
            if delete:
                self.catalog.delete(entity)
            elif values is not None:
                self.catalog.update(entity, values)
        except (ConflictError, InvalidError):
            pass
        savepoint.rollback()
        assert differences(World(self.session), self.world) == {}

    @rule()
    def end(self):
        self.commit()


_MARKS = text("SELECT (SELECT max(id) FROM history), (SELECT max(seq) FROM change_log)")
_NEW = (
    "SELECT user_id, reason, kind, object_id, type, snapshot FROM history WHERE id > :mark ORDER BY id",
    "SELECT user_id, kind, object_id, action, fields FROM change_log WHERE seq > :mark ORDER BY seq",
)
_NEWEST = text(
    "SELECT DISTINCT ON (kind, object_id) kind, object_id, snapshot FROM history"
    " ORDER BY kind, object_id, id DESC"
)


def _key(entity) -> tuple[str, int]:
    return entity.__tablename__, entity.id


def _nothing(_answer) -> None:
    """Return None, as a rating writes no object of the catalog."""


@pytest.fixture
def small_world(session, catalog, make):
    """A few linked objects of each kind; returns the seeded rows that steps leave alone, and two accounts."""
    hidden = {key for key in World(session).ids if key not in (("series_type", 13), ("age_rating", 1))}
    for code in ("digital_chapter", "trade_paperback"):  # steps may use these codes for their own types
        catalog.delete(make.series_type(code))
    for seeded in (make.series_type("single_issue"), session.get(models.AgeRating, 1)):
        catalog.update(seeded, {})  # gives it a history
    create = catalog.create
    for number, name in enumerate(("One", "Two")):
        create(models.SeriesType, {"name": f"Type {name}"})
        create(models.Genre, {"name": f"Genre {name}"})
        create(models.AgeRating, {"name": f"Age {name}"})
        create(models.Role, {"name": f"Role {name}", "order": 1010 + number})
    usable = Positions(World(session), hidden).ids
    publishers = [make.publisher() for _ in range(2)]
    imprints = [make.imprint(publisher=each) for each in publishers]
    universes = [make.universe(publisher=each) for each in publishers]
    creators = [make.creator() for _ in range(2)]
    teams = [make.team(creators=creators[:1], universes=universes[:1]) for _ in range(2)]
    characters = [make.character(creators=creators, teams=teams[:1], universes=universes) for _ in range(2)]
    arcs = [make.arc() for _ in range(2)]
    series = [
        make.series(
            publisher=publisher,
            imprint=imprint,
            genres=usable["genre"][:1],
            series_type=usable["series_type"][-1],
        )
        for publisher, imprint in (*zip(publishers, imprints, strict=True), (publishers[0], None))
    ]
    catalog.update(series[0], {"associated": [series[1].id]})
    issues = [
        make.issue(
            series=each,
            number=number,
            rating=usable["age_rating"][-1],
            arcs=arcs[:1],
            characters=characters[:1],
            teams=teams,
            universes=universes[:1],
            credits=[{"creator": creators[0].id, "roles": usable["role"]}],
        )
        for each in series
        for number in "12"
    ]
    catalog.update(issues[0], {"reprints": [issues[2].id]})
    users = (make.user().id, make.user().id)
    rate(session, issues[0], users[0], 4, today=TODAY)
    session.commit()
    return {"hidden": hidden, "users": users}


def test_whatever_is_written_nothing_shown_is_stale_and_nothing_else_moves(connection, small_world):
    machine = type("Bound", (Writes,), {"connection": connection, **small_world})
    run_state_machine_as_test(machine, settings=PROFILE)
