"""The beginning of a problem's text in a list: formulas set, cut between words."""

from __future__ import annotations

from leaderboard.rendering.excerpt import excerpt_html


def test_formulas_are_set_and_marks_are_left_away() -> None:
    html = excerpt_html("**Find** the period $T_{1}$\nof [figure1] precession.")
    assert html.startswith("Find the period <math>") and html.endswith("of precession.")
    assert "$" not in html and "[figure1]" not in html


def test_a_long_text_is_cut_between_words() -> None:
    html = excerpt_html("word " * 100)
    assert html.endswith("word …") and 90 < len(html) < 120


def test_a_formula_is_never_cut() -> None:
    html = excerpt_html("Let $" + "a + " * 100 + "b$ be it, and then more.", 40)
    assert html.count("</math>") == 1 and html.endswith("…")


def test_a_text_without_spaces_is_cut_and_hostile_text_escaped() -> None:
    assert len(excerpt_html("求" * 300)) < 120
    assert "<img" not in excerpt_html("<img src=x onerror=alert(1)> $\\text{<script>}$")
