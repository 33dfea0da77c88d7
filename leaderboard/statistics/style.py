"""Style control: ratings with length, formulas and lists held equal, and what each of them is worth.

A logistic regression of the vote on strengths and standardised differences in style (arXiv:2403.04132 and the LMSYS
note on style control, 2024); a tie counts as half a win; errors are clustered by voter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse, stats

from leaderboard.statistics.bradley_terry import RIDGE
from leaderboard.statistics.intervals import INTERVAL_FROM, Kind, t_bounds
from leaderboard.statistics.ratings import Rating, Spread, list_warnings, sandwich_spread, tabulate
from leaderboard.statistics.resampling import FloatArray
from leaderboard.statistics.votes import Votes, check_field

_MAX_ROUNDS = 60


@dataclass(frozen=True, slots=True)
class StyleCoefficient:
    """Change in log odds of winning for one standard deviation more of `name`; `p` two-sided."""

    name: str
    value: float
    low: float | None
    high: float | None
    se: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class StyleTable:
    """Ratings as if both replies had the same style, and the coefficients of style."""

    ratings: tuple[Rating, ...]
    coefficients: tuple[StyleCoefficient, ...]
    warnings: tuple[str, ...]


def relative_difference(first: FloatArray, second: FloatArray) -> FloatArray:
    """(a - b) / (a + b) of two non-negative measures (V,), 0 where both are 0: in [-1, 1] whatever the unit."""
    total = np.asarray(first + second, dtype=np.float64)
    return np.asarray(np.divide(first - second, total, out=np.zeros(total.shape), where=total != 0))


def rate_with_style(votes: Votes, differences: Mapping[str, FloatArray], *, unit_noun: str = "voters") -> StyleTable:
    """Ratings and style coefficients; `differences`: name -> first minus second, (V,), as `relative_difference`.

    Every model must have votes (select first). A difference that never varies has no coefficient and raises
    ValueError by its name.
    """
    styles = np.column_stack([_standardise(name, values) for name, values in differences.items()])
    m, check = votes.n_models, check_field(votes)
    if check.without_votes:
        raise ValueError(f"votes: model positions {check.without_votes} have none")
    design = _design(votes, styles)
    beta = _fit_logistic(design, votes.outcome, m)
    variance = _sandwich_variance(design, votes, beta)
    n_units = votes.n_units
    if n_units < INTERVAL_FROM:
        nothing = np.full(m, np.nan)
        spread = Spread(Kind.NONE, nothing, nothing, nothing)
    else:
        spread = sandwich_spread(beta[:m], variance[:m], n_units)
    coefficients = tuple(
        _coefficient(name, float(beta[m + k]), float(variance[m + k]), n_units) for k, name in enumerate(differences)
    )
    ratings = tabulate(votes, list(range(m)), beta[:m], spread, check)
    return StyleTable(ratings, coefficients, list_warnings(check, n_units, unit_noun))


def _standardise(name: str, values: FloatArray) -> FloatArray:
    deviation = float(np.std(values))
    if not deviation > 0:
        raise ValueError(f"{name}: the difference never varies")
    # Not centred: equal styles must stay at 0, or side and style would mix.
    return np.asarray(values / deviation, dtype=np.float64)


def _design(votes: Votes, styles: FloatArray) -> sparse.csr_array:
    """(V, m + s): +1 first, -1 second, then the styles."""
    n = votes.first.size
    rows = np.tile(np.arange(n), 2)
    sides = sparse.csr_array(
        (np.repeat([1.0, -1.0], n), (rows, np.concatenate([votes.first, votes.second]))), shape=(n, votes.n_models)
    )
    return sparse.csr_array(sparse.hstack([sides, sparse.csr_array(styles)]))


def _fit_logistic(design: sparse.csr_array, outcome: FloatArray, m: int) -> FloatArray:
    """Newton's method with halved steps; strengths have mean 0. The ridge keeps perfect prediction by style finite."""
    beta = np.zeros(design.shape[1])
    value = _log_likelihood(design, outcome, beta)
    for _ in range(_MAX_ROUNDS):
        rate = _expected(design, beta)
        gradient = design.T @ (outcome - rate) - RIDGE * beta
        information = _information(design, rate)
        information[:m, :m] += np.trace(information[:m, :m]) / m**2
        step = np.linalg.solve(information, gradient)
        while (moved := _log_likelihood(design, outcome, beta + step)) < value - 1e-10 * (1 + abs(value)):
            step /= 2
        beta, value = beta + step, moved
        if np.abs(step).max() < 1e-9:
            beta[:m] -= beta[:m].mean()
            return beta
    raise ArithmeticError("style-controlled ratings did not converge")


def _log_likelihood(design: sparse.csr_array, outcome: FloatArray, beta: FloatArray) -> float:
    logit = design @ beta
    return float((outcome * logit - np.logaddexp(0, logit)).sum() - RIDGE / 2 * (beta**2).sum())


def _expected(design: sparse.csr_array, beta: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(design @ beta, -80, 80))), dtype=np.float64)


def _information(design: sparse.csr_array, rate: FloatArray) -> FloatArray:
    weighted = design.multiply((rate * (1 - rate))[:, None])
    return np.asarray((design.T @ weighted).toarray() + RIDGE * np.eye(design.shape[1]), dtype=np.float64)


def _sandwich_variance(design: sparse.csr_array, votes: Votes, beta: FloatArray) -> FloatArray:
    """Diagonal of the voter-clustered covariance, (m + s,)."""
    rate = _expected(design, beta)
    codes = np.unique(votes.unit, return_inverse=True)[1]
    n_units = int(codes.max()) + 1
    to_unit = sparse.csr_array((np.ones(codes.size), (codes, np.arange(codes.size))), shape=(n_units, codes.size))
    by_unit = to_unit @ design.multiply((votes.outcome - rate)[:, None])
    meat = (by_unit.T @ by_unit).toarray() * n_units / max(n_units - 1, 1)
    inverse = np.linalg.pinv(_information(design, rate))
    return np.asarray(np.diag(inverse @ meat @ inverse), dtype=np.float64)


def _coefficient(name: str, value: float, variance: float, n_units: int) -> StyleCoefficient:
    if n_units < INTERVAL_FROM or not variance > 0:
        return StyleCoefficient(name, value, None, None, None, None)
    se = float(np.sqrt(variance))
    low, high = t_bounds(value, se, n_units - 1)
    p = float(2 * stats.t.sf(abs(value) / se, n_units - 1))
    return StyleCoefficient(name, value, low, high, se, p)
