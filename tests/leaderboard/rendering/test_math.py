"""LaTeX to MathML: what converts, how it is set, what is shown where it does not convert."""

from __future__ import annotations

import re

import pytest

from leaderboard.rendering.latex import LatexFault
from leaderboard.rendering.math import render_formula, to_mathml


def body(latex: str, is_display: bool = False) -> str:
    """The MathML inside <semantics>, without the annotation."""
    return to_mathml(latex, is_display).partition("<semantics>")[2].partition("<annotation")[0]


def test_source_stands_in_the_annotation_for_copying() -> None:
    html = to_mathml(r"a < \frac{1}{2}", False)
    assert r'<annotation encoding="application/x-tex">a &lt; \frac{1}{2}</annotation>' in html


def test_no_formula_carries_a_style_a_colour_or_a_link() -> None:
    html = to_mathml(r"\color{red}{x} \textcolor{blue}{y} \colorbox{red}{z} \boxed{a} \cancel{b}", True)
    for word in ("style=", "mathcolor", "mathbackground", "href"):
        assert word not in html


def test_function_names_have_a_thin_space_to_letters_but_not_to_brackets() -> None:
    assert '<mi>sin</mi><mspace width="0.167em"></mspace><mi>θ</mi>' in body(r"\sin\theta")
    assert '<mi>L</mi><mspace width="0.167em"></mspace><mi>cos</mi>' in body(r"L\cos(x)")
    assert "mspace" not in body(r"\cos(x)")
    assert "mspace" in body(r"\sin^2 x")


def test_a_sign_after_an_operator_or_bracket_is_a_prefix() -> None:
    assert '<mo>=</mo><mo form="prefix">−</mo>' in body("x = -3")
    assert '<mo form="prefix">' not in body("x - 3")


def test_bars_pair_up() -> None:
    html = body(r"|x| + 1")
    assert html.count('form="prefix"') == 1 and html.count('form="postfix"') == 1


def test_letters_of_alphabets_are_code_points_since_browsers_know_no_mathvariant() -> None:
    assert "𝐅" in body(r"\mathbf{F}")
    assert "ℝ" in body(r"\mathbb{R}")
    assert "ℒ" in body(r"\mathcal{L}")
    assert "𝝎" in body(r"\boldsymbol{\omega}")
    assert set(re.findall(r'mathvariant="([^"]*)"', body(r"\mathrm{d}x \mathbf{a} \Omega"))) == {"normal"}


def test_upright_letters_are_one_word() -> None:
    assert "<mi>kg</mi>" in body(r"5\,\mathrm{kg}")


def test_limits_stand_below_sums_and_lim() -> None:
    assert "<munderover>" in body(r"\sum_{i=1}^n i", True)
    assert "<munder>" in body(r"\lim_{x\to 0} f", True)
    assert "<msubsup>" in body(r"\int_0^1 f", True)


def test_a_prime_is_not_raised_twice() -> None:
    assert body("f'") == "<mrow><mrow><mi>f</mi><mo>′</mo></mrow></mrow>"
    assert "<msub><mrow><mi>x</mi><mo>′</mo></mrow>" in body("x_0'")


def test_a_prime_in_braces_is_the_same_prime() -> None:
    assert body("x_0^{'}") == body("x_0'")


def test_rows_whose_separator_lost_a_backslash_are_rows_again() -> None:
    assert body(r"\begin{array}{l}{a\ b}\ {c}\end{array}").count("<mtr>") == 2
    assert body(r"\begin{array}{l}a\\ b\ c\end{array}").count("<mtr>") == 2


def test_display_style_within_a_line_does_not_push_lines_apart() -> None:
    assert "displaystyle" not in body(r"\dfrac{1}{2}")
    assert 'displaystyle="true"' in body(r"\dfrac{1}{2}", True)
    assert 'class="math-tall"' in to_mathml(r"\frac{a}{\frac{b}{c}}", False)


@pytest.mark.parametrize(
    "latex",
    [
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"\begin{equation} a = b \end{equation}",
        r"\begin{gather*} a \\ b \end{gather*}",
        r"\begin{dcases} a & x>0 \\ b & x<0 \end{dcases}",
        r"\begin{array}{@{}l|r@{}} a & b \\ \hline c & d \end{array}",
        r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
        r"\begin{alignat}{2} a &= b & c &= d \end{alignat}",
        r"a &= b \\ &= c",
        r"x = 1 \\ y = 2",
        r"\text{if $x > 0$ and \textbf{not} y}",
        r"\SI{3}{m/s} + \qty{2}{kg} + \abs{x} + \dv{x}{t}",
        r"\boxed{$\frac{1}{2}$}",
        r"\operatorname{arg\,max}_x f(x)",
        r"50\% + 5%",
        r"\frac{1}{8}}",
        r"\left. x \right|_0^1",
        r"\right) x",
        r"\\frac{1}{2} \\times 3",
        r"13\degree + 5\celsius \ohm",
        r"\ce{H2O}",
        "\x0crac{1}{2} \rightarrow",
        r"x &lt; y",
        r"10^{-3} \, \mu\text{m}",
        r"\ket{\psi} \bra{\phi}",
        r"\cancel{a} \xcancel{b} \sout{c}",
        r"力 = \text{质量} \times a",
    ],
)
def test_formulas_as_people_write_them_convert(latex: str) -> None:
    assert "<math" in to_mathml(latex, True)


@pytest.mark.parametrize(
    ("latex", "reason"),
    [
        (r"\frac{1}{", "not closed"),
        (r"\badmacro{x}", "unknown command"),
        (r"\begin{foo} x \end{foo}", "unknown environment"),
        (r"\def\a{\a\a}\a", "not allowed"),
        (r"\newcommand{\x}{y}\x", "not allowed"),
        (r"x^", "missing super"),
        (r"\frac{1}", "argument"),
        (r"\begin{matrix} a", "missing end|end"),
        ("", "empty"),
        ("{" * 200 + "x" + "}" * 200, "nested too deeply"),
        (r"\sqrt" * 3000 + " x", "nested too deeply"),
        ("x" * 30_000, "longer"),
        ("a}", "brace"),
    ],
)
def test_what_cannot_be_set_says_why_and_shows_its_source(latex: str, reason: str) -> None:
    with pytest.raises(LatexFault, match=reason):
        to_mathml(latex, False)
    html = render_formula(latex)
    assert html.startswith('<code class="math-error"') and "title=" in html


def test_hostile_formula_text_is_escaped() -> None:
    html = to_mathml(r"\text{</math><script>alert(1)</script>} \mathrm{<img src=x onerror=alert(1)>}", False)
    assert "<script" not in html and "<img" not in html


def test_spaces_are_bounded() -> None:
    assert "9999" not in body(r"a\hspace{9999em}b")
    assert 'width="2em"' in body(r"a\hspace{2em}b")


def test_a_single_upright_letter_is_upright() -> None:
    assert '<mi mathvariant="normal">d</mi><mi>x</mi>' in body(r"\mathrm{d}x")
    assert '<mi mathvariant="normal">B</mi>' in body(r"k_{\mathrm{B}}")


def test_relations_and_signs_have_their_own_characters_and_spaces() -> None:
    assert "<mo>∼</mo>" in body(r"p \sim e")
    assert "<mo>∗</mo>" in body("x^*")
    assert '<mo form="prefix">±</mo>' in body(r"x = \pm 2")
    assert '<mo lspace="0" rspace="0">/</mo>' in body("a/b")
    assert '<mi mathvariant="normal">∞</mi>' in body(r"\infty")
    assert "<mo>≔</mo>" in body("x := 3")
    assert "<mo>≠</mo>" in body(r"a \not= b")
    assert "<mi>\\</mi>" in body(r"\backslash")


def test_dots_stand_between_operators_like_a_letter() -> None:
    html = body(r"a + \cdots + b")
    assert '<mo>+</mo><mo lspace="0" rspace="0">⋯</mo><mo>+</mo>' in html
    assert "mspace" in body(r"x_1 \cdots x_n")


def test_double_primes_are_one_sign() -> None:
    assert body(r"u^{\prime\prime}") == body("u''")
    assert "<mo>″</mo>" in body("u''")


def test_brackets_grow_only_around_what_is_high() -> None:
    assert 'stretchy="true"' not in body(r"f\left(x^2 + E_y^{'}\right)")
    assert body(r"\left(\frac{a}{b}\right)").count('stretchy="true"') == 2
    assert body(r"\left|\frac{a}{b}\right|").count('stretchy="true"') == 2
    assert 'stretchy="false"' in body(r"|\psi\rangle = \begin{pmatrix} a \\ b \end{pmatrix}")
    assert '<mo stretchy="false">↓</mo>' in body(r"\frac{a}{b} \downarrow")
    assert 'maxsize="1.623em" lspace="0" rspace="0" stretchy="true">|' in body(r"\Big\vert_X")


def test_a_matrix_stretches_its_own_brackets_and_takes_an_exponent() -> None:
    html = body(r"\begin{vmatrix} a & b \\ c & d \end{vmatrix}")
    assert html.count('<mo stretchy="true" fence="true"') == 2 and "<mrow><mo" in html
    assert "<msup><mrow><mo" in body(r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}^{-1}")
    assert body(r"\begin{rcases} a \\ b \end{rcases}").rpartition("</mtable>")[2].count("}") == 1


def test_the_outer_frame_of_a_table_is_left_away_and_its_inner_rules_are_kept() -> None:
    html = body(r"\begin{array}{|c|r|} \hline a & b \\ \hline c & d \\ \hline \end{array}")
    assert html.count("math-line-below") == 1 and html.count("math-line-right") == 2
    assert html.count("<mtr") == 2 and "math-right" in html


def test_wide_accents_and_arrows_stretch_to_what_they_cover() -> None:
    assert '<mo stretchy="true">˜</mo>' in body(r"\widetilde{abc}")
    assert '<mo stretchy="true">→</mo>' in body(r"\overrightarrow{AB}")
    assert '<mo stretchy="false">→</mo>' in body(r"\vec{a}")
    html = body(r"a \xrightarrow[below]{above} b")
    assert "<munderover><mo>→</mo><mrow><mspace" in html and "mpadded" not in html


def test_words_between_formulas_in_a_box_are_words() -> None:
    html = body(r"\boxed{$x$ if $y > 0$, where $z$ is free}")
    assert "<mtext>\xa0if\xa0</mtext>" in html and "where" in html and "<mi>w</mi>" not in html


def test_delimiters_within_a_formula_mean_nothing() -> None:
    assert body(r"\boxed{\[v = 2\]}") == body(r"\boxed{v = 2}")
    assert body(r"\boxed{\(x\)}") == body(r"\boxed{x}")


def test_the_space_after_a_row_is_no_text() -> None:
    assert "pt" not in body(r"\begin{aligned} a &= b \\[2pt] c &= d \end{aligned}")
    assert "pt" not in body(r"a \\[-0.5em] b")


def test_a_newline_that_was_a_command_is_that_command_again() -> None:
    assert "∇" in body("A - \nabla V") and "∇" in body("A - abla V")
    assert "ν" in body("A^{ \nu}")
    assert "ν" not in body("x\nu")


def test_rows_in_a_table_within_braces_are_restored_too() -> None:
    assert body(r"\left\{{\begin{array}{l}{a}\ {b}\end{array}}\right.").count("<mtr>") == 2


@pytest.mark.parametrize(
    ("latex", "other"),
    [
        (r"\SI{9.81}{\meter\per\second\squared}", r"{9.81\,\mathrm{m\,s^{-2}}}"),
        (r"\qty{5}{\kilo\gram}", r"{5\,\mathrm{kg}}"),
        (r"\num{1.5e-10}", r"{1.5\times 10^{-10}}"),
        (r"\SI{300}{\micro\meter}", r"{300\,\mathrm{\mu m}}"),
        (r"\unit{\joule\per\kilogram\per\kelvin}", r"{\mathrm{J\,kg^{-1}\,K^{-1}}}"),
        (r"\SI{3e8}{m/s}", r"{3\times 10^{8}\,\mathrm{m/s}}"),
        (r"\si{\square\meter}", r"{\mathrm{m^{2}}}"),
        (r"\ang{45}", r"{45^{\circ}}"),
        (r"\ce{2H2 + O2 -> 2H2O}", r"{2\,\mathrm{H}_2 + \mathrm{O}_2 \rightarrow 2\,\mathrm{H}_2\mathrm{O}}"),
        (r"\ce{SO4^2-}", r"{\mathrm{SO}_4^{2-}}"),
        (r"\ce{Na+ + Cl-}", r"{\mathrm{Na}^{+} + \mathrm{Cl}^{-}}"),
        (r"\ce{^{235}_{92}U}", r"{{}^{235}_{92}\mathrm{U}}"),
        (r"\ce{CuSO4.5H2O}", r"{\mathrm{CuSO}_4\cdot 5\,\mathrm{H}_2\mathrm{O}}"),
        (r"\ce{A <=> B}", r"{\mathrm{A} \rightleftharpoons \mathrm{B}}"),
        (r"\ce{A ->[heat] B}", r"{\mathrm{A} \xrightarrow{\mathrm{heat}} \mathrm{B}}"),
        (r"\pdv[2]{f}{x}", r"\frac{\partial^{2} f}{\partial x^{2}}"),
        (r"\dv{x} y", r"\frac{\mathrm{d}}{\mathrm{d}x} y"),
        (r"\genfrac{(}{)}{0pt}{}{n}{k}", r"\left({n \atop k}\right)"),
    ],
)
def test_macros_of_packages_are_set_as_what_they_stand_for(latex: str, other: str) -> None:
    def bare(html: str) -> str:
        return re.sub(r"</?mrow>", "", html)

    assert bare(body(latex)) == bare(body(other))
