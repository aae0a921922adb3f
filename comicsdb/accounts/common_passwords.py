"""The 190,000 most common passwords, in a local file of less than a megabyte.

The file holds the first five bytes of the SHA-256 digest of each password, sorted. The probability that any
other password is a false positive is one in five million (190,000 / 2^40). `make passwords` writes the file
from lists ordered by frequency of use: the first 190,000 passwords that are long enough, in lower case.
"""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

from comicsdb.accounts.demo_accounts import PUBLIC_SECRETS

FILE = Path(__file__).parent / "data" / "common_passwords.bin"
WIDTH = 5  # bytes of a digest
COUNT_MAX = 190_000
LENGTH_MIN = 8  # characters; the rules refuse shorter ones anyway
OUR_PASSWORDS = ("comicsdb", "comicsdb1", "comicsdb123", "comics123", "superman123", "batman123")


class CommonPasswords:
    """A case-insensitive set of passwords in the format of `pack`, searched by bisection."""

    def __init__(self, packed: bytes):
        self._packed = packed

    def __len__(self) -> int:
        """The number of passwords."""
        return len(self._packed) // WIDTH

    def __getitem__(self, index: int) -> bytes:
        """The digest at an index."""
        return self._packed[index * WIDTH : (index + 1) * WIDTH]

    def __contains__(self, password: str) -> bool:
        """Whether a password is in the set."""
        digest = _digest(password)
        index = bisect_left(self, digest)
        return index < len(self) and self[index] == digest


def pack(passwords: Iterable[str]) -> bytes:
    """The bytes that CommonPasswords reads."""
    return b"".join(sorted({_digest(password) for password in passwords}))


@lru_cache
def common_passwords() -> CommonPasswords:
    """The passwords of the file, which is read on first use."""
    return CommonPasswords(FILE.read_bytes())


def _digest(password: str) -> bytes:
    return hashlib.sha256(password.lower().encode(errors="surrogatepass")).digest()[:WIDTH]


def _read(path: Path) -> Iterator[str]:
    """The passwords of a JSON array or a text file, in order."""
    text = path.read_text("utf-8")
    return iter(json.loads(text) if path.suffix == ".json" else text.splitlines())


def _usable(passwords: Iterable[str]) -> Iterator[str]:
    """The distinct passwords in lower case that are long enough."""
    return iter(dict.fromkeys(each.lower() for each in passwords if len(each) >= LENGTH_MIN))


def main(*lists: str) -> None:
    """Write the file: our own passwords, then those of the lists, up to the limit."""
    given = chain(OUR_PASSWORDS, PUBLIC_SECRETS, *(_read(Path(each)) for each in lists))
    FILE.write_bytes(pack(islice(_usable(given), COUNT_MAX)))
