"""Limits on wrong passwords, codes and requested mails."""

import time
from ipaddress import IPv6Address, ip_address

from comicsdb.accounts.errors import NewNetworkError, TooManyFailuresError, TooManyMailsError
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.rules import USERNAME_MAX, normal_email
from comicsdb.http.client_address import network
from comicsdb.ratelimit import Limit, Limiter

ALLOWED_CACHE_SIZE = 10_000  # entries of the cache of allowed attempts
MINUTE, HOUR, DAY = 60, 3600, 86_400
# Repeated failures block for longer: a quarter of an hour, an hour, a day.
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
# Six digits can be guessed, so all attempts for one account count, right or wrong, from any address.
CODES = (Limit("login-code-1", 10, HOUR), Limit("login-code-2", 40, DAY))
# The limits for all IPv6 networks (/64) of one customer of a provider (/48) together.
PER_SITE = (
    Limit("login-site-1", 60, 15 * MINUTE),
    Limit("login-site-2", 180, HOUR),
    Limit("login-site-3", 600, DAY),
)
# From all addresses together; beyond it, passwords are accepted only from networks used by the account
# before.
PER_ACCOUNT = Limit("login-account", 20, HOUR)
# Mails about attacks: log-in links and warnings.
LOG_IN_LINKS = (Limit("login-link-1", 1, HOUR), Limit("login-link-2", 5, DAY))
WARNINGS = Limit("login-told", 1, DAY)
MAILS_PER_ADDRESS = Limit("mail-address", 20, HOUR)
MAILS_PER_MAILBOX = Limit("mail-mailbox", 5, HOUR)


def ipv6_site(address: str) -> str | None:
    """The /48 network of an IPv6 address; None for other addresses."""
    try:
        found = ip_address(address)
    except ValueError:
        return None
    return f"{IPv6Address(int(found) >> 80 << 80)}/48" if isinstance(found, IPv6Address) else None


def _counted_name(name: str) -> str:
    """What all ways to write a name or mail address that find the same account have in common."""
    # Coarser than PostgreSQL's `lower`, which makes İ an i (two characters in Python), and every Σ a σ.
    return normal_email(name).replace("İ", "i").casefold()


class Guard:
    """Counts failed attempts by name and address.

    The limits are exact except for concurrent attempts, and for one second after failures counted by other
    processes: the permission of a name and address is cached for a second, for clients that send the right
    password all day.
    """

    def __init__(self, limiter: Limiter):
        self._limiter = limiter
        # Monotonic time until which a name and address may try.
        self._allowed_until: dict[tuple[str, str], float] = {}

    def check(self, name: str, address: str) -> None:
        """Raise TooManyFailuresError if no password may be tried; the check itself is not counted.

        For NewNetworkError, callers decide: attempts from networks that the account used before are allowed.
        """
        now = time.monotonic()
        if self._allowed_until.get((name, address), 0) > now:
            return
        self._check_limits(self._client_limits(name, address))
        if len(self._allowed_until) >= ALLOWED_CACHE_SIZE:
            self._allowed_until.clear()
        if len(name) <= USERNAME_MAX:  # no account has a longer name
            self._allowed_until[name, address] = now + 1

    def record_failure(self, name: str, address: str) -> None:
        """Count a wrong name or password."""
        self._allowed_until.clear()
        self._limiter.take(self._client_limits(name, address), all_or_none=False)

    def count_code_attempt(self, user_id: int) -> None:
        """Count an attempt with a code; raises TooManyFailuresError above the limits."""
        decision = self._limiter.take([(limit, str(user_id)) for limit in CODES])
        if decision.refused:
            raise TooManyFailuresError(decision.wait)

    def count_warning_mails(self, name: str) -> tuple[bool, bool]:
        """Count a log-in link and a warning to the owner of a name; returns which of them may be mailed."""
        client = digest(_counted_name(name))
        links = self._limiter.take([(limit, client) for limit in LOG_IN_LINKS])
        return not links.refused, not self._limiter.take([(WARNINGS, client)]).refused

    def count_mail_request(self, address: str) -> None:
        """Count a request for a mail; raises TooManyMailsError above the limit."""
        decision = self._limiter.take([(MAILS_PER_ADDRESS, network(address))])
        if decision.refused:
            raise TooManyMailsError(decision.wait)

    def count_mail(self, mailbox: str) -> bool:
        """Count a mail to a mailbox, whether or not an account has it; returns whether it may be sent."""
        return not self._limiter.take([(MAILS_PER_MAILBOX, digest(mailbox.lower()))]).refused

    def _client_limits(self, name: str, address: str) -> list[tuple[Limit, str]]:
        from_here, counted = network(address), _counted_name(name)
        tried = digest(f"{counted}\0{from_here}")  # the name may be any text of any length
        client_limits = [(limit, tried) for limit in PER_NAME] + [(limit, from_here) for limit in PER_ADDRESS]
        whole = ipv6_site(address)
        if whole is not None:
            client_limits += [(limit, whole) for limit in PER_SITE]
        return [*client_limits, (PER_ACCOUNT, digest(counted))]

    def _check_limits(self, client_limits: list[tuple[Limit, str]]) -> None:
        refused = self._limiter.take(
            client_limits, uncounted={limit.name for limit, _client in client_limits}
        ).refused
        waits = [max(1, each.retry_after) for each in refused if each.limit is not PER_ACCOUNT]
        if waits:
            raise TooManyFailuresError(max(waits))
        if refused:
            raise NewNetworkError(max(1, refused[0].retry_after))
