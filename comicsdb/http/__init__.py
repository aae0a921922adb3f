"""HTTP, independent of API and site: client addresses, request checks, bodies, idempotency."""
