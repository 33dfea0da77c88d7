"""Reading LaTeX: names, wrappings, prose, relations, and refusals with a reason."""

from __future__ import annotations

import pytest
import sympy

from scoring.errors import DeadlineExceeded, ParseError
from scoring.latex import parse_formula, parse_latex, parse_value, strip_math, strip_wrapping
from scoring.syntax import symbols_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("r_{\\mathrm{A}}", ["r_A"]),
        ("\\dot{\\omega}_{\\rho}", ["dot omega_rho"]),
        ("\\dot{\\omega_\\rho}", ["dot omega_rho"]),
        ("\\hat{\\mathbf{n}}_{\\varphi}", ["hat n_varphi"]),
        ("F_s^{\\star}", ["F_s*"]),
        ("x'^2", ["x'"]),
        ("M_1^{\\prime}", ["M_1'"]),
        ("\\mu_{\\text{H_2O}}", ["mu_H2O"]),
        ("mg", ["m", "g"]),
        ("\\varepsilon_0", ["epsilon_0"]),
        ("k_+ s_{-}", ["k_+", "s_-"]),
        ("ε₀", ["epsilon_0"]),
    ],
)
def test_names_have_one_spelling(text: str, names: list[str]) -> None:
    assert symbols_in(parse_value(text)) == names


@pytest.mark.parametrize(
    "text",
    ["$\\boxed{x = 2mg}$", "\\boxed{2mg}", "x=2mg", "\\[ F = 2mg. \\]", "**$2mg$**", "\\(2mg\\)", "x\\approx 2mg"],
)
def test_wrappings_and_names_are_taken_off(text: str) -> None:
    assert strip_wrapping(text) == "2mg"


def test_operators_around_a_box_keep_what_is_outside() -> None:
    assert strip_math("-(\\boxed{a}) + b") == "-(a) + b"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1{,}000", 1000),
        ("1\\,000", 1000),
        ("1.6e-19", sympy.Rational(16, 10**20)),
        ("3.0\\times10^{8}", 3 * 10**8),
        ("−5", -5),
        ("10⁻³", sympy.Rational(1, 1000)),
        ("½", sympy.Rational(1, 2)),
        ("50\\%", sympy.Rational(1, 2)),
        ("2(1)", 2),
        ("\\frac43", sympy.Rational(4, 3)),
        ("180^\\circ", sympy.pi),
    ],
)
def test_numbers_are_exact_in_all_spellings(text: str, value: object) -> None:
    assert parse_latex(text) == value


def test_a_chain_keeps_all_its_sides() -> None:
    formula = parse_formula("a = b \\approx c")
    assert (len(formula.sides), formula.relations) == (3, ("=", "~"))


def test_words_after_the_formula_are_conditions_or_nothing() -> None:
    assert len(parse_formula("x^2 \\text{ if } x > 0").conditions) == 1
    assert parse_formula("mg \\text{ where } m \\text{ is the mass}").conditions == ()


def test_a_unit_behind_a_formula_is_flagged() -> None:
    assert parse_formula("mg\\ \\mathrm{m/s^2}").flags == {"unit"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a+",
        "\\frac{a}{b",
        "{",
        "x^",
        "\\sqrt{",
        "\\input{/etc/passwd}",
        "(" * 5000,
        "\\sqrt{" * 40_000,
        "x" * 2_000_000,
        "9" * 5000,
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ParseError, match=r"\w"):
        parse_formula(text)


@pytest.mark.parametrize("text", ["9^{9^{9^9}}", "10^{10^{10}}", "(10^9)!", "x^{99999999}", "\\binom{10^8}{10^7}"])
def test_hostile_sizes_are_refused_before_evaluation(text: str) -> None:
    with pytest.raises(DeadlineExceeded, match="beyond|bits"):
        parse_latex(text)


@pytest.mark.parametrize("text", ["__import__('os').system('x')", "(lambda: 1)()", "exec(open)"])
def test_python_is_read_as_mathematics_or_not_at_all(text: str) -> None:
    try:
        assert isinstance(parse_latex(text), sympy.Basic)
    except ParseError as error:
        assert str(error)
