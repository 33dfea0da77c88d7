"""Means, totals and their intervals, against statsmodels, plain loops and simulation."""

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.proportion import proportion_confint

from leaderboard.statistics.aggregates import macro_interval, statistic_interval, total_interval
from leaderboard.statistics.intervals import (
    Kind,
    clustered_se,
    mean_interval,
    mean_intervals,
    wilson_bounds,
)
from leaderboard.statistics.resampling import DRAWS, SEED, index_clusters


def grouped_scores(n_clusters: int, size: int, seed: int = 1) -> tuple[np.ndarray, list[str]]:
    rng = np.random.default_rng(seed)
    scores = np.clip(rng.normal(0.5, 0.2, (n_clusters, 1)) + rng.normal(0, 0.1, (n_clusters, size)), 0, 1)
    return scores.ravel(), [f"parent_{i // size}" for i in range(n_clusters * size)]


def test_repeats_are_averaged_within_a_problem_before_the_mean() -> None:
    scores = np.array([[1.0, 1.0, 1.0, 1.0], [0.0, np.nan, np.nan, np.nan]])
    result = mean_interval(scores)
    assert result.value == 0.5
    assert result.n == 2


def test_without_clusters_the_clustered_error_is_the_plain_one() -> None:
    scores, _ = grouped_scores(30, 1)
    assert clustered_se(scores, np.arange(30)) == pytest.approx(scores.std(ddof=1) / np.sqrt(30))


def test_clustered_error_agrees_with_statsmodels() -> None:
    scores, labels = grouped_scores(25, 4)
    codes = index_clusters(labels, len(labels))
    model = sm.OLS(scores, np.ones(scores.size)).fit(cov_type="cluster", cov_kwds={"groups": codes})
    assert clustered_se(scores, codes) == pytest.approx(float(model.bse[0]), rel=1e-9)


@pytest.mark.parametrize(("right", "n"), [(0, 20), (20, 20), (7, 20), (1, 400), (399, 400)])
def test_wilson_agrees_with_statsmodels(right: int, n: int) -> None:
    assert wilson_bounds(right, n) == pytest.approx(proportion_confint(right, n, method="wilson"), abs=1e-12)


def test_a_single_attempt_of_zeros_and_ones_gets_wilson() -> None:
    scores = np.array([1.0] * 12 + [0.0] * 8)
    result = mean_interval(scores)
    assert result.kind is Kind.WILSON
    assert (result.low, result.high) == pytest.approx(proportion_confint(12, 20, method="wilson"))


def test_a_column_of_one_repeat_is_a_single_attempt() -> None:
    assert mean_interval(np.array([[1.0], [0.0]] * 10)).kind is Kind.WILSON


def test_zeros_and_ones_with_clusters_do_not_get_wilson() -> None:
    scores = np.array([1.0, 0.0] * 30)
    assert mean_interval(scores, [i // 2 for i in range(60)]).kind is Kind.BOOTSTRAP


def test_from_twenty_clusters_the_bootstrap_below_student_below_six_nothing() -> None:
    kinds = {g: mean_interval(*grouped_scores(g, 3)).kind for g in (5, 6, 19, 20)}
    assert kinds == {5: Kind.NONE, 6: Kind.T, 19: Kind.T, 20: Kind.BOOTSTRAP}


def test_three_problems_get_a_count_in_place_of_an_interval() -> None:
    result = mean_interval(np.array([1.0, 0.0, 1.0]))
    assert (result.low, result.high, result.kind) == (None, None, Kind.NONE)
    assert result.note == "n = 3 problems"
    assert result.value == pytest.approx(2 / 3)


def test_few_clusters_of_many_parts_name_both_counts() -> None:
    assert mean_interval(*grouped_scores(3, 5)).note == "n = 3 problems (15 parts)"


def test_student_interval_has_one_degree_of_freedom_less_than_clusters() -> None:
    scores, labels = grouped_scores(10, 3)
    result = mean_interval(scores, labels)
    half = 2.2621571628 * clustered_se(scores, index_clusters(labels, 30))
    assert (result.low, result.high) == pytest.approx((scores.mean() - half, scores.mean() + half))


def test_limits_cut_a_student_interval_at_the_range_of_the_metric() -> None:
    result = mean_interval(np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5]), limits=(0.0, 1.0))
    assert result.high == 1.0


def test_bootstrap_equals_a_plain_loop_over_the_same_draws() -> None:
    scores, labels = grouped_scores(24, 3)
    result = mean_interval(scores, labels)
    codes = index_clusters(labels, scores.size)
    rng = np.random.default_rng(SEED)
    means = []
    for start in range(0, DRAWS, 256):
        for picks in rng.integers(0, 24, size=(min(256, DRAWS - start), 24), dtype=np.uint32):
            means.append(np.concatenate([scores[codes == pick] for pick in picks]).mean())
    assert (result.low, result.high) == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])), abs=1e-12)
    assert (result.seed, result.draws) == (SEED, 2000)


def test_the_same_scores_give_the_same_interval_alone_and_on_a_board() -> None:
    scores, labels = grouped_scores(40, 2)
    board = np.stack([scores, scores[::-1], np.where(np.arange(80) < 6, np.nan, scores)])
    assert mean_intervals(board, labels)[0] == mean_interval(scores, labels)


def test_unscored_problems_are_left_out_and_never_zero() -> None:
    scores, _ = grouped_scores(40, 1)
    with_gaps = np.concatenate([scores, np.full(5, np.nan)])
    result = mean_interval(with_gaps)
    assert result.value == pytest.approx(scores.mean())
    assert (result.n, result.clusters) == (40, 40)


def test_nothing_scored_is_no_value() -> None:
    result = mean_interval(np.full(30, np.nan))
    assert result.value is None
    assert result.note == "no scored problem"


def test_a_board_of_equal_scores_says_that_resampling_cannot_show_the_uncertainty() -> None:
    result = mean_interval(np.ones((30, 4)))
    assert result.low == result.high == 1.0
    assert "agree" in result.note


def test_wrong_number_of_cluster_labels_is_an_error() -> None:
    with pytest.raises(ValueError, match="2 labels for 3 samples"):
        mean_interval(np.array([1.0, 0.0, 1.0]), ["a", "b"])


@pytest.mark.parametrize("n_clusters", [12, 40])
def test_intervals_cover_the_truth_about_as_often_as_they_say(n_clusters: int) -> None:
    rng = np.random.default_rng(5)
    parents = rng.normal(0.5, 0.2, (800, n_clusters, 1))
    scores = (parents + rng.normal(0, 0.1, (800, n_clusters, 4))).reshape(800, -1)
    intervals = mean_intervals(scores, [i // 4 for i in range(4 * n_clusters)])
    covered = np.mean([i.low <= 0.5 <= i.high for i in intervals if i.low is not None and i.high is not None])
    assert 0.92 <= covered <= 0.975


def test_ignoring_clusters_would_cover_far_less() -> None:
    rng = np.random.default_rng(5)
    scores = (rng.normal(0.5, 0.2, (400, 40, 1)) + rng.normal(0, 0.1, (400, 40, 4))).reshape(400, -1)
    intervals = mean_intervals(scores)
    covered = np.mean([i.low <= 0.5 <= i.high for i in intervals if i.low is not None and i.high is not None])
    assert covered < 0.8


def test_total_over_all_exams_resamples_parent_problems() -> None:
    points, labels = grouped_scores(40, 5)
    result = total_interval(points, np.ones(200), labels)
    mean = mean_interval(points, labels)
    assert result.value == pytest.approx(points.sum())
    assert result.low == pytest.approx(mean.low * 200, rel=1e-9)
    assert result.se == pytest.approx(mean.se * 200, rel=0.1)


def test_a_total_with_an_unscored_problem_is_refused() -> None:
    with pytest.raises(ValueError, match="1 of 3 problems are unscored"):
        total_interval(np.array([1.0, np.nan, 2.0]), np.full(3, 2.0))


def test_a_total_is_no_less_sure_for_problems_of_unequal_size() -> None:
    full = np.array([1.0, 2.0, 4.0, 9.0, 3.0, 5.0])
    half = total_interval(0.5 * full, full)
    assert half.value == pytest.approx(12.0)
    assert half.low == half.high == pytest.approx(12.0)  # half of each: the total of 24 does not depend on the draw
    nearly = total_interval(full - [0.7, 0, 0, 0, 0, 0], full)
    assert nearly.kind is Kind.JACKKNIFE
    assert nearly.value == pytest.approx(23.3)
    assert nearly.low is not None and nearly.low > 20.0
    assert nearly.high == pytest.approx(24.0)


def test_where_no_problem_is_solved_the_interval_still_reaches_up() -> None:
    expected = proportion_confint(0, 14, method="wilson")[1]
    assert total_interval(np.zeros(14), np.full(14, 3.0)).high == pytest.approx(42.0 * expected)
    partly = mean_interval(np.zeros((14, 2)), limits=(0.0, 1.0))
    assert (partly.low, partly.high) == pytest.approx((0.0, expected))
    assert partly.kind is Kind.UNANIMOUS
    full = mean_interval(np.full((30, 4), 100.0), limits=(0.0, 100.0))
    assert (full.low, full.high) == pytest.approx((100 * proportion_confint(30, 30, method="wilson")[0], 100.0))
    macro = macro_interval(np.ones(40), ["a", "b"] * 20, limits=(0.0, 1.0))
    assert macro.low == pytest.approx(proportion_confint(40, 40, method="wilson")[0])


def test_jackknife_of_a_mean_is_the_clustered_error() -> None:
    scores, labels = grouped_scores(10, 3)
    codes = index_clusters(labels, 30)
    features = np.column_stack([scores, np.ones(30)])
    result = statistic_interval(features, lambda sums: sums[..., 0] / sums[..., 1], codes)
    assert result.kind is Kind.JACKKNIFE
    assert result.se == pytest.approx(clustered_se(scores, codes))


def languages(n: int = 60) -> tuple[np.ndarray, list[str], list[int]]:
    """n questions in three languages, the third half complete; a question's luck is shared by its languages."""
    rng = np.random.default_rng(3)
    luck = rng.random(n)
    rows = [(lang, q) for k, lang in enumerate("abc") for q in range(n if k < 2 else n // 2)]
    scores = np.array([float(luck[q] < {"a": 0.8, "b": 0.6, "c": 0.2}[lang]) for lang, q in rows])
    return scores, [lang for lang, _ in rows], [q for _, q in rows]


def test_macro_mean_weighs_languages_alike_and_resamples_questions() -> None:
    scores, subsets, questions = languages()
    result = macro_interval(scores, subsets, questions)
    means = [scores[[s == lang for s in subsets]].mean() for lang in "abc"]
    assert result.value == pytest.approx(np.mean(means))
    assert result.clusters == 60
    alone = macro_interval(scores, subsets)
    assert result.se is not None and alone.se is not None
    assert result.se > 1.2 * alone.se


def test_macro_mean_leaves_out_a_language_without_a_score() -> None:
    scores, subsets, questions = languages()
    gaps = np.where([s == "c" for s in subsets], np.nan, scores)
    assert macro_interval(gaps, subsets, questions).value == pytest.approx(scores[:120].mean())
    assert macro_interval(np.full(150, np.nan), subsets, questions).value is None
