"""The limits of the API: how many requests an account or address may make per minute and per day."""

import logging

from psycopg.errors import DiskFull, ReadOnlySqlTransaction

from comicsdb.http.client_address import network
from comicsdb.log_lines import OutageLog
from comicsdb.ratelimit import Decision, Limit, Limiter, WindowState
from comicsdb.security import BASIC, Identity

PREFIX = "comicsdb_api.throttle"
BURST, SUSTAINED = "burst", "sustained"
MINUTE, DAY = 60, 86_400
BASIC_IS_ENDING = 2  # the phase from which HTTP Basic has its own limits
BASIC_MAX = (10, 1000)  # requests per minute and per day
UNCOUNTED = OutageLog(logging.getLogger(__name__))


class ApiLimits:
    """The limits of the API, and whether a response without a body counts for the day."""

    def __init__(self, limiter: Limiter, settings: dict):
        self.enabled = settings[PREFIX]
        self.free_304_429 = settings[f"{PREFIX}.free_304_429"]
        self._limiter = limiter
        least = settings[f"{PREFIX}.sustained"]
        burst = Limit(BURST, settings[f"{PREFIX}.burst"], MINUTE)
        by_tier = {None: least} | {
            tier: max(least, max_events) for tier, max_events in settings[f"{PREFIX}.tiers"].items()
        }
        self._limits = {
            tier: (burst, Limit(SUSTAINED, max_events, DAY)) for tier, max_events in by_tier.items()
        }
        self._anonymous = self._limits[None]
        if settings["comicsdb_api.anonymous"]:
            max_events = settings[f"{PREFIX}.anonymous_burst"], settings[f"{PREFIX}.anonymous_sustained"]
            self._anonymous = tuple(map(_capped, self._limits[None], max_events))
        percent = settings[f"{PREFIX}.share"]
        self._by_token = {
            tier: tuple(_scaled(limit, percent) for limit in limits) for tier, limits in self._limits.items()
        }
        self._by_basic = self._limits
        if settings["comicsdb.basic_phase"] >= BASIC_IS_ENDING:
            self._by_basic = {
                tier: tuple(map(_capped, limits, BASIC_MAX)) for tier, limits in self._limits.items()
            }

    def limits_of(self, identity: Identity | None) -> tuple[Limit, Limit]:
        """The limits per minute and per day."""
        if identity is None:
            return self._anonymous
        return (self._by_basic if identity.method == BASIC else self._limits)[identity.tier]

    def take(
        self,
        identity: Identity | None,
        address: str,
        *,
        cost: int = 1,
        unchanged: bool = False,
        epoch: int | None = None,
    ) -> Decision:
        """Count a request, for its account (regardless of the authentication method) or else its address.

        If an account has several tokens, each is also counted separately. Requests that a token's own limit
        rejects are never counted for the account, or a runaway program would use up what is left for the
        others. For the day the request counts as `cost` requests; all or none of them if 429 responses are
        free. If it costs none, the limits per day only report their states, and never reject it. `unchanged`
        says that the response will be a 304. Raises EpochMovedError, and counts nothing, if an epoch is given
        that is no longer current.
        """
        client_limits = self._client_limits(identity, address)
        uncounted = (SUSTAINED,) if unchanged and self.free_304_429 else ()
        all_or_none = self.free_304_429 or _is_shared(identity)
        priced = [each for each in client_limits for _ in range(cost if each[0].name == SUSTAINED else 1)]
        try:
            decision = self._limiter.take(priced, all_or_none=all_or_none, uncounted=uncounted, epoch=epoch)
        except (DiskFull, ReadOnlySqlTransaction) as error:
            # A database that cannot be written to can still be read, and shows the state of the limits.
            UNCOUNTED.report(error, "Requests are not counted: %s", error)
            checked = list(dict.fromkeys(priced))
            decision = self._limiter.take(checked, uncounted=(BURST, SUSTAINED), epoch=epoch)
        if cost > 1 and decision.refused and self.free_304_429:
            decision = self._after_refusal(client_limits, decision)
        return decision if cost else self._with_day(client_limits, decision)

    def _with_day(self, client_limits: list[tuple[Limit, str]], decision: Decision) -> Decision:
        """The decision on a free request, with the states of the limits per day."""
        per_day = [each for each in client_limits if each[0].name == SUSTAINED]
        states = self._limiter.take(per_day, uncounted=(SUSTAINED,)).states
        return decision._replace(
            states=(*decision.states, *(each._replace(refused=False) for each in states))
        )

    def _after_refusal(self, client_limits: list[tuple[Limit, str]], decision: Decision) -> Decision:
        """The states without the part of a costly request for which there was room."""
        refusing = {(state.limit, state.client) for state in decision.refused}
        states = self._limiter.take(client_limits, uncounted=(BURST, SUSTAINED)).states
        return decision._replace(
            states=tuple(each._replace(refused=(each.limit, each.client) in refusing) for each in states)
        )

    def refund(self, decision: Decision) -> Decision:
        """Undo counting a request for the day, as the response was a 304."""
        return self._limiter.refund(decision, SUSTAINED) if self.free_304_429 else decision

    def states(self, identity: Identity) -> tuple[WindowState, WindowState]:
        """The states of an account's limits per minute and per day; nothing is counted."""
        return self._limiter.take(self._client_limits(identity, ""), uncounted=(BURST, SUSTAINED)).states

    def _client_limits(self, identity: Identity | None, address: str) -> list[tuple[Limit, str]]:
        client = f"ip:{network(address)}" if identity is None else str(identity.user_id)
        client_limits = [(limit, client) for limit in self.limits_of(identity)]
        if _is_shared(identity):
            token = f"{client} token:{identity.token_id}"
            client_limits += [(limit, token) for limit in self._by_token[identity.tier]]
        return client_limits


def _is_shared(identity: Identity | None) -> bool:
    """Whether the account has other tokens that share its limits."""
    return identity is not None and identity.token_id is not None and identity.shares_limits


def _scaled(limit: Limit, percent: int) -> Limit:
    return limit._replace(max_events=max(1, limit.max_events * percent // 100))


def _capped(limit: Limit, max_events: int) -> Limit:
    return limit._replace(max_events=min(limit.max_events, max_events))


def includeme(config):
    """Create `request.registry["comicsdb.api_limits"]`."""
    limiter = config.registry["comicsdb.limiter"]
    config.registry["comicsdb.api_limits"] = ApiLimits(limiter, config.get_settings())
