"""The limits of the API: how many requests an account or address may make in a minute and in a day."""

import logging

from psycopg.errors import DiskFull, ReadOnlySqlTransaction

from comicsdb.http.client_address import network
from comicsdb.log_lines import OutageLog
from comicsdb.ratelimit import Decision, Limit, Limiter, WindowState
from comicsdb.security import Identity

PREFIX = "comicsdb_api.throttle"
BURST, SUSTAINED = "burst", "sustained"
MINUTE, DAY = 60, 86_400
BASIC = "basic"
BASIC_IS_ENDING = 2  # the phase from which HTTP Basic has limits of its own
UNCOUNTED = OutageLog(logging.getLogger(__name__))


class ApiLimits:
    """The limits of the API, and whether an answer without a body counts for the day."""

    def __init__(self, limiter: Limiter, settings: dict):
        self.on = settings[PREFIX]
        self.free = settings[f"{PREFIX}.free_304_429"]
        self._limiter = limiter
        least = settings[f"{PREFIX}.sustained"]
        burst = Limit(BURST, settings[f"{PREFIX}.burst"], MINUTE)
        by_tier = {None: least} | {
            tier: max(least, most) for tier, most in settings[f"{PREFIX}.tiers"].items()
        }
        self._limits = {tier: (burst, Limit(SUSTAINED, most, DAY)) for tier, most in by_tier.items()}
        self._anonymous = self._limits[None]
        if settings["comicsdb_api.anonymous"]:
            most = settings[f"{PREFIX}.anonymous_burst"], settings[f"{PREFIX}.anonymous_sustained"]
            self._anonymous = tuple(map(_at_most, self._limits[None], most))
        percent = settings[f"{PREFIX}.share"]
        self._by_token = {
            tier: tuple(_share(limit, percent) for limit in limits) for tier, limits in self._limits.items()
        }
        self._by_basic = self._limits
        if settings["comicsdb.basic_phase"] >= BASIC_IS_ENDING:
            most = settings[f"{PREFIX}.basic_burst"], settings[f"{PREFIX}.basic_sustained"]
            self._by_basic = {
                tier: tuple(map(_at_most, limits, most)) for tier, limits in self._limits.items()
            }

    def of(self, identity: Identity | None) -> tuple[Limit, Limit]:
        """The limits of the minute and of the day."""
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
        """Count a request: by the account, whatever it is recognised by, or by nobody's address.

        Where an account has several tokens, each is also counted by itself. What a token is refused is never
        counted for the account, or a runaway program would use up what is left for the others. For the day it
        counts as `cost` requests, all or none of them where an answer 429 is free. `unchanged` says that the
        answer will be a 304. Raises EpochMovedError, and counts nothing, where an epoch is
        given and is over.
        """
        asked = self._asked(identity, address)
        free = (SUSTAINED,) if unchanged and self.free else ()
        together = self.free or _is_shared(identity)
        priced = [each for each in asked for _ in range(cost if each[0].name == SUSTAINED else 1)]
        try:
            taken = self._limiter.take(priced, together=together, free=free, epoch=epoch)
        except (DiskFull, ReadOnlySqlTransaction) as error:
            # A database that cannot be written to can still be read, and gives the state of the limits.
            UNCOUNTED.report(error, "Requests are not counted: %s", error)
            return self._limiter.take(asked, free=(BURST, SUSTAINED), epoch=epoch)
        if cost > 1 and taken.refused and self.free:
            taken = self._after_refusal(asked, taken)
        return taken

    def _after_refusal(self, asked: list[tuple[Limit, str]], taken: Decision) -> Decision:
        """The states without that part of a costly request for which there was room."""
        refusing = {(state.limit, state.who) for state in taken.refused}
        states = self._limiter.take(asked, free=(BURST, SUSTAINED)).states
        return taken._replace(
            states=tuple(each._replace(refused=(each.limit, each.who) in refusing) for each in states)
        )

    def give_back(self, taken: Decision) -> Decision:
        """Undo the count for the day of a request that was answered 304."""
        return self._limiter.give_back(taken, SUSTAINED) if self.free else taken

    def states(self, identity: Identity) -> tuple[WindowState, WindowState]:
        """The state of an account's limits of the minute and of the day; nothing is counted."""
        return self._limiter.take(self._asked(identity, ""), free=(BURST, SUSTAINED)).states

    def _asked(self, identity: Identity | None, address: str) -> list[tuple[Limit, str]]:
        who = f"ip:{network(address)}" if identity is None else str(identity.user_id)
        asked = [(limit, who) for limit in self.of(identity)]
        if _is_shared(identity):
            token = f"{who} token:{identity.token_id}"
            asked += [(limit, token) for limit in self._by_token[identity.tier]]
        return asked


def _is_shared(identity: Identity | None) -> bool:
    """Whether the limits of the account are also those of its other tokens."""
    return identity is not None and identity.token_id is not None and identity.shares_limits


def _share(limit: Limit, percent: int) -> Limit:
    return limit._replace(most=max(1, limit.most * percent // 100))


def _at_most(limit: Limit, most: int) -> Limit:
    return limit._replace(most=min(limit.most, most))


def includeme(config):
    """`request.registry["comicsdb.api_limits"]`."""
    limiter = config.registry["comicsdb.limiter"]
    config.registry["comicsdb.api_limits"] = ApiLimits(limiter, config.get_settings())
