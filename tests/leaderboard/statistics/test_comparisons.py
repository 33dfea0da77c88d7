"""Paired tests against statsmodels, and the corrections over a board."""

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from leaderboard.statistics.comparisons import (
    Test,
    compare_all,
    compare_pair,
    compare_slices,
    macro_weights,
)
from leaderboard.statistics.corrections import benjamini_hochberg, holm
from leaderboard.statistics.resampling import index_clusters


def board(n_models: int = 5, n: int = 120, seed: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.clip(rng.normal(0.5, 0.3, n) + rng.normal(0, 0.2, (n_models, n)), 0, 1)


def test_zeros_and_ones_of_single_attempts_use_exact_mcnemar() -> None:
    right = (board() > 0.5).astype(float)
    pairs = compare_all(right)
    table = [[np.sum((right[0] == i) & (right[1] == j)) for j in (1, 0)] for i in (1, 0)]
    assert pairs.test is Test.MCNEMAR
    assert pairs.p[0, 1] == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert pairs.difference[0, 1] == pytest.approx(right[0].mean() - right[1].mean())


def test_one_kind_of_test_serves_the_whole_board() -> None:
    scores = (board() > 0.5).astype(float)
    scores[3, 7] = 0.5
    assert compare_all(scores).test is Test.PAIRED_T
    assert compare_all((board() > 0.5).astype(float), [i // 2 for i in range(120)]).test is Test.PAIRED_T
    assert compare_all(np.repeat((board() > 0.5).astype(float)[..., None], 2, axis=2)).test is Test.PAIRED_T


def test_paired_difference_agrees_with_statsmodels_clustered() -> None:
    scores, labels = board(), [f"p{i // 3}" for i in range(120)]
    pairs = compare_all(scores, labels)
    fit = sm.OLS(scores[1] - scores[2], np.ones(120)).fit(
        cov_type="cluster", cov_kwds={"groups": index_clusters(labels, 120)}, use_t=True
    )
    assert pairs.se[1, 2] == pytest.approx(float(fit.bse[0]), rel=1e-9)
    assert pairs.p[1, 2] == pytest.approx(float(fit.pvalues[0]), rel=1e-9)
    assert pairs.n_clusters[1, 2] == 40


def test_pairs_with_missing_problems_use_the_shared_ones() -> None:
    scores, labels = board(), [i // 3 for i in range(120)]
    gaps = scores.copy()
    gaps[0, :30], gaps[1, 100:] = np.nan, np.nan
    alone = compare_all(scores[:2, 30:100], labels[30:100])
    pairs = compare_all(gaps, labels)
    assert pairs.difference[0, 1] == pytest.approx(alone.difference[0, 1])
    assert pairs.p[0, 1] == pytest.approx(alone.p[0, 1])
    assert pairs.n_shared[0, 1] == 70


def test_mcnemar_with_missing_problems_uses_the_shared_ones() -> None:
    right = (board() > 0.5).astype(float)
    gaps = right.copy()
    gaps[0, :30] = np.nan
    assert compare_all(gaps).p[0, 1] == pytest.approx(compare_all(right[:, 30:]).p[0, 1])


def test_models_without_a_shared_problem_cannot_be_compared() -> None:
    scores = np.full((2, 20), np.nan)
    scores[0, :10], scores[1, 10:] = 1.0, 0.0
    pairs = compare_all(scores)
    assert np.isnan(pairs.p[0, 1])
    assert not pairs.significantly_better().any()


def test_identical_models_have_p_one() -> None:
    scores = np.vstack([board(1), board(1)])
    assert compare_all(scores).p[0, 1] == 1.0
    assert compare_all((scores > 0.5).astype(float)).p[0, 1] == 1.0


def test_a_constant_lead_over_few_clusters_is_no_certainty() -> None:
    scores = np.array([[0.6] * 4, [0.5] * 4])
    assert compare_all(scores).p[0, 1] == pytest.approx(2**-3)


def test_equal_differences_have_no_interval() -> None:
    """Twenty questions that neither language got right say nothing of how far apart they may be."""
    for lead in (0.0, 1.0):
        pair = compare_pair(np.full(20, lead), np.zeros(20), test=Test.PAIRED_T)
        assert (pair.difference, pair.low, pair.high) == (lead, None, None)
    pair = compare_pair(np.arange(20.0), np.zeros(20), test=Test.PAIRED_T)
    assert pair.low is not None and pair.low < pair.difference


def test_holm_and_benjamini_hochberg_agree_with_statsmodels() -> None:
    p = np.random.default_rng(4).random(50) ** 3
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1])


def test_what_was_not_tested_takes_no_part_in_the_correction() -> None:
    p = np.array([0.01, np.nan, 0.04])
    assert holm(p)[[0, 2]] == pytest.approx([0.02, 0.04])
    assert benjamini_hochberg(p)[[0, 2]] == pytest.approx([0.02, 0.04])
    assert np.isnan(holm(p)[1])


def test_the_board_is_corrected_over_all_its_pairs() -> None:
    pairs = compare_all(board())
    upper = np.triu_indices(5, 1)
    assert pairs.p_holm[upper] == pytest.approx(multipletests(pairs.p[upper], method="holm")[1])
    assert pairs.p_holm == pytest.approx(pairs.p_holm.T, nan_ok=True)
    assert np.isnan(np.diag(pairs.p_holm)).all()


def test_equal_models_are_rarely_told_apart_on_a_whole_board() -> None:
    rng = np.random.default_rng(9)
    hits = sum(compare_all(rng.normal(0.5, 0.2, (8, 60))).significantly_better().any() for _ in range(200))
    assert hits <= 20  # 5 % of boards expected, Holm being cautious


def test_sixty_models_on_3333_problems_are_compared_in_one_call() -> None:
    rng = np.random.default_rng(1)
    skill = np.linspace(0.3, 0.9, 60)
    pairs = compare_all((rng.random((60, 3333)) < skill[:, None]).astype(float))
    assert pairs.significantly_better()[59, 0]
    assert not pairs.significantly_better()[0, 59]
    assert pairs.p_holm[0, 59] < 1e-100


def test_compare_pair_counts_who_was_better_and_holds_the_difference() -> None:
    scores = board(2)
    result = compare_pair(scores[0], scores[1])
    assert result.n_first_better + result.n_second_better <= result.n_shared == 120
    assert result.low is not None and result.high is not None
    assert result.low < result.difference < result.high
    assert result.p == pytest.approx(float(compare_all(scores).p[0, 1]))


def test_compare_pair_takes_models_with_different_repeats() -> None:
    first = (np.random.default_rng(0).random((50, 4)) > 0.5).astype(float)
    result = compare_pair(first, np.ones(50))
    assert result.test is Test.PAIRED_T
    assert result.difference == pytest.approx(first.mean() - 1)


def test_slices_are_corrected_by_benjamini_hochberg() -> None:
    scores = board(2)
    scores[0, :60] += 0.1
    slices = {"optics": np.arange(60), "mechanics": np.arange(60, 120)}
    results = compare_slices(scores[0], scores[1], slices)
    raw = [r.p for r in results.values()]
    assert [r.p_corrected for r in results.values()] == pytest.approx(multipletests(raw, method="fdr_bh")[1].tolist())
    assert results["optics"].n_shared == 60


def test_macro_weights_test_the_difference_of_means_over_subsets() -> None:
    scores, subsets = board(2), ["a"] * 90 + ["b"] * 30
    pairs = compare_all(scores, [i % 40 for i in range(120)], weights=macro_weights(subsets))
    by_subset = [scores[0, part].mean() - scores[1, part].mean() for part in (slice(0, 90), slice(90, None))]
    assert pairs.difference[0, 1] == pytest.approx(np.mean(by_subset))
    assert pairs.test is Test.PAIRED_T
    plain = compare_all(scores, [i % 40 for i in range(120)], weights=np.full(120, 7.0))
    assert plain.se[0, 1] == pytest.approx(compare_all(scores, [i % 40 for i in range(120)]).se[0, 1])
