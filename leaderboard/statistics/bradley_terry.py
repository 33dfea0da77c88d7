"""Maximum likelihood for Bradley-Terry and Davidson by Newton's method, many resamples at once.

With d = theta_i - theta_j and D = exp(d/2) + exp(-d/2) + nu, P(i wins) = exp(d/2) / D and P(tie) = nu / D. nu = 0 is
Bradley-Terry with a tie as half a win each; a free nu is Davidson (1970). Both have the same sufficient statistics:
how often each pair met, each model's margin (wins - losses) / 2, and the number of ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from leaderboard.statistics.resampling import FloatArray, IntArray
from leaderboard.statistics.votes import Votes

RIDGE = 1e-3  # keeps a resample finite in which some model only wins; 30 votes outweigh it a thousandfold
_MAX_STEP = 2.0
_MAX_ROUNDS = 100
_MAX_HALVINGS = 30
_LOG_NU_LIMIT = 15.0


@dataclass(frozen=True, slots=True)
class Tallies:
    """Sufficient statistics of R samples of votes over m models and P pairs.

    `low`, `high` (P,): the pair's model positions; `battles` (R, P); `margins` (R, m); `ties` (R,).
    """

    low: IntArray
    high: IntArray
    battles: FloatArray
    margins: FloatArray
    ties: FloatArray


@dataclass(frozen=True, slots=True)
class Strengths:
    """`theta` (R, m): natural-log strengths of mean 0; `log_nu` (R,): log of the tie parameter, None without."""

    theta: FloatArray
    log_nu: FloatArray | None


def tally(votes: Votes, unit_counts: FloatArray | None = None) -> Tallies:
    """Tallies of the votes as they are (R = 1), or with unit u counted unit_counts[r, u] times: (R, n_units).

    Unit codes must then be 0..n_units-1.
    """
    m, n = votes.n_models, votes.first.size
    pair_key = np.minimum(votes.first, votes.second) * m + np.maximum(votes.first, votes.second)
    keys, pair = np.unique(pair_key, return_inverse=True)
    n_units = 1 if unit_counts is None else unit_counts.shape[1]
    unit = np.zeros(n, dtype=np.int64) if unit_counts is None else votes.unit
    counts = np.ones((1, 1)) if unit_counts is None else unit_counts
    signed = votes.outcome - 0.5
    by_pair = sparse.csr_array((np.ones(n), (pair, unit)), shape=(keys.size, n_units))
    by_model = sparse.csr_array(
        (np.concatenate([signed, -signed]), (np.concatenate([votes.first, votes.second]), np.tile(unit, 2))),
        shape=(m, n_units),
    )
    by_tie = np.bincount(unit, weights=votes.outcome == 0.5, minlength=n_units)
    columns = np.ascontiguousarray(counts.T)
    return Tallies(
        low=keys // m,
        high=keys % m,
        battles=np.ascontiguousarray((by_pair @ columns).T),
        margins=np.ascontiguousarray((by_model @ columns).T),
        ties=counts @ by_tie,
    )


def fit(
    tallies: Tallies,
    *,
    with_ties: bool = False,
    ridge: float = 0.0,
    start: Strengths | None = None,
    tolerance: float = 1e-10,
) -> Strengths:
    """Newton's method on every sample; `with_ties` frees nu (Davidson). `start` (R = 1) saves rounds.

    Raises ArithmeticError where a sample does not converge, as where the field is not connected (by decided votes
    alone if nu is free) and `ridge` is 0.
    """
    n_samples, m = tallies.margins.shape
    free_nu = with_ties and bool((tallies.ties > 0).any())
    # One array (R, m) or (R, m + 1) of all parameters: strengths, then log nu.
    parameters = np.zeros((n_samples, m + free_nu))
    if start is not None:
        parameters[:, :m] = start.theta
        if free_nu and start.log_nu is not None:
            parameters[:, m] = start.log_nu
    open_samples = np.arange(n_samples)
    for _ in range(_MAX_ROUNDS):
        moved = _climb(_take(tallies, open_samples), parameters[open_samples], ridge)
        size = np.abs(moved - parameters[open_samples]).max(axis=1)
        parameters[open_samples] = moved
        open_samples = open_samples[size > tolerance]
        if open_samples.size == 0:
            theta = parameters[:, :m]
            return Strengths(theta - theta.mean(axis=1, keepdims=True), parameters[:, m] if free_nu else None)
    raise ArithmeticError(f"Bradley-Terry did not converge in {open_samples.size} of {n_samples} samples")


def _climb(tallies: Tallies, parameters: FloatArray, ridge: float) -> FloatArray:
    """One Newton step from `parameters` (R, m [+ 1]), halved where it would lower the (concave) likelihood."""
    m = tallies.margins.shape[1]
    step = _newton_step(tallies, parameters, ridge)
    step *= np.minimum(1.0, _MAX_STEP / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
    before = _log_likelihood(tallies, parameters, ridge)
    for _ in range(_MAX_HALVINGS):
        moved = parameters + step
        # Without a tie (or with ties alone) nu runs to 0 (or infinity): it stops at the limit.
        moved[:, m:] = np.clip(moved[:, m:], -_LOG_NU_LIMIT, _LOG_NU_LIMIT)
        is_worse = _log_likelihood(tallies, moved, ridge) < before - 1e-10 * (1 + np.abs(before))
        if not is_worse.any():
            break
        step[is_worse] /= 2
    return moved


def _take(tallies: Tallies, samples: IntArray) -> Tallies:
    if samples.size == tallies.margins.shape[0]:
        return tallies
    return Tallies(tallies.low, tallies.high, tallies.battles[samples], tallies.margins[samples], tallies.ties[samples])


def _newton_step(tallies: Tallies, parameters: FloatArray, ridge: float) -> FloatArray:
    """The step (R, m [+ 1]) that solves information @ step = gradient."""
    gradient, information = _derivatives(tallies, parameters, ridge)
    m = tallies.margins.shape[1]
    # Adding one constant to all strengths changes nothing; pinning that direction makes the matrix regular.
    information[:, :m, :m] += information[:, range(m), range(m)].mean(axis=1)[:, None, None] / m
    try:
        return np.asarray(np.linalg.solve(information, gradient[..., None])[..., 0], dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise ArithmeticError("Bradley-Terry did not converge: some strengths have no finite value") from error


def _log_nu(tallies: Tallies, parameters: FloatArray) -> FloatArray | None:
    """(R, 1) where nu is free."""
    m = tallies.margins.shape[1]
    return parameters[:, m:] if parameters.shape[1] > m else None


def _log_likelihood(tallies: Tallies, parameters: FloatArray, ridge: float) -> FloatArray:
    """(R,), less the ridge, which also holds log nu."""
    m = tallies.margins.shape[1]
    half = (parameters[:, tallies.low] - parameters[:, tallies.high]) / 2
    total = np.abs(half) + np.log1p(np.exp(-2 * np.abs(half)))
    log_nu = _log_nu(tallies, parameters)
    value = (tallies.margins * parameters[:, :m]).sum(axis=1) - ridge / 2 * (parameters**2).sum(axis=1)
    if log_nu is not None:
        total = np.logaddexp(total, log_nu)
        value += tallies.ties * log_nu[:, 0]
    return np.asarray(value - (tallies.battles * total).sum(axis=1), dtype=np.float64)


def outcome_rates(gap: FloatArray, log_nu: FloatArray | float | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P(win), P(loss), P(tie) for strength differences `gap`; no ties where `log_nu` is None."""
    half = np.clip(gap, -80, 80) / 2
    up, down = np.exp(half), np.exp(-half)
    nu = 0.0 if log_nu is None else np.exp(log_nu)
    total = up + down + nu
    return up / total, down / total, np.asarray(nu / total, dtype=np.float64)


def _derivatives(tallies: Tallies, parameters: FloatArray, ridge: float) -> tuple[FloatArray, FloatArray]:
    """Gradient (R, m [+ 1]) and negative Hessian (R, m [+ 1], m [+ 1]) of the log likelihood."""
    n_samples, m = tallies.margins.shape
    size = parameters.shape[1]
    win, loss, tie = outcome_rates(
        parameters[:, tallies.low] - parameters[:, tallies.high], _log_nu(tallies, parameters)
    )
    pull = tallies.battles * (win - loss) / 2
    weight = tallies.battles / 4 * (win + loss - (win - loss) ** 2)
    low_side, high_side = _incidence(tallies.low, m), _incidence(tallies.high, m)
    gradient, information = np.zeros((n_samples, size)), np.zeros((n_samples, size, size))
    gradient[:, :m] = tallies.margins - (low_side @ pull.T - high_side @ pull.T).T - ridge * parameters[:, :m]
    information[:, tallies.low, tallies.high] = information[:, tallies.high, tallies.low] = -weight
    information[:, range(m), range(m)] = (low_side @ weight.T + high_side @ weight.T).T + ridge
    if size > m:
        gradient[:, m] = tallies.ties - (tallies.battles * tie).sum(axis=1) - ridge * parameters[:, m]
        information[:, m, m] = (tallies.battles * tie * (1 - tie)).sum(axis=1) + ridge + 1e-9
        cross = -tallies.battles * (win - loss) / 2 * tie
        information[:, :m, m] = information[:, m, :m] = (low_side @ cross.T - high_side @ cross.T).T
    return gradient, information


def _incidence(positions: IntArray, m: int) -> sparse.csr_array:
    """(m, P): 1 where the pair's side is the model."""
    return sparse.csr_array(
        (np.ones(positions.size), (positions, np.arange(positions.size))), shape=(m, positions.size)
    )


def sandwich_covariance(votes: Votes, strengths: Strengths, ridge: float = 0.0) -> FloatArray:
    """Covariance (m, m) of theta, robust to what votes of one unit have in common; times U / (U - 1)."""
    m = votes.n_models
    theta, log_nu = strengths.theta[0], strengths.log_nu
    parameters = strengths.theta if log_nu is None else np.column_stack([strengths.theta, log_nu])
    _, information = _derivatives(tally(votes), parameters, ridge)
    win, loss, tie = outcome_rates(theta[votes.first] - theta[votes.second], None if log_nu is None else log_nu[0])
    residual = votes.outcome - 0.5 - (win - loss) / 2
    columns = [votes.first, votes.second]
    values = [residual, -residual]
    if log_nu is not None:
        columns.append(np.full(votes.first.size, m))
        values.append((votes.outcome == 0.5) - tie)
    codes = np.unique(votes.unit, return_inverse=True)[1]
    n_units = int(codes.max()) + 1
    by_unit = sparse.csr_array(
        (np.concatenate(values), (np.tile(codes, len(columns)), np.concatenate(columns))),
        shape=(n_units, information.shape[1]),
    )
    inverse = np.linalg.pinv(information[0])
    meat = (by_unit.T @ by_unit).toarray() * n_units / max(n_units - 1, 1)
    return np.asarray((inverse @ meat @ inverse)[:m, :m], dtype=np.float64)
