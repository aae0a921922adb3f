"""Execution policies: classes around every request, each of which calls the next."""

from pyramid.events import ContextFound
from pyramid.interfaces import IExecutionPolicy
from pyramid.router import default_execution_policy

ROUTE_KEY = "comicsdb.route"  # in the WSGI environment: the name of the route, once it is known
NOTE_ROUTE_KEY = "comicsdb.note_route"  # also there: a function of the server to call with that name
NOTE_CUT_KEY = "comicsdb.note_cut"  # and one to call if the body of the response fails
AFTER_ALL_INCLUDES = 1000  # an order of Pyramid's actions
# From the innermost, which is called last, to the outermost. Those of other packages are inside of all.
POLICIES = (
    "CachedReadPolicy",  # answers in place of the application
    "PreflightPolicy",  # answers what neither reads the cache nor the database
    "DueRatingsPolicy",  # counts ratings that the keys of the caches depend on
    "ReadOnlyPolicy",  # of mirrors: before anything reads credentials
    "RequestCheckPolicy",  # before anything parses a header or a body
    "SendingPolicy",  # gives all responses of the inner ones, refusals too, their final status
    "MetricsPolicy",  # counts that status
    "RequestLogPolicy",  # logs what the inner ones raise, with the id of the request
    "HstsPolicy",  # adds its header even to error responses
)


def wrap_execution_policy(config, policy: type) -> None:
    """Wrap the execution policy, `inner`, in `policy(registry, inner)`, at its place in POLICIES."""
    registry = config.registry
    position = 1 + POLICIES.index(policy.__name__) if policy.__name__ in POLICIES else 0

    def act():
        inner = registry.queryUtility(IExecutionPolicy) or default_execution_policy
        registry.registerUtility(policy(registry, inner), IExecutionPolicy)

    config.action(None, act, order=AFTER_ALL_INCLUDES + position)


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
