"""A package for tests of servers: its views report what the server passes on, sleep, or stream."""

import os
import time

from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from comicsdb.http.client_address import client_ip

PIECE = b"x" * 65536


def tell(request):
    """What the application knows about the request, and the id of its process."""
    return {
        "process": os.getpid(),
        "url": request.url,
        "address": client_ip(request),
        "length": len(request.body),
        "headers": dict(request.headers),
    }


def sleep(request):
    """Respond after the given number of seconds."""
    time.sleep(float(request.params["seconds"]))
    return {"slept": True}


def pour(request):
    """A long streamed response: the given number of pieces of 64 KB."""
    return Response(app_iter=(PIECE for _ in range(int(request.params["pieces"]))))


def includeme(config):
    """Add the views."""
    for name, view, renderer in (("tell", tell, "json"), ("sleep", sleep, "json"), ("pour", pour, None)):
        config.add_route(f"probe.{name}", f"/probe/{name}/")
        config.add_view(
            view, route_name=f"probe.{name}", renderer=renderer, permission=NO_PERMISSION_REQUIRED,
            require_csrf=False,
        )  # fmt: skip
