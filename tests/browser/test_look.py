"""The look in a real chromium: keyboard, themes, what the small scripts do."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.browser.look_urls")]


def open_page(browser: Browser, address: str, *, width: int = 1280, theme: str = "light", **options: object) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme, **options)  # type: ignore[arg-type]
    page.faults = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.faults.append(str(error)))  # type: ignore[attr-defined]
    page.on(
        "console",
        lambda message: page.faults.append(message.text) if "Content Security" in message.text else None,  # type: ignore[attr-defined]
    )
    page.goto(address)
    return page


def test_theme_goes_round_and_is_remembered(live_server: object, browser: Browser) -> None:
    page = open_page(browser, f"{live_server}/accounts/login/")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    switch = page.locator(".theme-switch")
    switch.click(click_count=1)
    switch.click(click_count=1)
    assert "dark" in switch.inner_text()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    switch.click()
    assert page.evaluate(ground) == light
    page.close()


def test_subset_columns_unfold_without_scripts(live_server: object, browser: Browser) -> None:
    page = open_page(browser, f"{live_server}/look/", java_script_enabled=False)
    cell = page.locator(".board td.subset").first
    assert not cell.is_visible()
    page.locator(".board-fold summary").first.click()
    assert cell.is_visible()
    page.close()


def test_telephone_shows_a_model_in_two_lines_and_unfolds_one_row(live_server: object, browser: Browser) -> None:
    page = open_page(browser, f"{live_server}/look/", width=390, java_script_enabled=False)
    rows = page.locator(".board tbody tr:not(.tier-label, .human)")
    first, second = rows.nth(0), rows.nth(1)
    assert not first.locator("td.subset").first.is_visible()
    first.locator(".board-more summary").click()
    assert first.locator("td.subset").first.is_visible() and first.locator("td.extra").first.is_visible()
    assert not second.locator("td.subset").first.is_visible()
    page.close()


def test_quote_leads_to_its_place_and_back(live_server: object, browser: Browser) -> None:
    page = open_page(browser, f"{live_server}/look/")
    page.locator("a.citation[href='#c1-light']").focus()
    assert "lit" in (page.locator("#c1-light").get_attribute("class") or "")
    page.keyboard.press("Enter")
    assert page.evaluate("document.querySelector(':target').id") == "c1-light"
    page.locator("#c1-light a.gutter").click()
    assert page.evaluate("document.querySelector(':target').id") == "r1-light"
    page.close()


def test_keys_walk_the_criteria_and_show_evidence(live_server: object, browser: Browser) -> None:
    page = open_page(browser, f"{live_server}/look/")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.id") == "r2-light"
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.id") == "r1-light"
    page.keyboard.press("e")
    assert page.url.endswith("#c1-light")
    page.keyboard.press("?")
    assert page.locator("#shortcuts").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#shortcuts").is_visible()
    page.close()


def test_figure_opens_large_by_keyboard_and_closes(live_server: object, browser: Browser) -> None:
    page = open_page(browser, f"{live_server}/look/")
    page.wait_for_load_state("networkidle")
    page.locator("a.figure-zoom").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("dialog.zoomed").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog.zoomed").is_visible()
    page.close()


def test_skip_link_is_the_first_stop_of_the_keyboard(live_server: object, browser: Browser) -> None:
    page = open_page(browser, f"{live_server}/accounts/login/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    page.close()
