"""Commands of physics packages and other LaTeX of papers: each is set as what it stands for, and nothing is lost."""

from __future__ import annotations

import re
from html import unescape

import pytest

from leaderboard.rendering.braces import LatexFault
from leaderboard.rendering.math import to_mathml


def body(latex: str) -> str:
    html = to_mathml(latex, True).partition("<annotation")[0]
    return re.sub(r"</?mrow>", "", html)


def words(latex: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", body(latex))).replace("\u00a0", " ")


SAME = {
    # brackets that size themselves, in four kinds
    r"\qty(\frac{p}{q}(r+s))^3": r"\left(\frac{p}{q}(r+s)\right)^3",
    r"\qty[u]\qty{v}\qty|w|": r"\left[u\right]\left\{v\right\}\left|w\right|",
    r"\qty\Big(u)": r"\left(u\right)",
    r"\pqty{u}\bqty{v}\vqty{w}": r"\left(u\right)\left[v\right]\left|w\right|",
    r"\eval{u}_{0}^{1}": r"\left. u\right|_{0}^{1}",
    r"\abs*{u}": r"\left|u\right|",
    r"\order{h^3}": r"\mathcal{O}\left(h^3\right)",
    r"\left<u\right>": r"\left\langle u\right\rangle",
    # derivatives
    r"\dv*{s}{t}": r"\frac{\mathrm{d} s}{\mathrm{d} t}",
    r"\pdv{u}{s}{t}": r"\frac{\partial^{2} u}{\partial s \partial t}",
    r"\pdv{u}{s,t}": r"\frac{\partial^{2} u}{\partial s \partial t}",
    r"\pdv[2,1]{u}{s,t}": r"\frac{\partial^{3} u}{\partial s^{2} \partial t}",
    r"\fdv{S}{q}": r"\frac{\delta S}{\delta q}",
    r"\diff{u}{s}": r"\frac{\mathrm{d} u}{\mathrm{d} s}",
    r"\int u \diff s": r"\int u \mathrm{d} s",
    r"\dd[2]{r}": r"\mathrm{d}^{2} r",
    # states
    r"\bra{m}\ket{n}": r"\left\langle m\middle|n\right\rangle",
    r"\braket{m}{n}": r"\left\langle m\middle|n\right\rangle",
    r"\mel{m}{V}{n}": r"\left\langle m\middle|V\middle|n\right\rangle",
    r"\ev{V}{n}": r"\left\langle n\middle|V\middle|n\right\rangle",
    r"\ev{V}": r"\left\langle V\right\rangle",
    r"\ketbra{m}{n}": r"\left|m\right\rangle\left\langle n\right|",
    r"\dyad{m}": r"\left|m\right\rangle\left\langle m\right|",
    r"\comm{u}{v}": r"\left[u,v\right]",
    # vectors and their operators
    r"\vb*{g}": r"\boldsymbol{g}",
    r"\vu{r}\vdot\va{g}": r"\hat{\mathbf{r}}\cdot\vec{g}",
    r"k=\div{\vb{D}}": r"k=\nabla\cdot{\mathbf{D}}",
    r"6\div{2}": r"6÷{2}",
    r"\sin[2](u)": r"\sin^{2}(u)",
    # words, matrices
    r"u\qq{where}v": r"u\quad\text{where}\quad v",
    r"u \qif v": r"u \quad\text{if}\quad v",
    r"\mqty(1&2\\3&4)": r"\begin{pmatrix}1&2\\3&4\end{pmatrix}",
    r"\mqty|1&2\\3&4|": r"\begin{vmatrix}1&2\\3&4\end{vmatrix}",
    # quantities
    r"\qty[per-mode=symbol]{7}{\km\per\hour}": r"{7\,\mathrm{km\,h^{-1}}}",
    r"\SI{4}{\MeV}": r"{4\,\mathrm{MeV}}",
    r"\SI{4}{\um}": r"{4\,\mathrm{\mu m}}",
    r"\SIrange{2}{8}{\nm}": r"{2\text{–}8\,\mathrm{nm}}",
    r"\num{4.2(1)e-7}": r"{4.2(1)\times 10^{-7}}",
    r"\pu{9.8 m s-2}": r"{9.8\,\mathrm{m\,s^{-2}}}",
    # relativity, field theory
    r"\tensor{R}{^a_b}": r"R{}^{a}{}_{b}",
    r"\not{q}": r"\cancel{q}",
    r"\not\!D": r"\cancel{D}",
    r"u \not\in M": r"u \notin M",
    r"\mathop{\rm Tr}\nolimits u": r"\operatorname{Tr} u",
    # environments as papers have them
    r"\begin{aligned}[t]u&=v\end{aligned}": r"\begin{aligned}u&=v\end{aligned}",
    r"\begin{IEEEeqnarray}{rCl}u&=&v\end{IEEEeqnarray}": r"\begin{align}u&=&v\end{align}",
    r"\begin{tabular}{cc}u&v\end{tabular}": r"\begin{array}{cc}u&v\end{array}",
    r"\begin{array}{cc}\multicolumn{2}{c}{u}\\v&w\end{array}": r"\begin{array}{cc}u&{}\\v&w\end{array}",
    r"u\\* v": r"u\\ v",
    r"\smash[b]{u}\textcolor[rgb]{1,0,0}{v}": r"{u}\textcolor{red}{v}",
    r"\require{cancel}\cancel{u}": r"\cancel{u}",
}


@pytest.mark.parametrize("latex", SAME)
def test_it_is_set_as_what_it_stands_for(latex: str) -> None:
    assert body(latex) == body(SAME[latex])


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"x={-}5", "x=−5"),
        (r"\ket{-}", "|−⟩"),
        (r"({+})", "(+)"),
        (r"\begin{pmatrix}1&2\\3&\end{pmatrix}", "(123)"),
        (r"\begin{flalign}u&=7&\end{flalign}", "u=7"),
        (r"\cases{1&2\cr 3&}", "{123"),
        (r"u &= 8 &", "u=8"),
    ],
)
def test_no_sign_and_no_row_is_lost(latex: str, shown: str) -> None:
    assert words(latex) == shown


def test_accents_and_typed_quotation_marks_in_words_are_letters() -> None:
    assert words(r"\text{Schr\"odinger, Poincar\'{e}, \v{C}erenkov: ``free'' -- at rest}") == (
        "Schrödinger, Poincaré, Čerenkov: “free” – at rest"
    )


@pytest.mark.parametrize("latex", [r"\mel{m}{V}", r"\qty x", r"\qty(x", r"\multicolumn{99}{c}{x}"])
def test_what_lacks_an_argument_shows_its_source(latex: str) -> None:
    with pytest.raises(LatexFault):
        to_mathml(latex, True)


def test_what_doubles_its_argument_cannot_grow_without_bound() -> None:
    with pytest.raises(LatexFault, match="nested too deeply"):
        to_mathml(r"\ev{x}{" * 12 + "x" + "}" * 12, True)
