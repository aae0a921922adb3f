"""A cache of responses in an SQLite file, so that the server need not resend unchanged ones."""

import json
import os
import sqlite3
import threading
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SIZE_MAX = 200 * 1024 * 1024
_STORED_HEADERS = ("content-type", "link", "last-modified")  # headers that a cached response needs
_CREATE_TABLE = """
CREATE TABLE IF NOT EXISTS answer (
    key TEXT PRIMARY KEY, etag TEXT NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL,
    size INTEGER NOT NULL, used REAL NOT NULL
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Stored:
    """A stored response."""

    etag: str
    headers: dict[str, str]
    body: bytes


class Cache:
    """Responses by URL, up to `most` bytes; the least recently used are evicted first.

    The cache is optional: if the file cannot be read or written, everything is read from the server.
    """

    def __init__(self, path: str | os.PathLike[str], most: int = SIZE_MAX):
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # responses may be private
        self._most = most
        self._lock = threading.Lock()
        self._file = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        self._size = 0  # of all responses, except those that other processes added since it was measured
        with suppress(sqlite3.Error):
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = OFF")  # lost responses are read again
            self._file.executescript(_CREATE_TABLE)
            self._size = self._measure()

    def get(self, key: str) -> Stored | None:
        """The response that was stored under a key."""
        with self._lock, suppress(sqlite3.Error, ValueError, zlib.error):
            found = self._file.execute(
                "UPDATE answer SET used = ? WHERE key = ? RETURNING etag, headers, body", (time.time(), key)
            ).fetchone()
            if found:
                return Stored(found[0], json.loads(found[1]), zlib.decompress(found[2]))
        return None

    def put(self, key: str, etag: str, headers: dict[str, str], body: bytes) -> None:
        """Store a response."""
        kept = json.dumps({name: headers[name] for name in _STORED_HEADERS if name in headers})
        packed = zlib.compress(body, 1)
        if len(packed) > self._most // 4:
            return
        size = len(packed) + len(kept) + len(key)
        with self._lock, suppress(sqlite3.Error):
            row = (key, etag, kept, packed, size, time.time())
            self._file.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?)", row)
            self._size += size
            if self._size > self._most:
                self._evict()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _evict(self) -> None:
        """Delete the least recently used responses until three quarters of the space are used."""
        too_much = self._measure() - self._most * 3 // 4
        for key, size in self._file.execute("SELECT key, size FROM answer ORDER BY used").fetchall():
            if too_much <= 0:
                break
            self._file.execute("DELETE FROM answer WHERE key = ?", (key,))
            too_much -= size
        self._size = self._measure()

    def _measure(self) -> int:
        size: int = self._file.execute("SELECT coalesce(sum(size), 0) FROM answer").fetchone()[0]
        return size
