"""The API's limits: how many requests in a minute and in a day who may make (api.md 6.1, 6.3)."""

from comicsdb.limits import Limit, Limiter, Taken
from comicsdb.limits_memory import Standing
from comicsdb.security import Identity

PREFIX = "comicsdb_api.throttle"
BURST, SUSTAINED = "burst", "sustained"
MINUTE, DAY = 60, 86_400
BASIC = "basic"
BASIC_IS_ENDING = 2  # the phase from which HTTP Basic has limits of its own


class ApiLimits:
    """The API's limits, and whether an answer without a body costs anything of the day."""

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
        self._by_basic = self._limits
        if settings["comicsdb.basic_phase"] >= BASIC_IS_ENDING:
            most = settings[f"{PREFIX}.basic_burst"], settings[f"{PREFIX}.basic_sustained"]
            self._by_basic = {
                tier: tuple(map(_at_most, limits, most)) for tier, limits in self._limits.items()
            }

    def of(self, identity: Identity | None) -> tuple[Limit, Limit]:
        """Of the minute and of the day; nobody has those of an account without a tier."""
        if identity is None:
            return self._limits[None]
        return (self._by_basic if identity.method == BASIC else self._limits)[identity.tier]

    def take(self, identity: Identity | None, address: str, *, unchanged: bool = False) -> Taken:
        """Count a request: by the account, whatever it is recognised by, or by nobody's address.

        `unchanged` says that the answer will be a 304.
        """
        free = (SUSTAINED,) if unchanged and self.free else ()
        return self._limiter.take(self._asked(identity, address), together=self.free, free=free)

    def give_back(self, taken: Taken) -> Taken:
        """Let a request that was answered 304 cost nothing of the day."""
        return self._limiter.give_back(taken, SUSTAINED) if self.free else taken

    def standings(self, identity: Identity) -> tuple[Standing, Standing]:
        """How an account stands with its limits of the minute and of the day; nothing is counted."""
        return self._limiter.take(self._asked(identity, ""), free=(BURST, SUSTAINED)).standings

    def _asked(self, identity: Identity | None, address: str) -> list[tuple[Limit, str]]:
        who = f"ip:{address}" if identity is None else str(identity.user_id)
        return [(limit, who) for limit in self.of(identity)]


def _at_most(limit: Limit, most: int) -> Limit:
    return limit._replace(most=min(limit.most, most))


def includeme(config):
    """`request.registry["comicsdb.api_limits"]`."""
    limiter = config.registry["comicsdb.limiter"]
    config.registry["comicsdb.api_limits"] = ApiLimits(limiter, config.get_settings())
