"""The names of the rate limit headers, and the remaining requests that they state."""

CLOCK_START = 1_800_000_000  # where the clock of these tests stands
BURST, SUSTAINED = "X-RateLimit-Burst-", "X-RateLimit-Sustained-"
X_HEADERS = [start + end for start in (BURST, SUSTAINED) for end in ("Limit", "Remaining", "Reset")]
STANDARD_HEADERS = ["RateLimit", "RateLimit-Policy"]
LOGGER = "comicsdb_api.throttle"  # and what its settings begin with


def remaining_requests(answer) -> tuple[int, int]:
    """How many requests are left in the minute and in the day."""
    return int(answer.headers[f"{BURST}Remaining"]), int(answer.headers[f"{SUSTAINED}Remaining"])
