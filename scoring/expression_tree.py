"""Formulas as trees for the edit distance: canonical names, simplified by sympy, one node per operation.

sympy orders the children of sums and products by name, and the released distance depends on that order. Here symbols
are numbered by first appearance in the target, then in the answer, before sympy sees them, so that nothing depends on
how quantities are called; the smallest distance under three numberings (forwards, backwards, rotated by half) counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import sympy

from scoring.constants import MARK, shield_large_numbers
from scoring.simplification import simplify_positive
from scoring.size_guard import may_simplify
from scoring.symbolic import to_sympy
from scoring.syntax import Node, symbols_in
from scoring.tree_distance import FlatTree, Tree, flatten, tree_distance

MAX_CELLS = 10_000  # nodes times nodes; larger pairs are measured in the first order only
_STEP = 10
_LAST = 99_999


@dataclass(frozen=True, slots=True)
class PreparedSide:
    """orders: the tree under each numbering, in post-order. names: of the target's symbols, by number.

    unsimplified: too large for sympy.simplify, taken as it stands.
    """

    trees: tuple[Tree, ...]
    orders: tuple[FlatTree, ...]
    names: tuple[str, ...]
    unsimplified: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """The smallest distance found, and the pair of trees (answer, target) that has it."""

    distance: float
    answer: Tree
    target: Tree


def measure(answer: PreparedSide, target: PreparedSide) -> Measured:
    best, place = tree_distance(answer.orders[0], target.orders[0]), 0
    for other in range(1, len(target.orders)):
        if best <= 1 or answer.orders[0].size * target.orders[0].size > MAX_CELLS:  # one edit cannot be undercut
            break
        distance = tree_distance(answer.orders[other], target.orders[other])
        if distance < best:
            best, place = distance, other
    return Measured(best, answer.trees[place], target.trees[place])


@lru_cache(maxsize=1024)
def prepare_target(node: Node) -> PreparedSide:
    return _prepare(node, (), len(symbols_in(node)))


def prepare_answer(node: Node, names: tuple[str, ...]) -> PreparedSide:
    return _prepare(node, names, len(names))


def _prepare(node: Node, known: tuple[str, ...], count: int) -> PreparedSide:
    node = shield_large_numbers(node)
    mine = symbols_in(node)
    numbers = _number_names(known, mine)
    expression = to_sympy(node, lambda name: numbered_symbol(numbers[name]))
    simplified = may_simplify(node)
    if simplified:
        expression, simplified = simplify_positive(expression)
    trees = tuple(_tree_in_order(expression, numbers, order) for order in _orders(count))
    names = tuple(dict.fromkeys((*known, *mine)))
    return PreparedSide(trees, tuple(flatten(tree) for tree in trees), names, not simplified)


def _number_names(known: tuple[str, ...], mine: list[str]) -> dict[str, int]:
    """Known names by tens; a new name stands right behind the known one that it seems to replace, by appearance."""
    numbers = {name: place * _STEP for place, name in enumerate(known)}
    missing = [name for name in known if name not in mine]
    new = [name for name in mine if name not in numbers]
    for place, name in enumerate(new):
        numbers[name] = numbers[missing[place]] + 1 if place < len(missing) else (len(known) + place) * _STEP
    return numbers


def _orders(count: int) -> tuple[Callable[[int], int], ...]:
    """Renumberings: forwards, backwards, and the target's names rotated by half their count."""
    length, shift = count * _STEP, count // 2 * _STEP
    return (
        lambda number: number,
        lambda number: _LAST - number,
        lambda number: (number + shift) % length if number < length else number,
    )


@lru_cache(maxsize=4096)
def numbered_symbol(number: int) -> sympy.Symbol:
    return sympy.Symbol(f"x{number:05d}", positive=True)


def _tree_in_order(expression: sympy.Expr, numbers: Mapping[str, int], order: Callable[[int], int]) -> Tree:
    renamed = {number: order(number) for number in numbers.values()}
    if any(number != other for number, other in renamed.items()):
        pairs = {numbered_symbol(number): numbered_symbol(other) for number, other in renamed.items()}
        expression = expression.xreplace(pairs)
    labels = {f"x{renamed[number]:05d}": name for name, number in numbers.items()}
    calls = {f"x{number:05d}": name for name, number in numbers.items()}
    return to_tree(expression, labels, calls)


_NUMBERS = (sympy.Rational, sympy.Float)
_CONSTANT_LABELS = {sympy.pi: "number_pi", sympy.E: "number_E", sympy.oo: "number_oo", -sympy.oo: "number_-oo"}


def to_tree(expression: sympy.Basic, names: Mapping[str, str], calls: Mapping[str, str]) -> Tree:
    """Labels as in the released scorer: number_, symbol_, operator_ and function_ with sympy's names."""
    if isinstance(expression, sympy.Symbol):
        name = names.get(expression.name, expression.name)
        return Tree(f"number_{name[1:]}" if name.startswith(MARK) else f"symbol_{name}")
    if isinstance(expression, _NUMBERS) or not expression.args:
        return Tree(_CONSTANT_LABELS.get(expression, f"number_{expression}"))
    children = tuple(to_tree(arg, names, calls) for arg in expression.args)
    kind = "operator" if isinstance(expression, (sympy.Add, sympy.Mul, sympy.Pow)) else "function"
    name = type(expression).__name__
    return Tree(f"{kind}_{calls.get(name, name)}", children)
