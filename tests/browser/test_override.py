"""A reviewer overrides one part in a real browser, and the board moves."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import find_chromium
from tests.browser.site import Site, run_site

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def demo_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """What `make run` starts: our samples, two demo models, a demo judge, the demo accounts."""
    find_chromium()
    with run_site(tmp_path_factory.mktemp("demo"), DEMO="1") as running:
        _wait_for_rows(running)
        yield running


def _wait_for_rows(site: Site, timeout_s: float = 120) -> None:
    deadline = time.monotonic() + timeout_s
    script = (
        "from arena.models import Run; from leaderboard.models import Standing; "
        "print(Run.objects.filter(state='finished').count(), Standing.objects.filter(benchmark__slug='hipho').exists())"
    )
    while site.manage("shell", "--no-imports", "-c", script).split() != ["12", "True"]:
        assert time.monotonic() < deadline, site.log
        time.sleep(1)


def _headline(page: Page, site: Site) -> str:
    page.goto(f"{site.url}/b/phyx_mc/?basis=effective")
    row = page.locator("table.board tbody tr", has_text="Demo Hasty")
    return row.locator(".headline .value").inner_text()


def test_a_fresh_site_shows_live_rows_and_a_review_moves_the_board(demo_site: Site, browser: Browser) -> None:
    page = browser.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    before = _headline(page, demo_site)
    page.goto(f"{demo_site.url}/accounts/login/")
    page.get_by_label(re.compile("username|login", re.I)).first.fill("reviewer")
    page.get_by_label(re.compile("^password", re.I)).first.fill("reviewer-demo")
    page.locator("main form button[type=submit], main form .button").first.click()
    page.goto(f"{demo_site.url}/b/phyx_mc/problems/0/")
    page.locator("a[href^='/replies/']", has_text="Demo Hasty").first.click()
    row = page.locator("li.criterion").first
    shown = row.locator(".criterion-score b").inner_text()
    row.get_by_text("Review these points").click()
    row.locator("input[name=points]").fill("0" if float(shown) > 0 else "1")
    row.locator("textarea[name=reason]").fill("Seen by a person.")
    row.get_by_role("button", name="Save review").click()
    expect(page.get_by_text("Seen by a person.").first).to_be_visible()
    deadline = time.monotonic() + 30
    while _headline(page, demo_site) == before:
        assert time.monotonic() < deadline, "the board did not move"
        time.sleep(0.5)
    page.goto(f"{demo_site.url}/b/phyx_mc/?basis=machine")
    expect(page.locator("table.board")).to_contain_text(before)
    assert problems == []


def test_ci_never_skips_this_file() -> None:
    assert os.environ.get("CI") != "true" or Path(find_chromium()).exists()
