"""A package for a server under test: a view that fails, whose path is secret, and an error reporter."""

import json
import os


def fail(_request):
    """Raise an unexpected exception."""
    raise RuntimeError("a screw is loose")


def report(error, where):
    """A deployer's own error reporter: writes its arguments to a file, and fails if the query says so."""
    with open(os.environ["REPORTS"], "a", encoding="utf-8") as stream:
        stream.write(json.dumps({"error": str(error), **where}) + "\n")
    if "clumsy" in where.get("query", ""):
        raise ValueError("the reporter stumbles")


def includeme(config):
    config.add_route("probe.fail", "/s/probe/{secret}/")
    config.add_view(fail, route_name="probe.fail")
