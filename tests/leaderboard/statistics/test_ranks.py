"""Shared ranks, rank intervals, tiers, and whether a value may be ranked at all."""

import math

import numpy as np
import pytest

from leaderboard.statistics.comparisons import compare_all
from leaderboard.statistics.coverage import measure_coverage, why_unranked
from leaderboard.statistics.intervals import Interval, Kind, mean_interval
from leaderboard.statistics.ranks import (
    Placement,
    assign_tiers,
    order_missing_last,
    place_models,
    rank_intervals,
    shared_ranks,
)


def beats(n: int, *pairs: tuple[int, int]) -> np.ndarray:
    matrix = np.zeros((n, n), dtype=bool)
    for winner, loser in pairs:
        matrix[winner, loser] = True
    return matrix


def test_equal_scores_share_a_rank_and_the_next_is_skipped() -> None:
    assert shared_ranks([0.5, 0.9, 0.5, 0.1]) == (2, 1, 2, 4)


def test_sums_that_differ_in_the_last_bit_are_equal() -> None:
    assert shared_ranks([0.1 + 0.2, 0.3]) == (1, 1)


@pytest.mark.parametrize("descending", [True, False])
def test_missing_values_are_last_in_both_directions(descending: bool) -> None:
    order = order_missing_last([None, 2.0, math.nan, 1.0], descending=descending)
    assert order == ((1, 3, 0, 2) if descending else (3, 1, 0, 2))


def test_missing_values_have_no_rank() -> None:
    assert shared_ranks([None, 3.0, math.nan], higher_is_better=False) == (None, 1, None)


def test_rank_interval_counts_the_significantly_better_and_worse() -> None:
    assert rank_intervals(beats(3, (0, 2), (1, 2))) == ((1, 2), (1, 2), (3, 3))


def test_a_tier_holds_all_that_are_not_significantly_worse_than_its_head() -> None:
    # 1 is not worse than 0, 2 is worse than 0 but not than 1, 3 is worse than 1 but not than 2.
    better = beats(4, (0, 2), (0, 3), (1, 3))
    assert assign_tiers([0, 1, 2, 3], better) == (1, 1, 2, 2)


def test_a_tier_is_judged_by_its_head_and_not_by_the_neighbour() -> None:
    better = beats(3, (1, 2))
    assert assign_tiers([0, 1, 2], better) == (1, 1, 1)


def test_models_without_value_or_rank_take_no_part() -> None:
    better = beats(4, (0, 3), (1, 3), (2, 3))
    placements = place_models([0.9, None, 0.8, 0.2], better, is_ranked=[True, True, False, True])
    assert placements == (
        Placement(1, 1, 1, 1),
        Placement(None, None, None, None),
        Placement(None, None, None, None),
        Placement(2, 2, 2, 2),
    )


def test_two_runs_that_differ_on_one_of_360_problems_are_in_one_tier() -> None:
    first = (np.arange(360) % 3 > 0).astype(float)
    second = first.copy()
    second[0] = 1.0
    pairs = compare_all(np.stack([first, second]))
    placements = place_models([float(first.mean()), float(second.mean())], pairs.significantly_better())
    assert [p.tier for p in placements] == [1, 1]
    assert [(p.rank, p.rank_low, p.rank_high) for p in placements] == [(2, 1, 2), (1, 1, 2)]


def test_two_identical_runs_share_the_rank() -> None:
    scores = np.stack([(np.arange(360) % 3 > 0).astype(float)] * 2)
    placements = place_models([float(s.mean()) for s in scores], compare_all(scores).significantly_better())
    assert [p.rank for p in placements] == [1, 1]


def test_coverage_bounds_take_unscored_as_zero_and_as_full() -> None:
    coverage = measure_coverage(np.array([1.0, 0.0, 1.0, np.nan]))
    assert (coverage.low, coverage.high) == (0.5, 0.75)
    assert (coverage.n_problems, coverage.n_scored, coverage.share) == (4, 3, 0.75)


def test_coverage_counts_missing_repeats_and_points_of_each_problem() -> None:
    coverage = measure_coverage(np.array([[2.0, np.nan], [5.0, 5.0]]), full=np.array([4.0, 10.0]))
    assert coverage.share == 0.75
    assert (coverage.low, coverage.high) == (3.0, 4.0)
    assert coverage.n_scored == 2


def test_a_value_is_unranked_under_98_percent_coverage() -> None:
    scores = np.concatenate([np.ones(97), np.full(3, np.nan)])
    assert "97.0% is under 98%" in why_unranked(measure_coverage(scores), mean_interval(scores))


def test_a_value_is_unranked_while_bounds_are_wider_than_its_interval() -> None:
    scores = np.concatenate([np.ones(990), np.full(10, np.nan)])
    assert "could change more" in why_unranked(measure_coverage(scores), mean_interval(scores))


def test_a_covered_value_is_ranked_with_and_without_an_interval() -> None:
    scores = np.array([1.0, 0.0] * 100)
    assert why_unranked(measure_coverage(scores), mean_interval(scores)) == ""
    single = Interval(0.5, None, None, None, Kind.NONE, 1, 1, "one sitting")
    assert why_unranked(measure_coverage(scores), single) == ""


def test_without_an_interval_any_open_bound_leaves_a_value_unranked() -> None:
    scores = np.concatenate([np.ones(999), [np.nan]])
    single = Interval(1.0, None, None, None, Kind.NONE, 1, 1, "one sitting")
    assert "could change more" in why_unranked(measure_coverage(scores), single)


def test_a_split_without_problems_is_an_error() -> None:
    with pytest.raises(ValueError, match="without problems"):
        measure_coverage(np.empty(0))
