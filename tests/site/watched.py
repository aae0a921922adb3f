"""Included into a server under test: a view that fails amid secrets, and where its failure is reported."""

import json
import os


def fail(_request):
    """A fault of ours."""
    raise RuntimeError("a screw is loose")


def report(error, where):
    """A deployer's own function: it writes down what it gets, and fails itself where it is told to."""
    with open(os.environ["REPORTS"], "a", encoding="utf-8") as stream:
        stream.write(json.dumps({"error": str(error), **where}) + "\n")
    if "clumsy" in where.get("query", ""):
        raise ValueError("the reporter stumbles")


def includeme(config):
    config.add_route("probe.fail", "/probe/fail/{secret}/")
    config.add_view(fail, route_name="probe.fail")
