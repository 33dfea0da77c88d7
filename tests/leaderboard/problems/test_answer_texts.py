"""Answers and quotes as a page sets them: formulas as formulas, words as words."""

from __future__ import annotations

import re

import pytest

from leaderboard.selectors.problem_parts import render_formula_text


def read_shown(html: str) -> str:
    return re.sub(r"<[^>]+>", "", re.sub(r"<annotation.*?</annotation>", "", html)).strip()


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (r"\text{outward along the radial direction}", "outward along the radial direction"),
        (r"\boxed{\text{The field points outward.}}", "The field points outward."),
        (r"\text{B}", "B"),
        (r"45^\circ where m is the mass", r"45^\circ where m is the mass"),
        ("a+b", "a+b"),
    ],
)
def test_words_in_an_answer_stay_words(answer: str, shown: str) -> None:
    assert read_shown(render_formula_text(answer)) == shown


@pytest.mark.parametrize("answer", ["a+b", "0.667R", "x", r"\text{Answer: }\gamma m_0 c^2", r"mg\sin\theta"])
def test_an_expression_is_a_formula_whatever_it_is_made_of(answer: str) -> None:
    assert "<math" in render_formula_text(answer, is_expression=True)


@pytest.mark.parametrize("answer", ["the mass of the sun", "45° where m is the mass", "mg sin theta"])
def test_words_are_no_expression(answer: str) -> None:
    assert "<math" not in render_formula_text(answer, is_expression=True)
