"""The same values with 40 digits at a few points: confirms what double precision suggests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from mpmath import MPContext

from scoring.latex_tables import HYPERBOLIC, TRIGONOMETRIC
from scoring.syntax import Node

DIGITS = 40
_MP = MPContext()
_MP.dps = DIGITS + 8


class NoPreciseValueError(Exception):
    """The formula holds something that is only known approximately (an integral, an unknown function)."""


_INVERTIBLE = (*TRIGONOMETRIC, *HYPERBOLIC)
_NAMES = (*_INVERTIBLE, *(f"a{name}" for name in _INVERTIBLE), "exp", "erf", "erfc", "factorial", "binomial", "floor")
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ln": _MP.log,
    "abs": abs,
    **{name: getattr(_MP, name) for name in _NAMES},
}
_CONSTANTS = {"pi": _MP.pi, "e": _MP.e, "i": _MP.mpc(0, 1), "deg": _MP.pi / 180}


def to_precise(value: complex) -> Any:
    return _MP.mpf(value.real)


def evaluate_precisely(node: Node, values: Mapping[str, Any], plus_minus: int = 1) -> Any:
    """Raises NoPreciseValueError, ZeroDivisionError, OverflowError or ValueError where there is no such value."""
    op = node.op
    if op == "sym":
        return values[str(node.value)]
    if op == "num":
        value = Fraction(node.value)
        return _MP.mpf(value.numerator) / value.denominator if value.denominator != 1 else _MP.mpf(value.numerator)
    if op == "const" and node.value in _CONSTANTS:
        return +_CONSTANTS[str(node.value)]
    if op == "const" and node.value == "pm":
        return plus_minus
    if op in ("add", "mul", "pow", "fn", "dot"):
        arguments = [evaluate_precisely(arg, values, plus_minus) for arg in node.args]
        return _combine(node, arguments)
    raise NoPreciseValueError(op)


def _combine(node: Node, arguments: list[Any]) -> Any:
    if node.op == "add":
        total = arguments[0]
        for argument in arguments[1:]:
            total = total + argument
        return total
    if node.op in ("mul", "dot"):
        total = arguments[0]
        for argument in arguments[1:]:
            total = total * argument
        return total
    if node.op == "pow":
        exponent = node.args[1]
        if exponent.op == "num" and Fraction(exponent.value).denominator == 1:
            return arguments[0] ** int(Fraction(exponent.value))
        if exponent.op == "num" and exponent.value == Fraction(1, 2):
            return _MP.sqrt(arguments[0])
        return _MP.power(arguments[0], arguments[1])
    function = _FUNCTIONS.get(str(node.value))
    if function is None:
        raise NoPreciseValueError(str(node.value))
    return function(*arguments)


def agree_precisely(left: Any, right: Any) -> bool:
    """Equal to 25 digits, relative to the larger one. What cancellation leaves over (1e-100 to 1e-30) counts as zero;
    smaller numbers are real ones: exp(-1e24) does not vanish here."""
    size = max(abs(left), abs(right))
    if abs(left - right) <= size * _MP.mpf(10) ** -25:
        return True
    return bool(_MP.mpf(10) ** -100 < size < _MP.mpf(10) ** -30)
