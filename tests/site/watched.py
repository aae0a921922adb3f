"""A package for a server under test: views that fail, one with a secret path, and an error reporter."""

import json
import os
from itertools import chain, repeat

from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from comicsdb.http.streams import Stream


def fail(_request):
    """Raise an unexpected exception."""
    raise RuntimeError("a screw is loose")


def _raise():
    raise RuntimeError("a cable is loose")
    yield b""


class _Unanswerable(Response):
    """A response that fails when the server calls it."""

    def __call__(self, _environ, _start_response):
        raise RuntimeError("a plug is loose")


BROKEN = {
    "call": _Unanswerable,
    "beginning": lambda: Response(app_iter=_raise()),
    "middle": lambda: Response(app_iter=chain([b"x"] * 3, _raise())),
    "end": lambda: Response(
        app_iter=chain(repeat(b"x" * 65536, 40), _raise()), headerlist=[("Content-Length", "9999999")]
    ),
    "stream": lambda: Response(app_iter=Stream(chain([b"x"], _raise()))),
}


def _view(make):
    return lambda _request: make()


def report(error, where):
    """A deployer's own error reporter: writes its arguments to a file, and fails if the query says so."""
    with open(os.environ["REPORTS"], "a", encoding="utf-8") as stream:
        stream.write(json.dumps({"error": str(error), **where}) + "\n")
    if "clumsy" in where.get("query", ""):
        raise ValueError("the reporter stumbles")


def includeme(config):
    config.add_route("probe.fail", "/s/probe/{secret}/")
    config.add_view(fail, route_name="probe.fail")
    for prefix in ("/probe/", "/api/probe/"):
        for name, make in BROKEN.items():
            route = f"{prefix[1:-1].replace('/', '.')}.{name}"
            config.add_route(route, f"{prefix}{name}/")
            config.add_view(_view(make), route_name=route, permission=NO_PERMISSION_REQUIRED)
