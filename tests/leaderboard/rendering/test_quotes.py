"""Quotes are anchored at their offsets in the raw text."""

from __future__ import annotations

import re

import pytest

from leaderboard.rendering.markdown import render_text
from leaderboard.rendering.quotes import QuoteSpan


def span(text: str, quote: str, key: str = "c1", **more: str) -> QuoteSpan:
    start = text.index(quote)
    return QuoteSpan(start, start + len(quote), key, **more)


def marked(html: str) -> str:
    """All text within marks, formulas by their LaTeX."""
    html = re.sub(r"<math.*?x-tex\">(.*?)</annotation>.*?</math>", r"\1", html, flags=re.DOTALL)
    return "|".join(re.sub(r"<[^>]+>", "", m) for m in re.findall(r"<mark[^>]*>(.*?)</mark>", html, re.DOTALL))


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("Forces balance: all is well.", "balance: all", "balance: all"),
        ("so $N_B = mg$ holds here", "$N_B = mg$ holds", "N_B = mg holds"),
        ("so $N_B = mg$ holds here", "B = m", "N_B = mg"),
        ("a **bold word** here", "bold word", "bold word"),
        ("a **bold word** here", "a **bold word** here", "a |bold word| here"),
        ("# Heading text\n\npara", "Heading", "Heading"),
        ("- one\n- two words", "two", "two"),
        ("| a | b |\n|---|---|\n| cell one | x |", "cell one", "cell one"),
        ("|a|b|\n-|-\n1|2\nTable 1. Numbers", "Table 1", "Table 1"),
        ("first line\nsecond line", "line\nsecond", "line\nsecond"),
        ("x\n\n$$\na=b\n$$\n\ny", "a=b", "a=b"),
        ("use `some code` now", "some code", "some code"),
        ("```\nx = 1\ny = 2\n```", "y = 2", "y = 2"),
        (r"5 \* 6 and 7", "and 7", "and 7"),
        ("a &amp; b c", "b c", "b c"),
        ("重要的**结论：**能量守恒。", "能量守恒", "能量守恒"),
        ("<think>\nwe find x\n</think>\nso y", "find x", "find x"),
        ("line one\r\nline two here", "two here", "two here"),
    ],
)
def test_quote_is_marked_where_it_stands(text: str, quote: str, expected: str) -> None:
    html = render_text(text, quotes=[span(text, quote)])
    assert marked(html) == expected
    assert html.count('id="c1"') == 1


def test_the_right_one_of_two_equal_places_is_marked() -> None:
    text = "energy, energy, energy"
    html = render_text(text, quotes=[QuoteSpan(8, 14, "c1")])
    assert 'energy, <mark class="evidence" id="c1">energy</mark>, energy' in html


def test_mark_carries_number_link_outcome_and_found_answer() -> None:
    text = r"thus \boxed{42} is it"
    html = render_text(
        text,
        quotes=[
            span(text, "thus", label="1", href="#k1", outcome="partial"),
            span(text, "42", "a1", style="answer-found"),
        ],
    )
    assert '<mark class="evidence partial" id="c1"><a class="gutter" href="#k1"' in html
    assert '<mark class="answer-found" id="a1"><math>' in html


def test_overlapping_quotes_nest_and_take_lanes() -> None:
    text = "one two three four"
    html = render_text(
        text, quotes=[span(text, "one two three", "c1", label="1"), span(text, "two three four", "c2", label="2")]
    )
    assert html.count('id="c1"') == html.count('id="c2"') == 1
    assert 'class="gutter lane-2"' in html
    assert re.sub(r"<span class=\"gutter[^<]*</span>|<[^>]+>", "", html).strip() == text


def test_a_folded_thought_opens_for_a_quote_in_it() -> None:
    text = "<think>\nwe find x\n</think>\nso y"
    assert '<details class="fold think" open' in render_text(text, quotes=[span(text, "find")])


@pytest.mark.parametrize(
    "quote", [QuoteSpan(-5, 3, "a"), QuoteSpan(2, 9999, "b"), QuoteSpan(4, 4, "c"), QuoteSpan(9, 2, "d")]
)
def test_offsets_out_of_the_text_do_no_harm(quote: QuoteSpan) -> None:
    assert "words" in render_text("some words here", quotes=[quote])


def test_hostile_keys_labels_and_links_are_harmless() -> None:
    quote = QuoteSpan(0, 4, '"><script>', label="<img src=x>", href="javascript:alert(1)", style="x y", outcome='"')
    html = render_text("some words", quotes=[quote])
    assert "<script" not in html and "<img" not in html and "javascript" not in html


def test_a_stop_after_a_mark_stays_with_the_formula_that_the_mark_ends_with() -> None:
    text = "The radius is $r\\sin\\alpha$. Then more."
    html = render_text(text, quotes=[QuoteSpan(0, text.index("."), "c1")])
    assert ".</span></mark> Then more." in html
