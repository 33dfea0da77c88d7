"""sympy.simplify with the expensive and fruitless parts taken out of its sight.

Most of simplify's time goes into trying trigonometric identities on large arguments and into multiplying out sums below
roots. An argument is simplified on its own and stands as one symbol while identities are tried; a function that occurs
once, in the first power, and shares no symbol with another one cannot take part in any identity and stands as a symbol
itself; in a large formula so do sums below roots and exponents. What is still too large after that is left as it is.
"""

from __future__ import annotations

import math
from typing import Any

import sympy
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction

LARGE_OPERATIONS = 19  # operations of a formula from which sums below roots are hidden
MAX_OPERATIONS = 90  # operations left after hiding
MAX_TERMS = 150  # terms of numerator and denominator when brought together and multiplied out
MAX_SEARCHED_OPERATIONS = 45  # operations of a formula in which trigonometric identities are tried
FEW_FUNCTIONS = 4  # beyond, squares such as sin^2 are hidden too
_MANY = 10**9
_PERIODIC = (TrigonometricFunction, HyperbolicFunction)
_FAILURES = (TypeError, ValueError, AttributeError, NotImplementedError, ArithmeticError, RecursionError, KeyError)
Hidden = dict[sympy.Symbol, sympy.Expr]


def simplify_positive(expression: sympy.Expr) -> tuple[sympy.Expr, bool]:
    """Simplified form for positive symbols, and whether it was simplified at all.

    What sympy cannot handle, and what is too large, stays as it is. The choice depends on the formula alone.
    """
    try:
        return _simplify(expression), True
    except _TooLargeError:
        return expression, False
    except _FAILURES:
        return expression, True


class _TooLargeError(Exception):
    pass


def _simplify(expression: sympy.Expr) -> sympy.Expr:
    if not expression.has(sympy.Add, sympy.Function):  # a monomial in positive symbols is in normal form already
        return expression
    hidden: Hidden = {}
    masked = expression
    if masked.has(*_PERIODIC):
        masked = _hide_functions(_hide_arguments(masked, hidden), hidden)
    if masked.count_ops() > LARGE_OPERATIONS:
        masked = _hide_sums_in_powers(masked, hidden)
    top, bottom = _count_terms(masked)
    if top + bottom > MAX_TERMS or masked.count_ops() > MAX_OPERATIONS:
        raise _TooLargeError
    if masked.is_Add and masked.count_ops() > LARGE_OPERATIONS:
        return _show(sympy.Add(*map(sympy.simplify, _split_unrelated(masked))), hidden)
    return _show(sympy.simplify(masked), hidden)


def _split_unrelated(total: sympy.Expr) -> list[sympy.Expr]:
    """Terms of a sum grouped so that no two groups share a symbol: nothing cancels between groups."""
    groups: list[tuple[set[sympy.Basic], list[sympy.Expr]]] = []
    for term in total.args:
        names, terms = set(term.free_symbols), [term]
        for group in [group for group in groups if group[0] & names]:
            groups.remove(group)
            names |= group[0]
            terms = [*group[1], *terms]
        groups.append((names, terms))
    return [sympy.Add(*terms) for _, terms in groups]


def _show(expression: sympy.Expr, hidden: Hidden) -> sympy.Expr:
    """Put back what was hidden, the last first: later masks may hold earlier ones."""
    for mask in reversed(hidden):
        expression = expression.xreplace({mask: hidden[mask]})
    return expression


def _hide(hidden: Hidden, value: sympy.Expr) -> sympy.Symbol:
    mask = sympy.Symbol(f"x_hidden{len(hidden):03d}", positive=True)
    hidden[mask] = value
    return mask


def _outermost(expression: sympy.Expr) -> list[sympy.Expr]:
    atoms = expression.atoms(*_PERIODIC)
    outer = [atom for atom in atoms if not any(other is not atom and other.has(atom) for other in atoms)]
    return sorted(outer, key=sympy.default_sort_key)


def _hide_arguments(expression: sympy.Expr, hidden: Hidden) -> sympy.Expr:
    arguments: dict[sympy.Expr, sympy.Expr] = {}
    functions: dict[sympy.Expr, sympy.Expr] = {}
    for atom in _outermost(expression):
        argument = atom.args[0]
        if argument not in arguments:
            short = _simplify(argument) if _is_large(argument) else argument
            arguments[argument] = _hide(hidden, short) if _is_large(short) else short
        functions[atom] = atom.func(arguments[argument])
    return expression.xreplace(functions)


def _is_large(argument: sympy.Expr) -> bool:
    roots = any(power.exp.is_Rational and not power.exp.is_Integer for power in argument.atoms(sympy.Pow))
    return roots or argument.has(sympy.Add) or len(argument.free_symbols) > 2


def _hide_functions(expression: sympy.Expr, hidden: Hidden) -> sympy.Expr:
    """Functions that take part in no identity; in a formula too large for the search, all of them."""
    atoms = _outermost(expression)
    is_large = expression.count_ops() > MAX_SEARCHED_OPERATIONS
    for atom in atoms:
        if is_large:
            expression = expression.xreplace({atom: _hide(hidden, atom)})
            continue
        if any(other is not atom and other.free_symbols & atom.free_symbols for other in atoms):
            continue
        if len(atoms) <= FEW_FUNCTIONS and _occurs_in_higher_power(atom, expression):
            continue
        expression = expression.xreplace({atom: _hide(hidden, atom)})
    return expression


def _occurs_in_higher_power(atom: sympy.Expr, expression: sympy.Expr) -> bool:
    return any(abs(power.exp) != 1 for power in expression.atoms(sympy.Pow) if power.base == atom)


def _hide_sums_in_powers(expression: sympy.Expr, hidden: Hidden) -> sympy.Expr:
    """Sums below roots, and large exponents, each simplified on its own; the innermost first."""
    powers = [power for power in expression.atoms(sympy.Pow, sympy.exp) if _holds_sum(power)]
    for power in sorted(powers, key=lambda power: (power.count_ops(), sympy.default_sort_key(power))):
        inner = power.args[0]
        shown = inner.xreplace(dict(_replaced(hidden)))
        mask = _hide(hidden, _simplify(shown))
        expression = expression.xreplace({inner: mask})
    return expression


def _replaced(hidden: Hidden) -> Any:
    return ((value, mask) for mask, value in hidden.items())


def _holds_sum(power: sympy.Expr) -> bool:
    if isinstance(power, sympy.exp):
        return bool(power.args[0].has(sympy.Add)) or power.args[0].count_ops() > 6
    return power.base.is_Add and power.exp.is_Rational and not power.exp.is_Integer


def _count_terms(expression: sympy.Expr) -> tuple[int, int]:
    """About how many terms numerator and denominator have when brought together; roots and functions are one."""
    if expression.is_Add:
        top, bottom = 0, 1
        for up, down in map(_count_terms, expression.args):
            top, bottom = min(top * down + up * bottom, _MANY), min(bottom * down, _MANY)
        return top, bottom
    if expression.is_Mul:
        parts = [_count_terms(arg) for arg in expression.args]
        return min(math.prod(up for up, _ in parts), _MANY), min(math.prod(down for _, down in parts), _MANY)
    if expression.is_Pow and expression.exp.is_Integer:
        up, down = _count_terms(expression.base)
        degree = min(abs(int(expression.exp)), 100)
        grown = min(math.comb(min(up, 10_000) + degree - 1, degree), _MANY), min(down**degree, _MANY)
        return grown if expression.exp > 0 else (grown[1], grown[0])
    return 1, 1
