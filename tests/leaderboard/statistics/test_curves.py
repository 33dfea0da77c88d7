"""Curves over k, the order of models along them, EED's efficiency and bands."""

import numpy as np
import pytest

from leaderboard.statistics.curves import (
    best_curve,
    bin_eed,
    compare_efficiency,
    default_ks,
    follow_order,
    majority_curve,
    pass_curve,
    pass_hat_curve,
)
from leaderboard.statistics.intervals import Kind


def attempts(n: int = 60, k: int = 8, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random((n, k)) < rng.beta(1, 1, (n, 1))).astype(float)


def test_pass_at_one_is_the_mean_and_the_curve_rises_with_k() -> None:
    correct = attempts()
    values = [point.value for point in pass_curve(correct, (1, 2, 4, 8)).points]
    assert values[0] == pytest.approx(correct.mean())
    assert values == sorted(values)
    assert values[-1] == pytest.approx((correct.max(axis=1)).mean())


def test_pass_hat_falls_to_the_share_of_problems_always_right() -> None:
    correct = attempts()
    values = [point.value for point in pass_hat_curve(correct, (1, 2, 4, 8)).points]
    assert values[0] == pytest.approx(correct.mean())
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(correct.min(axis=1).mean())


def test_best_at_k_of_zeros_and_ones_is_pass_at_k() -> None:
    correct = attempts()
    ours, theirs = best_curve(correct, (1, 3, 8)), pass_curve(correct, (1, 3, 8))
    assert [p.value for p in ours.points] == pytest.approx([p.value for p in theirs.points])


def test_each_point_of_a_curve_has_a_band() -> None:
    for point in pass_curve(attempts(), (1, 4)).points:
        assert point.kind is Kind.BOOTSTRAP
        assert point.low is not None and point.high is not None and point.value is not None
        assert point.low < point.value < point.high


def test_pass_at_k_is_not_defined_for_fewer_attempts_than_k() -> None:
    correct = attempts(30, 4)
    correct[:10, 3] = np.nan  # unscored: not an attempt
    curve = pass_curve(correct, (1, 4, 5))
    assert [point.n for point in curve.points] == [30, 20, 0]
    assert curve.points[2].value is None


def test_points_have_no_pass_at_k() -> None:
    with pytest.raises(ValueError, match="best@k"):
        pass_curve(np.array([[0.5, 1.0]]), (1,))


def test_majority_of_all_attempts_is_the_commonest_answer() -> None:
    classes = [["a", "a", "b"], ["x", None, "y"], [None, None, None]]
    points = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    curve = majority_curve(classes * 10, np.tile(points, (10, 1)), (1, 3))
    assert curve.points[0].value == pytest.approx((2 / 3 + 1 / 3 + 0) / 3)
    assert curve.points[1].value == pytest.approx((1 + 0.5 + 0) / 3)  # a tie shares


def test_the_names_and_order_of_answers_do_not_matter_to_the_majority() -> None:
    points = np.array([[1.0, 0.0, 1.0, 0.0, 0.0]])
    first = majority_curve([["a", "b", "a", "c", None]], points, (2, 3))
    second = majority_curve([["q", "q", None, "r", "s"]], np.array([[1.0, 1.0, 0.0, 0.0, 0.0]]), (2, 3))
    assert [p.value for p in first.points] == [p.value for p in second.points]


def test_default_ks_double_and_end_with_all_repeats() -> None:
    assert default_ks(1) == (1,)
    assert default_ks(6) == (1, 2, 4, 6)
    assert default_ks(8) == (1, 2, 4, 8)


def test_order_of_models_is_followed_by_kendalls_tau() -> None:
    change = follow_order(np.array([[0.1, 0.2, 0.9], [0.2, 0.3, 0.8], [0.3, 0.4, 0.7]]), (1, 2, 4))
    assert change.taus == pytest.approx((1.0, 1.0, -1.0))


def test_order_is_undefined_where_fewer_than_two_models_reach_k() -> None:
    change = follow_order(np.array([[0.1, 0.2], [0.2, np.nan]]), (1, 8))
    assert change.taus[1] is None


def test_efficiency_is_the_ratio_of_relative_variances() -> None:
    accuracy = np.array([0.0, 0.0, 1.0, 1.0])
    eed = np.array([40.0, 50.0, 100.0, 100.0])
    expected = (accuracy.var(ddof=1) / 0.25) / (eed.var(ddof=1) / 72.5**2)
    result = compare_efficiency(eed, accuracy)
    assert result.ratio == pytest.approx(expected)
    assert result.gain_percent == pytest.approx(100 * (expected - 1))


def test_efficiency_is_undefined_for_a_model_that_solves_nothing() -> None:
    assert compare_efficiency(np.array([0.0, 20.0, 30.0]), np.zeros(3)).ratio is None
    assert compare_efficiency(np.full(3, 100.0), np.ones(3)).gain_percent is None


def test_eed_bands_hold_every_reply_once() -> None:
    histogram = bin_eed(np.array([0.0, 0.0, 0.1, 29.9, 30.0, 59.9, 100.0, np.nan]))
    assert {band.name: band.count for band in histogram.bands} == {
        "nothing in common": 2, "structural": 2, "minor": 2, "exact": 1
    }  # fmt: skip
    assert sum(histogram.counts) == 7
    assert histogram.counts[-1] == 1
    assert len(histogram.edges) == len(histogram.counts) + 1 == 21


def test_eed_outside_its_range_is_an_error() -> None:
    with pytest.raises(ValueError, match="0..100"):
        bin_eed(np.array([101.0]))
