"""HTTP, independent of API and site: client addresses, request checks, bodies, idempotency."""

READ_METHODS = ("GET", "HEAD")
SAFE_METHODS = (*READ_METHODS, "OPTIONS")
