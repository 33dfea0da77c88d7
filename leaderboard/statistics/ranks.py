"""Ranks that admit ties, rank intervals from corrected tests, and tiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.resampling import BoolArray

_DIGITS = 9  # equal scores summed in another order differ in the last bits; they are equal


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one model stands; all None for a model without a value or not ranked.

    `rank_low` is the best rank the tests leave open, `rank_high` the worst.
    """

    rank: int | None
    rank_low: int | None
    rank_high: int | None
    tier: int | None


def order_missing_last(values: Sequence[float | None], *, descending: bool = True) -> tuple[int, ...]:
    """Positions sorted by value; a missing value (None or NaN) is last in both directions. Ties keep their order."""
    present = [i for i, value in enumerate(values) if not _is_missing(value)]
    missing = [i for i, value in enumerate(values) if _is_missing(value)]
    return (*sorted(present, key=lambda i: _sort_key(values[i], descending)), *missing)


def _is_missing(value: float | None) -> bool:
    return value is None or value != value


def _sort_key(value: float | None, descending: bool) -> float:
    assert value is not None
    rounded = round(value, _DIGITS)
    return -rounded if descending else rounded


def shared_ranks(values: Sequence[float | None], *, higher_is_better: bool = True) -> tuple[int | None, ...]:
    """Competition ranks 1, 1, 3: equal scores share a rank; a missing one has none."""
    ranks: list[int | None] = [None] * len(values)
    previous: tuple[float, int] | None = None
    for place, i in enumerate(order_missing_last(values, descending=higher_is_better), start=1):
        if _is_missing(values[i]):
            break
        key = _sort_key(values[i], higher_is_better)
        rank = previous[1] if previous is not None and previous[0] == key else place
        ranks[i], previous = rank, (key, rank)
    return tuple(ranks)


def rank_intervals(significantly_better: BoolArray) -> tuple[tuple[int, int], ...]:
    """[1 + number significantly better, n - number significantly worse] of each of n models.

    `significantly_better` (n, n): row beats column after correction. Jointly valid where the correction is Holm's.
    """
    n = significantly_better.shape[0]
    better = significantly_better.sum(axis=0)
    worse = significantly_better.sum(axis=1)
    return tuple((1 + int(b), n - int(w)) for b, w in zip(better, worse, strict=True))


def assign_tiers(order: Sequence[int], significantly_better: BoolArray) -> tuple[int, ...]:
    """Tier of each model, walking down `order` (best first).

    A tier's head is its first model; a model joins while it is not significantly worse than that head, and the first
    that is starts the next tier. Neighbours across a line may be indistinguishable.
    """
    tiers = [0] * len(order)
    head, tier = (order[0] if order else 0), 1
    for i in order:
        if significantly_better[head, i]:
            head, tier = i, tier + 1
        tiers[i] = tier
    return tuple(tiers)


def place_models(
    values: Sequence[float | None],
    significantly_better: BoolArray,
    *,
    is_ranked: Sequence[bool] | None = None,
    higher_is_better: bool = True,
) -> tuple[Placement, ...]:
    """Rank, rank interval and tier of every model of a whole board (never of a filtered one).

    `significantly_better` (m, m) comes from PairMatrix, "better" meaning the better model also where lower values
    are. Models without a value or with `is_ranked` False take no part.
    """
    flags = [True] * len(values) if is_ranked is None else list(is_ranked)
    taking_part = [i for i, value in enumerate(values) if flags[i] and not _is_missing(value)]
    among = significantly_better[np.ix_(taking_part, taking_part)]
    chosen = [values[i] for i in taking_part]
    ranks = shared_ranks(chosen, higher_is_better=higher_is_better)
    spans = rank_intervals(among)
    tiers = assign_tiers(order_missing_last(chosen, descending=higher_is_better), among)
    placements = [Placement(None, None, None, None)] * len(values)
    for k, i in enumerate(taking_part):
        placements[i] = Placement(ranks[k], spans[k][0], spans[k][1], tiers[k])
    return tuple(placements)
