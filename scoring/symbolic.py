"""Node -> sympy. Names become positive symbols; what sympy has no word for becomes an unknown function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy

from scoring.errors import DeadlineExceeded, ParseError
from scoring.size_guard import check_size
from scoring.syntax import Node

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
    "cot": sympy.cot,
    "sec": sympy.sec,
    "csc": sympy.csc,
    "sinh": sympy.sinh,
    "cosh": sympy.cosh,
    "tanh": sympy.tanh,
    "coth": sympy.coth,
    "sech": sympy.sech,
    "csch": sympy.csch,
    "asin": sympy.asin,
    "acos": sympy.acos,
    "atan": sympy.atan,
    "acot": sympy.acot,
    "asec": sympy.asec,
    "acsc": sympy.acsc,
    "asinh": sympy.asinh,
    "acosh": sympy.acosh,
    "atanh": sympy.atanh,
    "acoth": sympy.acoth,
    "asech": sympy.asech,
    "acsch": sympy.acsch,
    "exp": sympy.exp,
    "ln": sympy.log,
    "abs": sympy.Abs,
    "sgn": sympy.sign,
    "erf": sympy.erf,
    "erfc": sympy.erfc,
    "factorial": sympy.factorial,
    "binomial": sympy.binomial,
    "max": sympy.Max,
    "min": sympy.Min,
    "floor": sympy.floor,
    "ceil": sympy.ceiling,
}
_CONSTANTS = {
    "pi": sympy.pi,
    "e": sympy.E,
    "i": sympy.I,
    "oo": sympy.oo,
    "deg": sympy.pi / 180,
    "pm": sympy.Symbol("±", positive=True),
}
Names = Mapping[str, sympy.Symbol] | Callable[[str], sympy.Symbol]


def positive_symbol(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, positive=True)


def to_sympy(node: Node, name_symbol: Callable[[str], sympy.Symbol] = positive_symbol) -> sympy.Expr:
    """sympy expression of a node. Raises DeadlineExceeded for hostile sizes and ParseError for what has no value."""
    check_size(node)
    try:
        return _Builder(name_symbol).build(node)
    except RecursionError:
        raise ParseError("formula nested too deep to evaluate") from None
    except (TypeError, ValueError, AttributeError, NotImplementedError, ZeroDivisionError) as error:
        raise ParseError(f"no value: {error}") from error
    except (OverflowError, MemoryError) as error:
        raise DeadlineExceeded(f"a number is too large: {error}") from error


class _Builder:
    def __init__(self, name_symbol: Callable[[str], sympy.Symbol]) -> None:
        self.name_symbol = name_symbol

    def build(self, node: Node) -> Any:
        op = node.op
        if op == "num":
            value = Fraction(node.value)
            return sympy.Rational(value.numerator, value.denominator)
        if op == "sym":
            return self.name_symbol(str(node.value))
        if op == "const":
            return _CONSTANTS[str(node.value)]
        arguments = [self.build(arg) for arg in node.args]
        if op == "add":
            return sympy.Add(*arguments)
        if op == "mul":
            return sympy.Mul(*arguments)
        if op == "pow":
            return sympy.Pow(*arguments)
        if op == "fn" and node.value in _FUNCTIONS:
            return _FUNCTIONS[str(node.value)](*arguments)
        return self._build_unknown(node, arguments)

    def _build_unknown(self, node: Node, arguments: list[Any]) -> Any:
        """Calls, vectors, sums and integrals: functions of their parts, named by kind."""
        if node.op == "call":
            return sympy.Function(self.name_symbol(str(node.value)).name)(*arguments)
        if node.op == "cross" and arguments[0].compare(arguments[1]) > 0:
            return -sympy.Function("cross")(arguments[1], arguments[0])
        if node.op == "dot":
            return sympy.Mul(*arguments)
        name = str(node.value) if node.op == "fn" else f"{node.op}{node.value}"
        return sympy.Function(name)(*arguments)
