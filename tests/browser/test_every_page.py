"""Every page of the site in a real chromium: axe (WCAG 2.2 AA) finds nothing, none scrolls sideways, the CSP is kept.

The pages come from the patterns of addresses themselves, so that a new one cannot be forgotten. Each is loaded once;
the telephone and the dark are set on the loaded page. What shows no kind of element that no page before it has shown
is looked at in the light alone, and further states of such a page not at all.
"""

from __future__ import annotations

import os
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from arena.models import User
from tests.browser.pages import DESK, Seen, administration, client_of, every_address, open_as, pages_for
from tests.site.addresses import list_states
from tests.site.scene import Scene, build_scene

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("DATABASE_URL" in os.environ, reason="the pages are the same on every database"),
    pytest.mark.urls("tests.browser.look_urls"),
    pytest.mark.timeout(600),
]

AXE = Axe().axe_script
WIDTHS = (768, 390)
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
OF_LOOKS = {
    "type": "rule",
    "values": ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"],
}
FAULTS = """async (only) => {
  const options = { runOnly: only, resultTypes: ["violations"], preload: false };
  const found = (await axe.run(document, options)).violations;
  return found.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target} ${node.failureSummary}`));
}"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Two frames later the page has seen which of the opened boxes scroll.
OPEN_FOLDS = """async () => {
  for (const fold of document.querySelectorAll("details:not(.menu)")) fold.open = true;
  await new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)));
}"""
# Forms that are sent as they are, or with a reply to try: what they answer is looked at too.
FORM = re.compile(r"/try/$|/report/$|^/submit/$|^/accounts/(login|delete)/$")
POSTED = "main form[method=post]"
SEND = """() => {
  for (const field of document.querySelectorAll("main textarea[name=reply]")) field.value = "So 42.";
  const form = document.querySelector("main form[method=post]");
  form.noValidate = true;
  form.requestSubmit();
}"""


def faults_of(page: Page, is_new: bool) -> list[str]:
    """What is wrong with the loaded page: light on a desk, and if it is new, dark on a telephone."""
    page.emulate_media(color_scheme="light")
    page.evaluate(OPEN_FOLDS)
    page.evaluate(AXE)
    faults = list(page.evaluate(FAULTS, RULES))
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if wide := page.evaluate(SIDEWAYS):
            faults.append(f"{wide} px too wide at {width}")
    if is_new:
        page.emulate_media(color_scheme="dark")
        faults += page.evaluate(FAULTS, OF_LOOKS)
    page.set_viewport_size({"width": DESK, "height": 900})
    return faults


@pytest.fixture
def scene(live_server: object) -> Scene:
    scene = build_scene()
    User.objects.create_superuser("root", "root@example.org", "root-secret")
    return scene


def test_axe_finds_nothing_on_any_page(live_server: object, browser: Browser, scene: Scene) -> None:
    told: dict[tuple[str, str], list[str]] = {}
    console: list[str] = []
    seen = Seen()
    for who, places, least in (("maintainer", every_address, 60), ("", every_address, 2), ("root", administration, 6)):
        client = client_of(who)
        pages = [*pages_for(client, places(scene), seen)]
        pages += [(place, is_new) for place, is_new in pages_for(client, list_states(scene), seen) if is_new]
        assert len(pages) >= least, (who, pages)
        page = open_as(browser, live_server, client)
        page.on("console", lambda message: console.append(message.text))
        for place, is_new in pages:
            page.goto(f"{live_server}{place}")
            faults = faults_of(page, is_new)
            if FORM.search(place) and page.locator(POSTED).count():
                with page.expect_navigation():
                    page.evaluate(SEND)
                faults += faults_of(page, is_new=False)
            if faults:
                told[(who, place)] = faults
        page.close()
    assert told == {}
    assert [words for words in console if "Content Security" in words] == []
