"""Pages that are equal for all visitors, kept as bytes: served before session, language and CSP do their work.

A stored page belongs to one version token (`PageVersion`), which every change of a board replaces, so nothing is
ever cleared one by one. Headers are stored with the page: it leaves with the same policy as on the day it was made.
Signed-in visitors get the same body (`render_part`) inside a frame of their own.
"""

from __future__ import annotations

import gzip
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_from_request

from leaderboard.models import PageVersion

MAX_BYTES = 48 * 1024 * 1024
KEPT_HEADERS_NOT = frozenset({"content-length", "set-cookie", "date", "content-encoding"})


@dataclass(frozen=True, slots=True)
class StoredPage:
    """One page in one language. headers: all that the other middleware set."""

    headers: tuple[tuple[str, str], ...]
    etag: str
    body: bytes
    compressed: bytes

    @property
    def size(self) -> int:
        return len(self.body) + len(self.compressed)


class Store:
    """The newest pages of one process, by version and key, within MAX_BYTES."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._version = ""
        self._read_at = -1e9

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

    def version(self) -> str:
        """The token of now, at most STORED_PAGES_S old; empty where pages must not be stored."""
        max_age_s = settings.STORED_PAGES_S
        if max_age_s is None:
            return ""
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


def stored_pages(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware, outermost: answers from the store, or keeps what a view marked with `keep_page`."""

    def serve(request: HttpRequest) -> HttpResponse:
        key = _page_key(request)
        if key is not None and (page := store.get(key)) is not None:
            return _answer(request, page)
        response = get_response(request)
        if key is not None and getattr(response, "may_be_stored", False) and _is_plain(response):
            page = _keep(response)
            store.put(key, page, page.size)
            return _answer(request, page)
        return response

    return serve


def _page_key(request: HttpRequest) -> Hashable | None:
    """None where the answer may differ between visitors."""
    if request.method != "GET" or "HTTP_HX_REQUEST" in request.META:
        return None
    cookies = request.COOKIES
    if settings.SESSION_COOKIE_NAME in cookies or "messages" in cookies:
        return None
    version = store.version()
    return (version, request.get_full_path(), get_language_from_request(request)) if version else None


def _is_plain(response: HttpResponse) -> bool:
    return response.status_code == 200 and not response.streaming and not response.cookies


def _keep(response: HttpResponse) -> StoredPage:
    patch_vary_headers(response, ("Accept-Language", "Cookie", "Accept-Encoding"))
    response["Cache-Control"] = "no-cache"
    headers = tuple((name, value) for name, value in response.items() if name.lower() not in KEPT_HEADERS_NOT)
    etag = f'W/"{hashlib.sha256(response.content).hexdigest()[:24]}"'
    return StoredPage(headers, etag, response.content, gzip.compress(response.content, 6, mtime=0))


def _answer(request: HttpRequest, page: StoredPage) -> HttpResponse:
    if page.etag in request.META.get("HTTP_IF_NONE_MATCH", ""):
        response: HttpResponse = HttpResponseNotModified()
    elif "gzip" in request.META.get("HTTP_ACCEPT_ENCODING", ""):
        response = HttpResponse(page.compressed)
        response["Content-Encoding"] = "gzip"
        response["Content-Length"] = str(len(page.compressed))
    else:
        response = HttpResponse(page.body)
        response["Content-Length"] = str(len(page.body))
    for name, value in page.headers:
        response[name] = value
    response["ETag"] = page.etag
    return response


def keep_page(response: HttpResponse) -> HttpResponse:
    """Mark a response as equal for all anonymous visitors."""
    response.may_be_stored = True  # type: ignore[attr-defined]
    return response


def render_part(
    request: HttpRequest, frame: str, part: str, build: Callable[[], dict[str, Any]], *, title: str = ""
) -> HttpResponse:
    """`frame` around `part`; the part is rendered once a version, language and address, whoever asks.

    build gives the part's context; nothing in it may depend on the visitor. Its `title` goes to the frame too.
    """
    version = store.version()
    key = ("part", version, request.get_full_path(), get_language())
    kept: tuple[str, str] | None = store.get(key) if version else None
    if kept is None:
        context = build()
        body = render_to_string(part, context, request)
        kept = (str(context.get("title", title)), body)
        if version:
            store.put(key, kept, len(body))
    response = render(request, frame, {"title": kept[0], "body": SafeString(kept[1])})
    return keep_page(response)
