"""Numbers inside a formula: folded exactly, and kept away from sympy where they are so large that it would choke.

sympy takes exp(-10^24 t^2 / 17.64) for a polynomial of degree 10^23 in something; a leaf in its place is harmless.
"""

from __future__ import annotations

from fractions import Fraction

from scoring.size_guard import log2_bound
from scoring.syntax import Node, multiply, number, symbol

LARGE = 10**6  # numerators and denominators beyond become leaves of their own
MAX_FOLDED_BITS = 4_000
MARK = "#"


def shield_large_numbers(node: Node) -> Node:
    """The same formula with every large rational part replaced by a symbol `#<value>`."""
    if node.op == "num":
        value = Fraction(node.value)
        if max(abs(value.numerator), value.denominator) <= LARGE:
            return node
        leaf = symbol(f"{MARK}{_spell(abs(value))}")
        return leaf if value > 0 else multiply([number(-1), leaf])
    if node.op in ("add", "mul", "pow"):
        value_or_none = fold(node)
        if value_or_none is not None:
            return shield_large_numbers(number(value_or_none))
    args = [shield_large_numbers(arg) for arg in _with_one_coefficient(node)]
    if node.op == "pow" and args[1].op == "sym" and str(args[1].value).startswith(MARK):
        return Node("call", (args[0],), "power" + str(args[1].value))
    return multiply(args) if node.op == "mul" else Node(node.op, tuple(args), node.value)


def _with_one_coefficient(node: Node) -> list[Node]:
    """Arguments of a node, numeric factors of a product multiplied into one."""
    if node.op != "mul":
        return list(node.args)
    coefficient = Fraction(1)
    rest: list[Node] = []
    for arg in node.args:
        value = fold(arg)
        if value is None:
            rest.append(arg)
        else:
            coefficient *= value
    return [number(coefficient), *rest] if coefficient != 1 else rest


def fold(node: Node) -> Fraction | None:
    """Exact value of a rational expression; None if it is not one or would be too long."""
    bound = log2_bound(node)
    if bound is None or bound > MAX_FOLDED_BITS:
        return None
    return _fold(node)


def _fold(node: Node) -> Fraction | None:
    if node.op == "num":
        return Fraction(node.value)
    if node.op not in ("add", "mul", "pow"):
        return None
    values = [_fold(arg) for arg in node.args]
    known = [value for value in values if value is not None]
    if len(known) != len(values):
        return None
    if node.op == "add":
        return sum(known, Fraction(0))
    if node.op == "mul":
        total = Fraction(1)
        for value in known:
            total *= value
        return total
    base, exponent = known
    if exponent.denominator != 1 or (base == 0 and exponent < 0):
        return None
    return Fraction(base ** int(exponent))


def _spell(value: Fraction) -> str:
    whole = value.denominator == 1 and value.numerator < 10**15
    return str(value.numerator) if whole else f"{float(value):.15g}" if value < 10**300 else f"{value.numerator}"
