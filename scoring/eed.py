"""Expression Edit Distance of PHYBench (arXiv:2504.16074): 100 if equivalent, else max(0, 60 - 100 distance / size).

Policy `corrected` (default) reads formulas as a physicist does; policy `official` gives the released scorer's numbers.
Rules and examples: docs/eed-rules.md.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from scoring.eed_result import EedResult, describe_distance
from scoring.errors import DeadlineExceeded, ParseError
from scoring.expression import Comparison, compare_texts
from scoring.expression_tree import Measured, PreparedSide, measure, prepare_answer, prepare_target
from scoring.latex import Formula, parse_formula, strip_math
from scoring.latex_packages import spell_out
from scoring.score import Status
from scoring.syntax import ONE, Node, is_number, negate
from scoring.tree_distance import Tree, find_edits, flatten

__all__ = ["POLICIES", "EedResult", "score_eed"]

POLICIES = ("corrected", "official")
FULL = 100.0


def score_eed(target: str, answer: str, *, policy: str = "corrected", trees: bool = True) -> EedResult:
    """Score an answer by Expression Edit Distance to the target; never raises for any text.

    Not symmetric: the size of the target normalises. Raises ValueError for an unknown policy only.
    """
    if policy not in POLICIES:
        raise ValueError(f"policy {policy!r} is none of {', '.join(POLICIES)}")
    try:
        if policy == "official":
            from scoring.eed_official import score_official  # pulls in the ANTLR runtime

            return score_official(target, answer, trees=trees)
        return _score_corrected(target, answer, trees)
    except DeadlineExceeded as error:
        return EedResult(0.0, Status.TIMEOUT, False, explanation=f"refused before evaluation: {error}")
    except RecursionError:
        return EedResult(0.0, Status.UNPARSEABLE, False, explanation="the formula is nested too deep")
    except MemoryError:
        return EedResult(0.0, Status.TIMEOUT, False, explanation="the comparison needs too much memory")


def _score_corrected(target: str, answer: str, trees: bool) -> EedResult:
    if not answer.strip():
        return EedResult(0.0, Status.NO_ANSWER, False, explanation="the answer is empty")
    target, answer = spell_out(target), spell_out(answer)
    try:
        left = parse_formula(target)
    except (ParseError, DeadlineExceeded) as error:
        return EedResult(None, Status.UNSCORABLE, False, explanation=f"the target cannot be read: {error}")
    if strip_math(target) == strip_math(answer):
        return _equivalent("the same text", ())
    try:
        right = parse_formula(answer)
    except ParseError as error:
        return EedResult(0.0, Status.UNPARSEABLE, False, explanation=f"the answer cannot be read: {error}")
    comparison = compare_texts(target, answer, left, right)
    if comparison.verdict.equal:
        return _equivalent(comparison.verdict.reason, comparison.verdict.flags)
    return _score_by_distance(comparison, trees)


def _equivalent(reason: str, flags: tuple[str, ...]) -> EedResult:
    return EedResult(FULL, Status.SCORED, True, 0.0, None, 0.0, flags=flags, explanation=f"equivalent: {reason}")


def _score_by_distance(comparison: Comparison, trees: bool) -> EedResult:
    flags = set(comparison.verdict.flags)
    if comparison.verdict.equal is None:
        flags.add("undecided")
    target, answer = _sides_to_compare(comparison)
    left = prepare_target(target)
    right = prepare_answer(answer, left.names)
    best = measure(right, left)
    if best.distance == 0 and comparison.verdict.equal is None:
        return _equivalent("the same tree", tuple(sorted(flags)))
    if best.distance == 0:  # values agree, the statements around them do not
        left = _with_statement(comparison.target, left)
        best = measure(_with_statement(comparison.answer, right), left)
        best = replace(best, distance=best.distance or 1.0)
    if left.unsimplified or right.unsimplified:
        flags.add("unsimplified")
    if _is_numeric_shortcut(target, answer):
        flags.add("numeric")
    return _distance_result(best, tuple(sorted(flags)), comparison.verdict.reason, trees)


def _distance_result(best: Measured, flags: tuple[str, ...], reason: str, trees: bool) -> EedResult:
    size = best.target.size
    return EedResult(
        max(0.0, 60.0 - 100.0 * best.distance / size),
        Status.SCORED,
        False,
        best.distance,
        size,
        best.distance / size,
        find_edits(flatten(best.answer), flatten(best.target)) if trees else (),
        best.target if trees else None,
        best.answer if trees else None,
        flags,
        f"{reason}; {describe_distance(best.distance, size)}",
    )


def _sides_to_compare(comparison: Comparison) -> tuple[Node, Node]:
    """The values; for equations to zero, the other side; degrees are left out where both sides count in them."""
    target, answer = comparison.target, comparison.answer
    left, right = target.value, answer.value
    if target.is_equation_to_zero:
        left = _gap(target)
        right = _gap(answer) if answer.is_equation_to_zero else right
    if _has_degrees(left) and _has_degrees(right):
        left, right = _drop_degrees(left), _drop_degrees(right)
    return left, right


def _gap(formula: Formula) -> Node:
    first = formula.sides[0]
    if first is None or is_number(first, 0):
        return formula.value
    return first if is_number(formula.value, 0) else Node("add", (first, negate(formula.value)))


def _has_degrees(node: Node) -> bool:
    return any(part.op == "const" and part.value == "deg" for part in node.walk())


def _drop_degrees(node: Node) -> Node:
    if node.op == "const" and node.value == "deg":
        return ONE
    return Node(node.op, tuple(_drop_degrees(arg) for arg in node.args), node.value)


def _with_statement(formula: Formula, side: PreparedSide) -> PreparedSide:
    """The value's tree below a node that also holds left sides and conditions."""
    parts = [part for part in formula.sides[:-1] if part is not None]
    for condition in formula.conditions:
        parts.extend(part for part in condition.sides if part is not None)
    label = "function_statement" + "".join(formula.relations)
    rest = [prepare_answer(part, side.names) for part in parts]
    trees = tuple(Tree(label, (tree, *(part.trees[place] for part in rest))) for place, tree in enumerate(side.trees))
    return PreparedSide(trees, tuple(flatten(tree) for tree in trees), side.names, side.unsimplified)


def _is_numeric_shortcut(target: Node, answer: Node) -> bool:
    """True where the answer holds a decimal and the target is exact: `0.866a` for `\\sqrt{3}a/2`."""
    return _has_decimal(answer) and not _has_decimal(target)


def _has_decimal(node: Node) -> bool:
    return any(part.op == "num" and Fraction(part.value).denominator in _DECIMALS for part in node.walk())


_DECIMALS = frozenset(
    10**power // 2**down for power in range(2, 16) for down in range(0, 3) if 10**power % 2**down == 0
)
