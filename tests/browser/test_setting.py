"""How pages are set in a real chromium: nothing moves while they load, formulas line up, replies print as scripts."""

from __future__ import annotations

from decimal import Decimal

import pytest
from playwright.sync_api import Browser, Page

from tests.leaderboard.replies.scenes import add_reply, find_problem, make_board, make_run, mark_steps

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = r"""The energy is $E = \sqrt{7} + 4$, and then

\[ \begin{aligned} a &= b \\ x^2 + y &= c \end{aligned} \]

with $\det\begin{vmatrix} a & b \\ c & d \end{vmatrix}$."""
SHIFTS = """
window.moved = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""


@pytest.fixture
def reply_address() -> str:
    make_board()
    problem = find_problem("Sample_2026_en_1_A")
    reply = add_reply(make_run("Alpha"), problem, TEXT)
    mark_steps(reply, {"s0c0": "The energy is"}, share=Decimal(1), reason="The term $mg$ is missing.")
    return f"/replies/{reply.uuid}/"


def open_settled(browser: Browser, address: str, width: int) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.add_init_script(SHIFTS)
    page.goto(address, wait_until="networkidle")
    page.evaluate("document.fonts.ready")
    return page


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves_while_a_page_loads(
    live_server: object, browser: Browser, reply_address: str, width: int
) -> None:
    for address in ("/", "/b/hipho/", "/b/hipho/problems/Sample_2026_en_1_A/", reply_address, "/arena/"):
        page = open_settled(browser, f"{live_server}{address}", width)
        assert page.evaluate("window.moved") < 0.02, address
        page.close()


def test_formulas_have_no_holes_and_line_up(live_server: object, browser: Browser, reply_address: str) -> None:
    page = open_settled(browser, f"{live_server}{reply_address}", 1280)
    box = "e => e.getBoundingClientRect()"
    root, inside = page.locator(".reply-text msqrt").first, page.locator(".reply-text msqrt mn").first
    assert root.evaluate(box)["right"] - inside.evaluate(box)["right"] < 2
    cells = page.locator(".reply-text mtable.math-align mtr > mtd:first-child")
    rights = [cells.nth(row).evaluate("e => e.lastElementChild.getBoundingClientRect().right") for row in range(2)]
    assert abs(rights[0] - rights[1]) < 1
    bar = page.locator(".reply-text mrow > mo[fence]").first
    table = page.locator(".reply-text mo[fence] + mtable").first
    assert bar.evaluate(box)["height"] >= 0.9 * table.evaluate(box)["height"]
    page.close()


def test_a_reply_prints_as_a_script_of_few_pages(live_server: object, browser: Browser, reply_address: str) -> None:
    page = open_settled(browser, f"{live_server}{reply_address}", 1280)
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert 1 <= printed.count(b"/Type /Page\n") <= 3
    page.emulate_media(media="print")
    assert not page.locator(".site-frame").is_visible() and page.locator(".verdict .points").is_visible()
    verdict = page.locator(".verdict").evaluate("e => e.getBoundingClientRect().left")
    assert verdict > page.locator(".reply-text").evaluate("e => e.getBoundingClientRect().left")
    page.close()


def test_the_question_is_printed_above_the_reply_though_its_fold_is_closed(
    live_server: object, browser: Browser, reply_address: str
) -> None:
    page = open_settled(browser, f"{live_server}{reply_address}", 1280)
    figure, heights = page.locator(".asked .figure img").first, "e => e.getBoundingClientRect().height"
    loaded = "e => e.complete && e.naturalWidth > 0"
    assert not figure.evaluate(loaded)  # a reader on screen pays nothing for it
    page.pdf(format="A4")
    assert figure.evaluate(loaded)
    page.emulate_media(media="print")
    assert figure.evaluate(heights) > 50 and page.locator(".asked .prose").first.evaluate(heights) > 10
    question = page.locator(".asked").evaluate("e => e.getBoundingClientRect().bottom")
    assert question <= page.locator(".reply-text").evaluate("e => e.getBoundingClientRect().top")
    assert page.locator(".asked").evaluate("e => !e.open")
    page.close()
