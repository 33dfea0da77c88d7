"""The cache in Redis, and in this process while Redis does not answer: no page fails for its sake, and what limits by
it (failed sign-ins) still does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


def _steady(name: str) -> Callable[..., Any]:
    shared, local = getattr(RedisCache, name), getattr(LocMemCache, name)

    def call(self: SteadyCache, *args: Any, **kwargs: Any) -> Any:
        try:
            return shared(self, *args, **kwargs)
        except RedisError as error:
            log.warning("the cache falls back to this process: %s", type(error).__name__)
            return local(self.local, *args, **kwargs)

    return call


class SteadyCache(RedisCache):
    """Every operation of RedisCache; the others of a cache are made of these."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.local = LocMemCache("while-redis-is-down", {})

    add = _steady("add")
    get = _steady("get")
    set = _steady("set")
    touch = _steady("touch")
    delete = _steady("delete")
    get_many = _steady("get_many")
    has_key = _steady("has_key")
    incr = _steady("incr")
    set_many = _steady("set_many")
    delete_many = _steady("delete_many")
    clear = _steady("clear")
