"""The state machine of the property tests: random writes of every sort, with reads after each transaction."""

from random import Random

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from comicsdb.catalog import CatalogError
from comicsdb.problems import ImportFailedError
from tests.machines.api_cache.changes import (
    ALTERATIONS,
    BULK_ACTIONS,
    CHANGES,
    DELETIONS,
    MERGES,
    PARTS,
    RATINGS,
    THROUGH_HTTP,
    WORDS,
)
from tests.machines.propagation.world import KINDS, NAMED, REFERENCE
from tests.machines.propagation.writes import (
    MODELS,
    changes,
    creations,
    part_changes,
    relabellings,
    relinkings,
    renames,
    single_changes,
)

positions = st.integers(0, 9)
seeds = st.integers(0, 2**32 - 1)
endings = st.sampled_from(("commit", "commit", "commit", "commit", "go on", "roll back"))
pages = st.sampled_from((*NAMED, "issue", "issue", "issue"))  # kinds with pages


class Writers(RuleBasedStateMachine):
    """Random writes. `environment.scenario()` is the `WriteScenario` of one sequence, with a reader."""

    environment = None

    def __init__(self):
        super().__init__()
        self.scenario = self.environment.scenario()
        self.until_import = 0  # steps before the next import, which takes as long as a dozen

    def teardown(self):
        self.scenario.end()

    def write(self, seed, ending, job, *arguments):
        """Do a write, end the transaction as drawn, and check reads if it has ended."""
        self.until_import -= 1
        self.attempt(job, *arguments)
        if ending == "roll back":
            self.scenario.session.rollback()
        elif ending == "commit":
            self.scenario.session.commit()
        if ending != "go on":
            self.scenario.check_reads(Random(seed))

    @staticmethod
    def attempt(job, *arguments):
        """Do a write that the catalog may reject."""
        try:
            job(*arguments)
        except CatalogError as refusal:
            note(f"refused: {refusal!r}")

    @rule(new=creations(*KINDS) | creations("series", "issue"), ending=endings, seed=seeds)
    def create(self, new, ending, seed):
        kind, drawing = new
        values = self.scenario.positions().values(kind, drawing)
        if values is not None:
            self.write(seed, ending, self.scenario.catalog.create, MODELS[kind], values)

    @rule(change=changes(*KINDS), position=positions, ending=endings, seed=seeds)
    def update(self, change, position, ending, seed):
        kind, drawing = change
        self.write(seed, ending, self.scenario.update, kind, position, drawing)

    @rule(
        change=single_changes("issue") | single_changes("series"),
        position=positions,
        ending=endings,
        seed=seeds,
    )
    def edit(self, change, position, ending, seed):
        self.update(change, position, ending, seed)

    @rule(change=relinkings() | part_changes(), position=positions, ending=endings, seed=seeds)
    def relink(self, change, position, ending, seed):
        self.update(change, position, ending, seed)

    @rule(change=renames() | relabellings(), position=positions, ending=endings, seed=seeds)
    def rename(self, change, position, ending, seed):
        self.update(change, position, ending, seed)

    @rule(change=relinkings() | part_changes(), position=positions, ending=endings, seed=seeds)
    def relink_alone(self, change, position, ending, seed):
        kind, drawing = change
        self.write(seed, ending, self.scenario.update_parts, kind, position, drawing)

    @rule(issue=positions, series=positions, ending=endings, seed=seeds)
    def move_issue(self, issue, series, ending, seed):
        self.update(("issue", {"series": series}), issue, ending, seed)

    @rule(kind=st.sampled_from((*REFERENCE, *NAMED, "issue")), position=positions, ending=endings, seed=seeds)
    def delete(self, kind, position, ending, seed):
        self.write(seed, ending, self.scenario.delete, kind, position)

    @rule(kind=pages, kept=positions, other=positions, ending=endings, seed=seeds)
    def merge(self, kind, kept, other, ending, seed):
        self.write(seed, ending, self.scenario.merge, kind, kept, other)

    @rule(publisher=positions, parent=positions, ending=endings, seed=seeds)
    def move_publisher(self, publisher, parent, ending, seed):
        self.write(seed, ending, self.scenario.move, publisher, parent)

    @rule(position=positions, year=st.integers(2018, 2021), ending=endings, seed=seeds)
    def readdress(self, position, year, ending, seed):
        self.write(seed, ending, self.scenario.readdress, position, year)

    @rule(kind=pages, position=positions, version=st.integers(0, 5), ending=endings, seed=seeds)
    def revert(self, kind, position, version, ending, seed):
        self.write(seed, ending, self.scenario.revert, kind, position, version)

    @rule(
        act=st.sampled_from((*BULK_ACTIONS, "delete")),
        some=positions,
        others=positions,
        ending=endings,
        seed=seeds,
    )
    def act_on_many(self, act, some, others, ending, seed):
        self.write(seed, ending, self.scenario.act_on_many, act, some, others)

    @rule(
        where=st.sampled_from(("patch", "submit")),
        change=st.tuples(pages, positions, st.sampled_from(("name", "desc")), st.sampled_from(WORDS)),
        seed=seeds,
    )
    def edit_by_http(self, where, change, seed):
        kind, position, field, value = change
        field = "number" if (kind, field) == ("issue", "name") else field
        self.write(seed, "commit", getattr(self.scenario, where), kind, position, field, value)

    @rule(
        position=positions,
        user=st.integers(0, 1),
        stars=st.none() | st.integers(1, 5),
        ending=endings,
        seed=seeds,
    )
    def rate(self, position, user, stars, ending, seed):
        self.write(seed, ending, self.scenario.rate, position, user, stars)

    @precondition(lambda self: self.until_import <= 0)
    @rule(
        alterations=st.lists(st.tuples(st.sampled_from(ALTERATIONS), positions, positions), max_size=4),
        seed=seeds,
    )
    def import_again(self, alterations, seed):
        """Import the same data set again, with a few other values."""
        scenario, self.until_import = self.scenario, 12
        scenario.session.commit()
        before = scenario.imports
        scenario.imports = before.copy()
        for (file, field, values), row, value in alterations:
            rows = scenario.imports.rows[file]
            rows[row % len(rows)][field] = values[value % len(values)]
        try:
            scenario.imports.run(scenario.session)
        except ImportFailedError as failed:
            note(f"refused: {failed!r}")
            scenario.imports = before
        scenario.check_reads(Random(seed))

    @rule(kind=pages, drawn=st.data(), number=st.integers(2, 4), position=positions, seed=seeds)
    def change_in_one_second(self, kind, drawn, number, position, seed):
        """Change one object several times in a row, with reads after each change."""
        self.scenario.session.commit()
        for turn in range(number):
            _, drawing = drawn.draw(single_changes(kind))
            self.write(seed + turn, "commit", self.scenario.update, kind, position, drawing)

    @rule(kind=pages, drawn=st.data(), position=positions, place=st.integers(2, 4), seed=seeds)
    def change_while_somebody_reads(self, kind, drawn, position, place, seed):
        _, drawing = drawn.draw(single_changes(kind))
        job = lambda: self.scenario.update(kind, position, drawing)  # noqa: E731
        self.read_during_write(kind, position, job, place=place, seed=seed, status=200)

    @rule(kind=pages, position=positions, place=st.integers(2, 4), seed=seeds)
    def delete_while_somebody_reads(self, kind, position, place, seed):
        job = lambda: self.scenario.delete(kind, position)  # noqa: E731
        self.read_during_write(kind, position, job, place=place, seed=seed, status=404)

    def read_during_write(self, kind, position, job, *, place, seed, status):
        """Read something about an object while a write to it is committed."""
        self.scenario.session.commit()
        self.scenario.check_reads(Random(seed))
        entity = self.scenario.object_at(kind, position)
        if entity is None:
            return

        def write():
            self.attempt(job)
            self.scenario.session.commit()

        self.scenario.read_during_write((kind, entity.id), write, place, Random(seed), status)


def single_steps(scenario) -> list[tuple]:
    """All single writes in order, as pairs of a method of the scenario and its arguments."""
    steps = [(scenario.update, change) for change in CHANGES]
    steps += [(scenario.update_parts, change) for change in PARTS]
    steps += [(scenario.rate, given) for given in RATINGS]
    steps += [(scenario.patch, each) for each in THROUGH_HTTP] + [
        (scenario.submit, each) for each in THROUGH_HTTP
    ]
    steps += [
        (scenario.revert, ("issue", 1, 0)),
        (scenario.revert, ("series", 1, 0)),
        (scenario.readdress, (2, 2018)),
    ]
    steps += [(scenario.act_on_many, (each, 0, 1)) for each in BULK_ACTIONS]
    steps += [(scenario.merge, each) for each in MERGES]
    steps += [(scenario.delete, key) for key in DELETIONS]
    return steps
