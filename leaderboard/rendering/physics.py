"""Commands of the LaTeX packages physics, braket, derivative and tensor, in LaTeX without them.

They take stars, options in brackets, brackets of four kinds and a varying number of groups, so each reads its own
arguments: a reader gets the text and the place after its command, and gives LaTeX and the place where to go on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from leaderboard.rendering.braces import LatexFault, read_argument
from leaderboard.rendering.units import write_quantity

Reader = Callable[[str, int], tuple[str, int]]

OPTION = re.compile(r"\[([^\[\]]{1,20})\]")
SIZE = re.compile(r"\s*\\[bB]igg?(?![a-zA-Z])\s*")
STEP = re.compile(r"\\.|[()\[\]{}|]", re.DOTALL)
CLOSING = {"(": ")", "[": "]", "{": "}", "|": "|"}
SIDES = {"(": ("(", ")"), "[": ("[", "]"), "|": ("|", "|"), "{": (r"\{", r"\}")}
MATRICES = {"(": "pmatrix", "[": "bmatrix", "|": "vmatrix", "{": "matrix"}
SMALL = {"(": "psmallmatrix", "[": "bsmallmatrix", "{": "smallmatrix"}
# Where an operand may begin: a `\div` there divides nothing, so that it is the divergence.
OPERAND = re.compile(
    r"(?:^|[=+*/<>({\[&,;:|-]|\\(?:[,;:!\\]|q?quad|to|implies|Rightarrow|cdot|times|approx|equiv))\s*$"
)
DOUBLING = re.compile(r"\\(?:ev|expval|vev|expectationvalue|ip|innerproduct|ketbra|dyad|op|outerproduct)(?![a-zA-Z])")
INDEX = re.compile(r"([_^])\s*(\{(?:[^{}]|\{[^{}]*\})*\}|\\[a-zA-Z]+|[^\s{}\\])")
WORDS = "if then else otherwise unless given using assume since let for all even odd integer and or as in"


def _angled(*parts: str) -> str:
    bar = r"\middle|"
    return rf"\left\langle {bar.join(parts)}\right\rangle "


def _groups(text: str, position: int, most: int) -> tuple[list[str], int]:
    """The argument at `position` and the groups in braces directly after it, at most so many."""
    first, position = read_argument(text, position)
    found = [first]
    while len(found) < most and text[position : position + 1] == "{":
        group, position = read_argument(text, position)
        found.append(group)
    return found, position


def _skip_stars(text: str, position: int) -> int:
    while text[position : position + 1] == "*":
        position += 1
    return position


def _option(text: str, position: int) -> tuple[str, int]:
    match = OPTION.match(text, position)
    return (match[1], match.end()) if match else ("", position)


def _bracketed(text: str, position: int) -> tuple[str, str, int]:
    """What opens at `position`, what stands in it and where it ends; other brackets within count only in pairs."""
    size = SIZE.match(text, position)
    position = size.end() if size else _skip_stars(text, position)
    opening = text[position : position + 1]
    if opening not in CLOSING or not opening:
        raise LatexFault("an argument is missing")
    if opening == "{":
        inside, end = read_argument(text, position)
        return opening, inside, end
    depth = braces = 0
    for step in STEP.finditer(text, position + 1):
        braces += {"{": 1, "}": -1}.get(step[0], 0)
        if braces:
            continue
        if step[0] == CLOSING[opening] and depth == 0:
            return opening, text[position + 1 : step.start()], step.end()
        depth += {opening: 1, CLOSING[opening]: -1}.get(step[0], 0)
    raise LatexFault("brackets do not pair")


def _read_quantity(text: str, position: int) -> tuple[str, int]:
    r"""`\qty(x)` of physics, or `\qty[..]{9.81}{\metre}` of siunitx, which has the same name."""
    opening, inside, end = _bracketed(text, position)
    if opening in "{[" and text[end : end + 1] == "{":
        parts, end = _groups(text, end, 2 if opening == "[" else 1)
        number, unit = parts if len(parts) == 2 else (inside, parts[0])
        return write_quantity(number, unit), end
    left, right = SIDES[opening]
    return rf"\left{left}{inside}\right{right}", end


def _within(left: str, right: str) -> Reader:
    def read(text: str, position: int) -> tuple[str, int]:
        inside, end = read_argument(text, _skip_stars(text, position))
        return rf"\left{left} {inside}\right{right} ", end

    return read


def _matrix(names: dict[str, str]) -> Reader:
    def read(text: str, position: int) -> tuple[str, int]:
        opening, inside, end = _bracketed(text, position)
        name = names.get(opening, "matrix")
        return rf"\begin{{{name}}}{inside}\end{{{name}}}", end

    return read


def _derivative(sign: str, or_else: str = "") -> Reader:
    r"""`\pdv[2]{f}{x}`, `\pdv{x}` for the operator alone, `\pdv{f}{x}{y}` or `\pdv{f}{x,y}` for a mixed one.

    or_else: what the command means where no two groups follow it.
    """

    def read(text: str, position: int) -> tuple[str, int]:
        start, position = position, _skip_stars(text, position)
        order, position = _option(text, position)
        if or_else and text[position : position + 1] != "{":
            return or_else, start
        groups, end = _groups(text, position, 3)
        if or_else and len(groups) == 1:
            return or_else, start
        above, names = ("", groups) if len(groups) == 1 else (groups[0], groups[1:])
        if len(names) == 1 and "," in names[0] and "{" not in names[0]:
            names = [name.strip() for name in names[0].split(",")]
        orders = [part.strip() for part in order.split(",")] if order else []
        power, below = _orders(names, orders)
        top = rf"{sign}{power} {above}"
        bottom = " ".join(f"{sign} {{{name}}}{own}" for name, own in below)
        return rf"\frac{{{top}}}{{{bottom}}}", end

    return read


def _orders(names: Sequence[str], orders: Sequence[str]) -> tuple[str, list[tuple[str, str]]]:
    """The power above and each variable with its own below."""
    if len(names) == 1:
        power = f"^{{{orders[0]}}}" if orders else ""
        return power, [(names[0], power)]
    own = [orders[n] if n < len(orders) else "1" for n in range(len(names))]
    total = str(sum(map(int, own))) if all(part.isdigit() for part in own) else "+".join(own)
    return f"^{{{total}}}", [(name, f"^{{{n}}}" if n != "1" else "") for name, n in zip(names, own, strict=True)]


def _read_differential(text: str, position: int) -> tuple[str, int]:
    power, position = _option(text, _skip_stars(text, position))
    return rf"\mathrm{{d}}^{{{power}}}" if power else r"\mathrm{d}", position


def _read_bra(text: str, position: int) -> tuple[str, int]:
    r"""`\bra{a}\ket{b}` share their bar."""
    inside, end = read_argument(text, _skip_stars(text, position))
    if text.startswith(r"\ket", end) and not text[end + 4 : end + 5].isalpha():
        other, end = read_argument(text, _skip_stars(text, end + 4))
        return _angled(inside, other), end
    return rf"\left\langle {inside}\right|", end


def _read_braket(text: str, position: int) -> tuple[str, int]:
    groups, end = _groups(text, _skip_stars(text, position), 3)
    return _angled(*groups), end


def _twice(write: Callable[[str, str], str]) -> Reader:
    r"""With one group it stands for both, as in `\ip{a}`; what doubles may not double within."""

    def read(text: str, position: int) -> tuple[str, int]:
        groups, end = _groups(text, _skip_stars(text, position), 2)
        if len(groups) == 1 and DOUBLING.search(groups[0]):
            raise LatexFault("nested too deeply")
        return write(groups[0], groups[-1]), end

    return read


def _read_expectation(text: str, position: int) -> tuple[str, int]:
    groups, end = _groups(text, _skip_stars(text, position), 2)
    if len(groups) == 1:
        return _angled(groups[0]), end
    if DOUBLING.search(groups[1]):
        raise LatexFault("nested too deeply")
    return _angled(groups[1], groups[0], groups[1]), end


def _read_element(text: str, position: int) -> tuple[str, int]:
    groups, end = _groups(text, _skip_stars(text, position), 3)
    if len(groups) < 3:
        raise LatexFault("an argument is missing")
    return _angled(*groups), end


def _read_order(text: str, position: int) -> tuple[str, int]:
    if text[position : position + 1] != "{":
        return r"\mathcal{O}", position
    inside, end = read_argument(text, position)
    return rf"\mathcal{{O}}\left({inside}\right)", end


def _read_divergence(text: str, position: int) -> tuple[str, int]:
    before = text[: position - len(r"\div")][-12:]
    return (r"\nabla\cdot " if OPERAND.search(before) else "÷"), position


def _read_words(text: str, position: int) -> tuple[str, int]:
    inside, end = read_argument(text, _skip_stars(text, position))
    return rf"\quad\text{{{inside}}}\quad ", end


def _bold(plain: str, starred: str) -> Reader:
    def read(text: str, position: int) -> tuple[str, int]:
        after = _skip_stars(text, position)
        inside, end = read_argument(text, after)
        return (starred if after > position else plain) % inside, end

    return read


def _word(latex: str) -> Reader:
    return lambda text, position: (latex, position)


def _read_tensor(text: str, position: int) -> tuple[str, int]:
    base, position = read_argument(text, position)
    indices, end = _read_indices(text, position)
    return base + indices, end


def _read_indices(text: str, position: int) -> tuple[str, int]:
    """Indices one behind the other, each on an empty base of its own."""
    inside, end = read_argument(text, position)
    return "".join(f"{{}}{mark}{index}" for mark, index in INDEX.findall(inside)), end


def _read_columns(text: str, position: int) -> tuple[str, int]:
    r"""`\multicolumn{2}{c}{x}`: the cell and empty ones beside it."""
    groups, end = _groups(text, position, 3)
    if len(groups) < 3 or not groups[0].strip().isdigit() or int(groups[0]) > 20:
        raise LatexFault("an argument is missing")
    return groups[2] + "&{}" * (int(groups[0]) - 1), end


def _outer(a: str, b: str) -> str:
    return rf"\left|{a}\right\rangle\left\langle {b}\right|"


_SHARED: dict[str, Reader] = {
    "qty quantity": _read_quantity,
    "pqty": _within("(", ")"),
    "bqty": _within("[", "]"),
    "Bqty set Set": _within(r"\{", r"\}"),
    "vqty": _within("|", "|"),
    "eval evaluated": _within(".", "|"),
    "mqty matrixquantity": _matrix(MATRICES),
    "pmqty Pmqty": _matrix({"{": "pmatrix"}),
    "bmqty": _matrix({"{": "bmatrix"}),
    "vmqty mdet matrixdeterminant": _matrix({"{": "vmatrix"}),
    "smqty smallmatrixquantity": _matrix(SMALL),
    "dv derivative odv": _derivative(r"\mathrm{d}"),
    "diff": _derivative(r"\mathrm{d}", r"\mathrm{d}"),
    "pdv partialderivative diffp": _derivative(r"\partial"),
    "fdv functionalderivative": _derivative(r"\delta"),
    "dd differential": _read_differential,
    "var variation": _word(r"\delta "),
    "bra Bra": _read_bra,
    "ket Ket": _within("|", r"\rangle"),
    "braket Braket": _read_braket,
    "ip innerproduct": _twice(_angled),
    "ketbra dyad op outerproduct": _twice(_outer),
    "ev expval vev expectationvalue": _read_expectation,
    "mel matrixel matrixelement": _read_element,
    "order": _read_order,
    "div": _read_divergence,
    "divergence": _word(r"\nabla\cdot "),
    "vb vectorbold": _bold(r"\mathbf{%s}", r"\boldsymbol{%s}"),
    "va vectorarrow": _bold(r"\vec{%s}", r"\vec{\boldsymbol{%s}}"),
    "vu vectorunit": _bold(r"\hat{\mathbf{%s}}", r"\hat{\boldsymbol{%s}}"),
    "vdot dotproduct": _word(r"\cdot "),
    "pv principalvalue": _word(r"\mathcal{P}"),
    "qq": _read_words,
    "qc qcomma": _word(r",\quad "),
    "qcc": _word(r"\quad\text{c.c.}\quad "),
    "tensor": _read_tensor,
    "indices": _read_indices,
    "multicolumn": _read_columns,
}
READERS: dict[str, Reader] = {
    **{rf"\{name}": reader for names, reader in _SHARED.items() for name in names.split()},
    **{rf"\q{word}": _word(rf"\quad\text{{{word}}}\quad ") for word in WORDS.split()},
}
