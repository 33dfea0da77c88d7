"""The corrected mean: unbiased for an unfair judge, moved by random reviews alone."""

import numpy as np
import pytest

from leaderboard.statistics.corrected import corrected_mean, reviews_may_rank, share_upward
from leaderboard.statistics.intervals import Kind, mean_interval


def judged(seed: int, n: int = 600, share: float = 0.2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, a judge that is lenient by a tenth of what is missing, and inclusion probabilities of a random sample."""
    rng = np.random.default_rng(seed)
    truth = rng.beta(2, 2, n)
    machine = np.clip(truth + 0.2 * (1 - truth) + rng.normal(0, 0.05, n), 0, 1)
    inclusion = np.where(rng.random(n) < share, share, np.nan)
    return truth, machine, inclusion


def test_the_correction_takes_out_the_judges_bias_and_says_how_surely() -> None:
    covered, values = [], []
    for seed in range(200):
        truth, machine, inclusion = judged(seed)
        result = corrected_mean(machine, truth, inclusion)
        assert result.value is not None and result.low is not None and result.high is not None
        covered.append(result.low <= 0.5 <= result.high)
        values.append(result.value)
    assert np.mean(values) == pytest.approx(0.5, abs=0.005)
    assert 0.92 <= np.mean(covered) <= 0.99


def test_unequal_inclusion_probabilities_are_weighed_back() -> None:
    values, plain = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        truth, machine, _ = judged(seed)
        # High scores are sampled five times as often, and the judge errs less on them.
        chance = np.where(machine > 0.6, 0.5, 0.1)
        inclusion = np.where(rng.random(600) < chance, chance, np.nan)
        result = corrected_mean(machine, truth, inclusion)
        assert result.value is not None
        values.append(result.value)
        plain.append(machine.mean() + np.nanmean(np.where(np.isnan(inclusion), np.nan, truth - machine)))
    assert np.mean(values) == pytest.approx(0.5, abs=0.005)
    assert np.mean(plain) > 0.51


def test_reviews_queued_for_another_reason_never_enter() -> None:
    truth, machine, inclusion = judged(1)
    appeals = truth.copy()
    appeals[np.isnan(inclusion)] = 1.0
    assert corrected_mean(machine, appeals, inclusion) == corrected_mean(machine, truth, inclusion)


def test_a_sampled_item_still_to_be_reviewed_is_left_out() -> None:
    truth, machine, inclusion = judged(1)
    waiting = truth.copy()
    waiting[np.flatnonzero(~np.isnan(inclusion))[:10]] = np.nan
    assert corrected_mean(machine, waiting, inclusion).n == corrected_mean(machine, truth, inclusion).n - 10


def test_the_value_is_the_machines_mean_plus_the_mean_gap() -> None:
    machine, human = np.array([0.5] * 60), np.array([0.7, 0.3, 0.8] * 20)
    inclusion = np.full(60, 1.0)
    result = corrected_mean(machine, human, inclusion)
    assert result.value == pytest.approx(0.6)
    assert result.kind is Kind.PREDICTION_POWERED
    assert result.se == pytest.approx((human - machine).std(ddof=1) / np.sqrt(60))


def test_variances_of_both_parts_add() -> None:
    rng = np.random.default_rng(2)
    machine, gap = rng.random(600), rng.normal(0, 0.2, 600)
    gap -= 0.1 * machine  # the judge errs less on better replies
    result = corrected_mean(machine, machine + gap, np.ones(600))
    expected = mean_interval(machine).se ** 2 + mean_interval(gap).se ** 2  # type: ignore[operator]
    assert result.se**2 == pytest.approx(expected)  # type: ignore[operator]


def test_clusters_of_problems_widen_the_interval() -> None:
    rng = np.random.default_rng(4)
    parent = np.repeat(rng.normal(0.5, 0.2, 60), 10)
    machine = parent + rng.normal(0, 0.02, 600)
    human = machine - np.repeat(rng.normal(0.1, 0.1, 60), 10)
    inclusion = np.full(600, 1.0)
    alone, together = (corrected_mean(machine, human, inclusion, c) for c in (None, [i // 10 for i in range(600)]))
    assert alone.se is not None and together.se is not None
    assert together.se > 2.5 * alone.se


def test_too_few_random_reviews_give_no_value_but_the_count() -> None:
    truth, machine, inclusion = judged(1, n=100, share=0.2)
    result = corrected_mean(machine, truth, inclusion, min_reviews=100)
    assert result.value is None
    assert result.note.endswith("100 needed")


def test_impossible_inclusion_probabilities_are_refused() -> None:
    with pytest.raises(ValueError, match="inclusion_probability"):
        corrected_mean(np.ones(40), np.ones(40), np.zeros(40))


def test_one_sided_appeals_never_rank() -> None:
    assert reviews_may_rank(100, 12, is_random_sample=True)
    assert reviews_may_rank(100, 100, is_random_sample=False)
    assert not reviews_may_rank(100, 12, is_random_sample=False)


def test_share_upward_counts_overrides_only() -> None:
    machine = np.array([0.5, 0.5, 0.5, 0.5, 0.5])
    human = np.array([1.0, 0.5, np.nan, 0.9, 0.0])
    assert share_upward(machine, human) == pytest.approx(2 / 3)
    assert share_upward(machine, machine) is None
