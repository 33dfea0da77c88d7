"""Walks the site as a reader does, link by link, one address of each kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from urllib.parse import parse_qs, urlsplit

from django.test import Client
from django.urls import Resolver404, resolve

LINK = re.compile(r'(?:href|hx-get|src)="(/[^"#]*)')
PER_KIND = 3  # addresses of one kind: a page of another board may hold other words
SKIPPED = ("/static/", "/media/", "/admin/", "/accounts/logout/")


def walk(client: Client, seeds: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(address, text) of every page that can be reached and is text."""
    waiting, seen = list(seeds), dict[str, int]()
    known = set(waiting)
    while waiting:
        address = waiting.pop(0)
        answer = client.get(address, follow=False)
        if answer.status_code in (301, 302):
            found = [answer.headers["Location"]]
        elif answer.streaming or not answer.headers.get("Content-Type", "").startswith(("text/html", "image/svg")):
            continue
        else:
            page = answer.content.decode()
            yield address, page
            found = [unescape(link) for link in LINK.findall(page)]
        for link in found:
            if link in known or link.startswith(SKIPPED) or not link.startswith("/"):
                continue
            known.add(link)
            if (kind := kind_of(link)) and seen.setdefault(kind, 0) < PER_KIND:
                seen[kind] += 1
                waiting.append(link)


def kind_of(address: str) -> str:
    """What makes a page unlike others: its view, its board, and which choices its address names."""
    parts = urlsplit(address)
    try:
        match = resolve(parts.path)
    except Resolver404:
        return ""
    choices = sorted(
        f"{name}={values[0]}" if name in ("view", "basis", "by", "part") else name
        for name, values in parse_qs(parts.query).items()
    )
    return f"{match.view_name} {match.kwargs.get('name', '')} {' '.join(choices)}"
