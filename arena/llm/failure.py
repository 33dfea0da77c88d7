"""What went wrong with one try, in one word and in plain words.

The openai package calls a refused address, a closed port, a reset and a real timeout all "Request timed out"; the
truth stands further down the chain of causes, and is read from there.

Kinds. Final at once: address_refused, invalid_url, invalid_prompt, certificate, redirect, response_too_large,
bad_request (400), unauthorized (401), forbidden (403), not_found (404), too_large (413), unprocessable (422),
client_error (other 4xx).
Tried again: rate_limited (429), server_error (5xx, 408, 409, 425), dns, tls, connection_refused, unreachable, reset,
connect_timeout, timeout, broken_body, html, empty, connection (anything else on the wire).
"""

from __future__ import annotations

import asyncio
import errno
import html
import re
import socket
import ssl
import time
import zlib
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime

import aiohttp
import httpx2
import openai

from arena.llm.call import CallFailure
from arena.llm.reply import BrokenBody, error_text, read_json
from arena.llm.transport import ResponseTooLarge, UnknownEncoding
from arena.security.redact import redact
from arena.security.url_guard import REFUSAL_MARK, AddressRefused, UrlRefused

LONGEST_MESSAGE = 500
MOST_READ = 20_000  # characters of an error text that are looked at; it may be megabytes
MOST_RETRY_AFTER_S = 60.0

_STATUS_KINDS = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    413: "too_large",
    422: "unprocessable",
    429: "rate_limited",
}
_PASSING_4XX = frozenset({408, 409, 425})
_FINAL_KINDS = frozenset(
    {"address_refused", "invalid_url", "invalid_prompt", "certificate", "redirect", "response_too_large"}
    | {"bad_request", "unauthorized", "forbidden", "not_found", "too_large", "unprocessable", "client_error"}
)
_STATUS_WORDS = {
    "unauthorized": "The key was refused",
    "forbidden": "The key may not do this",
    "not_found": "It knows no such path or model",
    "too_large": "The request is too large for it",
    "rate_limited": "It asks for fewer calls",
    "server_error": "It failed",
}
_UNREACHABLE = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL})


def describe_failure(error: BaseException, secret: str = "", *, where: str = "", timeout_s: float = 0.0) -> CallFailure:
    """The failure of one try; `attempt` and the last try's `is_final` are the caller's to set.

    where: host and port for the words. timeout_s: the bound that a timeout passed. The secret is redacted.
    """
    if isinstance(error, openai.APIStatusError):
        kind, message = _describe_status(error.response)
        retry_after_s = read_retry_after(error.response.headers)
    else:
        kind, message = _describe_chain(error, where, timeout_s)
        retry_after_s = None
    return CallFailure(kind, clean_message(message, secret), kind in _FINAL_KINDS, retry_after_s=retry_after_s)


def clean_message(message: str, secret: str = "") -> str:
    """One line without secrets, cut to LONGEST_MESSAGE. Redacted before it is cut: half a key is a secret too."""
    line = " ".join(redact(message[:MOST_READ].replace("\0", " "), [secret]).split())
    line = line.encode("utf-8", "replace").decode("utf-8")
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def read_retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds to wait as the endpoint asks (`retry-after-ms`, seconds or a date), within 0..MOST_RETRY_AFTER_S."""
    try:
        wait = float(headers["retry-after-ms"]) / 1000
    except (KeyError, ValueError):
        text = headers.get("retry-after", "").strip()
        if not text:
            return None
        try:
            wait = float(text)
        except ValueError:
            try:
                wait = parsedate_to_datetime(text).timestamp() - (time.time() if now is None else now)
            except (ValueError, TypeError, OverflowError):
                return None
    return min(max(wait, 0.0), MOST_RETRY_AFTER_S) if wait == wait else None


def _describe_status(response: httpx2.Response) -> tuple[str, str]:
    status = response.status_code
    if 300 <= status < 400:
        host = _host_of(response.headers.get("location", ""))
        return "redirect", f"It redirects ({status}){f' to {host}' if host else ''}, which is not followed"
    kind = _STATUS_KINDS.get(status)
    if kind is None:
        kind = "client_error" if 400 <= status < 500 and status not in _PASSING_4XX else "server_error"
    said = _said(response)
    return kind, f"{_STATUS_WORDS.get(kind, 'It answered')} ({status}){f': {said}' if said else ''}"


def _said(response: httpx2.Response) -> str:
    """What the error body says: its message, an HTML page's title, or the beginning of any other text."""
    try:
        data = read_json(response.content)
    except BrokenBody as error:
        text = response.content[: 4 * MOST_READ].decode("utf-8", "replace")
        if error.kind == "html":
            title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
            return f"an HTML page, {html.unescape(title[1]).strip()!r}" if title else "an HTML page"
        return text
    return error_text(data)


def _describe_chain(error: BaseException, where: str, timeout_s: float) -> tuple[str, str]:
    place = where or "the endpoint"
    chain = list(_walk(error))
    for cause in chain:
        if found := _describe_cause(cause, place):
            return found
    if any(isinstance(cause, aiohttp.ConnectionTimeoutError) for cause in chain):
        return "connect_timeout", f"No connection to {place} came about in time"
    if any(isinstance(cause, TimeoutError | asyncio.TimeoutError) for cause in chain):
        return "timeout", f"No answer from {place} within {timeout_s:g} s"
    last = chain[-1]
    return "connection", f"The connection to {place} failed: {type(last).__name__}: {last}"


def _describe_cause(cause: BaseException, place: str) -> tuple[str, str] | None:
    """Kind and words of one exception in the chain; None where it tells nothing certain by itself."""
    match cause:
        case BrokenBody():
            return cause.kind, str(cause)
        case ResponseTooLarge():
            return "response_too_large", f"Stopped reading: {cause}"
        case UnicodeEncodeError():
            return "invalid_prompt", "The prompt holds characters that are no valid Unicode (a lone surrogate)"
        case UnknownEncoding():
            return "broken_body", str(cause)
        case zlib.error():
            return "broken_body", "The compressed answer cannot be unpacked"
        case AddressRefused():
            return "address_refused", str(cause)
        case UrlRefused() | httpx2.InvalidURL() | aiohttp.InvalidURL() | httpx2.UnsupportedProtocol():
            return "invalid_url", str(cause)
        case OSError() if REFUSAL_MARK in str(cause):  # several addresses failed: the connector joins their words
            return "address_refused", str(cause)
        case aiohttp.ClientConnectorDNSError() | socket.gaierror():
            return "dns", f"The host name of {place} could not be found"
        case aiohttp.ClientSSLError():
            return None  # has the reason only in its cause
        case ssl.SSLCertVerificationError():
            return "certificate", f"The certificate of {place} was not accepted: {cause.verify_message}"
        case ssl.SSLError():
            return "tls", f"No secure connection to {place}: {(cause.reason or str(cause)).replace('_', ' ').lower()}"
        case ConnectionRefusedError():
            return "connection_refused", f"Nothing listens on {place} (connection refused)"
        case aiohttp.ClientPayloadError() | asyncio.IncompleteReadError():
            return "broken_body", "The answer broke off before its end"
        case ConnectionResetError() | BrokenPipeError() | aiohttp.ServerDisconnectedError():
            return "reset", f"{place} closed the connection without an answer"
        case aiohttp.ClientResponseError():
            return "broken_body", f"What {place} sent is no HTTP answer"
        case OSError() if cause.errno == errno.ETIMEDOUT:
            return "connect_timeout", f"No connection to {place} came about in time"
        case OSError() if cause.errno in _UNREACHABLE:
            return "unreachable", f"There is no route to {place}"
    return None


def _walk(error: BaseException) -> Iterator[BaseException]:
    """The exception and what caused it, deepest last, each once; with the OSError inside aiohttp's own."""
    seen: set[int] = set()
    queue: list[BaseException | None] = [error]
    while queue:
        current = queue.pop(0)
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        queue += [getattr(current, "os_error", None), current.__cause__, current.__context__]


def _host_of(location: str) -> str:
    try:
        return httpx2.URL(location).host[:100]
    except (httpx2.InvalidURL, ValueError):
        return ""
