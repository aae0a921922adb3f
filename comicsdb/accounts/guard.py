"""The guard: how many wrong passwords, and how many mails asked for, are too many."""

import time
from ipaddress import IPv6Address, ip_address

from comicsdb.accounts.errors import NewPlaceError, TooManyFailuresError, TooManyMailsError
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.rules import USERNAME_MAX
from comicsdb.ratelimit import Limit, Limiter

REMEMBERED = 10_000  # who may try
MINUTE, HOUR, DAY = 60, 3600, 86_400
# Whoever goes on is kept waiting for longer: a quarter of an hour, an hour, a day.
PER_NAME = (
    Limit("login-name-1", 5, 15 * MINUTE),
    Limit("login-name-2", 10, HOUR),
    Limit("login-name-3", 20, DAY),
)
PER_ADDRESS = (
    Limit("login-address-1", 20, 15 * MINUTE),
    Limit("login-address-2", 60, HOUR),
    Limit("login-address-3", 200, DAY),
)
# Codes of six digits are few: all tries for one account count, right or wrong, wherever they come from.
CODES = (Limit("login-code-1", 10, HOUR), Limit("login-code-2", 40, DAY))
# The same for all networks (/64) that a customer of a provider may have of IPv6 (/48).
PER_SITE = (
    Limit("login-site-1", 60, 15 * MINUTE),
    Limit("login-site-2", 180, HOUR),
    Limit("login-site-3", 600, DAY),
)
# From anywhere: then passwords count only from places where the account was used before.
PER_ACCOUNT = Limit("login-account", 20, HOUR)
# Mails because of that: links to log in with, and word of the guesses.
LINKS = (Limit("login-link-1", 1, HOUR), Limit("login-link-2", 5, DAY))
TOLD = Limit("login-told", 1, DAY)
MAILS_PER_ADDRESS = Limit("mail-address", 20, HOUR)
MAILS_PER_MAILBOX = Limit("mail-mailbox", 5, HOUR)


def network(address: str) -> str:
    """Whom an IP address stands for: one who has an IPv6 address has a whole network of 2^64 of them."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return address


def site(address: str) -> str | None:
    """The network of 2^80 addresses that somebody may have of IPv6; None for other addresses."""
    try:
        found = ip_address(address)
    except ValueError:
        return None
    return f"{IPv6Address(int(found) >> 80 << 80)}/48" if isinstance(found, IPv6Address) else None


class Guard:
    """Counts by name and address.

    Exact, but for attempts that are under way at the same time, and for a second in which other processes
    have counted failures: a program that sends the right password all day is not looked up each time.
    """

    def __init__(self, limiter: Limiter):
        self._limiter = limiter
        self._free: dict[tuple[str, str], float] = {}  # who may try, until when

    def check(self, name: str, address: str) -> None:
        """Raise TooManyFailuresError if no password may be tried, right or wrong: checking costs nothing.

        NewPlaceError says that one may be tried where the account was used before, which is not known here.
        """
        now = time.monotonic()
        if self._free.get((name, address), 0) > now:
            return
        self._refuse(self._asked(name, address))
        if len(self._free) >= REMEMBERED:
            self._free.clear()
        if len(name) <= USERNAME_MAX:  # nobody is called otherwise, and it would take room
            self._free[name, address] = now + 1

    def failed(self, name: str, address: str) -> None:
        """A password was wrong, or the name."""
        self._free.clear()
        self._limiter.take(self._asked(name, address), together=False)

    def code_tried(self, user_id: int) -> None:
        """Somebody tries a code for an account; raises TooManyFailuresError."""
        taken = self._limiter.take([(limit, str(user_id)) for limit in CODES])
        if taken.refused:
            raise TooManyFailuresError(max(1, *(each.wait for each in taken.refused)))

    def may_warn(self, name: str) -> tuple[bool, bool]:
        """Whether the owner of a name is to get a link to log in with now, and word of the guesses."""
        who = digest(name.lower())
        links = self._limiter.take([(limit, who) for limit in LINKS])
        return not links.refused, not self._limiter.take([(TOLD, who)]).refused

    def mail_asked(self, address: str) -> None:
        """Somebody asks for a mail; raises TooManyMailsError."""
        taken = self._limiter.take([(MAILS_PER_ADDRESS, network(address))])
        if taken.refused:
            raise TooManyMailsError(max(1, taken.refused[0].wait))

    def may_reach(self, mailbox: str) -> bool:
        """Whether a mail box, of an account or not, may get one more mail that somebody asked for."""
        return not self._limiter.take([(MAILS_PER_MAILBOX, digest(mailbox.lower()))]).refused

    def _asked(self, name: str, address: str) -> list[tuple[Limit, str]]:
        from_here = network(address)
        tried = digest(f"{name.lower()}\0{from_here}")  # a name may be anything, and long
        asked = [(limit, tried) for limit in PER_NAME] + [(limit, from_here) for limit in PER_ADDRESS]
        whole = site(address)
        if whole is not None:
            asked += [(limit, whole) for limit in PER_SITE]
        return [*asked, (PER_ACCOUNT, digest(name.lower()))]

    def _refuse(self, asked: list[tuple[Limit, str]]) -> None:
        refused = self._limiter.take(asked, free={limit.name for limit, _who in asked}).refused
        waits = [max(1, each.wait) for each in refused if each.limit is not PER_ACCOUNT]
        if waits:
            raise TooManyFailuresError(max(waits))
        if refused:
            raise NewPlaceError(max(1, refused[0].wait))
