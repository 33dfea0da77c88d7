"""The throttle of this process, which all processes share through Redis."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from arena.security.throttle import Throttle


@cache
def site_throttle() -> Throttle:
    return Throttle(settings.REDIS_URL)
