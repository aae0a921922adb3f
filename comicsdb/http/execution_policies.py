"""Execution policies: functions around every request, each of which calls the next."""

from collections.abc import Callable

from pyramid.events import ContextFound
from pyramid.interfaces import IExecutionPolicy
from pyramid.router import default_execution_policy

ROUTE_KEY = "comicsdb.route"  # in the WSGI environment: the name of the route, once it is known
NOTE_ROUTE_KEY = "comicsdb.note_route"  # also there: a function of the server to call with that name
NOTE_CUT_KEY = "comicsdb.note_cut"  # and one to call if the body of the response fails
# Order of Pyramid actions: after those of all includes and applications. Higher values are further out.
LAST = 1000
OUTERMOST = LAST + 9


def wrap_execution_policy(config, policy: Callable, order: int = LAST) -> None:
    """Wrap the current execution policy, `inner`, in `policy(registry, inner)`."""
    registry = config.registry

    def act():
        inner = registry.queryUtility(IExecutionPolicy) or default_execution_policy
        registry.registerUtility(policy(registry, inner), IExecutionPolicy)

    config.action(None, act, order=order)


def _note_route(event) -> None:
    route = getattr(event.request, "matched_route", None)
    if route is not None:
        environ = event.request.environ
        environ[ROUTE_KEY] = route.name
        note = environ.get(NOTE_ROUTE_KEY)
        if note is not None:
            note(route.name)


def includeme(config):
    """Note the route of each request in its WSGI environment, for outer policies."""
    config.add_subscriber(_note_route, ContextFound)
