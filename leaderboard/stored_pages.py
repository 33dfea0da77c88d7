"""Pages that are equal for all visitors: served as stored bytes before session, language and CSP do their work.

Headers are stored with the page: it leaves with the same policy as on the day it was made. Who is signed in gets the
same pieces, ready rendered and compressed, with the own account's menu between them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_from_request

from leaderboard.page_addresses import parameters_of, readdress, tidy_query
from leaderboard.page_pieces import Piece, join, join_gzip, make_etag, pack, unpack
from leaderboard.page_store import read_shared, share, store

VARIES = ("Accept-Language", "Cookie", "Accept-Encoding")
KEPT_HEADERS_NOT = frozenset({"content-length", "set-cookie", "date", "content-encoding"})
HOLE = f"<!--{secrets.token_hex(16)}-->"  # no text of a page can hold it

Settle = Callable[[], Mapping[str, str | list[str]]]


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


def stored_pages(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware, outermost: answers from the store, and keeps what views made of pieces."""

    def serve(request: HttpRequest) -> HttpResponse:
        parameters = parameters_of(request.path_info) if request.method in ("GET", "HEAD") else None
        if parameters is None:
            return _keep_private(request, get_response(request))
        tidy_query(request, parameters)
        # Read before the data: a page may be newer than its version, never older.
        request.page_version = store.version()  # type: ignore[attr-defined]
        is_own = _is_own(request)
        if not is_own and (page := store.get(_page_key(request))) is not None:
            request.get_host()  # refused here as by the view that is not asked
            return _answer(request, page)
        response = get_response(request)
        pieces = getattr(response, "pieces", None)
        if pieces is None or response.status_code != 200:
            return _keep_private(request, response)
        patch_vary_headers(response, VARIES)
        if is_own or response.cookies:
            return _answer_own(request, response, pieces)
        page = _make_page(response, pieces)
        if request.page_version and response.is_kept:  # type: ignore[attr-defined]
            store.put(_page_key(request), page, page.size)  # under the address that the view settled on
        return _answer(request, page)

    return serve


def _is_own(request: HttpRequest) -> bool:
    """Whether the answer may be for this visitor alone."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES or "messages" in request.COOKIES


def _page_key(request: HttpRequest) -> Hashable:
    return request.page_version, request.get_full_path(), get_language_from_request(request)  # type: ignore[attr-defined]


def _keep_private(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Nothing between us and the visitor may keep what was made for one account."""
    if settings.SESSION_COOKIE_NAME in request.COOKIES and "Cache-Control" not in response:
        response["Cache-Control"] = "private, no-cache"
    return response


def _make_page(response: HttpResponse, pieces: Sequence[Piece]) -> StoredPage:
    response["Cache-Control"] = "no-cache"
    return StoredPage(_kept_headers(response), make_etag(pieces), response.content, join_gzip(pieces))


def _kept_headers(response: HttpResponse) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in response.items() if name.lower() not in KEPT_HEADERS_NOT)


def _answer(request: HttpRequest, page: StoredPage) -> HttpResponse:
    response: HttpResponse
    if _is_known(request, page.etag):
        response = HttpResponseNotModified()
    elif _takes_gzip(request):
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


def _answer_own(request: HttpRequest, response: HttpResponse, pieces: Sequence[Piece]) -> HttpResponse:
    """For one account: never stored, and the browser asks each time whether its copy still holds."""
    response["ETag"] = make_etag(pieces)
    response["Cache-Control"] = "private, no-cache"
    if _is_known(request, response["ETag"]):
        known = HttpResponseNotModified()
        known.cookies = response.cookies
        for name, value in _kept_headers(response):
            known[name] = value
        return known
    if _takes_gzip(request):
        response.content = join_gzip(pieces)
        response["Content-Encoding"] = "gzip"
        response["Content-Length"] = str(len(response.content))
    return response


def _is_known(request: HttpRequest, etag: str) -> bool:
    return etag in request.META.get("HTTP_IF_NONE_MATCH", "")


def _takes_gzip(request: HttpRequest) -> bool:
    return "gzip" in request.META.get("HTTP_ACCEPT_ENCODING", "")


def render_part(
    request: HttpRequest,
    frame: str,
    part: str,
    build: Callable[[], dict[str, Any]],
    *,
    settle: Settle | None = None,
    is_kept: bool = True,
) -> HttpResponse:
    """`frame` around `part`; both rendered once a version, language and address, whoever asks.

    build gives the part's context; nothing in it may depend on the visitor. Its `title` goes to the frame too. settle
    says which parameters the page would follow, at less cost than building it: those of no meaning make no page.
    """

    def make() -> list[bytes]:
        context = build()
        body = SafeString(HOLE + render_to_string(part, context, request))
        visitor = {"user": AnonymousUser(), "messages": (), "account_html": SafeString(HOLE)}
        text = render_to_string(frame, {"title": context.get("title", ""), "body": body, **visitor}, request)
        return [part.encode() for part in text.split(HOLE)]

    before, between, after = _find_pieces(request, part, make, settle, is_kept)
    messages = get_messages(request)
    said = [pack(render_to_string("_messages.html", {"messages": messages}).encode())] if len(messages) else []
    return _respond((before, _account_piece(request), between, *said, after), "text/html; charset=utf-8", is_kept)


def _account_piece(request: HttpRequest) -> Piece:
    """What the header shows of the visitor. Groups and roles make pages old when they change (`receivers`)."""
    user = request.user
    rights = (user.is_staff, user.is_superuser, user.is_active)
    return store.remember(
        ("account", user.pk, user.get_username(), rights, get_language()),
        lambda: pack(render_to_string("_account.html", {"user": user}).encode()),
        lambda piece: piece.size,
    )


def serve_file(
    request: HttpRequest, content_type: str, build: Callable[[], bytes], *, settle: Settle | None = None
) -> HttpResponse:
    """A file that is equal for all visitors, made once a version, language and address."""
    return _respond(_find_pieces(request, content_type, lambda: [build()], settle), content_type)


def _respond(pieces: Sequence[Piece], content_type: str, is_kept: bool = True) -> HttpResponse:
    response = HttpResponse(join(pieces), content_type=content_type)
    response.pieces, response.is_kept = pieces, is_kept  # type: ignore[attr-defined]
    return response


def _find_pieces(
    request: HttpRequest, kind: str, make: Callable[[], list[bytes]], settle: Settle | None, is_kept: bool = True
) -> tuple[Piece, ...]:
    """From this process, from another one, or made now."""
    version = getattr(request, "page_version", "") if is_kept else ""

    def name() -> tuple[str, str, str, str | None]:
        return version, kind, request.get_full_path(), get_language()

    def find_or_make() -> tuple[Piece, ...]:
        if (known := _read_shared(name())) is not None:
            return known
        pieces = tuple(map(pack, make()))
        share(name(), [piece.packed for piece in pieces])
        return pieces

    found: tuple[Piece, ...] | None = store.get(name()) or _read_shared(name()) if version else None
    if found is None and settle is not None:
        readdress(request, settle())
    if not version:
        return tuple(map(pack, make()))
    return store.make_once(name(), (lambda: found) if found else find_or_make, _size_of)


def _read_shared(key: Hashable) -> tuple[Piece, ...] | None:
    known = read_shared(key)
    return None if known is None else tuple(map(unpack, known))


def _size_of(pieces: Sequence[Piece]) -> int:
    return sum(piece.size for piece in pieces)
