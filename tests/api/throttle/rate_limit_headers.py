"""The names of the rate limit headers, and the remaining requests that they state."""

CLOCK_START = 1_800_000_000  # the time at which the clock of these tests starts
BURST, SUSTAINED = "X-RateLimit-Burst-", "X-RateLimit-Sustained-"
X_HEADERS = [start + end for start in (BURST, SUSTAINED) for end in ("Limit", "Remaining", "Reset")]
STANDARD_HEADERS = ["RateLimit", "RateLimit-Policy"]
LOGGER = "comicsdb_api.throttle"  # also the prefix of its settings


def remaining_requests(answer) -> tuple[int, int]:
    """How many requests are left in the minute and in the day."""
    return int(answer.headers[f"{BURST}Remaining"]), int(answer.headers[f"{SUSTAINED}Remaining"])
