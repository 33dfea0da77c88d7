"""The cluster bootstrap as matrix products: counts @ sums, never a loop over problems.

Every statistic of this package that is resampled is a function of sums over samples (a mean is sum / count, F1 is
2TP / (2TP + FP + FN), kappa is a function of a table), so a draw needs only how often each cluster was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
Labels: TypeAlias = Sequence[Hashable] | npt.NDArray[np.generic]

DRAWS = 2000
SEED = 20250915  # fixed, and stored beside each interval: the same data give the same interval on every machine
LEVEL = 0.95
_CHUNK = 256  # draws a block: the counts of 3,333 problems stay within a few MB


def index_clusters(clusters: Labels | None, n: int) -> IntArray:
    """Codes 0..G-1 of shape (n,) in order of first appearance; without labels each sample is its own cluster.

    Raises ValueError where there is not one label a sample.
    """
    if clusters is None:
        return np.arange(n, dtype=np.int64)
    labels = clusters.tolist() if isinstance(clusters, np.ndarray) else list(clusters)
    if len(labels) != n:
        raise ValueError(f"clusters: {len(labels)} labels for {n} samples")
    code_of: dict[Hashable, int] = {}
    return np.array([code_of.setdefault(label, len(code_of)) for label in labels], dtype=np.int64)


def sum_by_cluster(values: FloatArray, codes: IntArray) -> FloatArray:
    """Sums of shape (G, f) of the rows of `values` (n, f) that share a cluster code (n,)."""
    n_clusters = int(codes.max()) + 1 if codes.size else 0
    indicator = sparse.csr_array((np.ones(codes.size), (codes, np.arange(codes.size))), shape=(n_clusters, codes.size))
    return np.asarray(indicator @ values, dtype=np.float64)


def draw_counts(n_clusters: int, draws: int, rng: np.random.Generator) -> FloatArray:
    """How often each of G clusters was drawn in G draws with replacement: (draws, G)."""
    picks = rng.integers(0, max(n_clusters, 1), size=(draws, n_clusters), dtype=np.uint32)
    counts = np.empty((draws, n_clusters))
    for row, pick in zip(counts, picks, strict=True):
        row[:] = np.bincount(pick, minlength=n_clusters)
    return counts


def resample_sums(cluster_sums: FloatArray, *, draws: int = DRAWS, seed: int = SEED) -> FloatArray:
    """Sums over resampled clusters, (draws, f), from sums by cluster (G, f). Equal seeds draw the same clusters."""
    blocks = _count_blocks(cluster_sums.shape[0], draws, seed)
    return np.concatenate([block.astype(np.float64) @ cluster_sums for block in blocks])


@lru_cache(maxsize=8)
def _count_blocks(n_clusters: int, draws: int, seed: int) -> tuple[npt.NDArray[np.uint16], ...]:
    """The counts of one seed in blocks: every run of a board has the same clusters, so they are drawn once."""
    rng = np.random.default_rng(seed)
    sizes = [min(_CHUNK, draws - start) for start in range(0, draws, _CHUNK)]
    return tuple(draw_counts(n_clusters, size, rng).astype(np.uint16) for size in sizes)


def leave_one_out_sums(cluster_sums: FloatArray) -> FloatArray:
    """Sums with each cluster left out in turn, (G, f): the draws of the jackknife."""
    return np.asarray(cluster_sums.sum(axis=0) - cluster_sums, dtype=np.float64)


def percentile_bounds(draws: FloatArray, level: float = LEVEL) -> tuple[FloatArray, FloatArray]:
    """Low and high percentiles along axis 0; undefined (NaN) draws are left out, all undefined gives NaN."""
    tail = 100 * (1 - level) / 2
    if not np.isnan(draws).any():
        low, high = np.percentile(draws, [tail, 100 - tail], axis=0)
        return np.asarray(low), np.asarray(high)
    columns = draws.reshape(draws.shape[0], -1)
    bounds = np.full((2, columns.shape[1]), np.nan)
    for j, column in enumerate(columns.T):
        defined = column[~np.isnan(column)]
        if defined.size:
            bounds[:, j] = np.percentile(defined, [tail, 100 - tail])
    return bounds[0].reshape(draws.shape[1:]), bounds[1].reshape(draws.shape[1:])


def divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Elementwise quotient, NaN where the denominator is 0: undefined, not zero."""
    quotient = np.full(np.shape(numerator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient


def merge_rounding(points: FloatArray) -> FloatArray:
    """Points to nine places: 0.1 + 0.2 and 0.3 are one category."""
    return np.asarray(np.round(points, 9), dtype=np.float64)


def clear_rounding(values: FloatArray, scale: FloatArray) -> FloatArray:
    """0 where a difference of sums is no more than rounding of their size."""
    return np.where(values <= 1e-12 * scale, 0.0, values)


Statistic: TypeAlias = Callable[[FloatArray], FloatArray]
"""Maps sums of features (..., f) to values (...); NaN where undefined."""
