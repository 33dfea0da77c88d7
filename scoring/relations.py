"""Equations as sets of solutions, inequalities as half spaces: compared at sampled points."""

from __future__ import annotations

import numpy as np

from scoring.equality import are_equal, sum_limits
from scoring.sampling import Array, NotScalarError, Point, Sample, evaluate, make_points
from scoring.size_guard import check_size
from scoring.syntax import Node, negate, symbols_in

_TOLERANCE = 1e-7
_ITERATIONS = 40


def define_same_set(left: Node, right: Node, other_left: Node, other_right: Node) -> bool | None:
    """True if `left = right` and `other_left = other_right` have the same solutions at positive points.

    Constant factor first; then solutions of each equation are found numerically and put into the other.
    """
    for node in (left, right, other_left, other_right):
        check_size(node)
    one, other = _difference(left, right), _difference(other_left, other_right)
    if are_equal(one, other) or are_equal(one, negate(other)):
        return True
    try:
        return _same_zeros(one, other)
    except NotScalarError:
        return False


def implies_same_order(low: Node, high: Node, other_low: Node, other_high: Node) -> bool | None:
    """True if `low < high` and `other_low < other_high` hold at the same points."""
    one, other = _difference(low, high), _difference(other_low, other_high)
    if are_equal(one, other):
        return True
    names, point = _points(one, other)
    try:
        a, b = evaluate(one, point), evaluate(other, point)
    except NotScalarError:
        return False
    usable = a.usable & b.usable
    if usable.sum() < 3 or np.any(np.sign(a.values[usable].real) != np.sign(b.values[usable].real)):
        return False
    return _same_zeros(one, other)


def _difference(left: Node, right: Node) -> Node:
    return Node("add", (left, negate(right)))


def _points(*nodes: Node) -> tuple[list[str], Point]:
    names = list(dict.fromkeys(name for node in nodes for name in symbols_in(node)))
    integers = frozenset().union(*(sum_limits(node) for node in nodes))
    return names, make_points(names, integers)


def _same_zeros(one: Node, other: Node) -> bool | None:
    mine, theirs = set(symbols_in(one)), set(symbols_in(other))
    names, point = _points(one, other)
    common = [name for name in names if name in mine & theirs]  # a factor may bring a name of its own
    if not common:
        return False
    forward = _vanishes_on(one, other, common, point)
    if forward is not True:
        return forward
    return _vanishes_on(other, one, common, point)


def _vanishes_on(solved: Node, tested: Node, names: list[str], point: Point) -> bool | None:
    """Solve `solved = 0` for one name after another until a solution is found; is `tested` zero there?"""
    for name in names:
        root = _solve(solved, name, point)
        if root is None:
            continue
        values = {**point.values, name: root}
        at_root = Point(values, {**point.second, name: root})
        residue, scale = evaluate(tested, at_root), _scale(tested, at_root)
        good = np.isfinite(residue.values) & np.isfinite(root) & (scale > 0)
        if good.sum() < 5:
            continue
        small = np.abs(residue.values[good]) <= _TOLERANCE * scale[good]
        if np.all(small):
            return True
        if np.mean(small) < 0.8:
            return False
    return None


def _scale(node: Node, point: Point) -> Array:
    """Size of the parts that add up to the value: what rounding errors must be compared with."""
    if node.op == "add":
        return np.asarray(np.sum([_scale(term, point) for term in node.args], axis=0))
    if node.op == "mul":
        return np.asarray(np.prod([_scale(factor, point) for factor in node.args], axis=0))
    return np.abs(evaluate(node, point).values)


def _solve(node: Node, name: str, point: Point) -> Array | None:
    """Roots in one name at every point by the secant rule (exact after one step where the name is linear)."""

    def at(value: Array) -> Sample:
        return evaluate(node, Point({**point.values, name: value}, {**point.second, name: value}))

    before, now = point.values[name], point.values[name] * 1.17
    f_before, f_now = at(before).values, at(now).values
    if not np.any(np.abs(f_now - f_before) > 1e-12):
        return None
    with np.errstate(all="ignore"):
        for _ in range(_ITERATIONS):
            slope = (f_now - f_before) / (now - before)
            step = np.where((np.abs(slope) > 0) & np.isfinite(slope), f_now / slope, 0)
            if not np.any(np.abs(step) > 1e-14 * np.abs(now)):
                break
            before, f_before = now, f_now
            now = now - step
            f_now = at(now).values
    size = _scale(node, Point({**point.values, name: now}, {**point.second, name: now}))
    solved = np.isfinite(f_now) & (np.abs(f_now) <= 1e-9 * size)
    solved &= np.abs(now) > 1e-6 * np.abs(point.values[name])  # a common factor that is zero solves nothing
    if solved.sum() < 8:
        return None
    return np.where(solved, now, np.nan)
