"""A package with a view that reads a file and locks two arcs in a given order, so that requests deadlock."""

import threading

from sqlalchemy import select

from comicsdb import models
from comicsdb.http import bodies

MEETING = threading.Barrier(2)


def write_both(request):
    """Lock one arc, wait until the other request has locked one too, then lock the second and write both."""
    picture = bodies.form(request)["picture"].file.read()
    both = [int(request.params[key]) for key in ("first", "second")]
    first_attempt = request.environ["retry.attempt"] == 0
    # Retries lock in ascending order: whether they deadlock again must not depend on timing.
    for object_id in both if first_attempt else sorted(both):
        row = select(models.Arc.id).where(models.Arc.id == object_id)
        request.dbsession.execute(row.with_for_update())
        if object_id == both[0] and first_attempt:
            MEETING.wait(10)
    for object_id in both:
        arc = request.catalog.get(models.Arc, object_id)
        request.catalog.lock(arc)  # it may have changed since it was read
        request.catalog.update(arc, {"desc": f"{arc.desc}{request.params['mark']}"})
    return {"attempt": request.environ["retry.attempt"], "picture": len(picture)}


def includeme(config):
    """Add the view."""
    config.include("comicsdb")
    config.add_route("crossing", "/crossing/", request_method="POST")
    config.add_view(write_both, route_name="crossing", renderer="json")
