"""A package whose one view writes two arcs in the order it is asked for: what it takes to make a deadlock."""

import threading

from comicsdb import models

MEETING = threading.Barrier(2)


def write_both(request):
    """Write one arc, wait until the other writer has one too, and write the second."""
    first, second = (int(request.params[key]) for key in ("first", "second"))
    for object_id in (first, second):
        arc = request.catalog.get(models.Arc, object_id)
        request.catalog.lock(arc)  # what is read before may have changed by then
        request.catalog.update(arc, {"desc": f"{arc.desc}{request.params['mark']}"})
        if object_id == first and request.environ["retry.attempt"] == 0:
            MEETING.wait(10)
    return {"attempt": request.environ["retry.attempt"]}


def includeme(config):
    """Add the view."""
    config.include("comicsdb")
    config.add_route("crossing", "/crossing/", request_method="POST")
    config.add_view(write_both, route_name="crossing", renderer="json")
