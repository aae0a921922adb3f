"""Rate limits in Redis: one script handles an event with all its limits, so that counts are exact."""

from collections.abc import Collection

import redis

from comicsdb.db.redis_access import open_pool
from comicsdb.ratelimit.types import SECOND, ClientLimits, Limit, WindowState, arguments, states

# There is a key for each limit and client: the list of its times, oldest first. The time is that of Redis,
# the only clock that all processes share; if it is set back, it stands still until it has caught up, but if
# by more than the period, the events before no longer count. ARGV: see `arguments`. The result is passed to
# `states`.
TAKE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local latest = now
for i, key in ipairs(KEYS) do
  local last = tonumber(redis.call('LINDEX', key, -1) or 0)
  if last > now + tonumber(ARGV[3 * i]) then
    redis.call('DEL', key)
  else
    latest = math.max(latest, last)
  end
end
now = latest

local count, refused, any = {}, {}, false
local asked = {}  -- how often a limit has been asked for the event
for i, key in ipairs(KEYS) do
  local most, period = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  while tonumber(redis.call('LINDEX', key, 0) or now) <= now - period do
    redis.call('LPOP', key)
  end
  count[i] = redis.call('LLEN', key)
  asked[key] = (asked[key] or 0) + 1
  refused[i] = count[i] + asked[key] > most
  any = any or refused[i]
end

local none = any and ARGV[1] == '1'
local answer = {}
for i, key in ipairs(KEYS) do
  local most, period = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local placed = ARGV[3 * i + 1] == '1' and not refused[i] and not none
  if placed then
    count[i] = redis.call('RPUSH', key, string.format('%.0f', now))
    redis.call('EXPIRE', key, period / 1000000 + 1)
  end
  local first = tonumber(redis.call('LINDEX', key, math.max(0, count[i] - most)) or now)
  for _, value in ipairs({now, refused[i] and 1 or 0, placed and 1 or 0, count[i], first + period}) do
    table.insert(answer, value)
  end
end
return answer
"""
# ARGV: the time of the event, and the size and period of the limit.
GIVE_BACK = """
redis.call('LREM', KEYS[1], -1, ARGV[1])
local count = redis.call('LLEN', KEYS[1])
local first = redis.call('LINDEX', KEYS[1], math.max(0, count - ARGV[2])) or ARGV[1]
return {count, first + ARGV[3]}
"""


class RedisStore:
    """Counts in Redis; an event is checked against several limits in one round trip.

    Raises ValueError for an invalid URL, and RedisError if Redis fails.
    """

    def __init__(self, url: str, prefix: str):
        client = redis.Redis(connection_pool=open_pool(url))
        self._prefix = prefix
        self._take = client.register_script(TAKE)
        self._give_back = client.register_script(GIVE_BACK)

    def take(
        self, client_limits: ClientLimits, all_or_none: bool, uncounted: Collection[str]
    ) -> tuple[WindowState, ...]:
        """See `PostgresStore`."""
        keys = [self._key(limit, client) for limit, client in client_limits]
        return states(client_limits, self._take(keys, arguments(client_limits, all_or_none, uncounted)))

    def refund(self, state: WindowState) -> WindowState:
        """See `PostgresStore`."""
        limit = state.limit
        values = (state.now, limit.max_events, limit.seconds * SECOND)
        count, free_at = self._give_back([self._key(limit, state.client)], values)
        return state._replace(is_counted=False, count=count, free_at=free_at)

    def _key(self, limit: Limit, client: str) -> str:
        return f"{self._prefix}:{limit.name}:{client}"
