"""Products that are more than products: quotients of differentials, cross and dot products of vectors."""

from __future__ import annotations

from fractions import Fraction

from scoring.syntax import MINUS_ONE, ONE, Node, multiply, power, symbol


def join_vectors(left: Node, right: Node, sign: str) -> Node | None:
    """Cross and dot products stand only between two vectors; any other \\times or \\cdot is a product."""
    factors = list(left.args) if left.op == "mul" else [left]
    if sign not in ("\\times", "\\cdot") or not _is_vector(factors[-1]):
        return None
    others = list(right.args) if right.op == "mul" else [right]
    place = next((index for index, factor in enumerate(others) if _is_vector(factor)), None)
    if place is None:
        return None
    joined = Node("cross" if sign == "\\times" else "dot", (factors[-1], others[place]))
    return multiply([*factors[:-1], *others[:place], joined, *others[place + 1 :]])


def _is_vector(node: Node) -> bool:
    if node.op == "sym":
        return str(node.value).startswith(("vec ", "hat ", "dot vec ", "nabla"))
    if node.op == "add":
        return any(_is_vector(term) or (term.op == "mul" and any(map(_is_vector, term.args))) for term in node.args)
    return node.op in ("cross", "tuple")


def _differential(node: Node) -> tuple[str, int, list[Node]] | None:
    """(mark, order, rest) of a product that begins with d, \\partial or a power of it."""
    factors = list(node.args) if node.op == "mul" else [node]
    head = factors[0]
    base, order = head, 1
    if head.op == "pow" and head.args[1].op == "num":
        base, order = head.args[0], int(Fraction(head.args[1].value))
    if base.op != "sym" or base.value not in ("d", "partial", "delta", "Delta"):
        return None
    return str(base.value), order, factors[1:]


def as_derivative(top: Node, bottom: Node) -> Node | None:
    """`dv/dt` as a quotient of differentials, so that d does not cancel; None for any other fraction."""
    upper, lower = _differential(top), _differential(bottom)
    if upper is None or lower is None or upper[0] != lower[0] or upper[0] in ("delta", "Delta") or not lower[2]:
        return None
    mark, order, rest = upper
    over = [
        symbol(f"{mark}{order if order > 1 else ''} {_spell(rest)}" if rest else f"{mark}{order if order > 1 else ''}")
    ]
    under: list[Node] = []
    factors = list(bottom.args)
    index = 0
    while index < len(factors):
        if factors[index].op == "sym" and factors[index].value == mark and index + 1 < len(factors):
            below = factors[index + 1]
            index += 2
        elif factors[index].op == "sym" and str(factors[index].value) == mark:
            return None
        else:
            below = factors[index]
            index += 1
        exponent = below.args[1] if below.op == "pow" else ONE
        base = below.args[0] if below.op == "pow" else below
        under.append(
            power(
                symbol(f"{mark} {_spell([base])}"),
                multiply([MINUS_ONE, exponent]) if exponent is not ONE else MINUS_ONE,
            )
        )
    return multiply([*over, *under])


def _spell(nodes: list[Node]) -> str:
    return " ".join(str(part.value or part.op) for node in nodes for part in node.walk())


def join_operator_derivatives(factors: list[Node]) -> list[Node]:
    """`\\frac{d}{dt} v` -> `\\frac{dv}{dt}`: the operator takes the symbol that follows."""
    joined: list[Node] = []
    index = 0
    while index < len(factors):
        factor = factors[index]
        head = factor.args[0] if factor.op == "mul" else factor
        bare = head.op == "sym" and str(head.value).rstrip("0123456789") in ("d", "partial") and factor.op == "mul"
        if (
            bare
            and factor.args[1].op == "pow"
            and index + 1 < len(factors)
            and factors[index + 1].op in ("sym", "call")
        ):
            target = factors[index + 1]
            joined.append(multiply([symbol(f"{head.value} {_spell([target])}"), *factor.args[1:]]))
            index += 2
            continue
        joined.append(factor)
        index += 1
    return joined
