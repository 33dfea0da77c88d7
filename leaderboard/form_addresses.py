"""Middleware: an address that only forms are sent to, opened by itself, shows where its page is and no bare error."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve


def form_addresses(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Gives a bodyless 405 a page; scripts, which accept no HTML, get it as it is."""

    def serve(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != 405 or response.content or not request.accepts("text/html"):
            return response
        page = render(request, "405.html", {"page_above": find_page_above(request.path_info)}, status=405)
        page["Allow"] = response["Allow"]
        return page

    return serve


def find_page_above(path: str) -> str:
    """The nearest address above this one that is there: /runs/<uuid>/act/ belongs to /runs/<uuid>/."""
    while path not in ("", "/"):
        path = path.rstrip("/").rpartition("/")[0] + "/"
        try:
            resolve(path)
        except Resolver404:
            continue
        return path
    return "/"
