"""A hand that has the Tab key alone: every stop is seen, none is left out, none holds it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

MOST_STOPS = 250
# A radio button that is hidden shows its focus on the label behind it.
STOP = """() => {
  const now = document.activeElement;
  if (now === document.body) return null;
  const seen = now.type === "radio" ? now.nextElementSibling ?? now : now;
  const style = getComputedStyle(seen), box = seen.getBoundingClientRect();
  const isOutlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const isInside = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  now.dataset.stopped = "";
  return { html: now.outerHTML.slice(0, 160), isSeen: isOutlined && isInside };
}"""
# One radio button stands for its group.
MISSED = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((node) => node.tabIndex >= 0 && !node.disabled && node.checkVisibility() && !("stopped" in node.dataset))
  .filter((node) => node.type !== "radio" || !document.querySelector(`[name="${node.name}"][data-stopped]`))
  .map((node) => node.outerHTML.slice(0, 160))"""


def walk_by_tab(page: Page) -> int:
    """Once through the page; the number of stops. Raises AssertionError where one is unseen, missed or a trap."""
    page.evaluate("document.activeElement.blur(); document.getSelection().removeAllRanges()")
    for number in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop: dict[str, Any] | None = page.evaluate(STOP)
        if stop is None:
            assert page.evaluate(MISSED) == []
            return number
        assert stop["isSeen"], stop["html"]
    raise AssertionError(f"still on the way after {MOST_STOPS} stops, at {stop and stop['html']}")


def tab_to(page: Page, selector: str, most: int = MOST_STOPS) -> None:
    """Press Tab until what is named has the focus."""
    for _stop in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} is not reached in {most} stops")
