"""Equality of expressions, equations, inequalities and lists."""

from __future__ import annotations

import pytest

from scoring.equality import are_equal
from scoring.expression import compare_expressions
from scoring.latex import parse_value


def test_one_clear_difference_is_a_difference() -> None:
    assert compare_expressions("x+1", "x+1.001").equal is False


def test_tiny_differences_are_seen_with_forty_digits() -> None:
    assert compare_expressions("x", "x+10^{-20}").equal is False


def test_what_underflows_a_double_is_no_zero() -> None:
    assert compare_expressions("e^{-t^2/(10^{-12})^2}", "2e^{-t^2/(10^{-12})^2}").equal is False


def test_cancelled_terms_are_zero() -> None:
    assert compare_expressions("0", "(a+b)^2-a^2-2ab-b^2").equal is True


def test_an_unreadable_answer_is_no_error() -> None:
    verdict = compare_expressions("x", "x+")
    assert verdict.equal is False
    assert "unparseable" in verdict.flags


def test_variant_shapes_meet_only_where_one_occurs() -> None:
    assert compare_expressions("\\phi R", "\\varphi R").flags == ("spelling",)
    assert compare_expressions("\\phi+2\\varphi", "\\varphi+2\\phi").equal is False


def test_bold_and_plain_are_two_names_where_both_occur() -> None:
    assert compare_expressions("k\\vec{r}/r^3", "k/r^2").equal is False
    assert compare_expressions("q\\vec{E}", "q\\mathbf{E}").equal is True


@pytest.mark.parametrize(("target", "answer"), [("a, b", "b, a"), ("\\{1, 2, 3\\}", "3, 1, 2")])
def test_unordered_lists_match_in_any_order(target: str, answer: str) -> None:
    assert compare_expressions(target, answer, ordered=False).equal is True
    assert compare_expressions(target, answer).equal is False


def test_unordered_members_are_used_once() -> None:
    assert compare_expressions("1, 1, 2", "1, 2, 2", ordered=False).equal is False


@pytest.mark.parametrize(
    ("target", "answer", "equal"),
    [
        ("pV=nRT", "nRT=pV", True),
        ("pV=nRT", "\\frac{pV}{nRT}=1", True),
        ("x^2+y^2=r^2", "2x^2+2y^2-2r^2=0", True),
        ("x^2+y^2=r^2", "x^2-y^2=r^2", False),
        ("F=ma", "F=m+a", False),
    ],
)
def test_equations_are_sets_of_solutions(target: str, answer: str, equal: bool) -> None:
    assert (compare_expressions(target, answer).equal is True) == equal


def test_a_name_on_the_left_does_not_matter_but_a_factor_does() -> None:
    assert compare_expressions("\\omega_L=-\\gamma B", "\\Omega=-\\gamma B").equal is True
    assert compare_expressions("x=a", "2x=a").equal is False


def test_lists_scale_and_add_by_entry() -> None:
    assert are_equal(parse_value("2(a, b)+(0, b)"), parse_value("(2a, 3b)")) is True
    assert are_equal(parse_value("(a, b)"), parse_value("(a, b)+c")) is False
