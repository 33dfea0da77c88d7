"""What was made once and is shown again, under the version of the data it was made from.

One token (`PageVersion`) names that version, and every change of a board replaces it, so nothing is ever cleared one by
one. Each process keeps what it used last within MAX_BYTES; pages are shared between processes of one release through
the cache.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.cache import cache
from django.db import DatabaseError

from leaderboard.models import PageVersion

log = logging.getLogger(__name__)

MAX_BYTES = 48 * 1024 * 1024
SHARED_S = 600  # the broker's memory is not ours to fill: what nobody asks for is gone soon
RELEASED_IN = ("arena", "leaderboard", "scoring", "templates", "locale")
RELEASED = frozenset({".py", ".html", ".txt", ".csv", ".mo"})
Made = TypeVar("Made")


class Store:
    """The newest values of one process, by version and key, within MAX_BYTES."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._making: dict[Hashable, Lock] = {}
        self._reading = Lock()
        self._version = ""
        self._read_at = -1e9

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable) -> Any:
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: Any, size: int) -> None:
        with self._lock:
            self._bytes += size - self._kept.pop(key, (None, 0))[1]
            self._kept[key] = value, size
            while self._bytes > MAX_BYTES and len(self._kept) > 1:
                self._bytes -= self._kept.popitem(last=False)[1][1]

    def remember(self, key: tuple[Hashable, ...], make: Callable[[], Made], size_of: Callable[[Made], int]) -> Made:
        """The value under this key and the version of now."""
        version = self.version()
        return self.make_once((version, *key), make, size_of) if version else make()

    def make_once(self, key: Hashable, make: Callable[[], Made], size_of: Callable[[Made], int]) -> Made:
        """The value under this key, made at most once at a time: whoever comes meanwhile waits for it.

        A value may be made of others, never in a ring. The key names a version read before `make` reads any data.
        """
        if (found := self.get(key)) is not None:
            return found  # type: ignore[no-any-return]
        with self._lock:
            making = self._making.setdefault(key, Lock())
        try:
            with making:
                if (found := self.get(key)) is not None:
                    return found  # type: ignore[no-any-return]
                made = make()
                self.put(key, made, size_of(made))
                return made
        finally:
            with self._lock:
                self._making.pop(key, None)

    def version(self) -> str:
        """The token of now, at most STORED_PAGES_S old; empty where nothing may be kept."""
        max_age_s = settings.STORED_PAGES_S
        if max_age_s is None:
            return ""
        with self._reading:  # one at a time: a slow reader must not bring an older version back
            now = time.monotonic()
            if now - self._read_at >= max_age_s:
                try:
                    self._version = PageVersion.objects.values_list("token", flat=True).first() or ""
                except DatabaseError:
                    return ""
                self._read_at = now
            return self._version

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._bytes, self._read_at = 0, -1e9


store = Store()


@functools.cache
def name_release(root: Path) -> str:
    """Names the code, templates and catalogues under `root` that make pages, and the static files these name.

    Once a process: a deploy is a restart, and processes of one release on several machines share their pages.
    """
    digest = hashlib.sha256(str(getattr(staticfiles_storage, "manifest_hash", "")).encode())
    for folder in RELEASED_IN:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in RELEASED:
                digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def read_shared(key: Hashable) -> Any:
    """What another process made under this key; None without a shared cache."""
    if not settings.REDIS_URL:
        return None
    try:
        return cache.get(_shared_name(key))
    except Exception:  # a broker that is down makes pages slower and breaks none
        log.warning("the shared pages cannot be read", exc_info=True)
        return None


def share(key: Hashable, value: Any) -> None:
    if not settings.REDIS_URL:
        return
    try:
        cache.set(_shared_name(key), value, SHARED_S)
    except Exception:
        log.warning("a page cannot be shared", exc_info=True)


def _shared_name(key: Hashable) -> str:
    return "page:" + hashlib.sha256(repr((name_release(settings.BASE_DIR), key)).encode()).hexdigest()
