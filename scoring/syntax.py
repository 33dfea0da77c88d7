"""The formula as read: a small immutable tree that costs little to build and nothing to compare.

Reading, numeric checks and canonical naming work on it; sympy is asked only for what differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Node:
    """One operation, leaf or container.

    op: num (value Fraction), sym (value name), const (value pi, e, i, oo, deg, pm), add, mul, pow (base, exponent),
    fn (value name of a known function), call (value name of an unknown one), tuple, matrix (value "rows x columns"),
    cross, dot, sum, prod, int (body, variable or empty symbol, then bounds).
    """

    op: str
    args: tuple[Node, ...] = ()
    value: str | Fraction = ""

    def walk(self) -> Iterator[Node]:
        """This node and all below, parents first, without recursion."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.args))


MINUS_ONE = Node("num", (), Fraction(-1))
ZERO = Node("num", (), Fraction(0))
ONE = Node("num", (), Fraction(1))
PLUS_MINUS = Node("const", (), "pm")


def number(value: Fraction | int) -> Node:
    return Node("num", (), Fraction(value))


def symbol(name: str) -> Node:
    return Node("sym", (), name)


def constant(name: str) -> Node:
    return Node("const", (), name)


def function(name: str, *args: Node) -> Node:
    return Node("fn", args, name)


def add(terms: list[Node]) -> Node:
    return terms[0] if len(terms) == 1 else Node("add", tuple(terms))


def multiply(factors: list[Node]) -> Node:
    """Product with nested products flattened, so that the order of factors is the order of reading."""
    if len(factors) == 1:
        return factors[0]
    flat: list[Node] = []
    for factor in factors:
        flat.extend(factor.args if factor.op == "mul" else (factor,))
    return Node("mul", tuple(flat))


def negate(node: Node) -> Node:
    if node.op == "num" and isinstance(node.value, Fraction):
        return number(-node.value)
    return multiply([MINUS_ONE, node])


def power(base: Node, exponent: Node) -> Node:
    return Node("pow", (base, exponent))


def divide(top: Node, bottom: Node) -> Node:
    return multiply([top, power(bottom, MINUS_ONE)])


def is_number(node: Node, value: int | None = None) -> bool:
    return node.op == "num" and (value is None or node.value == value)


def symbols_in(node: Node) -> list[str]:
    """Names in order of first appearance."""
    return list(dict.fromkeys(str(part.value) for part in node.walk() if part.op in ("sym", "call")))
