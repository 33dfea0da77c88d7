"""Reply and problem pages under the hand: keys, evidence, tabs of schemes, copying, zoom, print, no scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from arena.models import Reply
from tests.browser.keyboard import tab_to, walk_by_tab
from tests.leaderboard.replies.scenes import add_reply, find_problem, make_board, make_run, mark_answers, mark_steps

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "\n\n".join(
    ["We write the balance of forces: $N = mg$."]
    + [f"Line {number} says nothing in particular." for number in range(60)]
    + ["Then \\[\\frac{v^2}{r} = g\\] follows.", "So $\\boxed{42}$."]
)


@pytest.fixture
def replies() -> list[Reply]:
    """Three attempts of one model and one of two others, in the order of their names."""
    make_board()
    problem = find_problem("Sample_2026_en_1_A")
    found = []
    for name, repeats in (("Alpha", 1), ("Beta", 3), ("Gamma", 1)):
        run = make_run(name, repeats=repeats)
        for repeat in range(repeats):
            reply = add_reply(run, problem, TEXT, repeat)
            mark_steps(reply, {"s0c0": "the balance of forces: $N = mg$", "s0c1": "follows", "s1c0": "Line 30 says"})
            mark_answers(reply, "42")
            found.append(reply)
    return found


def open_page(browser: Browser, live_server: object, reply: Reply, **options: object) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, **options)  # type: ignore[arg-type]
    page.goto(f"{live_server}/replies/{reply.uuid}/")
    page.wait_for_load_state("networkidle")
    return page


def here(page: Page) -> str:
    return page.url.split("/replies/")[1].split("/")[0]


def test_keys_lead_to_models_attempts_and_evidence(live_server: object, browser: Browser, replies: list[Reply]) -> None:
    alpha, first, second, third, gamma = replies
    page = open_page(browser, live_server, second)
    for key, reply in (("]", third), ("[", second), ("[", first), ("n", gamma), ("p", first), ("p", alpha)):
        with page.expect_navigation():
            page.keyboard.press(key)
        page.wait_for_load_state("networkidle")
        assert here(page) == str(reply.uuid), key
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.wait_for_url("**#q-c0-0")
    assert page.evaluate("document.querySelector(':target').textContent").startswith("1the balance")
    page.keyboard.press("?")
    assert page.locator("#shortcuts").is_visible()
    page.close()


def test_quote_lights_its_place_and_the_place_leads_back(
    live_server: object, browser: Browser, replies: list[Reply]
) -> None:
    page = open_page(browser, live_server, replies[0])
    page.locator("a.citation[href='#q-c0-1']").hover()
    assert "lit" in (page.locator("#q-c0-1").get_attribute("class") or "")
    page.locator("a.citation[href='#q-c0-1']").click()
    page.wait_for_function("document.querySelector(':target').getBoundingClientRect().top < innerHeight")
    page.locator("#q-c0-1 .gutter").click()
    assert page.evaluate("document.querySelector(':target').id") == "r-c0-1"
    page.close()


def test_schemes_are_tabs_without_scripts(live_server: object, browser: Browser, replies: list[Reply]) -> None:
    page = open_page(browser, live_server, replies[0], java_script_enabled=False)
    first, second = page.locator(".schemes > section").nth(0), page.locator(".schemes > section").nth(1)
    assert first.is_visible() and not second.is_visible()
    page.locator("label[for=pick-s1]").click()
    assert second.is_visible() and not first.is_visible()
    page.locator("a.citation[href='#q-c1-0']").click()
    assert page.locator("#q-c1-0").is_visible() and second.is_visible()
    page.close()


def test_schemes_change_by_arrow_keys(live_server: object, browser: Browser, replies: list[Reply]) -> None:
    page = open_page(browser, live_server, replies[0])
    page.locator("#pick-s0").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".schemes > section").nth(1).is_visible()
    page.close()


def test_formula_copies_as_latex(live_server: object, browser: Browser, replies: list[Reply]) -> None:
    page = open_page(browser, live_server, replies[0])
    copied = page.evaluate(
        """(selector) => {
          const range = document.createRange();
          const math = document.querySelector(selector);
          range.setStart(math.querySelector("mi"), 0);
          range.setEnd(math.querySelector("mi"), 1);
          document.getSelection().removeAllRanges();
          document.getSelection().addRange(range);
          const data = new DataTransfer();
          document.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, bubbles: true, cancelable: true }));
          return data.getData("text/plain");
        }""",
        ".reply-text math[display=block]",
    )
    assert copied == "\\[\\frac{v^2}{r} = g\\]"
    page.evaluate("document.getSelection().selectAllChildren(document.querySelector('.reply-text p'))")
    text = page.evaluate(
        """() => {
          const data = new DataTransfer();
          document.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, bubbles: true, cancelable: true }));
          return data.getData("text/plain");
        }"""
    )
    assert text == "We write the balance of forces: $N = mg$."
    page.close()


def test_telephone_shows_the_verdict_first_and_opens_quotes_in_place(
    live_server: object, browser: Browser, replies: list[Reply]
) -> None:
    page = open_page(browser, live_server, replies[0])
    page.set_viewport_size({"width": 390, "height": 800})
    top = "document.querySelector('{}').getBoundingClientRect().top"
    assert page.evaluate(f"{top.format('.verdict')} < {top.format('.reply-text')}")
    page.locator("a.citation[href='#q-c0-1']").click()
    page.wait_for_function("Math.abs(document.querySelector('#q-c0-1').getBoundingClientRect().top) < innerHeight")
    page.close()


def test_figure_zooms_by_keyboard_and_without_scripts(
    live_server: object, browser: Browser, replies: list[Reply]
) -> None:
    page = browser.new_page()
    page.goto(f"{live_server}/b/hipho/problems/Sample_2026_en_1_A/")
    page.wait_for_load_state("networkidle")
    page.locator("a.figure-zoom").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("dialog.zoomed").is_visible()
    width = "document.querySelector('dialog.zoomed img').getBoundingClientRect().width"
    fitted = page.evaluate(width)
    page.keyboard.press("Enter")  # the first button, which has the focus
    assert page.evaluate(width) >= 2 * fitted
    page.keyboard.press("ArrowRight")
    # Not wait_for_function: it evaluates strings again and again, which the page's policy refuses.
    has_moved = """() => new Promise((done) => {
      const look = (frames) => {
        const moved = document.querySelector("dialog.zoomed").scrollLeft > 0;
        moved || !frames ? done(moved) : requestAnimationFrame(() => look(frames - 1));
      };
      look(300);
    })"""
    assert page.evaluate(has_moved)
    page.keyboard.press("Escape")
    assert not page.locator("dialog.zoomed").is_visible()
    page.close()
    plain = browser.new_page(java_script_enabled=False)
    plain.goto(f"{live_server}/b/hipho/problems/Sample_2026_en_1_A/")
    plain.locator("a.figure-zoom").first.click()
    assert "/figures/" in plain.url
    plain.close()


def test_print_is_a_marked_script(live_server: object, browser: Browser, replies: list[Reply]) -> None:
    page = open_page(browser, live_server, replies[0])
    page.emulate_media(media="print")
    for gone in (".site-header", ".tabs", ".stepper"):
        assert not page.locator(gone).first.is_visible(), gone
    assert page.locator(".verdict").is_visible() and page.locator("#q-c0-0 .gutter").is_visible()
    assert "HiPhO" in page.locator(".crumbs").inner_text()  # the sheet says which benchmark it belongs to
    columns = "document.querySelector('{}').getBoundingClientRect().left"
    assert page.evaluate(f"{columns.format('.reply-text')} < {columns.format('.rubric')}")
    page.close()


def test_a_reply_is_read_by_keyboard_alone(live_server: object, browser: Browser, replies: list[Reply]) -> None:
    page = open_page(browser, live_server, replies[2])
    assert walk_by_tab(page) > 30
    tab_to(page, "#pick-s0")
    page.keyboard.press("ArrowRight")
    assert page.locator(".schemes > section").nth(1).is_visible()
    tab_to(page, "a.citation[href='#q-c1-0']")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector(':target')?.id === 'q-c1-0'")
    lit = page.locator("#q-c1-0").evaluate("e => getComputedStyle(e).backgroundColor")
    assert lit != page.locator("#q-c0-0").evaluate("e => getComputedStyle(e).backgroundColor")
    tab_to(page, ".tabs a[href*='view=raw']")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.locator(".tabs [aria-current]").inner_text() == "Raw"
    page.close()
