"""Arithmetic on exam points: decimal, so that 0.67 + 0.67 + 0.66 is 2 and 9.8 reaches a threshold of 9.8."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal


def to_decimal(points: float) -> Decimal:
    """The decimal number a person wrote, not the binary one nearest to it."""
    return Decimal(repr(points))


def add_points(points: Iterable[float]) -> float:
    return float(sum((to_decimal(p) for p in points), Decimal(0)))


def mean_points(points: Iterable[float]) -> float | None:
    """Mean to twelve places; None of nothing."""
    values = [to_decimal(p) for p in points]
    if not values:
        return None
    return float(round(sum(values, Decimal(0)) / len(values), 12))


def is_same(left: float, right: float) -> bool:
    """Equal as decimals, up to the noise of a sum that was made in binary."""
    return abs(to_decimal(left) - to_decimal(right)) < Decimal("1e-9")
