"""What lies around every request: execution policies, each calling the one within."""

from collections.abc import Callable

from pyramid.events import ContextFound
from pyramid.interfaces import IExecutionPolicy
from pyramid.router import default_execution_policy

ROUTE_KEY = "comicsdb.route"  # in the environment of a request: the name of its route, once that is known
NOTE_ROUTE_KEY = "comicsdb.note_route"  # there too: what the server wants to be told of it, if it does
# Among Pyramid's actions: after all that includes and applications do. A later one lies further out.
LAST = 1000
OUTERMOST = LAST + 9


def wrap_execution_policy(config, policy: Callable, order: int = LAST) -> None:
    """Put `policy(registry, usual)` around the policy that there is then."""
    registry = config.registry

    def act():
        usual = registry.queryUtility(IExecutionPolicy) or default_execution_policy
        registry.registerUtility(policy(registry, usual), IExecutionPolicy)

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
    """Let those outside know the route of a request."""
    config.add_subscriber(_note_route, ContextFound)
