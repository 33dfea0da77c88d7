"""Long texts by pages."""

from __future__ import annotations

import re

import pytest

from leaderboard.rendering.pages import (
    PAGE_CHARACTERS,
    PAGE_FORMULAS,
    PAGE_LINES,
    render_page,
    render_pages,
    split_pages,
)
from leaderboard.rendering.quotes import QuoteSpan

FILLER = "Some words here and there. " * 34


def big_reply() -> str:
    """2 MB with 2,000 formulas of which every second is broken."""
    good = r"$$\frac{a_{%d}}{b}=\sqrt{x}$$"
    broken = r"$\badmacro_{%d}$"
    return "\n\n".join(FILLER + (good if number % 2 else broken) % number for number in range(2000))


HOSTILE = {
    "2 MB": big_reply(),
    "one line": "word " * 200_000,
    "one word": "x" * 1_000_000,
    "brackets": "[" * 50_000 + "]" * 50_000,
    "braces": "$" + "{" * 50_000 + "}" * 50_000 + "$",
    "dollars": "$" * 200_000,
    "quotes": ">" * 50_000,
    "stars": "*a **b _c __d " * 10_000,
    "displays": r"\[" * 50_000,
    "environments": r"\begin{align}" * 20_000,
    "boxes": r"\boxed{" * 50_000,
    "links": "[a](" * 50_000,
    "lines": "a|b\n-|-\n" * 5_000,
    "thoughts": "<think>\n" * 20_000,
    "fences": "```\n" * 20_001,
    "definitions": r"\newcommand{\a" + " " * 500_000 + r"\def\b" + " " * 500_000,
}


def test_short_text_is_one_page() -> None:
    (page,) = split_pages("hello $x$")
    assert (page.start, page.end) == (0, 9)
    assert len(split_pages("")) == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_pages_cover_the_text_and_bound_what_is_rendered(name: str) -> None:
    text = HOSTILE[name]
    pages = render_pages(text)
    assert "".join(text[p.start : p.end] for p in pages.pages) == text
    assert all(p.end - p.start <= PAGE_CHARACTERS for p in pages.pages)
    assert all(text.count("\n", p.start, p.end) <= PAGE_LINES for p in pages.pages)
    for html in (pages[0], pages[-1]):
        assert html.count("<math") + html.count("math-error") <= PAGE_FORMULAS
        assert html.count("<") < 60_000


def test_every_formula_is_on_exactly_one_page() -> None:
    text = big_reply()
    pages = render_pages(text)
    sample = [pages[index] for index in range(0, len(pages), 8)]
    expected = [text[p.start : p.end].count("$$") // 2 for p in pages.pages[::8]]
    assert [html.count("<math") for html in sample] == expected
    assert sum(text[p.start : p.end].count("$$") // 2 for p in pages.pages) == 1000


def test_cut_falls_between_paragraphs() -> None:
    text = big_reply()
    assert all(text[: page.end].endswith("\n\n") for page in split_pages(text)[:-1])


def test_code_over_a_page_end_stays_code() -> None:
    text = "```python\n" + "x = '$y$'\n" * 10_000 + "```\nafter"
    pages = render_pages(text)
    assert len(pages) > 1
    assert all("<math" not in html and "<pre" in html for html in pages)
    assert pages[-1].endswith("after</p>\n")


def test_a_thought_over_a_page_end_stays_a_thought() -> None:
    text = "<think>\n" + "step by step\n\n" * 6_000 + "</think>\nthe answer"
    pages = render_pages(text)
    assert len(pages) > 1 and all("<details" in html for html in pages)
    last = pages[-1]
    assert last.index("</details>") < last.index("the answer")


def test_quotes_find_their_page() -> None:
    text = "\n\n".join(f"paragraph number {n} of this text" for n in range(4000))
    at = text.index("number 3500")
    pages = render_pages(text, quotes=[QuoteSpan(at, at + 11, "c1")])
    number = pages.page_of(at)
    assert number > 1
    assert '<mark class="evidence" id="c1">number 3500</mark>' in pages[number - 1]
    assert "<mark" not in pages[0]


def test_one_page_renders_by_itself() -> None:
    text = big_reply()
    page = split_pages(text)[3]
    html = render_page(text, page)
    assert page.number == 4
    assert re.search(r"<math", html)
