"""sympy.simplify with the expensive and fruitless parts taken out of its sight.

Most of simplify's time goes into trying trigonometric identities on large arguments. An argument is simplified on its
own and stands as one symbol while the identities are tried; a function that occurs once, in the first power, and shares
no symbol with another one cannot take part in any identity and stands as a symbol itself.
"""

from __future__ import annotations

import sympy
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction

_PERIODIC = (TrigonometricFunction, HyperbolicFunction)
_FAILURES = (TypeError, ValueError, AttributeError, NotImplementedError, ArithmeticError, RecursionError, KeyError)


def simplify_positive(expression: sympy.Expr) -> sympy.Expr:
    """Simplified form for positive symbols; what sympy cannot handle stays as it is."""
    try:
        return _simplify_masked(expression)
    except _FAILURES:
        return expression


def _simplify_masked(expression: sympy.Expr) -> sympy.Expr:
    if not expression.has(sympy.Add, sympy.Function):  # a monomial in positive symbols is in normal form already
        return expression
    if not expression.has(*_PERIODIC):
        return sympy.simplify(expression)
    hidden: dict[sympy.Symbol, sympy.Expr] = {}
    masked = _hide_arguments(expression, hidden)
    masked = _hide_lonely(masked, hidden)
    return sympy.simplify(masked).xreplace(hidden)


def _outermost(expression: sympy.Expr) -> list[sympy.Expr]:
    atoms = expression.atoms(*_PERIODIC)
    outer = [atom for atom in atoms if not any(other is not atom and other.has(atom) for other in atoms)]
    return sorted(outer, key=sympy.default_sort_key)


def _hide_arguments(expression: sympy.Expr, hidden: dict[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    arguments: dict[sympy.Expr, sympy.Expr] = {}
    functions: dict[sympy.Expr, sympy.Expr] = {}
    for atom in _outermost(expression):
        argument = atom.args[0]
        if argument not in arguments:
            short = _simplify_masked(argument) if _is_large(argument) else argument
            if _is_large(short):
                mask = sympy.Symbol(f"x_argument{len(hidden):03d}", positive=True)
                hidden[mask], short = short, mask
            arguments[argument] = short
        functions[atom] = atom.func(arguments[argument])
    return expression.xreplace(functions)


def _is_large(argument: sympy.Expr) -> bool:
    roots = any(power.exp.is_Rational and not power.exp.is_Integer for power in argument.atoms(sympy.Pow))
    return roots or argument.has(sympy.Add) or len(argument.free_symbols) > 2


def _hide_lonely(expression: sympy.Expr, hidden: dict[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    atoms = _outermost(expression)
    for atom in atoms:
        if any(other is not atom and other.free_symbols & atom.free_symbols for other in atoms):
            continue
        if any(abs(power.exp) != 1 for power in expression.atoms(sympy.Pow) if power.base == atom):
            continue
        mask = sympy.Symbol(f"x_function{len(hidden):03d}", positive=True)
        expression = expression.xreplace({atom: mask})
        hidden[mask] = atom.xreplace(hidden)
    return expression
