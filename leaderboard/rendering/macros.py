"""Environments and macros that people use and `latex2mathml` does not know, in terms of those it knows."""

from __future__ import annotations

from collections.abc import Callable

from leaderboard.rendering.chemistry import write_chemistry
from leaderboard.rendering.units import write_angle, write_number, write_quantity, write_unit

ALIGNED = {"align", "aligned", "alignat", "alignedat", "flalign", "eqnarray", "split"}
STACKED = {"gather", "gathered", "multline", "multlined"}
PLAIN = {"equation", "displaymath", "math", "subequations"}
RENAMED = {"dcases": "cases"}
KEPT = {"array", "matrix", "smallmatrix", "cases"}
# Matrices in brackets: what opens and what closes them. Written out they stretch to themselves and take an exponent.
BRACKETED = {
    "pmatrix": (r"\left(\begin{matrix}", r"\end{matrix}\right)"),
    "bmatrix": (r"\left[\begin{matrix}", r"\end{matrix}\right]"),
    "Bmatrix": (r"\left\{\begin{matrix}", r"\end{matrix}\right\}"),
    "vmatrix": (r"\left|\begin{matrix}", r"\end{matrix}\right|"),
    "Vmatrix": (r"\left\|\begin{matrix}", r"\end{matrix}\right\|"),
    "psmallmatrix": (r"\left(\begin{smallmatrix}", r"\end{smallmatrix}\right)"),
    "bsmallmatrix": (r"\left[\begin{smallmatrix}", r"\end{smallmatrix}\right]"),
    "rcases": (r"\left.\begin{array}{ll}", r"\end{array}\right\}"),
    "drcases": (r"\left.\begin{array}{ll}", r"\end{array}\right\}"),
}

SYNONYMS = {
    r"\degree": r"{}^{\circ}",
    r"\textdegree": r"{}^{\circ}",
    r"\celsius": r"{}^{\circ}\mathrm{C}",
    r"\ohm": r"\Omega",
    r"\micro": r"\mu",
    r"\AA": r"\mathring{\mathrm{A}}",
    r"\angstrom": r"\mathring{\mathrm{A}}",
    r"\textmu": r"\mu",
    r"\textOmega": r"\Omega",
    r"\texttimes": r"\times",
    r"\textpm": r"\pm",
    r"\coloneqq": "≔",
    r"\dd": r"\mathrm{d}",
    r"\differential": r"\mathrm{d}",
    r"\dif": r"\mathrm{d}",
    r"\diff": r"\mathrm{d}",
    r"\mathds": r"\mathbb",
    r"\mathbbm": r"\mathbb",
    r"\vb": r"\mathbf",
    r"\va": r"\vec",
    r"\boldmath": "",
    r"\ensuremath": "",
    r"\mathstrut": "",
    r"\strut": "",
    r"\allowbreak": "",
    r"\break": "",
    r"\nobreak": "",
    r"\noindent": "",
    r"\hfill": r"\quad",
    r"\hfil": r"\quad",
    r"\par": r"\quad",
    r"\centering": "",
    r"\relax": "",
    r"\nonumber": "",
    r"\notag": "",
    r"\cross": r"\times",
    r"\grad": r"\nabla",
    r"\laplacian": r"\nabla^2",
    r"\order": r"\mathcal{O}",
    r"\Tr": r"\operatorname{Tr}",
    r"\tr": r"\operatorname{tr}",
    r"\sgn": r"\operatorname{sgn}",
    r"\sign": r"\operatorname{sign}",
    r"\rank": r"\operatorname{rank}",
    r"\erf": r"\operatorname{erf}",
    r"\sech": r"\operatorname{sech}",
    r"\csch": r"\operatorname{csch}",
    r"\arcsinh": r"\operatorname{arcsinh}",
    r"\arccosh": r"\operatorname{arccosh}",
    r"\arctanh": r"\operatorname{arctanh}",
    r"\arsinh": r"\operatorname{arsinh}",
    r"\arcosh": r"\operatorname{arcosh}",
    r"\artanh": r"\operatorname{artanh}",
    r"\arccot": r"\operatorname{arccot}",
    r"\rot": r"\operatorname{rot}",
    r"\curl": r"\nabla\times",
    r"\R": r"\mathbb{R}",
    r"\N": r"\mathbb{N}",
    r"\Z": r"\mathbb{Z}",
    r"\Q": r"\mathbb{Q}",
    r"\C": r"\mathbb{C}",
    r"\textless": "<",
    r"\textgreater": ">",
    r"\textbackslash": r"\backslash",
    r"\textasciitilde": r"\sim",
    r"\textunderscore": r"\_",
    r"\lq": "‘",
    r"\rq": "’",
    r"\displaylimits": "",
    r"\vert": "|",
    r"\lvert": "|",
    r"\rvert": "|",
    r"\Vert": r"\|",
    r"\lVert": r"\|",
    r"\rVert": r"\|",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\smash": "",
    r"\framebox": r"\boxed",
    r"\overgroup": r"\overparen",
    r"\undergroup": r"\underparen",
    r"\mathversion": "",
    r"\smallskip": "",
    r"\medskip": "",
    r"\bigskip": "",
    r"\newline": r"\\",
    r"\linebreak": r"\\",
}

# One-argument and two-argument macros, written out with %s.
MACROS: dict[str, tuple[int, str]] = {
    r"\abs": (1, r"\left|%s\right|"),
    r"\absolutevalue": (1, r"\left|%s\right|"),
    r"\norm": (1, r"\left\|%s\right\|"),
    r"\vu": (1, r"\hat{\mathbf{%s}}"),
    r"\substack": (1, r"\begin{smallmatrix}%s\end{smallmatrix}"),
    r"\comm": (2, r"\left[%s,%s\right]"),
    r"\acomm": (2, r"\left\{%s,%s\right\}"),
    r"\expval": (1, r"\left\langle %s\right\rangle"),
    r"\ev": (1, r"\left\langle %s\right\rangle"),
    r"\label": (1, ""),
    r"\tag": (1, r"\qquad\text{(%s)}"),
    r"\eqref": (1, r"\text{(%s)}"),
    r"\ref": (1, r"\text{%s}"),
    r"\cancelto": (2, r"\overset{%s}{\cancel{%s}}"),
    r"\textcircled": (1, r"\text{(%s)}"),
    r"\slashed": (1, r"\cancel{%s}"),
    r"\textsuperscript": (1, r"{}^{%s}"),
    r"\textsubscript": (1, r"{}_{%s}"),
    r"\uline": (1, r"\underline{%s}"),
    r"\mathbbold": (1, r"\mathbb{%s}"),
    r"\symbf": (1, r"\mathbf{%s}"),
    r"\symup": (1, r"\mathrm{%s}"),
    r"\mathup": (1, r"\mathrm{%s}"),
    r"\textsc": (1, r"\text{%s}"),
    r"\textsl": (1, r"\textit{%s}"),
    r"\url": (1, r"\text{%s}"),
    r"\vspace": (1, ""),
    r"\intertext": (1, r"\text{%s}"),
    r"\shortintertext": (1, r"\text{%s}"),
    r"\textnormal": (1, r"\text{%s}"),
}


def _write_fraction(opening: str, closing: str, rule: str, style: str, above: str, below: str) -> str:
    """`\\genfrac{(}{)}{0pt}{}{n}{k}`: a fraction or, with a rule of no thickness, a stack, in brackets."""
    fraction = rf"{{{above} \atop {below}}}" if rule.startswith("0") else rf"\frac{{{above}}}{{{below}}}"
    return rf"\left{opening or '.'}{fraction}\right{closing or '.'}" if opening or closing else fraction


# Macros with a small language of their own: how many arguments, and what writes them in LaTeX.
WRITTEN: dict[str, tuple[int, Callable[..., str]]] = {
    r"\num": (1, write_number),
    r"\si": (1, write_unit),
    r"\unit": (1, write_unit),
    r"\SI": (2, write_quantity),
    r"\qty": (2, write_quantity),
    r"\ang": (1, write_angle),
    r"\ce": (1, write_chemistry),
    r"\pu": (1, write_unit),
    r"\genfrac": (6, _write_fraction),
}

DERIVATIVES = {
    r"\dv": r"\mathrm{d}",
    r"\derivative": r"\mathrm{d}",
    r"\odv": r"\mathrm{d}",
    r"\pdv": r"\partial",
    r"\partialderivative": r"\partial",
}

TEXT_COMMANDS = {
    r"\text",
    r"\textrm",
    r"\textbf",
    r"\textit",
    r"\textsf",
    r"\texttt",
    r"\textup",
    r"\textmd",
    r"\mbox",
    r"\hbox",
    r"\fbox",
    r"\emph",
}
_FORBIDDEN = (
    r"\newcommand \renewcommand \providecommand \def \gdef \edef \let \DeclareMathOperator \newenvironment "
    r"\input \include \verb \unicode \style \class \href \rule \mathchoice"
)  # definitions may grow without bound, the rest reaches outside the formula
FORBIDDEN = frozenset(_FORBIDDEN.split())
