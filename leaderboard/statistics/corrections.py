"""p values corrected for how many were looked at: Holm inside a board, Benjamini-Hochberg over category slices."""

from __future__ import annotations

import numpy as np

from leaderboard.statistics.resampling import FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Holm's step-down adjusted p values in the shape given; NaN takes no part (Holm 1979)."""
    adjusted = np.full(p.shape, np.nan)
    tested = ~np.isnan(p)
    values = p[tested]
    order = np.argsort(values, kind="stable")
    scaled = values[order] * np.arange(values.size, 0, -1)
    result = np.empty(values.size)
    result[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    adjusted[tested] = result
    return adjusted


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Benjamini-Hochberg adjusted p values (false discovery rate, 1995); NaN takes no part."""
    adjusted = np.full(p.shape, np.nan)
    tested = ~np.isnan(p)
    values = p[tested]
    order = np.argsort(values, kind="stable")[::-1]
    scaled = values[order] * values.size / np.arange(values.size, 0, -1)
    result = np.empty(values.size)
    result[order] = np.minimum(np.minimum.accumulate(scaled), 1.0)
    adjusted[tested] = result
    return adjusted


def correct_pairs(p: FloatArray) -> FloatArray:
    """Holm over the m (m - 1) / 2 pairs of a symmetric matrix (m, m), NaN on the diagonal."""
    upper = np.triu_indices(p.shape[0], 1)
    corrected = np.full(p.shape, np.nan)
    corrected[upper] = holm(p[upper])
    return np.where(np.isnan(corrected), corrected.T, corrected)
