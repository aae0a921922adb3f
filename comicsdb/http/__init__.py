"""HTTP, independent of API and site: client addresses, request checks, bodies, idempotency."""

READ_METHODS = ("GET", "HEAD")
SAFE_METHODS = (*READ_METHODS, "OPTIONS")
OUTAGE_RETRY_SECONDS = 5  # how long clients are asked to wait while the database is unavailable
