import time
import pytest
from comicsdb.catalog import propagation as P
from hypothesis import settings, Phase
from hypothesis.stateful import run_state_machine_as_test
from tests.core.test_propagation_random import Writes, PROFILE, small_world
@pytest.mark.parametrize("event", ["issue.place", "publisher.name", "arc.issues", "creator.name", "series_type.label", "series.label"])
def test_proof(connection, small_world, monkeypatch, event):
    monkeypatch.setattr(P, "TOUCHES", {e: t for _, e, t in P.TABLE if e != event})
    machine = type("Bound", (Writes,), {"connection": connection, **small_world})
    t=time.time()
    try:
        run_state_machine_as_test(machine, settings=settings(PROFILE, phases=(Phase.generate,)))
        print(event, "SURVIVED", time.time()-t)
    except AssertionError as e:
        print(event, "caught", round(time.time()-t,1), str(e).splitlines()[:2])
