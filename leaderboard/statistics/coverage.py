"""How much of a split is scored, what the rest could change, and whether the value may be ranked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.intervals import Interval
from leaderboard.statistics.resampling import FloatArray

RANKED_FROM = 0.98  # share of the split that must be scored


@dataclass(frozen=True, slots=True)
class Coverage:
    """Scored against planned: `n_scored` of `n_problems` (a problem counts with its first scored repeat),
    `share` of planned samples, and the mean's bounds with the unscored as 0 and as full."""

    n_problems: int
    n_scored: int
    share: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


def measure_coverage(scores: FloatArray, full: FloatArray | float = 1.0) -> Coverage:
    """Coverage of scores (n,) or (n, repeats) over all n problems of the split; NaN is unscored.

    `full` is the score of a perfect reply, one for all or one a problem (n,). Raises ValueError for an empty split.
    """
    array = np.asarray(scores, dtype=np.float64)
    samples = array[:, None] if array.ndim == 1 else array
    if samples.size == 0:
        raise ValueError("scores: a split without problems has no coverage")
    scored = ~np.isnan(samples)
    best = np.broadcast_to(np.asarray(full, dtype=np.float64), samples.shape[:1])[:, None]
    return Coverage(
        n_problems=samples.shape[0],
        n_scored=int(scored.any(axis=1).sum()),
        share=float(scored.mean()),
        low=float(np.where(scored, samples, 0.0).mean()),
        high=float(np.where(scored, samples, best).mean()),
    )


def why_unranked(coverage: Coverage, interval: Interval) -> str:
    """The reason a value is not ranked, empty where it is.

    Under 98 % coverage, or bounds wider than the interval; where no interval is given any width is wider.
    """
    if coverage.share < RANKED_FROM:
        return f"coverage {coverage.share:.1%} is under {RANKED_FROM:.0%}"
    if coverage.width > (interval.width or 0.0) + 1e-12:
        return "the unscored problems could change more than the interval shows"
    return ""
