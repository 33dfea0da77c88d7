"""Accessibility of the pages about problems and replies: axe (WCAG 2.2 AA), keyboard, no sideways scroll, CSP quiet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from decimal import Decimal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from arena.models import Answer, Erratum
from tests.factories import make_user
from tests.leaderboard.replies.scenes import (
    add_reply,
    find_problem,
    make_board,
    make_own_problem,
    make_run,
    mark_answers,
    mark_steps,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
WIDTHS = (390, 768, 1280, 1920)
TEXT = r"""<think>
First the balance of forces, $N = mg\cos\theta$, see [the notes](https://example.org/notes).

| quantity | value |
|---|---|
| $\theta$ | 30° |

\[ \frac{d}{dt}\left(\frac{\partial L}{\partial \dot q}\right) - \frac{\partial L}{\partial q} = 0, \qquad
   S = \int_{t_1}^{t_2} L(q, \dot q, t)\,dt = \sum_{n=0}^{\infty} \frac{a_n x^{n}}{n!}
   + \sqrt{\frac{2 m (E - V)}{\hbar^2}} \]

```python
print("a line of code that is much longer than a telephone is wide, to see that it scrolls in its own box")
```
</think>
<answer>[$\boxed{200}$, $\boxed{\frac{1}{2}}$]</answer>"""
HINDI = "एक गेंद $v$ वेग से फेंकी जाती है। उत्तर **B** है, क्योंकि ऊर्जा संरक्षित है।"
TAMIL = "ஒரு பந்து $v$ வேகத்தில் எறியப்படுகிறது. விடை **C** ஆகும்."
CHINESE = "设小球的质量为 $m$，由能量守恒得 $mgh=\\frac12mv^2$。因此答案为 $\\boxed{v=\\sqrt{2gh}}$。"


@pytest.fixture(scope="module", autouse=True)
def sync_database() -> Iterator[None]:
    """Playwright's loop runs in this thread; the database is ours alone."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    yield
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def pages() -> dict[str, str]:
    """Addresses of every kind of page, in every state."""
    make_board()
    problem = find_problem("Sample_2026_en_1_A")
    quotes = {"s0c0": "the balance of forces", "s0c1": "words that are not there", "s1c0": "balance of forces"}
    replies = []
    for name in ("Alpha", "Beta", "Gamma"):
        run = make_run(name, repeats=3)
        for repeat in range(3):
            reply = add_reply(run, problem, TEXT, repeat, reasoning="It *may* be $x$.")
            mark_steps(reply, quotes, share=Decimal(repeat) / 2, reason="The term $mg$ is missing.")
            mark_answers(reply, "200")
            replies.append(reply)
    chinese = add_reply(replies[0].run, find_problem("Sample_2026_zh_1_1"), CHINESE)
    mark_steps(chinese, {"s0c0": "由能量守恒得"}, reason="公式正确。")
    hindi = add_reply(make_run("Delta", "arc_indic"), find_problem("hi:Sample_1", "arc_indic"), HINDI)
    mark_answers(hindi, "B", share=Decimal(1))
    tamil = add_reply(make_run("Eps", "arc_indic"), find_problem("ta:Sample_1", "arc_indic"), TAMIL)
    mark_answers(tamil, "C", share=Decimal(0))
    formula = add_reply(make_run("Zeta", "phybench"), find_problem("1", "phybench"), "$\\boxed{4x}$")
    mark_answers(formula, "4x", details={"details": a_comparison()}, share=Decimal("0.2"))
    Erratum.objects.create(problem=problem, reporter=make_user("reader"), claim="g is $9.8$ here")
    hidden = make_own_problem("What is hidden?")
    Answer.objects.create(problem=hidden, position=0, value="1", points=Decimal(1), is_hidden=True)
    return {
        "problem": "/b/hipho/problems/Sample_2026_en_1_A/",
        "criterion": "/b/hipho/problems/Sample_2026_en_1_A/?criterion=1",
        "hidden": f"/b/hipho/problems/{hidden.external_id}/",
        "choices": "/b/arc_indic/problems/hi%3ASample_1/",
        "reply": f"/replies/{replies[1].uuid}/",
        "raw": f"/replies/{replies[1].uuid}/?view=raw",
        "prompt": f"/replies/{replies[1].uuid}/?view=prompt",
        "chinese": f"/replies/{chinese.uuid}/",
        "hindi": f"/replies/{hindi.uuid}/",
        "tamil": f"/replies/{tamil.uuid}/",
        "trees": f"/replies/{formula.uuid}/",
        "try": "/b/phybench/problems/1/try/",
    }


def a_comparison() -> dict[str, object]:
    tree = {"label": "operator_Mul", "children": [{"label": "number_2"}, {"label": "symbol_x"}]}
    other = {"label": "operator_Mul", "children": [{"label": "number_4"}, {"label": "symbol_x"}]}
    edits = [{"op": "rename", "from": "number_4", "to": "number_2", "path": [0]}]
    numbers = {"equivalent": False, "distance": 1.0, "size": 3, "relative_distance": 1 / 3}
    return {**numbers, "edits": edits, "target_tree": tree, "answer_tree": other}


def open_page(browser: Browser, address: str, **options: object) -> Page:
    page = browser.new_page(**options)  # type: ignore[arg-type]
    page.faults = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.faults.append(str(error)))  # type: ignore[attr-defined]
    page.on("console", lambda message: message.type == "error" and page.faults.append(message.text))  # type: ignore[attr-defined]
    page.goto(address)
    page.wait_for_load_state("networkidle")
    return page


OPEN_FOLDS = "for (const fold of document.querySelectorAll('details:not(.menu)')) fold.open = true"


def test_axe_finds_nothing_in_either_theme(live_server: object, browser: Browser, pages: dict[str, str]) -> None:
    for name, address in pages.items():
        for theme, width in (("light", 1280), ("dark", 390)):
            size = {"width": width, "height": 900}
            page = open_page(browser, f"{live_server}{address}", viewport=size, color_scheme=theme)
            page.evaluate(OPEN_FOLDS)
            if name == "try":
                page.locator("textarea").fill("$\\boxed{x^2}$")
                page.locator("main form button").click()
                page.wait_for_load_state("networkidle")
            found = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}}).response["violations"]
            told = [(v["id"], v["nodes"][0]["target"], v["nodes"][0]["failureSummary"]) for v in found]
            assert (name, theme, told) == (name, theme, [])
            assert (name, page.faults) == (name, [])  # type: ignore[attr-defined]
            page.close()


def test_no_page_scrolls_sideways(live_server: object, browser: Browser, pages: dict[str, str]) -> None:
    for name, address in pages.items():
        page = open_page(browser, f"{live_server}{address}")
        page.evaluate(OPEN_FOLDS)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert (name, width, wide) == (name, width, 0)
        page.close()
