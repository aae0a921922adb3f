import time
from hypothesis import settings, Phase
from hypothesis.stateful import run_state_machine_as_test
from comicsdb.catalog import propagation as P
from tests.core.test_propagation_random import Writes, PROFILE, small_world

def mutants():
    for e, kinds in P.TOUCHES.items():
        for k in kinds:
            yield f"TOUCHES {e}->{k}", lambda e=e,k=k: P.TOUCHES.__setitem__(e, {x:y for x,y in P.TOUCHES[e].items() if x!=k}), lambda e=e,v=kinds: P.TOUCHES.__setitem__(e, v)
    for kind, events in P.FIELD_EVENTS.items():
        for e, cols in events.items():
            for c in cols:
                yield f"FIELD {e} {c}", lambda events=events,e=e,c=c,cols=cols: events.__setitem__(e, tuple(x for x in cols if x!=c)), lambda events=events,e=e,cols=cols: events.__setitem__(e, cols)
    for kind, evs in P.DELETION_EVENTS.items():
        for e in evs:
            yield f"DELETION {kind} {e}", lambda kind=kind,e=e,evs=evs: P.DELETION_EVENTS.__setitem__(kind, tuple(x for x in evs if x!=e)), lambda kind=kind,evs=evs: P.DELETION_EVENTS.__setitem__(kind, evs)
    for l, e in list(P.LINK_EVENTS.items()):
        yield f"LINK {l}", lambda l=l: P.LINK_EVENTS.pop(l), lambda l=l,e=e: P.LINK_EVENTS.__setitem__(l,e)

def test_mut(connection, small_world):
    out = open("/tmp/mutants.txt","w")
    done = {l[:50].strip() for l in open("/tmp/mutants1.txt") if "caught" in l}
    all_ = [m for m in mutants() if m[0] not in done]
    for name, do, undo in all_:
        t=time.time(); do()
        machine = type("Bound", (Writes,), {"connection": connection, **small_world})
        try:
            run_state_machine_as_test(machine, settings=settings(PROFILE, phases=(Phase.generate,)))
            r="SURVIVED"
        except BaseException as e:
            r="caught "+str(e).replace("\n"," ")[:110]
        finally: undo()
        print(f"{name:50} {time.time()-t:5.1f}s {r}", file=out, flush=True)
