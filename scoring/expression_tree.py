"""Formulas as trees for the edit distance: canonical names, simplified by sympy, one node per operation.

Symbols are numbered by first appearance in the target, then in the answer, before sympy sees them. sympy sorts by name,
so this makes the order of children, the simplified form and the distance independent of how quantities are called.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sympy

from scoring.errors import DeadlineExceeded, ParseError
from scoring.size_guard import may_simplify
from scoring.symbolic import to_sympy
from scoring.syntax import Node, symbols_in
from scoring.tree_distance import FlatTree, Tree, flatten

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PreparedSide:
    """names: symbols by number. unsimplified: too large for sympy.simplify, taken as it stands."""

    tree: Tree
    flat: FlatTree
    names: Names
    unsimplified: bool = False


@lru_cache(maxsize=1024)
def prepare_target(node: Node) -> PreparedSide:
    return _prepare(node, ())


def prepare_answer(node: Node, names: Names) -> PreparedSide:
    return _prepare(node, names)


def _prepare(node: Node, known: Names) -> PreparedSide:
    names = tuple(dict.fromkeys((*known, *symbols_in(node))))
    places = {name: place for place, name in enumerate(names)}
    expression = to_sympy(node, lambda name: numbered_symbol(places[name]))
    simplify = may_simplify(node)
    if simplify:
        expression = simplify_positive(expression)
    tree = to_tree(expression, names)
    return PreparedSide(tree, flatten(tree), names, not simplify)


@lru_cache(maxsize=512)
def numbered_symbol(place: int) -> sympy.Symbol:
    return sympy.Symbol(f"x{place:03d}", positive=True)


def simplify_positive(expression: sympy.Expr) -> sympy.Expr:
    """sympy.simplify; what it cannot handle stays as it is."""
    try:
        return sympy.simplify(expression)
    except (TypeError, ValueError, AttributeError, NotImplementedError, ArithmeticError, RecursionError, KeyError):
        return expression


_NUMBERS = (sympy.Rational, sympy.Float)
_CONSTANT_LABELS = {sympy.pi: "number_pi", sympy.E: "number_E", sympy.oo: "number_oo", -sympy.oo: "number_-oo"}


def to_tree(expression: sympy.Basic, names: Names) -> Tree:
    """Labels as in the released scorer: number_, symbol_, operator_ and function_ with sympy's names."""
    if isinstance(expression, sympy.Symbol):
        name = expression.name
        return Tree(f"symbol_{names[int(name[1:])] if name[1:].isdigit() else name}")
    if isinstance(expression, _NUMBERS) or not expression.args:
        return Tree(_CONSTANT_LABELS.get(expression, f"number_{expression}"))
    children = tuple(to_tree(arg, names) for arg in expression.args)
    kind = "operator" if isinstance(expression, (sympy.Add, sympy.Mul, sympy.Pow)) else "function"
    name = type(expression).__name__
    if name.startswith("x") and name[1:].isdigit() and int(name[1:]) < len(names):
        name = names[int(name[1:])]
    return Tree(f"{kind}_{name}", children)


__all__ = [
    "DeadlineExceeded",
    "ParseError",
    "PreparedSide",
    "prepare_answer",
    "prepare_target",
    "simplify_positive",
    "to_tree",
]
