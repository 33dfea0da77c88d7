"""EED as released by PHYBench (policy `official`): the published numbers, faults included, but bounded and repeatable.

Differences to the released program, none of which shows in a score: no clock decides a path, hostile sizes are refused
first, and simplification of the difference is skipped where numbers already tell the two formulas apart.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from scoring.eed_result import EedResult, describe_distance
from scoring.errors import DeadlineExceeded, ParseError
from scoring.latex import parse_formula
from scoring.latex_official import parse_official
from scoring.score import Status
from scoring.size_guard import check_size, log2_bound, may_simplify
from scoring.syntax import Node
from scoring.tree_distance import Tree, find_edits, flatten, tree_distance

MAX_CHARS = 5_000
MAX_NESTING = 30
MAX_ARGUMENT_BITS = 64
_LEAVES: tuple[tuple[Any, str], ...] = (
    (sympy.pi, "pi"),
    (sympy.E, "E"),
    (sympy.oo, "oo"),
    (-sympy.oo, "-oo"),
    (sympy.I, "I"),
    (sympy.zoo, "zoo"),
)
_OPERATORS = {sympy.Add: "Add", sympy.Mul: "Mul", sympy.Pow: "Pow"}
_FAILURES = (
    TypeError,
    ValueError,
    AttributeError,
    NotImplementedError,
    ArithmeticError,
    KeyError,
    IndexError,
    RecursionError,
)


class _NoTreeError(Exception):
    """A node that the released tree cannot hold."""


def score_official(target: str, answer: str, *, trees: bool = True) -> EedResult:
    """Points, distance and size of the released scorer; without a tree (released: -1) distance and size are None."""
    early = _decide_early(target, answer)
    if early is not None:
        return early
    try:
        _refuse_hostile(target)
        _refuse_hostile(answer)
        left, right = _parse_both(target, answer)
    except ParseError as error:
        return _zero(Status.UNPARSEABLE, str(error))
    try:
        return _compare(left, right, trees)
    except _NoTreeError as error:
        return _zero(Status.SCORED, f"no tree: {error}")
    except _FAILURES as error:
        return _zero(Status.SCORED, f"simplification failed: {type(error).__name__}")


def _parse_both(target: str, answer: str) -> tuple[Any, Any]:
    """Both sides as released. A target whose `\\left` cut it to pieces is read as by the newer official pipeline, which
    drops `\\left` and `\\right`, if the answer holds none (its published regression value: size 110, distance 58.4)."""
    try:
        left = parse_official(target)
    except ParseError:
        if r"\left" not in target or r"\left" in answer:
            raise
        right = parse_official(answer)
        return parse_official(target.replace(r"\left", "").replace(r"\right", "")), right
    return left, parse_official(answer)


def _zero(status: Status, reason: str) -> EedResult:
    return EedResult(0.0, status, False, flags=("official",), explanation=f"released scorer gives 0: {reason}"[:300])


def _decide_early(target: str, answer: str) -> EedResult | None:
    if not answer:
        return _zero(Status.NO_ANSWER, "empty answer")
    if any(sign in text for sign in (r"\int", r"\sum") for text in (target, answer)):
        return _zero(Status.SCORED, "an integral or a sum")
    if target == answer:
        return EedResult(100.0, Status.SCORED, True, 0.0, None, 0.0, flags=("official",), explanation="the same text")
    if len(answer) > 3 * len(target):
        return _zero(Status.SCORED, "the answer is more than three times as long as the target")
    return None


def _refuse_hostile(text: str) -> None:
    """Raises DeadlineExceeded for what must not be evaluated, ParseError for what would keep ANTLR busy for minutes."""
    if len(text) > MAX_CHARS:
        raise ParseError(f"text of {len(text)} characters")
    level = 0
    for char in text:
        level += (char in "([{") - (char in ")]}")
        if level > MAX_NESTING:
            raise ParseError(f"nested deeper than {MAX_NESTING} levels")
    try:
        formula = parse_formula(text)
    except ParseError:
        return  # what our own parser cannot read may still mean something to the released one
    for side in formula.sides:
        if side is not None:
            check_size(side)
            _refuse_huge_arguments(side)
            if not may_simplify(side):
                raise DeadlineExceeded("a power of a sum is too large to multiply out")


def _refuse_huge_arguments(node: Node) -> None:
    """exp, sinh and cosh of a huge number keep sympy's evaluation busy for ever."""
    for part in node.walk():
        if part.op == "fn" and part.args and (log2_bound(part.args[0]) or 0) > MAX_ARGUMENT_BITS:
            raise DeadlineExceeded(f"{part.value} of a number beyond 2^{MAX_ARGUMENT_BITS}")


def _compare(left: Any, right: Any, trees: bool) -> EedResult:
    left, right = _simplify_as_positive(left), _simplify_as_positive(right)
    if _is_equal(left, right):
        return EedResult(100.0, Status.SCORED, True, 0.0, 0, 0.0, flags=("official",), explanation="equivalent")
    target_tree, answer_tree = to_released_tree(left), to_released_tree(right)
    target, answer = flatten(target_tree), flatten(answer_tree)
    distance = tree_distance(answer, target)
    points = 100.0 if distance == 0 else max(0.0, 60.0 - 100.0 * distance / target.size)
    return EedResult(
        points,
        Status.SCORED,
        distance == 0,
        distance,
        target.size,
        distance / target.size,
        find_edits(answer, target) if trees else (),
        target_tree if trees else None,
        answer_tree if trees else None,
        ("official",),
        describe_distance(distance, target.size),
    )


def _simplify_as_positive(expression: Any) -> Any:
    positive, originals = sympy.posify(expression)
    return sympy.simplify(positive).subs(originals)


def _is_equal(left: Any, right: Any) -> bool:
    difference = left - right  # first, as released: two equal relations fail here
    if left == right:
        return True
    if _differ_clearly(left, right):
        return False
    if sympy.simplify(sympy.expand(difference)) == 0:
        return True
    return bool(left.equals(right))


def _differ_clearly(left: Any, right: Any) -> bool:
    """True where values at positive points prove a difference; False where they do not."""
    if not (isinstance(left, sympy.Expr) and isinstance(right, sympy.Expr)):
        return False
    unknown = sorted(left.atoms(AppliedUndef) | right.atoms(AppliedUndef), key=str)
    stand_ins = {call: sympy.Symbol(f"value of {call}") for call in unknown}
    left, right = left.xreplace(stand_ins), right.xreplace(stand_ins)
    names = sorted(left.free_symbols | right.free_symbols, key=str)
    for shift in (0.37, 0.71, 0.53):
        values = {name: sympy.Float(0.6 + (place * 0.6180339 + shift) % 1.3) for place, name in enumerate(names)}
        try:
            one, other = complex(left.evalf(15, subs=values)), complex(right.evalf(15, subs=values))
        except _FAILURES:
            return False
        size = max(abs(one), abs(other))
        if not 1e-8 < size < 1e200 or not abs(one - other) > 1e-6 * size:
            return False
    return True


def to_released_tree(expression: Any) -> Tree:
    """One node per sympy node, children in sympy's order. Raises _NoTreeError for a kind of node it has no word for."""
    for value, name in _LEAVES:
        if expression == value:
            return Tree(f"number_{name}")
    if isinstance(expression, (sympy.Integer, sympy.Rational, sympy.Float)):
        return Tree(f"number_{expression}")
    if isinstance(expression, sympy.Symbol):
        return Tree(f"symbol_{expression}")
    kind = _OPERATORS.get(type(expression))
    if kind:
        label = f"operator_{kind}"
    elif isinstance(expression, sympy.Function):
        label = f"function_{type(expression).__name__}"
    else:
        raise _NoTreeError(type(expression).__name__)
    return Tree(label, tuple(to_released_tree(child) for child in expression.args))
