"""Chemical formulas of the LaTeX package mhchem, `\\ce{2H2 + O2 -> 2H2O}`, in LaTeX without it.

Read are: indices and charges (`SO4^2-`, `Na+`), isotopes (`^{235}_{92}U`), coefficients, bonds (`-`, `=`, `#`), water
of crystallisation (`.`, `*`), arrows with what stands above and below, gas and precipitate (` ^`, ` v`), mathematics
in dollars, and other LaTeX as it is.
"""

from __future__ import annotations

import re

ARROWS = {
    "<=>": r"\rightleftharpoons",
    "<=>>": r"\rightleftharpoons",
    "<<=>": r"\rightleftharpoons",
    "<->": r"\leftrightarrow",
    "<-->": r"\rightleftarrows",
    "->": r"\rightarrow",
    "<-": r"\leftarrow",
}
STEP = re.compile(
    r"""
    (?P<arrow><<=>|<=>>|<=>|<-->|<->|->|<-)(?:\[(?P<above>[^\[\]]*)\])?(?:\[(?P<below>[^\[\]]*)\])?
  | \$(?P<formula>[^$]*)\$
  | (?P<script>[\^_])(?:\{(?P<group>[^{}]*)\}|(?P<plain>\d*[-+]|\d+|[A-Za-z.]+|\\[a-zA-Z]+|\*))
  | (?P<command>\\[a-zA-Z]+(?:\{[^{}]*\})*)
  | (?P<mark>(?<=\s)[v^](?=\s|$))
  | (?P<plus>(?<=\s)\+(?=\s|$|\d))
  | (?P<charge>(?<=[A-Za-z0-9)\]])[-+](?=\s|$|[)\],]))
  | (?P<bond>(?<=[A-Za-z0-9)\]])[-=\#](?=[A-Za-z(\[]))
  | (?P<water>\s*[.*]\s*(?=\d*[A-Z(]))
  | (?P<number>(?<![A-Za-z)\]])\d+(?:[./]\d+)?|\d+)
  | (?P<letters>[A-Za-z]+)
  | (?P<space>\s+)
  | (?P<other>.)
    """,
    re.VERBOSE,
)
BONDS = {"-": "{-}", "=": "{=}", "#": r"{\equiv}"}
MARKS = {"v": r"\downarrow", "^": r"\uparrow"}


def write_chemistry(text: str) -> str:
    """The formula between `\\ce{` and `}` as LaTeX."""
    out: list[str] = []
    for step in STEP.finditer(text.strip()):
        kind = step.lastgroup or "other"
        if step["arrow"]:
            out.append(_arrow(step["arrow"], step["above"], step["below"]))
        elif step["script"]:
            out.append(_script(step["script"], step["group"] if step["group"] is not None else step["plain"], out))
        elif kind == "number":
            out.append(_number(step[0], text.strip(), step.start()))
        else:
            out.append(_piece(kind, step[step.lastgroup] if step.lastgroup else step[0]))
    return "".join(out)


def _piece(kind: str, text: str) -> str:
    if kind == "letters":
        return rf"\mathrm{{{text}}}"
    if kind == "charge":
        return f"^{{{text}}}"
    if kind == "bond":
        return BONDS[text]
    if kind == "mark":
        return MARKS[text]
    if kind == "water":
        return r"\cdot "
    if kind == "plus":
        return " + "
    return "" if kind == "space" else text


def _number(number: str, text: str, start: int) -> str:
    """After an atom or a bracket the number is an index, else it counts what follows."""
    if start and (text[start - 1].isalpha() or text[start - 1] in ")]}"):
        return f"_{{{number}}}"
    count = re.sub(r"(\d+)/(\d+)", r"\\frac{\1}{\2}", number)
    return count if start + len(number) == len(text) else rf"{count}\,"


def _script(mark: str, content: str, out: list[str]) -> str:
    """A script before an atom stands on nothing, so that an isotope's numbers do not hang on what is before it."""
    inside = re.sub(r"[A-Za-z]+", lambda m: rf"\mathrm{{{m[0]}}}", content) if "\\" not in content else content
    is_free = not out or out[-1] in (" + ", "") or out[-1].startswith((r"\rightarrow", r"\xrightarrow", r"\right"))
    return f"{'{}' if is_free and (not out or not out[-1].endswith('}')) else ''}{mark}{{{inside}}}"


def _arrow(arrow: str, above: str | None, below: str | None) -> str:
    if not above and not below:
        return f" {ARROWS[arrow]} "
    top, bottom = (_label(text) for text in (above, below))
    if arrow == "->":
        return rf" \xrightarrow[{bottom}]{{{top}}} " if below else rf" \xrightarrow{{{top}}} "
    return rf" \underset{{{bottom}}}{{\overset{{{top}}}{{{ARROWS[arrow]}}}}} "


def _label(text: str | None) -> str:
    return write_chemistry(text) if text else ""
