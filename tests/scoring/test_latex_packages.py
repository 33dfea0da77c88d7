"""Commands of siunitx and physics say what they print, in values and in EED alike; other texts are not touched."""

from __future__ import annotations

import time

import pytest

from scoring.eed import score_eed
from scoring.latex_packages import spell_out
from scoring.values import compare_value

QUANTITIES = (
    r"\SI{9.8}{m/s^2}",
    r"\SI[per-mode=symbol]{9.8}{\meter\per\second\squared}",
    r"$\qty{9.8}{\m\per\s\squared}$",
    r"\qty{9.8}{\metre\per\square\second}",
    r"\SI{9.8}{\metre\second\tothe{-2}}",
    r"\SI{9.8}{m.s^{-2}}",
    r"9.8\,\unit{\m\per\s^2}",
    r"a = \SI{980}{\centi\meter\per\second\squared}",
    r"\SI{9.8e0}{\metre\per\second\per\second}",
)
WRONG_QUANTITIES = (
    r"\SI{9.8}{\metre\per\second}",
    r"\SI{98}{\metre\per\second\squared}",
    r"\SI{9.8}{\kilo\metre\per\square\second}",
)
FORMULAS = (
    (r"m\left(\frac{v^2}{2}+g\right)", r"m\qty(\frac{v^2}{2}+g)"),
    (r"\ln\frac{a}{b}", r"\ln\qty[\frac{a}{b}]"),
    (r"\frac{m}{2} v^2", r"\flatfrac{1}{2} m \vb*{v}^2"),
    (r"\sqrt{\langle x^2\rangle}", r"\expval{x^2}^{1/2}"),
    (r"2\langle x\rangle", r"2\left<x\right>"),
    (r"\frac{dx}{dt}+1", r"1+\dv{x}{t}"),
    (r"\frac{\partial f}{\partial x}-2", r"-2+\pdv{f}{x}"),
    (r"a-b", r"a{-}b"),
    (r"-5\alpha", r"{-}5\alpha"),
    (r"2\alpha-\beta", r"2\alpha{-}\beta"),
)


@pytest.mark.parametrize("answer", QUANTITIES)
def test_quantity_is_read_with_its_unit(answer: str) -> None:
    assert compare_value("9.8 m/s^2", answer, kind="numeric", unit="m/s^2").equal


@pytest.mark.parametrize("answer", WRONG_QUANTITIES)
def test_another_quantity_is_another(answer: str) -> None:
    assert compare_value("9.8 m/s^2", answer, kind="numeric", unit="m/s^2").equal is False


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        ("1.2e3", r"\num{1.2e3}"),
        ("-1.6e-19 C", r"\SI{-1.6e-19}{\coulomb}"),
        ("30^\\circ", r"\ang{30}"),
        ("5 μm", r"\SI{5}{\micro\metre}"),
        ("1000 kg/m^3", r"\SI{1}{\gram\per\cubic\centi\metre}"),
        ("-5", r"x={-}5"),
        ("1e-3", r"\num{e-3}"),
        ("4200 J/(kg K)", r"\SI{4200}{\joule\per\kilogram\per\kelvin}"),
    ],
)
def test_number_is_read(target: str, answer: str) -> None:
    assert compare_value(target, answer, kind="numeric").equal


@pytest.mark.parametrize(("target", "answer"), FORMULAS)
def test_formula_is_what_it_prints(target: str, answer: str) -> None:
    assert compare_value(target, answer, kind="expression").equal
    assert score_eed(target, answer).points == 100


@pytest.mark.parametrize(
    "text",
    [
        r"\frac{a}{b}",
        r"e^{-}",
        r"\text{-}",
        r"a \stackrel{?}{=} b",
        r"\quantum x",
        r"\vbox{x}",
        r"\qty",
        r"\SI{1}",
        r"\SI{1}{\m\tothe{x}}",
        r"\SI{1}{\m\tothe 2}",
        r"\si{m^{" + "9" * 5000 + "}}",
        "m_{+}",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert spell_out(text) == text


@pytest.mark.parametrize(
    "text",
    [r"\qty{" * 10_000, r"\vb{" * 5_000 + "}" * 5_000, r"\num{" + " " * 50_000 + "}", r"\a" + " " * 50_000,
     "{-}" * 20_000, r"\SI{1}{" + r"\per" * 10_000 + "}", r"\dv[" * 10_000, "} " * 25_000],
)  # fmt: skip
def test_hostile_texts_are_walked_in_a_moment(text: str) -> None:
    started = time.process_time()
    spell_out(text)
    assert time.process_time() - started < 2
