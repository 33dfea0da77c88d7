"""Arena ratings: Bradley-Terry on the Elo scale with intervals, ranks and the notes they need (arXiv:2403.04132)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import stats

from leaderboard.statistics.bradley_terry import RIDGE, Strengths, fit, sandwich_covariance, tally
from leaderboard.statistics.intervals import BOOTSTRAP_FROM, INTERVAL_FROM, Kind
from leaderboard.statistics.ranks import shared_ranks
from leaderboard.statistics.resampling import LEVEL, SEED, FloatArray, draw_counts, percentile_bounds
from leaderboard.statistics.votes import FieldCheck, Votes, check_field, count_wins

ELO_MEAN = 1000.0
ELO_PER_LOG = 400.0 / math.log(10)  # 400 points are odds of 10:1
ROUNDS = 200


class Ties(StrEnum):
    """How a tie enters: as half a win for each, or by Davidson's tie parameter."""

    HALF = "half a win"
    DAVIDSON = "Davidson"


@dataclass(frozen=True, slots=True)
class Rating:
    """One model, in Elo points; None where it has no votes or no interval is honest.

    `rank_upper` is 1 + the number of models whose lower bound lies above this one's upper bound.
    """

    model: int
    rating: float | None
    low: float | None
    high: float | None
    se: float | None
    rank: int | None
    rank_upper: int | None
    n_votes: int
    wins: int
    losses: int
    ties: int
    is_preliminary: bool
    note: str


@dataclass(frozen=True, slots=True)
class RatingTable:
    """Ratings in model order, how their intervals were made, and warnings to print above them.

    `tie_parameter` is Davidson's nu. `n_units`: voters (or parent problems) behind the intervals.
    """

    ratings: tuple[Rating, ...]
    ties: Ties
    tie_parameter: float | None
    kind: Kind
    n_votes: int
    n_units: int
    check: FieldCheck
    warnings: tuple[str, ...]
    seed: int | None = None
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard errors and bounds of theta, each (m,); NaN where none is given."""

    kind: Kind
    se: FloatArray
    low: FloatArray
    high: FloatArray


def rate(
    votes: Votes,
    *,
    ties: Ties = Ties.HALF,
    kind: Kind = Kind.BOOTSTRAP,
    rounds: int = ROUNDS,
    seed: int = SEED,
    unit_noun: str = "voters",
) -> RatingTable:
    """Rate every model with votes. Units (voters, or parent problems) are resampled, never single votes.

    `kind` BOOTSTRAP (percentiles of `rounds` >= 100) or SANDWICH; below 20 units the sandwich with t(U - 1), below 6
    none. A field that is not strongly connected is rated with a slight ridge and a warning.
    """
    if rounds < 100:
        raise ValueError(f"rounds: {rounds} is under 100")
    check = check_field(votes, by_wins=ties is Ties.DAVIDSON)
    active, among = _drop_models_without_votes(votes)
    strengths, spread = _fit_with_spread(among, check.is_connected, ties, kind, rounds, seed)
    drew = spread.kind is Kind.BOOTSTRAP
    return RatingTable(
        ratings=tabulate(votes, active, strengths.theta[0], spread, check),
        ties=ties,
        tie_parameter=_tie_parameter(strengths, ties),
        kind=spread.kind,
        n_votes=votes.first.size,
        n_units=votes.n_units,
        check=check,
        warnings=list_warnings(check, votes.n_units, unit_noun),
        seed=seed if drew else None,
        rounds=rounds if drew else 0,
    )


def _tie_parameter(strengths: Strengths, ties: Ties) -> float | None:
    if ties is Ties.HALF:
        return None
    return 0.0 if strengths.log_nu is None else float(np.exp(strengths.log_nu[0]))


def _drop_models_without_votes(votes: Votes) -> tuple[list[int], Votes]:
    """Positions of the models with votes, and the votes over them with unit codes 0..U-1."""
    active = np.unique(np.concatenate([votes.first, votes.second]))
    place = np.zeros(votes.n_models, dtype=np.int64)
    place[active] = np.arange(active.size)
    units = np.unique(votes.unit, return_inverse=True)[1].astype(np.int64)
    return active.tolist(), Votes(place[votes.first], place[votes.second], votes.outcome, units, active.size)


def _fit_with_spread(
    votes: Votes, is_connected: bool, ties: Ties, kind: Kind, rounds: int, seed: int
) -> tuple[Strengths, Spread]:
    nothing = np.full(votes.n_models, np.nan)
    if votes.first.size == 0:
        return Strengths(np.zeros((1, 0)), None), Spread(Kind.NONE, nothing, nothing, nothing)
    with_ties = ties is Ties.DAVIDSON
    ridge = 0.0 if is_connected else RIDGE
    strengths = fit(tally(votes), with_ties=with_ties, ridge=ridge)
    if votes.n_units < INTERVAL_FROM:
        return strengths, Spread(Kind.NONE, nothing, nothing, nothing)
    if votes.n_units < BOOTSTRAP_FROM or kind is Kind.SANDWICH:
        variance = np.diag(sandwich_covariance(votes, strengths, ridge))
        return strengths, sandwich_spread(strengths.theta[0], variance, votes.n_units)
    counts = draw_counts(votes.n_units, rounds, np.random.default_rng(seed))
    drawn = fit(tally(votes, counts), with_ties=with_ties, ridge=RIDGE, start=strengths, tolerance=1e-5).theta
    low, high = percentile_bounds(drawn)
    return strengths, Spread(Kind.BOOTSTRAP, drawn.std(axis=0, ddof=1), low, high)


def sandwich_spread(theta: FloatArray, variance: FloatArray, n_units: int) -> Spread:
    """Bounds theta (m,) +- t(U - 1) standard errors."""
    se = np.sqrt(np.maximum(variance, 0.0))
    half = float(stats.t.ppf(0.5 + LEVEL / 2, n_units - 1)) * se
    return Spread(Kind.SANDWICH, se, theta - half, theta + half)


def tabulate(
    votes: Votes, active: list[int], theta: FloatArray, spread: Spread, check: FieldCheck
) -> tuple[Rating, ...]:
    """Rows in model order from log strengths (len(active),) of the models with votes."""
    values = _to_elo(theta, active, votes.n_models)
    low, high = _to_elo(spread.low, active, votes.n_models), _to_elo(spread.high, active, votes.n_models)
    se = _to_elo(spread.se, active, votes.n_models, mean=0.0)
    ranks = shared_ranks(values)
    uppers = rank_upper_bounds(low, high)
    wins, losses, tied = _count_outcomes(votes)
    n_votes = wins + losses + tied
    return tuple(
        Rating(
            model=i,
            rating=values[i],
            low=low[i],
            high=high[i],
            se=se[i],
            rank=ranks[i],
            rank_upper=uppers[i],
            n_votes=int(n_votes[i]),
            wins=int(wins[i]),
            losses=int(losses[i]),
            ties=int(tied[i]),
            is_preliminary=i in check.preliminary,
            note=_note(i, check),
        )
        for i in range(votes.n_models)
    )


def _to_elo(theta: FloatArray, active: list[int], n_models: int, mean: float = ELO_MEAN) -> list[float | None]:
    """Elo points of every model; None for one without votes or where theta is NaN."""
    points: list[float | None] = [None] * n_models
    for i, value in zip(active, theta, strict=True):
        points[i] = None if math.isnan(value) else mean + ELO_PER_LOG * float(value)
    return points


def rank_upper_bounds(low: Sequence[float | None], high: Sequence[float | None]) -> list[int | None]:
    """1 + number of models whose lower bound lies above this one's upper bound; None without an interval."""
    lows = np.array([value for value in low if value is not None])
    return [None if value is None else 1 + int((lows > value).sum()) for value in high]


def _count_outcomes(votes: Votes) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Wins, losses and ties of every model, each (m,)."""
    sides = np.concatenate([votes.first, votes.second])
    result = np.concatenate([votes.outcome, 1 - votes.outcome])
    wins, losses, tied = (np.bincount(sides[result == v], minlength=votes.n_models) for v in (1.0, 0.0, 0.5))
    return wins.astype(np.float64), losses.astype(np.float64), tied.astype(np.float64)


def _note(model: int, check: FieldCheck) -> str:
    if model in check.without_votes:
        return "no votes"
    if model in check.all_win:
        return "won every battle: no finite rating, a lower bound only"
    if model in check.all_loss:
        return "lost every battle: no finite rating, an upper bound only"
    return ""


def list_warnings(check: FieldCheck, n_units: int, unit_noun: str = "voters") -> tuple[str, ...]:
    """What a reader must know before the table."""
    warnings = []
    if not check.is_connected:
        warnings.append(
            f"the comparison graph is not strongly connected ({len(check.components)} groups): "
            "ratings compare only within a group"
        )
    if n_units < INTERVAL_FROM:
        warnings.append(f"n = {n_units} {unit_noun}: no intervals")
    return tuple(warnings)


def win_rates(votes: Votes) -> FloatArray:
    """Share of battles won by row over column (m, m), ties half; NaN where they never met."""
    matrix = count_wins(votes)
    rates = np.full(matrix.wins.shape, np.nan)
    np.divide(matrix.wins, matrix.battles, out=rates, where=matrix.battles > 0)
    return rates
