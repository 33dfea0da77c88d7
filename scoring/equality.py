"""Are two formulas the same quantity? Numbers first, 40 digits to confirm, sympy only where numbers cannot tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.errors import ScoringError
from scoring.precise import NoPreciseValueError, agree_precisely, evaluate_precisely, to_precise
from scoring.sampling import NotScalarError, Point, Sample, evaluate, make_points
from scoring.size_guard import check_size
from scoring.syntax import Node, is_number, multiply, symbols_in

CLEAR = 1e-6  # relative difference that double precision cannot produce
CLOSE = 1e-8
NEEDED_POINTS = 3


def are_equal(target: Node, answer: Node) -> bool | None:
    """True, False, or None where neither could be shown. Raises DeadlineExceeded for hostile sizes."""
    check_size(target)
    check_size(answer)
    left, right = components(target), components(answer)
    if left is None and right is None:
        return _are_scalars_equal(target, answer)
    if left is None or right is None or len(left) != len(right):
        return False
    verdicts = [are_equal(one, other) for one, other in zip(left, right)]
    return False if False in verdicts else None if None in verdicts else True


def components(node: Node) -> list[Node] | None:
    """Entries of a list or matrix, also scaled or added; None for a scalar. A list plus a scalar has no entries."""
    if node.op in ("tuple", "matrix"):
        return list(node.args)
    if node.op == "mul":
        parts = [components(arg) for arg in node.args]
        lists = [part for part in parts if part is not None]
        if len(lists) != 1:
            return None
        scalars = [arg for arg, part in zip(node.args, parts) if part is None]
        return [multiply([*scalars, entry]) for entry in lists[0]]
    if node.op == "add":
        rows = [components(arg) for arg in node.args if not is_number(arg, 0)]
        known = [row for row in rows if row is not None]
        if not known or len(known) != len(rows) or len({len(row) for row in known}) != 1:
            return None
        return [Node("add", tuple(entries)) for entries in zip(*known)]
    return None


def _are_scalars_equal(target: Node, answer: Node) -> bool | None:
    if target == answer:
        return True
    names = _names(target, answer)
    integers = sum_limits(target) | sum_limits(answer)
    try:
        verdicts = [
            _compare_at(target, answer, names, make_points(names, integers, sign), sign)
            for sign in _signs(target, answer)
        ]
        if len(verdicts) == 2 and False in verdicts:  # the two branches of a plus-minus may be swapped
            verdicts = [_compare_swapped(target, answer, names, integers, sign) for sign in (1, -1)]
    except NotScalarError:
        return False
    return False if False in verdicts else None if None in verdicts else True


def _names(*nodes: Node) -> list[str]:
    return list(dict.fromkeys(name for node in nodes for name in symbols_in(node)))


def _signs(target: Node, answer: Node) -> Sequence[int]:
    has_sign = any(part.op == "const" and part.value == "pm" for node in (target, answer) for part in node.walk())
    return (1, -1) if has_sign else (1,)


def sum_limits(node: Node) -> frozenset[str]:
    """Names in the bounds of sums: they stand for whole numbers."""
    bounds = [bound for part in node.walk() if part.op in ("sum", "prod") for bound in part.args[2:]]
    return frozenset(name for bound in bounds for name in symbols_in(bound))


def _compare_at(target: Node, answer: Node, names: list[str], point: Point, sign: int) -> bool | None:
    verdict = compare_samples(evaluate(target, point), evaluate(answer, point))
    return verdict if verdict is False else confirm(target, answer, point, verdict, (sign, sign))


def _compare_swapped(target: Node, answer: Node, names: list[str], integers: frozenset[str], sign: int) -> bool | None:
    here, there = make_points(names, integers, sign), make_points(names, integers, -sign)
    verdict = compare_samples(evaluate(target, here), evaluate(answer, there))
    return verdict if verdict is False else confirm(target, answer, here, verdict, (sign, -sign))


def compare_samples(left: Sample, right: Sample) -> bool | None:
    """False for one clear difference, True for agreement at enough points, None where double precision cannot tell."""
    usable = left.usable & right.usable
    is_real = int(usable.sum()) >= NEEDED_POINTS
    if not is_real:
        usable = left.finite & right.finite
    if int(usable.sum()) < NEEDED_POINTS:
        return None
    one, other = left.values[usable], right.values[usable]
    size = np.maximum(np.abs(one), np.abs(other))
    gap = np.abs(one - other)
    if np.any((gap > CLEAR * size) & (size > CLOSE)):
        return False if is_real else None
    if not np.any(size):  # zero everywhere, or too small for a double: 40 digits will tell
        return None
    return True if bool(np.all(gap <= CLOSE * size)) else None


def confirm(target: Node, answer: Node, point: Point, verdict: bool | None, signs: tuple[int, int]) -> bool | None:
    """Repeat the comparison with 40 digits at points where both are real; keep `verdict` where that is impossible."""
    left, right = evaluate(target, point), evaluate(answer, point)
    usable = np.flatnonzero(left.usable & right.usable)
    if not len(usable):
        usable = np.flatnonzero(left.finite & right.finite)
    places: list[int] = [int(usable[0]), int(usable[len(usable) // 2])] if len(usable) else []
    outcomes = []
    for place in places:
        values = {name: to_precise(complex(row[place])) for name, row in point.values.items()}
        try:
            one = evaluate_precisely(target, values, signs[0])
            other = evaluate_precisely(answer, values, signs[1])
        except (NoPreciseValueError, ArithmeticError, ValueError):
            return verdict
        outcomes.append(agree_precisely(one, other))
    if not outcomes:
        return ask_sympy(target, answer)
    if all(outcomes):
        return True
    return False if len(np.flatnonzero(left.usable & right.usable)) else ask_sympy(target, answer)


def ask_sympy(target: Node, answer: Node) -> bool | None:
    """The difference simplified; None where sympy does not find zero."""
    import sympy

    from scoring.constants import shield_large_numbers
    from scoring.size_guard import may_simplify
    from scoring.symbolic import to_sympy

    if not (may_simplify(target) and may_simplify(answer)):
        return None
    try:
        gap = to_sympy(shield_large_numbers(target)) - to_sympy(shield_large_numbers(answer))
        return True if gap == 0 or sympy.simplify(gap) == 0 else None
    except (ScoringError, TypeError, ValueError, ArithmeticError, RecursionError, AttributeError, NotImplementedError):
        return None
