"""Rate limits of the API: counting, headers, the response 429, and usage counters."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from comicsdb.accounts.letters import TOKENS
from comicsdb.db.epoch import check_epoch
from comicsdb.http.client_address import client_ip, network
from comicsdb.log_lines import printable
from comicsdb.ratelimit import Decision, Limit, WindowState
from comicsdb.ratelimit.api import SUSTAINED, ApiLimits
from comicsdb.security import BASIC, Identity
from comicsdb_api.resource.derived_reads import apply_options
from comicsdb_api.resource.listing import Listing
from comicsdb_api.responses import too_many_requests

logger = logging.getLogger(__name__)


class ThrottledError(Exception):
    """Too many requests; the verdict has the limits."""

    def __init__(self, verdict: "Verdict"):
        super().__init__()
        self.verdict = verdict


@dataclass(frozen=True)
class Verdict:
    """The states of the limits for a request; `decision` is None without limits."""

    KEY = "comicsdb_api.verdict"

    identity: Identity | None
    decision: Decision | None
    cost: int = 1  # of the day's requests

    @property
    def charged(self) -> int:
        """How many of the day's requests were charged."""
        counted = any(state.is_counted and state.limit.name == SUSTAINED for state in self.decision.states)
        return self.cost if counted else 0

    @property
    def refused(self) -> bool:
        """Whether a limit is exceeded."""
        return self.decision is not None and bool(self.decision.refused)

    @property
    def wait(self) -> int:
        """Seconds until all limits accept a request again."""
        return self.decision.wait

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Six headers of the Metron API, two of the IETF draft 11, and the cost of the response.

        If both the token and the account have a limit, the headers describe the tighter one.
        """
        if self.decision is None:
            return []
        own, policies, left = [], [], []
        refused = self.refused
        for state in _tightest_limits(self.decision.states):
            limit, remaining = state.limit, state.remaining
            most, name_of_remaining, name_of_reset, policy = _header_parts(limit)
            own += most, (name_of_remaining, str(remaining)), (name_of_reset, str(state.reset))
            policies.append(policy)
            # Reset times must not be later than Retry-After.
            if state.refused or not refused:
                left.append(f'"{limit.name}";r={remaining};t={state.retry_after}')
        own.append(("X-RateLimit-Cost", str(self.charged)))
        return [*own, ("RateLimit-Policy", ", ".join(policies)), ("RateLimit", ", ".join(left))]


def _tightest_limits(states: Iterable[WindowState]) -> Iterable[WindowState]:
    """The limit with the fewest requests left, for each name of a limit."""
    found: dict[str, WindowState] = {}
    for each in states:
        other = found.get(each.limit.name)
        if other is None or (each.remaining, -each.retry_after) < (other.remaining, -other.retry_after):
            found[each.limit.name] = each
    return found.values()


@lru_cache
def _header_parts(limit: Limit) -> tuple[tuple[str, str], str, str, str]:
    """The constant parts of a limit's headers: its size, two header names, and its policy."""
    start = f"X-RateLimit-{limit.name.capitalize()}"
    policy = f'"{limit.name}";q={limit.max_events};w={limit.seconds}'
    return (f"{start}-Limit", str(limit.max_events)), f"{start}-Remaining", f"{start}-Reset", policy


def check_limits(
    request,
    identity: Identity | None,
    *,
    cost: int | None = None,
    unchanged: bool = False,
    epoch: int | None = None,
) -> Verdict:
    """Count a request and check its limits, only once if it is retried; rejections are counted and logged.

    `cost` is how many of the day's requests the response counts as, if already known. `unchanged` means that
    it will be a 304, which does not count for the day. Raises EpochMovedError, without counting, if an epoch
    is given and not the current one.
    """
    verdict = request.environ.get(Verdict.KEY)
    if verdict is not None:
        return verdict
    limits: ApiLimits = request.registry["comicsdb.api_limits"]
    if cost is None:
        cost = request_cost(request)
    if limits.enabled:
        decision = limits.take(identity, client_ip(request), cost=cost, unchanged=unchanged, epoch=epoch)
    else:
        check_epoch(request.registry["comicsdb.read_pool"], epoch)
        decision = None
    verdict = request.environ[Verdict.KEY] = Verdict(identity, decision, cost)
    if verdict.refused:
        _log_refusal(request, verdict)
    return verdict


def request_cost(request) -> int:
    """How many of the day's requests a response counts as: by the size of a list, or as declared."""
    registry, route = request.registry, request.matched_route.name
    method = "GET" if request.method == "HEAD" else request.method
    served = registry["comicsdb_api.reads"].get(route)
    if method == "GET" and isinstance(served, Listing):
        return apply_options(served, request).cost(request)
    return registry["comicsdb_api.costs"].get((route, method), 1)


def _log_refusal(request, verdict: Verdict) -> None:
    if verdict.identity is None:
        name = f"ip:{network(client_ip(request))}"
    else:
        name = f"user:{printable(verdict.identity.username)}"
    for scope in dict.fromkeys(state.limit.name for state in verdict.decision.refused):
        count = request.registry["comicsdb.counters"].count_refused(scope, name)
        logger.warning(
            "API request refused by the %s limit (%s, %d today)",
            scope,
            name,
            count,
            extra={"identity": name, "scope": scope, "count": count},
        )


def throttle(request, identity: Identity | None) -> None:
    """Count a request, or raise ThrottledError; `finish_response` is called for every response."""
    verdict = check_limits(request, identity)
    request.add_response_callback(finish_response)
    if verdict.refused:
        raise ThrottledError(verdict)


def finish_response(request, response) -> None:
    """Add the headers to a response, undo the count of a 304, and update the usage counters."""
    verdict: Verdict = request.environ[Verdict.KEY]
    status = response.status_int
    if status == 304 and verdict.decision is not None:
        decision = request.registry["comicsdb.api_limits"].refund(verdict.decision)
        verdict = replace(verdict, decision=decision)
    response.headerlist.extend(verdict.headers)
    identity = verdict.identity
    if identity is not None and status < 400:
        counters = request.registry["comicsdb.counters"]
        counters.count_served(identity.shown_method)
        if identity.method == BASIC:
            counters.note_basic_use(identity.user_id, client_ip(request))
        elif identity.token_id is not None:
            counters.note_token_use(identity.token_id, client_ip(request))


def admit_cached(request, identity: Identity | None, response, *, route: str, cost: int, epoch: int | None):
    """Count a request whose response is known; returns that response or, if a limit is exceeded, 429.

    Raises EpochMovedError as `check_limits` does.
    """
    unchanged = response.status_int == 304
    verdict = check_limits(request, identity, cost=cost, unchanged=unchanged, epoch=epoch)
    if verdict.refused:
        response = refusal(request, verdict, route)
    finish_response(request, response)
    return response


def refusal(request, verdict: Verdict, route: str | None = None):
    """The response 429."""
    sentence, decision = "Request was throttled.", verdict.decision
    left = [state.remaining for state in decision.refused if state.limit.name == SUSTAINED]
    if left and verdict.cost > 1:
        sentence += f" It costs {verdict.cost} of the day's requests, of which {min(left)} are left."
    if verdict.identity is None and request.registry.settings["comicsdb_api.anonymous"]:
        sentence += f" Accounts have higher limits; create a token at {request.application_url}{TOKENS} ."
    return too_many_requests(request, sentence, verdict.wait, route)


def throttled_response(error: ThrottledError, request):
    """The exception view for ThrottledError."""
    return refusal(request, error.verdict)


def throttled_view(view):
    """Decorator for a public view outside /api/ whose requests count as well (`/docs/`)."""

    def counted(request):
        try:
            throttle(request, request.identity)
        except ThrottledError as error:
            return throttled_response(error, request)
        return view(request)

    return counted


def includeme(config):
    """Add the exception view, and the registry of costs by route and method."""
    config.registry["comicsdb_api.costs"] = {}
    config.add_exception_view(throttled_response, ThrottledError, api_path=True)
