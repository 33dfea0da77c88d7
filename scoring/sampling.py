"""Values of a formula at fixed pseudo-random points: the quick, sound half of an equality test.

Points belong to a symbol's place (order of first appearance), not to its name, so that renaming changes nothing.
All symbols are positive. Everything is vectorised over POINTS points.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.errors import ParseError
from scoring.syntax import Node

POINTS = 48
MAX_SUM_TERMS = 60
_TABLE_SYMBOLS = 64
_NODES_PER_INTEGRAL = 40
_NODES_TO_INFINITY = 120
Array = npt.NDArray[Any]  # complex128 or float64, one number a point
Mask = npt.NDArray[np.bool_]


def _make_table() -> npt.NDArray[np.float64]:
    """Row per symbol place: a third of the points near 1, a third within a factor 3, a third within a factor 10."""
    random = np.random.default_rng(20250427)
    spread = np.repeat([0.35, 1.1, 2.3], POINTS // 3)
    return np.asarray(np.exp(random.uniform(-1, 1, (_TABLE_SYMBOLS, POINTS)) * spread))


_TABLE = _make_table()


class NotScalarError(ParseError):
    """The formula has no single value: a list, a matrix."""


@dataclass(frozen=True, slots=True)
class Point:
    """Values of all names. second: a second set for vectors, which makes cross products antisymmetric."""

    values: Mapping[str, Array]
    second: Mapping[str, Array]
    plus_minus: int = 1


def make_points(names: Sequence[str], integers: frozenset[str] = frozenset(), plus_minus: int = 1) -> Point:
    """Points for names in order of appearance; names that bound a sum get small integers."""
    values: dict[str, Array] = {}
    second: dict[str, Array] = {}
    for place, name in enumerate(names):
        row = _TABLE[place % _TABLE_SYMBOLS] * (1 + place // _TABLE_SYMBOLS)
        if name in integers:
            row = np.floor(row * 2) % 7 + 2
        values[name] = row.astype(np.complex128)
        is_vector = "vec " in name or "hat " in name or name.startswith("nabla")
        second[name] = np.roll(values[name], 5) * 1.37 if is_vector else values[name]
    return Point(values, second, plus_minus)


@dataclass(frozen=True, slots=True)
class Sample:
    """values: one complex number a point. usable: finite there, and no root, logarithm or inverse left the reals."""

    values: Array
    usable: Mask

    @property
    def finite(self) -> Mask:
        return np.isfinite(self.values)


def evaluate(node: Node, point: Point) -> Sample:
    """Raises NotScalarError for lists and matrices."""
    evaluator = _Evaluator(point)
    with np.errstate(all="ignore"):
        values = np.broadcast_to(evaluator.value(node), (POINTS,))
        return Sample(values, np.isfinite(values) & evaluator.real)


def _acot(x: Array) -> Array:
    return np.arctan(1 / x)


_FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "cot": lambda x: 1 / np.tan(x),
    "sec": lambda x: 1 / np.cos(x),
    "csc": lambda x: 1 / np.sin(x),
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "coth": lambda x: 1 / np.tanh(x),
    "sech": lambda x: 1 / np.cosh(x),
    "csch": lambda x: 1 / np.sinh(x),
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "acot": _acot,
    "asec": lambda x: np.arccos(1 / x),
    "acsc": lambda x: np.arcsin(1 / x),
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "acoth": lambda x: np.arctanh(1 / x),
    "asech": lambda x: np.arccosh(1 / x),
    "acsch": lambda x: np.arcsinh(1 / x),
    "exp": np.exp,
    "ln": np.log,
    "abs": lambda x: np.abs(x).astype(np.complex128),
    "sgn": lambda x: np.sign(x.real).astype(np.complex128),
    "floor": lambda x: np.floor(x.real).astype(np.complex128),
    "ceil": lambda x: np.ceil(x.real).astype(np.complex128),
    "erf": lambda x: _each(math.erf, x),
    "erfc": lambda x: _each(math.erfc, x),
    "factorial": lambda x: _each(lambda v: math.gamma(v + 1) if -1 < v < 100 else math.nan, x),
}
# Where a real argument gives a real value: (lower, upper) bounds.
_DOMAINS = {
    "ln": (0.0, math.inf),
    "asin": (-1.0, 1.0),
    "acos": (-1.0, 1.0),
    "acosh": (1.0, math.inf),
    "atanh": (-1.0, 1.0),
}
_CONSTANTS = {"pi": math.pi, "e": math.e, "i": 1j, "oo": math.inf, "deg": math.pi / 180}


def _each(function: Callable[[float], float], x: Array) -> Array:
    return np.array([function(value) for value in x.real], dtype=np.complex128)


class _Evaluator:
    def __init__(self, point: Point) -> None:
        self.point = point
        self.real: Mask = np.ones(POINTS, dtype=np.bool_)

    def value(self, node: Node) -> Any:
        op = node.op
        if op == "sym":
            return self.point.values[str(node.value)]
        if op == "num":
            return _as_float(node.value)
        if op == "const":
            return self.point.plus_minus if node.value == "pm" else _CONSTANTS[str(node.value)]
        if op == "pow":
            return self._power(node)
        if op in ("add", "mul"):
            total = self.value(node.args[0])
            for arg in node.args[1:]:
                total = total + self.value(arg) if op == "add" else total * self.value(arg)
            return total
        if op == "fn":
            return self._function(node)
        if op in ("tuple", "matrix"):
            raise NotScalarError("a list has no single value")
        return self._rare(node)

    def _power(self, node: Node) -> Any:
        base, exponent = self.value(node.args[0]), node.args[1]
        if exponent.op == "num" and Fraction(exponent.value).denominator == 1 and abs(Fraction(exponent.value)) <= 64:
            whole = int(Fraction(exponent.value))
            if whole == -1:
                return 1 / _array(base)
            return base**whole if whole >= 0 else 1 / _array(base) ** -whole
        base = _array(base)
        self._require((np.abs(base.imag) <= 1e-12 * np.abs(base.real)) & (base.real >= 0))
        return base ** _array(self.value(exponent))

    def _require(self, mask: Mask) -> None:
        self.real &= mask

    def _function(self, node: Node) -> Any:
        name = str(node.value)
        arguments = [_array(self.value(arg)) for arg in node.args]
        if name in _FUNCTIONS and len(arguments) == 1:
            domain = _DOMAINS.get(name)
            if domain:
                x = arguments[0]
                self._require(
                    (np.abs(x.imag) <= 1e-12 * (1 + np.abs(x.real))) & (x.real > domain[0]) & (x.real < domain[1])
                )
            return _FUNCTIONS[name](arguments[0])
        if name in ("max", "min"):
            pick = np.maximum if name == "max" else np.minimum
            total = arguments[0].real
            for argument in arguments[1:]:
                total = pick(total, argument.real)
            return total
        if name == "binomial":
            top, bottom = (_FUNCTIONS["factorial"](argument) for argument in arguments)
            return top / bottom / _FUNCTIONS["factorial"](arguments[0] - arguments[1])
        return _unknown(name, arguments)

    def _rare(self, node: Node) -> Any:
        if node.op == "call":
            arguments = [_array(self.value(arg)) for arg in node.args]
            return _unknown("call", [self.point.values[str(node.value)], *arguments])
        if node.op == "dot":
            return self.value(node.args[0]) * self.value(node.args[1])
        if node.op == "cross":
            left, right = (self.value(arg) for arg in node.args)
            first, self.point = self.point, replace(self.point, values=self.point.second)
            left_second, right_second = (self.value(arg) for arg in node.args)
            self.point = first
            return left * right_second - left_second * right
        return self._bound(node)

    def _bound(self, node: Node) -> Any:
        """Sums and integrals, whatever the bound variable is called; what cannot be summed is an unknown function."""
        body, variable, *bounds = node.args
        limits = [_array(self.value(bound)) for bound in bounds]
        name = str(variable.value) if variable.op == "sym" else ""
        outer = self.point

        def body_at(value: Any) -> Array:
            values = {**outer.values, name: _array(value)}
            self.point = replace(outer, values=values, second={**outer.second, name: _array(value)})
            result = _array(self.value(body))
            self.point = outer
            return result

        if len(limits) == 2 and name and node.op in ("sum", "prod"):
            total = _add_up(body_at, limits, node.op)
            if total is not None:
                return total
        if len(limits) == 2 and name and node.op == "int":
            real = self.real.copy()
            total = _integrate(body_at, limits)
            self.real = real
            return total
        return _unknown(node.op, [body_at(np.full(POINTS, 0.7391)), *limits])


def _as_float(value: str | Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _array(value: Any) -> Array:
    return np.broadcast_to(np.asarray(value, dtype=np.complex128), (POINTS,))


def _unknown(name: str, arguments: list[Array]) -> Array:
    """A smooth stand-in for a function that is not known: equal for equal arguments, generic otherwise."""
    phase = zlib.crc32(name.encode()) % 1000 / 159.0
    total: Array = np.full(POINTS, phase, dtype=np.complex128)
    for place, argument in enumerate(arguments):
        total = total + argument * (1.31 + 0.77 * place) / (1 + np.abs(argument))
    return np.sin(total * 2.1 + phase) + 1.7


def _add_up(body_at: Callable[[Any], Array], limits: list[Array], op: str) -> Array | None:
    lower, upper = limits[0].real, limits[1].real
    if not (np.all(lower == np.floor(lower)) and np.all(upper == np.floor(upper))):
        return None
    start, stop = int(lower.min()), int(upper.max())
    if stop - start > MAX_SUM_TERMS:
        return None
    total: Array = np.full(POINTS, 0 if op == "sum" else 1, dtype=np.complex128)
    for index in range(start, stop + 1):
        inside = (index >= lower) & (index <= upper)
        term = body_at(float(index))
        total = np.where(inside, total + term if op == "sum" else total * term, total)
    return total


_GAUSS = np.polynomial.legendre.leggauss(_NODES_PER_INTEGRAL)
_GAUSS_TO_INFINITY = np.polynomial.legendre.leggauss(_NODES_TO_INFINITY)


def _integrate(body_at: Callable[[Any], Array], limits: list[Array]) -> Array:
    """Gauss-Legendre; infinite ends by x = c + t/(1-t^2). Good to about 1e-8 for smooth integrands."""
    lower, upper = limits
    total: Array = np.zeros(POINTS, dtype=np.complex128)
    infinite = not (np.all(np.isfinite(lower)) and np.all(np.isfinite(upper)))
    low, high = (lower.real, upper.real)
    for node, weight in zip(*(_GAUSS_TO_INFINITY if infinite else _GAUSS)):
        if not infinite:
            half = (upper - lower) / 2
            total = total + weight * half * body_at((upper + lower) / 2 + half * node)
            continue
        left = np.where(np.isfinite(low), 0.0, -1.0)
        right = np.where(np.isfinite(high), 0.0, 1.0)
        t = (left + right) / 2 + (right - left) / 2 * node
        base = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0.0))
        stretch = (1 + t * t) / (1 - t * t) ** 2
        term = body_at(base + t / (1 - t * t)) * stretch * weight * (right - left) / 2
        total = total + np.where(np.isfinite(term), term, 0)
    return total
