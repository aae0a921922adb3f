"""A package with a view that holds the GIL forever, like an exponential regex, but without using CPU."""

from ctypes import c_void_p, pythonapi

from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED


def stick(_request):
    """Never respond: wait for a lock in a C call that does not release the GIL."""
    pythonapi.PyThread_allocate_lock.restype = c_void_p
    lock = c_void_p(pythonapi.PyThread_allocate_lock())
    pythonapi.PyThread_acquire_lock(lock, True)
    pythonapi.PyThread_acquire_lock(lock, True)
    return Response("at last")


def includeme(config):
    """Add the view."""
    config.add_route("stuck", "/stuck/")
    config.add_view(stick, route_name="stuck", permission=NO_PERMISSION_REQUIRED)
