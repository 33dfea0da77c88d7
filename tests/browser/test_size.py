"""Huge replies: every page of bounded size, the rest on demand. Times are printed (`-s`), not asserted."""

from __future__ import annotations

import time

import pytest
from django.test import Client
from playwright.sync_api import Browser

from arena.models import Reply
from tests.leaderboard.replies.scenes import add_reply, find_problem, make_board, make_run, mark_answers, mark_steps

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST_NODES = 60_000
MOST_BYTES = 3_000_000


def two_megabytes() -> str:
    """2,000 formulas, half of them broken, a line of 1 MB, 50,000 nested brackets."""
    good = "We obtain $\\frac{{x_{{{n}}}^2}}{{\\sqrt{{1 - v^2/c^2}}}} = \\int_0^{{{n}}} e^{{-t}}\\,dt$ in step {n}.\n\n"
    bad = "Broken: $\\frac{{x_{{{n}}}^2}}{{\\sqrt{{1 - v^2 = \\left( \\badmacro{{{n}}}$ in step {n}.\n\n"
    formulas = "".join((good if n % 2 else bad).format(n=n) for n in range(2000))
    brackets = "[" * 50_000 + "]" * 50_000
    line = "one long line without an end " * 36_000
    filler = "And so the argument goes on, with words that fill the page. " * 10_000
    return f"{formulas}\n\n{line}\n\n{brackets}\n\n{filler}\n\nSo $\\boxed{{42}}$."


TEXTS = {
    "two megabytes": two_megabytes(),
    "one line": "x " * 500_000,
    "brackets": "[" * 50_000,
    "braces": "$" + "{" * 50_000 + "}" * 50_000 + "$",
    "dollars": "$" * 200_000,
    "formulas": "$x$ " * 20_000,
    "emphasis": "*a_ " * 50_000,
    "quotes": ">" * 50_000 + " deep",
    "rows": "| a " * 2000 + "|\n" + "|---" * 2000 + "|\n" + ("| b " * 2000 + "|\n") * 20,
}


def make_reply(text: str, name: str = "Alpha") -> Reply:
    make_board()
    reply = add_reply(make_run(name), find_problem("Sample_2026_en_1_A"), text)
    mark_steps(reply, {"s0c0": "the argument goes on, with words", "s0c1": "in step 7"})
    mark_answers(reply, "42")
    return reply


@pytest.mark.parametrize("name", TEXTS)
def test_first_page_is_bounded_and_leads_to_the_rest(name: str) -> None:
    reply = make_reply(TEXTS[name])
    client = Client()
    client.get("/b/hipho/")  # what is loaded once a process
    times = []
    for _ in range(2):
        start = time.perf_counter()
        page = client.get(f"/replies/{reply.uuid}/").content
        times.append(time.perf_counter() - start)
    seconds = f"first {times[0]:.2f} s, again {times[1]:.2f} s"
    print(f"\n{name}: {len(TEXTS[name]):,} characters, {seconds}, {len(page):,} bytes")
    assert len(page) < MOST_BYTES and page.count(b"<") < MOST_NODES
    assert len(TEXTS[name]) < 250_000 or b"next part" in page
    raw = client.get(f"/replies/{reply.uuid}/?view=raw").content
    assert len(raw) < MOST_BYTES


def test_every_part_of_two_megabytes_opens() -> None:
    reply = make_reply(TEXTS["two megabytes"])
    client = Client()
    page, number, slowest = client.get(f"/replies/{reply.uuid}/").content.decode(), 1, 0.0
    while f"?part={number + 1}#" in page:
        number += 1
        start = time.perf_counter()
        page = client.get(f"/replies/{reply.uuid}/?part={number}").content.decode()
        slowest = max(slowest, time.perf_counter() - start)
        assert len(page) < MOST_BYTES
    print(f"\n{number} parts, the slowest in {slowest:.2f} s")
    assert number > 10 and 'id="q-a0"' in page


def test_paint_and_shift_of_real_pages_are_measured(live_server: object, browser: Browser) -> None:
    """Largest contentful paint and layout shift, as Lighthouse counts them, on a cold load."""
    reply = make_reply(TEXTS["two megabytes"])
    pages = {"problem": "/b/hipho/problems/Sample_2026_en_1_A/", "huge reply": f"/replies/{reply.uuid}/"}
    for name, address in pages.items():
        for width in (390, 1280):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.add_init_script(OBSERVE)
            page.goto(f"{live_server}{address}")
            page.wait_for_load_state("networkidle")
            page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
            page.wait_for_timeout(500)
            seen = page.evaluate("window.seen")
            nodes = page.evaluate("document.querySelectorAll('*').length")
            print(f"\n{name}, {width} px: LCP {seen['lcp']:.0f} ms, CLS {seen['cls']:.4f}, {nodes:,} elements")
            assert seen["cls"] <= 0.1 and 0 < nodes < MOST_NODES
            page.close()


OBSERVE = """
window.seen = { lcp: 0, cls: 0 };
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.seen.lcp = entry.startTime; })
  .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.seen.cls += entry.value;
})
  .observe({ type: "layout-shift", buffered: true });
"""
