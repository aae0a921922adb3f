"""Property test of merges among random writes: the stamps of changed bodies move, and no others do."""

from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from comicsdb import models
from comicsdb.catalog import Catalog
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.catalog.maintenance.merge_references import find_collisions, references_to_kind
from tests.machines.propagation.test_propagation_random import Writes, endings, small_world  # noqa: F401
from tests.machines.propagation.world import KINDS, NAMED, World
from tests.machines.propagation.writes import positions
from tests.soak import sequences

PROFILE = sequences(8, 20)
EVERY_KIND = st.sampled_from((*NAMED, "series", "issue", "issue"))


class Merges(Writes):
    """The same random writes, with merges in between."""

    def begin(self, world: World | None = None):
        """A merge sets the reason of its transaction; here all transactions have the same."""
        super().begin(world)
        self.reason = "a reason"
        self.catalog = Catalog(self.session, self.actor, self.reason)

    @rule(kind=EVERY_KIND, kept=positions, other=positions, ending=endings)
    def merge(self, kind, kept, other, ending):
        canonical, loser = self.found(kind, kept), self.found(kind, other)
        if canonical is None or canonical is loser:
            return
        written = {(kind, canonical.id)} | {
            (reference.table.name, row["id"])
            for reference in references_to_kind(kind)
            if reference.table.name in KINDS
            for row in self.world.tables[reference.table.name]
            if row[reference.column] == loser.id
        }
        gone = (kind, loser.id)

        def job():
            merge(self.catalog, canonical, loser)
            self.merged.add(gone)

        self.write(job, ending, written)

    @rule(ending=endings)
    def merge_series_that_share_numbers(self, ending):
        """Issues whose numbers collide are renumbered first."""
        kept, other = self.found("series", 0), self.found("series", 1)
        if kept is None or kept is other:
            return
        for _kind, _here, there in find_collisions(self.session, "series", kept.id, other.id):
            issue = self.session.get(models.Issue, there)
            values = {"number": f"m{there}"}
            self.write(lambda i=issue, v=values: self.catalog.update(i, v), "go on", {("issue", there)})
        self.merge("series", 0, 1, ending)

    @rule(ending=endings)
    def merge_imprints_of_two_publishers(self, ending):
        """Their publishers are merged first."""
        self.merge("publisher", 0, 1, "go on")
        self.merge("imprint", 0, 1, ending)


def test_whatever_is_merged_nothing_shown_is_stale_and_nothing_else_moves(connection, small_world):  # noqa: F811
    machine = type("Bound", (Merges,), {"connection": connection, **small_world})
    run_state_machine_as_test(machine, settings=PROFILE)
