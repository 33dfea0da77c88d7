"""Which pages of the site a reader sees: what the walks in chromium, axe's and the hostile one, go through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.http import HttpResponse
from django.test import Client
from playwright.sync_api import Browser, Page

from arena.models import User
from tests.site.addresses import address_of, list_patterns
from tests.site.scene import Scene

DESK = 1280
# The administration has the same kinds of pages for every table: one table stands for all.
OTHER_TABLES = re.compile(r"^/admin/(?!arena/run/)[a-z]+/[a-z]+/")
ELEMENT = re.compile(r'<(\w+)(?:[^>]*? (class|lang)="([^"]*)")?')

Kinds = frozenset[tuple[str, str, str]]


@dataclass(slots=True)
class Seen:
    """Kinds of elements that were looked at: on each address, and on any page at all."""

    at: dict[str, Kinds] = field(default_factory=dict)
    anywhere: Kinds = frozenset()


def every_address(scene: Scene) -> list[str]:
    places = [address_of(route, name, scene) for route, name in list_patterns()]
    return [place for place in places if not place.startswith(("/admin/", "/look/"))]


def administration(scene: Scene) -> list[str]:
    places = (address_of(route, name, scene) for route, name in list_patterns() if route.startswith("admin/"))
    return [place for place in places if not OTHER_TABLES.match(place)]


def pages_for(client: Client, places: list[str], seen: Seen) -> Iterator[tuple[str, bool]]:
    """(address, whether it shows a new kind of element) of every page that this reader does not share with another.

    Left out are files, redirects, refusals that read like another one, and pages that show less than others saw there.
    """
    for place in places:
        response = client.get(place, headers={"accept": "text/html"})
        kinds = frozenset(ELEMENT.findall(response.content.decode())) if _is_page(response) else frozenset()
        key = place if response.status_code == 200 else f"refused with {response.status_code}"
        if not kinds <= seen.at.get(key, frozenset()):
            yield place, not kinds <= seen.anywhere
            seen.at[key] = seen.at.get(key, frozenset()) | kinds
            seen.anywhere |= kinds


def _is_page(response: HttpResponse) -> bool:
    is_html = response.headers.get("Content-Type", "").startswith("text/html")
    return is_html and not response.streaming and response.status_code not in (301, 302)


def open_as(browser: Browser, live_server: object, client: Client) -> Page:
    page = browser.new_page(viewport={"width": DESK, "height": 900}, reduced_motion="reduce")
    sign_in(page, live_server, client)
    return page


def sign_in(page: Page, live_server: object, client: Client) -> None:
    """The browser goes on as whoever the client is."""
    for name, morsel in client.cookies.items():
        page.context.add_cookies([{"name": name, "value": morsel.value, "url": str(live_server)}])


def client_of(who: str) -> Client:
    client = Client(raise_request_exception=False)
    if who:
        client.force_login(User.objects.get(username=who))
    return client
