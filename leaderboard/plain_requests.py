"""Middleware: requests without NUL and of bounded size. No text in PostgreSQL holds a NUL; HTML reads it as U+FFFD, and
so does this site. Files are spooled to the disk before any view can ask who sends them: their size is looked at first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, QueryDict

NUL, INSTEAD = "\0", "\ufffd"
LARGEST_BODY = 128 * 2**20  # bytes; twice what the form for files takes, so that its own words are heard first


class PlainRequests:
    """Path, query, cookies and posted fields; a JSON body is checked by the one view that reads it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST_BODY:
            raise RequestDataTooBig(f"a body of more than {LARGEST_BODY} bytes")
        request.path, request.path_info = (_plain(path) for path in (request.path, request.path_info))
        if query := request.META.get("QUERY_STRING"):
            request.META["QUERY_STRING"] = _plain(query.replace("%00", "%EF%BF%BD"))
        if any(NUL in value for value in request.COOKIES.values()):  # written as an octal escape
            request.COOKIES = {name: value for name, value in request.COOKIES.items() if NUL not in value}
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> None:
        """What is posted, read only where there is a view for it: a form too large or broken is a 400 from here."""
        posted = request.POST
        if any(NUL in value for _name, values in posted.lists() for value in (_name, *values)):
            plain = QueryDict(mutable=True, encoding=posted.encoding)
            for name, values in posted.lists():
                plain.setlist(_plain(name), [_plain(value) for value in values])
            request.POST = plain  # type: ignore[assignment]


def _plain(text: str) -> str:
    return text.replace(NUL, INSTEAD)
