"""Mutation tests of the propagation table: each mutant lacks one rule, so a test in this folder should fail.

Run by hand, in one process, from the root of the checkout: `python -m tests.machines.propagation.mutants`. It
prints for each mutant the test that failed first, or that it survived, and exits with 1 if any survived.
Arguments select mutants by parts of their names.

A mutant lacks one kind that an event touches, one column whose change is an event, one event of a deletion or
a link, or one kind of issue list, or it moves no stamps of one sort.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from comicsdb.catalog import propagation
from comicsdb.catalog.kinds import KINDS

Patch = Callable[[pytest.MonkeyPatch], None]


def mutants() -> dict[str, Patch]:
    """The patches that create the mutants, by name."""
    events = {f"{kind}.{what}" for kind in KINDS for what in ("issues", *KINDS[kind].parts)}
    for kind in KINDS:
        events |= {*propagation.field_events(kind), *propagation.deletion_events(kind)}
    events |= {f"{kind}.{link.field}" for kind in KINDS for link in KINDS[kind].links}
    events |= propagation.TOUCHES.keys()
    names = {"field": propagation.field_events, "deletion": propagation.deletion_events}
    return {
        **{
            f"{event} touches {touched}": _without("touched_conditions", event, touched)
            for event in sorted(events)
            if "." in event
            for touched in propagation.touched_conditions(event)
        },
        **{
            f"{kind}.{column} is {event}": _without_column(kind, event, column)
            for kind in KINDS
            for event, columns in names["field"](kind).items()
            for column in columns
        },
        **{
            f"deleting {kind} is {event}": _without("deletion_events", kind, event)
            for kind in KINDS
            for event in names["deletion"](kind)
            if propagation.touched_conditions(event)
        },
        **{
            f"{field} is {event}": lambda patch, field=field: patch.delitem(propagation.LINK_EVENTS, field)
            for field, event in propagation.LINK_EVENTS.items()
        },
        **{
            f"{kind} has an issue list": lambda patch, kind=kind: patch.delitem(
                propagation.ISSUE_LIST_CONDITIONS, kind
            )
            for kind in propagation.ISSUE_LIST_CONDITIONS
        },
        **{
            f"{name} does something": lambda patch, name=name: patch.setattr(
                propagation, name, lambda *_, **__: None
            )
            for name in ("move_stamps", "move_name_stamp", "move_issue_list_stamps")
        },
    }


def _without(function: str, argument: str, lacking: str) -> Patch:
    """A patch of a function of the table: its result for one argument lacks something."""
    whole = getattr(propagation, function)

    def mutant(given):
        found = whole(given)
        if given != argument:
            return found
        if isinstance(found, dict):
            return {key: value for key, value in found.items() if key != lacking}
        return tuple(each for each in found if each != lacking)

    return lambda patch: patch.setattr(propagation, function, mutant)


def _without_column(kind: str, event: str, column: str) -> Patch:
    whole = propagation.field_events

    def mutant(given):
        found = dict(whole(given))
        if given == kind:
            found[event] = tuple(each for each in found[event] if each != column)
        return found

    return lambda patch: patch.setattr(propagation, "field_events", mutant)


class Plugin:
    """Runs the collected tests until the first failure, once for each mutant."""

    def __init__(self, selected: list[str]):
        self.selected = selected
        self.survived = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        """Run the tests once unchanged, which prepares the database, then for each mutant."""
        from hypothesis import Phase, settings  # not before pytest, which rewrites its assertions

        for module in {item.module for item in session.items if hasattr(item.module, "PROFILE")}:
            module.PROFILE = settings(module.PROFILE, phases=(Phase.explicit, Phase.generate))
        session.items.sort(key=lambda item: hasattr(item.module, "PROFILE"))  # random sequences come last
        if failed := self.first_failure(session):
            raise pytest.UsageError(f"{failed} fails without a mutant.")
        chosen = {
            name: make
            for name, make in mutants().items()
            if not self.selected or any(part in name for part in self.selected)
        }
        for name, make in chosen.items():
            with pytest.MonkeyPatch.context() as patch:
                make(patch)
                killer = self.first_failure(session)
            print(f"{killer or 'SURVIVED'}: {name}", flush=True)  # noqa: T201
            if not killer:
                self.survived.append(name)
        print(f"{len(chosen) - len(self.survived)} of {len(chosen)} killed")  # noqa: T201
        return True

    @staticmethod
    def first_failure(session) -> str | None:
        """The name of the first test that fails; session fixtures are kept for the next run."""
        for item, following in zip(session.items, (*session.items[1:], session.items[0]), strict=True):
            reports = runtestprotocol(item, log=False, nextitem=following)
            if any(report.failed for report in reports):
                session._setupstate.teardown_exact(session.items[0])
                return item.name
        return None


def main() -> int:
    """Run the tests with all mutants; returns the exit code."""
    plugin = Plugin(sys.argv[1:])
    folder = str(Path(__file__).parent)
    code = pytest.main(["-q", "-s", "-p", "no:cacheprovider", "--tb=no", folder], plugins=[plugin])
    return int(code) or bool(plugin.survived)


if __name__ == "__main__":
    sys.exit(main())
