"""How often something may happen: a token bucket in Redis, shared by all processes, or in this process alone.

Kept as a "theoretical arrival time" (GCRA): one number a key, no clean-up. Where Redis does not answer, the
in-process bucket takes over: a limiter that is down must neither let everything through nor stop the site.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from redis import Redis
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

_MOST_KEYS = 10_000  # from here on keys whose bucket is full again are dropped

# KEYS[1]; ARGV: seconds a token, burst tokens. Returns {allowed, wait in microseconds}. Uses the server's clock.
_SCRIPT = """
local now = redis.call('TIME')
now = now[1] * 1000000 + now[2]
local gap = tonumber(ARGV[1]) * 1000000
local due = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local wait = due + gap - now - gap * tonumber(ARGV[2])
if wait > 0.5 then return {0, math.ceil(wait)} end
redis.call('SET', KEYS[1], string.format('%.0f', due + gap), 'PX', math.ceil((due + gap - now) / 1000) + 1000)
return {1, 0}
"""


class Allowance(NamedTuple):
    """Whether it may happen now, else after how many seconds to ask again. Its truth is `is_allowed`."""

    is_allowed: bool
    retry_after_s: float

    def __bool__(self) -> bool:
        return self.is_allowed


class Throttle:
    """Limits by key. Without a Redis URL all limits hold in this process only."""

    def __init__(self, redis_url: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        self._redis: Any = Redis.from_url(redis_url, socket_timeout=1, socket_connect_timeout=1) if redis_url else None
        self._local = _LocalBuckets(clock)

    def allow(self, key: str, limit: int, per_s: float) -> Allowance:
        """Take one token of `key`: at most `limit` at once, refilled evenly over `per_s` seconds.

        A refused call takes nothing. A limit of 0 refuses always. Raises ValueError for a negative limit or period.
        """
        if limit < 0 or per_s <= 0:
            raise ValueError(f"limit {limit!r} per {per_s!r} s is no rate")
        if limit == 0:
            return Allowance(False, per_s)
        if self._redis is not None:
            try:
                allowed, wait_us = self._redis.eval(_SCRIPT, 1, f"throttle:{key}", per_s / limit, limit)
                return Allowance(bool(allowed), wait_us / 1e6)
            except RedisError as error:
                logger.warning("throttle falls back to this process: %s", type(error).__name__)
        return self._local.allow(key, limit, per_s)


class _LocalBuckets:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._due: dict[str, float] = {}
        self._lock = threading.Lock()

    def allow(self, key: str, limit: int, per_s: float) -> Allowance:
        gap = per_s / limit
        with self._lock:
            now = self._clock()
            due = max(self._due.get(key, 0.0), now)
            wait = due + gap - now - per_s
            if wait > 1e-9:
                return Allowance(False, wait)
            if len(self._due) >= _MOST_KEYS:
                self._due = {name: when for name, when in self._due.items() if when > now}
            self._due[key] = due + gap
            return Allowance(True, 0.0)
