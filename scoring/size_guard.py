"""Refusals before evaluation: fixed numbers, looked up on the formula as read, never a clock.

sympy evaluates 9^9^9 or (10^9)! inside one big-integer operation that nothing in the same process can stop.
"""

from __future__ import annotations

import math
from fractions import Fraction

from scoring.errors import DeadlineExceeded
from scoring.syntax import Node

MAX_NODES = 20_000
MAX_BITS = 20_000  # of an integer power
MAX_EXPANDED_TERMS = 2_000  # of a formula when multiplied out
_MANY = 1e9
MAX_DEGREE = 40  # of a power inside a formula that sympy simplifies
MAX_SIMPLIFIED_NODES = 600
MAX_FACTORIAL = 500
MAX_EXPONENT = 10_000  # of a symbol


def check_size(node: Node) -> None:
    """Raises DeadlineExceeded, with the reason, for a formula that must not be evaluated."""
    for count, part in enumerate(node.walk()):
        if count > MAX_NODES:
            raise DeadlineExceeded(f"formula of more than {MAX_NODES} parts")
        if part.op == "pow":
            _check_power(part.args[0], part.args[1])
        elif part.op == "fn" and part.value in ("factorial", "binomial"):
            _check_factorial(part)


def _check_power(base: Node, exponent: Node) -> None:
    high = log2_bound(exponent)
    if high is None:  # a symbolic exponent stays symbolic
        return
    if high > math.log2(MAX_EXPONENT):
        raise DeadlineExceeded(f"exponent beyond {MAX_EXPONENT}")
    size = 2.0**high
    bits = log2_bound(base)
    if bits is not None and abs(bits) * size > MAX_BITS:
        raise DeadlineExceeded(f"power of more than {MAX_BITS} bits")


def may_simplify(node: Node) -> bool:
    """False where sympy might multiply out too much: the formula is then compared as it stands."""
    parts = list(node.walk())
    if len(parts) > MAX_SIMPLIFIED_NODES:
        return False
    for part in parts:
        if part.op == "pow" and part.args[1].op == "num" and abs(Fraction(part.args[1].value)) > MAX_DEGREE:
            return False
    return expanded_terms(node) <= MAX_EXPANDED_TERMS


def expanded_terms(node: Node) -> float:
    """About how many terms the formula has when everything is multiplied out."""
    inside = [expanded_terms(arg) for arg in node.args]
    if node.op == "add":
        return sum(inside)
    if node.op == "mul":
        return min(math.prod(inside), _MANY)
    if node.op == "pow":
        exponent = node.args[1]
        if exponent.op == "num" and Fraction(exponent.value).denominator == 1:
            degree, terms = abs(int(Fraction(exponent.value))), inside[0]
            return min(math.comb(round(min(terms, 1e4)) + degree - 1, degree), _MANY) if degree < 100 else _MANY
    return max(inside, default=1.0)


def _check_factorial(part: Node) -> None:
    high = log2_bound(part.args[0])
    if high is not None and high > math.log2(MAX_FACTORIAL):
        raise DeadlineExceeded(f"factorial beyond {MAX_FACTORIAL}")


def log2_bound(node: Node) -> float | None:
    """Upper bound of log2 |value| for a numeric node, None for a symbolic one. Saturates at 1e9."""
    if node.op == "num":
        value = Fraction(node.value)
        if value == 0:
            return 0.0
        return max(math.log2(abs(value.numerator)), math.log2(value.denominator))
    if node.op == "const":
        return 2.0
    bounds = [log2_bound(arg) for arg in node.args]
    if not bounds or any(bound is None for bound in bounds) or node.op not in ("add", "mul", "pow", "fn"):
        return None
    known = [bound for bound in bounds if bound is not None]
    if node.op == "add":
        return max(known) + math.log2(len(known))
    if node.op == "mul":
        return min(sum(map(abs, known)), 1e9)
    if node.op == "pow":
        return float(min(abs(known[0]) * 2.0 ** min(known[1], 30), 1e9))
    grows = node.value in ("exp", "factorial", "sinh", "cosh")
    return float(min(2.0 ** min(known[0], 30), 1e9)) if grows else 10.0
