"""A package with a view that holds the interpreter, as a pattern does that takes exponential time."""

import re

from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED


def stick(_request):
    """Never answer."""
    re.fullmatch("(a+)+b", "a" * 60)
    return Response("at last")


def includeme(config):
    """Add the view."""
    config.add_route("stuck", "/stuck/")
    config.add_view(stick, route_name="stuck", permission=NO_PERMISSION_REQUIRED)
