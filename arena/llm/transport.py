"""The one way out: an HTTP client that asks the address rule at connect time, follows nothing, reads no more than told.

No redirects, no proxies from the environment, no cookies, no DNS cache, bounded bodies (also after decompression), and
only the headers listed here: the openai package adds organisation, project and custom headers from the environment,
which are none of a stranger's endpoint's business.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import httpx2
from openai import AsyncOpenAI, DefaultAioHttpClient
from openai._vendor.httpx_aiohttp import AiohttpTransport

from arena.llm.call import Target
from arena.security.url_guard import Allowlist, UrlRefused, check_url, guarded_socket_factory

MAX_BODY_BYTES = 16 * 2**20
CONNECT_TIMEOUT_S = 10.0
USER_AGENT = "Proctor"

_SENT_HEADERS = frozenset({"host", "accept", "content-type", "content-length", "authorization"})
_ENCODINGS = frozenset({"gzip", "x-gzip", "deflate"})


class ResponseTooLarge(Exception):
    """The endpoint sent more than the bound; nothing of it is kept."""


class UnknownEncoding(Exception):
    """The body is compressed in a way that was not asked for and cannot be bounded."""


def open_openai(
    target: Target,
    allowlist: Allowlist,
    *,
    connections: int,
    timeout_s: float,
    max_body_bytes: int = MAX_BODY_BYTES,
) -> AsyncOpenAI:
    """An openai client over the guarded transport, without retries of its own. Raises UrlRefused.

    timeout_s bounds the silence between two packets; the caller bounds the whole.
    """
    check_url(target.base_url, allowlist)
    try:
        host = httpx2.URL(target.base_url).host
    except httpx2.InvalidURL:
        raise UrlRefused("This is not a valid URL") from None
    transport = GuardedTransport(
        host=host,
        allowlist=allowlist,
        connections=connections,
        has_key=bool(target.api_key),
        max_body_bytes=max_body_bytes,
    )
    return AsyncOpenAI(
        base_url=target.base_url,
        api_key=target.api_key or "none",
        timeout=httpx2.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s), pool=None),
        max_retries=0,
        http_client=DefaultAioHttpClient(transport=transport, follow_redirects=False, trust_env=False),
    )


class GuardedTransport(AiohttpTransport):
    """aiohttp under httpx2 with a checked socket, a bounded body and a fixed set of request headers."""

    def __init__(
        self, *, host: str, allowlist: Allowlist, connections: int, has_key: bool, max_body_bytes: int
    ) -> None:
        super().__init__(trust_env=False, client=self._open_session)
        self._socket_factory = guarded_socket_factory(allowlist, host=host)
        self._connections = connections
        self._sent_headers = _SENT_HEADERS if has_key else _SENT_HEADERS - {"authorization"}
        self._max_body_bytes = max_body_bytes

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        kept = [(name, value) for name, value in request.headers.multi_items() if name.lower() in self._sent_headers]
        request.headers = httpx2.Headers([*kept, ("user-agent", USER_AGENT), ("accept-encoding", "identity")])
        response = await super().handle_async_request(request)
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding != "identity":
            del response.headers["content-encoding"]  # undone in the stream below
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedStream(response.stream, encoding, self._max_body_bytes)
        return response

    def _open_session(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            limit=self._connections,
            use_dns_cache=False,
            socket_factory=self._socket_factory,
            ssl=self.ssl_context,
        )
        return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False)


class _BoundedStream(httpx2.AsyncByteStream):
    """A response body that ends with ResponseTooLarge past its bound, in bytes after decompression."""

    def __init__(self, inner: httpx2.AsyncByteStream, encoding: str, max_bytes: int) -> None:
        self._inner = inner
        self._encoding = encoding
        self._max_bytes = max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        inflate = self._decompressor()
        left = self._max_bytes
        async for chunk in self._inner:
            data = chunk if inflate is None else inflate.decompress(chunk, left + 1)
            left -= len(data)
            if left < 0:
                raise ResponseTooLarge(f"the answer is larger than {self._max_bytes // 2**20} MiB")
            yield data

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _decompressor(self) -> Any:
        if self._encoding == "identity":
            return None
        if self._encoding not in _ENCODINGS:
            raise UnknownEncoding(f"the answer is compressed with {self._encoding[:40]!r}, which was not asked for")
        return zlib.decompressobj(wbits=47)  # zlib or gzip, by its own header
