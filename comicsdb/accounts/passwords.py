"""Password hashing (argon2id), with a short-lived cache of verified passwords."""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Mapping

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from comicsdb.accounts.demo_accounts import PUBLIC_SECRETS
from comicsdb.config.declarations import DEVELOPMENT_SECRET
from comicsdb.readcache.memory import Lru

# The default follows the OWASP recommendation: 19 MiB, 2 passes, 1 lane. "fast" is for tests.
COSTS = {
    "default": {"time_cost": 2, "memory_cost": 19 * 1024, "parallelism": 1},
    "fast": {"time_cost": 1, "memory_cost": 8, "parallelism": 1},
}
CACHE_SECONDS = 60
CACHE_PAIRS_MAX = 2048
CONCURRENT_HASHES = 4  # each takes 19 MiB and a core
UNUSABLE = "!"


class Passwords:
    """Hashes and verifies passwords (argon2id); thread-safe.

    A verified pair of stored hash and password is cached for a minute under a keyed digest whose key never
    leaves the process, so that HTTP Basic need not compute the slow hash for each request. The stored hash is
    part of the digest, so a changed password is a different pair.

    The `refused` passwords and tokens are public and never accepted.
    """

    def __init__(self, cost: str = "default", refused: frozenset[str] = frozenset()):
        if cost not in COSTS:
            raise ValueError(f"The setting comicsdb.password_cost takes one of: {', '.join(COSTS)}.")
        self._hasher = PasswordHasher(**COSTS[cost])
        self.refused = refused
        self._nobody = self._hasher.hash(secrets.token_hex(16))
        self._key = secrets.token_bytes(32)
        self._verified = Lru(CACHE_PAIRS_MAX)  # the size of each pair is 1
        self._slots = threading.BoundedSemaphore(CONCURRENT_HASHES)

    def hash(self, password: str) -> str:
        """The text to store for a password."""
        with self._slots:
            return self._hasher.hash(password)

    def verify(self, stored: str | None, password: str) -> bool:
        """Whether `password` matches the stored hash; takes the same time if there is none."""
        stored = None if password in self.refused else stored
        pair = self._pair(stored or "", password)
        if stored and self._verified.get(pair):
            return True
        with self._slots:
            try:
                self._hasher.verify(stored if stored and stored != UNUSABLE else self._nobody, password)
            except (Argon2Error, InvalidHashError):
                return False
        if not stored or stored == UNUSABLE:
            return False
        self._verified.set(pair, True, 1, time.time() + CACHE_SECONDS)
        return True

    def is_cached(self, stored: str, password: str) -> bool:
        """Whether this pair was verified within the last minute."""
        return self._verified.get(self._pair(stored, password)) is not None

    def needs_rehash(self, stored: str) -> bool:
        """Whether a stored hash was made with weaker parameters than the current ones."""
        return self._hasher.check_needs_rehash(stored)

    def _pair(self, stored: str, password: str) -> bytes:
        digest = hashlib.blake2b(key=self._key, digest_size=32)
        digest.update(len(stored).to_bytes(4, "big") + stored.encode() + password.encode())
        return digest.digest()


def from_settings(settings: Mapping) -> Passwords:
    """Create a `Passwords` from settings; demo passwords are accepted only with the development secret."""
    is_development = settings["comicsdb.secret"] == DEVELOPMENT_SECRET
    refused = frozenset() if is_development else PUBLIC_SECRETS
    return Passwords(settings["comicsdb.password_cost"], refused)


def digest(secret: str) -> str:
    """The SHA-256 digest (64 hex digits) under which a random secret is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()


def secrets_equal(one: str, other: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())
