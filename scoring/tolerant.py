"""Do two formulas have the same value within a relative tolerance? For references that hold decimals (`0.42 R`)."""

from __future__ import annotations

from scoring.errors import ScoringError

_POINTS = (0.731, 1.287, 0.893, 1.613, 1.109, 0.577, 1.949, 0.839, 1.431, 0.661, 1.753)
_SHIFTS = 5


def agree_within(target: str, answer: str, tolerance: float) -> bool:
    """True if both use the same names and agree at five points of positive values; False also where unreadable."""
    from scoring.latex import parse_value
    from scoring.precise import NoPreciseValueError, evaluate_precisely
    from scoring.size_guard import check_size
    from scoring.syntax import symbols_in

    try:
        mine, theirs = parse_value(target), parse_value(answer)
        check_size(mine)
        check_size(theirs)
    except ScoringError:
        return False
    names = sorted(set(symbols_in(mine)))
    if not names or names != sorted(set(symbols_in(theirs))):
        return False
    for shift in range(_SHIFTS):
        values = {name: _POINTS[(place + shift * 3) % len(_POINTS)] for place, name in enumerate(names)}
        try:
            one, other = evaluate_precisely(mine, values), evaluate_precisely(theirs, values)
        except (NoPreciseValueError, ArithmeticError, ValueError, TypeError, KeyError):
            return False
        if not abs(one - other) <= tolerance * abs(one):
            return False
    return True
