"""What the headers of limits are called, and how one stands by them."""

START = 1_800_000_000  # where the clock of these tests stands
BURST, SUSTAINED = "X-RateLimit-Burst-", "X-RateLimit-Sustained-"
SIX = [start + end for start in (BURST, SUSTAINED) for end in ("Limit", "Remaining", "Reset")]
TWO = ["RateLimit", "RateLimit-Policy"]
LOGGER = "comicsdb_api.throttle"  # and what its settings begin with


def left(answer) -> tuple[int, int]:
    """How many requests are left in the minute and in the day."""
    return int(answer.headers[f"{BURST}Remaining"]), int(answer.headers[f"{SUSTAINED}Remaining"])
